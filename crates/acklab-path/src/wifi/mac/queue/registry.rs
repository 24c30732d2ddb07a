//! The ways of queueing in a station that a scenario can name.

use super::stations::{Aql, StationsConfig};
use crate::qdisc::{codel, fq_codel};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Rate, Span};

/// The queue of each station; `None` = one queue for all.
pub type Build = fn(&Params) -> Option<StationsConfig>;

/// Every way of queueing.
pub static QUEUES: &[Entry<Build>] = &[
    Entry {
        name: "shared",
        aliases: &[],
        summary: "One drop-tail queue for all receivers.",
        source: "ns-3 WifiMacQueue",
        params: &[],
        build: |_| None,
    },
    Entry {
        name: "per-station",
        aliases: &["mac80211"],
        summary: "FQ-CoDel for each receiver, airtime fairness between them, a short queue below.",
        source: "Linux net/mac80211/tx.c",
        params: PER_STATION,
        build: |p| Some(per_station(p)),
    },
];

const LINUX: StationsConfig = StationsConfig::LINUX;
const AQL: Aql = match LINUX.aql {
    Some(aql) => aql,
    None => panic!("Linux has an airtime queue limit"),
};

/// No time of a queue is longer than this.
const LONGEST: Span = Span::from_secs(60);
/// Shorter ones would drop every packet that waits at all.
const SHORTEST: Span = Span::from_micros(1);

const fn time(name: &'static str, doc: &'static str, default: Span) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Span(SHORTEST, LONGEST),
        default: Value::Span(default),
    }
}

const fn flag(name: &'static str, doc: &'static str, default: bool) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Bool,
        default: Value::Bool(default),
    }
}

const fn number(name: &'static str, doc: &'static str, most: i64, default: u32) -> Param {
    Param {
        name,
        doc,
        kind: Kind::Int(1, most),
        default: Value::Int(default as i64),
    }
}

const PER_STATION: &[Param] = &[
    time(
        "target",
        "CoDel: a wait that is acceptable as a standing queue.",
        LINUX.codel.target,
    ),
    time(
        "interval",
        "CoDel: how long the wait may be above it before packets are dropped or marked.",
        LINUX.codel.interval,
    ),
    flag(
        "ecn",
        "CoDel marks packets that may be marked instead of dropping them, but none of a slow receiver's.",
        LINUX.codel.ecn,
    ),
    time(
        "slow_target",
        "CoDel's `target` for a slow receiver.",
        LINUX.slow_codel.target,
    ),
    time(
        "slow_interval",
        "CoDel's `interval` for a slow receiver.",
        LINUX.slow_codel.interval,
    ),
    Param {
        name: "slow_below",
        doc: "A receiver is slow that is expected to get less than this times the number of receivers; 1 bit/s: none is; Linux up to 6.15: 6 Mbit/s.",
        kind: Kind::Rate,
        default: Value::Rate(LINUX.slow_below),
    },
    number(
        "flows",
        "Queues that the flows of a receiver are hashed into.",
        65_536,
        LINUX.queues,
    ),
    number(
        "quantum",
        "Bytes that a flow may send in a round.",
        1_000_000,
        LINUX.quantum,
    ),
    number(
        "drop_batch",
        "Most packets dropped at once when there are more than `queue` says.",
        1_000_000,
        LINUX.drop_batch,
    ),
    Param {
        name: "memory_limit",
        doc: "Bytes of memory that packets of all receivers may take: 2304 for one of 1500 bytes, 768 for an ACK. Default for b, g, a and n: 4194304.",
        kind: Kind::Int(fq_codel::LEAST_MEMORY, u32::MAX as i64),
        default: Value::Int(LINUX.memory as i64),
    },
    flag(
        "airtime_fairness",
        "Receivers take turns by airtime; otherwise by aggregates.",
        LINUX.airtime_fairness,
    ),
    time(
        "airtime_quantum",
        "Airtime that a receiver may use in a round.",
        LINUX.airtime_quantum,
    ),
    flag(
        "aql",
        "The airtime queue limit: no more of a receiver's packets go below than take so long.",
        true,
    ),
    time("aql_low", "The limit for each receiver.", AQL.low),
    time(
        "aql_high",
        "The limit for a receiver while all together are below `aql_threshold`.",
        AQL.high,
    ),
    time("aql_threshold", "See `aql_high`.", AQL.threshold),
    number(
        "hardware_queue",
        "Aggregates in the queue below, the one on the air included (ath9k).",
        1000,
        LINUX.hardware,
    ),
];

fn per_station(p: &Params) -> StationsConfig {
    let time = |name| p.span(name).unwrap_or(SHORTEST);
    let count = |name| p.int(name) as u32;
    let aql = Aql {
        low: time("aql_low"),
        high: time("aql_high"),
        threshold: time("aql_threshold"),
    };
    StationsConfig {
        queues: count("flows"),
        quantum: count("quantum"),
        drop_batch: count("drop_batch"),
        codel: codel::Params {
            target: time("target"),
            interval: time("interval"),
            ecn: p.bool("ecn"),
            ..LINUX.codel
        },
        slow_codel: codel::Params {
            target: time("slow_target"),
            interval: time("slow_interval"),
            ..LINUX.slow_codel
        },
        slow_below: p.rate("slow_below").unwrap_or(Rate::ZERO),
        airtime_fairness: p.bool("airtime_fairness"),
        airtime_quantum: time("airtime_quantum"),
        aql: p.bool("aql").then_some(aql),
        hardware: count("hardware_queue"),
        limit: LINUX.limit,
        memory: count("memory_limit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in QUEUES {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }

    #[test]
    fn the_defaults_are_those_of_linux() {
        let built = QUEUES
            .iter()
            .map(|e| (e.build)(&Params::defaults(e.params)));
        assert!(built.eq([None, Some(StationsConfig::LINUX)]));
    }

    #[test]
    fn each_parameter_changes_something() {
        let entry = &QUEUES[1];
        for p in PER_STATION {
            let mut params = Params::defaults(PER_STATION);
            let other = match p.default {
                Value::Bool(b) => Value::Bool(!b),
                Value::Int(i) => Value::Int(i + 1),
                Value::Span(s) => Value::Span(s + SHORTEST),
                Value::Rate(r) => Value::Rate(Rate::from_bps(r.as_bps() + 1)),
                v => panic!("{v:?}"),
            };
            params.set(PER_STATION, p.name, other).unwrap();
            assert_ne!((entry.build)(&params), Some(LINUX), "{}", p.name);
        }
    }
}
