//! Takes samples and baselines at their instants, and draws up the summaries at the end.

use super::{FlowSummary, LinkSummary, Series};
use crate::app::data_flows_forward;
use crate::engine::{Arena, Host};
use crate::plan::{FlowPlan, Plan};
use crate::transport::{Snapshot, Transport};
use acklab_path::link::Link;
use acklab_units::{Instant, Span};

/// Distance of the samples behind the means of a summary.
const SUMMARY_SAMPLE: Span = Span::from_millis(100);
/// Resolution of the percentiles: 32 bits per sample then reach to 429 s.
const PERCENTILE_UNIT_NS: u64 = 100;

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

/// What the recorder keeps about a flow.
#[derive(Debug)]
struct Tally {
    /// Number of the host that sends the data, and of the one that reads them.
    sender: usize,
    receiver: usize,
    start: Instant,
    /// Bytes read and wire bytes sent by `measure_from`.
    baseline: (u64, u64),
    /// Bytes read by `warmup`.
    warm_baseline: u64,
    samples: Samples,
}

#[derive(Debug, Default)]
struct Samples {
    cwnd_sum: u64,
    cwnd_min: Option<u64>,
    cwnd_max: u64,
    rtt_sum: Span,
    srtt_sum: Span,
    rtts: Vec<u32>,
    srtts: Vec<u32>,
}

impl Samples {
    fn push(&mut self, at: &Snapshot) {
        self.cwnd_sum += at.cwnd;
        self.cwnd_min = Some(self.cwnd_min.map_or(at.cwnd, |least| least.min(at.cwnd)));
        self.cwnd_max = self.cwnd_max.max(at.cwnd);
        self.rtt_sum += at.rtt;
        self.srtt_sum += at.srtt;
        self.rtts.push(in_percentile_units(at.rtt));
        self.srtts.push(in_percentile_units(at.srtt));
    }

    fn len(&self) -> u64 {
        self.rtts.len() as u64
    }

    fn mean(&self, sum: Span) -> Span {
        if self.rtts.is_empty() {
            Span::ZERO
        } else {
            sum / self.len()
        }
    }
}

fn in_percentile_units(span: Span) -> u32 {
    (span.as_nanos() / PERCENTILE_UNIT_NS) as u32
}

/// The smallest sample that at least `percent` per cent of the samples do not exceed.
fn percentile(samples: &mut [u32], percent: usize) -> Span {
    if samples.is_empty() {
        return Span::ZERO;
    }
    let rank = (samples.len() * percent).div_ceil(100).max(1) - 1;
    let (_, value, _) = samples.select_nth_unstable(rank);
    Span::from_nanos(u64::from(*value) * PERCENTILE_UNIT_NS)
}

impl Recorder {
    /// A recorder for `plan`, whose flows start at `starts`.
    pub fn new(plan: &Plan, starts: &[Instant]) -> Self {
        let once = |at| Ticks::new(Some(at), Span::MAX, plan.stop);
        let detail = plan.sample_every.map(|_| Instant::ZERO);
        Self {
            stop: plan.stop,
            measure_from: plan.measure_from,
            warmup: plan.warmup,
            baseline: once(plan.measure_from),
            summary: Ticks::new(Some(plan.warmup), SUMMARY_SAMPLE, plan.stop),
            // A distance of zero would never get anywhere.
            detail: Ticks::new(
                detail,
                plan.sample_every
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
    pub fn on_wakeup<T: Transport>(
        &mut self,
        now: Instant,
        hosts: &[Host<T>],
        links: &mut [Link],
        arena: &mut Arena,
    ) {
        if self.baseline.take(now) {
            for t in &mut self.tallies {
                t.baseline = (t.received(hosts), hosts[t.sender].wire_bytes);
            }
        }
        if self.summary.take(now) {
            self.sample_for_summary(now, hosts);
        }
        if self.detail.take(now) {
            self.sample_for_series(now, hosts, links, arena);
        }
    }

    fn sample_for_summary<T: Transport>(&mut self, now: Instant, hosts: &[Host<T>]) {
        for t in &mut self.tallies {
            if now == self.warmup {
                t.warm_baseline = t.received(hosts);
            }
            let at = hosts[t.sender].transport.snapshot();
            let done = hosts[t.receiver].app.progress().done_at.is_some();
            if !at.srtt.is_zero() && !done {
                t.samples.push(&at);
            }
        }
    }

    fn sample_for_series<T: Transport>(
        &mut self,
        now: Instant,
        hosts: &[Host<T>],
        links: &mut [Link],
        arena: &mut Arena,
    ) {
        for (i, t) in self.tallies.iter().enumerate() {
            if t.start <= now {
                let transport = &hosts[t.sender].transport;
                let (snapshot, counters) = (transport.snapshot(), transport.counters());
                self.series.flows.push(now, i as u32, &snapshot, &counters);
            }
        }
        for (i, link) in links.iter_mut().enumerate() {
            let waiting = link.waiting(now, arena);
            self.series.links.push(now, i as u32, waiting, link.stats());
        }
    }

    /// The summaries of `plan`'s flows, at the end of the run.
    pub fn flows<T: Transport>(&mut self, plan: &Plan, hosts: &[Host<T>]) -> Vec<FlowSummary> {
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies
            .iter_mut()
            .zip(&plan.flows)
            .map(|(t, flow)| self.flow(t, flow, hosts))
            .collect()
    }

    fn flow<T: Transport>(&self, t: &mut Tally, flow: &FlowPlan, hosts: &[Host<T>]) -> FlowSummary {
        let (sender, receiver) = (&hosts[t.sender], &hosts[t.receiver]);
        let c = sender.transport.counters();
        let received = t.received(hosts);
        let client = hosts[t.sender.min(t.receiver)].app.progress();
        let done_at = receiver.app.progress().done_at;
        let packets = |bytes: f64| bytes / f64::from(flow.tcp.segment.max(1));
        let s = &mut t.samples;
        FlowSummary {
            name: flow.name.clone(),
            cc: flow.cc.entry.name,
            start: t.start,
            completion: done_at.map(|at| at.saturating_since(t.start)),
            goodput_bps: self.rate(received - t.baseline.0, self.measure_from),
            warm_goodput_bps: self.rate(received - t.warm_baseline, self.warmup),
            goodput_total_bps: self.rate(c.acked_bytes, t.start),
            throughput_bps: self.rate(sender.wire_bytes - t.baseline.1, self.measure_from),
            received_bytes: received,
            data_segs_out: c.data_segs_out,
            retrans: c.retrans,
            bytes_retrans: c.bytes_retrans,
            rtos: c.rtos,
            undos: c.undos,
            ecn_reductions: c.ecn_reductions,
            cwnd_mean_time: packets(sender.window.map_or(0.0, |w| w.mean(self.stop))),
            cwnd_mean: packets(s.cwnd_sum as f64 / s.len().max(1) as f64),
            cwnd_min: packets(s.cwnd_min.unwrap_or(0) as f64),
            cwnd_max: packets(s.cwnd_max as f64),
            rtt_mean: s.mean(s.rtt_sum),
            rtt_p50: percentile(&mut s.rtts, 50),
            rtt_p95: percentile(&mut s.rtts, 95),
            srtt_p50: percentile(&mut s.srtts, 50),
            srtt_mean: s.mean(s.srtt_sum),
            min_rtt: sender.transport.snapshot().min_rtt,
            acks_sent: receiver.acks_out,
            acks_received: sender.acks_in,
            segments_per_ack: c.data_segs_out as f64 / sender.acks_in.max(1) as f64,
            exchanges: client.exchanges,
            exchange_mean: client.exchange_total / client.exchanges.max(1),
            exchange_max: client.exchange_max,
        }
    }

    /// Bit/s if `bytes` passed from `from` to the end of the run.
    fn rate(&self, bytes: u64, from: Instant) -> f64 {
        let span = self.stop.saturating_since(from);
        if span.is_zero() {
            return 0.0;
        }
        bytes as f64 * 8.0 / span.as_secs_f64()
    }

    /// The summaries of `plan`'s links, at the end of the run.
    pub fn links(&self, plan: &Plan, links: &mut [Link], arena: &mut Arena) -> Vec<LinkSummary> {
        let run = self.stop.as_secs_f64();
        links
            .iter_mut()
            .zip(&plan.links)
            .map(|(link, plan)| {
                link.waiting(self.stop, arena);
                LinkSummary {
                    name: plan.name.clone(),
                    stats: *link.stats(),
                    filter: link.filter_stats(),
                    utilisation: link.busy(self.stop).as_secs_f64() / run,
                    inside: link.inside(),
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
            baseline: (0, 0),
            warm_baseline: 0,
            samples: Samples::default(),
        }
    }

    fn received<T: Transport>(&self, hosts: &[Host<T>]) -> u64 {
        hosts[self.receiver].app.progress().received
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

    #[test]
    fn percentiles_are_samples() {
        let mut s = Samples::default();
        for ms in (1..=20).rev() {
            s.push(&Snapshot {
                rtt: Span::from_millis(ms),
                srtt: Span::from_millis(2 * ms),
                ..Snapshot::default()
            });
        }
        for (percent, ms) in [(50, 10), (95, 19), (100, 20)] {
            assert_eq!(percentile(&mut s.rtts, percent), Span::from_millis(ms));
            assert_eq!(percentile(&mut s.srtts, percent), Span::from_millis(2 * ms));
        }
        assert_eq!(percentile(&mut [], 50), Span::ZERO);
    }
}
