//! Rows of the core as columns for Python: numpy arrays of numbers, lists of words.
//!
//! Here, and only here, the core's integers become the units that tables show: Mbit/s, ms, s.
//! Not-a-number stands for "there is none".

use acklab_path::packet::DropReason;
use acklab_sim::plan::Plan;
use acklab_sim::record::{FlowSeries, FlowSummary, LinkSeries, LinkSummary};
use acklab_units::Span;
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A table under construction.
struct Table<'py>(Bound<'py, PyDict>);

impl<'py> Table<'py> {
    fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    fn numbers<T: Element>(&self, name: &str, values: impl Iterator<Item = T>) -> PyResult<&Self> {
        let column = PyArray1::from_vec(self.0.py(), values.collect());
        self.0.set_item(name, column)?;
        Ok(self)
    }

    fn words<'a>(&self, name: &str, values: impl Iterator<Item = &'a str>) -> PyResult<&Self> {
        let column = PyList::new(self.0.py(), values.collect::<Vec<_>>())?;
        self.0.set_item(name, column)?;
        Ok(self)
    }
}

fn mbps(bps: f64) -> f64 {
    bps / 1e6
}

fn ms(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// Zero stands for "not yet" in times and rates of the core's series.
fn some(value: u64, unit: f64) -> f64 {
    if value == 0 {
        f64::NAN
    } else {
        value as f64 / unit
    }
}

/// Not a number without exchanges.
fn exchange(f: &FlowSummary, time: Span) -> f64 {
    if f.exchanges == 0 { f64::NAN } else { ms(time) }
}

pub(crate) fn flows<'py>(py: Python<'py>, rows: &[FlowSummary]) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    let r = || rows.iter();
    let seconds = |s: Span| s.as_nanos() as f64 / 1e9;
    t.words("flow", r().map(|f| f.name.as_str()))?
        .words("cc", r().map(|f| f.cc))?
        .numbers("start_s", r().map(|f| f.start.as_nanos() as f64 / 1e9))?
        .numbers(
            "completion_s",
            r().map(|f| f.completion.map_or(f64::NAN, seconds)),
        )?
        .numbers("goodput_mbps", r().map(|f| mbps(f.goodput_bps)))?
        .numbers("goodput_warm_mbps", r().map(|f| mbps(f.warm_goodput_bps)))?
        .numbers("acked_mbps", r().map(|f| mbps(f.goodput_total_bps)))?
        .numbers("sent_mbps", r().map(|f| mbps(f.throughput_bps)))?
        .numbers("received_bytes", r().map(|f| f.received_bytes))?
        .numbers("data_segments", r().map(|f| f.data_segs_out))?
        .numbers("retransmissions", r().map(|f| f.retrans.total()))?
        .numbers("retransmissions_rack", r().map(|f| f.retrans.rack))?
        .numbers("retransmissions_dupack", r().map(|f| f.retrans.dupack))?
        .numbers("retransmissions_tlp", r().map(|f| f.retrans.tlp))?
        .numbers("retransmissions_rto", r().map(|f| f.retrans.rto))?
        .numbers("retransmitted_bytes", r().map(|f| f.bytes_retrans))?
        .numbers("rtos", r().map(|f| f.rtos))?
        .numbers("undos", r().map(|f| f.undos))?
        .numbers("ecn_reductions", r().map(|f| f.ecn_reductions))?
        .numbers("cwnd_mean_packets", r().map(|f| f.cwnd_mean))?
        .numbers("cwnd_mean_time_packets", r().map(|f| f.cwnd_mean_time))?
        .numbers("cwnd_min_packets", r().map(|f| f.cwnd_min))?
        .numbers("cwnd_max_packets", r().map(|f| f.cwnd_max))?
        .numbers("rtt_mean_ms", r().map(|f| ms(f.rtt_mean)))?
        .numbers("rtt_p50_ms", r().map(|f| ms(f.rtt_p50)))?
        .numbers("rtt_p95_ms", r().map(|f| ms(f.rtt_p95)))?
        .numbers("srtt_p50_ms", r().map(|f| ms(f.srtt_p50)))?
        .numbers("srtt_mean_ms", r().map(|f| ms(f.srtt_mean)))?
        .numbers("rtt_min_ms", r().map(|f| ms(f.min_rtt)))?
        .numbers("acks_sent", r().map(|f| f.acks_sent))?
        .numbers("acks_received", r().map(|f| f.acks_received))?
        .numbers("segments_per_ack", r().map(|f| f.segments_per_ack))?
        .numbers("exchanges", r().map(|f| f.exchanges))?
        .numbers(
            "exchange_mean_ms",
            r().map(|f| exchange(f, f.exchange_mean)),
        )?
        .numbers("exchange_max_ms", r().map(|f| exchange(f, f.exchange_max)))?;
    Ok(t.0)
}

pub(crate) fn links<'py>(py: Python<'py>, rows: &[LinkSummary]) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    let r = || rows.iter();
    let filtered = |l: &LinkSummary, count: fn(&acklab_path::ack_filter::FilterStats) -> u64| {
        l.filter.as_ref().map_or(f64::NAN, |f| count(f) as f64)
    };
    t.words("link", r().map(|l| l.name.as_str()))?
        .numbers("utilisation", r().map(|l| l.utilisation))?
        .numbers("packets_in", r().map(|l| l.stats.offered))?
        .numbers("packets_out", r().map(|l| l.stats.delivered))?
        .numbers("bytes_out", r().map(|l| l.stats.delivered_bytes))?
        .numbers("dropped", r().map(|l| l.stats.dropped()))?
        .numbers(
            "dropped_full",
            r().map(|l| l.stats.dropped_for(DropReason::QueueFull)),
        )?
        .numbers(
            "dropped_random",
            r().map(|l| l.stats.dropped_for(DropReason::RandomLoss)),
        )?
        .numbers("marks", r().map(|l| l.stats.marked))?
        .numbers("duplicated", r().map(|l| l.stats.duplicated))?
        .numbers("reordered", r().map(|l| l.stats.reordered))?
        .numbers("queue_max_packets", r().map(|l| l.stats.max_waiting))?
        .numbers("queue_max_bytes", r().map(|l| l.stats.max_waiting_bytes))?
        .numbers("wait_mean_ms", r().map(|l| ms(l.stats.sojourn_mean())))?
        .numbers("wait_max_ms", r().map(|l| ms(l.stats.sojourn_max)))?
        .numbers("acks_seen", r().map(|l| filtered(l, |f| f.seen)))?
        .numbers("acks_passed", r().map(|l| filtered(l, |f| f.forwarded)))?
        .numbers("acks_dropped", r().map(|l| filtered(l, |f| f.dropped)))?
        .numbers(
            "acks_by_timer",
            r().map(|l| filtered(l, |f| f.timer_releases)),
        )?;
    Ok(t.0)
}

pub(crate) fn flow_series<'py>(
    py: Python<'py>,
    s: &FlowSeries,
    plan: &Plan,
) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    let segment = |i: usize| f64::from(plan.flows[s.flow[i] as usize].tcp.segment.max(1));
    let threshold = |&b: &u64| if b == u64::MAX { f64::NAN } else { b as f64 };
    t.numbers("time_s", s.time_ns.iter().map(|&n| n as f64 / 1e9))?
        .words(
            "flow",
            s.flow.iter().map(|&f| plan.flows[f as usize].name.as_str()),
        )?
        .numbers(
            "cwnd_packets",
            s.cwnd
                .iter()
                .enumerate()
                .map(|(i, &b)| b as f64 / segment(i)),
        )?
        .numbers("cwnd_bytes", s.cwnd.iter().copied())?
        .numbers("ssthresh_bytes", s.ssthresh.iter().map(threshold))?
        .numbers("inflight_bytes", s.inflight.iter().copied())?
        .numbers("srtt_ms", s.srtt_ns.iter().map(|&n| some(n, 1e6)))?
        .numbers("rtt_ms", s.rtt_ns.iter().map(|&n| some(n, 1e6)))?
        .numbers("acked_bytes", s.acked_bytes.iter().copied())?
        .numbers("retransmissions", s.retrans.iter().copied())?
        .numbers("pacing_mbps", s.pacing_bps.iter().map(|&r| some(r, 1e6)))?
        .numbers(
            "delivery_mbps",
            s.delivery_bps.iter().map(|&r| some(r, 1e6)),
        )?
        .words("state", s.state.iter().map(|&w| s.states[w as usize]))?;
    Ok(t.0)
}

pub(crate) fn link_series<'py>(
    py: Python<'py>,
    s: &LinkSeries,
    plan: &Plan,
) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    t.numbers("time_s", s.time_ns.iter().map(|&n| n as f64 / 1e9))?
        .words(
            "link",
            s.link.iter().map(|&l| plan.links[l as usize].name.as_str()),
        )?
        .numbers("queue_packets", s.packets.iter().copied())?
        .numbers("queue_bytes", s.bytes.iter().copied())?
        .numbers("dropped", s.drops.iter().copied())?;
    Ok(t.0)
}
