//! Which station may transmit, and when: DCF and EDCA (IEEE 802.11-2020, 10.3.4 and 10.23.2), with slots counted
//! instead of simulated.
//!
//! Stations that hear the same transmissions share a [`Ground`]: they see the medium busy and idle
//! at the same instants, so one clock of idle slots serves all of them that wait for the same
//! interframe space. A contender is a number on that clock, the slot in which its backoff runs
//! out; nobody counts down. Busy and idle cost as much with one contender as with a thousand,
//! joining and winning the logarithm of their number.
//!
//! **Slot boundaries.** The first one lies an AIFS after the medium became idle, the others a slot
//! apart. Under [`SlotRule::Edca`] a contender does one thing at each boundary, transmit or
//! decrement, so the boundary at which somebody else begins to transmit counts too. Under
//! [`SlotRule::Dcf`] only a slot that stayed idle to its end counts. The difference is the one
//! between Bianchi's model, in which a busy slot is a slot like others, and its refinements.

mod ground;

pub use ground::SlotRule;

use acklab_units::{Instant, Span};
use alloc::vec::Vec;
use ground::Ground;

/// A contender, by the number under which it was added: one access category of one station.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Contender(pub u32);

/// Stations that hear the same, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct GroundId(pub u16);

/// The state of a contender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Has nothing to send; the backoff of its last transmission runs out at this slot.
    Resting(u64),
    /// Waits for its slot.
    Contending,
    /// Holds the medium, or waits for what becomes of its transmission.
    Transmitting,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    ground: GroundId,
    /// Number of the interframe space on its ground.
    class: u8,
    state: State,
}

/// All contenders of a medium.
#[derive(Debug)]
pub struct Contention {
    slot: Span,
    rule: SlotRule,
    grounds: Vec<Ground>,
    members: Vec<Member>,
}

impl Contention {
    /// Nobody contends on `grounds` grounds, all of them idle since time zero.
    pub fn new(slot: Span, rule: SlotRule, grounds: u16) -> Self {
        assert!(slot > Span::ZERO, "a slot lasts some time");
        Self {
            slot,
            rule,
            grounds: (0..grounds).map(|_| Ground::default()).collect(),
            members: Vec::new(),
        }
    }

    /// Adds a contender that waits for `aifs` on `ground`; it rests, its backoff run out.
    pub fn add(&mut self, ground: GroundId, aifs: Span) -> Contender {
        let class = self.grounds[usize::from(ground.0)].class(aifs);
        self.members.push(Member {
            ground,
            class,
            state: State::Resting(0),
        });
        Contender(self.members.len() as u32 - 1)
    }

    /// A resting contender has something to send. If its last backoff has run out and the medium is
    /// idle it transmits at the next boundary; if the medium is busy it takes a backoff of `draw`
    /// slots (10.23.2.4). Has no effect on a contender that does not rest; says whether it did.
    #[inline(always)]
    pub fn join(&mut self, now: Instant, who: Contender, draw: impl FnOnce() -> u32) -> bool {
        let member = self.members[who.0 as usize];
        let State::Resting(until) = member.state else {
            return false;
        };
        let ground = &mut self.grounds[usize::from(member.ground.0)];
        let next = ground.next_boundary(now, member.class, self.slot);
        let key = match ground.is_idle(now) || until > next {
            true => until.max(next),
            false => next + u64::from(draw()),
        };
        ground.push(member.class, key, who, self.slot);
        self.members[who.0 as usize].state = State::Contending;
        true
    }

    /// A transmitting contender is done and counts `slots` down; it contends if it `wants` to send
    /// more.
    #[inline(always)]
    pub fn back_off(&mut self, now: Instant, who: Contender, slots: u32, wants: bool) {
        let member = self.members[who.0 as usize];
        debug_assert_eq!(member.state, State::Transmitting, "{who:?}");
        let ground = &mut self.grounds[usize::from(member.ground.0)];
        let key = ground.next_boundary(now, member.class, self.slot) + u64::from(slots);
        self.members[who.0 as usize].state = if wants {
            ground.push(member.class, key, who, self.slot);
            State::Contending
        } else {
            State::Resting(key)
        };
    }

    /// As [`back_off`](Self::back_off) with more to send, for a contender that is not bound by what
    /// keeps the others of its ground waiting, or by more: until somebody transmits its boundaries
    /// lie at `start` and whole slots after it, those before `now` being lost. While somebody
    /// does, it waits as the others do.
    #[cold]
    pub fn back_off_from(&mut self, now: Instant, who: Contender, slots: u32, start: Instant) {
        let member = self.members[who.0 as usize];
        debug_assert_eq!(member.state, State::Transmitting, "{who:?}");
        let ground = &mut self.grounds[usize::from(member.ground.0)];
        if !ground.is_quiet() {
            return self.back_off(now, who, slots, true);
        }
        let late = now.saturating_since(start).as_nanos();
        let start = start + self.slot * late.div_ceil(self.slot.as_nanos());
        ground.push_apart(member.class, slots, who, start, self.slot);
        self.members[who.0 as usize].state = State::Contending;
    }

    /// A contender's frames are gone before its turn came.
    #[cold]
    pub fn withdraw(&mut self, who: Contender) {
        let member = self.members[who.0 as usize];
        if member.state == State::Contending {
            let ground = &mut self.grounds[usize::from(member.ground.0)];
            let key = ground.remove(member.class, who, self.slot);
            self.members[who.0 as usize].state = State::Resting(key);
        }
    }

    /// `who` waits for another interframe space from now on (MU EDCA parameters, 26.2.7). The rest of its
    /// backoff stays.
    #[cold]
    pub fn set_aifs(&mut self, now: Instant, who: Contender, aifs: Span) {
        let member = self.members[who.0 as usize];
        let slot = self.slot;
        let ground = &mut self.grounds[usize::from(member.ground.0)];
        let class = ground.class(aifs);
        let before = ground.next_boundary(now, member.class, slot);
        let after = ground.next_boundary(now, class, slot);
        let moved = |key: u64| after + key.saturating_sub(before);
        let state = match member.state {
            State::Contending => {
                let key = moved(ground.remove(member.class, who, slot));
                ground.push(class, key, who, slot);
                State::Contending
            }
            State::Resting(key) => State::Resting(moved(key)),
            State::Transmitting => State::Transmitting,
        };
        let member = &mut self.members[who.0 as usize];
        (member.class, member.state) = (class, state);
    }

    /// Whether `who` waits for its slot.
    pub fn contends(&self, who: Contender) -> bool {
        self.members[who.0 as usize].state == State::Contending
    }

    /// Whether anybody waits for a slot.
    pub fn is_contended(&self) -> bool {
        self.grounds.iter().any(Ground::is_contended)
    }

    /// The medium became busy for those of `ground`. No effect if it was.
    pub fn on_busy(&mut self, now: Instant, ground: GroundId) {
        self.grounds[usize::from(ground.0)].on_busy(now, self.slot, self.rule);
    }

    /// The medium is idle for those of `ground` from `since` on, which may lie ahead (a NAV). They
    /// wait for `extra` beside their interframe space (EIFS - DIFS after a frame that could not be
    /// read, 10.3.2.3.7). To be called again if any of this has changed.
    pub fn on_idle(&mut self, ground: GroundId, since: Instant, extra: Span) {
        self.grounds[usize::from(ground.0)].on_idle(since, extra, self.slot);
    }

    /// When the next contender may transmit, if nobody else does before.
    pub fn next_wakeup(&self) -> Option<Instant> {
        debug_assert!(self.grounds.iter().all(|g| g.is_up_to_date(self.slot)));
        self.grounds.iter().filter_map(Ground::next).min()
    }

    /// Appends the stations that transmit at `now` to `winners`, those of one ground in the order of
    /// their numbers. They are transmitting from now on. Their ground must be told that it is busy.
    #[inline(always)]
    pub fn grant(&mut self, now: Instant, winners: &mut Vec<Contender>) {
        for ground in &mut self.grounds {
            if ground.next().is_some_and(|at| at <= now) {
                let from = winners.len();
                ground.pop_due(now, self.slot, winners);
                winners[from..].sort_unstable();
                for who in &winners[from..] {
                    self.members[who.0 as usize].state = State::Transmitting;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
