//! Every flow's way through the network, one after the other in one table.

use acklab_path::packet::FlowId;

/// What a packet meets next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hop {
    /// The link of that number.
    Link(u32),
    /// The host at the end of the flow.
    End,
}

/// Marks the end of a route.
const END: u32 = u32::MAX;

/// The route table. A packet carries its position in it, so a hop is one look-up.
#[derive(Debug, Default)]
pub struct Routes {
    hops: Vec<u32>,
    /// Where the route of each flow direction starts.
    starts: Vec<u32>,
}

impl Routes {
    /// Adds the next flow direction's route.
    pub fn push(&mut self, links: &[usize]) {
        self.starts.push(self.hops.len() as u32);
        self.hops.extend(links.iter().map(|l| *l as u32));
        self.hops.push(END);
    }

    /// The position at which packets of `flow` start.
    #[inline]
    pub fn start(&self, flow: FlowId) -> u32 {
        self.starts[flow.0 as usize]
    }

    /// What is at `position`.
    #[inline]
    pub fn hop(&self, position: u32) -> Hop {
        match self.hops[position as usize] {
            END => Hop::End,
            link => Hop::Link(link),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_lie_one_behind_the_other() {
        let mut r = Routes::default();
        r.push(&[3, 1]);
        r.push(&[7]);
        let at = r.start(FlowId(1));
        assert_eq!((r.hop(at), r.hop(at + 1)), (Hop::Link(7), Hop::End));
        assert_eq!(r.hop(r.start(FlowId(0)) + 1), Hop::Link(1));
    }
}
