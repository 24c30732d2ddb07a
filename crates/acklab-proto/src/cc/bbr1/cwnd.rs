//! The window: BDP times gain, aggregation, and room for the end hosts.

use super::{Bbr1, Mode};
use crate::cc::Ack;
use crate::cc::bbr::{CWND_MIN_TARGET, EXTRA_ACKED_MAX, Ratio, round_up};
use acklab_units::{Instant, Rate};

/// Below this pacing rate a burst is one packet, above it at least two (`bbr_min_tso_rate`).
pub const MIN_TSO_RATE: Rate = Rate::from_bps(1_200_000);
/// Most packets of a burst (`bbr_tso_segs_goal`).
const MAX_TSO_SEGS: u64 = 0x7F;
/// A burst is what the pacing rate sends in 2^-10 s (`sk_pacing_shift`) ...
const TSO_SHIFT: u32 = 10;
/// ... but not above 64 KB less the largest header (`GSO_MAX_SIZE - 1 - MAX_TCP_HEADER`).
const MAX_BURST: u64 = 65_536 - 1 - 320;
/// Bursts that the end hosts hold: one queued, one being cut up, one being reassembled.
const BURSTS_AT_HOSTS: u64 = 3;

impl Bbr1 {
    /// Packets of a burst, in bytes (`bbr_tso_segs_goal`).
    pub(super) fn burst(&self) -> u64 {
        let rate = self.pacing.rate();
        let bytes = ((rate.as_bps() / 8) >> TSO_SHIFT).min(MAX_BURST);
        let least = if rate < MIN_TSO_RATE { 1 } else { 2 };
        (bytes / self.mss).max(least).min(MAX_TSO_SEGS) * self.mss
    }

    /// The BDP at `bw` times `gain`, in bytes; the initial window without an RTT (`bbr_bdp`).
    fn bdp(&self, bw: Rate, gain: Ratio) -> u64 {
        match self.min_rtt {
            Some(rtt) => self.arithmetic.bdp(bw, rtt, gain),
            None => self.initial_cwnd,
        }
    }

    /// Adds what end hosts hold back, rounds up to an even number of packets so that delayed ACKs
    /// come in pairs, and leaves room to probe on small BDPs (`bbr_quantization_budget`).
    fn quantization_budget(&self, volume: u64) -> u64 {
        let mut cwnd = round_up(volume + BURSTS_AT_HOSTS * self.burst(), 2 * self.mss);
        if self.mode == Mode::ProbeBw && self.cycle_idx == 0 {
            cwnd += 2 * self.mss;
        }
        cwnd
    }

    /// Volume in flight that `gain` times the BDP at `bw` asks for (`bbr_inflight`).
    pub(super) fn inflight_target(&self, bw: Rate, gain: Ratio) -> u64 {
        self.quantization_budget(self.bdp(bw, gain))
    }

    /// Bytes in the network when the next packet may leave (`bbr_packets_in_net_at_edt`). What is
    /// delivered until then counts in whole packets: below one packet it is nothing.
    pub(super) fn in_network(&self, now: Instant, inflight: u64) -> u64 {
        let quantum = if self.pacing_gain.is_above_one() {
            self.burst()
        } else {
            0
        };
        self.departure
            .in_network(now, inflight, self.bw(), quantum, self.arithmetic)
    }

    /// Bytes that aggregation adds once the pipe was full (`bbr_ack_aggregation_cwnd`).
    fn ack_aggregation_cwnd(&self) -> u64 {
        if !self.full_pipe.reached() {
            return 0;
        }
        let most = self.arithmetic.volume(self.bw(), EXTRA_ACKED_MAX);
        self.config
            .extra_acked_gain
            .of(self.extra_acked.max())
            .min(most)
    }

    /// Moves the window towards its target (`bbr_set_cwnd`): up by what was acknowledged, down at
    /// once, but down only if the pipe was ever full.
    pub(super) fn set_cwnd(&mut self, ack: &Ack) {
        if ack.newly_delivered > 0 && !self.recover_or_restore(ack) {
            self.approach_target(ack);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(CWND_MIN_TARGET * self.mss);
        }
    }

    fn approach_target(&mut self, ack: &Ack) {
        let volume = self.bdp(self.bw(), self.cwnd_gain) + self.ack_aggregation_cwnd();
        let target = self.quantization_budget(volume);
        if self.full_pipe.reached() {
            self.cwnd = (self.cwnd + ack.newly_delivered).min(target);
        } else if self.cwnd < target || ack.delivered < self.initial_cwnd {
            self.cwnd += ack.newly_delivered;
        }
        self.cwnd = self.cwnd.max(CWND_MIN_TARGET * self.mss);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Feed, mbit};
    use super::*;
    use acklab_units::Span;

    const MSS: u64 = 1448;

    #[test]
    fn bursts_are_a_millisecond_of_pacing() {
        let mut feed = Feed::new();
        let burst_at = |feed: &mut Feed, mbps: u64| {
            feed.cc.pacing.set(mbit(mbps), Ratio::ONE, true);
            feed.cc.burst() / MSS
        };
        assert_eq!(burst_at(&mut feed, 1), 1);
        assert_eq!(burst_at(&mut feed, 10), 2);
        assert_eq!(burst_at(&mut feed, 40), 3);
        assert_eq!(burst_at(&mut feed, 1000), 45, "the 64 KB limit");
    }

    #[test]
    fn the_budget_is_three_bursts_and_even() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.cycle_idx = 3;
        assert_eq!(feed.cc.burst(), 2 * MSS);
        assert_eq!(feed.cc.quantization_budget(41 * MSS), 48 * MSS);
        assert_eq!(feed.cc.quantization_budget(42 * MSS), 48 * MSS);
        feed.cc.cycle_idx = 0;
        assert_eq!(feed.cc.quantization_budget(42 * MSS), 50 * MSS);
    }

    /// 10 Mbit/s of payload and 48 ms are 41.4 packets, rounded up to 83 at gain 2.
    #[test]
    fn the_steady_window_is_twice_the_bdp_and_the_budget() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.extra_acked = crate::cc::bbr::ExtraAcked::new(feed.now);
        feed.cc.cycle_idx = 3;
        feed.cc.cwnd = 200 * MSS;
        let volume = feed.cc.bdp(mbit(10), Ratio::new(2, 1));
        assert_eq!(volume, 83 * MSS);
        assert_eq!(feed.cc.quantization_budget(volume), 90 * MSS);
    }

    #[test]
    fn aggregation_raises_the_window_by_the_stretch() {
        for n in [2u64, 16, 60] {
            let mut feed = Feed::probe_bw(mbit(10));
            feed.packets = n;
            // 100 ACKs of 60 packets take seven seconds: PROBE_RTT is not due yet.
            for _ in 0..100 {
                feed.paced_ack(mbit(10));
            }
            let extra = feed.cc.ack_aggregation_cwnd() / MSS;
            assert!((n..=n + 1).contains(&extra), "one ACK per {n} gave {extra}");
        }
    }

    #[test]
    fn aggregation_counts_only_after_startup_and_up_to_100_ms() {
        let mut feed = Feed::new();
        feed.packets = 50;
        feed.round(mbit(10));
        assert!(feed.cc.extra_acked.max() > 0);
        assert_eq!(feed.cc.ack_aggregation_cwnd(), 0);
        let mut feed = Feed::probe_bw(mbit(10));
        feed.packets = 500;
        feed.cc.cwnd = 1000 * MSS;
        feed.step(Span::from_millis(1), mbit(10));
        // 125,000 bytes are 86.3 packets.
        assert_eq!(feed.cc.ack_aggregation_cwnd(), 86 * MSS);
    }

    /// A packet takes 0.965 ms at 12 Mbit/s, the first half of that because the pacer was idle. At
    /// 10 Mbit/s 0.42 packets are delivered before the next may leave, then 2.1.
    #[test]
    fn what_leaves_before_the_next_departure_counts_in_whole_packets() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.pacing_gain = Ratio::ONE;
        feed.cc.departure.on_sent(feed.now, MSS, mbit(12));
        assert_eq!(feed.cc.in_network(feed.now, 20 * MSS), 20 * MSS);
        for _ in 0..2 {
            feed.cc.departure.on_sent(feed.now, MSS, mbit(12));
        }
        assert_eq!(feed.cc.in_network(feed.now, 20 * MSS), 18 * MSS);
    }

    #[test]
    fn an_unmeasured_path_gets_the_initial_window() {
        let feed = Feed::new();
        assert_eq!(feed.cc.bdp(mbit(1000), Ratio::new(2, 1)), 10 * MSS);
    }

    #[test]
    fn the_window_never_falls_below_four_packets() {
        let mut feed = Feed::probe_bw(Rate::from_bps(1000));
        feed.cc.cwnd = MSS;
        feed.packets = 1;
        feed.round(Rate::from_bps(1000));
        assert!(feed.cc.cwnd >= 4 * MSS);
    }

    #[test]
    fn the_window_snaps_down_and_climbs_up() {
        let mut feed = Feed::probe_bw(mbit(10));
        feed.cc.cwnd = 1000 * MSS;
        feed.round(mbit(10));
        assert!(feed.cc.cwnd < 120 * MSS);
        feed.cc.cwnd = 10 * MSS;
        feed.packets = 3;
        feed.round(mbit(10));
        assert_eq!(feed.cc.cwnd, 13 * MSS);
    }
}
