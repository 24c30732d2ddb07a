//! A constant rate over whole networks, held to closed forms.

use super::run;
use crate::record::RunResult;
use crate::scenario::load_toml;
use core::sync::atomic::AtomicBool;

/// A dumbbell with these keys of the bottleneck and this flow.
fn result(bottleneck: &str, flows: &str) -> RunResult {
    let text = format!(
        "duration = '10 s'\nstart = '1 s'\nwarmup = '1 s'\n[record]\ndelays = true\n\
         [topology]\npreset = 'dumbbell'\n[topology.access]\nrate = '1 Gbit/s'\ndelay = '0 s'\n\
         [topology.bottleneck]\n{bottleneck}\n{flows}"
    );
    let loaded = load_toml(&text, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    run(&loaded.plan, 1, &AtomicBool::new(false)).unwrap()
}

fn flow(transport: &str) -> String {
    format!("[[flow]]\ntransport = {{ name = 'cbr', {transport} }}\n")
}

/// 1000 packets of 1250 B per second through a line that takes 1 ms for each: nothing waits.
#[test]
fn what_fits_arrives_whole_and_on_time() {
    let r = result(
        "rate = '10 Mbit/s'\ndelay = '5 ms'\nqueue = '10 packets'",
        &flow("rate = '10 Mbit/s', size = 1250, frame = 'ip'"),
    );
    let f = &r.flows[0];
    let d = f.datagrams.unwrap();
    assert_eq!((d.lost, d.reordered, d.loss), (0, 0, Some(0.0)));
    assert!(f.data_segs_out - d.arrived <= 10, "{d:?}");
    // A payload of 1250 - 28 bytes each.
    assert!(
        (f.goodput_bps - 1222.0 * 8e3).abs() < 1222.0 * 16.0,
        "{}",
        f.goodput_bps
    );
    assert_eq!(f.acks_sent, d.arrived / 16);
    assert!((f.throughput_bps - 10e6).abs() < 20e3);
    // 10 us at either access link, 1 ms and 5 ms at the bottleneck.
    let owd = f.delays.unwrap();
    assert_eq!(
        (owd.owd.p50.as_nanos(), owd.owd.p99.as_nanos()),
        (6_020_000, 6_020_000)
    );
    assert_eq!(owd.jitter, 0.0);
    assert_eq!(
        (f.cwnd.as_ref(), f.rtt, f.cwnd_mean_time),
        (None, None, None)
    );
}

/// Twice what fits: every other packet is lost, and the rest waits for a full queue.
#[test]
fn what_does_not_fit_is_lost_and_the_queue_stands() {
    let r = result(
        "rate = '10 Mbit/s'\ndelay = '5 ms'\nqueue = '10 packets'",
        &flow("rate = '20 Mbit/s', size = 1250, frame = 'ip', feedback = { every = 1 }"),
    );
    let f = &r.flows[0];
    let d = f.datagrams.unwrap();
    assert!((d.loss.unwrap() - 0.5).abs() < 0.002, "{d:?}");
    let owd = f.delays.unwrap().owd;
    // One in service and ten or nine before it.
    assert!(
        (15.9..=17.1).contains(&(owd.p50.as_secs_f64() * 1e3)),
        "{owd:?}"
    );
    // Lost behind the last one that arrived is what the receiver cannot know of.
    let unknown = r.links[0].stats.dropped() - d.lost;
    assert!(unknown <= 20, "{unknown}");
}

/// Random loss is seen as it is: 10,000 draws at 10 % are within four standard deviations.
#[test]
fn random_loss_is_measured() {
    let r = result(
        "rate = '100 Mbit/s'\ndelay = '5 ms'\nloss = 0.1",
        &flow("rate = '10 Mbit/s', size = 1250, frame = 'ip', feedback = { every = 0 }"),
    );
    let f = &r.flows[0];
    assert!((f.datagrams.unwrap().loss.unwrap() - 0.1).abs() < 0.012);
    assert_eq!((f.acks_sent, f.retrans.total()), (0, 0));
}

/// TCP has what the constant rate leaves, and each is itself.
#[test]
fn a_run_mixes_transports() {
    let tcp = "[[flow]]\ncc = 'cubic'\n";
    let cbr = flow("rate = '4 Mbit/s', size = 1250, frame = 'ip'");
    let r = result(
        "rate = '10 Mbit/s'\ndelay = '5 ms'\nqueue = '100 packets'",
        &format!("{tcp}{cbr}"),
    );
    assert_eq!((r.flows[0].cc, r.flows[1].cc), ("cubic", "cbr"));
    let sum: f64 = r.flows.iter().map(|f| f.goodput_bps).sum();
    assert!((9.3e6..9.9e6).contains(&sum), "{sum}");
    assert!(r.flows[0].datagrams.is_none() && r.flows[0].goodput_bps > 5e6);
    assert!(r.flows[1].goodput_bps > 3.6e6, "{:?}", r.flows[1]);
}

/// Bursts of an application are sent at the rate of the transport, and the end of a flow is its end.
#[test]
fn applications_drive_it() {
    let line = "rate = '100 Mbit/s'\ndelay = '5 ms'";
    let cbr = "transport = { name = 'cbr', rate = '10 Mbit/s', size = 1250, frame = 'ip' }";
    let r = result(
        line,
        &format!("[[flow]]\n{cbr}\napp = {{ kind = 'bulk', packets = 1000 }}\n"),
    );
    let f = &r.flows[0];
    assert_eq!((f.received_bytes, f.data_segs_out), (1000 * 1222, 1000));
    // 999 intervals of 1 ms, then the way.
    let took = f.completion.unwrap().as_secs_f64();
    assert!((took - (0.999 + 0.00512)).abs() < 1e-4, "{took}");
    let r = result(
        line,
        &format!(
            "[[flow]]\n{cbr}\napp = {{ kind = 'on-off', rate = '1 Mbit/s', on = '1 s', off = '1 s' }}\n"
        ),
    );
    assert!(
        (r.flows[0].goodput_bps - 0.5e6).abs() < 0.06e6,
        "{}",
        r.flows[0].goodput_bps
    );
}
