//! The equations and constants of section VI-D, and the closed loop.

use super::cycle::PHASE;
use super::params::config;
use super::{BbrTack, MIN_CWND, Mode};
use crate::cc::bbr::testing::{MSS, Path, ack};
use crate::cc::{CcInit, CongestionControl, Rto};
use acklab_units::{Instant, Rate, Span};

const RTT: Span = Span::from_millis(80);
const INTERVAL: Span = Span::from_millis(20);

fn mbit(n: u64) -> Rate {
    Rate::from_bps(n * 1_000_000)
}

fn made(words: &[(&str, &'static str)]) -> BbrTack {
    let init = CcInit {
        mss: MSS as u32,
        initial_cwnd: 10 * MSS,
        seed: 1,
        kernel_units: false,
    };
    BbrTack::new(config(words), init)
}

/// A report per interval over 50 Mbit/s and 80 ms.
struct Feed {
    cc: BbrTack,
    now: Instant,
    delivered: u64,
    rtt: Span,
}

impl Feed {
    fn new(words: &[(&str, &'static str)]) -> Self {
        let mut cc = made(words);
        cc.on_handshake_rtt(Instant::ZERO, RTT);
        Self {
            cc,
            now: Instant::ZERO,
            delivered: 0,
            rtt: RTT,
        }
    }

    fn report(&mut self, rate: Rate, limited: bool) {
        self.now += INTERVAL;
        let packets = rate.bytes_in(INTERVAL) / MSS;
        self.delivered += packets * MSS;
        let mut a = ack(self.now, packets, self.delivered, rate, self.rtt);
        a.rate.is_app_limited = limited;
        self.cc.on_ack(&a);
    }

    /// In PROBE_BW at 50 Mbit/s.
    fn probing(words: &[(&str, &'static str)]) -> Self {
        let mut f = Self::new(words);
        for _ in 0..60 {
            f.report(mbit(50), false);
        }
        assert_eq!(f.cc.mode, Mode::ProbeBw);
        f
    }
}

/// Eq. 3: RTT_min / beta on a fat path, L MSS / bw on a thin one.
#[test]
fn the_interval_is_that_of_eq_3() {
    let mut f = Feed::probing(&[]);
    assert_eq!(f.cc.interval(), Some(INTERVAL));
    f.cc.bw.reset(f.cc.ticks, Rate::from_bps(8 * MSS * 10));
    assert_eq!(f.cc.interval(), Some(Span::from_millis(200)));
}

/// `x` bytes in whole pairs of packets, which are L.
fn pairs(x: u64) -> u64 {
    x.div_ceil(2 * MSS) * 2 * MSS
}

/// "cwnd_gain = 2 + 1 / (RTT_min f)", 2.25 in the periodic regime.
#[test]
fn the_window_is_two_bdp_and_what_arrives_in_an_interval() {
    let mut f = Feed::probing(&[]);
    let bdp = mbit(50).bytes_in(RTT);
    f.cc.cycle_began = f.cc.ticks - 2 * PHASE;
    assert_eq!(f.cc.target(), pairs(bdp * 9 / 4));
    f.cc.cycle_began = f.cc.ticks;
    assert_eq!(f.cc.target(), pairs(bdp * 9 / 4) + 2 * MSS);
}

/// On a path that is much shorter than any interval, the window holds what is sent within one.
#[test]
fn the_window_lasts_for_the_shortest_interval() {
    let mut f = Feed::probing(&[]);
    let shortest = RTT * 5;
    f.cc.on_shortest_interval(shortest);
    assert_eq!(f.cc.interval(), Some(shortest));
    f.cc.cycle_began = f.cc.ticks - 2 * PHASE;
    assert_eq!(f.cc.target(), pairs(mbit(50).bytes_in(RTT) * 7));
}

/// "Bytes of the last two intervals times f / 2".
#[test]
fn the_rate_is_the_mean_of_two_intervals() {
    let mut f = Feed::probing(&[]);
    f.report(mbit(90), false);
    assert_eq!(f.cc.max_bw(), mbit(70));
}

#[test]
fn what_the_application_limits_counts_only_if_it_is_more() {
    let mut f = Feed::probing(&[]);
    for _ in 0..100 {
        f.report(mbit(10), true);
    }
    assert_eq!(f.cc.max_bw(), mbit(50));
    f.report(mbit(110), true);
    assert_eq!(f.cc.max_bw(), mbit(60));
}

/// 40 intervals, or 20 with the shorter cycle.
#[test]
fn the_maximum_lasts_for_its_window() {
    for (word, window) in [("32", 40), ("16", 20)] {
        let mut f = Feed::probing(&[("cycle", word)]);
        f.report(mbit(70), false);
        let best = f.cc.max_bw();
        assert!(best > mbit(50));
        for n in 1..=window {
            f.report(mbit(49), false);
            // The first has a part of the burst before it.
            assert!(f.cc.max_bw() == best || n == 1, "{word} {n}");
        }
        for _ in 0..window / 2 {
            f.report(mbit(49), false);
        }
        assert!(f.cc.max_bw() < best, "{word}");
    }
}

/// Four intervals at 1.25, four at 0.75, and 24 or 8 at 1.
#[test]
fn the_gains_of_a_cycle() {
    for (word, flat) in [("32", 24), ("16", 8)] {
        let mut f = Feed::probing(&[("cycle", word)]);
        let mut gains = [0; 3];
        for _ in 0..8 + flat {
            let percent = (f.cc.pacing_gain().as_f64() * 100.0) as u64;
            let i = [125, 75, 100].iter().position(|g| *g == percent).unwrap();
            gains[i] += 1;
            f.report(mbit(50), false);
        }
        assert_eq!(gains, [4, 4, flat], "{word}");
    }
}

#[test]
fn no_cycle_begins_in_the_phase_that_drains() {
    for seed in 0..100 {
        let mut f = Feed::probing(&[]);
        f.cc.rng = crate::rng::stream(seed, "bbr-tack");
        f.cc.enter_probe_bw();
        assert!(f.cc.pacing_gain().as_f64() >= 1.0);
    }
}

/// "max(gain BW_max, MSS f)": never less than a packet per interval, which is what PROBE_RTT sends.
#[test]
fn probe_rtt_sends_a_packet_per_interval_for_200_ms() {
    let mut f = Feed::probing(&[]);
    f.rtt = Span::from_millis(90);
    let began = f.now;
    while f.cc.mode == Mode::ProbeBw {
        f.report(mbit(50), false);
    }
    let waited = f.now - began;
    assert!(
        waited > Span::from_secs(9) && waited < Span::from_millis(10_100),
        "{waited}"
    );
    // The old minimum is forgotten with it: the interval is that of the new one.
    let interval = Span::from_micros(22_500);
    assert_eq!(
        f.cc.pacing_rate(),
        Some(Rate::from_bytes_over(MSS, interval))
    );
    let began = f.now;
    while f.cc.mode == Mode::ProbeRtt {
        f.report(mbit(1), true);
    }
    let stayed = f.now - began;
    assert!(
        stayed >= Span::from_millis(200) && stayed <= Span::from_millis(220),
        "{stayed}"
    );
}

#[test]
fn a_gentle_look_keeps_three_quarters_of_the_rate_and_the_minimum() {
    let mut f = Feed::probing(&[("probe_rtt", "gentle")]);
    f.rtt = Span::from_millis(90);
    let began = f.now;
    while f.cc.mode == Mode::ProbeBw {
        f.report(mbit(50), false);
    }
    let waited = f.now - began;
    assert!(waited < Span::from_millis(2_600), "{waited}");
    assert_eq!(f.cc.pacing_rate(), Some(Rate::from_bps(37_500_000)));
    assert_eq!(f.cc.min_rtt, Some(RTT));
}

#[test]
fn a_timeout_closes_the_window_until_something_is_delivered() {
    let mut f = Feed::probing(&[]);
    f.cc.on_rto(&Rto {
        now: f.now,
        prior_inflight: 0,
        inflight: 0,
        outstanding: 0,
        first: true,
        snd_nxt: 0,
        delivered: f.delivered,
    });
    assert_eq!(f.cc.cwnd(), MIN_CWND * MSS);
    for _ in 0..20 {
        f.report(mbit(50), false);
    }
    assert_eq!(f.cc.cwnd(), f.cc.target());
}

/// Over a bottleneck, acknowledged four times per round trip, it fills the pipe, drains what start-up
/// has queued, and keeps the queue short.
#[test]
fn it_fills_a_path_with_four_acknowledgements_per_round_trip() {
    let mut p = Path::new(made(&[]), mbit(50), RTT, 400);
    p.ack_every = 86;
    p.ack_timer = INTERVAL;
    p.run(Span::from_secs(20));
    let got = p.delivered as f64 * 8.0 / 20.0 / 1e6;
    assert!(got > 46.0, "{got}");
    assert_eq!(p.cc.state(), "PROBE_BW");
    // The data in flight fit the pipe, the interval and a short queue.
    let bdp = mbit(50).bytes_in(RTT);
    assert!(p.inflight < bdp * 7 / 4, "{} {bdp}", p.inflight);
}
