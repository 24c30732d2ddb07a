//! Filters that stand at one place, one above the other.
//!
//! There are two kinds, and room for one of each. One decides *before* the queue: it may hold an
//! acknowledgement, and drops what it held. The other looks *into* the queue behind it and takes
//! victims from there. An acknowledgement meets the first kind first; what that lets go meets the
//! second as if it had come at that instant, and joins the queue with nothing in between.
//!
//! Combinations that cannot be, and why:
//!
//! * Two that decide before the queue. Each waits for acknowledgements that the other keeps, so that
//!   no timer and no count means what it says.
//! * Two that look into the queue. Each has a rule of its own for which of two acknowledgements stays
//!   and where, and would look for ones that the other has taken away.
//! * One that looks into the queue above one that decides before it. Acknowledgements that it let
//!   pass are not in the queue but held, where it finds nothing.

use super::{AckFilter, FilterStats, Verdict};
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A filter with a buffer for its verdicts.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) filter: Box<dyn AckFilter>,
    pub(crate) verdicts: Vec<Verdict>,
}

impl Stage {
    fn new(filter: Box<dyn AckFilter>) -> Self {
        Self {
            filter,
            verdicts: Vec::new(),
        }
    }
}

/// The filters of one place; perhaps none.
#[derive(Debug, Default)]
pub struct Chain {
    /// Decides before the queue.
    pub(crate) before: Option<Stage>,
    /// Looks into the queue.
    pub(crate) inside: Option<Stage>,
}

/// Why two filters cannot stand at one place in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clash {
    /// Both decide before the queue.
    BothBefore,
    /// Both look into the queue.
    BothInside,
    /// The upper one looks into the queue and the lower one decides before it.
    Upside,
}

/// Two filters that contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// Number of the upper one in the list, from zero.
    pub upper: usize,
    /// Number of the lower one.
    pub lower: usize,
    /// Kind of the mistake.
    pub clash: Clash,
}

impl Chain {
    /// The filters in the order in which an acknowledgement meets them.
    ///
    /// # Errors
    ///
    /// The first two that cannot stand together.
    pub fn new(
        filters: impl IntoIterator<Item = Box<dyn AckFilter>>,
    ) -> Result<Self, Contradiction> {
        let (mut chain, mut at) = (Self::default(), [0; 2]);
        for (lower, filter) in filters.into_iter().enumerate() {
            let looks = filter.watches_queue();
            let clash = match (looks, &chain.before, &chain.inside) {
                (false, _, Some(_)) => Some((at[1], Clash::Upside)),
                (false, Some(_), None) => Some((at[0], Clash::BothBefore)),
                (true, _, Some(_)) => Some((at[1], Clash::BothInside)),
                (_, _, None) => None,
            };
            if let Some((upper, clash)) = clash {
                return Err(Contradiction {
                    upper,
                    lower,
                    clash,
                });
            }
            at[usize::from(looks)] = lower;
            let place = if looks {
                &mut chain.inside
            } else {
                &mut chain.before
            };
            *place = Some(Stage::new(filter));
        }
        Ok(chain)
    }

    /// Whether there is no filter.
    pub fn is_empty(&self) -> bool {
        self.before.is_none() && self.inside.is_none()
    }

    /// Whether one of them looks into the queue; see [`AckFilter::watches_queue`].
    pub fn watches_queue(&self) -> bool {
        self.inside.is_some()
    }

    /// Counters of each, in the order in which an acknowledgement meets them.
    pub fn members(&self) -> impl Iterator<Item = FilterStats> {
        let stages = [&self.before, &self.inside].into_iter().flatten();
        stages.map(|s| s.filter.stats())
    }

    /// Counters of all together: what came to the first and went on from the last.
    pub fn stats(&self) -> FilterStats {
        let mut members = self.members();
        let first = members.next().unwrap_or_default();
        let Some(last) = members.next() else {
            return first;
        };
        debug_assert!(first.forwarded >= last.seen, "seen and never let go");
        FilterStats {
            seen: first.seen,
            forwarded: first.forwarded - last.dropped - u64::from(last.held),
            dropped: first.dropped + last.dropped,
            dropped_queued: first.dropped_queued + last.dropped_queued,
            held: first.held + last.held,
            timer_releases: first.timer_releases + last.timer_releases,
        }
    }

    /// When the timer of the one before the queue must be called; one that looks into the queue
    /// has none.
    #[inline]
    pub(crate) fn next_wakeup(&self) -> Option<Instant> {
        self.before.as_ref()?.filter.next_wakeup()
    }

    /// The one that must hear of what leaves the queue.
    pub(crate) fn watcher(&mut self) -> Option<&mut Box<dyn AckFilter>> {
        self.inside.as_mut().map(|s| &mut s.filter)
    }
}

impl From<Option<Box<dyn AckFilter>>> for Chain {
    fn from(filter: Option<Box<dyn AckFilter>>) -> Self {
        let stage = filter.map(Stage::new);
        let (inside, before) = match stage {
            Some(s) if s.filter.watches_queue() => (Some(s), None),
            other => (None, other),
        };
        Self { before, inside }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::build;
    use super::super::{aggregate, android, cake, tac};
    use super::*;
    use acklab_proto::registry::Value;

    fn chain(entries: &[&'static acklab_proto::registry::Entry<super::super::Build>]) -> Shape {
        let filters: Vec<_> = entries.iter().map(|e| build(e, &[])).collect();
        Chain::new(filters).map(|c| (c.before.is_some(), c.inside.is_some()))
    }

    type Shape = Result<(bool, bool), Contradiction>;

    fn clash(upper: usize, lower: usize, clash: Clash) -> Shape {
        Err(Contradiction {
            upper,
            lower,
            clash,
        })
    }

    #[test]
    fn one_of_each_kind_has_room() {
        assert_eq!(chain(&[]), Ok((false, false)));
        for before in [&tac::ENTRY, &tac::PAPER, &aggregate::ENTRY, &android::ENTRY] {
            assert_eq!(chain(&[before]), Ok((true, false)));
            for inside in [&cake::ENTRY, &android::replace::ENTRY] {
                assert_eq!(chain(&[inside]), Ok((false, true)));
                assert_eq!(chain(&[before, inside]), Ok((true, true)));
                let upside = clash(0, 1, Clash::Upside);
                assert_eq!(chain(&[inside, before]), upside);
            }
        }
    }

    #[test]
    fn two_of_a_kind_have_not() {
        let both = clash(0, 1, Clash::BothBefore);
        assert_eq!(chain(&[&tac::ENTRY, &tac::ENTRY]), both);
        assert_eq!(chain(&[&aggregate::ENTRY, &android::ENTRY]), both);
        let both = clash(0, 1, Clash::BothInside);
        assert_eq!(chain(&[&cake::ENTRY, &android::replace::ENTRY]), both);
        let third = [&tac::ENTRY, &cake::ENTRY, &android::replace::ENTRY];
        assert_eq!(chain(&third), clash(1, 2, Clash::BothInside));
        let third = [&tac::ENTRY, &cake::ENTRY, &tac::PAPER];
        assert_eq!(chain(&third), clash(1, 2, Clash::Upside));
    }

    /// A filter that is set to hold nothing keeps its place: a sweep over its timer is not an error
    /// at some of its values and none at others.
    #[test]
    fn the_kind_does_not_depend_on_parameters() {
        let still = build(
            &tac::ENTRY,
            &[("timeout", Value::Span(acklab_units::Span::ZERO))],
        );
        let two = [still, build(&aggregate::ENTRY, &[])];
        let clash = Chain::new(two).map_err(|c| c.clash).err();
        assert_eq!(clash, Some(Clash::BothBefore));
    }
}
