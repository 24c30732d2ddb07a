//! One-way delay of data packets, end to end, and its jitter.

use super::quantiles::{Distribution, Quantiles, Sampled};
use acklab_units::{Instant, Span};

/// The estimator of RFC 3550 section 6.4.1 and appendix A.8: `J += (|D| - J) / 16`, where `D` is
/// the difference between the transit times of a packet and the one that arrived before it.
#[derive(Clone, Copy, Debug, Default)]
struct Jitter {
    transit: Option<u64>,
    /// Nanoseconds.
    estimate: f64,
}

impl Jitter {
    #[inline]
    fn on_packet(&mut self, transit: u64) {
        if let Some(before) = self.transit.replace(transit) {
            let d = transit.abs_diff(before) as f64;
            self.estimate += (d - self.estimate) / 16.0;
        }
    }
}

/// The delays of one flow's data.
#[derive(Clone, Debug, Default)]
struct FlowDelays {
    samples: Quantiles,
    jitter: Jitter,
    /// Sum of the jitter estimates after each sample.
    jitter_sum: f64,
}

/// Summary of the delays of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelaySummary {
    /// One-way delay of data packets.
    pub owd: Distribution,
    /// Mean of the jitter estimate, in seconds.
    pub jitter: f64,
}

/// The delays of all flows.
#[derive(Debug)]
pub(super) struct Delays {
    flows: Vec<FlowDelays>,
    sampled: Sampled,
}

impl Delays {
    pub(super) fn new(flows: usize, sampled: Sampled) -> Self {
        Self {
            flows: vec![FlowDelays::default(); flows],
            sampled,
        }
    }

    /// A data packet of `flow` arrived after `transit`.
    #[inline]
    pub(super) fn on_data(&mut self, now: Instant, flow: usize, transit: Span) {
        let f = &mut self.flows[flow];
        f.jitter.on_packet(transit.as_nanos());
        if self.sampled.contains(now) {
            f.samples.push(transit);
            f.jitter_sum += f.jitter.estimate;
        }
    }

    /// The latest transit time and jitter in nanoseconds, once there is one.
    pub(super) fn latest(&self, flow: usize) -> Option<(u64, f64)> {
        let j = &self.flows[flow].jitter;
        j.transit.map(|t| (t, j.estimate))
    }

    /// The summary of `flow`; `None` without samples.
    pub(super) fn summary(&mut self, flow: usize) -> Option<DelaySummary> {
        let f = &mut self.flows[flow];
        let owd = f.samples.distribution()?;
        Some(DelaySummary {
            owd,
            jitter: f.jitter_sum / f.samples.count() as f64 / 1e9,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_moves_by_a_sixteenth() {
        let mut j = Jitter::default();
        for transit in [1000, 1000, 2600, 1000] {
            j.on_packet(transit);
        }
        // 0, then 1600 / 16, then 100 + (1600 - 100) / 16.
        assert_eq!(j.estimate, 193.75);
    }

    #[test]
    fn samples_before_the_warm_up_move_only_the_estimate() {
        let at = |s| Instant::ZERO + Span::from_secs(s);
        let sampled = Sampled {
            from: at(5),
            to: at(9),
        };
        let mut d = Delays::new(1, sampled);
        d.on_data(at(1), 0, Span::from_millis(10));
        assert_eq!(d.summary(0), None);
        d.on_data(at(6), 0, Span::from_millis(26));
        let s = d.summary(0).unwrap();
        assert_eq!((s.owd.mean, s.jitter), (Span::from_millis(26), 0.001));
        assert_eq!(d.latest(0), Some((26_000_000, 1e6)));
    }
}
