//! One segment that was sent.

use crate::rate::{Stamp, Transmission};
use acklab_units::Instant;

const FIN: u8 = 1;
const DELIVERED: u8 = 1 << 1;
const LOST: u8 = 1 << 2;
const SETTLED: u8 = 1 << 3;
const REPEATED: u8 = 1 << 4;
const APP_LIMITED: u8 = 1 << 5;

/// The sender's record of a segment until it is acknowledged cumulatively. Most of the memory of
/// a flow consists of these.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Stream offset of the first byte.
    pub start: u64,
    /// The latest PKT.SEQ: the order of sending, too.
    pub number: u64,
    /// When it was last sent.
    pub sent_at: Instant,
    first_sent_at: Instant,
    delivered_at: Instant,
    delivered: u64,
    lost_before: u64,
    ce_before: u64,
    /// A window has at most 4 GiB.
    tx_in_flight: u32,
    /// A packet has at most 9,000 bytes.
    len: u16,
    flags: u8,
}

impl Record {
    /// A segment that leaves for the first time, `inflight` bytes being under way then.
    pub fn new(start: u64, len: u32, fin: bool, number: u64, now: Instant, inflight: u64) -> Self {
        debug_assert!(len <= u32::from(u16::MAX));
        Self {
            start,
            number,
            sent_at: now,
            first_sent_at: now,
            delivered_at: now,
            delivered: 0,
            lost_before: 0,
            ce_before: 0,
            tx_in_flight: narrow(inflight),
            len: len as u16,
            flags: u8::from(fin) * FIN,
        }
    }

    /// It leaves again, with another number.
    pub fn repeat(&mut self, number: u64, now: Instant, inflight: u64) {
        self.number = number;
        self.sent_at = now;
        self.tx_in_flight = narrow(inflight);
        self.flags &= !(LOST | SETTLED);
        self.flags |= REPEATED;
    }

    /// Payload bytes.
    pub const fn len(&self) -> u32 {
        self.len as u32
    }

    /// The stream ends behind it.
    pub const fn is_fin(&self) -> bool {
        self.flags & FIN != 0
    }

    /// It has arrived.
    pub const fn is_delivered(&self) -> bool {
        self.flags & DELIVERED != 0
    }

    /// It has arrived: it is not lost, whatever was said before.
    pub const fn deliver(&mut self) {
        self.flags |= DELIVERED;
        self.flags &= !LOST;
    }

    /// Its latest transmission is lost.
    pub const fn is_lost(&self) -> bool {
        self.flags & LOST != 0
    }

    /// Its latest transmission is taken for lost, or is not any more.
    pub const fn set_lost(&mut self, lost: bool) {
        self.put(LOST, lost);
    }

    /// Its latest transmission has left the network: the peer has settled its number, but its lists had
    /// no room to say whether it arrived.
    pub const fn is_settled(&self) -> bool {
        self.flags & SETTLED != 0
    }

    /// The peer has settled its number.
    pub const fn settle(&mut self) {
        self.flags |= SETTLED;
    }

    /// Whether its latest transmission may still be under way.
    pub const fn is_under_way(&self) -> bool {
        self.flags & (DELIVERED | LOST | SETTLED) == 0
    }

    /// Offset behind it; the end of the stream takes one.
    pub const fn end(&self) -> u64 {
        self.start + self.len as u64 + self.is_fin() as u64
    }

    const fn put(&mut self, bit: u8, on: bool) {
        if on {
            self.flags |= bit;
        } else {
            self.flags &= !bit;
        }
    }
}

/// As far as it can be told in 32 bits.
fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Transmission for Record {
    fn sent_at(&self) -> Instant {
        self.sent_at
    }

    fn bytes(&self) -> u32 {
        self.len()
    }

    fn tx_in_flight(&self) -> u64 {
        self.tx_in_flight.into()
    }

    fn was_repeated(&self) -> bool {
        self.flags & REPEATED != 0
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            serial: self.number,
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost_before: self.lost_before,
            ce_before: self.ce_before,
            app_limited: self.flags & APP_LIMITED != 0,
        }
    }

    /// Its number is its serial: both are given out in the order of sending.
    fn set_stamp(&mut self, s: Stamp) {
        self.first_sent_at = s.first_sent_at;
        self.delivered_at = s.delivered_at;
        self.delivered = s.delivered;
        self.lost_before = s.lost_before;
        self.ce_before = s.ce_before;
        self.put(APP_LIMITED, s.app_limited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_small() {
        assert_eq!(size_of::<Record>(), 72);
    }
}
