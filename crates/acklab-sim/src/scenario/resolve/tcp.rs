//! TCP settings in layers: profile, `[tcp]`, the flow's own.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::spec::{
    BufferSpec, CompressionSpec, EstimatorSpec, ProfileWord, ReductionWord, TcpSpec,
};
use super::{not_too_long, not_zero};
use acklab_proto::tcp::config::{Buffer, Reduction, RttEstimator, SackCompression};
use acklab_proto::tcp::{Profile, TcpConfig};
use acklab_units::Span;

/// The largest payload that fits an IPv4 packet of 65,535 bytes beside its header (20) and the
/// longest TCP header (60).
const LARGEST_SEGMENT: u32 = 65_455;
/// The largest window that scaling can express (RFC 7323 section 2.3).
const LARGEST_BUFFER: u64 = 1 << 30;

/// A layer of settings and where it stands.
pub(crate) type Layer<'a> = (&'a TcpSpec, &'a Path);

/// The configuration of a flow. Later layers win.
pub(crate) fn resolve(layers: &[Layer<'_>], report: &mut Report<'_>) -> TcpConfig {
    let profile = layers.iter().rev().find_map(|(spec, _)| spec.profile);
    let mut config = profile.map_or_else(TcpConfig::default, |p| TcpConfig::new(p.into()));
    for (spec, path) in layers {
        switches(spec, &mut config);
        numbers(spec, &mut config, path, report);
        times(spec, &mut config, path, report);
        compound(spec, &mut config, path, report);
    }
    the_sender_knows_the_reduction(&config, layers, report);
    timeouts_fit(&config, layers, report);
    a_segment_fits(&config, layers, report);
    config
}

/// Overwrites what was written.
fn put<T, S: Into<T>>(target: &mut T, source: Option<S>) {
    if let Some(value) = source {
        *target = value.into();
    }
}

fn switches(spec: &TcpSpec, c: &mut TcpConfig) {
    put(&mut c.timestamps, spec.timestamps);
    put(&mut c.window_scaling, spec.window_scaling);
    put(&mut c.sack, spec.sack);
    put(&mut c.dsack, spec.dsack);
    put(&mut c.ecn, spec.ecn);
    put(&mut c.loss_detection, spec.loss_detection);
    put(&mut c.tlp, spec.tlp);
    put(&mut c.reduction, spec.reduction);
    put(&mut c.frto, spec.frto);
    put(&mut c.undo, spec.undo);
    put(&mut c.nagle, spec.nagle);
    put(&mut c.limited_transmit, spec.limited_transmit);
    put(&mut c.cwnd_validation, spec.cwnd_validation);
    put(&mut c.idle_restart, spec.idle_restart);
    put(&mut c.sack_sorted, spec.sack_sorted);
    put(&mut c.kernel_units, spec.kernel_units);
    put(&mut c.pacing, spec.pacing);
}

fn numbers(spec: &TcpSpec, c: &mut TcpConfig, path: &Path, report: &mut Report<'_>) {
    put(&mut c.segment, spec.segment);
    put(&mut c.initial_window, spec.initial_window);
    put(&mut c.recv_cushion, spec.recv_cushion);
    put(&mut c.recv_share, spec.recv_share);
    put(&mut c.recv_block, spec.recv_block);
    put(&mut c.pacing_ss_ratio, spec.pacing_ss_ratio);
    put(&mut c.pacing_ca_ratio, spec.pacing_ca_ratio);
    put(&mut c.pacing_quantum, spec.pacing_quantum);
    put(&mut c.max_retries, spec.max_retries);
    if spec.isn.is_some() {
        c.isn = spec.isn;
    }
    let mut range = |key: &str, value: Option<u32>, most: u32| {
        if value.is_some_and(|v| v == 0 || v > most) {
            let hint = format!("write a whole number from 1 to {most}");
            report.error(&path.key(key), "out of range", hint);
        }
    };
    range("segment", spec.segment, LARGEST_SEGMENT);
    range("initial_window", spec.initial_window, 1_000_000);
    range("recv_share", spec.recv_share, 255);
    range("pacing_ss_ratio", spec.pacing_ss_ratio, 100_000);
    range("pacing_ca_ratio", spec.pacing_ca_ratio, 100_000);
    for (key, value) in [
        ("recv_cushion", spec.recv_cushion),
        ("recv_block", spec.recv_block),
    ] {
        if value.is_some_and(|n| n > 1_000_000) {
            let hint = "write a whole number from 0 to 1000000".to_string();
            report.error(&path.key(key), "out of range", hint);
        }
    }
}

fn times(spec: &TcpSpec, c: &mut TcpConfig, path: &Path, report: &mut Report<'_>) {
    let written = [
        ("min_rto", spec.min_rto, &mut c.min_rto),
        ("max_rto", spec.max_rto, &mut c.max_rto),
        ("initial_rto", spec.initial_rto, &mut c.initial_rto),
        (
            "rtt_granularity",
            spec.rtt_granularity,
            &mut c.rtt_granularity,
        ),
        ("jiffy", spec.jiffy, &mut c.jiffy),
    ];
    for (key, value, target) in written {
        let Some(value) = value else { continue };
        *target = value.0;
        not_too_long(value.0, &path.key(key), report);
        if key.ends_with("_rto") {
            not_zero(value.0, &path.key(key), "this timeout", report);
        }
    }
}

fn timeouts_fit(c: &TcpConfig, layers: &[Layer<'_>], report: &mut Report<'_>) {
    if c.min_rto <= c.max_rto {
        return;
    }
    let (key, path) = layers
        .iter()
        .rev()
        .find_map(|(spec, path)| {
            let key = if spec.min_rto.is_some() {
                "min_rto"
            } else {
                "max_rto"
            };
            (spec.min_rto.is_some() || spec.max_rto.is_some()).then_some((key, *path))
        })
        .unwrap_or(("min_rto", layers[0].1));
    let message = format!("min_rto is {} and max_rto is {}", c.min_rto, c.max_rto);
    let hint = "the shortest timeout cannot be longer than the longest".to_string();
    report.error(&path.key(key), message, hint);
}

/// The profile chooses the sending half, and each half has reductions of its own.
fn the_sender_knows_the_reduction(c: &TcpConfig, layers: &[Layer<'_>], report: &mut Report<'_>) {
    let known = c.profile.dialect().reductions;
    let written = layers.iter().rev().find(|(s, _)| s.reduction.is_some());
    let (false, Some((_, path))) = (known.contains(&c.reduction), written) else {
        return;
    };
    let [profile, other] = [c.profile, profile_of(c.reduction)].map(ProfileWord::of);
    let reduction = ReductionWord::of(c.reduction);
    let known: Vec<_> = known
        .iter()
        .map(|r| quoted(ReductionWord::of(*r)))
        .collect();
    let message = format!("the sender of profile \"{profile}\" has no such reduction");
    let hint = format!(
        "write {}; the sender that has it comes with its profile: \
         tcp = {{ profile = \"{other}\", reduction = \"{reduction}\" }}",
        known.join(" or ")
    );
    report.error(&path.key("reduction"), message, hint);
}

/// A profile whose sender has it.
fn profile_of(reduction: Reduction) -> Profile {
    let all = [Profile::Linux, Profile::Ns3, Profile::Rfc];
    let has = |p: &Profile| p.dialect().reductions.contains(&reduction);
    all.into_iter().find(has).unwrap_or(Profile::Linux)
}

fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

/// The window would never let a full segment through.
fn a_segment_fits(c: &TcpConfig, layers: &[Layer<'_>], report: &mut Report<'_>) {
    let (buffer, segment) = (c.recv_buffer.initial, u64::from(c.segment));
    // A buffer or segment that is out of range was reported already.
    if buffer >= segment || buffer == 0 || c.segment > LARGEST_SEGMENT {
        return;
    }
    let last = |key, written: fn(&TcpSpec) -> bool| {
        let layer = layers.iter().rev().find(|(spec, _)| written(spec));
        layer.map(|(_, path)| path.key(key))
    };
    let path = last("recv_buffer", |s| s.recv_buffer.is_some())
        .or_else(|| last("segment", |s| s.segment.is_some()))
        .unwrap_or_else(|| layers[0].1.key("recv_buffer"));
    let message = format!("a segment of {segment} bytes does not fit into {buffer} bytes");
    let hint = format!("the receive buffer must hold a segment: write at least \"{segment} B\"");
    report.error(&path, message, hint);
}

fn compound(spec: &TcpSpec, c: &mut TcpConfig, path: &Path, report: &mut Report<'_>) {
    if let Some(b) = spec.send_buffer {
        c.send_buffer = buffer(b, &path.key("send_buffer"), report);
    }
    if let Some(b) = spec.recv_buffer {
        c.recv_buffer = buffer(b, &path.key("recv_buffer"), report);
    }
    if let Some(e) = spec.rtt_estimator {
        c.rtt_estimator = estimator(e);
    }
    if let Some(s) = spec.sack_compression {
        c.sack_compression = compression(s, &path.key("sack_compression"), report);
    }
}

fn buffer(spec: BufferSpec, path: &Path, report: &mut Report<'_>) -> Buffer {
    let (initial, max) = (spec.initial.0, spec.max.0);
    if initial == 0 || max > LARGEST_BUFFER {
        let hint = "write a size from \"1 B\" to \"1 GiB\"".to_string();
        report.error(path, "out of range", hint);
    } else if initial > max {
        let hint = "`initial` is where autotuning starts, `max` where it ends".to_string();
        report.error(path, "`initial` is larger than `max`", hint);
    }
    Buffer { initial, max }
}

fn estimator(spec: EstimatorSpec) -> RttEstimator {
    match spec {
        EstimatorSpec::Linux => RttEstimator::Linux,
        EstimatorSpec::Rfc6298(s) => RttEstimator::Rfc6298 {
            granularity: s.granularity.map_or(Span::from_millis(1), |g| g.0),
            samples: s.samples.map(Into::into).unwrap_or_default(),
        },
    }
}

fn compression(
    spec: CompressionSpec,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<SackCompression> {
    let table = spec.0?;
    let count = table.count.unwrap_or(44);
    if count == 0 {
        let hint = "write at least 1, or sack_compression = \"off\"".to_string();
        report.error(&path.key("count"), "out of range", hint);
    }
    let rtt_percent = table.rtt_percent.unwrap_or(5);
    if !(1..=100).contains(&rtt_percent) {
        let hint = "write 1 to 100".to_string();
        report.error(&path.key("rtt_percent"), "out of range", hint);
    }
    Some(SackCompression {
        delay: table.delay.map_or(Span::from_millis(1), |d| d.0),
        rtt_percent,
        slack: table.slack.map_or(Span::from_micros(100), |s| s.0),
        count,
        restamp: table.restamp.unwrap_or(false),
    })
}
