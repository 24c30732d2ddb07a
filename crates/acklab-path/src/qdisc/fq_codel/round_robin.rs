//! Deficit round robin with precedence for what has just become active (RFC 8290 section 4.2).
//!
//! Members wait in one of two lists. New ones come first; whoever has used up its deficit gets a
//! quantum more and goes to the end of the old ones. The lists are threaded through the members,
//! so that every step takes the same time however many there are.

const NIL: u32 = u32::MAX;

/// Where a member waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Place {
    /// In no list.
    #[default]
    Idle,
    /// Among those that have become active.
    New,
    /// Among the others.
    Old,
}

/// The properties of a member that the round needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// The bytes that it may still use in this round.
    pub deficit: i64,
    place: Place,
    next: u32,
}

impl Default for Turn {
    fn default() -> Self {
        Self::with_deficit(0)
    }
}

/// Whoever has turns.
pub(crate) trait Member {
    fn turn(&mut self) -> &mut Turn;
}

impl Member for Turn {
    fn turn(&mut self) -> &mut Turn {
        self
    }
}

impl Turn {
    /// In no list.
    pub fn with_deficit(deficit: i64) -> Self {
        Self {
            deficit,
            place: Place::Idle,
            next: NIL,
        }
    }

    /// Where it waits.
    #[cfg(test)]
    pub fn place(&self) -> Place {
        self.place
    }
}

#[derive(Clone, Copy, Debug)]
struct Chain {
    head: u32,
    tail: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            head: NIL,
            tail: NIL,
        }
    }
}

impl Chain {
    fn push<M: Member>(&mut self, members: &mut [M], i: u32, place: Place) {
        let turn = members[i as usize].turn();
        turn.place = place;
        turn.next = NIL;
        match self.tail {
            NIL => self.head = i,
            tail => members[tail as usize].turn().next = i,
        }
        self.tail = i;
    }

    fn pop<M: Member>(&mut self, members: &mut [M]) {
        self.head = members[self.head as usize].turn().next;
        if self.head == NIL {
            self.tail = NIL;
        }
    }
}

/// One round, of some of the members of a slice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundRobin {
    new: Chain,
    old: Chain,
}

impl RoundRobin {
    /// Whether nobody waits.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.new.head == NIL && self.old.head == NIL
    }

    /// A member becomes active, if it is not; with a `fresh` deficit, if one is given.
    #[inline]
    pub fn activate<M: Member>(&mut self, members: &mut [M], i: u32, fresh: Option<i64>) {
        let turn = members[i as usize].turn();
        if turn.place != Place::Idle {
            return;
        }
        turn.deficit = fresh.unwrap_or(turn.deficit);
        self.new.push(members, i, Place::New);
    }

    /// The member that has the turn. It stays first until its deficit is used up or it is dismissed.
    #[inline]
    pub fn first<M: Member>(&mut self, members: &mut [M], quantum: i64) -> Option<u32> {
        debug_assert!(quantum > 0);
        loop {
            let i = self.head()?;
            let turn = members[i as usize].turn();
            if turn.deficit > 0 {
                return Some(i);
            }
            turn.deficit += quantum;
            self.pop(members);
            self.old.push(members, i, Place::Old);
        }
    }

    /// The first has nothing to send. If it is new and others are old it goes to their end, lest it
    /// come back as new at once; otherwise it leaves (RFC 8290 section 4.2).
    pub fn dismiss<M: Member>(&mut self, members: &mut [M]) {
        let Some(i) = self.head() else { return };
        let was_new = self.new.head != NIL;
        self.pop(members);
        if was_new && self.old.head != NIL {
            self.old.push(members, i, Place::Old);
        } else {
            members[i as usize].turn().place = Place::Idle;
        }
    }

    /// The first goes to the end of the old ones, its deficit untouched.
    pub fn postpone<M: Member>(&mut self, members: &mut [M]) {
        let Some(i) = self.head() else { return };
        self.pop(members);
        self.old.push(members, i, Place::Old);
    }

    fn head(&self) -> Option<u32> {
        let head = if self.new.head == NIL {
            self.old.head
        } else {
            self.new.head
        };
        (head != NIL).then_some(head)
    }

    fn pop<M: Member>(&mut self, members: &mut [M]) {
        if self.new.head == NIL {
            self.old.pop(members);
        } else {
            self.new.pop(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Costs of 1, 2 and 4: over many rounds each uses the same.
    #[test]
    fn everybody_uses_the_same() {
        let mut members = [Turn::default(); 3];
        let mut round = RoundRobin::default();
        (0..3).for_each(|i| round.activate(&mut members, i, Some(0)));
        let (costs, mut used) = ([1i64, 2, 4], [0i64; 3]);
        for _ in 0..7000 {
            let i = round.first(&mut members, 4).unwrap() as usize;
            members[i].deficit -= costs[i];
            used[i] += costs[i];
        }
        let spread = used.iter().max().unwrap() - used.iter().min().unwrap();
        assert!(spread <= 8, "{used:?}");
    }

    #[test]
    fn new_ones_come_first_and_do_not_come_back_as_new() {
        let mut members = [Turn::default(); 3];
        let mut round = RoundRobin::default();
        round.activate(&mut members, 0, Some(1));
        assert_eq!(round.first(&mut members, 10), Some(0));
        members[0].deficit = 0;
        round.activate(&mut members, 1, Some(5));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let i = round.first(&mut members, 10).unwrap();
            seen.push((i, members[i as usize].place()));
            round.dismiss(&mut members);
        }
        // 0 had been new, used up its deficit, and was old when 1 was dismissed.
        assert_eq!(seen, [(1, Place::New), (0, Place::Old), (1, Place::Old)]);
        assert!(round.is_empty());
        assert!(members.iter().all(|m| m.place() == Place::Idle));
    }
}
