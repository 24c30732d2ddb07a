//! The long-term model: how much fits into the path, learnt by probing.

use super::{Machine, State};
use crate::cc::bbr::{CWND_MIN_TARGET, Ratio, round_down, round_up};
use crate::cc::{Ack, SegmentLost};

/// Loss rate of a round at which a probe has gone too far (draft 2.7).
pub const LOSS_THRESH: Ratio = Ratio::percent(2);
/// The same in 256ths (`bbr_loss_thresh`).
pub const LOSS_THRESH_KERNEL: Ratio = Ratio::per_256(256 * 2 / 100);
/// Share of `inflight_hi` left unused while cruising (draft 2.7).
pub const HEADROOM: Ratio = Ratio::percent(15);
/// The same in 256ths (`bbr_inflight_headroom`).
pub const HEADROOM_KERNEL: Ratio = Ratio::per_256(256 * 15 / 100);
/// The growth of `inflight_hi` doubles for at most this many rounds.
const MAX_UP_ROUNDS: u32 = 30;

/// `inflight_hi` and the bookkeeping of raising it.
#[derive(Clone, Debug)]
pub(super) struct LongTerm {
    /// In-flight bytes that fit; `u64::MAX` until a probe went too far.
    pub inflight_hi: u64,
    /// Bytes to be acknowledged for each packet that `inflight_hi` grows.
    pub acked_per_increment: u64,
    /// Bytes acknowledged towards the next increment.
    pub up_acked: u64,
    /// Rounds that `inflight_hi` has grown in this probe.
    pub up_rounds: u32,
    /// Whether ACKs tell of data sent while probing (`bw_probe_samples`).
    pub probe_samples: bool,
    /// Whether the latest probe went too far.
    pub prev_probe_too_high: bool,
    /// Whether the latest probe stopped early because the one before had gone too far
    /// (`stopped_risky_probe`, `prev_probe_precautionary`).
    pub stopped_risky_probe: bool,
    /// Whether `inflight_hi` limited the flow when this ACK arrived.
    pub was_limiting: bool,
}

impl Default for LongTerm {
    fn default() -> Self {
        Self {
            inflight_hi: u64::MAX,
            acked_per_increment: u64::MAX,
            up_acked: 0,
            up_rounds: 0,
            probe_samples: false,
            prev_probe_too_high: false,
            stopped_risky_probe: false,
            was_limiting: false,
        }
    }
}

impl LongTerm {
    /// `inflight_hi` less the headroom in whole `unit`s, at least four packets
    /// (`InflightWithHeadroom`, `bbr_inflight_with_headroom`).
    pub fn with_headroom(&self, headroom: Ratio, mss: u64, unit: u64) -> u64 {
        if self.inflight_hi == u64::MAX {
            return u64::MAX;
        }
        let room = round_down(headroom.of(self.inflight_hi), unit).max(mss);
        self.inflight_hi
            .saturating_sub(room)
            .max(CWND_MIN_TARGET * mss)
    }

    /// Doubles the growth per round: 1, 2, 4, ... packets for each window acknowledged
    /// (`RaiseInflightLongtermSlope`, `bbr_raise_inflight_hi_slope`), in whole `unit`s.
    pub fn raise_slope(&mut self, cwnd: u64, mss: u64, unit: u64) {
        let growth = 1u64 << self.up_rounds;
        self.up_rounds = (self.up_rounds + 1).min(MAX_UP_ROUNDS);
        self.acked_per_increment = round_down(cwnd / growth, unit).max(mss);
    }

    /// Grows by what `acked` bytes have earned. One ACK may earn many packets.
    pub fn grow(&mut self, acked: u64, mss: u64) {
        self.up_acked += acked;
        let increments = self.up_acked / self.acked_per_increment;
        self.up_acked -= increments * self.acked_per_increment;
        self.inflight_hi = self.inflight_hi.saturating_add(increments * mss);
    }
}

/// In-flight bytes at which the loss rate crossed `thresh`, somewhere inside the lost segment
/// (`InflightAtLoss`, `bbr_inflight_hi_from_lost_skb`): solves
/// (lost before + x) / (in flight before + x) = thresh for x. The volume that may be lost is rounded up to
/// whole `unit`s, x is rounded down.
fn inflight_at_loss(lost: &SegmentLost, thresh: Ratio, unit: u64) -> u64 {
    let size = u64::from(lost.bytes);
    let inflight_prev = lost.tx_in_flight.saturating_sub(size);
    let lost_prev = lost.lost_since_sent.saturating_sub(size);
    let may_be_lost = round_up(thresh.of_ceil(inflight_prev), unit);
    let budget = may_be_lost.saturating_sub(lost_prev);
    inflight_prev + round_down(thresh.complement().divides(budget), unit)
}

impl Machine {
    /// Whether more than the threshold of a flight was lost.
    fn is_loss_too_high(&self, lost: u64, tx_in_flight: u64) -> bool {
        lost > 0 && tx_in_flight > 0 && lost > self.profile.loss_thresh.of(tx_in_flight)
    }

    /// Whether loss or marks say that the flight of this sample was too large
    /// (`IsInflightTooHigh`).
    pub(super) fn is_inflight_too_high(&self, ack: &Ack) -> bool {
        self.is_loss_too_high(ack.rate.lost, ack.rate.tx_in_flight) || self.is_marking_too_high(ack)
    }

    /// `inflight_hi` less the headroom of the version.
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        self.long
            .with_headroom(self.profile.headroom, self.mss, self.unit())
    }

    /// Volume to aim for: the BDP, unless congestion cut the window (`TargetInflight`).
    pub(super) fn target_inflight(&self) -> u64 {
        let bdp = if self.profile.kernel {
            self.inflight_target(self.bw(), Ratio::ONE)
        } else {
            self.bdp(self.bw(), Ratio::ONE)
        };
        bdp.min(self.cwnd)
    }

    /// A segment was lost that may have been sent while probing (`HandleLostPacket`).
    pub(super) fn handle_lost_packet(&mut self, lost: &SegmentLost) {
        if !self.long.probe_samples {
            return;
        }
        if self.is_loss_too_high(lost.lost_since_sent, lost.tx_in_flight) {
            let fits = inflight_at_loss(lost, self.profile.loss_thresh, self.unit());
            let delivered = lost.prior_delivered + lost.delivered_since_sent;
            self.handle_inflight_too_high(fits, lost.app_limited, lost.now, delivered);
        }
    }

    /// A probe went too far at `fits` bytes in flight: that, or `beta` times the target, is the
    /// new bound; the probe ends (`HandleInflightTooHigh`). Once per probe.
    ///
    /// A flow that the application limits did not probe the volume, so it learns nothing about it.
    pub(super) fn handle_inflight_too_high(
        &mut self,
        fits: u64,
        app_limited: bool,
        now: acklab_units::Instant,
        delivered: u64,
    ) {
        self.long.prev_probe_too_high = true;
        self.long.probe_samples = false;
        if !app_limited {
            let least = round_down(self.profile.beta.of(self.target_inflight()), self.unit());
            self.long.inflight_hi = fits.max(least);
        }
        if self.state == State::ProbeBwUp {
            self.undo.state = Some(State::ProbeBwUp);
            self.begin_probe_bw_down(now, delivered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::feed::{Feed, MSS, mbit};
    use super::*;
    use acklab_units::Instant;

    fn lost(tx: u64, lost_since: u64) -> SegmentLost {
        SegmentLost {
            now: Instant::ZERO,
            bytes: MSS as u32,
            tx_in_flight: tx * MSS,
            lost_since_sent: lost_since * MSS,
            delivered_since_sent: 0,
            prior_delivered: 0,
            app_limited: false,
            inflight: 0,
        }
    }

    /// 2 % of 100 packets are two; the third loss is beyond, and the rate crossed before it began.
    #[test]
    fn the_crossing_lies_before_the_packet_that_is_too_many() {
        assert_eq!(inflight_at_loss(&lost(100, 3), LOSS_THRESH, 1), 99 * MSS);
        let second = inflight_at_loss(&lost(100, 2), LOSS_THRESH, 1);
        assert!(
            second > 99 * MSS && second <= 100 * MSS,
            "inside the packet: {second}"
        );
    }

    #[test]
    fn the_crossing_solves_the_equation() {
        let x = inflight_at_loss(&lost(400, 5), LOSS_THRESH, 1) - 399 * MSS;
        let rate = (4 * MSS + x) as f64 / (399 * MSS + x) as f64;
        assert!((rate - 0.02).abs() < 1e-5, "{rate}");
    }

    #[test]
    fn headroom_is_fifteen_percent_and_at_least_a_packet() {
        let at = |packets| LongTerm {
            inflight_hi: packets * MSS,
            ..LongTerm::default()
        };
        assert_eq!(at(100).with_headroom(HEADROOM, MSS, 1), 85 * MSS);
        assert_eq!(at(6).with_headroom(HEADROOM, MSS, 1), 5 * MSS);
        assert_eq!(at(4).with_headroom(HEADROOM, MSS, 1), 4 * MSS);
        assert_eq!(
            LongTerm::default().with_headroom(HEADROOM, MSS, 1),
            u64::MAX
        );
    }

    #[test]
    fn growth_doubles_each_round() {
        let mut l = LongTerm {
            inflight_hi: 64 * MSS,
            ..LongTerm::default()
        };
        let mut grown = alloc::vec::Vec::new();
        for _ in 0..6 {
            l.raise_slope(64 * MSS, MSS, 1);
            let before = l.inflight_hi;
            l.grow(64 * MSS, MSS);
            grown.push((l.inflight_hi - before) / MSS);
        }
        assert_eq!(grown, [1, 2, 4, 8, 16, 32]);
    }

    #[test]
    fn growth_does_not_depend_on_how_acks_are_cut() {
        for n in [1u64, 2, 16, 200] {
            let mut l = LongTerm {
                inflight_hi: 800 * MSS,
                ..LongTerm::default()
            };
            l.up_rounds = 3;
            l.raise_slope(800 * MSS, MSS, 1);
            for _ in 0..800 / n {
                l.grow(n * MSS, MSS);
            }
            assert_eq!(l.inflight_hi, 808 * MSS, "one ACK per {n}");
        }
    }

    #[test]
    fn growth_is_at_most_a_packet_per_packet() {
        let mut l = LongTerm {
            inflight_hi: 10 * MSS,
            up_rounds: 30,
            ..LongTerm::default()
        };
        l.raise_slope(10 * MSS, MSS, 1);
        l.grow(10 * MSS, MSS);
        assert_eq!((l.inflight_hi, l.up_rounds), (20 * MSS, 30));
    }

    #[test]
    fn exactly_two_percent_are_tolerated() {
        let feed = Feed::new(Profile::draft());
        assert!(!feed.cc.is_loss_too_high(2 * MSS, 100 * MSS));
        assert!(feed.cc.is_loss_too_high(3 * MSS, 100 * MSS));
        assert!(!feed.cc.is_loss_too_high(0, 100 * MSS));
        assert!(!feed.cc.is_loss_too_high(5, 0));
    }

    #[test]
    fn too_high_reacts_once_per_probe() {
        let mut feed = Feed::up(Profile::draft(), mbit(10));
        feed.cc.handle_lost_packet(&lost(60, 5));
        assert_eq!(feed.cc.long.inflight_hi, 59 * MSS);
        assert_eq!(feed.cc.state, State::ProbeBwDown);
        feed.cc.handle_lost_packet(&lost(40, 5));
        assert_eq!(feed.cc.long.inflight_hi, 59 * MSS);
    }

    #[test]
    fn never_below_beta_of_the_target() {
        let mut feed = Feed::up(Profile::draft(), mbit(10));
        let target = feed.cc.target_inflight();
        feed.cc.handle_lost_packet(&lost(5, 3));
        assert_eq!(
            feed.cc.long.inflight_hi,
            super::super::short_term::BETA.of(target)
        );
    }

    /// The second loss among 69 packets: 68 * 5/256 may be lost, which is two packets to the kernel,
    /// so that all 69 fit; 69 * 38/256 is a headroom of ten.
    #[test]
    fn the_kernel_counts_whole_packets() {
        let mut feed = Feed::up(Profile::google_v3(), mbit(10));
        feed.cc.handle_lost_packet(&lost(69, 2));
        assert_eq!(feed.cc.long.inflight_hi, 69 * MSS);
        let unit = feed.cc.unit();
        let room = |l: &LongTerm| l.with_headroom(HEADROOM_KERNEL, MSS, unit);
        assert_eq!(room(&feed.cc.long), 59 * MSS);
        feed.cc.long.up_rounds = 2;
        feed.cc.long.raise_slope(69 * MSS, MSS, unit);
        assert_eq!(feed.cc.long.acked_per_increment, 17 * MSS);
    }

    /// The draft counts bytes.
    #[test]
    fn the_draft_finds_the_place_inside_the_packet() {
        let mut feed = Feed::up(Profile::draft(), mbit(10));
        feed.cc.handle_lost_packet(&lost(69, 2));
        let hi = feed.cc.long.inflight_hi;
        assert!(hi > 68 * MSS && hi < 69 * MSS, "{hi}");
    }

    #[test]
    fn losses_of_packets_not_sent_while_probing_teach_nothing() {
        let mut feed = Feed::cruise(Profile::draft(), mbit(10));
        feed.cc.handle_lost_packet(&lost(60, 30));
        assert_eq!(feed.cc.long.inflight_hi, u64::MAX);
    }
}
