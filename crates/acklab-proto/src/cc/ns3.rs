//! The calls of ns-3's socket to a controller: the second contract, for controllers with an ns-3
//! variant.
//!
//! ns-3 calls a controller several times for one ACK, and changes its window in between (recovery
//! works on the same variable). A controller that is to repeat ns-3 to the byte must be called in
//! the same places, so [`CongestionControl::callbacks`](super::CongestionControl::callbacks) hands
//! out this interface where there is one. The vocabulary is that of ns-3.44's `TcpCongestionOps`.

use super::RecoveryPhase;
use super::newreno::ns3::ByteWindow;
use acklab_units::{Instant, Rate, Span};

/// The socket at the moment of a call (ns-3 `TcpSocketState`), without the window, which the
/// controller keeps.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// When.
    pub now: Instant,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// Latest RTT sample; zero before the first.
    pub last_rtt: Span,
    /// Smallest *smoothed* RTT; [`Span::MAX`] before the first.
    pub min_rtt: Span,
    /// Bytes in flight when they were last counted.
    pub inflight: u64,
    /// Offset behind the last byte ever sent (`m_highTxMark`).
    pub high_tx: u64,
    /// Offset behind the segment sent last, which may be an old one (`m_nextTxSequence`).
    pub next_tx: u64,
    /// Acknowledged up to here (`m_lastAckedSeq`).
    pub last_acked: u64,
    /// Bytes that the ACK being processed delivered (`m_lastAckedSackedBytes`).
    pub delivered: u64,
    /// At the last transmission less than a segment of the window was left (`m_isCwndLimited`).
    pub cwnd_limited: bool,
    /// The state before the change that is being told, if one is.
    pub phase: RecoveryPhase,
}

/// The delivery rate of an ACK (ns-3 `TcpRateSample` and `TcpRateConnection`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Bytes delivered since the connection began.
    pub delivered_total: u64,
    /// There is timing information; without it only `acked_sacked` and the like are of use.
    pub timed: bool,
    /// Bytes delivered over `interval`.
    pub delivered: u64,
    /// Zero if the sample is not valid.
    pub interval: Span,
    /// The latest rate that was computed; it stays when later samples are not valid.
    pub rate: Rate,
    /// `delivered_total` when the segment of the sample was sent.
    pub prior_delivered: u64,
    /// The flow was application-limited then.
    pub app_limited: bool,
    /// Bytes this ACK delivered.
    pub acked_sacked: u64,
    /// By how much the bytes marked lost changed, *in either direction*.
    pub lost_change: u64,
    /// Bytes in flight before this ACK.
    pub prior_inflight: u64,
}

/// The calls. All but two have a default that does nothing.
pub trait Callbacks {
    /// The window, which the socket sets in recovery and after a timeout.
    fn window(&mut self) -> &mut ByteWindow;

    /// An ACK arrived (`PktsAcked`); the RTT that goes with it is the smoothed one.
    fn pkts_acked(&mut self, _facts: &Facts) {}

    /// The window may grow by what `segments` are worth (`IncreaseWindow`).
    fn increase_window(&mut self, _facts: &Facts, _segments: u32) {}

    /// The state is about to become `to` (`CongestionStateSet`).
    fn state_set(&mut self, _facts: &Facts, _to: RecoveryPhase) {}

    /// The new threshold after a loss or a timeout (`GetSsThresh`).
    fn ss_thresh(&mut self, facts: &Facts) -> u64;

    /// Recovery is over (`CA_EVENT_COMPLETE_CWR`).
    fn complete_cwr(&mut self, _facts: &Facts) {}

    /// Data leaves while nothing is in flight (`CA_EVENT_TX_START`).
    fn tx_start(&mut self, _facts: &Facts) {}

    /// The controller sets the window in recovery, too (`HasCongControl`).
    fn has_cong_control(&self) -> bool {
        false
    }

    /// All of the ACK has been processed (`CongControl`).
    fn cong_control(&mut self, _facts: &Facts, _sample: &Sample) {}
}
