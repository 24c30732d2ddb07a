//! The control law of RED: the average, and what happens to a packet.

use super::Params;
use acklab_units::Instant;

/// Least and largest probability of the adaptive variant, as in Linux (`MAX_P_MIN`, `MAX_P_MAX`).
pub(super) const PROBABILITIES: (f64, f64) = (0.01, 0.5);
/// Where it holds the average: from 2/5 to 3/5 between the thresholds (`red_set_parms`).
const MIDDLE: (f64, f64) = (0.4, 0.6);

/// The weight at which a burst of so many packets does not lift an average of zero above `min`
/// (Floyd and Jacobson section 6: `L + 1 - min <= (1 - (1 - W)^L) / W`; tc's `tc_red_eval_ewma`). A burst
/// that is shorter than `min` gets the largest weight, where tc refuses it.
pub(super) fn wlog(min: f64, burst: f64, avpkt: f64) -> u32 {
    let excess = burst + 1.0 - min / avpkt;
    let passes = |wlog: &u32| {
        let w = libm::exp2(-f64::from(*wlog));
        excess <= (1.0 - libm::pow(1.0 - w, burst)) / w
    };
    (1..32).find(passes).unwrap_or(31)
}

/// The fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Pass,
    /// By chance.
    Early,
    /// The average is above `max`.
    Forced,
}

/// The control law.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Law {
    pub average: f64,
    /// Packets since the last drop, -1 outside of the thresholds.
    pub count: i64,
    /// The draw that the next drop waits for.
    pub draw: f64,
    pub probability: f64,
    /// Since when nothing waits.
    pub idle_since: Option<Instant>,
}

impl Law {
    pub fn new(params: &Params) -> Self {
        Self {
            average: 0.0,
            count: -1,
            draw: 0.0,
            probability: params.probability,
            idle_since: None,
        }
    }

    /// The average with what has happened since it was last taken (`red_calc_qavg`). After an idle time it
    /// has fallen as if small queues of zero had been seen (Floyd and Jacobson section 11).
    fn average(&self, params: &Params, now: Instant, backlog: u64) -> f64 {
        let w = libm::exp2(-f64::from(params.wlog));
        match self.idle_since {
            None => self.average + w * (backlog as f64 - self.average),
            Some(since) => {
                let m = (now - since).as_secs_f64() / params.packet_time;
                self.average * libm::pow(1.0 - w, m)
            }
        }
    }

    /// A packet arrives and finds `backlog` bytes (`red_action`). `draw` gives a number from 0 to 1.
    pub fn on_arrival(
        &mut self,
        params: &Params,
        now: Instant,
        backlog: u64,
        mut draw: impl FnMut() -> f64,
    ) -> Action {
        self.average = self.average(params, now, backlog);
        self.idle_since = None;
        if self.average < params.min {
            self.count = -1;
            return Action::Pass;
        }
        if self.average >= params.max {
            self.count = -1;
            return Action::Forced;
        }
        self.count += 1;
        if self.count == 0 {
            self.draw = draw();
            return Action::Pass;
        }
        let above = (self.average - params.min) / (params.max - params.min);
        if self.probability * above * (self.count as f64) < self.draw {
            return Action::Pass;
        }
        self.count = 0;
        self.draw = draw();
        Action::Early
    }

    /// One step of the adaptive variant (`red_adaptative_algo`).
    pub fn adapt(&mut self, params: &Params, now: Instant) {
        let average = match self.idle_since {
            None => self.average,
            Some(_) => self.average(params, now, 0),
        };
        let at = |part: f64| params.min + part * (params.max - params.min);
        let (least, most) = PROBABILITIES;
        if average > at(MIDDLE.1) && self.probability <= most {
            self.probability += (self.probability / 4.0).min(least);
        } else if average < at(MIDDLE.0) && self.probability >= least {
            self.probability *= 0.9;
        }
    }
}
