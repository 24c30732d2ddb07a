//! Summaries and series as columns.
//!
//! Here and in [`crate::records`], and only there, the core's integers become the units that
//! tables show: Mbit/s, ms, s. Not-a-number stands for "there is none".

use crate::table::Table;
use acklab_path::packet::DropReason;
use acklab_sim::app::VideoSummary;
use acklab_sim::plan::Plan;
use acklab_sim::record::{
    DatagramSummary, DelaySummary, Distribution, FlowSeries, FlowSummary, LinkSeries, LinkSummary,
    Passed, WindowSamples,
};
use acklab_units::{Rate, Span};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn mbps(bps: f64) -> f64 {
    bps / 1e6
}

fn ms(span: Span) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// Zero stands for "not yet".
fn known_ms(span: Span) -> f64 {
    if span.is_zero() { f64::NAN } else { ms(span) }
}

fn known_mbps(rate: Option<Rate>) -> f64 {
    let known = rate.filter(|r| r.as_bps() > 0);
    known.map_or(f64::NAN, |r| mbps(r.as_bps() as f64))
}

fn maybe_ms(span: Option<Span>) -> f64 {
    span.map_or(f64::NAN, ms)
}

fn owd(f: &FlowSummary, part: fn(&Distribution) -> Span) -> f64 {
    maybe_ms(f.delays.as_ref().map(|d: &DelaySummary| part(&d.owd)))
}

fn sojourn(l: &LinkSummary, part: fn(&Distribution) -> Span) -> f64 {
    maybe_ms(l.sojourn.as_ref().map(part))
}

fn maybe(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

fn window(f: &FlowSummary, part: fn(&WindowSamples) -> f64) -> f64 {
    maybe(f.cwnd.as_ref().map(part))
}

/// Not a number if nothing left the queue.
fn wait(l: &LinkSummary, time: Span) -> f64 {
    if l.stats.delivered == 0 {
        f64::NAN
    } else {
        ms(time)
    }
}

/// Not a number without exchanges.
fn exchange(f: &FlowSummary, time: Span) -> f64 {
    if f.exchanges == 0 { f64::NAN } else { ms(time) }
}

/// Of what the viewer of a video saw.
fn video<T>(f: &FlowSummary, part: impl Fn(&VideoSummary) -> Option<T>) -> Option<T> {
    f.video.as_ref().and_then(part)
}

/// Not a number of a transport that repeats what was lost.
fn datagrams(f: &FlowSummary, part: fn(&DatagramSummary) -> u64) -> f64 {
    f.datagrams.as_ref().map_or(f64::NAN, |d| part(d) as f64)
}

pub(crate) fn flows<'py>(py: Python<'py>, rows: &[FlowSummary]) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    let r = || rows.iter();
    let seconds = |s: Span| s.as_nanos() as f64 / 1e9;
    t.words("flow", r().map(|f| f.name.as_str()))?
        .words("transport", r().map(|f| f.transport))?
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
        .numbers("spurious_retransmissions", r().map(|f| f.spurious_retrans))?
        .numbers("retransmitted_bytes", r().map(|f| f.bytes_retrans))?
        .numbers("rtos", r().map(|f| f.rtos))?
        .numbers("undos", r().map(|f| f.undos))?
        .numbers("recoveries", r().map(|f| f.recoveries))?
        .numbers("tlps", r().map(|f| f.tlps))?
        .numbers("lost_segments", r().map(|f| f.lost))?
        .numbers("ecn_reductions", r().map(|f| f.ecn_reductions))?
        .numbers("out_of_order_segments", r().map(|f| f.out_of_order))?
        .numbers("duplicate_segments", r().map(|f| f.duplicates))?
        .numbers("cwnd_mean_packets", r().map(|f| window(f, |w| w.mean)))?
        .numbers(
            "cwnd_mean_time_packets",
            r().map(|f| maybe(f.cwnd_mean_time)),
        )?
        .numbers("cwnd_min_packets", r().map(|f| window(f, |w| w.min)))?
        .numbers("cwnd_max_packets", r().map(|f| window(f, |w| w.max)))?
        .numbers("rtt_mean_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.mean))))?
        .numbers("rtt_p50_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p50))))?
        .numbers("rtt_p95_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p95))))?
        .numbers("rtt_p99_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p99))))?
        .numbers("srtt_p50_ms", r().map(|f| maybe_ms(f.srtt.map(|d| d.p50))))?
        .numbers(
            "srtt_mean_ms",
            r().map(|f| maybe_ms(f.srtt.map(|d| d.mean))),
        )?
        .numbers("rtt_min_ms", r().map(|f| maybe_ms(f.min_rtt)))?
        .numbers("acks_sent", r().map(|f| f.acks_sent))?
        .numbers(
            "iacks_sent",
            r().map(|f| maybe(f.iacks_sent.map(|n| n as f64))),
        )?
        .numbers(
            "feedback_airtime_ms",
            r().map(|f| maybe_ms(f.feedback_airtime)),
        )?
        .numbers("acks_received", r().map(|f| f.acks_received))?
        .numbers("segments_per_ack", r().map(|f| maybe(f.segments_per_ack)))?
        .numbers("acks_per_s", r().map(|f| f.ack_rate))?
        .numbers("acks_per_rtt", r().map(|f| maybe(f.acks_per_rtt)))?
        .numbers("ack_delay_mean_ms", r().map(|f| maybe_ms(f.ack_delay_mean)))?
        .numbers("owd_mean_ms", r().map(|f| owd(f, |d| d.mean)))?
        .numbers("owd_p50_ms", r().map(|f| owd(f, |d| d.p50)))?
        .numbers("owd_p95_ms", r().map(|f| owd(f, |d| d.p95)))?
        .numbers("owd_p99_ms", r().map(|f| owd(f, |d| d.p99)))?
        .numbers(
            "jitter_ms",
            r().map(|f| f.delays.map_or(f64::NAN, |d| d.jitter * 1e3)),
        )?
        .numbers(
            "app_dropped_bytes",
            r().map(|f| maybe(f.app_dropped_bytes.map(|b| b as f64))),
        )?
        .numbers("exchanges", r().map(|f| f.exchanges))?
        .numbers(
            "exchange_mean_ms",
            r().map(|f| exchange(f, f.exchange_mean)),
        )?
        .numbers("exchange_max_ms", r().map(|f| exchange(f, f.exchange_max)))?
        .numbers(
            "video_startup_ms",
            r().map(|f| maybe_ms(video(f, |v| v.start_up))),
        )?
        .numbers(
            "video_rebuffering",
            r().map(|f| maybe(video(f, VideoSummary::rebuffering))),
        )?
        .numbers(
            "video_stalls",
            r().map(|f| maybe(video(f, |v| Some(v.stalls as f64)))),
        )?
        .numbers(
            "video_played_s",
            r().map(|f| maybe(video(f, |v| Some(seconds(v.played))))),
        )?
        .numbers(
            "video_stalled_s",
            r().map(|f| maybe(video(f, |v| Some(seconds(v.stalled))))),
        )?
        .numbers(
            "video_frames",
            r().map(|f| maybe(video(f, |v| Some(v.frames as f64)))),
        )?
        .numbers(
            "video_frame_loss",
            r().map(|f| maybe(video(f, VideoSummary::frame_loss))),
        )?
        .numbers(
            "video_macroblock_loss",
            r().map(|f| maybe(video(f, VideoSummary::macroblock_loss))),
        )?
        .numbers(
            "video_delay_p50_ms",
            r().map(|f| maybe_ms(video(f, |v| v.delay.map(|d| d.p50)))),
        )?
        .numbers(
            "video_delay_p95_ms",
            r().map(|f| maybe_ms(video(f, |v| v.delay.map(|d| d.p95)))),
        )?
        .numbers(
            "video_latency_mean_ms",
            r().map(|f| maybe_ms(video(f, |v| v.latency.map(|d| d.mean)))),
        )?
        .numbers(
            "video_latency_p95_ms",
            r().map(|f| maybe_ms(video(f, |v| v.latency.map(|d| d.p95)))),
        )?
        .numbers(
            "datagrams_received",
            r().map(|f| datagrams(f, |d| d.arrived)),
        )?
        .numbers("datagrams_lost", r().map(|f| datagrams(f, |d| d.lost)))?
        .numbers(
            "datagrams_reordered",
            r().map(|f| datagrams(f, |d| d.reordered)),
        )?
        .numbers(
            "datagram_loss",
            r().map(|f| maybe(f.datagrams.and_then(|d| d.loss))),
        )?;
    Ok(t.finish())
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
        .numbers("marks", r().map(|l| l.stats.marked))?
        .numbers("duplicated", r().map(|l| l.stats.duplicated))?
        .numbers("reordered", r().map(|l| l.stats.reordered))?
        .numbers("queue_max_packets", r().map(|l| l.stats.max_waiting))?
        .numbers("queue_max_bytes", r().map(|l| l.stats.max_waiting_bytes))?
        .numbers("wait_mean_ms", r().map(|l| wait(l, l.stats.sojourn_mean())))?
        .numbers("wait_max_ms", r().map(|l| wait(l, l.stats.sojourn_max)))?
        .numbers("acks_seen", r().map(|l| filtered(l, |f| f.seen)))?
        .numbers("acks_passed", r().map(|l| filtered(l, |f| f.forwarded)))?
        .numbers("acks_dropped", r().map(|l| filtered(l, |f| f.dropped)))?
        .numbers(
            "acks_dropped_queued",
            r().map(|l| filtered(l, |f| f.dropped_queued)),
        )?
        .numbers(
            "acks_by_timer",
            r().map(|l| filtered(l, |f| f.timer_releases)),
        )?
        .numbers("acks_held", r().map(|l| filtered(l, |f| f.held.into())))?
        .numbers("sojourn_mean_ms", r().map(|l| sojourn(l, |d| d.mean)))?
        .numbers("sojourn_p50_ms", r().map(|l| sojourn(l, |d| d.p50)))?
        .numbers("sojourn_p95_ms", r().map(|l| sojourn(l, |d| d.p95)))?
        .numbers("sojourn_p99_ms", r().map(|l| sojourn(l, |d| d.p99)))?;
    for reason in DropReason::ALL {
        let drops = r().map(|l| l.stats.dropped_for(reason));
        t.numbers(&format!("drops_{}", reason.name()), drops)?;
    }
    Ok(t.finish())
}

/// Mbit/s between samples; none in the first of a flow.
fn rate(bytes: u64, passed: Passed) -> f64 {
    match passed.interval.as_nanos() {
        0 => f64::NAN,
        ns => bytes as f64 * 8e3 / ns as f64,
    }
}

pub(crate) fn flow_series<'py>(
    py: Python<'py>,
    s: &FlowSeries,
    plan: &Plan,
) -> PyResult<Bound<'py, PyDict>> {
    let t = Table::new(py);
    let r = || s.iter();
    let flow = |f: u32| &plan.flows[f as usize];
    let segments: Vec<f64> = plan
        .flows
        .iter()
        .map(|f| f64::from(f.transport.payload().max(1)))
        .collect();
    let packets = |bytes: u64, f: u32| bytes as f64 / segments[f as usize];
    let threshold = |b: u64| if b == u64::MAX { f64::NAN } else { b as f64 };
    t.numbers("time_s", s.times().map(|at| at.as_nanos() as f64 / 1e9))?
        .words("flow", r().map(|f| flow(f.flow).name.as_str()))?
        .numbers("cwnd_packets", r().map(|f| packets(f.cwnd, f.flow)))?
        .numbers("cwnd_bytes", r().map(|f| f.cwnd))?
        .numbers("ssthresh_bytes", r().map(|f| threshold(f.ssthresh)))?
        .numbers("inflight_bytes", r().map(|f| f.inflight))?
        .numbers("srtt_ms", r().map(|f| known_ms(f.srtt)))?
        .numbers("rtt_ms", r().map(|f| known_ms(f.rtt)))?
        .numbers("acked_bytes", r().map(|f| f.acked_bytes))?
        .numbers("retransmissions", r().map(|f| f.retrans))?
        .numbers("pacing_mbps", r().map(|f| known_mbps(f.pacing)))?
        .numbers("delivery_mbps", r().map(|f| known_mbps(f.delivery)))?
        .numbers("goodput_mbps", s.passed().map(|p| rate(p.read_bytes, p)))?
        .numbers("throughput_mbps", s.passed().map(|p| rate(p.sent_bytes, p)))?
        .numbers(
            "owd_ms",
            r().map(|f| f.delay.map_or(f64::NAN, |(ns, _)| ns as f64 / 1e6)),
        )?
        .numbers(
            "jitter_ms",
            r().map(|f| f.delay.map_or(f64::NAN, |(_, ns)| ns / 1e6)),
        )?
        .words("state", r().map(|f| s.states()[f.state as usize]))?;
    Ok(t.finish())
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
        .numbers("dropped", s.drops.iter().copied())?
        .numbers("marks", s.marks.iter().copied())?
        .numbers(
            "sojourn_ms",
            s.sojourn_ns
                .iter()
                .map(|n| n.map_or(f64::NAN, |n| n as f64 / 1e6)),
        )?
        .numbers("acks_held", s.held.iter().copied())?;
    Ok(t.finish())
}
