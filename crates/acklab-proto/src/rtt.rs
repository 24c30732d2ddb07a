//! Round-trip time and retransmission timeout, for any transport.

use acklab_units::{Instant, Span};

/// Timeout for data when the SYN's was not enough (RFC 6298 section 5.7, Linux
/// `TCP_TIMEOUT_FALLBACK`).
const FALLBACK: Span = Span::from_secs(3);

/// How RTT samples become a retransmission timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum RttEstimator {
    /// RFC 6298 section 2 with clock granularity `granularity`.
    Rfc6298 {
        /// `G` of the RFC.
        granularity: Span,
        /// Which samples count.
        samples: RttSamples,
    },
    /// Linux `tcp_rtt_estimator`: integer EWMA, windowed maximum deviation, deviation floored at
    /// the minimum RTO.
    Linux,
}

/// How many RTT samples the estimator of RFC 6298 takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum RttSamples {
    /// Each acknowledgement's. The deviation then forgets within a fraction of a round trip what it
    /// has seen (RFC 7323 appendix G), and timeouts come soon after the RTT rises.
    #[default]
    EveryAck,
    /// One for each window of data, as of senders that time one segment at a time (RFC 6298
    /// section 3; 4.4BSD, ns-2).
    OnePerWindow,
}

/// The rules of an estimator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttConfig {
    /// How samples become a timeout.
    pub estimator: RttEstimator,
    /// The timeout before the first sample.
    pub initial_rto: Span,
    /// The shortest timeout.
    pub min_rto: Span,
    /// The longest timeout.
    pub max_rto: Span,
    /// Length of a tick, at whose beginnings timers fire ([`Rtt::fires`]); zero = they are exact.
    pub jiffy: Span,
}

/// A timer wheel has so many ticks in its first level, and eight times as many in each next one, whose
/// slots are eight times as wide (Linux `LVL_START`, `LVL_CLK_SHIFT` in kernel/time/timer.c).
const FIRST_LEVEL: u64 = 63;
const LEVELS: u32 = 8;

/// Smoothed RTT, its variation and the timeout that follows.
#[derive(Clone, Debug)]
pub struct Rtt {
    kind: RttEstimator,
    min_rto: Span,
    max_rto: Span,
    jiffy: Span,
    /// Smoothed RTT in units of 1/8 ns (Linux keeps 1/8 us).
    srtt8: u64,
    /// Mean deviation in units of 1/4 ns.
    mdev4: u64,
    mdev_max4: u64,
    rttvar4: u64,
    /// Linux: the deviation's window ends when this offset is acknowledged. With one sample for
    /// each window: so does the window of the latest.
    window_end: u64,
    rto: Span,
    latest: Span,
    min: MinFilter,
    seen: bool,
}

impl Rtt {
    /// No sample yet: the initial timeout of `cfg` is in force.
    pub fn new(cfg: RttConfig) -> Self {
        Self {
            kind: cfg.estimator,
            min_rto: cfg.min_rto,
            max_rto: cfg.max_rto,
            jiffy: cfg.jiffy,
            srtt8: 0,
            mdev4: 0,
            mdev_max4: 0,
            rttvar4: 0,
            window_end: 0,
            rto: cfg.initial_rto,
            latest: Span::ZERO,
            min: MinFilter::default(),
            seen: false,
        }
    }

    /// Offers a sample; returns whether it counts. `una` and `nxt` are the stream offsets that
    /// delimit what is in flight.
    pub fn on_sample(&mut self, sample: Span, una: u64, nxt: u64) -> bool {
        let m = sample.max(Span::from_nanos(1));
        self.latest = m;
        match self.kind {
            RttEstimator::Linux => self.linux(m.as_nanos(), una, nxt),
            RttEstimator::Rfc6298 { samples, .. } => {
                if samples == RttSamples::OnePerWindow && self.seen && una <= self.window_end {
                    return false;
                }
                self.window_end = nxt;
                self.rfc6298(m.as_nanos());
            }
        }
        self.seen = true;
        self.rto = self.compute_rto();
        true
    }

    /// The handshake is over and told no RTT: the timeout is 3 s from now on if it was less
    /// (RFC 6298 section 5.7, Linux `tcp_init_metrics`). Returns whether it is a new one.
    #[cold]
    pub fn fall_back(&mut self) -> bool {
        let fallen = !self.seen && self.rto < FALLBACK;
        if fallen {
            self.rto = FALLBACK;
        }
        fallen
    }

    /// Feeds the windowed minimum (Linux `tcp_update_rtt_min`).
    pub fn on_min_sample(&mut self, now: Instant, sample: Span) {
        self.min.update(now, sample);
    }

    /// RFC 6298 section 2: gains 1/8 and 1/4, first sample sets the deviation to half of it.
    fn rfc6298(&mut self, m: u64) {
        if !self.seen {
            self.srtt8 = m * 8;
            self.rttvar4 = m * 2;
            return;
        }
        let err = (self.srtt8 / 8).abs_diff(m);
        self.rttvar4 = self.rttvar4 - self.rttvar4 / 4 + err;
        self.srtt8 = self.srtt8 - self.srtt8 / 8 + m;
    }

    /// Linux `tcp_rtt_estimator`: a falling RTT raises the deviation only an eighth as fast, and
    /// the deviation in force is the largest of the last window, never below the minimum RTO.
    fn linux(&mut self, m: u64, una: u64, nxt: u64) {
        let floor4 = self.min_rto.as_nanos();
        if !self.seen {
            self.srtt8 = m * 8;
            self.mdev4 = m * 2;
            self.rttvar4 = self.mdev4.max(floor4);
            self.mdev_max4 = self.rttvar4;
            self.window_end = nxt;
            return;
        }
        let err = m as i64 - (self.srtt8 >> 3) as i64;
        self.srtt8 = (self.srtt8 as i64 + err).max(1) as u64;
        let mut d = err.abs() - (self.mdev4 >> 2) as i64;
        if err < 0 && d > 0 {
            d >>= 3;
        }
        self.mdev4 = (self.mdev4 as i64 + d).max(0) as u64;
        if self.mdev4 > self.mdev_max4 {
            self.mdev_max4 = self.mdev4;
            self.rttvar4 = self.rttvar4.max(self.mdev_max4);
        }
        if una > self.window_end {
            if self.mdev_max4 < self.rttvar4 {
                self.rttvar4 -= (self.rttvar4 - self.mdev_max4) >> 2;
            }
            self.window_end = nxt;
            self.mdev_max4 = floor4;
        }
    }

    fn compute_rto(&self) -> Span {
        let srtt = self.srtt8 >> 3;
        let raw = match self.kind {
            // Linux's rttvar is kept in quarters and added unscaled: 4 * mean deviation.
            RttEstimator::Linux => Span::from_nanos(srtt + self.rttvar4),
            RttEstimator::Rfc6298 { granularity, .. } => {
                Span::from_nanos(srtt) + Span::from_nanos(self.rttvar4).max(granularity)
            }
        };
        self.ceil(raw.clamp(self.min_rto, self.max_rto))
    }

    /// Rounds a timeout up to whole ticks, if there are any (`usecs_to_jiffies`).
    fn ceil(&self, span: Span) -> Span {
        let j = self.jiffy.as_nanos();
        if j == 0 {
            span
        } else {
            Span::from_nanos(span.as_nanos().div_ceil(j) * j)
        }
    }

    /// When a timer fires that is set at `now` to wait for `span`.
    ///
    /// Linux rounds the wait up to whole ticks (`usecs_to_jiffies`) and adds it to the number of the
    /// running tick. So that it is never early, the timer fires when the tick after that one begins, and
    /// beyond 63 ticks at a multiple of 8 of them, beyond 504 of 64 and so on (`calc_wheel_index`).
    pub fn fires(&self, now: Instant, span: Span) -> Instant {
        let tick = self.jiffy.as_nanos();
        if tick == 0 {
            return now + span;
        }
        let wait = span.as_nanos().div_ceil(tick);
        let due = now.as_nanos() / tick + wait;
        let slot = match wait {
            ..FIRST_LEVEL => due + 1,
            _ => {
                let level = ((wait / FIRST_LEVEL).ilog2() / 3 + 1).min(LEVELS);
                ((due >> (3 * level)) + 1) << (3 * level)
            }
        };
        Instant::from_nanos(slot.saturating_mul(tick))
    }

    /// The timeout without back-off.
    pub fn rto(&self) -> Span {
        self.rto
    }

    /// The timeout doubled `backoff` times, within the maximum (RFC 6298 section 5.5).
    pub fn rto_backed_off(&self, backoff: u32) -> Span {
        self.rto
            .saturating_mul(1 << backoff.min(16))
            .min(self.max_rto)
    }

    /// Smoothed RTT; zero before the first sample.
    pub fn srtt(&self) -> Span {
        Span::from_nanos(self.srtt8 >> 3)
    }

    /// The latest sample.
    pub fn latest(&self) -> Span {
        self.latest
    }

    /// Windowed minimum; [`Span::MAX`] before the first sample.
    pub fn min(&self) -> Span {
        self.min.value()
    }

    /// Whether there was a sample.
    pub fn seen(&self) -> bool {
        self.seen
    }
}

/// Minimum over the last 300 s (Linux `tcp_min_rtt_wlen`), by the three-estimate filter of
/// Kathleen Nichols that Linux uses (`lib/win_minmax.c`).
#[derive(Clone, Debug)]
struct MinFilter {
    s: [(Instant, Span); 3],
}

/// Linux `net.ipv4.tcp_min_rtt_wlen`.
const MIN_RTT_WINDOW: Span = Span::from_secs(300);

impl Default for MinFilter {
    fn default() -> Self {
        Self {
            s: [(Instant::ZERO, Span::MAX); 3],
        }
    }
}

impl MinFilter {
    fn value(&self) -> Span {
        self.s[0].1
    }

    fn update(&mut self, now: Instant, v: Span) {
        let new = (now, v);
        if v <= self.s[0].1 || now.saturating_since(self.s[2].0) > MIN_RTT_WINDOW {
            self.s = [new; 3];
            return;
        }
        if v <= self.s[1].1 {
            self.s[1] = new;
            self.s[2] = new;
        } else if v <= self.s[2].1 {
            self.s[2] = new;
        }
        self.age(new);
    }

    /// Lets younger estimates take over as the best one grows old.
    fn age(&mut self, new: (Instant, Span)) {
        let dt = new.0.saturating_since(self.s[0].0);
        if dt > MIN_RTT_WINDOW {
            self.s = [self.s[1], self.s[2], new];
            if new.0.saturating_since(self.s[0].0) > MIN_RTT_WINDOW {
                self.s = [self.s[1], self.s[2], new];
            }
        } else if self.s[1].0 == self.s[0].0 && dt > MIN_RTT_WINDOW / 4 {
            self.s[1] = new;
            self.s[2] = new;
        } else if self.s[2].0 == self.s[1].0 && dt > MIN_RTT_WINDOW / 2 {
            self.s[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand from `calc_wheel_index` and the ranges in the head of kernel/time/timer.c. At 10.5 ms tick 2 runs.
    #[test]
    fn a_timer_fires_when_a_slot_of_the_wheel_begins() {
        let rtt = Rtt::new(TcpConfig::default().rtt());
        let now = Instant::from_nanos(10_500_000);
        let fires = |ms| rtt.fires(now, Span::from_millis(ms)).as_nanos() / 1_000_000;
        // Up to 62 ticks: whole ticks, and the next one.
        assert_eq!([0, 1, 4, 5, 248].map(fires), [12, 16, 16, 20, 260]);
        // 63 ticks: tick 65, and the next multiple of 8. 503 ticks: tick 505.
        assert_eq!([252, 1000, 2012].map(fires), [4 * 72, 4 * 256, 4 * 512]);
        // 504 ticks: tick 506, and the next multiple of 64; 4,032 ticks: of 512.
        assert_eq!([2016, 16_128].map(fires), [4 * 512, 4 * 4096]);
        let exact = Rtt::new(RttConfig {
            jiffy: Span::ZERO,
            ..TcpConfig::default().rtt()
        });
        let wait = Span::from_micros(1);
        assert_eq!(exact.fires(now, wait), now + wait);
    }
    use crate::tcp::config::{Profile, TcpConfig};

    fn ms(n: u64) -> Span {
        Span::from_millis(n)
    }

    fn rfc() -> Rtt {
        let mut cfg = TcpConfig::new(Profile::Rfc);
        cfg.min_rto = ms(1);
        Rtt::new(cfg.rtt())
    }

    /// The sequence that ns-3's rtt-test uses: samples 1, 1.2, 0.9 s give (1, 0.5),
    /// (1.025, 0.425), (1.009375, 0.350).
    #[test]
    fn rfc6298_matches_the_published_sequence() {
        let mut r = rfc();
        let expect = [(1.0, 0.5), (1.025, 0.425), (1.009_375, 0.350)];
        for (s, (srtt, var)) in [1000, 1200, 900].into_iter().zip(expect) {
            r.on_sample(ms(s), 0, 0);
            assert!((r.srtt().as_secs_f64() - srtt).abs() < 1e-6);
            assert!((r.rttvar4 as f64 / 4e9 - var).abs() < 1e-6, "{}", r.rttvar4);
        }
    }

    /// RFC 7323 appendix G: ten samples a window forget a deviation ten times as fast.
    #[test]
    fn one_sample_per_window_remembers_a_deviation() {
        let timeout_after = |samples| {
            let mut cfg = TcpConfig::new(Profile::Rfc);
            cfg.min_rto = ms(1);
            cfg.jiffy = Span::ZERO;
            let granularity = ms(1);
            cfg.rtt_estimator = RttEstimator::Rfc6298 {
                granularity,
                samples,
            };
            let mut r = Rtt::new(cfg.rtt());
            r.on_sample(ms(100), 0, 10);
            // Two windows of ten acknowledgements each.
            for una in 1..=20 {
                r.on_sample(ms(100), una, una + 10);
            }
            r.rto()
        };
        // After one more sample for the window that ends behind 10: 100 + 200 * 3/4.
        assert_eq!(timeout_after(RttSamples::OnePerWindow), ms(250));
        assert!(timeout_after(RttSamples::EveryAck) < ms(102));
    }

    #[test]
    fn linux_timeout_never_comes_nearer_than_200_ms_to_srtt() {
        let mut r = Rtt::new(TcpConfig::default().rtt());
        for i in 0..1000 {
            r.on_sample(ms(48), i, i + 1);
        }
        assert_eq!(r.rto(), ms(248));
    }

    #[test]
    fn linux_timeout_is_a_whole_number_of_jiffies() {
        let mut r = Rtt::new(TcpConfig::default().rtt());
        r.on_sample(Span::from_micros(48_100), 0, 1);
        assert_eq!(r.rto().as_nanos() % 4_000_000, 0);
    }

    #[test]
    fn linux_deviation_decays_once_per_window() {
        let mut r = Rtt::new(TcpConfig::default().rtt());
        r.on_sample(ms(400), 0, 10);
        let high = r.rto();
        for _ in 0..50 {
            r.on_sample(ms(400), 5, 10);
        }
        assert_eq!(r.rto(), high, "inside the window nothing decays");
        for i in 0..200u64 {
            r.on_sample(ms(400), 11 + i, 11 + i);
        }
        // The deviation decays geometrically towards its floor, so the tick above is the limit.
        assert!(r.rto() <= ms(604), "{:?}", r.rto());
    }

    #[test]
    fn back_off_doubles_up_to_the_maximum() {
        let r = Rtt::new(TcpConfig::default().rtt());
        assert_eq!(r.rto_backed_off(0), Span::from_secs(1));
        assert_eq!(r.rto_backed_off(3), Span::from_secs(8));
        assert_eq!(r.rto_backed_off(40), Span::from_secs(120));
    }

    #[test]
    fn minimum_expires_after_its_window() {
        let mut f = MinFilter::default();
        let at = |s| Instant::ZERO + Span::from_secs(s);
        f.update(at(0), ms(10));
        for s in 1..=300 {
            f.update(at(s), ms(20));
        }
        assert_eq!(f.value(), ms(10));
        f.update(at(301), ms(20));
        assert_eq!(f.value(), ms(20));
    }
}
