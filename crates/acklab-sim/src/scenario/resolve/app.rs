//! The application of a flow.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::spec::{AppSpec, BulkSpec, OnOffSpec, RequestResponseSpec, VideoSpec};
use super::{not_too_long, not_zero};
use crate::plan::{AppPlan, VideoPlan, WhenFull};
use acklab_units::{Bytes, Instant, Rate, Span};

/// The application written at `path`; none written means bulk without end.
pub(crate) fn resolve(
    app: Option<&AppSpec>,
    segment: u32,
    path: &Path,
    report: &mut Report<'_>,
) -> AppPlan {
    match app {
        None => AppPlan::Bulk {
            bytes: None,
            until: None,
        },
        Some(AppSpec::Bulk(b)) => bulk(b, segment, path, report),
        Some(AppSpec::OnOff(o)) => on_off(o, segment, path, report),
        Some(AppSpec::RequestResponse(r)) => request_response(r, path, report),
        Some(AppSpec::Video(v)) => AppPlan::Video(video(v, path, report)),
    }
}

fn bulk(spec: &BulkSpec, segment: u32, path: &Path, report: &mut Report<'_>) -> AppPlan {
    if spec.bytes.is_some() && spec.packets.is_some() {
        let hint = "write one of them".to_string();
        report.error(
            &path.key("packets"),
            "`bytes` and `packets` set the same thing",
            hint,
        );
    }
    let in_packets = spec.packets.map(|n| n.saturating_mul(u64::from(segment)));
    let bytes = spec.bytes.map(|b| b.0.0).or(in_packets);
    if bytes == Some(0) {
        let key = if spec.bytes.is_some() {
            "bytes"
        } else {
            "packets"
        };
        let hint = "leave it out for an endless flow".to_string();
        report.error(&path.key(key), "a flow carries something", hint);
    }
    if let Some(until) = spec.until {
        not_too_long(until.0, &path.key("until"), report);
        not_zero(until.0, &path.key("until"), "the flow", report);
    }
    AppPlan::Bulk {
        bytes,
        until: spec.until.map(|u| Instant::ZERO.saturating_add(u.0)),
    }
}

fn on_off(spec: &OnOffSpec, segment: u32, path: &Path, report: &mut Report<'_>) -> AppPlan {
    let rate = spec.rate.map_or(Rate::from_bps(1_000_000), |r| r.0);
    needs_rate(rate, path, report);
    let on = spec.on.map_or(Span::from_secs(1), |s| s.0);
    let off = spec.off.map_or(Span::from_secs(1), |s| s.0);
    not_zero(on, &path.key("on"), "a burst", report);
    not_too_long(on, &path.key("on"), report);
    not_too_long(off, &path.key("off"), report);
    AppPlan::OnOff {
        rate,
        on,
        off,
        chunk: chunk(spec, segment, path, report),
        random: spec.random.unwrap_or(false),
        when_full: spec.when_full.map_or(WhenFull::Keep, Into::into),
    }
}

fn chunk(spec: &OnOffSpec, segment: u32, path: &Path, report: &mut Report<'_>) -> u32 {
    /// Larger writes are bursts of their own.
    const MOST: u64 = 1 << 24;
    let bytes = spec.chunk.map_or(u64::from(segment), |c| c.0.0);
    if bytes == 0 || bytes > MOST {
        let hint = format!("write a size from \"1 B\" to \"{}\"", Bytes(MOST));
        report.error(&path.key("chunk"), "out of range", hint);
        return segment;
    }
    bytes as u32
}

fn request_response(spec: &RequestResponseSpec, path: &Path, report: &mut Report<'_>) -> AppPlan {
    let request = spec.request.map_or(100, |b| b.0.0);
    let response = spec.response.map_or(10_000, |b| b.0.0);
    for (key, bytes) in [("request", request), ("response", response)] {
        if bytes == 0 {
            let hint = "write at least \"1 B\"".to_string();
            report.error(&path.key(key), "nothing would be sent", hint);
        }
    }
    if spec.count == Some(0) {
        let hint = "leave it out for endless exchanges".to_string();
        report.error(&path.key("count"), "no exchanges at all", hint);
    }
    let think = spec.think.map_or(Span::ZERO, |t| t.0);
    not_too_long(think, &path.key("think"), report);
    AppPlan::RequestResponse {
        request,
        response,
        think,
        count: spec.count,
    }
}

fn needs_rate(rate: Rate, path: &Path, report: &mut Report<'_>) {
    if rate == Rate::ZERO || rate.is_unlimited() {
        let hint =
            "write a rate above zero, such as \"1 Mbit/s\"; for all that fits use app = \"bulk\"";
        report.error(
            &path.key("rate"),
            "an application needs a rate",
            hint.to_string(),
        );
    }
}

fn video(spec: &VideoSpec, path: &Path, report: &mut Report<'_>) -> VideoPlan {
    let rate = spec.rate.map_or(Rate::from_bps(10_000_000), |r| r.0);
    needs_rate(rate, path, report);
    let fps = within(spec.fps.unwrap_or(60), (1, 1000), &path.key("fps"), report);
    let gop = within(
        spec.gop.unwrap_or(fps),
        (1, 100_000),
        &path.key("gop"),
        report,
    );
    let times = spec.i_frame.unwrap_or(5.0);
    let i_frame = within(times, (1.0, 1000.0), &path.key("i_frame"), report);
    let variation = spec.variation.unwrap_or(0.2);
    let variation = within(variation, (0.0, 10.0), &path.key("variation"), report);
    if rate.as_bps() / 8 < u64::from(fps) {
        let hint = "raise `rate`, or lower `fps`".to_string();
        report.error(
            &path.key("rate"),
            "the rate is less than a byte per frame",
            hint,
        );
    }
    let start_up = spec.start_up.map_or(Span::from_millis(100), |s| s.0);
    let rebuffer = spec.rebuffer.map_or(start_up, |s| s.0);
    not_too_long(start_up, &path.key("start_up"), report);
    not_too_long(rebuffer, &path.key("rebuffer"), report);
    VideoPlan {
        rate,
        fps,
        gop,
        i_frame,
        variation,
        start_up,
        rebuffer,
        packet: None,
    }
}

/// `value`, or with an error the smaller end of what is allowed.
fn within<T: PartialOrd + Copy + std::fmt::Display>(
    value: T,
    (least, most): (T, T),
    path: &Path,
    report: &mut Report<'_>,
) -> T {
    if value >= least && value <= most {
        return value;
    }
    let hint = format!("write a number from {least} to {most}");
    report.error(path, "out of range", hint);
    least
}
