//! Whatever can be done about ACKs at an access point, two at a time: it runs and keeps its books, or is
//! refused for a reason that stands here.

use super::*;
use crate::scenario::load_toml;
use acklab_path::packet::DropReason;

/// The action of one.
#[derive(Clone, Copy)]
enum Does {
    /// An ACK filter of the access point.
    Filter(&'static str),
    /// Keys of `[wifi]`.
    Wifi(&'static str),
    /// The policy of receivers.
    Ack(&'static str),
}
use Does::{Ack, Filter, Wifi};

/// Filters in the order in which an ACK can meet them.
const ALL: [(&str, Does); 13] = [
    ("tac", Filter("{ name = 'tac' }")),
    ("tac-paper", Filter("{ name = 'tac-paper' }")),
    ("aggregate", Filter("{ name = 'aggregate', ratio = 4 }")),
    (
        "android-thin",
        Filter("{ name = 'android-thin', flows = 99 }"),
    ),
    ("cake", Filter("{ name = 'cake' }")),
    (
        "cake-aggressive",
        Filter("{ name = 'cake', mode = 'aggressive' }"),
    ),
    (
        "android-replace",
        Filter("{ name = 'android-replace', flows = 99 }"),
    ),
    ("hack", Wifi("up.hack = true")),
    ("rdg", Wifi("up.reverse_grant = true")),
    (
        "diff",
        Wifi("down.edca = { cw_min = 7 }\nup.edca = { cw_min = 15 }"),
    ),
    ("per-station", Wifi("down.qdisc = 'per-station'")),
    (
        "delayed",
        Ack("{ name = 'delayed', segments = 2, count = 'segments' }"),
    ),
    ("byte-counting", Ack("{ name = 'byte-counting', l = 8 }")),
];

const BEFORE: [&str; 4] = ["tac", "tac-paper", "aggregate", "android-thin"];
const INSIDE: [&str; 3] = ["cake", "cake-aggressive", "android-replace"];

/// Why two do not go together, and what is said then.
fn refused(a: &str, b: &str) -> Option<&'static str> {
    let both = |of: &[&str]| of.contains(&a) && of.contains(&b);
    if both(&BEFORE) {
        Some("each keeps ACKs back by its own count or timer")
    } else if both(&INSIDE) {
        Some("each takes ACKs out of the same queue by its own rule")
    } else if both(&["delayed", "byte-counting"]) {
        // Of one flow: others may have another policy.
        Some("a list is not allowed here: there is room for one")
    } else {
        None
    }
}

fn scenario(pair: [Does; 2]) -> String {
    let list = |pick: fn(&Does) -> Option<&'static str>| {
        let found: Vec<_> = pair.iter().filter_map(pick).collect();
        match found[..] {
            [] => None,
            [one] => Some(one.to_string()),
            _ => Some(format!("[{}]", found.join(", "))),
        }
    };
    let filter = list(|d| match d {
        Filter(f) => Some(f),
        _ => None,
    });
    let ack = list(|d| match d {
        Ack(a) => Some(a),
        _ => None,
    });
    let wifi = pair.iter().filter_map(|d| match d {
        Wifi(keys) => Some(*keys),
        _ => None,
    });
    let filter = filter.map_or(String::new(), |f| format!("down.ack_filter = {f}"));
    let wifi: Vec<_> = wifi.chain([&*filter]).collect();
    let ack = ack.map_or(String::new(), |a| format!("ack = {a}"));
    format!(
        "duration = '2 s'\n[topology]\npreset = 'wlan'\nstations = 6\n\
         [topology.wire]\nrate = '100 Mbit/s'\ndelay = '2 ms'\n\
         [wifi]\nampdu = '16 KiB'\nqueue = '30 packets'\n{}\n\
         [record]\nacks = true\n[[flow]]\ncount = 6\n{ack}\n",
        wifi.join("\n")
            .replace("down.qdisc", "down.queue = '8192 packets'\ndown.qdisc")
    )
}

/// The link's books, and those of the filters in front of it.
pub(super) fn check(text: &str, name: &str) {
    let plan = load_toml(text, "t", &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = run(&plan.plan, 1, &AtomicBool::new(false)).expect("not interrupted");
    for l in &run.links {
        let s = &l.stats;
        let (came, gone) = (s.offered + s.duplicated, s.delivered + s.dropped());
        assert_eq!(came, gone + l.inside, "{name}: {}", l.name);
        let thinned = s.dropped_for(DropReason::AckThinned);
        let Some(f) = l.filter else {
            assert_eq!(thinned, 0, "{name}: {}", l.name);
            continue;
        };
        assert_eq!(f.dropped, thinned, "{name}: {}", l.name);
        assert_eq!(
            f.seen,
            f.forwarded + f.dropped + u64::from(f.held),
            "{name}: {}",
            l.name
        );
        assert!(
            f.dropped_queued <= f.dropped && f.seen > 20,
            "{name}: {f:?}"
        );
    }
    for f in &run.flows {
        // No slower than a twentieth of a fair share: nothing waits for what never comes.
        assert!(
            f.goodput_bps > 0.3e6,
            "{name}: {} has {}",
            f.name,
            f.goodput_bps
        );
    }
}

#[test]
fn every_two_run_or_are_refused_for_a_reason() {
    let mut without = 0;
    for (i, (a, first)) in ALL.into_iter().enumerate() {
        for (b, second) in ALL.into_iter().skip(i + 1) {
            let (text, name) = (scenario([first, second]), format!("{a} + {b}"));
            let Some(reason) = refused(a, b) else {
                check(&text, &name);
                continue;
            };
            without += 1;
            let told = load_toml(&text, "t.toml", &[])
                .map(|_| name.clone())
                .unwrap_err();
            let told = told.to_string();
            assert!(told.contains(reason), "{name}: {told}");
            assert!(told.contains("in t.toml, line"), "{name}: {told}");
            assert!(told.contains("\n  help: "), "{name}: {told}");
        }
    }
    // Six pairs of four, three of three, and the policies.
    assert_eq!(without, 6 + 3 + 1);
}

/// One before the queue and one that looks into it stand in one order only.
#[test]
fn the_one_that_looks_into_the_queue_stands_below() {
    for (a, first) in ALL.into_iter().filter(|(name, _)| INSIDE.contains(name)) {
        for (b, second) in ALL.into_iter().filter(|(name, _)| BEFORE.contains(name)) {
            let told = load_toml(&scenario([first, second]), "t", &[]).map(|_| (a, b));
            let told = told.unwrap_err().to_string();
            assert!(
                told.contains("write them in the order"),
                "{a} + {b}: {told}"
            );
        }
    }
}

/// Twice the same filter is two of a kind.
#[test]
fn nothing_stands_twice() {
    for (name, one) in ALL.into_iter().filter(|(_, d)| matches!(d, Filter(_))) {
        let told = load_toml(&scenario([one, one]), "t", &[]).map(|_| name);
        assert!(told.is_err(), "{name}");
    }
}
