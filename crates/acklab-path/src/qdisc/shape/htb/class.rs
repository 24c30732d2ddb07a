//! A class of a tree, and the packets that belong to it.

use super::super::bucket::Bucket;
use super::stats::Counters;
use crate::packet::Label;
use acklab_proto::registry::Params;
use acklab_units::{Instant, Rate};
use alloc::string::String;
use alloc::vec::Vec;

/// Levels of a tree, as in Linux (`TC_HTB_MAXDEPTH`). Leaves are on level 0, roots on the highest.
pub(crate) const LEVELS: usize = 8;
/// Priorities (`TC_HTB_NUMPRIO`).
pub(crate) const PRIORITIES: usize = 8;

/// What a class may do (`enum htb_cmode`), from the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mode {
    /// Its ceiling has no tokens.
    Stopped,
    /// It has none of its own.
    Borrows,
    /// It has tokens of its own.
    Sends,
}

/// A class.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub name: String,
    pub parent: Option<usize>,
    pub level: usize,
    rate: Bucket,
    ceil: Bucket,
    /// The mode as Linux has it in its books: worse than the tokens allow until an event is processed.
    /// It counts for [`Counters::overlimits`] only.
    noted: Mode,
    pub counters: Counters,
}

impl Class {
    /// With a rate of its own and a ceiling, and the bytes that may leave at once at each.
    pub fn new(
        name: String,
        (parent, level): (Option<usize>, usize),
        (rate, burst): (Rate, u64),
        (ceil, cburst): (Rate, u64),
    ) -> Self {
        Self {
            name,
            parent,
            level,
            rate: Bucket::new(rate, burst),
            ceil: Bucket::new(ceil, cburst),
            noted: Mode::Sends,
            counters: Counters::default(),
        }
    }

    /// Whether the ceiling lets something through.
    #[inline]
    pub fn may_send_at_all(&self, now: Instant) -> bool {
        self.ceil.clear() <= now
    }

    /// Whether it has tokens of its own.
    #[inline]
    pub fn has_own(&self, now: Instant) -> bool {
        self.rate.clear() <= now
    }

    /// From when on the ceiling lets something through.
    #[inline]
    pub fn may_send_from(&self) -> Instant {
        self.ceil.clear()
    }

    /// From when on it has tokens of its own.
    #[inline]
    pub fn has_own_from(&self) -> Instant {
        self.rate.clear()
    }

    /// Its own rate, and its ceiling.
    pub fn rates(&self) -> (Rate, Rate) {
        (self.rate.rate(), self.ceil.rate())
    }

    fn mode(&self, now: Instant) -> Mode {
        match (self.may_send_at_all(now), self.has_own(now)) {
            (false, _) => Mode::Stopped,
            (true, false) => Mode::Borrows,
            (true, true) => Mode::Sends,
        }
    }

    /// The events that are due at `now` are processed (`htb_do_events`). Tokens only come in, so the
    /// mode does not get worse.
    #[inline]
    pub fn process_events(&mut self, now: Instant) {
        if self.noted != Mode::Sends {
            self.noted = self.mode(now);
        }
    }

    /// When it may do more than its books say; never, if it may do anything.
    #[inline]
    pub fn next_event(&self) -> Instant {
        match self.noted {
            Mode::Stopped => self.may_send_from(),
            Mode::Borrows => self.has_own_from(),
            Mode::Sends => Instant::MAX,
        }
    }

    /// A packet leaves through it, on the account of the class on level `lender`: this one, or one below or
    /// above it.
    #[inline]
    pub fn charge(&mut self, now: Instant, size: u64, lender: usize) {
        let own = self.level >= lender;
        if own {
            self.rate.charge(now, size);
        }
        self.ceil.charge(now, size);
        let mode = self.mode(now);
        let shut = mode == Mode::Stopped && self.noted != Mode::Stopped;
        self.noted = mode;
        self.counters
            .on_sent(size, self.level == lender, !own, shut);
    }
}

/// Which packets belong to a class: those that have one of each kind of label that is listed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Match {
    flows: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    dscp: Vec<u32>,
}

/// The keys of a [`Match`].
pub(crate) const KEYS: [&str; 4] = ["flow", "from", "to", "dscp"];

impl Match {
    /// The parameters of a scenario.
    pub fn from_values(values: &Params) -> Self {
        let [flows, from, to, dscp] = KEYS.map(|key| values.numbers(key).to_vec());
        Self {
            flows,
            from,
            to,
            dscp,
        }
    }

    /// Whether a packet belongs to it. Both directions of a flow do.
    pub fn takes(&self, label: Label) -> bool {
        let one = |of: &[u32], it: u32| of.is_empty() || of.contains(&it);
        one(&self.flows, label.flow / 2)
            && one(&self.from, label.from)
            && one(&self.to, label.to)
            && one(&self.dscp, u32::from(label.dscp.value()))
    }
}
