//! Limits of the peer's claims.
//!
//! Rate, RTT and loss come from the peer, and what it acknowledges makes room for more: a receiver
//! that lies can drive a sender. It is bound by what was sent. Packet numbers are skipped now and
//! then: an honest receiver never counts them, one that acknowledges ahead of arrival does (RFC 9000
//! section 21.4, after Savage et al. 1999).

use crate::rng::{Rng, RngCore, stream};
use crate::tack::wire::{EcnCounts, Receipt};
use alloc::collections::VecDeque;

/// The gap between two skips grows to this many packets.
const RAREST: u64 = 1 << 20;
/// Skips that are kept apart; older ones are only counted.
const KEPT: usize = 64;

/// The peer claimed what cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// It acknowledged bytes that were never sent.
    Unsent,
    /// It has seen a packet number that was never sent.
    UnsentNumber,
    /// More packets than were sent have arrived: it counts one that was skipped.
    Skipped,
    /// It acknowledges more segments than packets that it has got.
    TooFewPackets,
    /// More packets with an ECN codepoint than packets.
    Marks,
}

/// The packets sent, by which claims are judged.
#[derive(Clone, Debug)]
pub struct Claims {
    first: u64,
    skipped: VecDeque<u64>,
    /// Skips that are not in the list any more, all below it.
    older: u64,
    next_skip: Option<u64>,
    gap: u64,
    rng: Rng,
    /// Most packets that the peer has claimed.
    packets: u64,
    /// Segments that it has acknowledged.
    segments: u64,
    /// Segments that may have been acknowledged by packets that had other bounds, beside one for each packet.
    recut: u64,
    /// Such packets have nothing that is new from this offset on.
    recut_until: u64,
}

impl Claims {
    /// The first packet number, the bound of the first skip (zero = none), and a seed.
    pub fn new(first: u64, within: u32, seed: u64) -> Self {
        let mut rng = stream(seed, "tack/skip");
        let gap = u64::from(within);
        let next_skip = (gap > 0).then(|| first + 1 + rng.next_u64() % gap);
        Self {
            first,
            skipped: VecDeque::new(),
            older: 0,
            next_skip,
            gap,
            rng,
            packets: 0,
            segments: 0,
            recut: 0,
            recut_until: 0,
        }
    }

    /// What is under way, up to the offset `until`, is sent anew in so many segments: a packet that left before,
    /// and arrives yet, holds several of them.
    pub fn on_recut(&mut self, segments: u64, until: u64) {
        self.recut += segments;
        self.recut_until = until;
    }

    /// Whether `number`, which is about to be given out, is to be skipped.
    pub fn skips(&mut self, number: u64) -> bool {
        if self.next_skip != Some(number) {
            return false;
        }
        if self.skipped.len() == KEPT {
            self.skipped.pop_front();
            self.older += 1;
        }
        self.skipped.push_back(number);
        self.gap = (self.gap * 2).min(RAREST);
        self.next_skip = Some(number + self.gap / 2 + self.rng.next_u64() % self.gap.max(1) + 1);
        true
    }

    /// Packets sent with numbers up to `largest`.
    pub fn sent_up_to(&self, largest: u64) -> u64 {
        let skipped = self.skipped.partition_point(|s| *s <= largest) as u64 + self.older;
        (largest + 1).saturating_sub(self.first + skipped)
    }

    /// Transmissions up to the largest that has arrived that have not.
    pub fn missing(&self, r: &Receipt) -> u64 {
        if r.packets == 0 {
            return 0;
        }
        self.sent_up_to(r.largest).saturating_sub(r.packets)
    }

    /// Judges a receipt. `nxt`: offset behind all that was sent; `next_number`: the number that the
    /// next packet has.
    pub fn judge(&mut self, r: &Receipt, nxt: u64, next_number: u64) -> Result<(), Violation> {
        if r.cumulative > nxt {
            return Err(Violation::Unsent);
        }
        if r.packets > 0 {
            if r.largest >= next_number || r.largest < self.first {
                return Err(Violation::UnsentNumber);
            }
            if r.packets > self.sent_up_to(r.largest) {
                return Err(Violation::Skipped);
            }
        }
        self.packets = self.packets.max(r.packets);
        Ok(())
    }

    /// Judges ECN counts.
    pub fn judge_marks(&self, e: &EcnCounts) -> Result<(), Violation> {
        let total = e.ect0.saturating_add(e.ect1).saturating_add(e.ce);
        if total > self.packets {
            return Err(Violation::Marks);
        }
        Ok(())
    }

    /// `segments` more were acknowledged: each came in a packet of its own, unless it was cut anew.
    /// Everything below the offset `una` is acknowledged now.
    pub fn on_delivered(&mut self, segments: u32, una: u64) -> Result<(), Violation> {
        self.segments += u64::from(segments);
        if self.segments > self.packets.saturating_add(self.recut) {
            return Err(Violation::TooFewPackets);
        }
        if una >= self.recut_until {
            // What was not needed is no credit for later.
            self.recut = self.recut.min(self.segments.saturating_sub(self.packets));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(cumulative: u64, largest: u64, packets: u64) -> Receipt {
        Receipt {
            cumulative,
            largest,
            packets,
            ..Receipt::default()
        }
    }

    #[test]
    fn what_was_never_sent_cannot_have_arrived() {
        let mut c = Claims::new(5, 0, 1);
        assert_eq!(
            c.judge(&receipt(1001, 5, 1), 1000, 6),
            Err(Violation::Unsent)
        );
        assert_eq!(
            c.judge(&receipt(0, 6, 1), 1000, 6),
            Err(Violation::UnsentNumber)
        );
        assert_eq!(
            c.judge(&receipt(0, 4, 1), 1000, 6),
            Err(Violation::UnsentNumber)
        );
        assert_eq!(c.judge(&receipt(0, 5, 2), 1000, 6), Err(Violation::Skipped));
        assert_eq!(c.judge(&receipt(1000, 5, 1), 1000, 6), Ok(()));
        assert_eq!(c.on_delivered(1, 500), Ok(()));
        assert_eq!(c.on_delivered(1, 500), Err(Violation::TooFewPackets));
        c.on_recut(2, 1000);
        assert_eq!(c.on_delivered(1, 500), Ok(()));
        assert_eq!(c.on_delivered(1, 1000), Err(Violation::TooFewPackets));
        let marks = EcnCounts {
            ce: 2,
            ..EcnCounts::default()
        };
        assert_eq!(c.judge_marks(&marks), Err(Violation::Marks));
    }

    /// Packets that left before a cut hold several segments each, as long as some of these are under way.
    #[test]
    fn what_is_cut_anew_is_no_credit_for_later() {
        let mut c = Claims::new(1, 0, 1);
        c.on_recut(8, 4000);
        // Two packets of before brought six of the segments.
        assert_eq!(c.judge(&receipt(3000, 2, 2), 4000, 9), Ok(()));
        assert_eq!(c.on_delivered(6, 3000), Ok(()));
        assert_eq!(c.judge(&receipt(4000, 4, 4), 4000, 9), Ok(()));
        assert_eq!(c.on_delivered(2, 4000), Ok(()));
        // From now on a segment is a packet.
        assert_eq!(c.judge(&receipt(4500, 5, 5), 5000, 9), Ok(()));
        assert_eq!(c.on_delivered(1, 4500), Ok(()));
        assert_eq!(c.on_delivered(1, 5000), Err(Violation::TooFewPackets));
    }

    /// A peer that acknowledges everything up to the largest number is caught at the first skip,
    /// with any seed; one that counts arrivals never is.
    #[test]
    fn a_skipped_number_catches_who_acknowledges_ahead() {
        for seed in 0..50 {
            let mut c = Claims::new(1, 16, seed);
            let (mut honest, mut skips) = (0, 0);
            for number in 1..=10_000 {
                if c.skips(number) {
                    skips += 1;
                    assert_eq!(
                        c.judge(&receipt(0, number, number), 0, number + 1),
                        Err(Violation::Skipped)
                    );
                } else {
                    honest += 1;
                    assert_eq!(c.judge(&receipt(0, number, honest), 0, number + 1), Ok(()));
                }
            }
            assert!((5..=12).contains(&skips), "{skips}");
        }
    }
}
