//! Every flow's way through the network, one after the other in one table.
//!
//! A packet carries its position in the table. When a flow leaves, its packets go on, and find at the end
//! of their route that nobody waits for them; its stretch of the table is used again once no packet is
//! on it.

use acklab_path::packet::FlowId;
use std::collections::VecDeque;

/// The next hop of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hop {
    /// The link of that number.
    Link(u32),
    /// The host at the end of the flow.
    End,
    /// The end of a flow that has left.
    Gone,
}

/// Marks the end of a route.
const END: u32 = u32::MAX;
/// Marks the end of the route of a flow that has left.
const GONE: u32 = u32::MAX - 1;
/// The start of a flow direction that has no route.
const NOWHERE: u32 = u32::MAX;
/// Stretches of flows that have left are looked through when there are so many.
const LOOK_AT: usize = 64;

/// Where a route stands in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stretch {
    start: u32,
    links: u32,
}

/// The route table. A packet carries its position in it, so a hop is one look-up.
#[derive(Debug, Default)]
pub struct Routes {
    hops: Vec<u32>,
    /// Where the route of each flow direction starts.
    starts: Vec<u32>,
    /// Flow numbers to be given again, the one that became free first in front.
    numbers: VecDeque<u32>,
    /// Stretches of flows that have left, on which packets may be.
    left: Vec<Stretch>,
    /// When to look for those on which there are none.
    look_at: usize,
    /// Stretches that can be used again.
    free: Vec<Stretch>,
}

impl Routes {
    /// Adds a flow with the links of both directions, and returns its number. `positions` are those of
    /// all packets under way; they are needed only now and then.
    pub fn add<I: Iterator<Item = u32>>(
        &mut self,
        ways: [&[usize]; 2],
        positions: impl FnOnce() -> I,
    ) -> u32 {
        if self.left.len() >= self.look_at.max(LOOK_AT) {
            self.look_for_free(positions());
        }
        let number = self.numbers.pop_front().unwrap_or_else(|| {
            self.starts.extend([NOWHERE; 2]);
            self.starts.len() as u32 / 2 - 1
        });
        for (direction, links) in (2 * number as usize..).zip(ways) {
            self.starts[direction] = self.lay(links);
        }
        number
    }

    /// Removes a flow. Says whether there was one of that number.
    pub fn remove(&mut self, flow: u32) -> bool {
        let directions = [2 * flow as usize, 2 * flow as usize + 1];
        if !directions.iter().all(|d| self.is_known(*d)) {
            return false;
        }
        for direction in directions {
            let start = core::mem::replace(&mut self.starts[direction], NOWHERE);
            let route = &mut self.hops[start as usize..];
            let links = route.iter().position(|hop| *hop == END);
            let links = links.expect("a route has an end");
            route[links] = GONE;
            let links = links as u32;
            self.left.push(Stretch { start, links });
        }
        self.numbers.push_back(flow);
        true
    }

    /// Whether there is such a flow.
    pub fn has(&self, flow: FlowId) -> bool {
        self.is_known(flow.0 as usize)
    }

    /// The position at which packets of `flow` start.
    #[inline]
    pub fn start(&self, flow: FlowId) -> u32 {
        self.starts[flow.0 as usize]
    }

    /// The hop at `position`.
    #[inline]
    pub fn hop(&self, position: u32) -> Hop {
        match self.hops[position as usize] {
            link @ ..GONE => Hop::Link(link),
            GONE => Hop::Gone,
            END => Hop::End,
        }
    }

    fn is_known(&self, direction: usize) -> bool {
        self.starts.get(direction).is_some_and(|s| *s != NOWHERE)
    }

    /// Writes a route into the table and returns where it starts.
    fn lay(&mut self, links: &[usize]) -> u32 {
        let fits = |s: &Stretch| s.links as usize == links.len();
        let start = match self.free.iter().rposition(fits) {
            Some(i) => self.free.swap_remove(i).start as usize,
            None => {
                let start = self.hops.len();
                self.hops.resize(start + links.len() + 1, END);
                start
            }
        };
        let hops = links.iter().map(|l| *l as u32).chain([END]);
        for (place, hop) in self.hops[start..].iter_mut().zip(hops) {
            *place = hop;
        }
        start as u32
    }

    /// Finds out on which stretches of flows that have left there is no packet.
    fn look_for_free(&mut self, positions: impl Iterator<Item = u32>) {
        self.left.sort_unstable_by_key(|s| s.start);
        let mut used = vec![false; self.left.len()];
        for at in positions {
            let behind = self.left.partition_point(|s| s.start <= at);
            if let Some(i) = behind.checked_sub(1)
                && at - self.left[i].start <= self.left[i].links
            {
                used[i] = true;
            }
        }
        let (mut used, free) = (used.into_iter(), &mut self.free);
        self.left.retain(|stretch| {
            let keep = used.next() == Some(true);
            if !keep {
                free.push(*stretch);
            }
            keep
        });
        self.look_at = 2 * self.left.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::iter;

    fn none() -> iter::Empty<u32> {
        iter::empty()
    }

    #[test]
    fn routes_lie_one_behind_the_other() {
        let mut r = Routes::default();
        assert_eq!(r.add([&[3, 1], &[7]], none), 0);
        let at = r.start(FlowId(1));
        assert_eq!((r.hop(at), r.hop(at + 1)), (Hop::Link(7), Hop::End));
        assert_eq!(r.hop(r.start(FlowId(0)) + 1), Hop::Link(1));
    }

    #[test]
    fn who_has_left_is_waited_for_by_nobody_and_the_number_serves_again() {
        let mut r = Routes::default();
        let flows = [0, 1].map(|_| r.add([&[3, 1], &[7]], none));
        assert_eq!(flows, [0, 1]);
        let old = r.start(FlowId(2));
        assert!(r.remove(1) && !r.remove(1) && !r.remove(9));
        assert!(r.has(FlowId(1)) && !r.has(FlowId(2)) && !r.has(FlowId(3)));
        assert_eq!((r.hop(old + 1), r.hop(old + 2)), (Hop::Link(1), Hop::Gone));
        assert_eq!(r.add([&[5], &[6]], none), 1);
        assert_eq!(r.hop(r.start(FlowId(2))), Hop::Link(5));
        assert_eq!(r.hop(old + 2), Hop::Gone, "packets may still be on it");
    }

    #[test]
    fn stretches_serve_again_when_no_packet_is_on_them() {
        let mut r = Routes::default();
        let first = r.add([&[3, 1], &[7]], none);
        let old = r.start(FlowId(0));
        r.remove(first);
        for n in 0..10_000 {
            // One packet stays on the first route, at its second link.
            let flow = r.add([&[n % 9, 1], &[7]], || iter::once(old + 1));
            assert!(r.start(FlowId(2 * flow)) != old);
            assert_eq!(r.hop(r.start(FlowId(2 * flow)) + 2), Hop::End);
            r.remove(flow);
        }
        assert_eq!((r.hop(old + 1), r.hop(old + 2)), (Hop::Link(1), Hop::Gone));
        assert!(r.hops.len() < 5 * LOOK_AT, "{}", r.hops.len());
    }
}
