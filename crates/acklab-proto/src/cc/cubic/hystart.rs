//! HyStart as Linux has it: an ACK train or a delay increase ends slow start.
//!
//! Source: `hystart_update` in `net/ipv4/tcp_cubic.c` (6.12-6.18); the idea is from Ha and Rhee,
//! "Taming the elephants: new TCP slow start" (2011). Both detectors live off the spacing and
//! number of ACKs, so both suffer from thinning.

/// `HYSTART_MIN_SAMPLES`: ACKs of a round before its delay is judged.
const MIN_SAMPLES: u32 = 8;
/// `HYSTART_DELAY_MIN` (us).
const DELAY_MIN_US: u64 = 4_000;
/// `HYSTART_DELAY_MAX` (us).
const DELAY_MAX_US: u64 = 16_000;
/// `hystart_low_window` (segments): smaller windows are left alone.
const LOW_WINDOW: u32 = 16;
/// `hystart_ack_delta_us`: ACKs further apart are not one train.
const ACK_DELTA_US: u64 = 2_000;
/// Largest allowance for the sender's own bursts in `hystart_ack_delay` (us).
const ACK_DELAY_MAX_US: u64 = 1_000;
/// `sk_gso_max_size` of an ordinary device (bytes).
const GSO_MAX_SIZE: u64 = 65_536;

/// Which detector fired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// ACKs kept coming for longer than half the smallest RTT.
    AckTrain,
    /// The RTT of the round exceeds the smallest by an eighth (4 to 16 ms).
    Delay,
}

/// The facts of one ACK.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When (us).
    pub now_us: u64,
    /// RTT of the ACK (us), the least of [`Self::samples`] packets.
    pub delay_us: u64,
    /// Packets of which it is.
    pub samples: u32,
    /// Smallest RTT so far, this one included (us).
    pub delay_min_us: u64,
    /// Window before the ACK (segments).
    pub cwnd: u32,
    /// Acknowledgement point (stream offset).
    pub snd_una: u64,
    /// Offset behind the last byte sent.
    pub snd_nxt: u64,
    /// The sender's pacing rate (bytes a second), used or not; 0 = unknown.
    pub pacing_rate: u64,
}

/// The detectors' state over one round.
#[derive(Clone, Debug)]
pub struct HyStart {
    /// The flow is paced (`sk_pacing_status`): pacing alone spreads ACKs over half an RTT.
    paced: bool,
    round_start_us: u64,
    last_ack_us: u64,
    end_seq: u64,
    curr_rtt_us: u64,
    sample_cnt: u32,
    found: Option<Found>,
}

impl HyStart {
    /// Detectors before the first round.
    pub fn new(paced: bool) -> Self {
        Self {
            paced,
            round_start_us: 0,
            last_ack_us: 0,
            end_seq: 0,
            curr_rtt_us: u64::MAX,
            sample_cnt: 0,
            found: None,
        }
    }

    /// The transport paces the flow, whatever the settings say.
    pub fn pace(&mut self) {
        self.paced = true;
    }

    /// The cause that ended slow start, if anything did since the start or the last [`Self::rearm`].
    pub fn found(&self) -> Option<Found> {
        self.found
    }

    /// After a timeout: forget the finding and begin a round.
    pub fn rearm(&mut self, now_us: u64, snd_nxt: u64) {
        self.found = None;
        self.begin_round(now_us, snd_nxt);
    }

    /// `hystart_update`: whether slow start ends here. Not called any more once it has.
    pub fn update(&mut self, a: &Arrival) -> bool {
        if a.snd_una > self.end_seq {
            self.begin_round(a.now_us, a.snd_nxt);
        }
        if a.cwnd < LOW_WINDOW {
            return false;
        }
        // Both look, whatever the other finds: each keeps its state.
        let train = self.train(a);
        let delay = self.delay(a);
        self.found = match (train, delay) {
            (true, _) => Some(Found::AckTrain),
            (_, true) => Some(Found::Delay),
            _ => None,
        };
        self.found.is_some()
    }

    /// `bictcp_hystart_reset`.
    fn begin_round(&mut self, now_us: u64, snd_nxt: u64) {
        self.round_start_us = now_us;
        self.last_ack_us = now_us;
        self.end_seq = snd_nxt;
        self.curr_rtt_us = u64::MAX;
        self.sample_cnt = 0;
    }

    /// A gap longer than [`ACK_DELTA_US`] ends the train for the rest of the round, since
    /// `last_ack` is then left behind.
    fn train(&mut self, a: &Arrival) -> bool {
        if a.now_us - self.last_ack_us > ACK_DELTA_US {
            return false;
        }
        self.last_ack_us = a.now_us;
        let mut threshold = a.delay_min_us + ack_delay_us(a.pacing_rate);
        if !self.paced {
            threshold >>= 1;
        }
        a.now_us - self.round_start_us > threshold
    }

    /// The smallest of all delays of the round counts, from the ninth ACK on. The least delay of several
    /// packets counts as so many ACKs, each with that delay.
    fn delay(&mut self, a: &Arrival) -> bool {
        self.curr_rtt_us = self.curr_rtt_us.min(a.delay_us);
        let samples = self.sample_cnt.saturating_add(a.samples);
        self.sample_cnt = samples.min(MIN_SAMPLES);
        if samples <= MIN_SAMPLES {
            return false;
        }
        let allowance = (a.delay_min_us >> 3).clamp(DELAY_MIN_US, DELAY_MAX_US);
        self.curr_rtt_us > a.delay_min_us + allowance
    }
}

/// `hystart_ack_delay`: time to send four of the largest bursts, at most a millisecond.
fn ack_delay_us(pacing_rate: u64) -> u64 {
    if pacing_rate == 0 {
        return 0;
    }
    (GSO_MAX_SIZE * 4 * 1_000_000 / pacing_rate).min(ACK_DELAY_MAX_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 48_000;

    fn arrival(now_us: u64) -> Arrival {
        Arrival {
            now_us,
            delay_us: BASE,
            samples: 1,
            delay_min_us: BASE,
            cwnd: 40,
            snd_una: 1,
            snd_nxt: 1_000_000,
            pacing_rate: 1_250_000,
        }
    }

    /// ACKs every `gap_us` in one round: when the detectors fire, if they do within `n`.
    fn train_of(gap_us: u64, n: u64, paced: bool) -> Option<u64> {
        let mut h = HyStart::new(paced);
        (0..n)
            .map(|i| BASE + i * gap_us)
            .find(|&t| h.update(&arrival(t)))
            .map(|t| t - BASE)
    }

    #[test]
    fn a_train_longer_than_half_the_rtt_and_a_cushion_ends_slow_start() {
        // (48 ms + 1 ms) / 2 = 24.5 ms at one ACK every 1.2 ms.
        assert_eq!(train_of(1_200, 40, false), Some(25_200));
    }

    #[test]
    fn acks_two_milliseconds_apart_are_a_train_and_a_little_more_is_none() {
        assert!(train_of(2_000, 40, false).is_some());
        assert_eq!(train_of(2_001, 1_000, false), None);
    }

    #[test]
    fn a_paced_flow_needs_a_train_of_a_whole_rtt() {
        assert_eq!(train_of(1_000, 100, true), Some(50_000));
    }

    #[test]
    fn one_gap_breaks_the_train_for_the_rest_of_the_round() {
        let mut h = HyStart::new(false);
        assert!(!h.update(&arrival(0)));
        assert!(!h.update(&arrival(3_000)));
        for t in (3_100..60_000).step_by(100) {
            assert!(!h.update(&arrival(t)));
        }
        // A new round makes a new train.
        let next = |t| Arrival {
            snd_una: 1_000_001,
            snd_nxt: 2_000_000,
            ..arrival(t)
        };
        assert!((60_000..90_000).step_by(100).any(|t| h.update(&next(t))));
    }

    #[test]
    fn a_small_window_is_left_alone_and_does_not_advance_the_train() {
        let mut h = HyStart::new(false);
        let small = |t| Arrival {
            cwnd: 15,
            ..arrival(t)
        };
        for t in (0..30_000).step_by(1_000) {
            assert!(!h.update(&small(t)));
        }
        // Sixteen now, but the last ACK of the train is 30 ms old.
        for t in (30_000..40_000).step_by(1_000) {
            assert!(!h.update(&arrival(t)));
        }
    }

    #[test]
    fn a_round_with_every_delay_an_eighth_longer_ends_slow_start_at_the_ninth_ack() {
        let mut h = HyStart::new(false);
        let slow = |i: u64| Arrival {
            delay_us: BASE + 6_001,
            ..arrival(i * 3_000)
        };
        for i in 0..8 {
            assert!(!h.update(&slow(i)));
        }
        assert!(h.update(&slow(8)));
        assert_eq!(h.found(), Some(Found::Delay));
    }

    #[test]
    fn one_short_delay_in_the_round_hides_the_queue() {
        let mut h = HyStart::new(false);
        h.update(&arrival(0));
        for i in 1..50 {
            let late = Arrival {
                delay_us: 3 * BASE,
                ..arrival(i * 3_000)
            };
            assert!(!h.update(&late));
        }
    }

    #[test]
    fn the_allowance_for_delay_lies_between_4_and_16_ms() {
        let fires = |min: u64, delay: u64| {
            let mut h = HyStart::new(false);
            (0..9).any(|i| {
                h.update(&Arrival {
                    delay_us: delay,
                    delay_min_us: min,
                    ..arrival(i * 3_000)
                })
            })
        };
        assert!(!fires(10_000, 14_000) && fires(10_000, 14_001));
        assert!(!fires(80_000, 90_000) && fires(80_000, 90_001));
        assert!(!fires(400_000, 416_000) && fires(400_000, 416_001));
    }

    #[test]
    fn thinned_acks_starve_the_delay_detector() {
        // Eight ACKs a round are never judged.
        let mut h = HyStart::new(false);
        for round in 0..20u64 {
            for i in 0..8 {
                let a = Arrival {
                    delay_us: 3 * BASE,
                    snd_una: round * 1_000 + 1,
                    snd_nxt: (round + 1) * 1_000,
                    ..arrival(round * 100_000 + i * 5_000)
                };
                assert!(!h.update(&a));
            }
        }
    }

    /// Under TACK an acknowledgement has the least delay of many packets: the same as an ACK for each of
    /// them with that delay.
    #[test]
    fn the_least_delay_of_several_packets_counts_for_each_of_them() {
        for delays in [[BASE + 6_001; 4], [3 * BASE, BASE, 2 * BASE, BASE + 6_001]] {
            for samples in 1..10 {
                let (mut one, mut each) = (HyStart::new(true), HyStart::new(true));
                for (i, delay_us) in (0..).zip(delays) {
                    let a = |samples| Arrival {
                        delay_us,
                        samples,
                        ..arrival(i * 10_000)
                    };
                    let apart = (0..samples).any(|_| each.update(&a(1)));
                    assert_eq!(one.update(&a(samples)), apart, "{samples} {i}");
                }
            }
        }
    }

    #[test]
    fn the_cushion_shrinks_only_at_very_high_rates() {
        assert_eq!(ack_delay_us(0), 0);
        assert_eq!(ack_delay_us(1_250_000), 1_000);
        assert_eq!(ack_delay_us(262_144_000), 1_000);
        assert_eq!(ack_delay_us(524_288_000), 500);
    }

    #[test]
    fn a_timeout_rearms_the_detectors() {
        let mut h = HyStart::new(false);
        (0..40).any(|i| h.update(&arrival(i * 1_200)));
        assert_eq!(h.found(), Some(Found::AckTrain));
        h.rearm(100_000, 5_000);
        assert_eq!(h.found(), None);
        assert!(!h.update(&arrival(100_500)));
    }
}
