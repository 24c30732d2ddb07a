//! Radio channels as columns.

use super::Table;
use super::cells::{ms, seconds};
use crate::plan::Plan;
use crate::record::{MediumSummary, PpduRecord, StationSummary};
use acklab_path::packet::DropReason;
use acklab_path::wifi::medium::{StationId, Use};
use acklab_units::Instant;

/// Each station with the name of its channel.
fn rows(media: &[MediumSummary]) -> impl Iterator<Item = (&str, &StationSummary)> {
    media
        .iter()
        .flat_map(|m| m.stations.iter().map(move |s| (m.name.as_str(), s)))
}

pub(super) fn stations<'a>(media: &'a [MediumSummary], plan: &'a Plan) -> Table<'a> {
    let mut t = Table::default();
    let r = || rows(media);
    let s = || r().map(|(_, s)| &s.stats);
    t.words("medium", r().map(|(m, _)| m))
        .words("station", r().map(|(_, s)| plan.nodes[s.node].as_str()));
    for what in Use::OF_STATION {
        let name = format!("{}_s", what.name());
        t.numbers(&name, r().map(|(_, s)| seconds(s.airtime.of(what))));
    }
    t.numbers("accesses", s().map(|s| s.accesses))
        .numbers(
            "access_delay_mean_ms",
            s().map(|s| ms(s.access_delay_mean())),
        )
        .numbers("access_delay_max_ms", s().map(|s| ms(s.access_delay_max)))
        .numbers("failures", s().map(|s| s.failures))
        .numbers("internal_collisions", s().map(|s| s.internal_collisions))
        .numbers("data_ppdus", s().map(|s| s.data_ppdus))
        .numbers("mpdus", s().map(|s| s.mpdus))
        .numbers("retries", s().map(|s| s.retries))
        .numbers("acks_carried", s().map(|s| s.acks_carried))
        .numbers("acks_carried_in_vain", s().map(|s| s.acks_carried_in_vain))
        .numbers("acks_kept_in_vain", s().map(|s| s.acks_kept_in_vain))
        .numbers("arp_requests", s().map(|s| s.arp_requests))
        .numbers("arp_replies", s().map(|s| s.arp_replies))
        .numbers("arp_lost", s().map(|s| s.arp_lost))
        .numbers("multi_user_ppdus", s().map(|s| s.multi_user))
        .numbers("polls", s().map(|s| s.polls))
        .numbers("triggers", s().map(|s| s.triggers))
        .numbers("triggered_ppdus", s().map(|s| s.triggered))
        .numbers("random_accesses", s().map(|s| s.random_accesses))
        .numbers("random_collisions", s().map(|s| s.random_collisions));
    let a = || r().map(|(_, s)| s.agreements);
    let at = |t: Option<Instant>| t.map_or(f64::NAN, |t| seconds(t - Instant::ZERO));
    t.numbers("addba_requests", a().map(|a| a.requests))
        .numbers("agreements", a().map(|a| a.agreed))
        .numbers("agreements_failed", a().map(|a| a.failed))
        .numbers("first_agreement_ms", a().map(|a| 1e3 * at(a.first)))
        .numbers("last_agreement_ms", a().map(|a| 1e3 * at(a.last)));
    for (i, reason) in DropReason::ALL.iter().enumerate() {
        let drops = r().map(|(_, s)| s.drops[i]);
        t.numbers(&format!("drops_{}", reason.name()), drops);
    }
    t
}

pub(super) fn airtime<'a>(media: &'a [MediumSummary]) -> Table<'a> {
    let mut t = Table::default();
    let r = || media.iter().flat_map(|m| Use::OF_MEDIUM.map(|u| (m, u)));
    t.words("medium", r().map(|(m, _)| m.name.as_str()))
        .words("use", r().map(|(_, u)| u.name()))
        .numbers("airtime_s", r().map(|(m, u)| seconds(m.airtime.of(u))))
        .numbers(
            "airtime_share",
            r().map(|(m, u)| seconds(m.airtime.of(u)) / seconds(m.airtime.total())),
        );
    t
}

/// Sizes that did not occur have no row.
pub(super) fn ampdu_sizes<'a>(media: &'a [MediumSummary], plan: &'a Plan) -> Table<'a> {
    let mut t = Table::default();
    let r = || {
        rows(media).flat_map(|(m, s)| {
            let sizes = s.stats.mpdus_per_ppdu.iter().enumerate();
            sizes
                .filter(|(_, n)| **n > 0)
                .map(move |(k, n)| (m, s, k, *n))
        })
    };
    t.words("medium", r().map(|(m, ..)| m))
        .words("station", r().map(|(_, s, ..)| plan.nodes[s.node].as_str()))
        .numbers("mpdus", r().map(|(_, _, k, _)| k as u64))
        .numbers("ppdus", r().map(|(.., n)| n));
    t
}

pub(super) fn ppdus(rows: &[PpduRecord], plan: &Plan) -> Table<'static> {
    let mut t = Table::default();
    let r = || rows.iter();
    let name = |m: u32, s: StationId| {
        let node = plan.media[m as usize].nodes[usize::from(s.0)];
        Some(plan.nodes[node].as_str())
    };
    let modes = Modes::of(rows);
    t.numbers("time_ns", r().map(|p| p.ppdu.start.as_nanos()))
        .numbers("end_ns", r().map(|p| p.ppdu.end.as_nanos()))
        .coded(
            "medium",
            r().map(|p| Some(plan.media[p.medium as usize].name.as_str())),
        )
        .coded("from", r().map(|p| name(p.medium, p.ppdu.from)))
        .coded("to", r().map(|p| name(p.medium, p.ppdu.to)))
        .coded("kind", r().map(|p| Some(p.ppdu.kind.name())))
        .coded("mode", r().map(|p| Some(modes.text(p))))
        .numbers("psdu_bytes", r().map(|p| p.ppdu.bytes))
        .numbers("mpdus", r().map(|p| u64::from(p.ppdu.mpdus)))
        .coded("use", r().map(|p| Some(p.ppdu.use_of.name())))
        .numbers("garbled", r().map(|p| p.ppdu.garbled))
        .numbers("mpdus_spoilt", r().map(|p| u64::from(p.ppdu.mpdus_spoilt)))
        .numbers("spoilt_ns", r().map(|p| p.ppdu.spoilt.as_nanos()))
        .numbers("lost", r().map(|p| p.ppdu.lost));
    t
}

/// The modes of PPDUs in words, each put into words once.
struct Modes(std::collections::BTreeMap<acklab_path::wifi::phy::Mode, String>);

impl Modes {
    fn of(rows: &[PpduRecord]) -> Self {
        let mut texts = std::collections::BTreeMap::new();
        for p in rows {
            texts
                .entry(p.ppdu.mode)
                .or_insert_with(|| p.ppdu.mode.to_string());
        }
        Self(texts)
    }

    fn text(&self, p: &PpduRecord) -> &str {
        self.0.get(&p.ppdu.mode).map_or("", String::as_str)
    }
}
