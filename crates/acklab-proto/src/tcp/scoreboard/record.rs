//! One outstanding segment.

use crate::rate::{Stamp, Transmission};
use acklab_units::{Instant, Span};

const SACKED: u16 = 1;
const LOST: u16 = 1 << 1;
/// A retransmission is in flight.
const RETRANS: u16 = 1 << 2;
const EVER_RETRANS: u16 = 1 << 3;
const APP_LIMITED: u16 = 1 << 4;
const SYN: u16 = 1 << 5;
const FIN: u16 = 1 << 6;
const LISTED: u16 = 1 << 7;
const MERGED: u16 = 1 << 8;

/// No neighbour in the transmission-time list.
pub(super) const NIL: u32 = u32::MAX;

/// The sender's record of a segment until it is acknowledged.
#[derive(Clone, Debug)]
pub struct Record {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    flags: u16,
    /// Time of the latest transmission.
    pub sent_at: Instant,
    /// Running number of the latest transmission: a total order where times are equal.
    pub serial: u64,
    /// Time of the first transmission's flight: `C.first_sent_time` at the latest transmission.
    pub first_sent_at: Instant,
    /// `C.delivered_time` at the latest transmission.
    pub delivered_at: Instant,
    /// `C.delivered` at the latest transmission.
    pub delivered: u64,
    /// Bytes lost before the latest transmission.
    pub lost_before: u64,
    /// Bytes delivered with a mark before the latest transmission.
    pub ce_before: u64,
    /// Bytes in flight just after the latest transmission, this segment included.
    pub tx_in_flight: u64,
    pub(super) prev: u32,
    pub(super) next: u32,
}

impl Record {
    /// A data segment that leaves at `now`.
    pub fn new(start: u64, len: u32, now: Instant) -> Self {
        Self {
            start,
            len,
            flags: 0,
            sent_at: now,
            serial: 0,
            first_sent_at: now,
            delivered_at: now,
            delivered: 0,
            lost_before: 0,
            ce_before: 0,
            tx_in_flight: 0,
            prev: NIL,
            next: NIL,
        }
    }

    /// The same with SYN.
    #[must_use]
    pub fn with_syn(mut self) -> Self {
        self.flags |= SYN;
        self
    }

    /// The same with FIN.
    #[must_use]
    pub fn with_fin(mut self) -> Self {
        self.flags |= FIN;
        self
    }

    /// Offset behind the segment: payload plus one each for SYN and FIN.
    pub fn end(&self) -> u64 {
        self.start
            + u64::from(self.len)
            + u64::from(self.flags & SYN != 0)
            + u64::from(self.flags & FIN != 0)
    }

    /// Drops the first `n` payload bytes, which were acknowledged alone.
    pub(super) fn trim(&mut self, n: u32) {
        self.start += u64::from(n);
        self.len -= n;
    }

    /// Age of the latest transmission.
    pub fn age(&self, now: Instant) -> Span {
        now.saturating_since(self.sent_at)
    }

    /// Carries SYN.
    pub fn is_syn(&self) -> bool {
        self.flags & SYN != 0
    }

    /// Carries FIN.
    pub fn is_fin(&self) -> bool {
        self.flags & FIN != 0
    }

    /// Selectively acknowledged.
    pub fn is_sacked(&self) -> bool {
        self.flags & SACKED != 0
    }

    /// Considered lost (its last transmission, unless a retransmission is in flight).
    pub fn is_lost(&self) -> bool {
        self.flags & LOST != 0
    }

    /// A retransmission is in flight.
    pub fn is_retransmitted(&self) -> bool {
        self.flags & RETRANS != 0
    }

    /// Was ever retransmitted.
    pub fn ever_retransmitted(&self) -> bool {
        self.flags & EVER_RETRANS != 0
    }

    /// The flow was application-limited at the latest transmission.
    pub fn is_app_limited(&self) -> bool {
        self.flags & APP_LIMITED != 0
    }

    pub(in crate::tcp) fn mark_retransmitted(&mut self) {
        self.flags |= EVER_RETRANS;
    }

    /// Linux holds it in one buffer with the segment before it.
    pub(super) fn is_merged(&self) -> bool {
        self.flags & MERGED != 0
    }

    pub(super) fn set_merged(&mut self) {
        self.flags |= MERGED;
    }

    pub(super) fn set_sacked(&mut self) {
        self.flags |= SACKED;
    }

    pub(super) fn clear_sacked(&mut self) {
        self.flags &= !SACKED;
    }

    pub(super) fn set_lost(&mut self, on: bool) {
        self.put(LOST, on);
    }

    pub(super) fn set_retrans(&mut self, on: bool) {
        self.put(RETRANS, on);
    }

    pub(super) fn is_listed(&self) -> bool {
        self.flags & LISTED != 0
    }

    pub(super) fn set_listed(&mut self, on: bool) {
        self.put(LISTED, on);
    }

    fn put(&mut self, bit: u16, on: bool) {
        if on {
            self.flags |= bit;
        } else {
            self.flags &= !bit;
        }
    }
}

impl Transmission for Record {
    #[inline]
    fn sent_at(&self) -> Instant {
        self.sent_at
    }

    #[inline]
    fn bytes(&self) -> u32 {
        self.len
    }

    #[inline]
    fn tx_in_flight(&self) -> u64 {
        self.tx_in_flight
    }

    #[inline]
    fn was_repeated(&self) -> bool {
        self.ever_retransmitted()
    }

    #[inline]
    fn stamp(&self) -> Stamp {
        Stamp {
            serial: self.serial,
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost_before: self.lost_before,
            ce_before: self.ce_before,
            app_limited: self.is_app_limited(),
        }
    }

    #[inline]
    fn set_stamp(&mut self, s: Stamp) {
        self.serial = s.serial;
        self.first_sent_at = s.first_sent_at;
        self.delivered_at = s.delivered_at;
        self.delivered = s.delivered;
        self.lost_before = s.lost_before;
        self.ce_before = s.ce_before;
        self.put(APP_LIMITED, s.app_limited);
    }
}
