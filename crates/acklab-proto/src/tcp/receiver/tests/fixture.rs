//! A receiver on a bench: microseconds go in, ACKs come out.

use crate::ack::{AckDecision, AckPolicy, AckReason, Arrival};
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{AckFields, Data, Outcome, Receiver, SynInfo};
use acklab_units::{Instant, Span};
use std::boxed::Box;
use std::vec::Vec;

/// Payload of every full segment in these tests.
pub const MSS: u32 = 1448;

/// Every second full segment or after 40 ms; at once when something is out of order.
#[derive(Debug, Default)]
pub struct Delayed {
    deadline: Option<Instant>,
}

impl AckPolicy for Delayed {
    fn on_data(&mut self, a: &Arrival) -> AckDecision {
        if a.had_gap || a.has_gap || a.duplicate {
            return AckDecision::Now(AckReason::OutOfOrder);
        }
        if a.ecn_change {
            return AckDecision::Now(AckReason::Ecn);
        }
        if a.unacked > u64::from(a.rcv_mss) && a.window_can_move {
            return AckDecision::Now(AckReason::ByteCount);
        }
        let at = *self.deadline.get_or_insert(a.now + Span::from_millis(40));
        AckDecision::At(at)
    }

    fn on_timeout(&mut self, _now: Instant) -> Option<AckReason> {
        self.deadline = None;
        Some(AckReason::Timer)
    }

    fn on_ack_sent(&mut self, _now: Instant) {
        self.deadline = None;
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.deadline
    }
}

/// Never wants an ACK.
#[derive(Debug)]
pub struct Silent;

impl AckPolicy for Silent {
    fn on_data(&mut self, _: &Arrival) -> AckDecision {
        AckDecision::Hold
    }

    fn on_timeout(&mut self, _: Instant) -> Option<AckReason> {
        None
    }

    fn on_ack_sent(&mut self, _: Instant) {}

    fn next_timeout(&self) -> Option<Instant> {
        None
    }
}

/// The offers of a modern peer's SYN.
pub fn syn() -> SynInfo {
    SynInfo {
        timestamps: true,
        ts_val: 1,
        sack: true,
        window_scale: Some(7),
        mss: 1460,
        ecn: true,
    }
}

/// An ACK as a tuple that reads well: why, up to where, and the SACK blocks.
pub type Ack = (AckReason, u64, Vec<(u64, u64)>);

/// A receiver after the handshake.
pub struct Bench {
    pub receiver: Receiver,
    pub now: Instant,
    /// The fields of the last ACK taken.
    pub last: AckFields,
}

impl Bench {
    pub fn linux() -> Self {
        Self::new(&TcpConfig::new(Profile::Linux), Box::<Delayed>::default())
    }

    pub fn rfc() -> Self {
        Self::new(&TcpConfig::new(Profile::Rfc), Box::<Delayed>::default())
    }

    pub fn new(cfg: &TcpConfig, policy: Box<dyn AckPolicy>) -> Self {
        Self::with_syn(cfg, policy, syn())
    }

    pub fn with_syn(cfg: &TcpConfig, policy: Box<dyn AckPolicy>, syn: SynInfo) -> Self {
        let mut receiver = Receiver::new(cfg, policy);
        receiver.on_peer_syn(Instant::ZERO, syn);
        receiver.on_ack_sent(Instant::ZERO, false);
        Self {
            receiver,
            now: Instant::ZERO,
            last: AckFields::default(),
        }
    }

    /// Moves the clock to `us` microseconds and runs what is due.
    pub fn at(&mut self, us: u64) -> &mut Self {
        self.now = Instant::ZERO + Span::from_micros(us);
        self.receiver.on_timeout(self.now);
        self
    }

    pub fn push(&mut self, data: Data) -> Outcome {
        self.receiver.on_data(self.now, data)
    }

    /// Bytes `start..end` arrive.
    pub fn bytes(&mut self, start: u64, end: u64) -> Outcome {
        self.push(Data {
            offset: start,
            len: (end - start) as u32,
            ..Data::default()
        })
    }

    /// The `n`th full segment arrives, counted from 0.
    pub fn segment(&mut self, n: u64) -> Outcome {
        self.bytes(edge(n), edge(n + 1))
    }

    /// Takes the ACK that must leave now.
    pub fn ack(&mut self) -> Option<Ack> {
        let reason = self.receiver.ack_pending()?;
        self.last = self.receiver.ack_fields();
        self.receiver.on_ack_sent(self.now, false);
        let blocks = self.last.blocks();
        let blocks = blocks.iter().map(|b| (b.start, b.end)).collect();
        Some((reason, self.last.ack, blocks))
    }

    /// Segment `n` arrives, and the application reads what it can.
    pub fn segment_and_read(&mut self, n: u64) -> Option<Ack> {
        self.segment(n);
        self.receiver.read(self.now, u64::MAX);
        self.ack()
    }
}

/// Where full segment `n` begins.
pub const fn edge(n: u64) -> u64 {
    1 + n * MSS as u64
}
