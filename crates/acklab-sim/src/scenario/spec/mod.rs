//! The scenario language as serde structs.
//!
//! Every key is optional here; defaults, and what may stand beside what, are [`super::resolve`]'s
//! business. The doc comments are the descriptions in the published JSON Schema.

#[macro_use]
mod words;

#[macro_use]
mod choice;
mod expect;
mod flow;
mod link;
mod lists;
mod quantity;
mod record;
mod tcp;
mod topology;
mod wifi;
mod wifi_addba;
mod wifi_arp;
mod wifi_blocks;
mod wifi_edca;
mod wifi_ofdma;
mod wifi_space;
mod wifi_words;

pub(crate) use choice::{
    AckSpec, CcSpec, Choice, FiltersSpec, Given, QdiscSpec, Scalar, TransportSpec,
};
pub(crate) use expect::{Bounds, ExpectSpec, FlowExpect, LinkExpect};
pub(crate) use flow::{
    AppSpec, BulkSpec, FlowSpec, OnOffSpec, RequestResponseSpec, VideoSpec, WhenFullWord,
};
pub(crate) use link::{
    DetourSpec, DirectionSpec, GilbertElliottSpec, JitterSpec, LinkSpec, LossModel, LossPlaceWord,
    LossSpec, OutageSpec, PausesSpec, PresetLinkSpec, QuantilesSpec, RateSpec,
};
pub(crate) use quantity::{DscpSpec, GuardTime, OneOrMany, OrNone, OrOff, Probability, Qty};
pub(crate) use record::{RecordSpec, TapsSpec};
pub(crate) use tcp::{
    BufferSpec, CompressionSpec, EcnWord, EstimatorSpec, LossDetectionWord, PacingWord,
    ProfileWord, ReductionWord, RttSamplesWord, TcpSpec,
};

pub(crate) use topology::{NodeSpec, Preset, ServersWord, TopologySpec, WayWord};
pub(crate) use wifi::{SideKeys, WayKeys, WifiSideSpec, WifiSpec, WifiStationSpec};
pub(crate) use wifi_addba::{AddbaSpec, AddbaTable};
pub(crate) use wifi_arp::{ArpSpec, ArpTable};
pub(crate) use wifi_blocks::{
    FadingSpec, HackSpec, HackTable, PathLossSpec, RateControlSpec, StationQueueSpec,
};
pub(crate) use wifi_edca::{EdcaParams, EdcaSpec};
pub(crate) use wifi_ofdma::{
    AnswersWord, MuEdcaTable, OfdmaSpec, OfdmaTable, RandomAccessTable, RandomFrames,
    RandomFramesWord, SchedulerWord,
};
pub(crate) use wifi_space::{
    CaptureSpec, PlaceSpec, PlaceTable, RadioSpec, SpaceSpec, WaypointSpec,
};
pub(crate) use wifi_words::{
    AfterSilenceWord, BandWord, CategoryWord, CountsWord, DurationsWord, EdcaDefaultsWord,
    ErrorsWord, MissedWord, Preamble, PreambleWord, Protection, ProtectionWord, SlotsWord,
    Standard, WidthWord,
};

use acklab_units::Span;
use schemars::JsonSchema;
use serde::Deserialize;

/// A scenario: a network, the flows on it, and what is expected of them.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
#[schemars(
    title = "acklab scenario",
    extend("required" = ["duration", "flow"]),
    extend("anyOf" = [{ "required": ["topology"] }, { "required": ["link"] }, { "required": ["wifi"] }]),
    extend("allOf" = [wifi::members()]),
    extend("not" = {
        "properties": { "sample_every": { "not": { "const": "off" } }, "record": { "required": ["every"] } },
        "required": ["sample_every", "record"],
    })
)]
pub(crate) struct Spec {
    /// Name of the scenario; it names result folders. Default: the file's, without suffix.
    #[schemars(length(min = 1))]
    pub(crate) name: Option<String>,
    /// A description for people.
    pub(crate) description: Option<String>,
    /// Length of the measured interval; the run ends at `start + duration`.
    pub(crate) duration: Option<Qty<Span>>,
    /// When measuring begins, and flows that do not say otherwise start. Default: "0 s".
    pub(crate) start: Option<Qty<Span>>,
    /// Means of sampled quantities (RTT, window) leave out this much after `start`. Default: "0 s".
    pub(crate) warmup: Option<Qty<Span>>,
    /// Another name for `record.every`.
    pub(crate) sample_every: Option<OrOff<Span>>,
    /// Root of all random draws. Default: 1.
    pub(crate) seed: Option<u64>,
    /// A preset network. Use `node` and `link` instead of it, or to extend it.
    pub(crate) topology: Option<TopologySpec>,
    /// Nodes.
    #[serde(deserialize_with = "lists::nodes")]
    pub(crate) node: Vec<NodeSpec>,
    /// Links between nodes; each is two directions.
    #[serde(deserialize_with = "lists::links")]
    pub(crate) link: Vec<LinkSpec>,
    /// Radio channels with an access point and its stations; a single one may be a table.
    pub(crate) wifi: Option<OneOrMany<WifiSpec>>,
    /// TCP settings of every flow.
    pub(crate) tcp: TcpSpec,
    /// Flows.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "lists::flows")]
    pub(crate) flow: Vec<FlowSpec>,
    /// The records of a run.
    pub(crate) record: RecordSpec,
    /// Bounds that a run must keep.
    pub(crate) expect: ExpectSpec,
}
