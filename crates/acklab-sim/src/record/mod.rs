//! The results of a run: a summary per flow and per link, what the plan asked to keep, and what
//! the run cost.

mod acks;
mod classes;
mod delays;
mod events;
mod frames;
mod log;
mod mean;
mod media;
mod observer;
pub mod packets;
mod quantiles;
mod queues;
mod recorder;
mod reports;
mod scene;
mod series;
mod summary;
mod tamed;
mod tape;

pub use acks::{AckEvent, AckRecord};
pub use classes::ClassSummary;
pub use delays::DelaySummary;
pub use events::{EventKind, EventRecord};
pub use frames::{Content, Mpdu, Sighting, Sightings};
pub use mean::TimeMean;
pub use media::{MediumSummary, PpduRecord, StationSummary};
pub use observer::{LinkFact, News, Nothing, Observer, Stimulus, Told};
pub use quantiles::{Distribution, Quantiles};
pub use recorder::Recorder;
pub use reports::ReportRecord;
pub use scene::{FlowEnd, Scene, Traffic};
pub use series::{FlowSample, FlowSeries, LinkSeries, Passed, Series};
pub use summary::{DatagramSummary, FlowSummary, LinkSummary, WindowSamples};
pub use tape::{Records, Tape};

/// The result of a run. The same plan and seed give the same value.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Flows, in the order of the plan.
    pub flows: Vec<FlowSummary>,
    /// Links, in the order of the plan.
    pub links: Vec<LinkSummary>,
    /// Radio channels, in the order of the plan.
    pub media: Vec<MediumSummary>,
    /// Tins and classes of queue disciplines: of links, then of stations on radio channels.
    pub classes: Vec<ClassSummary>,
    /// Time series; empty unless the plan asked for them.
    pub series: Series,
    /// The recorded events; empty unless the plan asked for it.
    pub records: Records,
    /// The cost of the run.
    pub perf: Perf,
}

/// The cost of a run, in units that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perf {
    /// Events handled.
    pub events: u64,
    /// Packets handed over at the far end of a link.
    pub hops: u64,
    /// Packets with payload that were sent.
    pub data_packets: u64,
    /// Most packets under way at once.
    pub peak_packets: u64,
    /// Bytes of the engine's own memory at the end, per flow: hosts, packets, events. Memory that
    /// transports allocate comes on top.
    pub bytes_per_flow: u64,
}
