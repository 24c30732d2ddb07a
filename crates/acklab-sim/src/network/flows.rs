//! Flows join a network and leave it, also while packets are on their way.

use super::{Network, Store};
use crate::record::Observer;
use acklab_path::packet::{FlowId, Packet};

impl<S: Store, O: Observer> Network<S, O> {
    /// Adds a flow that crosses these links there and back, and returns its number f: packets there are
    /// of flow direction 2f, those back of 2f + 1. On radio channels both have access category number 0
    /// ([`Network::categorise`]).
    ///
    /// The number of a flow that has left is given again, of several the one that has been free longest.
    /// ACK filters keep their state of the flow that had it before until the SYN of the next.
    ///
    /// # Panics
    /// If a direction crosses no link, or one that there is not.
    pub fn add_flow(&mut self, there: &[usize], back: &[usize]) -> u32 {
        let ways = [there, back];
        for way in ways {
            assert!(!way.is_empty(), "a flow crosses at least one link");
            let known = way.iter().all(|link| *link < self.links.len());
            assert!(
                known,
                "of {} links no flow crosses {way:?}",
                self.links.len()
            );
        }
        let store = &self.store;
        let flow = self.routes.add(ways, || store.positions());
        for direction in [2 * flow, 2 * flow + 1] {
            self.categorise(FlowId(direction), 0);
        }
        flow
    }

    /// Removes a flow. Its packets on the way go on to where they were going, take room and time as any
    /// packet does, and are gone then. Says whether there was a flow of that number.
    pub fn remove_flow(&mut self, flow: u32) -> bool {
        self.routes.remove(flow)
    }

    /// Whether packets of that flow direction can enter.
    pub fn has_flow(&self, flow: FlowId) -> bool {
        self.routes.has(flow)
    }

    /// Packets of that flow direction have access category number `category` on all radio channels.
    pub fn categorise(&mut self, flow: FlowId, category: u8) {
        for air in &mut self.media {
            air.categorise(flow, category);
        }
    }

    /// Packets of flow number `flow` have the access categories on each radio channel that those of flow
    /// number `like` have there.
    pub fn categorise_like(&mut self, flow: u32, like: u32) {
        for air in &mut self.media {
            for back in [0, 1] {
                let category = air.category_of(FlowId(2 * like + back));
                air.categorise(FlowId(2 * flow + back), category);
            }
        }
    }

    /// Packets that have arrived after their flow had left.
    pub fn drained(&self) -> u64 {
        self.drained
    }

    /// A packet has arrived for which nobody waits any more.
    #[cold]
    pub(super) fn drain(&mut self, packet: Packet) {
        self.drained += 1;
        self.store.take(packet);
    }
}
