//! Queue disciplines above stations of radio channels, through whole runs.

use super::pairs_tests::check;
use super::*;
use crate::record::{LinkSummary, RunResult};
use crate::scenario::load_toml;
use acklab_path::packet::DropReason;
use acklab_path::qdisc::registry::DISCIPLINES;

fn text(flows: &str, wifi: &str) -> String {
    format!(
        "duration = '4 s'\nwarmup = '1 s'\n[topology]\npreset = 'wlan'\nstations = 3\n{flows}\n\
         [topology.wire]\nrate = '1 Gbit/s'\ndelay = '5 ms'\n[wifi]\n{wifi}\n"
    )
}

fn go(text: &str) -> RunResult {
    let plan = load_toml(text, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    run(&plan.plan, 1, &AtomicBool::new(false)).expect("not interrupted")
}

/// A discipline with what it cannot do without.
fn written(name: &str) -> String {
    let child = "child = { name = 'fq-codel', queue = '200 packets' }";
    let classes = match name {
        "tbf" => format!("rate = '15 Mbit/s', {child}"),
        "htb" => format!("classes = [{{ rate = '10 Mbit/s', ceil = '15 Mbit/s', {child} }}]"),
        "queue-tree" => format!("queues = [{{ max_limit = '15 Mbit/s', {child} }}]"),
        _ => return format!("'{name}'"),
    };
    format!("{{ name = '{name}', {classes} }}")
}

/// Every discipline that there is, at the access point and at stations, with everything in front of it
/// that looks into a queue or past it. Debug builds balance all queues at every step.
#[test]
fn each_keeps_its_books_with_whatever_stands_in_front_of_it() {
    let around = [
        "",
        "down.ack_filter = 'cake'",
        "down.ack_filter = ['tac', { name = 'android-replace', flows = 99 }]",
        "hack = true",
        "up.reverse_grant = true",
        "lifetime = '20 ms'\nbit_error_rate = 1e-5",
    ];
    for entry in DISCIPLINES {
        for (i, around) in around.iter().enumerate() {
            let name = entry.name;
            let wifi = format!(
                "qdisc = {}\ndevice_queue = {}\n{around}",
                written(name),
                5 + 20 * i
            );
            let text = text("direction = 'up'", &wifi) + "[[flow]]\ncount = 3\n";
            check(&text, &format!("{name} and {around}"));
        }
    }
}

/// Marks made above a station reach the sender and count at its link; nothing has to be dropped.
#[test]
fn marks_made_above_the_device_reach_the_sender() {
    let wifi = "down.qdisc = 'fq-codel'\ndown.device_queue = 20";
    let flows = "[tcp]\necn = 'on'\n[[flow]]\ncc = 'cubic'\ncount = 3\n";
    let run = go(&(text("direction = 'down'", wifi) + flows));
    let down = |l: &&LinkSummary| l.name.starts_with("ap->sta");
    let marked: u64 = run.links.iter().filter(down).map(|l| l.stats.marked).sum();
    let dropped: u64 = run
        .links
        .iter()
        .filter(down)
        .map(|l| l.stats.dropped())
        .sum();
    assert!(marked > 0, "{marked}");
    assert_eq!(dropped, 0);
    for flow in &run.flows {
        assert!(flow.ecn_reductions > 0, "{}", flow.name);
        assert_eq!(flow.retrans.total(), 0, "{}", flow.name);
    }
}

/// A discipline's drops count with their reason, and its backlog counts as the link's queue.
#[test]
fn drops_and_waiting_are_the_links() {
    let wifi = |q: &str| format!("down.qdisc = '{q}'\ndown.device_queue = 20");
    let flows = "[[flow]]\ncc = 'cubic'\ncount = 3\n";
    let of = |q: &str| go(&(text("direction = 'down'", &wifi(q)) + flows));
    let sum = |run: &RunResult, why| {
        let links = run.links.iter().map(|l| l.stats.dropped_for(why));
        links.sum::<u64>()
    };
    let (codel, fifo) = (of("codel"), of("pfifo"));
    assert!(sum(&codel, DropReason::Aqm) > 0);
    assert_eq!(sum(&codel, DropReason::QueueFull), 0);
    assert_eq!(sum(&fifo, DropReason::Aqm), 0);
    let wait = |run: &RunResult| {
        let links = run.links.iter().filter(|l| l.name.starts_with("ap->sta"));
        links.map(|l| l.stats.sojourn_mean()).max().expect("links")
    };
    assert!(
        wait(&codel) < wait(&fifo) / 2,
        "{} {}",
        wait(&codel),
        wait(&fifo)
    );
}

/// Flows are put into queues by a draw that is the place's own: another station changes nothing of it.
#[test]
fn the_same_seed_gives_the_same_run() {
    let wifi = "qdisc = 'fq-codel'\ndevice_queue = 30";
    let text = text("direction = 'down'", wifi) + "[[flow]]\ncount = 3\n";
    assert_eq!(
        format!("{:?}", go(&text).flows),
        format!("{:?}", go(&text).flows)
    );
}
