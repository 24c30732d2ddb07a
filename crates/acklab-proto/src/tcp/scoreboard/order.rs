//! The list of outstanding records by latest transmission (Linux `tsorted_sent_queue`).

use super::Id;
use super::record::{NIL, Record};
use alloc::collections::VecDeque;

/// Ends of an intrusive doubly linked list through the ring's records.
#[derive(Clone, Debug)]
pub(super) struct TimeOrder {
    oldest: u32,
    newest: u32,
}

impl Default for TimeOrder {
    fn default() -> Self {
        Self {
            oldest: NIL,
            newest: NIL,
        }
    }
}

fn at(ring: &mut VecDeque<Record>, base: Id, id: Id) -> &mut Record {
    &mut ring[id.wrapping_sub(base) as usize]
}

/// The record sent after `r`.
pub(super) fn next_of(r: &Record) -> Option<Id> {
    (r.next != NIL).then_some(r.next)
}

impl TimeOrder {
    pub(super) fn oldest(&self) -> Option<Id> {
        (self.oldest != NIL).then_some(self.oldest)
    }

    pub(super) fn push_newest(&mut self, ring: &mut VecDeque<Record>, base: Id, id: Id) {
        let prev = self.newest;
        {
            let r = at(ring, base, id);
            r.prev = prev;
            r.next = NIL;
            r.set_listed(true);
        }
        if prev == NIL {
            self.oldest = id;
        } else {
            at(ring, base, prev).next = id;
        }
        self.newest = id;
    }

    /// Only for records whose time no longer matters (after an undo).
    pub(super) fn push_oldest(&mut self, ring: &mut VecDeque<Record>, base: Id, id: Id) {
        let next = self.oldest;
        {
            let r = at(ring, base, id);
            r.prev = NIL;
            r.next = next;
            r.set_listed(true);
        }
        if next == NIL {
            self.newest = id;
        } else {
            at(ring, base, next).prev = id;
        }
        self.oldest = id;
    }

    pub(super) fn remove(&mut self, ring: &mut VecDeque<Record>, base: Id, id: Id) {
        let (prev, next) = {
            let r = at(ring, base, id);
            if !r.is_listed() {
                return;
            }
            r.set_listed(false);
            (r.prev, r.next)
        };
        if prev == NIL {
            self.oldest = next;
        } else {
            at(ring, base, prev).next = next;
        }
        if next == NIL {
            self.newest = prev;
        } else {
            at(ring, base, next).prev = prev;
        }
    }
}
