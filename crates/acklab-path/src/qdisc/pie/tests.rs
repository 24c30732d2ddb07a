use super::*;
use crate::packet::FlowId;
use crate::qdisc::testing::Plain;
use proptest::prelude::*;
use std::vec::Vec;

fn packet(id: u32, ecn: Ecn) -> Packet {
    Packet {
        id: PacketId(id),
        size: 1500,
        flow: FlowId(0),
        ecn,
    }
}

fn room(limit: u32) -> Room {
    Room::new(Limit::Packets(limit), 1, "link/a->b/qdisc")
}

/// The update of RFC 8033 (section 4.2 with Appendix A) written down once more, as its pseudo code
/// has it: divide the step, then cap it, then add, decay and clamp. 1 / 64 for the decay, which the
/// RFC allows and Linux has, and clamped at zero only, as in Linux.
struct Oracle {
    drop_prob: f64,
    qdelay_old: f64,
    burst_allowance: f64,
    accu_prob: f64,
}

impl Oracle {
    fn calculate_drop_prob(&mut self, current_qdelay: f64, backlog: u64) {
        let mut p = 0.125 * (current_qdelay - 0.015) + 1.25 * (current_qdelay - self.qdelay_old);
        if self.drop_prob < 0.000001 {
            p /= 2048.0;
        } else if self.drop_prob < 0.00001 {
            p /= 512.0;
        } else if self.drop_prob < 0.0001 {
            p /= 128.0;
        } else if self.drop_prob < 0.001 {
            p /= 32.0;
        } else if self.drop_prob < 0.01 {
            p /= 8.0;
        } else if self.drop_prob < 0.1 {
            p /= 2.0;
        }
        if self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        if current_qdelay > 0.25 {
            p += 0.02;
        }
        self.drop_prob += p;
        self.drop_prob = self.drop_prob.max(0.0);
        if current_qdelay == 0.0 && self.qdelay_old == 0.0 && backlog == 0 {
            self.drop_prob *= 1.0 - 1.0 / 64.0;
        }
        if self.drop_prob == 0.0 && current_qdelay < 0.0075 && self.qdelay_old < 0.0075 {
            self.burst_allowance = 0.15;
            self.accu_prob = 0.0;
        }
        self.qdelay_old = current_qdelay;
    }
}

proptest! {
    /// Delays that wander, jump and vanish: the probability is the RFC's at every step.
    #[test]
    fn the_probability_is_the_rfcs_and_has_no_upper_limit(delays in prop::collection::vec((0u64..4, 0.0f64..0.4), 1..400)) {
        let params = Params::DEFAULT;
        let mut pie = Pie::new(&params);
        let mut oracle = Oracle { drop_prob: 0.0, qdelay_old: 0.0, burst_allowance: 0.15, accu_prob: 0.0 };
        for (kind, delay) in delays {
            let (delay, backlog) = match kind {
                0 => (0.0, 0),
                1 => (0.0, 3000),
                2 => (delay / 10.0, 30_000),
                _ => (delay, 300_000),
            };
            pie.delay = delay;
            pie.update(&params, backlog);
            oracle.calculate_drop_prob(delay, backlog);
            prop_assert!((pie.prob - oracle.drop_prob).abs() < 1e-12, "{} {}", pie.prob, oracle.drop_prob);
            prop_assert!(pie.prob >= 0.0);
        }
    }

    /// Whatever comes and goes, the books balance, and packets leave in the order in which they came.
    #[test]
    fn order_and_books_are_kept(steps in prop::collection::vec((0u8..4, 0u64..40), 0..300), limit in 1u32..60,
        ecn in any::<bool>(), dq_rate_estimator in any::<bool>(), bytemode in any::<bool>()) {
        let params = Params { ecn, dq_rate_estimator, bytemode, max_burst: Span::ZERO, ..Params::DEFAULT };
        let mut q = PieQueue::new(params, &room(limit));
        let (mut now, mut last, mut accepted) = (Instant::ZERO, None, 0);
        for (id, (what, ms)) in (0..).zip(steps) {
            let then = now + Span::from_millis(ms);
            while let Some(at) = q.next_wakeup() && at <= then {
                q.on_wakeup(at, &mut |_, _| unreachable!());
            }
            now = then;
            if what > 0 {
                let codepoint = if what == 1 { Ecn::Ect1 } else { Ecn::NotEct };
                accepted += u64::from(q.offer(now, packet(id, codepoint)) == Enqueue::Queued);
            } else if let Some(p) = q.dequeue(now, &mut |_, _| unreachable!()) {
                prop_assert!(last.is_none_or(|l| l < p.id));
                last = Some(p.id);
            }
            prop_assert!(q.stats().packets <= limit);
            prop_assert_eq!(accepted, q.stats().dequeued + u64::from(q.stats().packets));
        }
    }
}

/// `pie_calculate_probability` in Linux's integers: one is 2^56, and nothing but the overflow of 64
/// bits stops the rise. A delay of 0.4 s lifts the probability by 4 % each time.
#[test]
fn the_probability_overflows_where_linux_has_no_more_bits() {
    let params = Params::DEFAULT;
    let mut pie = Pie::new(&params);
    pie.delay = 0.4;
    let max_prob = u64::MAX >> 8;
    let step = 2 * (max_prob / 50);
    (0..10).for_each(|_| pie.update(&params, 1_000_000));
    let mut linux = (pie.prob * max_prob as f64) as u64;
    let mut most: f64 = 0.0;
    for n in 0..10_000 {
        pie.update(&params, 1_000_000);
        linux = linux.checked_add(step).unwrap_or(max_prob);
        let expected = linux as f64 / max_prob as f64;
        assert!(
            (pie.prob - expected).abs() < 1e-6,
            "{n}: {} {expected}",
            pie.prob
        );
        most = most.max(pie.prob);
    }
    assert!(most > 255.9 && most < 256.0, "{most}");
}

/// With a probability of p a packet is dropped each 0.85 / p to 8.5 / p packets, and never two in a row
/// (RFC 8033 section 5.4); on average every 1 / p + 0.85 / p-th or so: nothing happens before 0.85.
#[test]
fn gaps_between_drops_are_bounded() {
    let params = Params {
        max_burst: Span::ZERO,
        ..Params::DEFAULT
    };
    let mut rng = room(1).rng();
    let mut pie = Pie {
        prob: 0.05,
        delay: 0.02,
        ..Pie::new(&params)
    };
    let (mut gaps, mut gap) = (Vec::new(), 0);
    for _ in 0..100_000 {
        gap += 1;
        if pie.drops(&params, 100_000, 1500, || rng::unit(&mut rng)) {
            pie.on_dropped();
            gaps.push(gap);
            gap = 0;
        }
    }
    let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
    // 170 times 0.05 is a little less than 8.5 in binary.
    assert!(*least >= 17 && *most <= 171, "{least} {most}");
    // 16 packets are safe, and each one after them is dropped with 0.05: 16 + 20.
    let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
    assert!((mean - 36.0).abs() < 0.5, "{mean}");
}

/// Nothing is dropped while less than two full packets wait (section 4.1), and what is full `mtu` says:
/// with Ethernet headers that waiting packets do not have, it takes a third one.
#[test]
fn two_full_packets_are_safe() {
    for (mtu, safe) in [(1500, 2), (1514, 3)] {
        let params = Params {
            max_burst: Span::ZERO,
            mtu,
            ..Params::DEFAULT
        };
        let mut pie = Pie {
            prob: 1.0,
            delay: 0.02,
            ..Pie::new(&params)
        };
        for waiting in 0..4 {
            let drops = pie.drops(&params, 1500 * waiting, 1500, || 0.5);
            assert_eq!(drops, waiting >= safe, "{mtu}: {waiting}");
        }
    }
}

#[test]
fn small_packets_are_spared_in_byte_mode() {
    let params = Params {
        bytemode: true,
        max_burst: Span::ZERO,
        ..Params::DEFAULT
    };
    let mut rng = room(1).rng();
    let mut rate = |size| {
        let mut pie = Pie {
            prob: 0.1,
            delay: 0.02,
            ..Pie::new(&params)
        };
        let mut draw = || {
            let drops = pie.drops(&params, 100_000, size, || rng::unit(&mut rng));
            if drops {
                pie.on_dropped();
            }
            drops
        };
        (0..100_000).filter(|_| draw()).count() as f64 / 1e5
    };
    let (full, tenth) = (rate(1500), rate(150));
    assert!((full / tenth - 10.0).abs() < 1.0, "{full} {tenth}");
}

/// Nothing is dropped in the first 150 ms of departures, however long the queue.
#[test]
fn a_burst_passes() {
    let mut q = PieQueue::new(Params::DEFAULT, &room(1000));
    let mut refused = Vec::new();
    let mut id = 0;
    for ms in 0..400u64 {
        let now = Instant::ZERO + Span::from_millis(ms);
        while let Some(at) = q.next_wakeup().filter(|at| *at <= now) {
            q.on_wakeup(at, &mut |_, _| unreachable!());
        }
        for _ in 0..3 {
            id += 1;
            if q.offer(now, packet(id, Ecn::NotEct)) != Enqueue::Queued {
                refused.push(ms);
            }
        }
        q.dequeue(now, &mut |_, _| unreachable!());
    }
    assert!(refused[0] > 150, "{}", refused[0]);
    assert!(refused.len() > 30, "{}", refused.len());
}

/// Marks stand in for drops only while the probability is at most a tenth (section 5.1).
#[test]
fn a_high_probability_drops_what_may_be_marked() {
    for (prob, marked) in [(0.09, true), (0.11, false)] {
        let params = Params {
            ecn: true,
            max_burst: Span::ZERO,
            ..Params::DEFAULT
        };
        let mut q = PieQueue::new(params, &room(1000));
        (0..10).for_each(|id| {
            q.offer(Instant::ZERO, packet(id, Ecn::Ect0));
        });
        q.pie.prob = prob;
        q.pie.accu = 9.0;
        q.pie.delay = 0.02;
        let fate = q.offer(Instant::ZERO, packet(10, Ecn::Ect0));
        assert_eq!(fate == Enqueue::Queued, marked, "{prob}");
        assert_eq!(q.stats().marked, u64::from(marked));
        assert_eq!(q.pie.accu, 0.0);
    }
}

/// 64 KiB of packets that leave one a millisecond: 1500 bytes / ms.
#[test]
fn the_drain_rate_is_measured() {
    let params = Params {
        dq_rate_estimator: true,
        ..Params::DEFAULT
    };
    let mut q = PieQueue::new(params, &room(1000));
    (0..200).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, Ecn::NotEct));
    });
    for ms in 1..100 {
        let now = Instant::ZERO + Span::from_millis(ms);
        q.dequeue(now, &mut |_, _| unreachable!());
    }
    // 11 packets in 10 ms: the first one of a measurement counts, and its time does not.
    assert!((q.pie.drain - 1.5e6).abs() < 1.5e5 + 1.0, "{}", q.pie.drain);
    q.pie.update(&params, 150_000);
    assert!((q.pie.delay - 0.1).abs() < 0.011, "{}", q.pie.delay);
}

/// An idle queue needs no timer, and the next packet finds the same grid of updates.
#[test]
fn the_timer_rests_with_the_control_law() {
    let mut q = PieQueue::new(Params::DEFAULT, &room(10));
    assert_eq!(q.next_wakeup(), None);
    q.offer(Instant::ZERO, packet(0, Ecn::NotEct));
    assert_eq!(q.next_wakeup(), Some(Instant::ZERO + Span::from_millis(15)));
    q.dequeue(Instant::ZERO, &mut |_, _| unreachable!());
    let mut n = 0;
    while let Some(at) = q.next_wakeup() {
        q.on_wakeup(at, &mut |_, _| unreachable!());
        n += 1;
        assert!(n < 10);
    }
    let later = Instant::ZERO + Span::from_millis(1000);
    q.offer(later, packet(1, Ecn::NotEct));
    assert_eq!(
        q.next_wakeup(),
        Some(Instant::ZERO + Span::from_millis(1005))
    );
}
