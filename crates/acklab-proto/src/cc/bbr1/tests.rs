//! The open-loop feed of this module's tests, and version 1 on a path.

use super::params::Config;
use super::{Bbr1, Mode};
use crate::cc::bbr::Ratio;
use crate::cc::bbr::testing::{MSS, Path, ack, ms};
use crate::cc::{Ack, CcInit, CongestionControl, Loss, RecoveryPhase, Rto, Sent};
use acklab_units::{Instant, Rate, Span};

/// Round-trip time of the feed: the kernel reference's 48 ms.
pub const RTT: Span = Span::from_millis(48);

pub fn mbit(n: u64) -> Rate {
    Rate::from_bps(n * 1_000_000)
}

const INIT: CcInit = CcInit {
    mss: MSS as u32,
    initial_cwnd: 10 * MSS,
    seed: 7,
    kernel_units: false,
};

/// Feeds a controller with ACKs whose every number the test decides.
pub struct Feed {
    pub cc: Bbr1,
    pub now: Instant,
    pub rtt: Span,
    pub packets: u64,
    pub inflight: u64,
    pub newly_lost: u64,
    pub app_limited: bool,
    pub ack_delayed: bool,
    pub phase: RecoveryPhase,
    delivered: u64,
    lost: u64,
    round_mark: u64,
}

impl Feed {
    pub fn new() -> Self {
        Self {
            cc: Bbr1::new(Config::default(), INIT),
            now: ms(1),
            rtt: RTT,
            packets: 2,
            inflight: 41,
            newly_lost: 0,
            app_limited: false,
            ack_delayed: false,
            phase: RecoveryPhase::Open,
            delivered: 0,
            lost: 0,
            round_mark: 0,
        }
    }

    /// A feed whose pipe is full at `rate` and that has just entered DRAIN.
    pub fn full(rate: Rate) -> Self {
        let mut feed = Self::new();
        feed.inflight = 400;
        while feed.cc.mode == Mode::Startup {
            feed.round(rate);
        }
        feed
    }

    /// A feed in PROBE_BW at `rate`.
    pub fn probe_bw(rate: Rate) -> Self {
        let mut feed = Self::full(rate);
        feed.inflight = 4;
        feed.round(rate);
        assert_eq!(feed.cc.mode, Mode::ProbeBw);
        feed.inflight = 41;
        feed
    }

    /// One ACK, one RTT later, that starts a round.
    pub fn round(&mut self, rate: Rate) {
        self.step(self.rtt, rate);
    }

    /// One ACK, `span` later, that starts a round.
    pub fn step(&mut self, span: Span, rate: Rate) {
        self.round_mark = self.delivered;
        self.step_same_round(span, rate);
    }

    /// One ACK at once that starts no round.
    pub fn same_round(&mut self, rate: Rate) {
        self.step_same_round(Span::ZERO, rate);
    }

    /// One ACK for the packets that `rate` delivers in the time since the last.
    pub fn paced_ack(&mut self, rate: Rate) {
        self.step(rate.serialisation(self.packets * MSS), rate);
    }

    pub fn step_same_round(&mut self, span: Span, rate: Rate) {
        self.now += span;
        self.delivered += self.packets * MSS;
        self.lost += self.newly_lost * MSS;
        let mut a: Ack = ack(self.now, self.packets, self.delivered, rate, self.rtt);
        a.rate.delivered = rate.bytes_in(Span::from_secs(8));
        a.rate.interval = Span::from_secs(8);
        a.rate.prior_delivered = self.round_mark;
        a.rate.is_app_limited = self.app_limited;
        a.newly_lost = core::mem::take(&mut self.newly_lost) * MSS;
        a.lost = self.lost;
        a.inflight = self.inflight * MSS;
        a.prior_inflight = self.inflight * MSS;
        a.ack_delayed = self.ack_delayed;
        a.phase = self.phase;
        self.cc.on_ack(&a);
        if self.cc.rounds.is_start() {
            self.round_mark = self.delivered - 1;
        }
    }

    pub fn enter_recovery(&mut self) {
        self.phase = RecoveryPhase::Recovery;
        self.cc.on_loss(&Loss {
            now: self.now,
            inflight: self.inflight * MSS,
            prior_inflight: self.inflight * MSS,
            outstanding: self.inflight * MSS,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }

    pub fn rto(&mut self) {
        self.cc.on_rto(&Rto {
            now: self.now,
            prior_inflight: self.inflight * MSS,
            inflight: 0,
            outstanding: self.inflight * MSS,
            first: true,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }

    pub fn restart_from_idle(&mut self) {
        self.cc.on_sent(&Sent {
            now: self.now,
            exact: self.now,
            bytes: MSS as u32,
            prior_inflight: 0,
            idle_restart: true,
            app_limited: true,
            retransmission: false,
            snd_nxt: 0,
            delivered: self.delivered,
        });
    }
}

fn path(rate: Rate, delay: Span, queue: u64) -> Path<Bbr1> {
    Path::new(Bbr1::new(Config::default(), INIT), rate, delay, queue)
}

/// STARTUP lasts log2(BDP / initial window) rounds and three more.
#[test]
fn startup_fills_the_pipe_in_a_logarithm_of_rounds() {
    let mut p = path(mbit(100), Span::from_millis(50), 10_000);
    assert!(p.run_until(ms(2000), |p| p.cc.mode == Mode::Drain));
    let bdp_packets: f64 = 100e6 * 0.05 / 8.0 / MSS as f64;
    let rounds = libm::log2(bdp_packets / 10.0) + 3.0;
    let spent = p.cc.rounds.count() as f64;
    assert!(
        (rounds - 1.0..rounds + 4.0).contains(&spent),
        "{spent} rounds, expected {rounds}"
    );
}

#[test]
fn the_estimate_is_the_path() {
    let mut p = path(mbit(10), Span::from_millis(48), 40);
    p.run(Span::from_secs(8));
    let bw = p.cc.max_bw().as_bps() as f64;
    assert!((9.8e6..10.2e6).contains(&bw), "{bw}");
    let rtt = p.cc.min_rtt.unwrap();
    assert!(
        rtt >= Span::from_millis(48) && rtt < Span::from_millis(54),
        "{rtt:?}"
    );
}

#[test]
fn a_bulk_flow_uses_the_path_whatever_the_stretch() {
    for n in [1, 2, 16] {
        let share = share_with_stretch(n);
        assert!(share > 0.93, "one ACK per {n}: {share}");
    }
}

/// Share of 40 Mbit/s and 40 ms (138 packets) that a flow gets with one ACK for `n` packets.
fn share_with_stretch(n: usize) -> f64 {
    let mut p = path(mbit(40), Span::from_millis(40), 400);
    p.ack_every = n;
    p.run(Span::from_secs(3));
    let before = p.delivered;
    p.run(Span::from_secs(10));
    (p.delivered - before) as f64 * 8.0 / 10.0 / 40e6
}

/// With ACKs rarer than the BDP, version 1 stalls: it counts `extra_acked` only once the pipe was
/// full, so STARTUP ends where the window covers the silence between ACKs, not the path.
#[test]
fn stretch_beyond_the_bdp_halves_version_one() {
    let share = share_with_stretch(200);
    assert!((0.3..0.8).contains(&share), "{share}");
}

#[test]
fn probe_rtt_costs_about_two_percent() {
    let mut p = path(mbit(10), Span::from_millis(48), 200);
    p.run(Span::from_secs(2));
    let mut entered = 0;
    let mut inside = false;
    let end = p.now + Span::from_secs(50);
    p.run_until(end, |p| {
        let is = p.cc.mode == Mode::ProbeRtt;
        entered += u32::from(is && !inside);
        inside = is;
        false
    });
    assert!((4..=5).contains(&entered), "{entered} in 50 s");
    assert!(p.delivered as f64 * 8.0 / 52.0 > 0.92 * 10e6);
}

#[test]
fn a_shallow_buffer_costs_packets_but_not_the_rate() {
    let mut p = path(mbit(10), Span::from_millis(48), 10);
    p.run(Span::from_secs(20));
    assert!(p.drops > 0);
    assert!(p.delivered as f64 * 8.0 / 20.0 > 0.9 * 10e6);
}

#[test]
fn random_loss_of_one_in_fifty_does_not_matter() {
    let mut p = path(mbit(10), Span::from_millis(48), 100);
    p.drop_every = 50;
    p.run(Span::from_secs(20));
    assert!(
        p.delivered as f64 * 8.0 / 20.0 > 0.88 * 10e6,
        "{}",
        p.delivered
    );
}

#[test]
fn gains_follow_the_mode() {
    let mut feed = Feed::new();
    feed.round(mbit(10));
    assert_eq!(
        (feed.cc.pacing_gain, feed.cc.cwnd_gain),
        (Ratio::new(739, 256), Ratio::new(739, 256))
    );
    let feed = Feed::probe_bw(mbit(10));
    assert_eq!(feed.cc.cwnd_gain, Ratio::new(2, 1));
}

/// Medians of a Linux 6.18 kernel over the same two links (per-packet skbs, no ACK thinning):
/// goodput in Mbit/s, retransmissions and mean window in packets over 30 s. The tolerances leave
/// room for this file's simpler sender.
#[test]
fn close_to_what_a_kernel_did() {
    let links = [
        (9_653_000, 48, 40, (9.458, 86.0, 96.0)),
        (38_613_000, 10, 33, (38.054, 132.0, 85.8)),
    ];
    for (rate, delay, queue, (goodput, retransmissions, cwnd)) in links {
        let mut p = path(Rate::from_bps(rate), Span::from_millis(delay), queue);
        p.run(Span::from_secs(5));
        let mut sum = 0;
        for _ in 0..250 {
            p.run(Span::from_millis(100));
            sum += p.cc.cwnd() / MSS;
        }
        let measured = p.delivered as f64 * 8.0 / 30e6;
        assert!(
            (measured / goodput - 1.0).abs() < 0.03,
            "goodput {measured}"
        );
        let lost = (p.lost / MSS) as f64;
        assert!((lost / retransmissions - 1.0).abs() < 0.25, "lost {lost}");
        let mean = sum as f64 / 250.0;
        assert!((mean / cwnd - 1.0).abs() < 0.15, "window {mean}");
    }
}
