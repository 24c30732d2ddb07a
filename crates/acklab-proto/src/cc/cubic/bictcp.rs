//! The cubic function in Linux's fixed-point arithmetic: `bictcp_update` and what surrounds it.
//!
//! Source: `net/ipv4/tcp_cubic.c` (the same from 6.12 to 6.18); the specification is RFC 9438.
//! Windows are segments, time in the cubic function is 1/1024 s derived from jiffies.

use super::super::newreno::window::MIN_SSTHRESH;
use super::Settings;
use acklab_units::Instant;

/// Jiffies a second of the modelled kernel (`CONFIG_HZ` of the distribution kernels compared with).
pub(super) const HZ: u64 = 250;
/// `BICTCP_BETA_SCALE`: denominator of `beta`.
const BETA_SCALE: u32 = 1024;
/// `BICTCP_HZ`: the cubic function counts time in 2^-10 s.
const BICTCP_HZ: u32 = 10;
/// Denominator of the scaled `C`.
const C_SCALE: f64 = 1024.0;
/// Segments acknowledged per segment of growth at most, before the first loss (`cnt` clamp).
const INITIAL_CNT_MAX: u32 = 20;
/// Segments acknowledged per segment of growth at least: 1.5 times the window a round.
const CNT_MIN: u32 = 2;
/// Windows acknowledged per segment of growth while the window exceeds the target.
const CNT_STANDSTILL: u32 = 100;

/// Settings in the kernel's fixed point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) fast_convergence: bool,
    tcp_friendliness: bool,
    /// `beta`, 717 by default (of 1024).
    beta: u32,
    /// `beta_scale`: eighths of a window per segment of Reno-friendly growth, 15 by default.
    beta_scale: u32,
    /// `cube_rtt_scale`: `C` times 1024, 410 by default.
    cube_rtt_scale: u64,
    /// `cube_factor`: 2^40 / `cube_rtt_scale`.
    cube_factor: u64,
}

/// The fields of `struct bictcp` that a timeout zeroes.
#[derive(Clone, Debug, Default)]
pub(super) struct Bic {
    /// Segments acknowledged per segment of growth.
    pub(super) cnt: u32,
    pub(super) last_max_cwnd: u32,
    last_cwnd: u32,
    last_time: u64,
    pub(super) bic_origin_point: u32,
    /// Time to the origin point (2^-10 s).
    pub(super) bic_k: u64,
    /// Smallest RTT (us); 0 = none yet.
    pub(super) delay_min_us: u64,
    /// Jiffies; `None` between a reduction and the next growth.
    pub(super) epoch_start: Option<u64>,
    ack_cnt: u32,
    /// The window that Reno with CUBIC's `beta` would have.
    pub(super) tcp_cwnd: u32,
}

impl Fixed {
    pub(super) fn new(s: &Settings) -> Self {
        let beta = libm::round(s.beta * f64::from(BETA_SCALE)) as u32;
        let cube_rtt_scale = (libm::round(s.c * C_SCALE) as u64).max(1);
        Self {
            fast_convergence: s.fast_convergence,
            tcp_friendliness: s.tcp_friendliness,
            beta,
            beta_scale: 8 * (BETA_SCALE + beta) / 3 / (BETA_SCALE - beta),
            cube_rtt_scale,
            cube_factor: (1 << (10 + 3 * BICTCP_HZ)) / cube_rtt_scale,
        }
    }
}

impl Bic {
    /// `cubictcp_recalc_ssthresh`: ends the epoch, remembers the maximum, says the threshold.
    pub(super) fn recalc_ssthresh(&mut self, s: &Fixed, cwnd: u32) -> u32 {
        self.epoch_start = None;
        self.last_max_cwnd = if cwnd < self.last_max_cwnd && s.fast_convergence {
            scaled(cwnd, BETA_SCALE + s.beta) / 2
        } else {
            cwnd
        };
        scaled(cwnd, s.beta).max(MIN_SSTHRESH)
    }

    /// `bictcp_update`: sets `cnt`.
    pub(super) fn update(&mut self, s: &Fixed, cwnd: u32, acked: u32, now: u64) {
        self.ack_cnt += acked;
        if self.last_cwnd == cwnd && now - self.last_time <= HZ / 32 {
            return;
        }
        // The cubic function is worked out at most once a jiffy, friendliness on every call.
        if self.epoch_start.is_none() || now != self.last_time {
            self.last_cwnd = cwnd;
            self.last_time = now;
            let start = match self.epoch_start {
                Some(start) => start,
                None => self.begin_epoch(s, cwnd, acked, now),
            };
            self.cnt = self.cubic_cnt(s, cwnd, now - start);
        }
        if s.tcp_friendliness {
            self.befriend(s, cwnd);
        }
        self.cnt = self.cnt.max(CNT_MIN);
    }

    fn begin_epoch(&mut self, s: &Fixed, cwnd: u32, acked: u32, now: u64) -> u64 {
        self.epoch_start = Some(now);
        self.ack_cnt = acked;
        self.tcp_cwnd = cwnd;
        if self.last_max_cwnd <= cwnd {
            self.bic_k = 0;
            self.bic_origin_point = cwnd;
        } else {
            self.bic_k = cubic_root(s.cube_factor * u64::from(self.last_max_cwnd - cwnd));
            self.bic_origin_point = self.last_max_cwnd;
        }
        now
    }

    /// `W_cubic` one RTT ahead (RFC 9438 section 4.2) as segments to be acknowledged per segment
    /// of growth.
    fn cubic_cnt(&self, s: &Fixed, cwnd: u32, elapsed: u64) -> u32 {
        let t = ((elapsed + to_jiffies(self.delay_min_us)) << BICTCP_HZ) / HZ;
        let offs = t.abs_diff(self.bic_k);
        // Wide, because a connection may be in one epoch for hours.
        let cube = u128::from(s.cube_rtt_scale) * u128::from(offs).pow(3);
        let delta = u32::try_from(cube >> (10 + 3 * BICTCP_HZ)).unwrap_or(u32::MAX);
        let target = if t < self.bic_k {
            self.bic_origin_point.saturating_sub(delta)
        } else {
            self.bic_origin_point.saturating_add(delta)
        };
        let cnt = if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            cwnd.saturating_mul(CNT_STANDSTILL)
        };
        if self.last_max_cwnd == 0 {
            cnt.min(INITIAL_CNT_MAX)
        } else {
            cnt
        }
    }

    /// The Reno-friendly region (RFC 9438 section 4.3): not slower than Reno with this `beta`.
    fn befriend(&mut self, s: &Fixed, cwnd: u32) {
        let delta = ((u64::from(cwnd) * u64::from(s.beta_scale)) >> 3).max(1) as u32;
        while self.ack_cnt > delta {
            self.ack_cnt -= delta;
            self.tcp_cwnd += 1;
        }
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }
}

/// `cwnd * factor / 1024`, rounded down, without overflow.
fn scaled(cwnd: u32, factor: u32) -> u32 {
    (u64::from(cwnd) * u64::from(factor) / u64::from(BETA_SCALE)) as u32
}

/// Jiffies since the start, rounded down.
pub(super) fn jiffies(at: Instant) -> u64 {
    at.as_nanos() / (1_000_000_000 / HZ)
}

/// `usecs_to_jiffies`: rounded up.
fn to_jiffies(us: u64) -> u64 {
    us.div_ceil(1_000_000 / HZ)
}

/// The cube root of `a`, rounded down.
///
/// Linux starts from a table and takes one Newton step, which is 0.2 % off on average. The exact
/// root needs no table and is within that error: some ten milliseconds of a `K` of five seconds.
fn cubic_root(a: u64) -> u64 {
    let mut root = libm::cbrt(a as f64) as u64;
    while root.pow(3) > a {
        root -= 1;
    }
    while (root + 1).checked_pow(3).is_some_and(|cube| cube <= a) {
        root += 1;
    }
    root
}

#[cfg(test)]
#[path = "bictcp_tests.rs"]
mod tests;
