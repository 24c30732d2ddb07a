//! Packets first in, first out, in which one is found by its number.
//!
//! Nobody pays for that before it is used. A packet that is taken out of the middle leaves a
//! gap; gaps go when they come to the front, or when there are more of them than packets.

use crate::packet::{Packet, PacketId};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ring {
    /// The first is no gap.
    places: VecDeque<Option<Packet>>,
    /// Places that have come to the front and gone.
    gone: u64,
    packets: usize,
    /// Of each packet, by number, how many places were taken before it; once somebody asks.
    index: Option<Index>,
}

impl Ring {
    /// How many.
    pub fn len(&self) -> usize {
        self.packets
    }

    /// The first packet.
    pub fn first(&self) -> Option<Packet> {
        *self.places.front()?
    }

    /// Puts a packet at the end.
    #[inline]
    pub fn push(&mut self, packet: Packet) {
        if let Some(index) = &mut self.index {
            index.note(packet.id, self.gone + self.places.len() as u64);
        }
        self.places.push_back(Some(packet));
        self.packets += 1;
    }

    /// Takes the first packet.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let first = self.places.pop_front()?;
        self.gone += 1;
        self.packets -= 1;
        self.close_front();
        first
    }

    /// Takes the packet of that number out.
    pub fn remove(&mut self, id: PacketId) -> Option<Packet> {
        let packet = self.place(id)?.take();
        self.packets -= 1;
        self.close_front();
        if self.places.len() > 2 * self.packets + LEAST {
            self.close_gaps();
        }
        packet
    }

    /// Puts `by` in the place of the packet of that number, which comes out.
    pub fn replace(&mut self, id: PacketId, by: Packet) -> Option<Packet> {
        let old = self.place(id)?.replace(by);
        if let Some(index) = &mut self.index {
            let at = index.of(id)?;
            index.note(by.id, at);
        }
        old
    }

    fn place(&mut self, id: PacketId) -> Option<&mut Option<Packet>> {
        if self.index.is_none() {
            self.reindex();
        }
        let at = self.index.as_ref()?.of(id)?;
        let i = usize::try_from(at.checked_sub(self.gone)?).ok()?;
        let place = self.places.get_mut(i)?;
        // The number may have been another packet's.
        place.is_some_and(|p| p.id == id).then_some(place)
    }

    #[inline]
    fn close_front(&mut self) {
        while self.places.front() == Some(&None) {
            self.places.pop_front();
            self.gone += 1;
        }
    }

    fn close_gaps(&mut self) {
        self.places.retain(Option::is_some);
        self.reindex();
    }

    fn reindex(&mut self) {
        let index = self.index.get_or_insert_default();
        for (at, place) in (self.gone..).zip(&self.places) {
            if let Some(packet) = place {
                index.note(packet.id, at);
            }
        }
    }
}

/// Gaps that are not worth closing.
const LEAST: usize = 64;

/// A number for each packet, by the packet's. Packets count from zero up, messages of the link layer from the
/// highest number down: each has a list as long as its own numbers need.
#[derive(Clone, Debug, Default)]
struct Index {
    up: Vec<u64>,
    down: Vec<u64>,
}

impl Index {
    fn of(&self, id: PacketId) -> Option<u64> {
        let (list, i) = match id.0 <= u32::MAX / 2 {
            true => (&self.up, id.0),
            false => (&self.down, !id.0),
        };
        list.get(i as usize).copied()
    }

    fn note(&mut self, id: PacketId, at: u64) {
        let (list, i) = match id.0 <= u32::MAX / 2 {
            true => (&mut self.up, id.0 as usize),
            false => (&mut self.down, !id.0 as usize),
        };
        if i >= list.len() {
            list.resize(i + 1, 0);
        }
        list[i] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use acklab_proto::segment::Ecn;
    use proptest::prelude::*;

    fn packet(id: u32) -> Packet {
        Packet {
            id: PacketId(id),
            size: 40,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        }
    }

    #[test]
    fn gaps_do_not_pile_up_behind_a_packet_that_stays() {
        let mut ring = Ring::default();
        ring.push(packet(0));
        for id in 1..10_000 {
            ring.push(packet(id));
            assert_eq!(ring.remove(PacketId(id)), Some(packet(id)));
            assert!(ring.places.len() <= 2 * LEAST);
        }
        assert_eq!((ring.len(), ring.pop()), (1, Some(packet(0))));
    }

    /// A message's number is near the highest.
    #[test]
    fn a_high_number_takes_no_room_for_those_below_it() {
        let mut ring = Ring::default();
        for id in [u32::MAX - 9, 3, u32::MAX] {
            ring.push(packet(id));
        }
        assert_eq!(ring.remove(PacketId(3)), Some(packet(3)));
        ring.push(packet(u32::MAX - 1));
        assert_eq!(ring.remove(PacketId(u32::MAX)), Some(packet(u32::MAX)));
        let index = ring.index.as_ref().unwrap();
        assert!(index.up.len() + index.down.len() <= 16);
        assert_eq!(ring.pop(), Some(packet(u32::MAX - 9)));
        assert_eq!(ring.pop(), Some(packet(u32::MAX - 1)));
        assert_eq!(ring.pop(), None);
    }

    proptest! {
        /// Beside a list that is searched from the front. Numbers are used again.
        #[test]
        fn it_is_a_list(steps in prop::collection::vec((0u8..4, 0u32..20), 0..400)) {
            let (mut ring, mut list) = (Ring::default(), VecDeque::new());
            for (what, n) in steps {
                let id = PacketId(n);
                let here = list.iter().position(|p: &Packet| p.id == id);
                match what {
                    0 if here.is_none() => {
                        ring.push(packet(n));
                        list.push_back(packet(n));
                    }
                    1 => prop_assert_eq!(ring.pop(), list.pop_front()),
                    2 => {
                        let gone = here.and_then(|i| list.remove(i));
                        prop_assert_eq!(ring.remove(id), gone);
                    }
                    3 => {
                        let by = packet(n + 100);
                        if list.iter().all(|p| p.id != by.id) {
                            let old = here.map(|i| core::mem::replace(&mut list[i], by));
                            prop_assert_eq!(ring.replace(id, by), old);
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(ring.len(), list.len());
            }
            while let Some(packet) = list.pop_front() {
                prop_assert_eq!(ring.pop(), Some(packet));
            }
            prop_assert_eq!(ring.pop(), None);
        }
    }
}
