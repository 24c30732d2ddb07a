//! The reports of TACK's receivers, as columns.

use super::Table;
use super::cells::{at, mbps, ms};
use crate::export::frames::tack_frames;
use crate::plan::Plan;
use crate::record::ReportRecord;
use crate::record::packets::Packets;
use acklab_proto::datagram::Datagram;
use acklab_proto::tack::wire::{Block, Space, TackHead};

const MILLION: f64 = 1e6;

pub(super) fn reports(rows: &[ReportRecord], plan: &Plan) -> Table<'static> {
    let mut t = Table::default();
    let r = || rows.iter();
    let flow = |r: &ReportRecord| plan.flows[r.flow as usize].name.as_str();
    let share = |ppm: u64| ppm as f64 / MILLION;
    t.numbers("time_s", r().map(|r| at(r.at)))
        .coded("flow", r().map(|r| Some(flow(r))))
        .numbers("report_number", r().map(|r| r.number))
        .coded("reason", r().map(|r| r.reason.map(|why| why.name())))
        .numbers("ack_bytes", r().map(|r| r.receipt.cumulative))
        .numbers("window_bytes", r().map(|r| r.receipt.window))
        .numbers("largest_pkt_seq", r().map(|r| r.receipt.largest))
        .numbers(
            "settled_pkt_seq",
            r().map(|r| said(r, |h| h.settled as f64)),
        )
        .numbers("packets_arrived", r().map(|r| r.receipt.packets))
        .numbers(
            "interval_expected",
            r().map(|r| said(r, |h| h.expected as f64)),
        )
        .numbers("interval_lost", r().map(|r| said(r, |h| h.lost as f64)))
        .numbers("sample_mbps", r().map(|r| said(r, sample)))
        .numbers("fastest_hold_ms", r().map(|r| said(r, fastest_hold)))
        .numbers("bw_mbps", r().map(|r| mbps(r.estimates.bw.as_bps() as f64)))
        .numbers("rho", r().map(|r| share(r.estimates.rho_ppm)))
        .numbers("rho_ack", r().map(|r| share(r.estimates.rho_ack_ppm)))
        .numbers(
            "known_rtt_min_ms",
            r().map(|r| r.estimates.rtt_min.map_or(f64::NAN, ms)),
        )
        .numbers("tack_interval_ms", r().map(|r| ms(r.estimates.interval)))
        .numbers(
            "tack_hz",
            r().map(|r| r.estimates.frequency_mhz as f64 / 1e3),
        )
        .numbers("start_up", r().map(|r| u8::from(r.estimates.start_up)));
    let edges = |b: &Block| [b.start, b.end];
    list(&mut t, "acked_blocks", rows, |r| {
        r.acked.iter().flat_map(edges).collect()
    });
    list(&mut t, "unacked_blocks", rows, |r| {
        r.unacked.iter().flat_map(edges).collect()
    });
    list(&mut t, "lost_between", rows, |r| {
        r.losses.iter().flat_map(|l| [l.0, l.1]).collect()
    });
    t
}

/// The content of each packet of TACK that was seen, once: its whole number, and its frames as JSON.
pub(super) fn contents(packets: &Packets, plan: &Plan) -> Table<'static> {
    let mut seen = Vec::new();
    let first = packets.iter().filter(|p| {
        let at = p.packet as usize;
        if seen.len() <= at {
            seen.resize(at + 1, false);
        }
        !std::mem::replace(&mut seen[at], true)
    });
    let rows: Vec<_> = first
        .filter_map(|p| match p.datagram {
            Datagram::Tack(tack) => Some((p, tack)),
            _ => None,
        })
        .collect();
    let frames: Vec<_> = rows
        .iter()
        .map(|(p, t)| tack_frames(t, p.control))
        .collect();
    let r = || rows.iter();
    let flow = |f: u32| plan.flows[(f / 2) as usize].name.as_str();
    let mut t = Table::default();
    t.numbers("packet", r().map(|r| r.0.packet))
        .coded("flow", r().map(|r| Some(flow(r.0.flow.0))))
        .numbers("number", r().map(|r| r.1.header.number))
        .numbers(
            "feedback",
            r().map(|r| u8::from(r.1.header.space == Space::Feedback)),
        )
        .texts("frames", frames);
    t
}

/// A value of the TACK; not a number without one.
fn said(r: &ReportRecord, what: impl FnOnce(&TackHead) -> f64) -> f64 {
    r.tack.as_ref().map_or(f64::NAN, what)
}

fn sample(head: &TackHead) -> f64 {
    match head.rate {
        0 => f64::NAN,
        rate => rate as f64 * 8.0 / MILLION,
    }
}

fn fastest_hold(head: &TackHead) -> f64 {
    head.fastest.map_or(f64::NAN, |f| f64::from(f.hold) / 1e3)
}

/// A column of lists.
fn list(
    t: &mut Table<'_>,
    name: &str,
    rows: &[ReportRecord],
    of: impl Fn(&ReportRecord) -> Vec<u64>,
) {
    let (mut flat, mut ends) = (Vec::new(), Vec::with_capacity(rows.len()));
    for row in rows {
        flat.extend(of(row));
        ends.push(flat.len() as i64);
    }
    t.lists(name, flat, ends);
}
