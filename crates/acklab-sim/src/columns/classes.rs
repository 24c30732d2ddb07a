//! Queue disciplines, their tins and classes as columns, by the names of `tc -s`.

use super::Table;
use super::cells::ms;
use crate::record::{ClassSummary, RunResult};
use acklab_path::qdisc::cake::stats::{TinRow, WholeRow};
use acklab_path::qdisc::classes::{Counts, QueueRow};
use acklab_path::qdisc::shape::htb::stats::ClassRow;
use acklab_units::Rate;

/// Not-a-number where a kind of part has no such counter.
fn of_tin(row: &ClassSummary, value: impl Fn(&TinRow) -> f64) -> f64 {
    match &row.row.counts {
        Counts::Tin(tin) => value(tin),
        Counts::Whole(_) | Counts::Class(_) | Counts::Queue(_) => f64::NAN,
    }
}

fn of_whole(row: &ClassSummary, value: impl Fn(&WholeRow) -> f64) -> f64 {
    match &row.row.counts {
        Counts::Whole(whole) => value(whole),
        Counts::Tin(_) | Counts::Class(_) | Counts::Queue(_) => f64::NAN,
    }
}

fn of_class(row: &ClassSummary, value: impl Fn(&ClassRow) -> f64) -> f64 {
    match &row.row.counts {
        Counts::Class(class) => value(class),
        Counts::Whole(_) | Counts::Tin(_) | Counts::Queue(_) => f64::NAN,
    }
}

fn of_queue(row: &ClassSummary) -> Option<&QueueRow> {
    match &row.row.counts {
        Counts::Queue(queue) => Some(queue),
        Counts::Whole(_) | Counts::Tin(_) | Counts::Class(_) => None,
    }
}

fn mbps(rate: Rate) -> f64 {
    rate.as_bps() as f64 / 1e6
}

fn or_nan(value: Option<impl Into<f64>>) -> f64 {
    value.map_or(f64::NAN, Into::into)
}

type OfWhole = fn(&WholeRow) -> f64;
type OfTin = fn(&TinRow) -> f64;
type OfClass = fn(&ClassRow) -> f64;

/// Counters that only a tin has.
const TIN: [(&str, OfTin); 16] = [
    ("threshold_mbps", |t| t.threshold.map_or(f64::NAN, mbps)),
    ("target_ms", |t| ms(t.target)),
    ("interval_ms", |t| ms(t.interval)),
    ("pk_delay_ms", |t| ms(t.peak_delay)),
    ("av_delay_ms", |t| ms(t.average_delay)),
    ("sp_delay_ms", |t| ms(t.sparse_delay)),
    ("pkts_arrived", |t| t.packets as f64),
    ("bytes_arrived", |t| t.bytes as f64),
    ("way_inds", |t| t.way_hits as f64),
    ("way_miss", |t| t.way_misses as f64),
    ("way_cols", |t| t.way_collisions as f64),
    ("ack_drop", |t| t.ack_drops as f64),
    ("sp_flows", |t| f64::from(t.sparse_flows)),
    ("bk_flows", |t| f64::from(t.bulk_flows)),
    ("un_flows", |t| f64::from(t.unresponsive_flows)),
    ("max_len", |t| f64::from(t.longest)),
];

/// Counters that only a whole discipline has.
const WHOLE: [(&str, OfWhole); 7] = [
    ("memory_used_bytes", |w| w.memory_used as f64),
    ("memory_limit_bytes", |w| w.memory_limit as f64),
    ("capacity_mbps", |w| or_nan(w.capacity.map(mbps))),
    ("min_network_size", |w| or_nan(w.network_sizes.map(|s| s.0))),
    ("max_network_size", |w| or_nan(w.network_sizes.map(|s| s.1))),
    ("min_adj_size", |w| {
        or_nan(w.adjusted_sizes.map(|s| s.0 as f64))
    }),
    ("max_adj_size", |w| {
        or_nan(w.adjusted_sizes.map(|s| s.1 as f64))
    }),
];

/// Counters that a whole discipline and a class have.
type OfBoth = (&'static str, OfWhole, OfClass);
const BOTH: [OfBoth; 3] = [
    ("pkts_sent", |w| w.packets as f64, |c| c.packets as f64),
    ("bytes_sent", |w| w.bytes as f64, |c| c.bytes as f64),
    (
        "overlimits",
        |w| w.overlimits as f64,
        |c| c.overlimits as f64,
    ),
];

/// Counters that only a class has.
const CLASS: [(&str, OfClass); 6] = [
    ("level", |c| f64::from(c.level)),
    ("prio", |c| {
        c.turn.map_or(f64::NAN, |(prio, _)| f64::from(prio))
    }),
    ("rate_mbps", |c| mbps(c.rate)),
    ("ceil_mbps", |c| mbps(c.ceil)),
    ("lended", |c| c.lended as f64),
    ("borrowed", |c| c.borrowed as f64),
];

pub(super) fn queue_classes(rows: &[ClassSummary]) -> Table<'_> {
    let mut t = Table::default();
    let r = || rows.iter().filter(|c| of_queue(c).is_none());
    t.words("place", r().map(|c| c.place.as_str()))
        .words("class", r().map(|c| c.row.name.as_str()))
        .words("part", r().map(part));
    for (name, value) in TIN {
        t.numbers(name, r().map(|c| of_tin(c, value)));
    }
    for (name, value) in CLASS {
        t.numbers(name, r().map(|c| of_class(c, value)));
    }
    for (name, value) in WHOLE {
        t.numbers(name, r().map(|c| of_whole(c, value)));
    }
    for (name, whole, class) in BOTH {
        t.numbers(name, r().map(|c| of_both(c, whole, class)));
    }
    t.numbers("drops", r().map(drops))
        .numbers("ecn_marks", r().map(|c| of_tin(c, |t| t.marks as f64)))
        .numbers("backlog_bytes", r().map(backlog))
        .numbers(
            "backlog_packets",
            r().map(|c| of_both(c, |w| f64::from(w.backlog.1), |c| f64::from(c.backlog.1))),
        )
        .numbers("quantum_bytes", r().map(quantum));
    t
}

/// CoDels and FQ-CoDels, for `tc -s`; they are no table of a result.
pub fn queues(result: &RunResult) -> Table<'_> {
    type Of = fn(&QueueRow) -> u64;
    const COUNTS: [(&str, Of); 8] = [
        ("pkts_sent", |q| q.stats.dequeued),
        ("bytes_sent", |q| q.sent),
        ("drops", |q| q.stats.refused + q.stats.dropped_inside),
        ("drop_overlimit", |q| q.overlimit),
        ("marks", |q| q.stats.marked),
        ("ce_marks", |q| q.stats.marked_by_threshold),
        ("backlog_bytes", |q| q.stats.bytes),
        ("backlog_packets", |q| u64::from(q.stats.packets)),
    ];
    let mut t = Table::default();
    let all = || result.classes.iter();
    let r = || all().filter_map(|c| of_queue(c).map(|q| (c, q)));
    t.words("place", r().map(|(c, _)| c.place.as_str()))
        .words("class", r().map(|(c, _)| c.row.name.as_str()));
    for (name, value) in COUNTS {
        t.numbers(name, r().map(|(_, q)| value(q)));
    }
    t
}

fn of_both(row: &ClassSummary, whole: OfWhole, class: OfClass) -> f64 {
    match &row.row.counts {
        Counts::Tin(_) | Counts::Queue(_) => f64::NAN,
        Counts::Whole(row) => whole(row),
        Counts::Class(row) => class(row),
    }
}

fn part(row: &ClassSummary) -> &str {
    match row.row.counts {
        Counts::Whole(_) => "qdisc",
        Counts::Tin(_) => "tin",
        Counts::Class(_) => "class",
        Counts::Queue(_) => "queue",
    }
}

fn drops(row: &ClassSummary) -> u64 {
    match row.row.counts {
        Counts::Whole(whole) => whole.dropped,
        Counts::Tin(tin) => tin.drops,
        Counts::Class(class) => class.dropped,
        Counts::Queue(queue) => queue.stats.refused + queue.stats.dropped_inside,
    }
}

fn backlog(row: &ClassSummary) -> u64 {
    match row.row.counts {
        Counts::Whole(whole) => whole.backlog.0,
        Counts::Tin(tin) => tin.backlog,
        Counts::Class(class) => class.backlog.0,
        Counts::Queue(queue) => queue.stats.bytes,
    }
}

fn quantum(row: &ClassSummary) -> f64 {
    match row.row.counts {
        Counts::Whole(_) | Counts::Queue(_) => f64::NAN,
        Counts::Tin(tin) => f64::from(tin.quantum),
        Counts::Class(class) => class.turn.map_or(f64::NAN, |(_, bytes)| f64::from(bytes)),
    }
}
