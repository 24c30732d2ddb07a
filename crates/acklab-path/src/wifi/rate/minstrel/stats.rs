//! How often each mode arrives, what that makes of its throughput, and which modes are best.

use crate::wifi::phy::{Mode, Phy};
use acklab_units::Span;
use alloc::vec::Vec;

/// Weight of the past in the moving averages (`EWMA_LEVEL`, 96 of 128).
const PAST: f64 = 0.75;

/// Below this a mode counts for nothing (`minstrel_ht_get_tp_avg`).
const HOPELESS: f64 = 0.1;

/// A mode that arrives more often counts as if it did so often: collisions cost every mode the rest
/// (`minstrel_ht_get_tp_avg`).
const AS_GOOD_AS_SURE: f64 = 0.9;

/// From here on modes are sure, and the fastest of them is the one to fall back to
/// (`minstrel_ht_set_best_prob_rate`).
pub(super) const SURE: f64 = 0.95;

/// Bytes of the MPDU that throughput is estimated with (`AVG_PKT_SIZE`).
const MPDU_BYTES: u32 = 1_200;

/// A compressed BlockAck (9.3.1.8).
const RESPONSE_BYTES: u32 = 32;

/// Mean backoff, half of aCWmin of OFDM, in half slots.
const BACKOFF_HALF_SLOTS: u64 = 15;

/// One mode.
#[derive(Clone, Copy, Debug)]
struct Entry {
    mode: Mode,
    /// Time per MPDU, its share of gaps and responses included.
    airtime: Span,
    sent: u32,
    acked: u32,
    /// Share of MPDUs that arrive; `None` before the first was sent.
    probability: Option<f64>,
}

impl Entry {
    /// MPDUs per nanosecond.
    fn throughput(&self) -> f64 {
        match self.probability {
            Some(p) if p >= HOPELESS => p.min(AS_GOOD_AS_SURE) / self.airtime.as_nanos() as f64,
            _ => 0.0,
        }
    }

    fn update(&mut self) {
        if self.sent > 0 {
            let now = f64::from(self.acked) / f64::from(self.sent);
            let average = self.probability.map_or(now, |p| smooth(p, now));
            self.probability = Some(average);
        }
        (self.sent, self.acked) = (0, 0);
    }
}

fn smooth(past: f64, now: f64) -> f64 {
    PAST * past + (1.0 - PAST) * now
}

/// The modes that data is sent in, as indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Best {
    /// Of highest throughput.
    pub fastest: usize,
    /// Of second highest throughput.
    pub second: usize,
    /// Of highest probability; of several sure ones the fastest.
    pub surest: usize,
}

/// All modes.
#[derive(Clone, Debug)]
pub(super) struct Table {
    phy: Phy,
    entries: Vec<Entry>,
    best: Best,
    /// Average number of MPDUs in a PPDU.
    aggregate: f64,
    /// The number that airtimes were computed with.
    airtimes_for: u32,
    ppdus: u32,
    mpdus: u32,
    /// Index of the mode counted last: mostly the next one as well.
    counted: usize,
}

impl Table {
    pub fn new(modes: &[Mode], phy: Phy) -> Option<Self> {
        if modes.is_empty() {
            return None;
        }
        let entry = |mode: &Mode| Entry {
            mode: *mode,
            airtime: airtime(&phy, *mode, 1),
            sent: 0,
            acked: 0,
            probability: None,
        };
        Some(Self {
            entries: modes.iter().map(entry).collect(),
            phy,
            best: Best::default(),
            aggregate: 1.0,
            airtimes_for: 1,
            ppdus: 0,
            mpdus: 0,
            counted: 0,
        })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn mode(&self, index: usize) -> Mode {
        self.entries[index].mode
    }

    pub fn airtime(&self, index: usize) -> Span {
        self.entries[index].airtime
    }

    pub fn probability(&self, index: usize) -> Option<f64> {
        self.entries[index].probability
    }

    /// Whether it was sent in since the last update.
    pub fn is_fresh(&self, index: usize) -> bool {
        self.entries[index].sent > 0
    }

    pub fn best(&self) -> Best {
        self.best
    }

    /// `acked` of `sent` MPDUs arrived. Modes outside the table are not counted.
    pub fn count(&mut self, mode: Mode, sent: u32, acked: u32) {
        if self.mode(self.counted) != mode {
            let Some(index) = self.entries.iter().position(|e| e.mode == mode) else {
                return;
            };
            self.counted = index;
        }
        let entry = &mut self.entries[self.counted];
        entry.sent += sent;
        entry.acked += acked;
        self.ppdus += 1;
        self.mpdus += sent;
    }

    /// Makes probabilities of counts and chooses the best modes (`minstrel_ht_update_stats`).
    pub fn update(&mut self) {
        if self.ppdus > 0 {
            let now = f64::from(self.mpdus) / f64::from(self.ppdus);
            self.aggregate = smooth(self.aggregate, now);
            (self.ppdus, self.mpdus) = (0, 0);
        }
        self.entries.iter_mut().for_each(Entry::update);
        self.update_airtimes();
        self.best = self.choose_best();
    }

    fn update_airtimes(&mut self) {
        let mpdus = libm::round(self.aggregate).max(1.0) as u32;
        if mpdus != self.airtimes_for {
            self.airtimes_for = mpdus;
            for entry in &mut self.entries {
                entry.airtime = airtime(&self.phy, entry.mode, mpdus);
            }
        }
    }

    fn choose_best(&self) -> Best {
        let slowest = self.slowest_first();
        let (fastest, second) = self.two_fastest().unwrap_or((slowest, slowest));
        Best {
            fastest,
            second,
            surest: self.surest().unwrap_or(slowest),
        }
    }

    fn slowest_first(&self) -> usize {
        let longest = |i: &usize| (self.airtime(*i), core::cmp::Reverse(*i));
        (0..self.len()).max_by_key(longest).unwrap_or(0)
    }

    /// The two of highest throughput, the same twice if only one has any.
    fn two_fastest(&self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, f64)> = None;
        let mut second: Option<(usize, f64)> = None;
        for (i, entry) in self.entries.iter().enumerate() {
            let throughput = entry.throughput();
            if throughput <= 0.0 {
                continue;
            }
            if best.is_none_or(|(_, most)| throughput > most) {
                second = best;
                best = Some((i, throughput));
            } else if second.is_none_or(|(_, most)| throughput > most) {
                second = Some((i, throughput));
            }
        }
        best.map(|(i, _)| (i, second.map_or(i, |(j, _)| j)))
    }

    fn surest(&self) -> Option<usize> {
        let rank = |i: usize| match self.probability(i)? {
            p if p >= SURE => Some((SURE, self.entries[i].throughput())),
            p => Some((p, 0.0)),
        };
        let mut surest: Option<(usize, (f64, f64))> = None;
        for i in 0..self.len() {
            if let Some(rank) = rank(i)
                && surest.is_none_or(|(_, most)| rank > most)
            {
                surest = Some((i, rank));
            }
        }
        surest.map(|(i, _)| i)
    }
}

/// Time that an MPDU takes in an aggregate of `mpdus`, with its share of DIFS, mean backoff, SIFS
/// and response.
fn airtime(phy: &Phy, mode: Mode, mpdus: u32) -> Span {
    let psdu = (MPDU_BYTES * mpdus).min(phy.max_psdu(mode, Span::MAX));
    let fit = (psdu / MPDU_BYTES).max(1);
    let response = phy.duration(phy.response_mode(mode), RESPONSE_BYTES);
    let backoff = phy.slot() * BACKOFF_HALF_SLOTS / 2;
    let around = phy.difs() + backoff + phy.sifs() + response;
    (around + phy.duration(mode, fit * MPDU_BYTES)) / u64::from(fit)
}
