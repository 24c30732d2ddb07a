//! Bandwidth, rounds, aggregation, gain cycle, full pipe and drain (`UpdateModelAndState`).

use super::{CWND_GAIN, HIGH_GAIN, Mode, Ns3Bbr, PACING_GAIN};
use crate::cc::ns3::{Facts, Sample};
use acklab_units::Instant;

/// Rounds per window of the aggregation estimate (`ExtraAckedRttWindowLength`).
const EXTRA_ACKED_WINDOW: u32 = 5;
/// The estimate starts anew when an epoch reaches this (`AckEpochAckedResetThresh`): in bytes what
/// Linux has in packets, so an epoch hardly ever outlives a few ACKs.
const EPOCH_LIMIT: u64 = 1 << 12;
/// Growth that counts as such.
const FULL_BW_GROWTH: f64 = 1.25;
/// Rounds without it that make a full pipe.
const FULL_BW_ROUNDS: u32 = 3;

impl Ns3Bbr {
    pub(super) fn update_model(&mut self, f: &Facts, s: &Sample) {
        self.update_bandwidth(s);
        self.update_aggregation(f, s);
        self.check_cycle_phase(f, s);
        self.check_full_pipe(s);
        self.check_drain(f);
        self.update_min_rtt(f);
        self.check_probe_rtt(f, s);
    }

    fn update_bandwidth(&mut self, s: &Sample) {
        if !s.timed || s.interval.is_zero() {
            return;
        }
        self.round_start = s.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = self.delivered;
            self.round_count += 1;
            self.packet_conservation = false;
        }
        let bps = s.rate.as_bps();
        if bps >= self.bw.best() || !s.app_limited {
            self.bw.update(bps, self.round_count);
        }
    }

    /// The time of an epoch is cut to whole seconds, so for the first second nothing is expected.
    fn update_aggregation(&mut self, f: &Facts, s: &Sample) {
        if s.acked_sacked == 0 || !s.timed {
            return;
        }
        let e = &mut self.extra_acked;
        if self.round_start {
            e.rounds += 1;
            if e.rounds >= EXTRA_ACKED_WINDOW {
                e.rounds = 0;
                e.index = 1 - e.index;
                e.most[e.index] = 0;
            }
        }
        let seconds = whole_seconds(f.now, e.epoch);
        let mut expected = self.bw.best() * seconds / 8;
        if e.epoch_acked <= expected || e.epoch_acked + s.acked_sacked >= EPOCH_LIMIT {
            e.epoch_acked = 0;
            e.epoch = f.now;
            expected = 0;
        }
        e.epoch_acked += s.acked_sacked;
        let extra = (e.epoch_acked - expected).min(self.window.cwnd);
        e.most[e.index] = e.most[e.index].max(extra);
    }

    fn check_cycle_phase(&mut self, f: &Facts, s: &Sample) {
        if self.mode == Mode::ProbeBw && self.is_next_phase(f, s) {
            self.advance_cycle(f.now);
        }
    }

    fn is_next_phase(&self, f: &Facts, s: &Sample) -> bool {
        let full_length = f.now.saturating_since(self.cycle_stamp) > self.min_rtt;
        if self.pacing_gain > 1.0 {
            let filled = s.prior_inflight >= self.inflight(self.pacing_gain);
            full_length && (s.lost_change > 0 || filled)
        } else if self.pacing_gain < 1.0 {
            full_length || s.prior_inflight <= self.inflight(1.0)
        } else {
            full_length
        }
    }

    fn advance_cycle(&mut self, now: Instant) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % PACING_GAIN.len();
        self.pacing_gain = PACING_GAIN[self.cycle_index];
    }

    fn check_full_pipe(&mut self, s: &Sample) {
        if self.pipe_filled || !self.round_start || s.app_limited {
            return;
        }
        if self.bw.best() as f64 >= self.full_bw as f64 * FULL_BW_GROWTH {
            self.full_bw = self.bw.best();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.pipe_filled = self.full_bw_count >= FULL_BW_ROUNDS;
    }

    /// The threshold that recovery will end at is set here, once.
    fn check_drain(&mut self, f: &Facts) {
        if self.mode == Mode::Startup && self.pipe_filled {
            self.mode = Mode::Drain;
            self.pacing_gain = 1.0 / HIGH_GAIN;
            self.cwnd_gain = HIGH_GAIN;
            self.window.ssthresh = self.inflight(1.0);
        }
        if self.mode == Mode::Drain && f.inflight <= self.inflight(1.0) {
            self.enter_probe_bw(f.now);
        }
    }

    pub(super) fn enter_probe_bw(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.cwnd_gain = CWND_GAIN;
        self.cycle_index = PACING_GAIN.len() - 1 - self.draws.below(6) as usize;
        self.advance_cycle(now);
    }
}

/// The difference of two times in seconds, taken in floating point and cut.
fn whole_seconds(now: Instant, since: Instant) -> u64 {
    (now.as_secs_f64() - since.as_secs_f64()) as u64
}
