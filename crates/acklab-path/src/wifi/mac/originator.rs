//! The sending side of a block ack agreement: a window of numbered MPDUs, each of which is sent
//! until it is acknowledged or given up (10.24.7.7).
//!
//! Without an agreement it numbers MPDUs all the same, one at a time (10.3.2.14).

use super::bitmap::{Bitmap, advance, distance, is_before};
use crate::qdisc::slab::List;
use crate::wifi::neighbour::Kind;
use acklab_units::Instant;
use alloc::boxed::Box;

/// Why a BlockAckReq is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarReason {
    /// An A-MPDU was sent and no answer came: what arrived is not known (10.24.7.7).
    Missed,
    /// An MPDU was given up: the recipient must not wait for it (10.24.7.7, 10.24.3).
    Gap,
}

/// An MPDU that has its number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// Its packets, as long as the recipient does not have them.
    pub packets: List,
    /// Bytes, with header and FCS.
    pub bytes: u32,
    /// Bytes of its IP packets.
    pub ip_bytes: u32,
    /// Its MSDUs.
    pub msdus: u16,
    /// Transmissions that failed, and RTSs for it that nobody answered.
    pub retries: u8,
    /// It was on the air before, not only an RTS for it.
    pub sent: bool,
    /// It is nothing but that message between neighbours.
    pub arp: Option<Kind>,
    /// When the oldest of its packets arrived.
    pub oldest: Instant,
    /// When the newest of its packets arrived: an A-MSDU lives as long as that (10.12).
    pub newest: Instant,
}

/// The window. `start <= every pending number < next <= start + window`.
#[derive(Debug, Default)]
pub(super) struct Originator {
    start: u16,
    next: u16,
    /// Neither acknowledged nor given up, by distance from `start`.
    pending: Bitmap,
    /// Given up, by distance from `start`.
    gaps: Bitmap,
    /// By number modulo their number, a power of two.
    slots: Box<[Slot]>,
    /// It is not known which MPDUs of the last A-MPDU arrived.
    missed: bool,
    /// The window has passed a gap, and the recipient was not told.
    unannounced: bool,
    /// It shall not be told until it is worthwhile.
    parked: bool,
    /// BlockAckReqs in a row without an answer.
    pub bar_failures: u8,
}

impl Originator {
    /// Numbers that may be given out under a window of `window` MPDUs.
    #[inline]
    pub fn room(&self, window: u16) -> u16 {
        window.saturating_sub(distance(self.start, self.next))
    }

    /// Gives an MPDU its number. There must be room under `window`.
    #[inline]
    pub fn assign(&mut self, slot: Slot, window: u16) -> u16 {
        debug_assert!(self.room(window) > 0, "window exceeded");
        if usize::from(window.min(Bitmap::SIZE)) > self.slots.len() || self.slots.is_empty() {
            self.grow(window);
        }
        let seq = self.next;
        self.pending.insert(distance(self.start, seq));
        *self.slot_mut(seq) = slot;
        self.next = advance(seq, 1);
        seq
    }

    /// Makes room for `window` MPDUs. The first use allocates, and a window that grows.
    #[cold]
    fn grow(&mut self, window: u16) {
        let wanted = usize::from(window.clamp(1, Bitmap::SIZE)).next_power_of_two();
        let mut slots = alloc::vec![Slot::default(); wanted].into_boxed_slice();
        for seq in self.pending() {
            slots[usize::from(seq) % wanted] = *self.slot(seq);
        }
        self.slots = slots;
    }

    /// Numbers of the MPDUs that are neither acknowledged nor given up, in order.
    #[inline]
    pub fn pending(&self) -> impl Iterator<Item = u16> + use<> {
        let start = self.start;
        self.pending.iter().map(move |i| advance(start, i))
    }

    /// How many.
    pub fn in_window(&self) -> u16 {
        self.pending.len()
    }

    /// The first of them.
    #[inline]
    pub fn first_pending(&self) -> Option<u16> {
        if self.start == self.next {
            return None;
        }
        self.pending.next(0).map(|i| advance(self.start, i))
    }

    /// Whether that number is neither acknowledged nor given up.
    #[inline]
    pub fn is_pending(&self, seq: u16) -> bool {
        self.pending.contains(distance(self.start, seq))
    }

    #[inline]
    pub fn slot(&self, seq: u16) -> &Slot {
        &self.slots[usize::from(seq) & (self.slots.len() - 1)]
    }

    #[inline]
    pub fn slot_mut(&mut self, seq: u16) -> &mut Slot {
        let mask = self.slots.len() - 1;
        &mut self.slots[usize::from(seq) & mask]
    }

    /// The MPDU of that number is acknowledged. The window moves with [`Originator::slide`].
    #[inline]
    pub fn acknowledge(&mut self, seq: u16) {
        self.pending.remove(distance(self.start, seq));
    }

    /// The MPDU of that number is given up.
    pub fn give_up(&mut self, seq: u16) {
        let i = distance(self.start, seq);
        self.pending.remove(i);
        self.gaps.insert(i);
    }

    /// Moves the window on to the first pending number. Numbers that were given up and lie behind it now
    /// make a BlockAckReq due if there is an `agreement`.
    #[inline]
    pub fn slide(&mut self, agreement: bool) {
        if self.pending.is_empty() && self.gaps.is_empty() {
            self.start = self.next;
            self.missed = false;
            return;
        }
        let n = self
            .pending
            .next(0)
            .unwrap_or_else(|| distance(self.start, self.next));
        let passed_gap = self.gaps.next(0).is_some_and(|i| i < n);
        self.start = advance(self.start, n);
        self.pending.shift(n);
        self.gaps.shift(n);
        if passed_gap && agreement {
            self.unannounced = true;
            self.unpark_bar();
        }
        self.missed &= !self.pending.is_empty();
    }

    /// First number of the window.
    pub fn start(&self) -> u16 {
        self.start
    }

    /// Why a BlockAckReq is due, if one is.
    #[inline]
    pub fn bar(&self) -> Option<BarReason> {
        if self.missed {
            return Some(BarReason::Missed);
        }
        (self.unannounced && !self.parked).then_some(BarReason::Gap)
    }

    /// An A-MPDU was not answered, and shall be asked for.
    pub fn on_missed(&mut self) {
        self.missed = true;
        self.bar_failures = 0;
    }

    /// The BlockAckReq was answered.
    pub fn on_bar_answered(&mut self) {
        self.missed = false;
        self.unannounced = false;
        self.unpark_bar();
    }

    /// The BlockAckReq is given up. That of a gap will be due again some time.
    pub fn give_up_bar(&mut self) {
        self.parked = !self.missed;
        self.missed = false;
        self.bar_failures = 0;
    }

    /// A BlockAckReq that was given up is worthwhile again.
    #[inline]
    pub fn unpark_bar(&mut self) {
        self.parked = false;
        self.bar_failures = 0;
    }

    /// Whether a block ack says that the MPDU of that number arrived (10.24.7.7).
    #[inline]
    pub fn says_received(start: u16, bitmap: &Bitmap, seq: u16) -> bool {
        let i = distance(start, seq);
        !is_before(i) && bitmap.contains(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn slot(bytes: u32) -> Slot {
        Slot {
            bytes,
            ..Slot::default()
        }
    }

    fn filled(n: u16, window: u16) -> Originator {
        let mut o = Originator {
            start: 4090,
            next: 4090,
            ..Originator::default()
        };
        for i in 0..n {
            o.assign(slot(u32::from(i)), window);
        }
        o
    }

    #[test]
    fn the_window_waits_for_its_first_number() {
        let mut o = filled(64, 64);
        assert_eq!(o.room(64), 0);
        for seq in o.pending().filter(|s| *s != 4090).collect::<Vec<_>>() {
            o.acknowledge(seq);
        }
        o.slide(true);
        assert_eq!((o.start(), o.room(64)), (4090, 0));
        o.acknowledge(4090);
        o.slide(true);
        assert_eq!((o.start(), o.room(64)), ((4090 + 64) % 4096, 64));
        assert_eq!(o.bar(), None);
    }

    #[test]
    fn a_gap_makes_a_request_due_when_the_window_has_passed_it() {
        let mut o = filled(3, 64);
        o.give_up(4091);
        o.slide(true);
        assert_eq!((o.start(), o.bar()), (4090, None));
        o.acknowledge(4090);
        o.slide(true);
        assert_eq!((o.start(), o.bar()), (4092, Some(BarReason::Gap)));
        let mut alone = filled(1, 1);
        alone.give_up(4090);
        alone.slide(false);
        assert_eq!((alone.start(), alone.bar()), (4091, None));
    }

    #[test]
    fn nothing_is_asked_for_when_nothing_is_pending() {
        let mut o = filled(2, 64);
        o.on_missed();
        o.give_up(4090);
        o.slide(true);
        assert_eq!(o.bar(), Some(BarReason::Missed));
        o.give_up(4091);
        o.slide(true);
        assert_eq!(o.bar(), Some(BarReason::Gap));
        o.give_up_bar();
        assert_eq!(o.bar(), None);
        o.unpark_bar();
        assert_eq!(o.bar(), Some(BarReason::Gap));
    }

    /// A window of 8 becomes one of 256 while MPDUs are pending.
    #[test]
    fn a_window_can_grow() {
        let mut o = filled(8, 8);
        for i in 8..200 {
            o.assign(slot(i), 256);
        }
        let bytes: Vec<_> = o.pending().map(|s| o.slot(s).bytes).collect();
        assert_eq!(bytes, (0..200).collect::<Vec<_>>());
    }
}
