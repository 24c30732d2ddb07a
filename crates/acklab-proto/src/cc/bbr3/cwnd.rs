//! The window: `max_inflight` from the model, and the bounds on it.

use super::{Machine, State};
use crate::cc::Ack;
use crate::cc::bbr::{
    AckedNow, CWND_MIN_TARGET, EXTRA_ACKED_WIN_RTTS, EXTRA_ACKED_WIN_RTTS_STARTUP, Ratio,
    round_down,
};
use acklab_units::{Instant, Rate, Span};

/// A burst is what the pacing rate sends in this time (draft 5.6.3) ...
const BURST_TIME: Span = Span::from_millis(1);
/// ... but not above 64 KB ...
const MAX_BURST: u64 = 65_536;
/// ... nor below two packets.
const MIN_BURST_PACKETS: u64 = 2;
/// Version 2 sends single packets below this rate (`bbr_min_tso_rate`).
const SINGLE_PACKET_RATE: Rate = Rate::from_bps(1_200_000);
/// The kernels add 64 KB halved for each 2^9 us of `min_rtt` (`bbr_tso_rtt_shift`).
const TSO_RTT_SHIFT: u32 = 9;
/// The kernels leave room for headers (`GSO_MAX_SIZE - 1 - MAX_TCP_HEADER`).
const MAX_BURST_KERNEL: u64 = MAX_BURST - 1 - 320;
/// Bursts that the end hosts hold back: one queued, one being cut up, one being reassembled.
const BURSTS_AT_HOSTS: u64 = 3;

impl Machine {
    /// Bytes of a burst (`SetSendQuantum`, `bbr_tso_segs_generic`).
    pub(super) fn burst(&self) -> u64 {
        let rate = self.pacing.rate();
        if !self.profile.kernel {
            let paced = rate.bytes_in(BURST_TIME).min(MAX_BURST);
            return paced.max(MIN_BURST_PACKETS * self.mss);
        }
        let micros = self.min_rtt.get().map_or(u64::MAX, Span::as_micros);
        let by_rtt = u32::try_from(micros >> TSO_RTT_SHIFT)
            .ok()
            .and_then(|shift| MAX_BURST.checked_shr(shift))
            .unwrap_or(0);
        let bytes = (rate.as_bps() / 8 / 1024 + by_rtt).min(MAX_BURST_KERNEL);
        let single = self.profile.single_packet_bursts && rate < SINGLE_PACKET_RATE;
        (bytes / self.mss).max(if single { 1 } else { MIN_BURST_PACKETS }) * self.mss
    }

    /// `gain` times the BDP at `bw`, in bytes; the initial window without an RTT (`BDPMultiple`).
    pub(super) fn bdp(&self, bw: Rate, gain: Ratio) -> u64 {
        match self.min_rtt.get() {
            Some(rtt) => self.arithmetic.bdp(bw, rtt, gain),
            None => self.initial_cwnd,
        }
    }

    /// At least what the end hosts hold back and four packets; two more to probe on small BDPs
    /// (`QuantizationBudget`).
    fn quantization_budget(&self, volume: u64) -> u64 {
        let offload_budget = BURSTS_AT_HOSTS * self.burst();
        let cap = volume.max(offload_budget).max(CWND_MIN_TARGET * self.mss);
        if self.state == State::ProbeBwUp {
            cap + 2 * self.mss
        } else {
            cap
        }
    }

    /// Volume in flight that `gain` times the BDP at `bw` asks for (`Inflight`).
    pub(super) fn inflight_target(&self, bw: Rate, gain: Ratio) -> u64 {
        self.quantization_budget(self.bdp(bw, gain))
    }

    /// Bytes in the network when the next packet may leave, if `inflight` are in flight now.
    pub(super) fn in_network(&self, now: Instant, inflight: u64) -> u64 {
        let raising = if self.arithmetic.is_fixed_point() {
            self.was_raising
        } else {
            self.pacing_gain().is_above_one()
        };
        let quantum = if raising { self.burst() } else { 0 };
        self.departure
            .in_network(now, inflight, self.bw(), quantum, self.arithmetic)
    }

    /// In-flight data to compare with a target. The draft looks after the ACK; the kernels look
    /// before it, and ahead to the next departure. After a stretch ACK the two differ by a lot.
    pub(super) fn inflight_now(&self, ack: &Ack) -> u64 {
        if self.profile.kernel {
            self.in_network(ack.exact, ack.prior_inflight)
        } else {
            ack.inflight
        }
    }

    /// Feeds the aggregation estimate (`UpdateACKAggregation`).
    pub(super) fn update_ack_aggregation(&mut self, ack: &Ack) {
        if !self.sample.valid {
            return;
        }
        let full = self.full_pipe.reached;
        self.extra_acked.update(&AckedNow {
            now: ack.now,
            newly_acked: ack.newly_delivered,
            bw: self.bw(),
            cwnd: self.cwnd,
            mss: self.mss,
            arithmetic: self.arithmetic,
            round_start: self.rounds.is_start(),
            window_rounds: if full {
                EXTRA_ACKED_WIN_RTTS
            } else {
                EXTRA_ACKED_WIN_RTTS_STARTUP
            },
        });
    }

    /// Volume that the model asks for (`UpdateMaxInflight`). In PROBE_RTT it is one BDP and the
    /// bound of the state does the rest.
    pub(super) fn max_inflight(&self) -> u64 {
        let extra = self
            .profile
            .extra_acked_gain
            .of(self.extra_acked.cwnd_increment(self.bw(), self.arithmetic));
        let extra = round_down(extra, self.unit());
        self.quantization_budget(self.bdp(self.bw(), self.cwnd_gain()) + extra)
    }

    /// Moves the window towards `max_inflight`: up by what was delivered, down at once, but down
    /// only if the pipe was ever full (`SetCwnd`).
    pub(super) fn set_cwnd(&mut self, ack: &Ack) {
        if ack.newly_delivered > 0 {
            let target = self.max_inflight();
            let early = if self.profile.kernel {
                self.cwnd < 2 * self.initial_cwnd
            } else {
                ack.delivered < self.initial_cwnd
            };
            if self.full_pipe.reached {
                self.cwnd = (self.cwnd + ack.newly_delivered).min(target);
            } else if self.cwnd < target || early {
                self.cwnd += ack.newly_delivered;
            }
            self.cwnd = self.cwnd.max(CWND_MIN_TARGET * self.mss);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
    }

    /// Keeps the window within what probing and recent congestion allow (`BoundCwndForModel`).
    pub(super) fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::ProbeBwDown => self.long.inflight_hi,
            State::ProbeBwRefill | State::ProbeBwUp => {
                let room = self.lump_headroom();
                self.long.inflight_hi.saturating_add(room)
            }
            State::ProbeBwCruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => u64::MAX,
        };
        let cap = cap
            .min(self.short.inflight_lo)
            .max(self.lump_floor())
            .max(CWND_MIN_TARGET * self.mss);
        self.cwnd = self.cwnd.min(cap);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;

    #[test]
    fn bursts_are_a_millisecond_between_two_packets_and_64_kb() {
        let mut feed = Feed::new(Profile::draft());
        for (mbps, burst) in [(1, 2 * MSS), (40, 4999), (1000, 65_536)] {
            feed.cc.pacing.set(mbit(mbps), Ratio::new(100, 99), true);
            assert_eq!(feed.cc.burst(), burst, "{mbps} Mbit/s");
        }
    }

    #[test]
    fn the_kernels_bursts_grow_on_short_paths() {
        let mut feed = Feed::cruise_at(Profile::google_v3(), mbit(10), Span::from_micros(400));
        assert_eq!(feed.cc.burst() / MSS, 45, "the limit less headers");
        feed.cc
            .min_rtt
            .start_with(feed.now, Span::from_micros(1024));
        assert_eq!(feed.cc.burst() / MSS, (16_384 + 1208) / MSS);
        feed.cc.min_rtt.start_with(feed.now, Span::from_millis(48));
        assert_eq!(feed.cc.burst() / MSS, 2);
    }

    #[test]
    fn the_window_is_twice_the_bdp_plus_the_stretch() {
        for n in [1u64, 2, 16, 60] {
            let mut feed = Feed::cruise(Profile::draft(), mbit(10));
            feed.packets = n;
            for _ in 0..(860 / n).max(8) {
                feed.cc.clock.rounds = 0;
                feed.paced_ack(mbit(10));
            }
            assert_eq!(feed.cc.state, State::ProbeBwCruise);
            let window = feed.cc.cwnd / MSS;
            assert!(
                (83 + n..=84 + n).contains(&window),
                "one ACK per {n}: {window}"
            );
        }
    }

    /// One ACK for 200 packets: the excess is bounded by the window and by 100 ms of bandwidth.
    #[test]
    fn two_hundred_at_once_are_bounded_by_a_tenth_of_a_second() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.packets = 200;
        for _ in 0..5 {
            feed.cc.clock.rounds = 0;
            feed.paced_ack(mbit(10));
        }
        assert!(feed.cc.cwnd <= (83 + 1) * MSS + 125_000);
        assert!(feed.cc.cwnd >= 83 * MSS + 120_000, "{}", feed.cc.cwnd / MSS);
    }

    #[test]
    fn aggregation_counts_in_startup_too() {
        let mut feed = Feed::new(Profile::draft());
        feed.packets = 30;
        feed.round(mbit(10));
        assert!(feed.cc.max_inflight() > feed.cc.bdp(mbit(10), Ratio::new(2, 1)) + 9 * MSS);
    }

    #[test]
    fn startup_grows_by_what_is_delivered_and_never_shrinks() {
        let mut feed = Feed::new(Profile::draft());
        feed.packets = 5;
        feed.round(mbit(100));
        assert_eq!(feed.cc.cwnd, 15 * MSS);
        feed.cc.cwnd = 3000 * MSS;
        feed.round(mbit(100));
        assert_eq!(feed.cc.cwnd, 3000 * MSS);
    }

    #[test]
    fn bounds_of_each_state() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.long.inflight_hi = 60 * MSS;
        for (state, lo, bound) in [
            (State::Startup, u64::MAX, 1000),
            (State::Drain, 50 * MSS, 50),
            (State::ProbeBwDown, u64::MAX, 60),
            (State::ProbeBwCruise, u64::MAX, 51),
            (State::ProbeBwCruise, 20 * MSS, 20),
            (State::ProbeBwRefill, u64::MAX, 60),
            (State::ProbeBwUp, u64::MAX, 60),
            (State::ProbeRtt, u64::MAX, 51),
            (State::ProbeBwDown, MSS, 4),
        ] {
            feed.cc.state = state;
            feed.cc.short.inflight_lo = lo;
            feed.cc.cwnd = 1000 * MSS;
            feed.cc.bound_cwnd_for_model();
            assert_eq!(feed.cc.cwnd / MSS, bound, "{state:?}");
        }
    }

    #[test]
    fn a_stretch_ack_makes_draft_and_kernel_see_different_volumes() {
        for (profile, seen) in [(Profile::draft(), 10), (Profile::google_v3(), 210)] {
            let feed = Feed::cruise(profile, mbit(10));
            let mut ack = feed.last_ack();
            ack.inflight = 10 * MSS;
            ack.prior_inflight = 210 * MSS;
            assert_eq!(feed.cc.inflight_now(&ack) / MSS, seen);
        }
    }
}
