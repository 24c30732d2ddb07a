//! What the engine asks of a transport, beyond what every endpoint can be asked.

use acklab_proto::ack::AckReason;
use acklab_proto::cc::RecoveryPhase;
use acklab_proto::endpoint::Endpoint;
use acklab_units::{Instant, Rate, Span};

/// The application's side of an endpoint.
pub trait Socket {
    /// Hands over `bytes` bytes of the stream; returns how many the send buffer took. If it took
    /// fewer, a `Writable` event follows.
    fn write(&mut self, bytes: u64) -> u64;

    /// Takes up to `max` in-order bytes out of the receive buffer.
    fn read(&mut self, now: Instant, max: u64) -> u64;

    /// Nothing more will be written.
    fn close(&mut self, now: Instant);
}

/// A transport that the engine can run. The engine is generic over it: no call is virtual.
pub trait Transport: Endpoint + Socket {
    /// Opens the connection actively.
    fn open(&mut self, now: Instant);

    /// The congestion window in bytes.
    fn cwnd(&self) -> u64;

    /// When a timer was set that is due exactly `now`, if it is to come before a segment that
    /// arrives now and began its last hop later. Usually segments come first.
    fn tied_timer(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// Counters since the start.
    fn counters(&self) -> Counters;

    /// Why an acknowledgement is due, if one is.
    fn ack_due(&self) -> Option<AckReason> {
        None
    }

    /// What an observer compares before and after.
    fn condition(&self) -> Condition {
        let s = self.snapshot();
        Condition {
            counters: self.counters(),
            state: s.state,
            phase: s.phase,
        }
    }

    /// What a time series shows.
    fn snapshot(&self) -> Snapshot;
}

/// Counters of one endpoint since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments with payload sent, retransmissions included.
    pub data_segs_out: u64,
    /// Segments retransmitted, by cause.
    pub retrans: Retrans,
    /// Payload bytes retransmitted.
    pub bytes_retrans: u64,
    /// Retransmission timeouts.
    pub rtos: u64,
    /// Tail loss probes.
    pub tlps: u64,
    /// Segments marked lost.
    pub lost: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Reductions for ECN.
    pub ecn_reductions: u64,
    /// Reductions found to be spurious and undone, by evidence.
    pub undos: Undos,
    /// Segments retransmitted that DSACKs called superfluous.
    pub spurious: u64,
    /// Payload bytes acknowledged cumulatively.
    pub acked_bytes: u64,
    /// Payload bytes received in order.
    pub received_bytes: u64,
    /// Segments received out of order.
    pub out_of_order: u64,
    /// Segments received that held nothing new.
    pub duplicates: u64,
}

impl Counters {
    /// Sum of those that tell of more than sending and receiving. They only grow: while the sum is
    /// the same, so is each.
    pub const fn incidents(&self) -> u64 {
        let reactions = self.rtos + self.tlps + self.recoveries + self.ecn_reductions;
        reactions + self.retrans.total() + self.lost + self.undos.total() + self.spurious
    }
}

/// Reductions undone, by what showed that they were spurious.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undos {
    /// An echoed timestamp older than the retransmission (RFC 3522), or nothing was retransmitted.
    pub eifel: u64,
    /// DSACKs (RFC 3708).
    pub dsack: u64,
    /// New data that went through after a timeout (RFC 5682).
    pub frto: u64,
}

impl Undos {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.eifel + self.dsack + self.frto
    }
}

/// What an observer compares before and after: counters, and the names of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Counters.
    pub counters: Counters,
    /// The controller's state by the name its source gives it.
    pub state: &'static str,
    /// The recovery machinery's state.
    pub phase: RecoveryPhase,
}

impl Condition {
    /// Whether nothing that is worth telling lies between this condition and a later one.
    #[inline]
    pub fn tells_like(&self, later: &Self) -> bool {
        let same_name = core::ptr::eq(self.state, later.state) || self.state == later.state;
        self.counters.incidents() == later.counters.incidents()
            && self.phase == later.phase
            && same_name
    }
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

/// The state of one endpoint at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Congestion window in bytes.
    pub cwnd: u64,
    /// Slow-start threshold in bytes; `u64::MAX` = none.
    pub ssthresh: u64,
    /// Bytes in flight.
    pub inflight: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// The latest RTT sample; zero before the first.
    pub rtt: Span,
    /// Smallest RTT sample; zero before the first.
    pub min_rtt: Span,
    /// Pacing rate; `None` = not paced.
    pub pacing_rate: Option<Rate>,
    /// Latest delivery rate sample.
    pub delivery_rate: Option<Rate>,
    /// The controller's state by the name its source gives it.
    pub state: &'static str,
    /// The recovery machinery's state.
    pub phase: RecoveryPhase,
}
