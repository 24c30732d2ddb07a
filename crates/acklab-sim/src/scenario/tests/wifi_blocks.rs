//! Rate controls, queues per station, and ACKs in Block Acks.

use super::wifi::{STATIONS, medium, port, reloads};
use super::wifi_errors::{told, told_all};
use super::{Scenario, toml_with};
use crate::plan::{QueuePlan, StationDisciplinePlan};
use acklab_path::ack_filter::registry::FILTERS;
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_path::wifi::mac::{Counts, Kind, StationsConfig};
use acklab_path::wifi::medium::{AccessCategory, CarriedAcks, RateConfig};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_units::{Rate, Span};

pub(super) fn set(keys: &[(&str, &str)]) -> Scenario {
    let scenario = toml_with(STATIONS, keys).unwrap_or_else(|e| panic!("{e}"));
    reloads(&scenario);
    scenario
}

fn rate(scenario: &Scenario, name: &str) -> RateConfig {
    port(&scenario.plan, name).rate.clone()
}

/// How many modes there are, the slowest and the fastest.
fn choice(rate: RateConfig) -> (usize, String, String) {
    let (RateConfig::Minstrel { modes } | RateConfig::Ideal { modes, .. }) = rate else {
        panic!("{rate:?} is fixed");
    };
    let by_rate = |m: &&acklab_path::wifi::phy::Mode| m.rate();
    let (least, most) = (
        modes.iter().min_by_key(by_rate),
        modes.iter().max_by_key(by_rate),
    );
    (
        modes.len(),
        least.unwrap().to_string(),
        most.unwrap().to_string(),
    )
}

#[test]
fn rate_controls_choose_among_all_modes_of_a_way() {
    let of = |keys: &[(&str, &str)]| {
        let mut keys = keys.to_vec();
        keys.push(("wifi.rate_control", "minstrel"));
        choice(rate(&set(&keys), "sta0->ap"))
    };
    let n = of(&[]);
    assert_eq!((n.0, n.1.as_str()), (8, "HT MCS0 20 MHz 1x 800 ns"));
    let n = of(&[("wifi.streams", "2"), ("wifi.width", "40 MHz")]);
    assert_eq!((n.0, n.2.as_str()), (16, "HT MCS15 40 MHz 2x 800 ns"));
    let ac = of(&[("wifi.standard", "ac"), ("wifi.streams", "3")]);
    assert_eq!((ac.0, ac.2.as_str()), (28, "VHT MCS9 20 MHz 3x 800 ns"));
    let ax = of(&[("wifi.standard", "ax"), ("wifi.guard_interval", "3200 ns")]);
    assert_eq!((ax.0, ax.1.as_str()), (12, "HE MCS0 20 MHz 1x 3200 ns"));
    for (standard, count, fastest) in [
        ("b", 4, "HR/DSSS 11 Mbit/s"),
        ("g", 8, "OFDM 54 Mbit/s"),
        ("a", 8, "OFDM 54 Mbit/s"),
    ] {
        let legacy = of(&[("wifi.standard", standard), ("wifi.ampdu", "off")]);
        assert_eq!((legacy.0, legacy.2.as_str()), (count, fastest));
    }
}

#[test]
fn of_mode_and_rate_control_the_innermost_counts() {
    let scenario = set(&[
        ("wifi.mcs", "3"),
        ("wifi.down.rate_control", "minstrel"),
        ("wifi.station.sta1.mcs", "1"),
        ("wifi.station.sta2.down.rate_control", "fixed"),
    ]);
    let mcs = |name| match rate(&scenario, name) {
        RateConfig::Fixed(mode) => Some(mode.mcs()),
        _ => None,
    };
    let all = ["sta0->ap", "ap->sta0", "sta1->ap", "ap->sta1", "ap->sta2"].map(mcs);
    assert_eq!(all, [Some(3), None, Some(1), Some(1), Some(3)]);
}

#[test]
fn ideal_needs_a_signal() {
    let positions = ("wifi.space.ring", "5");
    let ideal = ("wifi.rate_control", "{ name = 'ideal', loss = 0.01 }");
    let found = rate(&set(&[positions, ideal]), "ap->sta2");
    assert!(matches!(
        found,
        RateConfig::Ideal {
            bytes: 1538,
            loss: 0.01,
            ..
        }
    ));
    let where_ = "write where the stations are: [wifi.space] with `ring`, `line` or `place`";
    assert_eq!(
        told("wifi.rate_control", "ideal"),
        format!(
            "wifi.rate_control: `ideal` chooses by the signal, and without positions there is none|\
             {where_}; or rate_control = \"minstrel\""
        )
    );
    assert_eq!(
        told_all(&[positions, ideal, ("wifi.bit_error_rate", "1e-6")]),
        "wifi.rate_control: `ideal` chooses by the signal, and errors here do not|\
         write errors = \"snr\", or rate_control = \"minstrel\""
    );
}

#[test]
fn rate_controls_contradict_modes() {
    let hint = "leave it out, or write rate_control = \"fixed\"";
    for (key, value) in [("mcs", "3"), ("rate", "26 Mbit/s")] {
        let at = format!("wifi.{key}");
        assert_eq!(
            told_all(&[("wifi.rate_control", "minstrel"), (&at, value)]),
            format!("{at}: `minstrel` chooses the mode itself|{hint}")
        );
    }
    assert_eq!(
        told("wifi.up.rate_control", "minstral"),
        "wifi.up.rate_control: there is no rate control called `minstral`|did you mean `minstrel`?"
    );
    let minstrel = ("wifi.rate_control", "minstrel");
    assert_eq!(
        told_all(&[minstrel, ("wifi.streams", "5")]),
        "wifi.streams: HT does not have 5 streams|use 1 to 4"
    );
    assert_eq!(
        told_all(&[minstrel, ("wifi.width", "160 MHz")]),
        "wifi.width: HT does not have 160 MHz|use 20 MHz or 40 MHz"
    );
    assert_eq!(
        told_all(&[
            minstrel,
            ("wifi.standard", "g"),
            ("wifi.ampdu", "off"),
            ("wifi.streams", "2")
        ]),
        "wifi.streams: 802.11g does not have `streams`|write `rate`, or choose standard = \"n\" for `streams`"
    );
    assert_eq!(
        told("wifi.rate_control", "{ name = 'ideal', loss = 0 }"),
        "wifi.rate_control.loss: out of range for `loss`|write a number from 0.000000001 to 0.999\n\
         wifi.rate_control: `ideal` chooses by the signal, and without positions there is none|\
         write where the stations are: [wifi.space] with `ring`, `line` or `place`; or \
         rate_control = \"minstrel\""
    );
}

fn queues(keys: &[(&str, &str)]) -> Vec<Kind> {
    let plan = set(keys).plan;
    let stations = plan.media[0].config.stations.iter();
    stations.map(|s| s.queue.kind).collect()
}

#[test]
fn queues_per_station_are_those_of_linux() {
    let text = STATIONS.replace("queue = \"200 packets\"\n", "");
    let with = |keys: &[(&str, &str)]| {
        let kinds = medium(&text, keys).config.stations;
        kinds.iter().map(|s| s.queue.kind).collect::<Vec<_>>()
    };
    let all = with(&[("wifi.qdisc", "per-station")]);
    let linux = |memory| {
        Kind::PerStation(StationsConfig {
            memory,
            ..StationsConfig::LINUX
        })
    };
    let before_vht = StationsConfig::MEMORY_BEFORE_VHT;
    assert_eq!(all, [linux(before_vht); 4]);
    let ap = with(&[("wifi.down.qdisc", "mac80211")]);
    assert_eq!(ap[0], linux(before_vht));
    let own = "{ name = 'mac80211', memory_limit = 100000 }";
    for (standard, qdisc, memory) in [
        ("ac", "mac80211", 16 << 20),
        ("ax", "mac80211", 16 << 20),
        ("n", own, 100_000),
        ("ax", own, 100_000),
    ] {
        let all = with(&[("wifi.standard", standard), ("wifi.qdisc", qdisc)]);
        assert_eq!(all[0], linux(memory), "{standard} {qdisc}");
    }
    assert!(matches!(ap[1], Kind::Shared { limit: 500, .. }));
}

#[test]
fn every_parameter_of_a_queue_per_station_reaches_the_plan() {
    let table = "{ name = 'per-station', target = '5 ms', interval = '50 ms', ecn = false, \
        slow_target = '60 ms', slow_interval = '400 ms', slow_below = '1 Mbit/s', flows = 64, \
        quantum = 1514, drop_batch = 1, memory_limit = 70000, airtime_fairness = false, airtime_quantum = '1 ms', \
        aql_low = '1 ms', aql_high = '2 ms', aql_threshold = '3 ms', hardware_queue = 1 }";
    let found = queues(&[("wifi.down.qdisc", table)])[0];
    let Kind::PerStation(c) = found else {
        panic!("{found:?}");
    };
    let ms = Span::from_millis;
    assert_eq!((c.limit, c.queues, c.quantum), (200, 64, 1514));
    assert_eq!(
        (c.codel.target, c.codel.interval, c.codel.ecn),
        (ms(5), ms(50), false)
    );
    assert_eq!(
        (c.slow_codel.target, c.slow_codel.interval),
        (ms(60), ms(400))
    );
    assert_eq!(c.slow_below, Rate::from_bps(1_000_000));
    assert_eq!((c.drop_batch, c.hardware, c.memory), (1, 1, 70_000));
    assert_eq!((c.airtime_fairness, c.airtime_quantum), (false, ms(1)));
    let aql = c.aql.expect("a limit");
    assert_eq!((aql.low, aql.high, aql.threshold), (ms(1), ms(2), ms(3)));
    let Kind::PerStation(off) = queues(&[
        ("wifi.down.qdisc.name", "per-station"),
        ("wifi.down.qdisc.aql", "false"),
    ])[0] else {
        panic!("shared");
    };
    assert_eq!(off.aql, None);
}

#[test]
fn what_counts_is_said_for_shared_queues_only() {
    let counts = ("wifi.queue_counts", "waiting");
    let waiting = Kind::Shared {
        limit: 200,
        counts: Counts::Waiting,
    };
    let per_station = |kind: &Kind| matches!(kind, Kind::PerStation(_));
    let down = queues(&[counts, ("wifi.down.qdisc", "per-station")]);
    assert!(per_station(&down[0]), "{down:?}");
    assert_eq!(down[1..], [waiting; 3]);
    let up = queues(&[counts, ("wifi.up.qdisc", "per-station")]);
    assert_eq!(up[0], waiting);
    assert!(up[1..].iter().all(per_station), "{up:?}");
    // With no such queue it says nothing, and the whole scenario does not say it either.
    let all = set(&[("wifi.qdisc", "per-station")]);
    assert!(!all.resolved.contains("queue_counts"), "{}", all.resolved);
}

#[test]
fn queues_per_station_have_ranges() {
    let with = |value: &str| {
        let table = format!("{{ name = 'per-station', {value} }}");
        told("wifi.qdisc", &table)
    };
    assert_eq!(
        with("interval = '0 s'"),
        "wifi.qdisc.interval: out of range for `interval`|write a time from \"1 us\" to \"60 s\""
    );
    assert_eq!(
        with("flows = 0"),
        "wifi.qdisc.flows: out of range for `flows`|write a whole number from 1 to 65536"
    );
    assert_eq!(
        with("tarket = '1 ms'"),
        "wifi.qdisc.tarket: `per-station` has no parameter `tarket`|did you mean `target`?"
    );
    let text = told("wifi.qdisc", "blue");
    let start = "wifi.qdisc: there is no way of queueing called `blue`|\
                 the names are `shared`, `per-station`, `mac80211`, `pfifo`, `bfifo`, ";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn a_discipline_stands_above_the_device_of_whoever_says_so() {
    let table = "{ name = 'fq_codel', target = '7 ms' }";
    let scenario = set(&[
        ("wifi.down.qdisc", table),
        ("wifi.down.device_queue", "64"),
        ("wifi.station.sta1.qdisc", "codel"),
        ("wifi.station.sta1.queue", "50 packets"),
        ("wifi.queue_counts", "unacknowledged"),
    ]);
    let medium = &scenario.plan.media[0];
    let [ap, sta] = &medium.disciplines[..] else {
        panic!("{:?}", medium.disciplines);
    };
    let told = |d: &StationDisciplinePlan| {
        let name = d.discipline.entry.name;
        (d.station.0, name, d.queue, d.discipline.device)
    };
    assert_eq!(told(ap), (0, "fq-codel", QueuePlan::Packets(200), 64));
    assert_eq!(told(sta), (2, "codel", QueuePlan::Packets(50), 123));
    let target = ap.discipline.params.span("target");
    assert_eq!(target, Some(Span::from_millis(7)));
    let below = |limit| Kind::Shared {
        limit,
        counts: Counts::Unacknowledged,
    };
    let kinds: Vec<_> = medium
        .config
        .stations
        .iter()
        .map(|s| s.queue.kind)
        .collect();
    assert_eq!(kinds, [64, 200, 123, 200].map(below));
    let written = "qdisc = { name = \"fq-codel\", target = \"7 ms\"";
    assert!(scenario.resolved.contains(written), "{}", scenario.resolved);
    assert!(scenario.resolved.contains("device_queue = 64"));
}

#[test]
fn a_discipline_has_its_own_limit_unless_told() {
    let text = STATIONS.replace("queue = \"200 packets\"\n", "");
    let limit = |keys: &[(&str, &str)]| medium(&text, keys).disciplines[0].queue;
    let packets = QueuePlan::Packets;
    assert_eq!(limit(&[("wifi.qdisc", "pfifo")]), packets(1000));
    assert_eq!(limit(&[("wifi.qdisc", "codel")]), packets(1000));
    assert_eq!(limit(&[("wifi.qdisc", "fq-codel")]), packets(10_240));
    let bytes = [("wifi.qdisc", "pfifo"), ("wifi.queue", "64 KiB")];
    assert_eq!(limit(&bytes), QueuePlan::Bytes(65_536));
    set(&bytes);
    // A limit for all devices is of use to those that have something above.
    let some = [("wifi.device_queue", "30"), ("wifi.up.qdisc", "pfifo")];
    assert_eq!(set(&some).plan.media[0].disciplines.len(), 3);
}

#[test]
fn answers_carry_acks_of_the_way_that_says_so() {
    let hack = |keys: &[(&str, &str)]| {
        let alone = [keys, &[("wifi.down.ack_filter", "none")]].concat();
        let plan = set(&alone).plan;
        ["sta0->ap", "ap->sta0", "ap->sta1"].map(|n| port(&plan, n).carries_acks)
    };
    assert_eq!(hack(&[]), [None; 3]);
    let on = Some(CarriedAcks::HACK);
    assert_eq!(hack(&[("wifi.hack", "true")]), [on; 3]);
    let down = [
        ("wifi.down.hack", "true"),
        ("wifi.station.sta1.hack", "false"),
    ];
    assert_eq!(hack(&down), [None, on, None]);
    let own = hack(&[(
        "wifi.down.hack",
        "{ ack_size = '6 B', most = 8, patience = '2 ms', reserve = true }",
    )]);
    let patience = Span::from_millis(2);
    assert_eq!(
        own[1],
        Some(CarriedAcks {
            bytes: 6,
            most: 8,
            patience,
            reserve: true
        })
    );
}

/// The filter says which ACK goes on, the answer takes along what is in the queue then.
#[test]
fn every_filter_goes_with_carried_acks() {
    let names = FILTERS.iter().map(|e| format!("'{}'", e.name));
    let chains = ["['tac', 'cake']", "['aggregate', 'android-replace']"].map(String::from);
    for filter in names.chain(chains) {
        let text = STATIONS.replace("{ name = \"aggregate\", ratio = 4 }", &filter);
        let keys = [("wifi.up.hack".to_string(), "true".to_string())];
        let loaded = crate::scenario::load_toml(&text, "t", &keys);
        let plan = loaded.unwrap_or_else(|e| panic!("{filter}: {e}")).plan;
        assert_eq!(
            port(&plan, "sta0->ap").carries_acks,
            Some(CarriedAcks::HACK)
        );
    }
}

#[test]
fn carried_acks_have_ranges() {
    let told = |key, value| told_all(&[(key, value), ("wifi.down.ack_filter", "none")]);
    assert_eq!(
        told("wifi.hack.ack_size", "81 B"),
        "wifi.hack.ack_size: out of range for a compressed ACK|write \"1 B\" to \"80 B\""
    );
    assert_eq!(
        told("wifi.down.hack.most", "0"),
        "wifi.down.hack.most: out of range|write 1 to 65535, or hack = false"
    );
    assert_eq!(
        told("wifi.hack.patience", "0 s"),
        "wifi.hack.patience: out of range|write a time above zero, \"10 s\" at most"
    );
    assert_eq!(
        told("wifi.hack", "yes"),
        "wifi.hack: a text is not allowed here|\
         write true, false, or a table such as { ack_size = \"4 B\", most = 64 }"
    );
}

/// Off by default; `true` is ns-3's, and a table changes single keys of it. It is best effort, whatever the flows are.
#[test]
fn addresses_are_asked_for_if_the_channel_says_so() {
    let arp = |keys: &[(&str, &str)]| set(keys).plan.media[0].config.arp;
    assert_eq!(arp(&[]), None);
    assert_eq!(arp(&[("wifi.arp", "false")]), None);
    assert_eq!(arp(&[("wifi.arp", "true")]), Some(ArpConfig::NS3));
    let own = ArpConfig {
        jitter_ms: 0,
        retries: 0,
        pending: 7,
        wait_reply: Span::from_millis(250),
        learns: true,
        ..ArpConfig::NS3
    };
    let table =
        "{ jitter = \"0 s\", retries = 0, pending = 7, wait_reply = \"250 ms\", learns = true }";
    assert_eq!(arp(&[("wifi.arp", table)]), Some(own));
    let scenario = set(&[("wifi.arp", "true"), ("wifi.category", "voice")]);
    let m = &scenario.plan.media[0];
    assert_eq!(
        m.access,
        [AccessCategory::Voice, AccessCategory::BestEffort]
    );
    assert_eq!(m.config.arp.map(|a| a.category), Some(1));
}

/// Off by default; `true` is ns-3's for the standard, and a table changes single keys of it.
#[test]
fn agreements_are_set_up_if_the_channel_says_so() {
    let addba = |keys: &[(&str, &str)]| set(keys).plan.media[0].config.addba;
    assert_eq!(addba(&[]), None);
    assert_eq!(addba(&[("wifi.addba", "false")]), None);
    let on = ("wifi.addba", "true");
    assert_eq!(addba(&[on]), Some(AddbaConfig::NS3_HT));
    for standard in ["ac", "ax"] {
        let of = addba(&[on, ("wifi.standard", standard)]);
        assert_eq!(of, Some(AddbaConfig::NS3_VHT));
    }
    let own = AddbaConfig {
        packets: 8,
        response_timeout: Span::from_secs(1),
        failed_timeout: Span::from_secs(15),
    };
    let table = "{ packets = 8, response_timeout = \"1 s\", failed_timeout = \"15 s\" }";
    assert_eq!(addba(&[("wifi.addba", table)]), Some(own));
}

#[test]
fn what_cannot_be_said_of_addba_is_told() {
    assert_eq!(
        told("wifi.addba.packets", "0"),
        "wifi.addba.packets: out of range|write 1 to 65535"
    );
    assert_eq!(
        told("wifi.addba.failed_timeout", "0 s"),
        "wifi.addba.failed_timeout: out of range|write a time above zero, \"86400 s\" at most"
    );
    assert_eq!(
        told("wifi.addba", "yes"),
        "wifi.addba: a text is not allowed here|\
         write true, false, or a table such as { response_timeout = \"5 ms\" }"
    );
    let told = told_all(&[("wifi.addba", "true"), ("wifi.standard", "a")]);
    let expected = "wifi.addba: 802.11a has no block ack agreements|\
                    leave it out, or write standard = \"n\", \"ac\" or \"ax\"";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn what_cannot_be_said_of_arp_is_told() {
    assert_eq!(
        told("wifi.arp.jitter", "1500 us"),
        "wifi.arp.jitter: out of range|write whole milliseconds, \"0 s\" to \"1 s\": ns-3 draws whole ones"
    );
    assert_eq!(
        told("wifi.arp.pending", "0"),
        "wifi.arp.pending: out of range|write 1 to 65535"
    );
    assert_eq!(
        told("wifi.arp.alive", "0 s"),
        "wifi.arp.alive: out of range|write a time above zero, \"86400 s\" at most"
    );
    assert_eq!(
        told("wifi.arp", "yes"),
        "wifi.arp: a text is not allowed here|\
         write true, false, or a table such as { retries = 3, learns = true }"
    );
}
