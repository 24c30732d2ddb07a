//! Cutting outstanding segments anew for a retransmission (`GetTransmittedSegment`).

use super::board::{Board, Flag, Item};
use super::rate::Stamp;

impl Board {
    /// Prepares the segment at `start` to be sent again with `room` bytes: a larger one is split,
    /// a smaller one merged with what follows if that has the same marks
    /// (`GetTransmittedSegment`). Counts it as retransmitted.
    pub fn retransmit(&mut self, start: u64, room: u32) -> Option<&mut Item> {
        let i = self.position(start);
        let t = self.items.get(i).filter(|t| t.start == start)?;
        debug_assert!(!t.sacked, "what arrived is not sent again");
        self.grow(i, room);
        if self.items[i].len > room {
            self.split(i, room);
        }
        let t = &mut self.items[i];
        if !t.retrans {
            t.retrans = true;
            self.retrans += t.bytes();
        }
        Some(t)
    }

    fn grow(&mut self, i: usize, room: u32) {
        let (t, next) = (&self.items[i], self.items.get(i + 1));
        let alike = next.is_some_and(|n| !n.sacked && n.lost == t.lost);
        if t.len >= room || t.flag != Flag::None || !alike {
            return;
        }
        let next = self.items.remove(i + 1).expect("next exists");
        let t = &mut self.items[i];
        if t.retrans != next.retrans {
            let marked = if t.retrans { t.bytes() } else { next.bytes() };
            self.retrans -= marked;
            t.retrans = false;
        }
        t.sent_at = t.sent_at.max(next.sent_at);
        t.len += next.len;
        t.flag = next.flag;
    }

    fn split(&mut self, i: usize, room: u32) {
        let whole = &mut self.items[i];
        let first = Item {
            len: room,
            flag: Flag::None,
            stamp: Stamp::default(),
            ..whole.clone()
        };
        whole.start += u64::from(room);
        whole.len -= room;
        self.items.insert(i, first);
    }
}
