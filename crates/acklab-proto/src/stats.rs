//! The counters and the state of one end of a transport.

use crate::cc::RecoveryPhase;
use acklab_units::{Rate, Span};

/// Why a segment was retransmitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum RetransmitCause {
    /// RACK's time rule.
    Rack,
    /// Duplicate ACKs.
    DupAck,
    /// Tail loss probe.
    Tlp,
    /// Retransmission timeout.
    Rto,
}

/// Retransmitted segments by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retrans {
    /// RACK marked them lost.
    pub rack: u64,
    /// Duplicate ACKs or the SACK rule.
    pub dupack: u64,
    /// Tail loss probes that repeated data.
    pub tlp: u64,
    /// Retransmission timeouts.
    pub rto: u64,
}

impl Retrans {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.rack + self.dupack + self.tlp + self.rto
    }
}

/// Cumulative counters of one end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Segments sent, of any kind.
    pub segs_out: u64,
    /// Segments with payload sent, retransmissions included.
    pub data_segs_out: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload bytes retransmitted.
    pub bytes_retrans: u64,
    /// Segments retransmitted (Linux `total_retrans`; SYNs included).
    pub retrans_segs: u64,
    /// Segments with payload retransmitted, by cause.
    pub retrans: Retrans,
    /// Retransmission timeouts.
    pub rto_count: u64,
    /// Tail loss probes sent, with new data or old.
    pub tlp_count: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Reductions undone as spurious.
    pub undos: u64,
    /// Of these, because DSACKs had called every retransmission superfluous (RFC 3708).
    pub undos_dsack: u64,
    /// Of these, because new data went through after a timeout (RFC 5682).
    pub undos_frto: u64,
    /// Of these, because all that TACK's receiver had called lost came late. The rest are Eifel's
    /// (RFC 3522).
    pub undos_late: u64,
    /// Transmissions that TACK's receiver had called lost and that came late, at least.
    pub late_segs: u64,
    /// Segments that DSACKs called superfluous, as long as no more were reported than had been
    /// retransmitted (Linux `tcp_dsack_seen`).
    pub spurious_retrans: u64,
    /// Entries into CWR because of ECN echoes (RFC 3168 section 6.1.2). The controller decides what it does then.
    pub ecn_reductions: u64,
    /// Segments marked lost.
    pub lost_segs: u64,
    /// Segments received, of any kind.
    pub segs_in: u64,
    /// Acknowledgements received.
    pub acks_in: u64,
    /// Of these, duplicates.
    pub dup_acks_in: u64,
    /// DSACKs received.
    pub dsacks_in: u64,
    /// Pure acknowledgements sent.
    pub acks_out: u64,
    /// Of these, TACK's that leave for an event between two TACKs (IACKs).
    pub iacks_out: u64,
    /// Payload bytes acknowledged by the peer.
    pub bytes_acked: u64,
    /// Payload bytes received in order.
    pub bytes_received: u64,
    /// Segments with payload received.
    pub data_segs_in: u64,
    /// Of these, out of order.
    pub out_of_order_in: u64,
    /// Of these, nothing but data that had been received before.
    pub duplicates_in: u64,
}

impl Stats {
    /// A packet of the stream left, with `len` bytes of payload; `again`: it was sent before.
    #[inline]
    pub const fn on_sent(&mut self, len: u32, again: bool) {
        self.segs_out += 1;
        if len > 0 {
            self.data_segs_out += 1;
            self.bytes_sent += len as u64;
        }
        if again {
            self.retrans_segs += 1;
            self.bytes_retrans += len as u64;
        }
    }

    /// Sum of those that tell of more than sending and receiving. They only grow: while the sum is
    /// the same, so is each.
    pub const fn incidents(&self) -> u64 {
        let reactions = self.rto_count + self.tlp_count + self.recoveries + self.ecn_reductions;
        reactions + self.retrans.total() + self.lost_segs + self.undos + self.spurious_retrans
    }

    /// Reductions undone because an echoed timestamp was older than the retransmission, or nothing
    /// was retransmitted (Eifel, RFC 3522).
    pub const fn undos_eifel(&self) -> u64 {
        self.undos - self.undos_dsack - self.undos_frto - self.undos_late
    }
}

/// The state of one end at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Congestion window in force, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; `u64::MAX` = none.
    pub ssthresh: u64,
    /// Bytes in flight.
    pub inflight: u64,
    /// Bytes sent and not cumulatively acknowledged.
    pub outstanding: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// The latest RTT sample; zero before the first.
    pub rtt: Span,
    /// Smallest RTT sample; `None` before the first.
    pub min_rtt: Option<Span>,
    /// Retransmission timeout, without back-off.
    pub rto: Span,
    /// Pacing rate in force; `None` = not paced.
    pub pacing_rate: Option<Rate>,
    /// Latest delivery rate sample.
    pub delivery_rate: Option<Rate>,
    /// The peer's window, bytes.
    pub peer_window: u64,
    /// The controller's state by the name its source gives it.
    pub state: &'static str,
    /// The recovery machinery's state.
    pub phase: RecoveryPhase,
}
