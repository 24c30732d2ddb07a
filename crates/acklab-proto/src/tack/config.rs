//! Every choice that the paper leaves open, with the reading that is taken and why.
//!
//! The paper and its journal version (IEEE/ACM ToN 29(6), 2021) leave seventeen points ambiguous.
//! Each is an option here or, where only one reading works, a sentence at the line that works so.

use crate::datagram::UDP_HEADER;
use crate::rtt::{RttConfig, RttEstimator, RttSamples};
use crate::segment::IP_HEADER;
use acklab_units::{Rate, Span};

/// When TACKs are sent (Eq. 3), and how far that may be stretched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Taming {
    /// beta: TACKs per minimum RTT. "By default, this paper sets beta = 4 and L = 2 which we have
    /// found to be robust in practice" (section 4.1). The lower bound is 2 (appendix B.1).
    pub beta: u16,
    /// L: full-sized packets per TACK while bdp is small.
    pub packets: u16,
    /// Bytes of a full-sized packet's payload: L counts bytes, so that small packets do not make
    /// more TACKs (ambiguity 10).
    pub mss: u32,
    /// The shortest interval. On a path of 100 us, beta / RTT_min would be 40 kHz (ambiguity 9). A
    /// floor of 10 ms, as the authors' own implementation has it, starves control on such paths.
    pub shortest: Span,
    /// The longest interval. A TACK also moves the window and clocks the peer's timers.
    pub longest: Span,
    /// How long a packet waits for the L-th, at most: "L packets" may never come (ambiguity 10). The
    /// paper has no such timer and says that thin flows "suffer more from ACK reduction" (B.3).
    pub delayed: Span,
    /// The other event that ends that wait.
    pub thin: Thin,
}

/// How long a packet waits for the L-th (ambiguity 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Thin {
    /// Until [`Taming::delayed`] has passed. L says something wherever it comes sooner.
    #[default]
    Timer,
    /// Until the interval has passed, if that is less. Feedback is never later than on a fat path, but
    /// where bdp is small, which is where L is to count, nearly every packet has its own TACK.
    Interval,
}

impl Taming {
    /// The least time between two TACKs, `alpha`, within the bounds.
    pub fn bounded(&self, alpha: Span) -> Span {
        alpha
            .max(self.shortest)
            .min(self.longest.max(self.shortest))
    }

    /// How long a packet waits for the L-th where `alpha` is the interval in force.
    pub fn patience(&self, alpha: Span) -> Span {
        match self.thin {
            Thin::Timer => self.delayed,
            Thin::Interval => self.delayed.min(alpha),
        }
    }
}

impl Default for Taming {
    fn default() -> Self {
        Self {
            beta: 4,
            packets: 2,
            mss: 1434,
            shortest: Span::from_millis(1),
            longest: Span::from_millis(250),
            delayed: Span::from_millis(25),
            thin: Thin::Timer,
        }
    }
}

/// How the receiver acknowledges while the rate still grows (ambiguity 14: the paper is silent).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum StartUp {
    /// Every packet (journal version, section VI): a start-up lasts a few round trips, and there is
    /// no delivery rate to compute a frequency from.
    #[default]
    PerPacket,
    /// Every L-th packet.
    ByteCounting,
    /// Like afterwards.
    Tamed,
}

/// How many blocks a TACK carries (section 5.1, Figure 5b).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Richness {
    /// "Reports as many losses and receipts as possible in each TACK."
    #[default]
    Rich,
    /// "Only acknowledges the largest ordered packets accumulatively and reports the smallest
    /// out-of-order packets in the receive buffer (i.e., Q = 1)."
    Poor,
    /// This Q, and by Eq. 6 as many more as the loss rates of both directions ask for.
    Adaptive {
        /// Q: blocks that are always carried.
        q: u16,
    },
}

/// How long a gap may last before it is reported (ambiguity 2: at once in section 5.1, after
/// RTT_min / 4 in section 7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Settle {
    /// At once until reordering was seen, RTT_min / 4 from then on (as RACK does, RFC 8985). A path
    /// that keeps the order pays nothing for those that do not.
    #[default]
    OnceReordered,
    /// Always at once (section 5.1).
    Never,
    /// Always RTT_min / 4 (section 7).
    Always,
}

/// Which gaps stand in the unacked list (ambiguity 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Unacked {
    /// "In order to avoid unnecessary retransmission, TACK only reports missing packets that have been
    /// reported by loss-event-driven IACKs" (section 5.1): a gap inside its settle time is not one.
    #[default]
    Reported,
    /// Every gap there is.
    All,
}

/// Unit of theta (ambiguity 7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum ThetaUnit {
    /// Minimum RTTs: "theta_filter is recommended as 5~10 RTTs" (section 5.4).
    #[default]
    Rtt,
    /// Intervals between TACKs (journal version: 40), which are longer than RTT_min / beta while
    /// packets are counted.
    Interval,
}

/// Where the minimum RTT comes from (section 5.2, Figure 6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Timing {
    /// "Advanced round-trip timing": the packet with the least smoothed one-way delay of each TACK
    /// interval, less the time that its acknowledgement waited.
    #[default]
    Advanced,
    /// "Legacy RTT sampling", with the delay of the TACK taken out: the packet that arrived last.
    Newest,
    /// The same with the TACK's delay in it, as TCP has it.
    Legacy,
}

/// One-way delays to compare (ambiguity 17: "smoothed OWD", gain unspecified).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Owd {
    /// The moving average, with the gain of [`TackConfig::owd_gain`].
    #[default]
    Smoothed,
    /// Each packet's own.
    Raw,
}

/// The end that computes the interval between TACKs (ambiguity 8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Owner {
    /// The receiver, which measures the delivery rate; the sender tells it the minimum RTT (section
    /// 5.4: "bw and RTT_min are synced").
    #[default]
    Receiver,
    /// The sender, which tells the interval (journal version).
    Sender,
}

/// Where the controller's delivery-rate samples come from (section 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum RateSource {
    /// "The delivery rate is computed at the receiver upon data packet arrivals and synced to the
    /// sender via TACK." Never above the rate at which the data of the sample was sent.
    #[default]
    Receiver,
    /// The sender's own samples, as under TCP.
    Sender,
}

/// When a segment that is reported missing again is sent again (section 5.1: "the sender only
/// retransmits a specific packet once per RTT"; ambiguity 5: which RTT).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum RepairGuard {
    /// A smoothed RTT (or the latest, if that is more) and a quarter of the minimum after it was last
    /// sent, or as soon as that transmission itself is known to be lost by its PKT.SEQ.
    #[default]
    SmoothedRtt,
    /// The same with the minimum RTT: earlier, and more often in vain.
    MinRtt,
    /// Only when that transmission is known to be lost.
    ProvenOnly,
}

/// Which of the segments that are known to be lost is sent again first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum RepairOrder {
    /// The lowest of the stream. The unacked list has the smallest gaps, and the acked list the largest
    /// blocks: of a repair between them no TACK with full lists tells, so a sender that repairs there
    /// waits for an answer that does not come.
    #[default]
    Lowest,
    /// The first that was reported.
    Reported,
}

/// Which RTT alpha is a part of (section 4.1: the minimum).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum AlphaRtt {
    /// RTT_min, as Eq. 2 has it.
    #[default]
    Minimum,
    /// The smoothed RTT, which the sender tells with each SYNC. TACKs that wait for each other make
    /// themselves rarer. (RFC 9000's extension for ACK frequency advises the same.)
    Smoothed,
}

/// The configuration of one endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct TackConfig {
    /// When TACKs are sent.
    pub taming: Taming,
    /// Acknowledging in start-up.
    pub start_up: StartUp,
    /// Packets that start-up may acknowledge in its own way, at most; 0 is no bound.
    pub start_up_packets: u32,
    /// Blocks of a TACK.
    pub richness: Richness,
    /// When a gap is reported.
    pub settle: Settle,
    /// How the minimum RTT is measured.
    pub timing: Timing,
    /// Which one-way delays are compared.
    pub owd: Owd,
    /// The end that computes the interval.
    pub owner: Owner,
    /// Whose rate samples controllers get.
    pub rate_source: RateSource,
    /// When to repeat a repair.
    pub guard: RepairGuard,
    /// Which repair comes first.
    pub repair_order: RepairOrder,
    /// Which RTT the interval is a part of.
    pub alpha_rtt: AlphaRtt,
    /// Loss events are reported by IACKs (section 5.1); without them TACKs report what is missing
    /// (Figure 5a compares the two).
    pub loss_iack: bool,
    /// How often each of them is sent (ambiguity 1). Once: TACKs repeat what it says. The authors' own
    /// implementation sends it three times.
    pub iack_copies: u8,
    /// Which gaps stand in the unacked list.
    pub unacked: Unacked,
    /// An IACK tells of a window that has opened by so many percent of the buffer (ambiguity 13: "a
    /// large volume of data"); zero = none does.
    pub window_share: u8,
    /// The last packet before silence asks for a TACK (ambiguity 15), as QUIC's IMMEDIATE_ACK does. The
    /// peer's timer of thin flows would delay the end of each burst.
    pub ack_now: bool,
    /// A reduction for losses that were none is taken back, and that of a timeout that came too early.
    pub undo: bool,
    /// The maximum filter of the delivery rate, in minimum RTTs: "theta_filter is recommended as
    /// 5~10 RTTs" (section 5.4). Counted in time, at most ten seconds.
    pub theta: u16,
    /// Unit of theta.
    pub theta_unit: ThetaUnit,
    /// The moving average of one-way delays has a gain of one over this (ambiguity 17).
    pub owd_gain: u8,
    /// Packets of feedback after which rho' is computed anew (ambiguity 6). Their numbers make it
    /// exact; the paper computes it when RTT_min changes, which may be never.
    pub ack_loss_period: u32,
    /// Window of the minimum filters at both ends: "tau <= 10 s" (section 5.2).
    pub tau: Span,
    /// Payload bytes of a full DATA packet.
    pub mss: u32,
    /// Bytes of the connection id.
    pub id_len: u8,
    /// Bytes of the AEAD's tag: its place is counted, whoever drives the endpoint fills it.
    pub tag_len: u8,
    /// Bytes of the IP packet that a TACK may fill (ambiguity 12).
    pub mtu: u32,
    /// ECN: packets are sent with ECT(0), marks are counted and echoed as QUIC does (ambiguity 16).
    pub ecn: bool,
    /// Bytes that the application may hand over and that the peer has not acknowledged.
    pub send_buffer: u64,
    /// Bytes that the receiver holds for its application.
    pub recv_buffer: u64,
    /// Gaps, and blocks above gaps, that the receiver keeps at least.
    pub holes: u16,
    /// By how much minimum RTT, interval or loss rate must change before the peer's receiving half is
    /// told, percent. The journal version waits for a factor of two, which lets the frequency be
    /// wrong by as much; a SYNC costs one packet for each change of a ten-second minimum.
    pub sync_percent: u32,
    /// Initial window in packets (RFC 6928).
    pub initial_window: u32,
    /// How RTT samples become a timeout.
    pub rtt: RttConfig,
    /// Pacing rate in slow start, percent of window over smoothed RTT. "pacing_rate is proportional
    /// to CWND / sRTT" (section 5.3); the factors are Linux's, since at 100 % a window that is to
    /// grow would never be filled.
    pub pacing_ss_ratio: u32,
    /// Pacing rate afterwards, percent.
    pub pacing_ca_ratio: u32,
    /// Packets that leave at once when paced.
    pub pacing_quantum: u32,
    /// As many packets more leave at once as the pacing rate sends in that time, at most
    /// [`TackConfig::pacing_burst`]: a driver that sleeps between packets needs bursts. Zero = none.
    pub pacing_horizon: Span,
    /// The most packets that leave at once for [`TackConfig::pacing_horizon`].
    pub pacing_burst: u32,
    /// How late the drivers of both ends may be with a TACK and its reading. The controller takes no
    /// interval for shorter than this and the shortest that was agreed on: on a path of 100 us a window of
    /// a few round trips waits for the next TACK most of the time, and the measured rate falls until the
    /// window is at its least. Each end's handshake has its own lateness in it, too: unless this is zero,
    /// the first report makes a SYNC with this end's minimum RTT.
    pub lateness: Span,
    /// Bytes of UDP payload that a HELLO fills at least: a driver that encrypts pads it, lest a forged
    /// address multiply traffic. Where the handshake is the path's least RTT, its length counts. Zero = no
    /// more than the ACCEPT needs.
    pub hello_len: u32,
    /// PKT.SEQ is skipped now and then, at first within as many packets as this, later ever more
    /// rarely: who acknowledges what never was is lying. Zero = never.
    pub skip_within: u32,
    /// Unanswered timeouts before the connection is given up.
    pub max_retries: u32,
    /// Silence after which the peer gets a PING; `None` = never.
    pub keep_alive: Option<Span>,
}

impl Default for TackConfig {
    fn default() -> Self {
        let mtu = 1500;
        let (id_len, tag_len) = (8, 16);
        let mss = mtu - super::wire::Packet::data_overhead(id_len, tag_len);
        Self {
            taming: Taming {
                mss,
                ..Taming::default()
            },
            start_up: StartUp::default(),
            start_up_packets: 128,
            richness: Richness::default(),
            settle: Settle::default(),
            timing: Timing::default(),
            owd: Owd::default(),
            owner: Owner::default(),
            rate_source: RateSource::default(),
            guard: RepairGuard::default(),
            repair_order: RepairOrder::default(),
            alpha_rtt: AlphaRtt::default(),
            loss_iack: true,
            iack_copies: 1,
            unacked: Unacked::default(),
            window_share: 25,
            ack_now: true,
            undo: true,
            theta: 10,
            theta_unit: ThetaUnit::default(),
            owd_gain: 8,
            ack_loss_period: 100,
            tau: Span::from_secs(10),
            mss,
            id_len,
            tag_len,
            mtu,
            ecn: false,
            send_buffer: 4 << 20,
            recv_buffer: 6 << 20,
            holes: 1024,
            sync_percent: 125,
            initial_window: 10,
            rtt: RttConfig {
                estimator: RttEstimator::Rfc6298 {
                    granularity: Span::from_millis(1),
                    samples: RttSamples::EveryAck,
                },
                initial_rto: Span::from_secs(1),
                min_rto: Span::from_millis(200),
                max_rto: Span::from_secs(60),
                jiffy: Span::ZERO,
            },
            pacing_ss_ratio: 200,
            pacing_ca_ratio: 120,
            pacing_quantum: 1,
            pacing_horizon: Span::ZERO,
            pacing_burst: 1,
            lateness: Span::ZERO,
            hello_len: 0,
            skip_within: 256,
            max_retries: 15,
            keep_alive: None,
        }
    }
}

impl TackConfig {
    /// Bytes of the IP packet of a TACK without blocks, about: its numbers grow as the flow does.
    pub const fn feedback_packet(&self) -> u32 {
        IP_HEADER + UDP_HEADER + 1 + self.id_len as u32 + 4 + 45 + self.tag_len as u32
    }

    /// Bytes of control frames that fit into one packet of feedback.
    pub const fn feedback_room(&self) -> usize {
        let taken = super::wire::Packet::data_overhead(self.id_len, self.tag_len) + 4;
        self.mtu.saturating_sub(taken) as usize
    }

    /// Packets that leave at once at that pacing rate.
    pub fn quantum(&self, rate: Option<Rate>) -> u32 {
        let least = self.pacing_quantum.max(1);
        let Some(rate) = rate.filter(|_| !self.pacing_horizon.is_zero()) else {
            return least;
        };
        let packets = rate.bytes_in(self.pacing_horizon) / u64::from(self.mss.max(1));
        let most = u64::from(self.pacing_burst.max(least));
        packets.clamp(u64::from(least), most) as u32
    }

    /// Most gaps, and most blocks above gaps, that the receiver keeps. A buffer full of packets of which
    /// every second was lost has as many, so only a peer that sends crumbs meets the limit.
    pub fn most_gaps(&self) -> usize {
        let packets = self.recv_buffer / u64::from(self.mss.max(1));
        usize::from(self.holes).max(usize::try_from(packets / 2).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_what_the_rate_sends_within_the_horizon() {
        let mut c = TackConfig::default();
        let rate = |mbps: u64| Some(Rate::from_bps(mbps * 1_000_000));
        assert_eq!(c.quantum(rate(10_000)), 1);
        (c.pacing_horizon, c.pacing_burst) = (Span::from_millis(1), 40);
        assert_eq!(c.quantum(rate(1)), 1);
        assert_eq!(c.quantum(rate(100)), 8);
        assert_eq!(c.quantum(rate(10_000)), 40);
        assert_eq!(c.quantum(None), 1);
    }

    #[test]
    fn a_full_packet_fills_the_mtu() {
        let c = TackConfig::default();
        assert_eq!(c.mss, 1434);
        assert_eq!(c.taming.mss, c.mss);
        assert!(c.feedback_room() > 1400);
    }
}
