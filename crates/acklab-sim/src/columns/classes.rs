//! Tins and classes of queue disciplines as columns, by the names of `tc -s`.

use super::Table;
use super::cells::ms;
use crate::record::ClassSummary;
use acklab_path::qdisc::cake::stats::TinRow;
use acklab_path::qdisc::classes::Counts;
use acklab_path::qdisc::shape::htb::stats::ClassRow;
use acklab_units::Rate;

/// Not-a-number where a kind of part has no such counter.
fn of_tin(row: &ClassSummary, value: impl Fn(&TinRow) -> f64) -> f64 {
    match &row.row.counts {
        Counts::Tin(tin) => value(tin),
        Counts::Class(_) => f64::NAN,
    }
}

fn of_class(row: &ClassSummary, value: impl Fn(&ClassRow) -> f64) -> f64 {
    match &row.row.counts {
        Counts::Tin(_) => f64::NAN,
        Counts::Class(class) => value(class),
    }
}

fn mbps(rate: Rate) -> f64 {
    rate.as_bps() as f64 / 1e6
}

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

/// Counters that only a class has.
const CLASS: [(&str, OfClass); 9] = [
    ("level", |c| f64::from(c.level)),
    ("prio", |c| {
        c.turn.map_or(f64::NAN, |(prio, _)| f64::from(prio))
    }),
    ("rate_mbps", |c| mbps(c.rate)),
    ("ceil_mbps", |c| mbps(c.ceil)),
    ("pkts_sent", |c| c.packets as f64),
    ("bytes_sent", |c| c.bytes as f64),
    ("overlimits", |c| c.overlimits as f64),
    ("lended", |c| c.lended as f64),
    ("borrowed", |c| c.borrowed as f64),
];

pub(super) fn queue_classes(rows: &[ClassSummary]) -> Table<'_> {
    let mut t = Table::default();
    let r = || rows.iter();
    t.words("place", r().map(|c| c.place.as_str()))
        .words("class", r().map(|c| c.row.name.as_str()))
        .words("part", r().map(part));
    for (name, value) in TIN {
        t.numbers(name, r().map(|c| of_tin(c, value)));
    }
    for (name, value) in CLASS {
        t.numbers(name, r().map(|c| of_class(c, value)));
    }
    t.numbers("drops", r().map(drops))
        .numbers("ecn_marks", r().map(|c| of_tin(c, |t| t.marks as f64)))
        .numbers("backlog_bytes", r().map(backlog))
        .numbers(
            "backlog_packets",
            r().map(|c| of_class(c, |c| f64::from(c.backlog.1))),
        )
        .numbers("quantum_bytes", r().map(quantum));
    t
}

fn part(row: &ClassSummary) -> &str {
    match row.row.counts {
        Counts::Tin(_) => "tin",
        Counts::Class(_) => "class",
    }
}

fn drops(row: &ClassSummary) -> u64 {
    match row.row.counts {
        Counts::Tin(tin) => tin.drops,
        Counts::Class(class) => class.dropped,
    }
}

fn backlog(row: &ClassSummary) -> u64 {
    match row.row.counts {
        Counts::Tin(tin) => tin.backlog,
        Counts::Class(class) => class.backlog.0,
    }
}

fn quantum(row: &ClassSummary) -> f64 {
    match row.row.counts {
        Counts::Tin(tin) => f64::from(tin.quantum),
        Counts::Class(class) => class.turn.map_or(f64::NAN, |(_, bytes)| f64::from(bytes)),
    }
}
