//! One row per flow.

use super::Table;
use super::cells::{at, maybe, maybe_ms, mbps, ms, seconds};
use crate::app::VideoSummary;
use crate::record::{DatagramSummary, DelaySummary, Distribution, FlowSummary, WindowSamples};
use acklab_units::Span;

pub(super) fn flows<'a>(rows: &'a [FlowSummary]) -> Table<'a> {
    let mut t = Table::default();
    let r = || rows.iter();
    t.words("flow", r().map(|f| f.name.as_str()))
        .words("transport", r().map(|f| f.transport))
        .words("cc", r().map(|f| f.cc))
        .numbers("start_s", r().map(|f| at(f.start)))
        .numbers(
            "completion_s",
            r().map(|f| f.completion.map_or(f64::NAN, seconds)),
        )
        .numbers("goodput_mbps", r().map(|f| mbps(f.goodput_bps)))
        .numbers("goodput_warm_mbps", r().map(|f| mbps(f.warm_goodput_bps)))
        .numbers("acked_mbps", r().map(|f| mbps(f.goodput_total_bps)))
        .numbers("sent_mbps", r().map(|f| mbps(f.throughput_bps)))
        .numbers("received_bytes", r().map(|f| f.received_bytes))
        .numbers("data_segments", r().map(|f| f.data_segs_out))
        .numbers("retransmissions", r().map(|f| f.retrans.total()))
        .numbers("retransmissions_rack", r().map(|f| f.retrans.rack))
        .numbers("retransmissions_dupack", r().map(|f| f.retrans.dupack))
        .numbers("retransmissions_tlp", r().map(|f| f.retrans.tlp))
        .numbers("retransmissions_rto", r().map(|f| f.retrans.rto))
        .numbers("spurious_retransmissions", r().map(|f| f.spurious_retrans))
        .numbers("retransmitted_bytes", r().map(|f| f.bytes_retrans))
        .numbers("rtos", r().map(|f| f.rtos))
        .numbers("undos", r().map(|f| f.undos))
        .numbers("recoveries", r().map(|f| f.recoveries))
        .numbers("tlps", r().map(|f| f.tlps))
        .numbers("lost_segments", r().map(|f| f.lost))
        .numbers("ecn_reductions", r().map(|f| f.ecn_reductions))
        .numbers("out_of_order_segments", r().map(|f| f.out_of_order))
        .numbers("duplicate_segments", r().map(|f| f.duplicates))
        .numbers("cwnd_mean_packets", r().map(|f| window(f, |w| w.mean)))
        .numbers(
            "cwnd_mean_time_packets",
            r().map(|f| maybe(f.cwnd_mean_time)),
        )
        .numbers("cwnd_min_packets", r().map(|f| window(f, |w| w.min)))
        .numbers("cwnd_max_packets", r().map(|f| window(f, |w| w.max)))
        .numbers("rtt_mean_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.mean))))
        .numbers("rtt_p50_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p50))))
        .numbers("rtt_p95_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p95))))
        .numbers("rtt_p99_ms", r().map(|f| maybe_ms(f.rtt.map(|d| d.p99))))
        .numbers("srtt_p50_ms", r().map(|f| maybe_ms(f.srtt.map(|d| d.p50))))
        .numbers(
            "srtt_mean_ms",
            r().map(|f| maybe_ms(f.srtt.map(|d| d.mean))),
        )
        .numbers("rtt_min_ms", r().map(|f| maybe_ms(f.min_rtt)))
        .numbers("acks_sent", r().map(|f| f.acks_sent))
        .numbers(
            "iacks_sent",
            r().map(|f| maybe(f.iacks_sent.map(|n| n as f64))),
        )
        .numbers(
            "feedback_airtime_ms",
            r().map(|f| maybe_ms(f.feedback_airtime)),
        )
        .numbers("acks_received", r().map(|f| f.acks_received))
        .numbers("segments_per_ack", r().map(|f| maybe(f.segments_per_ack)))
        .numbers("acks_per_s", r().map(|f| f.ack_rate))
        .numbers("acks_per_rtt", r().map(|f| maybe(f.acks_per_rtt)))
        .numbers("ack_delay_mean_ms", r().map(|f| maybe_ms(f.ack_delay_mean)))
        .numbers("owd_mean_ms", r().map(|f| owd(f, |d| d.mean)))
        .numbers("owd_p50_ms", r().map(|f| owd(f, |d| d.p50)))
        .numbers("owd_p95_ms", r().map(|f| owd(f, |d| d.p95)))
        .numbers("owd_p99_ms", r().map(|f| owd(f, |d| d.p99)))
        .numbers(
            "jitter_ms",
            r().map(|f| f.delays.map_or(f64::NAN, |d| d.jitter * 1e3)),
        )
        .numbers(
            "app_dropped_bytes",
            r().map(|f| maybe(f.app_dropped_bytes.map(|b| b as f64))),
        )
        .numbers("exchanges", r().map(|f| f.exchanges))
        .numbers(
            "exchange_mean_ms",
            r().map(|f| exchange(f, f.exchange_mean)),
        )
        .numbers("exchange_max_ms", r().map(|f| exchange(f, f.exchange_max)))
        .numbers(
            "video_startup_ms",
            r().map(|f| maybe_ms(video(f, |v| v.start_up))),
        )
        .numbers(
            "video_rebuffering",
            r().map(|f| maybe(video(f, VideoSummary::rebuffering))),
        )
        .numbers(
            "video_stalls",
            r().map(|f| maybe(video(f, |v| Some(v.stalls as f64)))),
        )
        .numbers(
            "video_played_s",
            r().map(|f| maybe(video(f, |v| Some(seconds(v.played))))),
        )
        .numbers(
            "video_stalled_s",
            r().map(|f| maybe(video(f, |v| Some(seconds(v.stalled))))),
        )
        .numbers(
            "video_frames",
            r().map(|f| maybe(video(f, |v| Some(v.frames as f64)))),
        )
        .numbers(
            "video_frame_loss",
            r().map(|f| maybe(video(f, VideoSummary::frame_loss))),
        )
        .numbers(
            "video_macroblock_loss",
            r().map(|f| maybe(video(f, VideoSummary::macroblock_loss))),
        )
        .numbers(
            "video_delay_p50_ms",
            r().map(|f| maybe_ms(video(f, |v| v.delay.map(|d| d.p50)))),
        )
        .numbers(
            "video_delay_p95_ms",
            r().map(|f| maybe_ms(video(f, |v| v.delay.map(|d| d.p95)))),
        )
        .numbers(
            "video_latency_mean_ms",
            r().map(|f| maybe_ms(video(f, |v| v.latency.map(|d| d.mean)))),
        )
        .numbers(
            "video_latency_p95_ms",
            r().map(|f| maybe_ms(video(f, |v| v.latency.map(|d| d.p95)))),
        )
        .numbers(
            "datagrams_received",
            r().map(|f| datagrams(f, |d| d.arrived)),
        )
        .numbers("datagrams_lost", r().map(|f| datagrams(f, |d| d.lost)))
        .numbers(
            "datagrams_reordered",
            r().map(|f| datagrams(f, |d| d.reordered)),
        )
        .numbers(
            "datagram_loss",
            r().map(|f| maybe(f.datagrams.and_then(|d| d.loss))),
        );
    t
}

fn owd(f: &FlowSummary, part: fn(&Distribution) -> Span) -> f64 {
    maybe_ms(f.delays.as_ref().map(|d: &DelaySummary| part(&d.owd)))
}

fn window(f: &FlowSummary, part: fn(&WindowSamples) -> f64) -> f64 {
    maybe(f.cwnd.as_ref().map(part))
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
