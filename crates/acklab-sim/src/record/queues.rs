//! How long packets wait in the queues of links.

use super::quantiles::{Distribution, Quantiles, Sampled};
use acklab_units::{Instant, Span};
use std::collections::VecDeque;

/// The records of one link.
#[derive(Clone, Debug, Default)]
struct Queue {
    samples: Quantiles,
    /// Departures, of which some may lie ahead.
    departures: VecDeque<(Instant, Span)>,
}

/// The queues of all links.
#[derive(Debug)]
pub(super) struct Queues {
    links: Vec<Queue>,
    sampled: Sampled,
    /// Somebody asks for the latest departure now and then.
    keeps_latest: bool,
}

impl Queues {
    pub(super) fn new(links: usize, sampled: Sampled, keeps_latest: bool) -> Self {
        Self {
            links: vec![Queue::default(); links],
            sampled,
            keeps_latest,
        }
    }

    /// A packet leaves the queue of `link` `at` that instant, which may lie ahead, after `sojourn`.
    #[inline]
    pub(super) fn on_left(&mut self, at: Instant, link: usize, sojourn: Span) {
        let q = &mut self.links[link];
        if self.sampled.contains(at) {
            q.samples.push(sojourn);
        }
        if self.keeps_latest {
            q.departures.push_back((at, sojourn));
        }
    }

    /// The sojourn of the packet that left last by `now`. Earlier departures are forgotten, so ask
    /// in the order of time.
    pub(super) fn latest(&mut self, link: usize, now: Instant) -> Option<Span> {
        let all = &mut self.links[link].departures;
        let behind = all.partition_point(|(at, _)| *at <= now);
        all.drain(..behind.saturating_sub(1));
        all.front().filter(|_| behind > 0).map(|d| d.1)
    }

    /// The distribution of the sojourns at `link`; `None` without samples.
    pub(super) fn summary(&mut self, link: usize) -> Option<Distribution> {
        self.links[link].samples.distribution()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departures_ahead_are_not_the_latest_yet() {
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        let sampled = Sampled {
            from: at(0),
            to: at(7),
        };
        let mut q = Queues::new(1, sampled, true);
        assert_eq!(q.latest(0, at(3)), None);
        for (ms, wait) in [(2, 0), (5, 3), (8, 6)] {
            q.on_left(at(ms), 0, Span::from_millis(wait));
        }
        assert_eq!(q.latest(0, at(6)), Some(Span::from_millis(3)));
        assert_eq!(q.latest(0, at(7)), Some(Span::from_millis(3)));
        assert_eq!(q.latest(0, at(8)), Some(Span::from_millis(6)));
        let s = q.summary(0).unwrap();
        assert_eq!(
            s.p99,
            Span::from_millis(3),
            "what begins after the end is left out"
        );
    }
}
