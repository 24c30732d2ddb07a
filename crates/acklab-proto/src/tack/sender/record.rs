//! One segment that was sent.

use crate::rate::{Stamp, Transmission};
use acklab_units::Instant;

/// What the sender remembers of a segment until it is acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// The stream ends behind it.
    pub fin: bool,
    /// The latest PKT.SEQ.
    pub number: u64,
    /// When it was last sent.
    pub sent_at: Instant,
    /// It has arrived.
    pub delivered: bool,
    /// Its latest transmission is lost.
    pub lost: bool,
    /// Its latest transmission has left the network: the peer has settled its number, but its lists had
    /// no room to say whether it arrived.
    pub settled: bool,
    /// It was sent more than once.
    pub repeated: bool,
    /// Bytes in flight just after it was last sent.
    pub tx_in_flight: u64,
    stamp: Stamp,
}

impl Record {
    /// A segment that leaves for the first time, `inflight` bytes being under way then.
    pub fn new(start: u64, len: u32, fin: bool, number: u64, now: Instant, inflight: u64) -> Self {
        Self {
            start,
            len,
            fin,
            number,
            sent_at: now,
            delivered: false,
            lost: false,
            settled: false,
            repeated: false,
            tx_in_flight: inflight,
            stamp: Stamp {
                serial: 0,
                first_sent_at: now,
                delivered_at: now,
                delivered: 0,
                lost_before: 0,
                ce_before: 0,
                app_limited: false,
            },
        }
    }

    /// Whether its latest transmission may still be under way.
    pub const fn is_under_way(&self) -> bool {
        !self.delivered && !self.lost && !self.settled
    }

    /// Offset behind it; the end of the stream takes one.
    pub const fn end(&self) -> u64 {
        self.start + self.len as u64 + self.fin as u64
    }
}

impl Transmission for Record {
    fn sent_at(&self) -> Instant {
        self.sent_at
    }

    fn bytes(&self) -> u32 {
        self.len
    }

    fn tx_in_flight(&self) -> u64 {
        self.tx_in_flight
    }

    fn was_repeated(&self) -> bool {
        self.repeated
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        self.stamp = stamp;
    }
}
