//! Records of a connection: those of a simulated run, made by the same recorder.
//!
//! An end sees itself and not its peer. It is recorded twice: as the sender of a flow and as its receiver,
//! because only later somebody says which it was. Data that travel the other way are in its packets and
//! in nothing else.

use crate::session::watch::{Told, Watcher};
use crate::session::{Report, Watch};
use acklab_path::packet::{FlowId, Packet as Envelope, PacketId};
use acklab_proto::ack::AckReason;
use acklab_proto::datagram::Datagram;
use acklab_proto::stats::Snapshot;
use acklab_proto::tack::TackEndpoint;
use acklab_proto::transport::Transport;
use acklab_sim::plan::{FlowPlan, Plan};
use acklab_sim::record::{
    FlowSample, FlowSeries, FlowSummary, Observer, Perf, Quantiles, Records, RunResult, Series,
    Stimulus, Tape, TimeMean, WindowSamples,
};
use acklab_units::{Instant, Span};
use std::sync::{Arc, Mutex};

/// The host of a flow that sends its data, and the one that gets them.
const SENDER: u32 = 0;
const RECEIVER: u32 = 1;
/// Distance of the samples behind the means of a summary, as in the simulator.
const SUMMARY_SAMPLE: Span = Span::from_millis(100);
/// Where the driver's clock begins.
const FIRST: Span = Span::from_secs(1);

/// How connections are recorded.
#[derive(Clone, Debug)]
pub struct RecordConfig {
    /// Plan of the records: its first flow, with its segments, stands for each connection. Its run
    /// must not end before the connections do.
    pub plan: Arc<Plan>,
    /// Time zero of what is recorded.
    pub zero: std::time::Instant,
    /// Sendings and arrivals of packets that are kept of a connection; what follows is only counted.
    pub most_packets: u64,
}

impl RecordConfig {
    /// Records each connection of an endpoint ([`crate::Config::watch`]).
    pub fn watch(self) -> Watch {
        Watch::new(move |origin| Arc::new(Mutex::new(Recording::new(&self, origin))))
    }
}

/// The record of one end of a connection.
#[derive(Debug)]
pub struct Recording {
    /// Records as the sender of a flow's data, with its packets.
    sender: Tape,
    /// Records as their receiver.
    receiver: Tape,
    series: FlowSeries,
    every: Option<Span>,
    next_sample: Instant,
    summary: Summary,
    /// Nanoseconds from the driver's clock to time zero.
    shift: i128,
    room: u64,
    /// Packets that there was no room for.
    missed: u64,
    /// Bytes of IP packets sent.
    sent_bytes: u64,
}

/// Values that a summary gathers on the way.
#[derive(Debug, Default)]
struct Summary {
    next: Instant,
    start: Option<Instant>,
    window: TimeMean,
    sampled: (u64, u64, u64),
    rtt: Quantiles,
    srtt: Quantiles,
}

impl Summary {
    fn sample(&mut self, at: &Snapshot) {
        let (sum, least, most) = self.sampled;
        let first = self.rtt.count() == 0;
        let least = if first { at.cwnd } else { least.min(at.cwnd) };
        self.sampled = (sum + at.cwnd, least, most.max(at.cwnd));
        self.rtt.push(at.rtt);
        self.srtt.push(at.srtt);
    }

    fn windows(&self, packets: impl Fn(f64) -> f64) -> Option<WindowSamples> {
        let (sum, least, most) = self.sampled;
        (self.rtt.count() > 0).then(|| WindowSamples {
            mean: packets(sum as f64 / self.rtt.count() as f64),
            min: packets(least as f64),
            max: packets(most as f64),
        })
    }
}

fn signed(a: std::time::Instant, b: std::time::Instant) -> i128 {
    let ahead = a.saturating_duration_since(b).as_nanos() as i128;
    ahead - b.saturating_duration_since(a).as_nanos() as i128
}

impl Recording {
    /// A recording of a connection whose driver's clock was at one second at `origin`.
    pub fn new(cfg: &RecordConfig, origin: std::time::Instant) -> Self {
        let mut receiver = Tape::new(&cfg.plan);
        // One of them has the packets.
        receiver.close_packets();
        Self {
            sender: Tape::new(&cfg.plan),
            receiver,
            series: FlowSeries::default(),
            every: cfg.plan.record.every,
            next_sample: Instant::ZERO,
            summary: Summary::default(),
            shift: signed(origin, cfg.zero) - i128::from(FIRST.as_nanos()),
            room: cfg.most_packets,
            missed: 0,
            sent_bytes: 0,
        }
    }

    /// Packets that were seen and not kept.
    pub const fn missed(&self) -> u64 {
        self.missed
    }

    /// The driver's time on the clock of what is recorded.
    fn at(&self, now: Instant) -> Instant {
        let nanos = i128::from(now.as_nanos()) + self.shift;
        Instant::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }

    fn has_room(&mut self) {
        match self.room.checked_sub(1) {
            Some(less) => self.room = less,
            None => {
                self.missed += 1;
                if self.missed == 1 {
                    self.sender.close_packets();
                }
            }
        }
    }

    /// Takes the samples that are due by `now`; nothing has happened to `is` since they were.
    fn take_samples(&mut self, now: Instant, is: &TackEndpoint) {
        if self.summary.start.is_none() {
            return;
        }
        if self.summary.next <= now {
            let at = is.snapshot();
            while self.summary.next <= now {
                if !at.srtt.is_zero() {
                    self.summary.sample(&at);
                }
                self.summary.next = self.summary.next.saturating_add(SUMMARY_SAMPLE);
            }
        }
        let Some(every) = self.every.filter(|_| self.next_sample <= now) else {
            return;
        };
        let at = is.snapshot();
        while self.next_sample <= now {
            self.series.push(sample(is, &at, self.sent_bytes), at.state);
            self.series.close(self.next_sample);
            self.next_sample = self
                .next_sample
                .saturating_add(every.max(Span::from_micros(1)));
        }
    }

    fn begin(&mut self, at: Instant) {
        if self.summary.start.is_some() {
            return;
        }
        self.summary.start = Some(at);
        // Samples stand where those of a simulated run do.
        let next = |every: Span| {
            let every = every.as_nanos().max(1);
            Instant::from_nanos(at.as_nanos().div_ceil(every) * every)
        };
        self.summary.next = next(SUMMARY_SAMPLE);
        self.next_sample = next(self.every.unwrap_or(SUMMARY_SAMPLE));
    }

    fn note_window(&mut self, at: Instant, is: &TackEndpoint) {
        let cwnd = is.cwnd();
        if cwnd > 0 {
            self.summary.window.set(at, cwnd);
        }
    }

    /// Draws up what the end has seen, as the sender of `flow`'s data or their receiver, until time zero
    /// plus `stop`. `report` is what the connection has counted. The recording is empty afterwards.
    pub fn finish(&mut self, plan: &Plan, report: &Report, sends: bool, stop: Span) -> RunResult {
        let empty = Tape::new(plan);
        let mut packets = std::mem::replace(&mut self.sender, empty).records();
        let mut heard = std::mem::replace(&mut self.receiver, Tape::new(plan));
        let ack_delay = heard.ack_delay(0);
        let records = if sends {
            packets
        } else {
            Records {
                packets: std::mem::take(&mut packets.packets),
                ..heard.records()
            }
        };
        let stop = Instant::ZERO.saturating_add(stop);
        let mut flow = self.summary(&plan.flows[0], report, stop);
        flow.ack_delay_mean = ack_delay.filter(|_| !sends);
        RunResult {
            flows: vec![flow],
            links: Vec::new(),
            media: Vec::new(),
            classes: Vec::new(),
            series: Series {
                flows: std::mem::take(&mut self.series),
                ..Series::default()
            },
            records,
            perf: Perf {
                data_packets: report.stats.data_segs_out,
                ..Perf::default()
            },
        }
    }

    fn summary(&mut self, flow: &FlowPlan, report: &Report, stop: Instant) -> FlowSummary {
        let s = &report.stats;
        let start = self.summary.start.unwrap_or_default();
        let passed = stop.saturating_since(start).as_secs_f64();
        let per_second = |n: u64| if passed > 0.0 { n as f64 / passed } else { 0.0 };
        let packets = |bytes: f64| bytes / f64::from(flow.transport.payload().max(1));
        let ack_rate = per_second(s.acks_in);
        let srtt = self.summary.srtt.distribution();
        let acks_in = (s.acks_in > 0).then_some(s.acks_in as f64);
        FlowSummary {
            name: flow.name.clone(),
            transport: flow.transport.name(),
            cc: flow.transport.controller(),
            start,
            completion: None,
            goodput_bps: per_second(s.bytes_received * 8),
            warm_goodput_bps: per_second(s.bytes_received * 8),
            goodput_total_bps: per_second(s.bytes_acked * 8),
            throughput_bps: per_second(self.sent_bytes * 8),
            received_bytes: s.bytes_received,
            data_segs_out: s.data_segs_out,
            retrans: s.retrans,
            bytes_retrans: s.bytes_retrans,
            rtos: s.rto_count,
            undos: s.undos,
            spurious_retrans: s.spurious_retrans,
            lost: s.lost_segs,
            recoveries: s.recoveries,
            tlps: s.tlp_count,
            ecn_reductions: s.ecn_reductions,
            out_of_order: s.out_of_order_in,
            duplicates: s.duplicates_in,
            cwnd_mean_time: self.summary.window.mean(stop).map(packets),
            cwnd: self.summary.windows(packets),
            rtt: self.summary.rtt.distribution(),
            srtt,
            min_rtt: report.snapshot.min_rtt,
            acks_sent: s.acks_out,
            iacks_sent: Some(s.iacks_out),
            feedback_airtime: None,
            acks_received: s.acks_in,
            segments_per_ack: acks_in.map(|n| s.data_segs_out as f64 / n),
            ack_rate,
            acks_per_rtt: srtt.map(|d| ack_rate * d.mean.as_secs_f64()),
            ack_delay_mean: None,
            delays: None,
            app_dropped_bytes: None,
            exchanges: 0,
            exchange_mean: Span::ZERO,
            exchange_max: Span::ZERO,
            video: None,
            datagrams: None,
        }
    }
}

/// The end as it is. Data that its application could read stand for those that it has read.
fn sample(is: &TackEndpoint, at: &Snapshot, sent_bytes: u64) -> FlowSample {
    let s = is.stats();
    FlowSample {
        sent_bytes,
        read_bytes: s.bytes_received,
        acked_bytes: s.bytes_acked,
        retrans: s.retrans.total(),
        cwnd: at.cwnd,
        ssthresh: at.ssthresh,
        inflight: at.inflight,
        srtt: at.srtt,
        rtt: at.rtt,
        pacing: at.pacing_rate,
        delivery: at.delivery_rate,
        delay: None,
        flow: 0,
        state: 0,
    }
}

/// The packet as links see it; nothing is under way here, so that one number does for all.
const fn envelope(told: &Told<'_>, from: u32) -> Envelope {
    Envelope {
        id: PacketId(0),
        size: told.size,
        flow: FlowId(from),
        ecn: told.packet.ecn,
    }
}

impl Watcher for Recording {
    fn before(&mut self, now: Instant, is: &TackEndpoint) {
        let at = self.at(now);
        self.take_samples(at, is);
    }

    fn on_sent(&mut self, now: Instant, told: Told<'_>, due: Option<AckReason>, is: &TackEndpoint) {
        let at = self.at(now);
        self.begin(at);
        self.has_room();
        self.sent_bytes += u64::from(told.size);
        let datagram = Datagram::Tack(*told.packet);
        let both = (&datagram, told.control);
        self.sender.on_sent(at, envelope(&told, SENDER), both, due);
        let back = envelope(&told, RECEIVER);
        self.receiver.on_sent(at, back, both, due);
        self.sender.on_transport(at, 0, Stimulus::Sending, is);
        self.receiver.on_transport(at, 1, Stimulus::Sending, is);
        self.note_window(at, is);
    }

    fn on_arrived(&mut self, now: Instant, told: Told<'_>, is: &TackEndpoint) {
        let at = self.at(now);
        self.begin(at);
        self.has_room();
        let datagram = Datagram::Tack(*told.packet);
        let both = (&datagram, told.control);
        let back = envelope(&told, RECEIVER);
        self.sender.on_arrived_from_afar(at, back, both, is);
        let there = envelope(&told, SENDER);
        self.receiver.on_arrived_from_afar(at, there, both, is);
        self.note_window(at, is);
    }

    fn on_timer(&mut self, now: Instant, is: &TackEndpoint) {
        let at = self.at(now);
        self.sender.on_transport(at, 0, Stimulus::Timer, is);
        self.receiver.on_transport(at, 1, Stimulus::Timer, is);
        self.note_window(at, is);
    }
}
