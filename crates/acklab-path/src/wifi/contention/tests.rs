//! Backoff by hand, and Bianchi's model.

use super::*;
use acklab_proto::rng::{self, Rng, RngCore};
use alloc::collections::BTreeMap;
use alloc::vec;
use proptest::prelude::*;

const SLOT: Span = Span::from_micros(9);
const AIFS: Span = Span::from_micros(34);
const ALL: GroundId = GroundId(0);

fn us(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

/// `n` contenders with the same interframe space on one ground.
fn cell(rule: SlotRule, n: usize) -> Contention {
    let mut c = Contention::new(SLOT, rule, 1);
    for _ in 0..n {
        c.add(ALL, AIFS);
    }
    c
}

fn winners(c: &mut Contention, at: Instant) -> Vec<u32> {
    let mut all = vec![];
    c.grant(at, &mut all);
    all.iter().map(|w| w.0).collect()
}

/// Everyone has sent something and backs off with its number of `slots` from `at` on, idle then.
fn backing_off(rule: SlotRule, slots: &[u32], at: Instant) -> Contention {
    let mut c = cell(rule, slots.len());
    for i in 0..slots.len() as u32 {
        c.join(Instant::ZERO, Contender(i), || 0);
    }
    let first = c.next_wakeup().unwrap();
    assert_eq!(winners(&mut c, first).len(), slots.len());
    c.on_busy(first, ALL);
    for (i, s) in slots.iter().enumerate() {
        c.back_off(first, Contender(i as u32), *s, true);
    }
    c.on_idle(ALL, at, Span::ZERO);
    c
}

#[test]
fn an_idle_medium_is_taken_at_the_next_boundary() {
    let mut c = cell(SlotRule::Edca, 1);
    c.join(us(100), Contender(0), || panic!("no backoff is due"));
    // 34 + 9 k >= 100 for the first time at k = 8.
    assert_eq!(c.next_wakeup(), Some(us(106)));
}

#[test]
fn a_busy_medium_costs_a_backoff() {
    let mut c = cell(SlotRule::Edca, 2);
    c.join(us(0), Contender(0), || 0);
    assert_eq!(c.next_wakeup(), Some(us(34)));
    assert_eq!(winners(&mut c, us(34)), [0]);
    c.on_busy(us(34), ALL);
    c.join(us(50), Contender(1), || 3);
    c.on_idle(ALL, us(134), Span::ZERO);
    assert_eq!(c.next_wakeup(), Some(us(134 + 34 + 27)));
}

#[test]
fn slots_that_passed_are_not_waited_for_again() {
    for (rule, left) in [(SlotRule::Edca, 5 - 3), (SlotRule::Dcf, 5 - 2)] {
        let mut c = backing_off(rule, &[5, 2], us(1000));
        let first = us(1000 + 34 + 18);
        assert_eq!(c.next_wakeup(), Some(first));
        assert_eq!(winners(&mut c, first), [1]);
        c.on_busy(first, ALL);
        c.on_idle(ALL, us(2000), Span::ZERO);
        assert_eq!(c.next_wakeup(), Some(us(2000 + 34 + 9 * left)), "{rule:?}");
    }
}

#[test]
fn a_backoff_runs_out_while_there_is_nothing_to_send() {
    let mut c = backing_off(SlotRule::Edca, &[4, 0], us(1000));
    c.withdraw(Contender(0));
    assert_eq!(winners(&mut c, us(1034)), [1]);
    c.on_busy(us(1034), ALL);
    c.on_idle(ALL, us(2000), Span::ZERO);
    // Three slots are left; two have passed by now.
    c.join(us(2034 + 10), Contender(0), || panic!("it has a backoff"));
    assert_eq!(c.next_wakeup(), Some(us(2034 + 27)));
    let mut c = backing_off(SlotRule::Edca, &[4, 9], us(1000));
    c.withdraw(Contender(0));
    c.join(us(1034 + 50), Contender(0), || panic!("the medium is idle"));
    assert_eq!(c.next_wakeup(), Some(us(1034 + 54)));
}

#[test]
fn after_an_unreadable_frame_its_senders_are_ahead() {
    let mut c = backing_off(SlotRule::Edca, &[0, 0, 3], us(1000));
    assert_eq!(winners(&mut c, us(1034)), [0, 1]);
    c.on_busy(us(1034), ALL);
    c.on_idle(ALL, us(2000), Span::from_micros(60));
    c.back_off_from(us(2045), Contender(0), 1, us(2000) + AIFS);
    c.back_off_from(us(2045), Contender(1), 12, us(2045));
    // Boundaries at 2034, 2043 and 2052; the first that is left is used up by the one slot.
    assert_eq!(c.next_wakeup(), Some(us(2061)));
    assert_eq!(winners(&mut c, us(2060)), []);
    assert_eq!(winners(&mut c, us(2061)), [0]);
    c.on_busy(us(2061), ALL);
    c.on_idle(ALL, us(3000), Span::ZERO);
    // The third waited for its EIFS and lost no more than at 1034; the second used up two of its slots.
    assert_eq!(c.next_wakeup(), Some(us(3000 + 34 + 18)));
    for (at, who) in [(3052, 2), (3034 + 90, 1)] {
        assert_eq!(winners(&mut c, us(at)), [who]);
    }
}

#[test]
fn shorter_spaces_come_first() {
    let mut c = Contention::new(SLOT, SlotRule::Edca, 1);
    let voice = c.add(ALL, Span::from_micros(34));
    let best_effort = c.add(ALL, Span::from_micros(43));
    c.join(us(0), best_effort, || 0);
    assert_eq!(c.next_wakeup(), Some(us(43)));
    c.join(us(0), voice, || 0);
    assert_eq!(winners(&mut c, us(34)), [voice.0]);
    assert!(c.contends(best_effort) && c.is_contended());
}

#[test]
fn grounds_do_not_hear_each_other() {
    let mut c = Contention::new(SLOT, SlotRule::Edca, 2);
    let a = c.add(GroundId(0), AIFS);
    let b = c.add(GroundId(1), AIFS);
    c.join(us(0), a, || 0);
    assert_eq!(winners(&mut c, us(34)), [0]);
    c.on_busy(us(34), GroundId(0));
    c.join(us(50), b, || panic!("idle over there"));
    assert_eq!(c.next_wakeup(), Some(us(34 + 18)));
}

/// Saturated stations that transmit for `busy`: payloads that got through, and the part of the
/// transmissions that collided.
fn saturated(n: usize, cw_min: u32, stages: u32, busy: Span, rounds: usize) -> (f64, f64) {
    let mut c = cell(SlotRule::Edca, n);
    let mut rng = rng::stream(7, "bianchi");
    let mut cw = vec![cw_min; n];
    for i in 0..n as u32 {
        c.join(Instant::ZERO, Contender(i), || 0);
    }
    let (mut sent, mut collided, mut passed) = (0u64, 0u64, 0u64);
    let mut end = Instant::ZERO;
    for _ in 0..rounds {
        let at = c.next_wakeup().unwrap();
        let all = winners(&mut c, at);
        c.on_busy(at, ALL);
        end = at + busy;
        c.on_idle(ALL, end, Span::ZERO);
        sent += all.len() as u64;
        passed += u64::from(all.len() == 1);
        collided += if all.len() > 1 { all.len() as u64 } else { 0 };
        for who in &all {
            let cw = &mut cw[*who as usize];
            let most = cw_min << stages;
            *cw = if all.len() > 1 {
                (2 * *cw).min(most)
            } else {
                cw_min
            };
            let slots = (rng.next_u64() % u64::from(*cw)) as u32;
            c.back_off(end, Contender(*who), slots, true);
        }
    }
    let time = (end - Instant::ZERO).as_secs_f64();
    (passed as f64 / time, collided as f64 / sent as f64)
}

/// Bianchi 2000, Eqs 7 and 9, solved by bisection; then Eq 13 in frames per second.
fn bianchi(n: usize, w: f64, m: i32, busy: Span) -> (f64, f64) {
    let n = n as f64;
    let tau = |p: f64| {
        2.0 * (1.0 - 2.0 * p)
            / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - libm::pow(2.0 * p, f64::from(m))))
    };
    let (mut low, mut high) = (0.0, 0.999_999);
    for _ in 0..200 {
        let p = (low + high) / 2.0;
        if p < 1.0 - libm::pow(1.0 - tau(p), n - 1.0) {
            low = p;
        } else {
            high = p;
        }
    }
    let p = (low + high) / 2.0;
    let t = tau(p);
    let some = 1.0 - libm::pow(1.0 - t, n);
    let one = n * t * libm::pow(1.0 - t, n - 1.0);
    let slot = SLOT.as_secs_f64();
    let cycle = (1.0 - some) * slot + some * (busy + AIFS).as_secs_f64();
    (one / cycle, p)
}

#[test]
fn saturation_agrees_with_bianchi() {
    let busy = Span::from_micros(300);
    for n in [1, 2, 5, 10, 20, 50] {
        for (w, m) in [(16, 6), (32, 5), (32, 3)] {
            let (frames, p) = saturated(n, w, m, busy, 120_000);
            let (model, p_model) = bianchi(n, f64::from(w), m as i32, busy);
            let off = frames / model - 1.0;
            assert!(
                off.abs() < 0.02,
                "n {n} w {w} m {m}: {frames} against {model}"
            );
            assert!(
                (p - p_model).abs() < 0.01,
                "n {n} w {w} m {m}: {p} against {p_model}"
            );
        }
    }
}

/// The same, slot by slot and contender by contender: nothing but counters.
#[derive(Debug)]
struct Naive {
    counters: BTreeMap<u32, u64>,
}

impl Naive {
    /// Boundaries until somebody transmits, and who.
    fn round(&mut self, rule: SlotRule) -> (u64, Vec<u32>) {
        let mut slots = 0;
        loop {
            let due: Vec<u32> = self
                .counters
                .iter()
                .filter(|c| *c.1 == 0)
                .map(|c| *c.0)
                .collect();
            if !due.is_empty() {
                for (who, c) in &mut self.counters {
                    if rule == SlotRule::Edca && !due.contains(who) {
                        *c -= 1;
                    }
                }
                return (slots, due);
            }
            slots += 1;
            self.counters.values_mut().for_each(|c| *c -= 1);
        }
    }
}

fn draw(rng: &mut Rng) -> u32 {
    (rng.next_u64() % 32) as u32
}

proptest! {
    #[test]
    fn counting_on_a_clock_agrees_with_counting_down(
        n in 1usize..12,
        seed: u64,
        dcf: bool,
        rounds in 1usize..60,
    ) {
        let rule = if dcf { SlotRule::Dcf } else { SlotRule::Edca };
        let mut rng = rng::stream(seed, "slots");
        let slots: Vec<u32> = (0..n).map(|_| draw(&mut rng)).collect();
        let mut idle = us(1000);
        let mut c = backing_off(rule, &slots, idle);
        let counters = (0..).zip(slots.iter().map(|s| u64::from(*s))).collect();
        let mut naive = Naive { counters };
        for _ in 0..rounds {
            let (gone, due) = naive.round(rule);
            let at = idle + AIFS + SLOT * gone;
            prop_assert_eq!(c.next_wakeup(), Some(at));
            prop_assert_eq!(&winners(&mut c, at), &due);
            c.on_busy(at, ALL);
            idle = at + Span::from_micros(100);
            c.on_idle(ALL, idle, Span::ZERO);
            for who in due {
                let slots = draw(&mut rng);
                c.back_off(idle, Contender(who), slots, true);
                naive.counters.insert(who, u64::from(slots));
            }
        }
    }
}
