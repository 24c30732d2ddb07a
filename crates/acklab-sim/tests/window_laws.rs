//! The window over time between losses, held to the growth laws of the RFCs, with an ACK for every
//! second segment and with one for sixteen.

use acklab_sim::engine;
use acklab_sim::scenario::load_toml;
use std::sync::atomic::AtomicBool;

const SEGMENT: f64 = 1448.0;
const RTT_S: f64 = 0.1;
/// How much later a thinned ACK may come.
const THINNING_S: f64 = 0.005;

/// By then nothing is left of slow start.
const SETTLED_S: f64 = 60.0;

/// Without thinning, and with it.
const FILTERS: [&str; 2] = [
    "",
    "ack_filter = { name = \"aggregate\", ratio = 16, timeout = \"5 ms\" }",
];

/// The window between two reductions.
struct Epoch {
    /// Segments at the reduction that began it.
    at_loss: f64,
    /// Seconds since the window left the slow-start threshold, and segments.
    window: Vec<(f64, f64)>,
}

/// Epochs of one flow over 100 ms, on a link that never queues and loses every `n`-th packet; those
/// that slow start has shaped are left out.
fn epochs(cc: &str, n: u32, filter: &str) -> Vec<Epoch> {
    let text = format!(
        r#"
duration = "300 s"
sample_every = "5 ms"
node = [{{ name = "a" }}, {{ name = "b" }}]
[[link]]
name = "x"
a = "a"
b = "b"
delay = "50 ms"
rate = "10 Gbit/s"
queue = "100000 packets"
loss = {{ kind = "periodic", every = {n} }}
[link.reverse]
rate = "unlimited"
{filter}
[[flow]]
from = "a"
to = "b"
cc = {cc}
"#
    );
    let scenario = load_toml(&text, "window law", &[]).unwrap_or_else(|e| panic!("{e}"));
    let run = engine::run(&scenario.plan, 1, &AtomicBool::new(false)).expect("not interrupted");
    assert_eq!(run.flows[0].rtos, 0);
    let s: Vec<_> = run
        .series
        .flows
        .times()
        .zip(run.series.flows.iter())
        .collect();
    let (mut found, mut left_at) = (Vec::<Epoch>::new(), None);
    for pair in s.windows(2) {
        let [(_, before), (at, is)] = pair else {
            unreachable!("two each")
        };
        let (now, cwnd) = (at.as_secs_f64(), is.cwnd as f64 / SEGMENT);
        // The periodic loss now and then hits the retransmission, too: still the same epoch.
        let recovering = found.last().is_some_and(|e| e.window.is_empty());
        if is.retrans != before.retrans && now > SETTLED_S && !recovering {
            left_at = None;
            found.push(Epoch {
                at_loss: before.cwnd as f64 / SEGMENT,
                window: Vec::new(),
            });
        }
        let Some(epoch) = found.last_mut() else {
            continue;
        };
        // Recovery brings the window down to the threshold within an RTT.
        match left_at {
            Some(left) if is.cwnd > is.ssthresh => epoch.window.push((now - left, cwnd)),
            _ if is.cwnd <= is.ssthresh => left_at = Some(now),
            _ => {}
        }
    }
    // The last one is cut off by the end of the run.
    found.pop();
    assert!(found.len() >= 5, "{} epochs", found.len());
    found
}

/// RFC 5681 section 3.1: a segment per RTT from half the window on, whatever an ACK covers.
#[test]
fn reno_grows_by_a_segment_per_rtt() {
    for filter in FILTERS {
        for epoch in epochs("\"newreno\"", 3000, filter) {
            let start = epoch.window[0].1;
            assert!(
                (start - epoch.at_loss / 2.0).abs() <= 2.0,
                "from {} to {start}",
                epoch.at_loss
            );
            for &(t, window) in &epoch.window {
                let most = start + t / RTT_S;
                let least = start + t / (RTT_S + THINNING_S);
                assert!(
                    (least - 2.0..=most + 1.0).contains(&window),
                    "{filter:?}: {window} after {t} s from {start}"
                );
            }
        }
    }
}

/// RFC 9438 section 4.2, equation 1: `W(t) = C (t - K)^3 + W_max`, with `W_max` lowered as in
/// section 4.7 where the window had not come back to where it was. Linux aims at the window of one
/// RTT ahead and gets there in one RTT.
#[test]
fn cubic_follows_its_curve() {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    for filter in FILTERS {
        let cc = "{ name = \"cubic\", hystart = \"off\" }";
        let mut last_max = f64::INFINITY;
        let found = epochs(cc, 20_000, filter);
        for (i, epoch) in found.iter().enumerate() {
            let converging = epoch.at_loss < last_max;
            last_max = match converging {
                true => epoch.at_loss * (1.0 + BETA) / 2.0,
                false => epoch.at_loss,
            };
            // Whether the first one converges depends on what came before it.
            if i == 0 {
                continue;
            }
            let start = epoch.window[0].1;
            let k = ((last_max - start).max(0.0) / C).cbrt();
            let law = |t: f64| last_max.max(start) + C * (t - k).powi(3);
            for &(t, window) in &epoch.window {
                let least = law(t - RTT_S - THINNING_S).max(start);
                let most = law(t + RTT_S + THINNING_S);
                assert!(
                    (least - 2.0..=most + 2.0).contains(&window),
                    "{filter:?}, epoch {i}: {window} after {t} s, {least} to {most}"
                );
            }
        }
    }
}
