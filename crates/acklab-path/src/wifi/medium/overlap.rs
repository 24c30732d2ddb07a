//! How overlapping PPDUs spoil each other for their readers.
//!
//! A receiver reads the PPDU whose preamble it has heard alone. Another one that begins meanwhile is
//! noise to it: it takes the MPDUs of an A-MPDU that it overlaps, each of which has its own delimiter
//! and FCS (9.7.1), and leaves those before and after. A PPDU with one FCS for all of it, or hit in
//! its preamble, is gone. So is the PPDU that came second: who did not hear its preamble cannot join
//! later. A radio that sends reads nothing, and gives up what it was reading.

use super::Ppdu;
use acklab_units::{Instant, Span};

/// A PPDU on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub ppdu: Ppdu,
    /// When its preamble and PHY header are over.
    pub body: Instant,
    /// When the first part of it is over that can be read for itself; its end if it has no parts.
    pub first: Instant,
    /// Its receiver does not detect the preamble, and so begins no reception
    /// ([`super::air::Air::is_heard`]).
    pub unheard: bool,
    /// The damage by others.
    pub overlap: Overlap,
    /// The transmission that it is a part of.
    pub part: Part,
}

/// Where a PPDU belongs in a transmission of several users.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Part {
    /// Number of that transmission; 0: it is of one user.
    pub bundle: u32,
    /// Number of its resource unit.
    pub unit: u16,
}

impl Part {
    /// Not a part of anything.
    pub const WHOLE: Self = Self { bundle: 0, unit: 0 };

    /// Whether it is a part of a transmission of several users.
    pub fn is_one(self) -> bool {
        self.bundle != 0
    }

    /// Whether the receiver tells it from `other`, which is on the air at the same time, because they have
    /// resource units of their own.
    pub fn is_beside(self, other: Self) -> bool {
        self.is_one() && self.bundle == other.bundle && self.unit != other.unit
    }
}

impl Flight {
    /// Whether it has parts that can be read each for itself.
    pub fn is_parted(&self) -> bool {
        self.first < self.ppdu.end
    }

    /// That part of `span` which its sender spends on it, who may send to several users at once.
    pub fn share(&self, span: Span) -> Span {
        let Ppdu { user, users, .. } = self.ppdu;
        if users <= 1 || !self.is_shared() {
            return span;
        }
        let upto = |n: u16| span.mul_div(u64::from(n), u64::from(users));
        upto(user + 1) - upto(user)
    }

    /// Whether its sender sends the other parts, too.
    fn is_shared(&self) -> bool {
        self.part.is_one() && self.ppdu.from == self.ppdu.holder
    }

    /// Others are `heard` beside it by its receiver from `now` on, or are not. `deaf`: that one cannot
    /// go on reading, even when they are over.
    pub fn meet(&mut self, now: Instant, heard: bool, deaf: bool) {
        self.overlap.turn(now, heard);
        let whole = now < self.body || !self.is_parted();
        self.ppdu.garbled |= deaf || (heard && whole);
    }

    /// The uses that it is booked as at `now`: time in which its receiver could not read it, and the rest.
    pub fn spent(&self, now: Instant) -> (Span, Span) {
        let all = now - self.ppdu.start;
        let spoilt = if self.ppdu.garbled {
            all
        } else {
            self.overlap.lasted(now)
        };
        (spoilt, all - spoilt)
    }
}

/// When others kept the receiver of a PPDU from reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overlap {
    /// Since when they do.
    since: Option<Instant>,
    /// When they last did.
    until: Instant,
    /// How long they did, up to then.
    total: Span,
}

impl Overlap {
    /// Whether they do now.
    pub fn lasts(&self) -> bool {
        self.since.is_some()
    }

    /// Whether they ever did.
    pub fn is_any(&self) -> bool {
        self.lasts() || !self.total.is_zero()
    }

    /// How long they did up to `now`.
    pub fn lasted(&self, now: Instant) -> Span {
        self.total + self.since.map_or(Span::ZERO, |since| now - since)
    }

    /// Whether they did at some time after `from` and before `until`, which has just come. Only for
    /// spans of which each begins where the last one ended, or later.
    pub fn hits(&self, from: Instant, until: Instant) -> bool {
        self.since.is_some_and(|since| since < until) || self.until > from
    }

    fn turn(&mut self, now: Instant, heard: bool) {
        match (self.since, heard) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.total += now - since;
                (self.since, self.until) = (None, now);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_two_overlaps_is_not_hit() {
        let at = Instant::from_nanos;
        let mut o = Overlap::default();
        assert!(!o.is_any() && !o.hits(at(0), at(10)));
        o.turn(at(10), true);
        assert!(o.lasts() && o.hits(at(5), at(11)));
        assert!(!o.hits(at(5), at(10)), "it begins where the span ends");
        o.turn(at(12), true);
        o.turn(at(20), false);
        assert!(o.hits(at(15), at(25)) && !o.hits(at(20), at(30)));
        o.turn(at(30), true);
        assert!(!o.hits(at(20), at(30)) && o.hits(at(20), at(31)));
        assert_eq!(o.lasted(at(34)), Span::from_nanos(14));
        o.turn(at(40), false);
        assert_eq!((o.lasted(at(50)), o.is_any()), (Span::from_nanos(20), true));
    }
}
