//! One row per direction of a link.

use super::Table;
use super::cells::{maybe_ms, ms};
use crate::record::{Distribution, LinkSummary};
use acklab_path::ack_filter::FilterStats;
use acklab_path::packet::DropReason;
use acklab_units::Span;

pub(super) fn links<'a>(rows: &'a [LinkSummary]) -> Table<'a> {
    let mut t = Table::default();
    let r = || rows.iter();
    let filtered = |l: &LinkSummary, count: fn(&FilterStats) -> u64| {
        l.filter.as_ref().map_or(f64::NAN, |f| count(f) as f64)
    };
    t.words("link", r().map(|l| l.name.as_str()))
        .numbers("utilisation", r().map(|l| l.utilisation))
        .numbers("packets_in", r().map(|l| l.stats.offered))
        .numbers("packets_out", r().map(|l| l.stats.delivered))
        .numbers("bytes_out", r().map(|l| l.stats.delivered_bytes))
        .numbers("dropped", r().map(|l| l.stats.dropped()))
        .numbers("marks", r().map(|l| l.stats.marked))
        .numbers("duplicated", r().map(|l| l.stats.duplicated))
        .numbers("reordered", r().map(|l| l.stats.reordered))
        .numbers("queue_max_packets", r().map(|l| l.stats.max_waiting))
        .numbers("queue_max_bytes", r().map(|l| l.stats.max_waiting_bytes))
        .numbers("wait_mean_ms", r().map(|l| wait(l, l.stats.sojourn_mean())))
        .numbers("wait_max_ms", r().map(|l| wait(l, l.stats.sojourn_max)))
        .numbers("acks_seen", r().map(|l| filtered(l, |f| f.seen)))
        .numbers("acks_passed", r().map(|l| filtered(l, |f| f.forwarded)))
        .numbers("acks_dropped", r().map(|l| filtered(l, |f| f.dropped)))
        .numbers(
            "acks_dropped_queued",
            r().map(|l| filtered(l, |f| f.dropped_queued)),
        )
        .numbers(
            "acks_by_timer",
            r().map(|l| filtered(l, |f| f.timer_releases)),
        )
        .numbers("acks_held", r().map(|l| filtered(l, |f| f.held.into())))
        .numbers("sojourn_mean_ms", r().map(|l| sojourn(l, |d| d.mean)))
        .numbers("sojourn_p50_ms", r().map(|l| sojourn(l, |d| d.p50)))
        .numbers("sojourn_p95_ms", r().map(|l| sojourn(l, |d| d.p95)))
        .numbers("sojourn_p99_ms", r().map(|l| sojourn(l, |d| d.p99)));
    for reason in DropReason::ALL {
        let drops = r().map(|l| l.stats.dropped_for(reason));
        t.numbers(&format!("drops_{}", reason.name()), drops);
    }
    t
}

fn sojourn(l: &LinkSummary, part: fn(&Distribution) -> Span) -> f64 {
    maybe_ms(l.sojourn.as_ref().map(part))
}

/// Not a number if nothing left the queue.
fn wait(l: &LinkSummary, time: Span) -> f64 {
    if l.stats.delivered == 0 {
        f64::NAN
    } else {
        ms(time)
    }
}
