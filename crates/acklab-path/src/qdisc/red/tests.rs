use super::*;
use crate::packet::FlowId;
use crate::qdisc::testing::Plain;
use acklab_proto::rng::RngCore;
use proptest::prelude::*;
use std::vec::Vec;

/// tc-red(8)'s example: limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive bandwidth 10Mbit.
fn example(set: &[(&str, Value)]) -> Params {
    let mut values = Values::defaults(ENTRY.params);
    let size = |n| Value::Size(acklab_units::Bytes(n));
    let all = [
        ("min", size(30_000)),
        ("max", size(90_000)),
        ("burst", Value::Int(55)),
    ];
    for (key, value) in all.iter().chain(set) {
        values.set(ENTRY.params, key, *value).unwrap();
    }
    Params::from_values(&values, &room())
}

fn room() -> Room {
    Room::new(Limit::Bytes(LIMIT), 1, "link/a->b/qdisc")
}

fn packet(id: u32, ecn: Ecn) -> Packet {
    Packet {
        id: PacketId(id),
        size: 1000,
        flow: FlowId(0),
        ecn,
    }
}

/// tc: max is three times min where only min is written, a quarter of the limit where neither is, and min a
/// third of max.
#[test]
fn thresholds_that_are_left_out() {
    let given = |set: &[(&str, u64)]| {
        let mut values = Values::defaults(ENTRY.params);
        for (key, n) in set {
            let size = Value::Size(acklab_units::Bytes(*n));
            values.set(ENTRY.params, key, size).unwrap();
        }
        thresholds(&values, 120_000.0)
    };
    assert_eq!(given(&[]), (10_000.0, 30_000.0));
    assert_eq!(given(&[("min", 15_000)]), (15_000.0, 45_000.0));
    assert_eq!(given(&[("max", 60_000)]), (20_000.0, 60_000.0));
    let both = [("min", 50_000), ("max", 60_000)];
    assert_eq!(given(&both), (50_000.0, 60_000.0));
}

/// The table in Linux' include/net/red.h: bursts that pass with weights of 2^-1 to 2^-9, for min / avpkt
/// of 32. The weight that is chosen for a burst lets it pass, and the next larger one would not.
#[test]
fn weights_of_linux() {
    let table = [
        (1, 33.0),
        (2, 35.0),
        (3, 39.0),
        (4, 46.0),
        (5, 57.0),
        (6, 75.0),
        (7, 101.0),
        (8, 135.0),
        (9, 190.0),
    ];
    for (log, burst) in table {
        let found = wlog(32_000.0, burst, 1000.0);
        assert!(found.abs_diff(log) <= 1, "{burst}: {found}, {log}");
    }
    // tc's answer for its own example, ewma 5... of `min 30000 burst 55 avpkt 1000`.
    assert_eq!(example(&[]).wlog, 5);
}

/// Linux' fixed-point average (`red_calc_qavg_no_idle_time`: the point at Wlog), and its
/// decision without divisions (`red_mark_probability`), in integers.
struct Linux {
    wlog: u32,
    min: u64,
    max: u64,
    average: u64,
    count: i64,
    r: u64,
    reciprocal: u64,
}

impl Linux {
    fn arrival(&mut self, backlog: u64, random: u32) -> Action {
        self.average = self.average + backlog - (self.average >> self.wlog);
        if self.average < self.min << self.wlog {
            self.count = -1;
            return Action::Pass;
        }
        if self.average >= self.max << self.wlog {
            self.count = -1;
            return Action::Forced;
        }
        self.count += 1;
        if self.count != 0 {
            let above = (self.average - (self.min << self.wlog)) >> self.wlog;
            if above * self.count as u64 >= self.r {
                self.count = 0;
                self.r = u64::from(random) / self.reciprocal;
                return Action::Early;
            }
        } else {
            self.r = u64::from(random) / self.reciprocal;
        }
        Action::Pass
    }
}

/// The same draws, the same queue: averages agree to a few bytes. Linux rounds `max_P / (max - min)` to a whole
/// number, 1431 for 1431.66, and with it its draws by 0.05 %. Where a hundred packets pass between
/// two drops, this makes one drop in twenty a packet early or late.
#[test]
fn averages_and_drops_are_linuxes() {
    let params = example(&[]);
    let mut law = Law::new(&params);
    let max_p = (0.02 * (1u64 << 32) as f64) as u64;
    let mut linux = Linux {
        wlog: params.wlog,
        min: 30_000,
        max: 90_000,
        average: 0,
        count: -1,
        r: 0,
        reciprocal: max_p / 60_000,
    };
    let mut rng = room().rng();
    let (mut early, mut differ, mut backlog) = (0, 0, 0u64);
    for step in 0..200_000u64 {
        let random = rng.next_u32();
        // A queue that wanders over all three ranges.
        let goal = 20_000 + 40_000 * (step / 2000 % 3);
        backlog = if backlog < goal {
            backlog + 1000
        } else {
            backlog.saturating_sub(1000 * u64::from(random % 4))
        };
        let ours = law.on_arrival(&params, Instant::ZERO, backlog, || {
            f64::from(random) / 4_294_967_296.0
        });
        let theirs = linux.arrival(backlog, random);
        let average = linux.average as f64 / f64::from(1 << params.wlog);
        assert!(
            (law.average - average).abs() < 40.0,
            "{step}: {} {average}",
            law.average
        );
        early += u32::from(theirs == Action::Early);
        if ours != theirs {
            differ += 1;
            // From here on as if it had not happened.
            law.count = linux.count;
            law.draw = linux.r as f64 * max_p as f64 / 60_000.0 / 4_294_967_296.0;
        }
    }
    assert!(early > 500, "{early}");
    assert!(differ * 20 < early, "{differ} of {early}");
}

/// With a constant average the gaps are uniform from 1 to 1 / p_b: on average every 1 / (2 p_b)-th
/// packet goes (Floyd and Jacobson section 7).
#[test]
fn gaps_are_uniform() {
    let params = example(&[]);
    let mut law = Law::new(&params);
    law.average = 60_000.0;
    let mut rng = room().rng();
    let (mut gaps, mut gap) = (Vec::new(), 0);
    for _ in 0..400_000 {
        gap += 1;
        let action = law.on_arrival(&params, Instant::ZERO, 60_000, || rng::unit(&mut rng));
        if action == Action::Early {
            gaps.push(gap);
            gap = 0;
        }
    }
    let mean = gaps.iter().skip(1).sum::<u32>() as f64 / (gaps.len() - 1) as f64;
    assert!((mean - 50.5).abs() < 1.5, "{mean}");
    assert!(gaps.iter().skip(1).all(|g| *g <= 101));
}

/// Idle for the time of m packets of 1000 bytes at 10 Mbit/s, 0.8 ms each: (1 - 2^-5)^m.
#[test]
fn an_idle_queue_forgets() {
    let params = example(&[]);
    let mut law = Law::new(&params);
    law.average = 80_000.0;
    law.idle_since = Some(Instant::ZERO);
    let later = Instant::ZERO + Span::from_micros(8000);
    law.on_arrival(&params, later, 0, || 0.5);
    let expected = 80_000.0 * (31.0f64 / 32.0).powi(10);
    assert!((law.average - expected).abs() < 1e-6, "{}", law.average);
    assert_eq!(law.idle_since, None);
}

/// Floyd, Gummadi and Shenker 2001, section 4: up by a quarter, by 0.01 at most; down to nine tenths.
#[test]
fn the_adaptive_probability_moves_in_steps() {
    let params = example(&[("adaptive", Value::Bool(true))]);
    let step = |average: f64, probability: f64| {
        let mut law = Law::new(&params);
        (law.average, law.probability) = (average, probability);
        law.adapt(&params, Instant::ZERO);
        law.probability
    };
    for (average, before, after) in [
        (89_000.0, 0.02, 0.025),
        (89_000.0, 0.1, 0.11),
        (31_000.0, 0.1, 0.09),
        (31_000.0, 0.02, 0.018),
    ] {
        let moved = step(average, before);
        assert!((moved - after).abs() < 1e-12, "{before}: {moved}");
    }
}

#[test]
fn the_adaptive_probability_stays_in_its_bounds() {
    let params = example(&[("adaptive", Value::Bool(true))]);
    let mut law = Law::new(&params);
    law.average = 89_000.0;
    (0..500).for_each(|_| law.adapt(&params, Instant::ZERO));
    assert!(
        (0.5..0.52).contains(&law.probability),
        "{}",
        law.probability
    );
    law.average = 31_000.0;
    (0..500).for_each(|_| law.adapt(&params, Instant::ZERO));
    assert!(
        (0.009..0.01).contains(&law.probability),
        "{}",
        law.probability
    );
    // In the middle nothing changes.
    law.average = 60_000.0;
    let before = law;
    law.adapt(&params, Instant::ZERO);
    assert_eq!(law, before);
}

/// Fates above `max` of packets that may be marked and of others.
#[test]
fn flags_decide_between_marks_and_drops() {
    let fates = |set: &[(&str, Value)]| {
        let mut q = Red::new(example(set), &room());
        q.law.average = 1e6;
        [Ecn::Ect0, Ecn::NotEct]
            .map(|ecn| q.offer(Instant::ZERO, packet(0, ecn)) == Enqueue::Queued)
    };
    let on = |key| (key, Value::Bool(true));
    assert_eq!(fates(&[]), [false, false]);
    assert_eq!(fates(&[on("ecn")]), [true, false]);
    assert_eq!(fates(&[on("ecn"), on("harddrop")]), [false, false]);
    assert_eq!(fates(&[on("ecn"), on("nodrop")]), [true, true]);
}

#[test]
fn contradictions_are_told() {
    let told = |set: &[(&str, Value)]| {
        let mut values = Values::defaults(ENTRY.params);
        set.iter()
            .for_each(|(k, v)| values.set(ENTRY.params, k, *v).unwrap());
        check(&values).map(|m| m.at)
    };
    use crate::qdisc::registry::At;
    let size = |n| Value::Size(acklab_units::Bytes(n));
    assert_eq!(
        told(&[("min", size(9000)), ("max", size(9000))]),
        Some([At::Key("min")].into())
    );
    assert_eq!(
        told(&[("nodrop", Value::Bool(true))]),
        Some([At::Key("nodrop")].into())
    );
    assert_eq!(told(&[]), None);
}

proptest! {
    /// Whatever comes and goes, the books balance and the order is kept.
    #[test]
    fn order_and_books_are_kept(steps in prop::collection::vec((0u8..4, 0u64..900), 0..400), limit in 1000u64..60_000,
        ecn in any::<bool>(), adaptive in any::<bool>()) {
        let room = Room::new(Limit::Bytes(limit), 1, "here");
        let mut values = Values::defaults(ENTRY.params);
        values.set(ENTRY.params, "ecn", Value::Bool(ecn)).unwrap();
        values.set(ENTRY.params, "adaptive", Value::Bool(adaptive)).unwrap();
        let mut q = Red::new(Params::from_values(&values, &room), &room);
        let (mut now, mut last, mut accepted) = (Instant::ZERO, None, 0);
        for (id, (what, ms)) in (0..).zip(steps) {
            let then = now + Span::from_millis(ms);
            while let Some(at) = q.next_wakeup() && at <= then {
                q.on_wakeup(at, &mut |_, _| unreachable!());
            }
            now = then;
            if what > 0 {
                let codepoint = if what == 1 { Ecn::Ect0 } else { Ecn::NotEct };
                accepted += u64::from(q.offer(now, packet(id, codepoint)) == Enqueue::Queued);
            } else if let Some(p) = q.dequeue(now, &mut |_, _| unreachable!()) {
                prop_assert!(last.is_none_or(|l| l < p.id));
                last = Some(p.id);
            }
            prop_assert!(q.stats().bytes <= limit);
            prop_assert_eq!(accepted, q.stats().dequeued + u64::from(q.stats().packets));
        }
    }
}
