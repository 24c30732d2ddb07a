//! Takes samples and baselines at their instants, and draws up the summaries at the end.

use super::{
    DatagramSummary, FlowEnd, FlowSample, FlowSummary, LinkSummary, Observer, Quantiles, Scene,
    Series, WindowSamples,
};
use crate::app::data_flows_forward;
use crate::plan::{FlowPlan, Plan};
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::transport::Transport;
use acklab_units::{Instant, Span};

/// Distance of the samples behind the means of a summary.
const SUMMARY_SAMPLE: Span = Span::from_millis(100);

/// Looks at a run from outside. It wakes for baselines and samples only, so that a packet costs the
/// same with and without it.
#[derive(Debug)]
pub struct Recorder {
    stop: Instant,
    measure_from: Instant,
    warmup: Instant,
    baseline: Ticks,
    summary: Ticks,
    detail: Ticks,
    tallies: Vec<Tally>,
    series: Series,
}

/// An arithmetic series of instants up to an end, which belongs to it.
#[derive(Debug)]
struct Ticks {
    next: Option<Instant>,
    every: Span,
    end: Instant,
}

impl Ticks {
    fn new(first: Option<Instant>, every: Span, end: Instant) -> Self {
        Self {
            next: first.filter(|at| *at <= end),
            every,
            end,
        }
    }

    /// Whether a tick is due; it is then taken.
    fn take(&mut self, now: Instant) -> bool {
        let Some(at) = self.next.filter(|at| *at <= now) else {
            return false;
        };
        self.next = Some(at.saturating_add(self.every)).filter(|next| *next <= self.end);
        true
    }
}

/// The recorder's state of a flow.
#[derive(Debug)]
struct Tally {
    /// Number of the host that sends the data, and of the one that reads them.
    sender: usize,
    receiver: usize,
    start: Instant,
    /// By `measure_from`.
    baseline: Passage,
    /// Bytes read by `warmup`.
    warm_baseline: u64,
    samples: Samples,
}

/// The counters between a flow's ends.
#[derive(Clone, Copy, Debug, Default)]
struct Passage {
    /// Bytes that the receiving application has read.
    read: u64,
    /// Bytes of IP packets that the sender has sent.
    sent: u64,
    /// Packets of pure feedback that have reached the sender.
    acks: u64,
    /// Packets of data that have reached the receiver, and those that it misses.
    arrived: u64,
    missed: u64,
}

#[derive(Debug, Default)]
struct Samples {
    cwnd_sum: u64,
    cwnd_min: Option<u64>,
    cwnd_max: u64,
    rtt: Quantiles,
    srtt: Quantiles,
}

impl Samples {
    fn push(&mut self, at: &Snapshot) {
        self.cwnd_sum += at.cwnd;
        self.cwnd_min = Some(self.cwnd_min.map_or(at.cwnd, |least| least.min(at.cwnd)));
        self.cwnd_max = self.cwnd_max.max(at.cwnd);
        self.rtt.push(at.rtt);
        self.srtt.push(at.srtt);
    }

    /// The windows in numbers, with bytes made packets; `None` without samples.
    fn windows(&self, packets: impl Fn(f64) -> f64) -> Option<WindowSamples> {
        self.cwnd_min.map(|min| WindowSamples {
            mean: packets(self.cwnd_sum as f64 / self.rtt.count() as f64),
            min: packets(min as f64),
            max: packets(self.cwnd_max as f64),
        })
    }
}

impl Recorder {
    /// A recorder for `plan`, whose flows start at `starts`.
    pub fn new(plan: &Plan, starts: &[Instant]) -> Self {
        let once = |at| Ticks::new(Some(at), Span::MAX, plan.stop);
        let detail = plan.record.every.map(|_| Instant::ZERO);
        Self {
            stop: plan.stop,
            measure_from: plan.measure_from,
            warmup: plan.warmup,
            baseline: once(plan.measure_from),
            summary: Ticks::new(Some(plan.warmup), SUMMARY_SAMPLE, plan.stop),
            // A distance of zero would never get anywhere.
            detail: Ticks::new(
                detail,
                plan.record
                    .every
                    .map_or(Span::MAX, |d| d.max(Span::from_nanos(1))),
                plan.stop,
            ),
            tallies: plan
                .flows
                .iter()
                .zip(starts)
                .enumerate()
                .map(|(i, (flow, start))| Tally::new(i, flow, *start))
                .collect(),
            series: Series::default(),
        }
    }

    /// When [`Recorder::on_wakeup`] must be called.
    pub fn next_wakeup(&self) -> Option<Instant> {
        [self.baseline.next, self.summary.next, self.detail.next]
            .into_iter()
            .flatten()
            .min()
    }

    /// Takes what is due at `now`.
    pub fn on_wakeup(&mut self, now: Instant, hosts: &[impl FlowEnd], scene: &mut impl Scene) {
        if self.baseline.take(now) {
            for t in &mut self.tallies {
                t.baseline = t.passage(hosts);
            }
        }
        if self.summary.take(now) {
            self.sample_for_summary(now, hosts);
        }
        if self.detail.take(now) {
            self.sample_for_series(now, hosts, scene);
        }
    }

    fn sample_for_summary(&mut self, now: Instant, hosts: &[impl FlowEnd]) {
        for t in &mut self.tallies {
            if now == self.warmup {
                t.warm_baseline = t.received(hosts);
            }
            let at = hosts[t.sender].transport().snapshot();
            let done = hosts[t.receiver].progress().done_at.is_some();
            if !at.srtt.is_zero() && !done {
                t.samples.push(&at);
            }
        }
    }

    fn sample_for_series(&mut self, now: Instant, hosts: &[impl FlowEnd], scene: &mut impl Scene) {
        let series = &mut self.series;
        for (i, t) in self.tallies.iter().enumerate() {
            let observer = scene.observer();
            if t.start <= now && (observer.touched(i) || !series.flows.repeat(i)) {
                let at = hosts[t.sender].transport().snapshot();
                let delay = observer.delay(i);
                let sample = t.sample(i as u32, hosts, &at, delay);
                series.flows.push(sample, at.state);
            }
        }
        series.flows.close(now);
        for i in 0..scene.links() {
            let (link, waiting) = scene.look(i, now);
            let (stats, held) = (*link.stats(), link.filter_stats().map_or(0, |f| f.held));
            let sojourn = scene.observer().sojourn(i, now);
            series
                .links
                .push(now, i as u32, waiting, &stats, (sojourn, held));
        }
    }

    /// The summaries of `plan`'s flows, at the end of the run.
    pub fn flows(
        &mut self,
        plan: &Plan,
        hosts: &[impl FlowEnd],
        observer: &mut impl Observer,
    ) -> Vec<FlowSummary> {
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies
            .iter_mut()
            .zip(&plan.flows)
            .enumerate()
            .map(|(i, (t, flow))| FlowSummary {
                ack_delay_mean: observer.ack_delay(i),
                delays: observer.flow_delays(i),
                ..self.flow(t, flow, hosts)
            })
            .collect()
    }

    /// The records that need no observer.
    fn flow(&self, t: &mut Tally, flow: &FlowPlan, hosts: &[impl FlowEnd]) -> FlowSummary {
        let (sender, receiver) = (&hosts[t.sender], &hosts[t.receiver]);
        let c = sender.transport().stats();
        let received = t.received(hosts);
        let client = hosts[t.sender.min(t.receiver)].progress();
        let done_at = receiver.progress().done_at;
        let (sent, returned) = (sender.traffic(), receiver.traffic().acks_out);
        let packets = |bytes: f64| bytes / f64::from(flow.transport.payload().max(1));
        let acks = sent.acks_in - t.baseline.acks;
        let ack_rate = self.per_second(acks as f64, self.measure_from);
        let reception = receiver.transport().stats();
        let s = &mut t.samples;
        let srtt = s.srtt.distribution();
        let min_rtt = sender.transport().snapshot().min_rtt;
        let window = sender.window().and_then(|w| w.mean(self.stop));
        FlowSummary {
            name: flow.name.clone(),
            transport: flow.transport.name(),
            cc: flow.transport.controller(),
            start: t.start,
            completion: done_at.map(|at| at.saturating_since(t.start)),
            goodput_bps: self.rate(received - t.baseline.read, self.measure_from),
            warm_goodput_bps: self.rate(received - t.warm_baseline, self.warmup),
            goodput_total_bps: self.rate(c.bytes_acked, t.start),
            throughput_bps: self.rate(sent.wire_bytes - t.baseline.sent, self.measure_from),
            received_bytes: received,
            data_segs_out: c.data_segs_out,
            retrans: c.retrans,
            bytes_retrans: c.bytes_retrans,
            rtos: c.rto_count,
            undos: c.undos,
            spurious_retrans: c.spurious_retrans,
            lost: c.lost_segs,
            recoveries: c.recoveries,
            tlps: c.tlp_count,
            ecn_reductions: c.ecn_reductions,
            out_of_order: reception.out_of_order_in,
            duplicates: reception.duplicates_in,
            cwnd_mean_time: window.map(packets),
            cwnd: s.windows(packets),
            rtt: s.rtt.distribution(),
            srtt,
            min_rtt,
            acks_sent: returned,
            iacks_sent: flow.transport.has_iacks().then_some(reception.iacks_out),
            feedback_airtime: None,
            acks_received: sent.acks_in,
            segments_per_ack: (sent.acks_in > 0)
                .then(|| c.data_segs_out as f64 / sent.acks_in as f64),
            ack_rate,
            acks_per_rtt: srtt.map(|d| ack_rate * d.mean.as_secs_f64()),
            ack_delay_mean: None,
            delays: None,
            app_dropped_bytes: sender.progress().dropped,
            exchanges: client.exchanges,
            exchange_mean: client.exchange_total / client.exchanges.max(1),
            exchange_max: client.exchange_max,
            video: receiver.video(self.stop),
            datagrams: (!flow.transport.is_reliable()).then(|| t.datagrams(reception)),
        }
    }

    /// Bit/s if `bytes` passed from `from` to the end of the run.
    fn rate(&self, bytes: u64, from: Instant) -> f64 {
        self.per_second(bytes as f64 * 8.0, from)
    }

    fn per_second(&self, amount: f64, from: Instant) -> f64 {
        let span = self.stop.saturating_since(from);
        if span.is_zero() {
            return 0.0;
        }
        amount / span.as_secs_f64()
    }

    /// The summaries of `plan`'s links, at the end of the run.
    pub fn links(&self, plan: &Plan, scene: &mut impl Scene) -> Vec<LinkSummary> {
        let run = self.stop.as_secs_f64();
        let links = plan.links.iter().enumerate();
        links
            .map(|(i, plan)| {
                let (link, _) = scene.look(i, self.stop);
                let summary = LinkSummary {
                    name: plan.name.clone(),
                    stats: *link.stats(),
                    filter: link.filter_stats(),
                    utilisation: link.busy(self.stop).as_secs_f64() / run,
                    sojourn: None,
                    inside: link.inside(),
                };
                LinkSummary {
                    sojourn: scene.observer().sojourns(i),
                    ..summary
                }
            })
            .collect()
    }

    /// The time series so far.
    pub fn take_series(&mut self) -> Series {
        std::mem::take(&mut self.series)
    }
}

impl Tally {
    fn new(i: usize, flow: &FlowPlan, start: Instant) -> Self {
        let forward = data_flows_forward(&flow.app);
        Self {
            sender: 2 * i + usize::from(!forward),
            receiver: 2 * i + usize::from(forward),
            start,
            baseline: Passage::default(),
            warm_baseline: 0,
            samples: Samples::default(),
        }
    }

    fn passage(&self, hosts: &[impl FlowEnd]) -> Passage {
        let reception = hosts[self.receiver].transport().stats();
        let traffic = hosts[self.sender].traffic();
        Passage {
            read: self.received(hosts),
            sent: traffic.wire_bytes,
            acks: traffic.acks_in,
            arrived: reception.data_segs_in,
            missed: reception.lost_segs,
        }
    }

    /// The fate of the packets, as the receiver's counters have it at the end.
    fn datagrams(&self, reception: &Stats) -> DatagramSummary {
        let arrived = reception.data_segs_in - self.baseline.arrived;
        // A packet that was missed by then may have come since.
        let missed = reception.lost_segs.saturating_sub(self.baseline.missed);
        let all = arrived + missed;
        DatagramSummary {
            arrived: reception.data_segs_in,
            lost: reception.lost_segs,
            reordered: reception.out_of_order_in,
            loss: (all > 0).then(|| missed as f64 / all as f64),
        }
    }

    /// A sample of the flow of that number, its state left out.
    fn sample(
        &self,
        flow: u32,
        hosts: &[impl FlowEnd],
        at: &Snapshot,
        delay: Option<(u64, f64)>,
    ) -> FlowSample {
        let (passage, counters) = (self.passage(hosts), hosts[self.sender].transport().stats());
        FlowSample {
            sent_bytes: passage.sent,
            read_bytes: passage.read,
            acked_bytes: counters.bytes_acked,
            retrans: counters.retrans.total(),
            cwnd: at.cwnd,
            ssthresh: at.ssthresh,
            inflight: at.inflight,
            srtt: at.srtt,
            rtt: at.rtt,
            pacing: at.pacing_rate,
            delivery: at.delivery_rate,
            delay,
            flow,
            state: 0,
        }
    }

    fn received(&self, hosts: &[impl FlowEnd]) -> u64 {
        hosts[self.receiver].progress().received
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_include_both_ends() {
        let ms = |n| Instant::ZERO + Span::from_millis(n);
        let mut ticks = Ticks::new(Some(ms(10)), Span::from_millis(5), ms(20));
        let mut seen = Vec::new();
        while let Some(at) = ticks.next {
            assert!(ticks.take(at) && !ticks.take(at));
            seen.push(at);
        }
        assert_eq!(seen, [ms(10), ms(15), ms(20)]);
        assert_eq!(Ticks::new(Some(ms(21)), Span::MAX, ms(20)).next, None);
    }
}
