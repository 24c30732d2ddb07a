//! Minstrel for HT and later, as Linux has it (net/mac80211/rc80211_minstrel_ht.c since 5.12):
//! statistics of what was acknowledged, the three modes that follow, and now and then a probe.
//!
//! Different here: one group is what shares streams, width and guard interval, whatever the format;
//! a mode's share is smoothed with the EWMA of the published algorithm; the chain of retries has
//! two attempts at each mode.

mod sample;
mod stats;

#[cfg(test)]
mod tests;

use super::Choice;
use crate::wifi::phy::{Mode, Phy};
use acklab_proto::rng::Rng;
use acklab_units::{Instant, Span};
use sample::Sampler;
use stats::Table;

/// How often statistics become probabilities (`update_interval`, HZ / 20).
const UPDATE: Span = Span::from_millis(50);

/// The least time from probe to probe (`MINSTREL_SAMPLE_INTERVAL`, HZ / 50).
const PROBE: Span = Span::from_millis(20);

/// The rate control towards one station.
#[derive(Clone, Debug)]
pub struct Minstrel {
    table: Table,
    sampler: Sampler,
    updated: Instant,
    probed: Instant,
    /// PPDUs in a row of which nothing was acknowledged.
    failures: u32,
}

impl Minstrel {
    /// Rate control among `modes`, whose PPDUs last as `phy` says. Begins with the first mode.
    /// `None` without modes.
    pub fn new(modes: &[Mode], phy: Phy, rng: Rng) -> Option<Self> {
        let table = Table::new(modes, phy)?;
        Some(Self {
            sampler: Sampler::new(&table, rng),
            table,
            updated: Instant::ZERO,
            probed: Instant::ZERO,
            failures: 0,
        })
    }

    /// The mode of highest throughput or a probe; after failures twice that mode, twice the second
    /// best, then the one that is most likely to arrive (`minstrel_ht_update_rates`: the chain of
    /// retries).
    pub(super) fn choose(&mut self, now: Instant) -> Choice {
        self.update(now);
        let best = self.table.best();
        let index = match self.failures {
            0 => match self.probe(now) {
                Some(index) => {
                    let mode = self.table.mode(index);
                    return Choice { mode, probe: true };
                }
                None => best.fastest,
            },
            1 => best.fastest,
            2 | 3 => best.second,
            _ => best.surest,
        };
        Choice::sure(self.table.mode(index))
    }

    fn probe(&mut self, now: Instant) -> Option<usize> {
        if now.saturating_since(self.probed) < PROBE {
            return None;
        }
        self.probed = now;
        self.sampler.next(&self.table)
    }

    pub(super) fn on_result(&mut self, now: Instant, mode: Mode, sent: u32, acked: u32) {
        debug_assert!(acked <= sent);
        self.failures = if acked == 0 { self.failures + 1 } else { 0 };
        self.table.count(mode, sent, acked);
        self.update(now);
    }

    fn update(&mut self, now: Instant) {
        if now.saturating_since(self.updated) >= UPDATE {
            self.updated = now;
            self.table.update();
        }
    }
}
