//! The control law of PIE (RFC 8033 section 4). Times are in seconds.

use super::Params;
use acklab_units::{Instant, Span};

/// Bytes that measure the drain rate (RFC 8033 section 5.2: DQ_THRESHOLD).
const DQ_THRESHOLD: u64 = 1 << 14;
/// Accumulated probability below which nothing is dropped (RFC 8033 section 5.4).
const ACCU_LEAST: f64 = 0.85;
/// And from which on a packet is dropped for certain.
const ACCU_MOST: f64 = 8.5;
/// A delay from which on the probability rises by 2 % more with each update (`pie_calculate_probability`).
const HIGH_DELAY: f64 = 0.25;
/// Probability at which Linux's 64 bits overflow: one is 2^56 there (`MAX_PROB`), and nothing else stops it.
const OVERFLOW: f64 = 256.0;
/// Steps of the probability, once it is a tenth (section 5.5), and for high delays.
const MOST_STEP: f64 = 0.02;

/// The control law (RFC 8033 section 4.2). Times in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pie {
    /// More than one in a queue that stays long: Linux lets it rise, and then it takes as long to fall.
    pub prob: f64,
    /// Probabilities of packets since the last drop, summed up (section 5.4: accu_prob_).
    pub accu: f64,
    pub delay: f64,
    pub delay_old: f64,
    /// The rest of the burst allowance.
    pub burst: f64,
    /// Last departure, or begin of a measurement of the drain rate.
    pub stamp: Option<Instant>,
    /// Bytes that have left since, while the drain rate is measured.
    pub counted: Option<u64>,
    /// Bytes in a second; 0: nobody knows.
    pub drain: f64,
}

impl Pie {
    pub fn new(params: &Params) -> Self {
        Self {
            prob: 0.0,
            accu: 0.0,
            delay: 0.0,
            delay_old: 0.0,
            burst: params.max_burst.as_secs_f64(),
            stamp: None,
            counted: None,
            drain: 0.0,
        }
    }

    /// Whether the control law is where it starts, so that updates of an empty queue change nothing.
    pub fn rests(&self, params: &Params) -> bool {
        let fresh = Self {
            drain: self.drain,
            ..Self::new(params)
        };
        *self == fresh
    }

    /// Whether to drop, or mark, a packet of `size` bytes that finds `backlog` bytes (section 4.1,
    /// `pie_drop_early`). `draw` gives a number from 0 to 1.
    pub fn drops(
        &mut self,
        params: &Params,
        backlog: u64,
        size: u32,
        draw: impl FnOnce() -> f64,
    ) -> bool {
        let low = self.delay < params.target.as_secs_f64() / 2.0 && self.prob < 0.2;
        if self.burst > 0.0 || low || backlog < 2 * u64::from(params.mtu) {
            return false;
        }
        let scale = match params.bytemode && size <= params.mtu {
            true => f64::from(size) / f64::from(params.mtu),
            false => 1.0,
        };
        let prob = self.prob * scale;
        self.accu = if prob == 0.0 { 0.0 } else { self.accu + prob };
        if self.accu < ACCU_LEAST {
            return false;
        }
        self.accu >= ACCU_MOST || draw() < prob
    }

    /// A packet was dropped or marked by chance, or dropped for whatever reason.
    pub fn on_dropped(&mut self) {
        self.accu = 0.0;
    }

    /// A packet leaves after `waited`, and leaves `backlog` bytes behind (`pie_process_dequeue`).
    pub fn on_left(
        &mut self,
        params: &Params,
        now: Instant,
        size: u32,
        waited: Span,
        backlog: u64,
    ) {
        let passed = if params.dq_rate_estimator {
            self.measure(now, size, backlog)
        } else {
            let passed = self.stamp.map(|last| (now - last).as_secs_f64());
            self.stamp = Some(now);
            self.delay = if backlog == 0 {
                0.0
            } else {
                waited.as_secs_f64()
            };
            passed
        };
        if let Some(passed) = passed {
            self.burst = (self.burst - passed).max(0.0);
        }
    }

    /// One step of the estimator of the drain rate (section 5.2). At the end of a measurement it says how
    /// long it took.
    fn measure(&mut self, now: Instant, size: u32, backlog: u64) -> Option<f64> {
        if backlog >= DQ_THRESHOLD && self.counted.is_none() {
            self.stamp = Some(now);
            self.counted = Some(0);
        }
        let counted = self.counted? + u64::from(size);
        self.counted = Some(counted);
        let took = (now - self.stamp?).as_secs_f64();
        if counted < DQ_THRESHOLD || took == 0.0 {
            return None;
        }
        let rate = counted as f64 / took;
        self.drain = match self.drain {
            0.0 => rate,
            drain => drain + (rate - drain) / 8.0,
        };
        self.counted = (backlog >= DQ_THRESHOLD).then_some(0);
        self.stamp = Some(now);
        Some(took)
    }

    /// The periodic update with `backlog` bytes waiting (section 4.2, `pie_calculate_probability`).
    pub fn update(&mut self, params: &Params, backlog: u64) {
        let (delay, old) = self.delays(params, backlog);
        let scale = auto_tune(self.prob);
        let error = delay - params.target.as_secs_f64();
        let mut step = scale * (params.alpha * error + params.beta * (delay - old));
        if self.prob >= 0.1 {
            step = step.min(MOST_STEP);
        }
        if delay > HIGH_DELAY {
            step += MOST_STEP;
        }
        let full = self.prob + step >= OVERFLOW;
        self.prob = match full {
            true => 1.0,
            false => (self.prob + step).max(0.0),
        };
        let unknown = delay == 0.0 && backlog != 0;
        if delay == 0.0 && old == 0.0 && !unknown && !full {
            self.prob -= self.prob / 64.0;
        }
        self.delay = delay;
        let half = params.target.as_secs_f64() / 2.0;
        let measured = !params.dq_rate_estimator || self.drain > 0.0;
        if delay < half && old < half && self.prob == 0.0 && measured {
            *self = Self::new(params);
        }
        self.delay_old = delay;
    }

    /// The delay now, and at the last update.
    fn delays(&self, params: &Params, backlog: u64) -> (f64, f64) {
        if !params.dq_rate_estimator {
            return (self.delay, self.delay_old);
        }
        let known = self.drain > 0.0;
        let delay = if known {
            backlog as f64 / self.drain
        } else {
            0.0
        };
        (delay, self.delay)
    }
}

/// How much of alpha and beta counts while the probability is low (section 4.2).
fn auto_tune(prob: f64) -> f64 {
    const STEPS: [(f64, f64); 6] = [
        (0.000_001, 2048.0),
        (0.000_01, 512.0),
        (0.000_1, 128.0),
        (0.001, 32.0),
        (0.01, 8.0),
        (0.1, 2.0),
    ];
    let step = STEPS.iter().find(|(below, _)| prob < *below);
    step.map_or(1.0, |(_, divisor)| 1.0 / divisor)
}
