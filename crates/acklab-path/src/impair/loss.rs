//! Random and deterministic loss.

use acklab_proto::rng::{self, Rng};
use acklab_units::{Instant, Span};

/// Which packets are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LossConfig {
    /// None.
    #[default]
    None,
    /// Each with this probability, independently.
    Bernoulli(f64),
    /// Numbers n, 2n, 3n, ... counted from one; never for zero.
    Periodic(u64),
    /// Two states (Gilbert 1960, Elliott 1963). A packet is judged in the state that it finds,
    /// then a transition is drawn, as Linux netem does; the first packet finds the good state.
    GilbertElliott {
        /// Probability to go from good to bad.
        p: f64,
        /// Probability to go from bad to good.
        r: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
    /// All of a stretch of time, once or again and again.
    Outage {
        /// The first instant at which packets are lost.
        from: Instant,
        /// The first instant at which they pass again.
        until: Instant,
        /// From the beginning of one outage to that of the next; `None`: there is one.
        every: Option<Span>,
    },
}

/// Where on a link loss is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossPlace {
    /// When a packet arrives at the near end, before ACK filter and queue: a lost one takes no place in the
    /// queue and no time on the line (Linux netem: `netem_enqueue` asks `loss_event` before it enqueues).
    BeforeQueue,
    /// When a packet reaches the far end: a lost one has waited and occupied the line (ns-3,
    /// `PointToPointNetDevice::Receive` asks its `RateErrorModel`).
    #[default]
    BehindQueue,
}

/// A loss process at work.
#[derive(Clone, Debug)]
pub struct Loss {
    config: LossConfig,
    rng: Rng,
    judged: u64,
    bad: bool,
}

impl Loss {
    /// A process that starts afresh; `None` if nothing is ever lost.
    pub fn new(config: LossConfig, rng: Rng) -> Option<Self> {
        (config != LossConfig::None).then_some(Self {
            config,
            rng,
            judged: 0,
            bad: false,
        })
    }

    /// Whether the next packet is lost, which is judged at `now`. To be asked once per packet.
    pub fn strikes(&mut self, now: Instant) -> bool {
        self.judged += 1;
        match self.config {
            LossConfig::None => false,
            LossConfig::Bernoulli(p) => rng::unit(&mut self.rng) < p,
            LossConfig::Periodic(n) => n > 0 && self.judged.is_multiple_of(n),
            LossConfig::GilbertElliott {
                p,
                r,
                loss_good,
                loss_bad,
            } => self.judge_in_state(p, r, loss_good, loss_bad),
            LossConfig::Outage { from, until, every } => {
                from <= now && {
                    let since = (now - from).as_nanos();
                    let within = every.map_or(since, |e| since % e.as_nanos());
                    within < (until - from).as_nanos()
                }
            }
        }
    }

    /// Always two draws, so that the losses of one parameter set line up with those of another.
    fn judge_in_state(&mut self, p: f64, r: f64, loss_good: f64, loss_bad: f64) -> bool {
        let (leave, loss) = if self.bad {
            (r, loss_bad)
        } else {
            (p, loss_good)
        };
        let lost = rng::unit(&mut self.rng) < loss;
        self.bad ^= rng::unit(&mut self.rng) < leave;
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn fates(config: LossConfig, n: usize) -> Vec<bool> {
        let mut loss = Loss::new(config, rng::stream(3, "loss")).unwrap();
        (0..n).map(|_| loss.strikes(Instant::ZERO)).collect()
    }

    fn lost(fates: &[bool]) -> usize {
        fates.iter().filter(|l| **l).count()
    }

    #[test]
    fn periodic_loss_takes_every_nth() {
        let f = fates(LossConfig::Periodic(3), 7);
        assert_eq!(f, [false, false, true, false, false, true, false]);
        assert_eq!(lost(&fates(LossConfig::Periodic(0), 9)), 0);
        assert_eq!(lost(&fates(LossConfig::Periodic(1), 9)), 9);
    }

    #[test]
    fn an_outage_takes_all_from_its_first_instant_up_to_its_last() {
        let (from, until) = (Instant::from_nanos(10), Instant::from_nanos(13));
        let lost = |every| {
            let config = LossConfig::Outage { from, until, every };
            let mut loss = Loss::new(config, rng::stream(3, "loss")).unwrap();
            let at = |ns: &u64| loss.strikes(Instant::from_nanos(*ns));
            (0..22).filter(at).collect::<Vec<u64>>()
        };
        assert_eq!(lost(None), [10, 11, 12]);
        let twice = lost(Some(Span::from_nanos(8)));
        assert_eq!(twice, [10, 11, 12, 18, 19, 20]);
    }

    #[test]
    fn bernoulli_loss_has_the_right_frequency_and_no_memory() {
        let f = fates(LossConfig::Bernoulli(0.01), 1_000_000);
        // Mean 10,000, standard deviation 99.5.
        assert!((9_600..=10_400).contains(&lost(&f)), "{}", lost(&f));
        let pairs = f.windows(2).filter(|w| w[0] && w[1]).count();
        assert!((60..=140).contains(&pairs), "{pairs}");
    }

    /// Stationary loss is `p / (p + r) * loss_bad`; bursts last `1 / r` packets on average.
    #[test]
    fn gilbert_elliott_loss_comes_in_bursts_of_the_right_length() {
        let config = LossConfig::GilbertElliott {
            p: 0.01,
            r: 0.25,
            loss_good: 0.0,
            loss_bad: 1.0,
        };
        let f = fates(config, 1_000_000);
        let share = lost(&f) as f64 / f.len() as f64;
        assert!((share - 0.01 / 0.26).abs() < 0.001, "{share}");
        let bursts = f.windows(2).filter(|w| !w[0] && w[1]).count();
        let mean = lost(&f) as f64 / bursts as f64;
        assert!((mean - 4.0).abs() < 0.1, "{mean}");
    }
}
