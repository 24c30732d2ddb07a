//! From links and channels to a network.

use super::queue::{EventQueue, Source};
use super::routes::Routes;
use super::{Air, Network, Store};
use crate::record::Observer;
use acklab_path::link::Link;
use acklab_path::wifi::medium::PortId;
use acklab_units::Instant;
use std::collections::VecDeque;

/// The parts of a network, all idle.
#[derive(Debug, Default)]
pub struct Parts {
    /// Its links, by number.
    pub links: Vec<Link>,
    /// Its radio channels, by number.
    pub media: Vec<Air>,
    /// Of each link the channel that it leads to, and the port there; empty without channels.
    pub ports: Vec<Option<(u32, PortId)>>,
}

impl<S: Store, O: Observer> Network<S, O> {
    /// A network at time zero without flows, whose driver has `sources` sources of events of its own,
    /// none of them pending.
    pub fn new(parts: Parts, sources: usize, store: S, observer: O) -> Self {
        let Parts {
            links,
            media,
            ports,
        } = parts;
        // Nearly all events of a run over radio are a channel's.
        let busiest = (!media.is_empty()).then_some(Source(links.len() as u32));
        let sources = links.len() + media.len() + sources;
        Self {
            now: Instant::ZERO,
            events: EventQueue::new(sources, busiest),
            links,
            media,
            ports,
            store,
            routes: Routes::default(),
            observer,
            hops: 0,
            drained: 0,
            arrived: VecDeque::new(),
        }
    }
}
