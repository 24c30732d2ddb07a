//! Which mode to try besides the best ones (Linux commit 80d55154b2f8, "significantly redesign the
//! rate probing strategy").

use super::stats::{SURE, Table};
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::Span;
use alloc::vec::Vec;
use core::ops::Range;

/// The purpose of a probe.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A step up: the first mode of the next group that is faster than the fastest in use.
    Increment,
    /// A leap: any mode of the next group that is faster than all in use.
    Jump,
    /// A mode between those in use, to close the distance between them.
    Slow,
}

/// Of six probes three are steps, two leaps, one is slow.
const SEQUENCE: [Kind; 6] = [
    Kind::Increment,
    Kind::Jump,
    Kind::Increment,
    Kind::Jump,
    Kind::Increment,
    Kind::Slow,
];

/// Decides what is tried next. A mode is tried at most once between two updates.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    /// Modes that share streams, width and guard interval stand together.
    groups: Vec<Range<usize>>,
    /// The group that was last probed, and the place in the sequence.
    group: usize,
    turn: usize,
    rng: Rng,
}

impl Sampler {
    pub fn new(table: &Table, rng: Rng) -> Self {
        let kin = |i: usize| {
            let mode = table.mode(i);
            (mode.streams(), mode.width(), mode.guard())
        };
        let mut groups: Vec<Range<usize>> = Vec::new();
        for i in 0..table.len() {
            match groups.last_mut() {
                Some(group) if kin(group.start) == kin(i) => group.end = i + 1,
                _ => groups.push(i..i + 1),
            }
        }
        Self {
            groups,
            group: 0,
            turn: 0,
            rng,
        }
    }

    /// The mode to try now: the next kind in the sequence for which there is one.
    pub fn next(&mut self, table: &Table) -> Option<usize> {
        for _ in 0..SEQUENCE.len() {
            let kind = SEQUENCE[self.turn];
            self.turn = (self.turn + 1) % SEQUENCE.len();
            let found = match kind {
                Kind::Increment => self.increment(table),
                Kind::Jump => self.jump(table),
                Kind::Slow => slow(table),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn increment(&mut self, table: &Table) -> Option<usize> {
        let limit = table.airtime(table.best().fastest);
        self.next_group(|group, _| {
            group
                .filter(|i| is_candidate(table, *i, limit))
                .max_by_key(|i| table.airtime(*i))
        })
    }

    fn jump(&mut self, table: &Table) -> Option<usize> {
        let limit = in_use(table).into_iter().min()?;
        self.next_group(|group, rng| {
            let faster = || group.clone().filter(|i| is_candidate(table, *i, limit));
            let n = faster().count() as u64;
            let drawn = rng.next_u64().checked_rem(n)?;
            faster().nth(drawn as usize)
        })
    }

    /// The mode that `pick` finds in the first group, from the one after the last, in which it finds
    /// something.
    fn next_group(
        &mut self,
        mut pick: impl FnMut(Range<usize>, &mut Rng) -> Option<usize>,
    ) -> Option<usize> {
        for _ in 0..self.groups.len() {
            self.group = (self.group + 1) % self.groups.len();
            let found = pick(self.groups[self.group].clone(), &mut self.rng);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Airtimes of the modes in use.
fn in_use(table: &Table) -> [Span; 3] {
    let best = table.best();
    [best.fastest, best.second, best.surest].map(|i| table.airtime(i))
}

/// Whether a mode is faster than `limit` and was not tried since the last update.
fn is_candidate(table: &Table, index: usize, limit: Span) -> bool {
    table.airtime(index) < limit && !table.is_fresh(index)
}

/// The fastest mode between the modes in use that is not known to be sure.
fn slow(table: &Table) -> Option<usize> {
    let used = in_use(table);
    let (fast, slow) = (used.into_iter().min()?, used.into_iter().max()?);
    (0..table.len())
        .filter(|i| is_candidate(table, *i, slow) && table.airtime(*i) > fast)
        .filter(|i| table.probability(*i).is_none_or(|p| p <= SURE))
        .min_by_key(|i| table.airtime(*i))
}
