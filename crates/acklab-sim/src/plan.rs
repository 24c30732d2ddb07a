//! A resolved scenario: what the engine builds a run from.
//!
//! Everything is decided here: units parsed, defaults filled in, names turned into indices,
//! routes computed. A plan that exists can be run; nothing about it can be the user's mistake.

use acklab_path::impair::{Detour, LossPlace};
use acklab_path::link::trace::Trace;
use acklab_path::wifi::medium::{AccessCategory, MediumConfig, StationId};
use acklab_proto::cbr;
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Entry, Params};
use acklab_proto::rtp;
use acklab_proto::tack::{self, TackConfig};
use acklab_proto::tcp::TcpConfig;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_units::{Instant, Rate, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// A run, ready to be built. One seed away from being deterministic.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario.
    pub name: String,
    /// Names of the nodes; links and flows refer to them by index.
    pub nodes: Vec<String>,
    /// Unidirectional links.
    pub links: Vec<LinkPlan>,
    /// Radio channels that some of the links are ports of.
    pub media: Vec<MediumPlan>,
    /// Flows.
    pub flows: Vec<FlowPlan>,
    /// When the run ends.
    pub stop: Instant,
    /// Averages are taken from here to `stop`; goodput too.
    pub measure_from: Instant,
    /// The records beside the summaries.
    pub record: RecordPlan,
    /// Means of sampled quantities (cwnd, RTT) count samples from here on, 100 ms apart.
    pub warmup: Instant,
}

/// The records of a run beside the summaries; by default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordPlan {
    /// Distance of the samples of the time series; `None` = no series.
    pub every: Option<Span>,
    /// The events of the senders.
    pub events: bool,
    /// The lives of acknowledgements.
    pub acks: bool,
    /// One-way delay of data and its jitter.
    pub delays: bool,
    /// Sojourn times in the queues.
    pub queues: bool,
    /// The events of packets, and where; `None` = nothing.
    pub packets: Option<TapPlan>,
    /// The PPDUs of radio channels.
    pub ppdus: bool,
    /// Their content.
    pub frames: bool,
    /// The part of the run of which single events, acknowledgements, packets, PPDUs and frames are kept.
    pub within: Period,
}

/// A part of a run, both instants included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its first instant.
    pub from: Instant,
    /// Its last instant.
    pub until: Instant,
}

impl Period {
    /// The whole run, however long.
    pub const WHOLE: Self = Self {
        from: Instant::ZERO,
        until: Instant::MAX,
    };

    /// Whether `at` lies in it.
    #[inline]
    pub fn contains(&self, at: Instant) -> bool {
        self.from <= at && at <= self.until
    }

    /// Whether a part of `from..=until` lies in it.
    pub fn touches(&self, from: Instant, until: Instant) -> bool {
        from <= self.until && self.from <= until
    }
}

impl Default for Period {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl RecordPlan {
    /// Names of what is kept.
    pub fn streams(&self) -> Vec<&'static str> {
        let all = [
            ("series", self.every.is_some()),
            ("events", self.events),
            ("acks", self.acks),
            ("delays", self.delays),
            ("queues", self.queues),
            ("packets", self.packets.is_some()),
            ("ppdus", self.ppdus),
            ("frames", self.frames),
        ];
        all.iter().filter(|s| s.1).map(|s| s.0).collect()
    }

    /// Whether anything is wanted that shows only between samples.
    pub fn observes(&self) -> bool {
        let wired = self.events || self.acks || self.delays || self.queues;
        wired || self.ppdus || self.frames || self.packets.is_some()
    }
}

/// Where packets are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapPlan {
    /// By number of the node: at the ends of flows there.
    pub nodes: Vec<bool>,
    /// By number of the link.
    pub links: Vec<bool>,
}

/// A radio channel.
#[derive(Clone, Debug)]
pub struct MediumPlan {
    /// Unique name.
    pub name: String,
    /// The node of each of its stations.
    pub nodes: Vec<usize>,
    /// The link of each of its ports: of it only name, ends and filter count.
    pub links: Vec<usize>,
    /// Which of its stations' access categories each flow's packets have; there and back.
    pub categories: Vec<u8>,
    /// Those access categories, by number.
    pub access: Vec<AccessCategory>,
    /// Disciplines above the queues of its stations, one for each access category that is used.
    pub disciplines: Vec<StationDisciplinePlan>,
    /// Its parts.
    pub config: MediumConfig,
}

/// A queue discipline above the queue of a station on a radio channel.
#[derive(Clone, Debug)]
pub struct StationDisciplinePlan {
    /// The station.
    pub station: StationId,
    /// How much may wait in it.
    pub queue: QueuePlan,
    /// Which, and over what: [`DisciplinePlan::device`] is the limit of the station's own queue.
    pub discipline: DisciplinePlan,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Unique name: `left->right` or as given.
    pub name: String,
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it enters.
    pub to: usize,
    /// Bits per second; [`Rate::MAX`] = takes no time. Of a trace, its mean.
    pub rate: Rate,
    /// The trace that the line follows instead of a constant rate.
    pub trace: Option<TracePlan>,
    /// Propagation delay.
    pub delay: Span,
    /// Link-layer bytes added to every IP packet when it is serialised (ns-3's PPP: 2).
    pub overhead: u32,
    /// The limit of the queue in front of the transmitter.
    pub queue: QueuePlan,
    /// The queue discipline; `None` = drop-tail. Needs a queue in packets.
    pub discipline: Option<DisciplinePlan>,
    /// A packet that would not fit into a drop-tail queue of this limit is marked with CE, if it may be.
    pub mark: Option<QueuePlan>,
    /// ACK filters in front of the queue, in the order in which an ACK meets them; those that a
    /// [`Chain`](acklab_path::ack_filter::chain::Chain) can have.
    pub filters: Vec<FilterPlan>,
    /// Impairments.
    pub impair: ImpairPlan,
}

/// A recording that a link follows.
#[derive(Clone, Debug, PartialEq)]
pub struct TracePlan {
    /// The name under which it is kept beside the resolved scenario; unique among traces.
    pub file: String,
    /// When the line can deliver.
    pub trace: Arc<Trace>,
}

impl Plan {
    /// Name and text of each trace, in the order of the links.
    pub fn traces(&self) -> Vec<(String, String)> {
        let traces = self.links.iter().filter_map(|l| l.trace.as_ref());
        let mut known = HashSet::new();
        traces
            .filter(|t| known.insert(t.file.as_str()))
            .map(|t| (t.file.clone(), t.trace.to_string()))
            .collect()
    }
}

/// Limit of a queue in front of a transmitter. It counts waiting packets, not the one in service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueuePlan {
    /// In packets.
    Packets(u32),
    /// In bytes.
    Bytes(u64),
}

/// A queue discipline by name with its parameters.
#[derive(Clone, Debug)]
pub struct DisciplinePlan {
    /// The registry's entry.
    pub entry: &'static Entry<acklab_path::qdisc::registry::Build>,
    /// Its parameters.
    pub params: Params,
    /// Packets that can wait in the device below it; 0 = none.
    pub device: u32,
}

/// An ACK filter by name with its parameters.
#[derive(Clone, Debug)]
pub struct FilterPlan {
    /// The registry's entry.
    pub entry: &'static Entry<acklab_path::ack_filter::Build>,
    /// Its parameters.
    pub params: Params,
}

/// Random misbehaviour of a link; but for loss that is drawn before the queue, applied after serialisation.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ImpairPlan {
    /// Loss.
    pub loss: LossPlan,
    /// Where it is drawn.
    pub loss_place: LossPlace,
    /// Probability that an ECN-capable packet is marked with CE.
    pub ce: f64,
    /// Extra delay; order is kept.
    pub jitter: JitterPlan,
    /// A longer way for a time; order is kept.
    pub detour: Option<Detour>,
    /// Times at which nothing enters or leaves.
    pub pauses: Option<PausesPlan>,
    /// Probability that a packet is delayed by `reorder_delay` and so overtaken.
    pub reorder: f64,
    /// How long a reordered packet is held back.
    pub reorder_delay: Span,
    /// Probability that a packet arrives twice.
    pub duplicate: f64,
}

/// Random extra delay.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum JitterPlan {
    /// None.
    #[default]
    None,
    /// Uniform from zero to this.
    Uniform(Span),
    /// Log-normal through two quantiles, cut at `max`.
    LogNormal {
        /// Half of the delays are below.
        median: Span,
        /// 99 % of the delays are below.
        p99: Span,
        /// Longer delays are cut to this.
        max: Span,
    },
}

/// Times at which a link stands still, both directions together; exponential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausesPlan {
    /// Mean length of a pause.
    pub length: Span,
    /// Mean time from the end of one to the next.
    pub gap: Span,
    /// Name of the direction whose schedule this is: the link's way there.
    pub of: String,
}

/// Random loss.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum LossPlan {
    /// None.
    #[default]
    None,
    /// Independent, with this probability.
    Bernoulli(f64),
    /// Every n-th packet, counted from the first (deterministic; for closed forms).
    Periodic(u64),
    /// Two states (Gilbert 1960, Elliott 1963), a transition drawn per packet.
    GilbertElliott {
        /// Probability to go from good to bad.
        p: f64,
        /// Probability to go from bad to good.
        r: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
    /// All packets of a stretch of time, once or again and again.
    Outage {
        /// The first instant at which packets are lost.
        from: Instant,
        /// The first instant at which they pass again.
        until: Instant,
        /// From the beginning of one outage to that of the next; `None`: there is one.
        every: Option<Span>,
    },
}

/// A flow between two nodes.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Unique name.
    pub name: String,
    /// Index of the node that opens the connection and, in bulk, sends.
    pub src: usize,
    /// Index of the other node.
    pub dst: usize,
    /// Links from `src` to `dst`, in order.
    pub forward: Vec<usize>,
    /// Links from `dst` to `src`, in order.
    pub reverse: Vec<usize>,
    /// When the connection is opened.
    pub start: Instant,
    /// The start is moved by a draw from `[0, start_jitter)`.
    pub start_jitter: Span,
    /// Codepoint of its packets, in both directions.
    pub dscp: Dscp,
    /// Its application.
    pub app: AppPlan,
    /// The transport of both ends.
    pub transport: TransportPlan,
}

/// A transport with its settings.
#[derive(Clone, Debug)]
pub enum TransportPlan {
    /// TCP.
    Tcp(TcpPlan),
    /// A constant rate over UDP: the parameters of [`cbr::PARAMS`].
    Cbr(Params),
    /// TACK.
    Tack(TackPlan),
    /// RTP over UDP: the parameters of [`rtp::PARAMS`].
    Rtp(Params),
}

/// TACK's settings.
#[derive(Clone, Debug)]
pub struct TackPlan {
    /// Configuration of both ends.
    pub config: Arc<TackConfig>,
    /// The parameters of [`tack::PARAMS`] that it was made from.
    pub params: Params,
    /// Controller of both ends.
    pub cc: CcChoice,
}

/// TCP's settings.
#[derive(Clone, Debug)]
pub struct TcpPlan {
    /// Configuration of both ends, shared: ten thousand flows read the same cache lines.
    pub config: Arc<TcpConfig>,
    /// Controller of both ends.
    pub cc: CcChoice,
    /// ACK policy of both ends.
    pub ack: AckChoice,
}

/// The treatment of bytes that find the send buffer full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// They wait in the application, without limit, and are written as soon as there is room.
    #[default]
    Keep,
    /// They are lost, as what a live source could not send; of a write, what does not fit.
    Drop,
}

impl TransportPlan {
    /// Its name in a scenario.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tcp(_) => "tcp",
            Self::Cbr(_) => cbr::ENTRY.name,
            Self::Rtp(_) => rtp::ENTRY.name,
            Self::Tack(_) => tack::ENTRY.name,
        }
    }

    /// Whether it repeats what is lost, and has a window that a congestion controller sets.
    pub const fn is_reliable(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Tack(_) => true,
            Self::Cbr(_) | Self::Rtp(_) => false,
        }
    }

    /// Whether its receiver sends IACKs between its regular acknowledgements.
    pub const fn has_iacks(&self) -> bool {
        matches!(self, Self::Tack(_))
    }

    /// TCP's settings; `None` of another transport.
    pub const fn tcp(&self) -> Option<&TcpPlan> {
        match self {
            Self::Tcp(tcp) => Some(tcp),
            Self::Cbr(_) | Self::Tack(_) | Self::Rtp(_) => None,
        }
    }

    /// The same, to be changed.
    pub const fn tcp_mut(&mut self) -> Option<&mut TcpPlan> {
        match self {
            Self::Tcp(tcp) => Some(tcp),
            Self::Cbr(_) | Self::Tack(_) | Self::Rtp(_) => None,
        }
    }

    /// The text that a table shows as the flow's congestion controller: its name, or the transport's where
    /// there is none.
    pub const fn controller(&self) -> &'static str {
        match self {
            Self::Tcp(tcp) => tcp.cc.entry.name,
            Self::Cbr(_) => cbr::ENTRY.name,
            Self::Rtp(_) => rtp::ENTRY.name,
            Self::Tack(tack) => tack.cc.entry.name,
        }
    }

    /// Bytes of the IP packet of full data.
    pub fn full_packet(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.config.full_packet(),
            Self::Cbr(params) => cbr::Config::new(params).size,
            Self::Rtp(params) => rtp::Config::new(params).size,
            Self::Tack(tack) => tack.config.mtu,
        }
    }

    /// Bytes of the IP packet of plain feedback.
    pub fn feedback_packet(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.config.headers(),
            Self::Cbr(params) => cbr::Config::new(params).feedback,
            Self::Rtp(_) => rtp::REPORT,
            Self::Tack(tack) => tack.config.feedback_packet(),
        }
    }

    /// Payload bytes of a full packet.
    pub fn payload(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.config.segment,
            Self::Cbr(params) => cbr::Config::new(params).payload(),
            Self::Rtp(params) => rtp::Config::new(params).payload(),
            Self::Tack(tack) => tack.config.mss,
        }
    }
}

/// An application.
#[derive(Clone, Debug, PartialEq)]
pub enum AppPlan {
    /// Sends as fast as the connection takes it.
    Bulk {
        /// Bytes to send, then close; `None` = without end.
        bytes: Option<u64>,
        /// Stop writing (and close) at this instant.
        until: Option<Instant>,
    },
    /// Bursts at a constant rate with pauses; lengths are exponential if `random`.
    OnOff {
        /// Rate while on.
        rate: Rate,
        /// Mean length of a burst.
        on: Span,
        /// Mean length of a pause.
        off: Span,
        /// Bytes per write.
        chunk: u32,
        /// Exponential instead of constant lengths.
        random: bool,
        /// The fate of bytes that the send buffer does not take.
        when_full: WhenFull,
    },
    /// The source sends a request; the destination answers; after a pause, again.
    RequestResponse {
        /// Bytes of a request.
        request: u64,
        /// Bytes of a response.
        response: u64,
        /// Pause between a response and the next request.
        think: Span,
        /// Number of exchanges; `None` = without end.
        count: Option<u64>,
    },
    /// Frames of a video at a steady rate; the destination shows them.
    Video(VideoPlan),
}

/// A live video and its player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VideoPlan {
    /// Mean bit rate of the frames.
    pub rate: Rate,
    /// Frames per second.
    pub fps: u32,
    /// Frames from one I frame to the next.
    pub gop: u32,
    /// Mean size of an I frame in P frames.
    pub i_frame: f64,
    /// Standard deviation of a frame's size over its mean.
    pub variation: f64,
    /// Video that must be there before the first picture; over packets, time from the first packet.
    pub start_up: Span,
    /// Video that must be there before a picture that stands still moves on.
    pub rebuffer: Span,
    /// Bytes of a frame in a full packet of a transport that repeats nothing; `None` = a stream.
    pub packet: Option<u32>,
}
