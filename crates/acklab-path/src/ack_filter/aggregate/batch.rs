//! The acknowledgements held together.

use super::super::deadlines::Ticket;
use crate::packet::{FlowId, Packet};
use acklab_units::SeqNum;
use alloc::vec::Vec;

/// Places that a batch keeps while it is empty.
const KEPT: usize = 32;

/// Which of the held acknowledgements go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Release {
    /// The last one; it stands for those before it.
    Last,
    /// All, back to back.
    Burst,
}

/// A held acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Held {
    pub(super) packet: Packet,
    pub(super) ack: SeqNum,
}

impl Held {
    /// Whether `self` says more than `later`, which arrived after it: only if `later` was
    /// overtaken on its way here. At equal numbers the later one has the newer window, timestamp
    /// and SACK blocks. Where they are half of all numbers apart, the later one is the newer one, as
    /// it is for the flow's memory.
    fn outranks(&self, later: &Self) -> bool {
        self.flow() == later.flow() && later.ack != self.ack && !self.ack.before(later.ack)
    }

    fn flow(&self) -> FlowId {
        self.packet.flow
    }
}

/// The acknowledgements that one counter and one timer watch over.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    held: Vec<Held>,
    /// Acknowledgements absorbed since the last release, dropped ones included.
    count: u32,
    /// Of the timer that runs for it.
    pub(super) timer: Ticket,
}

impl Batch {
    /// Takes one more in; the one that became superfluous, if any, comes out.
    pub(super) fn absorb(&mut self, new: Held, release: Release) -> Option<Packet> {
        self.count += 1;
        match (release, self.held.last_mut()) {
            (Release::Last, Some(old)) if old.outranks(&new) => Some(new.packet),
            (Release::Last, Some(old)) => Some(core::mem::replace(old, new).packet),
            _ => {
                self.held.push(new);
                None
            }
        }
    }

    /// How many were absorbed since the last release.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Whether nothing is held.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Starts over; what was held comes out in order of arrival.
    pub(super) fn release(&mut self) -> impl Iterator<Item = Packet> + '_ {
        self.count = 0;
        self.timer = 0;
        self.held.drain(..).map(|h| h.packet)
    }

    /// Gives back the room of a long burst, as many batches may have had one.
    pub(super) fn trim(&mut self) {
        if self.held.capacity() > KEPT {
            self.held.shrink_to(KEPT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::packet;
    use super::*;

    fn held(id: u32, flow: u32, ack: u32) -> Held {
        Held {
            packet: packet(id, flow),
            ack: SeqNum(ack),
        }
    }

    fn ids(batch: &mut Batch) -> Vec<u32> {
        batch.release().map(|p| p.id.0).collect()
    }

    #[test]
    fn the_last_stands_for_those_before_it() {
        let mut b = Batch::default();
        assert_eq!(b.absorb(held(1, 0, 100), Release::Last), None);
        assert_eq!(b.absorb(held(2, 0, 200), Release::Last).unwrap().id.0, 1);
        assert_eq!(b.absorb(held(3, 0, 200), Release::Last).unwrap().id.0, 2);
        assert_eq!((b.count(), ids(&mut b)), (3, alloc::vec![3]));
        assert!(b.is_empty() && b.count() == 0);
    }

    #[test]
    fn an_overtaken_ack_does_not_replace_a_higher_one() {
        let mut b = Batch::default();
        b.absorb(held(1, 0, 5), Release::Last);
        // Across the wrap 5 is higher than 2^32 - 5.
        let loser = b.absorb(held(2, 0, u32::MAX - 4), Release::Last);
        assert_eq!(loser.unwrap().id.0, 2);
        // Half of all numbers apart: whichever came later.
        let half = 5 + (1 << 31);
        assert_eq!(b.absorb(held(4, 0, half), Release::Last).unwrap().id.0, 1);
        assert_eq!(b.absorb(held(5, 0, 5), Release::Last).unwrap().id.0, 4);
        // Another flow's number says nothing about this one's.
        assert_eq!(b.absorb(held(3, 1, 1), Release::Last).unwrap().id.0, 5);
    }

    #[test]
    fn a_burst_keeps_all_in_order() {
        let mut b = Batch::default();
        for i in 1..=4 {
            assert_eq!(b.absorb(held(i, 0, 10 - i), Release::Burst), None);
        }
        assert_eq!(ids(&mut b), [1, 2, 3, 4]);
    }
}
