//! The event engine: one value per run, nothing global.
//!
//! A run is a [`Network`], the hosts between which it lies (a transport with its application each),
//! and a recorder. They wake at instants, in the one order of [`crate::network::queue`]: the engine
//! lets the network handle what is the network's, and asks whoever else was touched when it wants to
//! be woken again.
//!
//! A packet is a slot in the [`Arena`] and a descriptor of 16 bytes; nothing is allocated for it,
//! and nothing it meets is called through a pointer except filters and queue disciplines.

mod build;
#[cfg(test)]
mod cbr_tests;
#[cfg(test)]
mod disciplines_tests;
pub mod dumbbell;
#[cfg(test)]
mod duplicates_tests;
mod host;
mod hosts;
#[cfg(test)]
mod marks_tests;
#[cfg(test)]
mod pairs_tests;
#[cfg(test)]
mod places_tests;
pub mod saturation;
mod spoken;
mod tack;
#[cfg(test)]
mod tack_tests;
mod tcp;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod watching;
pub mod window;
pub mod wlan;

pub use build::{End, FlowSeeds};
pub use host::Host;
pub use hosts::Hosts;
pub use spoken::Spoken;
pub use tcp::origins;

use crate::app::data_flows_forward;
use crate::network::{Air, Arena, Network, Store, Turn};
use crate::plan::Plan;
use crate::record::{
    ClassSummary, MediumSummary, Nothing, Observer, Perf, Recorder, RunResult, Tape,
};
use acklab_path::packet::FlowId;
use acklab_proto::transport::Transport;
use acklab_units::{Instant, Span};
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

/// Events between two looks outside: well under a millisecond.
const EVENTS_PER_CHECK: u64 = 4096;

/// A look at a run from outside, every few thousand events.
pub trait Watch: fmt::Debug {
    /// Whether the run stops here; it has reached the virtual time `at`.
    fn stops(&self, at: Instant) -> bool;
}

/// A flag that stops a run once it is true.
impl Watch for AtomicBool {
    fn stops(&self, _: Instant) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// The run was stopped from outside before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted {
    /// Virtual time that had been reached.
    pub at: Instant,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted at {:?}", self.at)
    }
}

impl std::error::Error for Interrupted {}

/// Runs `plan` with the transports that its flows name.
///
/// # Errors
/// If `watch` stopped it before the end.
pub fn run(plan: &Plan, seed: u64, watch: &dyn Watch) -> Result<RunResult, Interrupted> {
    if plan.record.observes() || !tcp::is_alone(plan) {
        return run_with(plan, seed, watch, Spoken::new);
    }
    // Most runs: compiled for TCP, they ask no packet which transport it belongs to.
    Engine::new(plan, seed, tcp::end, Nothing).complete(plan, watch)
}

/// Runs `plan` with transports made by `make`, which is called for both ends of each flow.
///
/// # Errors
/// If `watch` stopped it before the end.
pub fn run_with<T: Transport>(
    plan: &Plan,
    seed: u64,
    watch: &dyn Watch,
    make: impl FnMut(End<'_>) -> T,
) -> Result<RunResult, Interrupted> {
    if plan.record.observes() {
        Engine::new(plan, seed, make, Tape::new(plan)).complete(plan, watch)
    } else {
        Engine::new(plan, seed, make, Nothing).complete(plan, watch)
    }
}

/// A run under way: a network, hosts, and a recorder that looks at both.
#[derive(Debug)]
pub struct Engine<T, O> {
    network: Network<Arena, O>,
    hosts: Hosts<T>,
    recorder: Recorder,
    perf: Perf,
}

impl<T: Transport, O: Observer> Engine<T, O> {
    fn complete(mut self, plan: &Plan, watch: &dyn Watch) -> Result<RunResult, Interrupted> {
        self.run(plan.stop, watch)?;
        Ok(self.finish(plan))
    }

    /// Handles every event up to and including `end`.
    ///
    /// # Errors
    /// If `watch` stopped it before that.
    pub fn run(&mut self, end: Instant, watch: &dyn Watch) -> Result<(), Interrupted> {
        while let Some(turn) = self.network.step(end, &mut self.hosts) {
            if let Turn::Driver(i) = turn {
                self.wake(i);
            }
            self.perf.events += 1;
            if self.perf.events.is_multiple_of(EVENTS_PER_CHECK) {
                self.look(watch)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn look(&self, watch: &dyn Watch) -> Result<(), Interrupted> {
        let at = self.network.now();
        if watch.stops(at) {
            return Err(Interrupted { at });
        }
        Ok(())
    }

    /// Draws up the results of a run that has reached its end.
    pub fn finish(mut self, plan: &Plan) -> RunResult {
        self.network.book_airtime();
        let (air, all) = (self.network.media(), self.network.links());
        let on_air: Vec<_> = feedback_airtime(plan, air).collect();
        let media = plan.media.iter().zip(air);
        let media = media.map(|(m, air)| MediumSummary::new(plan, m, &air.medium, all));
        let media = media.collect();
        let links = self.recorder.links(plan, &mut self.network);
        let (air, all) = (self.network.media(), self.network.links());
        let classes = ClassSummary::all(plan, all, air);
        let (hosts, observer) = (&self.hosts.0, self.network.observer_mut());
        let mut flows = self.recorder.flows(plan, hosts, observer);
        for (flow, time) in flows.iter_mut().zip(on_air) {
            flow.feedback_airtime = time;
        }
        self.network.check();
        self.perf.hops = self.network.hops();
        self.perf.data_packets = hosts.iter().map(|h| h.traffic.data_packets).sum();
        self.perf.peak_packets = self.network.store().places() as u64;
        self.perf.bytes_per_flow = self.bytes() / (hosts.len() as u64 / 2).max(1);
        RunResult {
            flows,
            links,
            media,
            classes,
            series: self.recorder.take_series(),
            records: self.network.into_observer().records(),
            perf: self.perf,
        }
    }

    /// Source number `i` beside the network's: the hosts, and then the recorder.
    #[inline]
    fn wake(&mut self, i: usize) {
        if i < self.hosts.0.len() {
            self.hosts.wake(&mut self.network, i);
        } else {
            self.wake_recorder(i);
        }
    }

    #[cold]
    fn wake_recorder(&mut self, i: usize) {
        let now = self.network.now();
        self.recorder
            .on_wakeup(now, &self.hosts.0, &mut self.network);
        self.network.wake_at(i, self.recorder.next_wakeup());
    }

    fn bytes(&self) -> u64 {
        let hosts = self.hosts.0.capacity() * size_of::<Host<T>>();
        (hosts + self.network.bytes()) as u64
    }
}

/// By flow: how long its acknowledgements were on the air, on all radio channels together.
fn feedback_airtime(plan: &Plan, media: &[Air]) -> impl Iterator<Item = Option<Span>> {
    (0..).zip(&plan.flows).map(|(i, flow)| {
        let back = FlowId(2 * i + u32::from(data_flows_forward(&flow.app)));
        let times = media.iter().map(|air| air.medium.feedback_airtime(back));
        (!media.is_empty()).then(|| times.sum())
    })
}
