//! The receiving half from the outside: packets go in, frames come out.

use super::*;
use crate::tack::config::{Richness, StartUp};
use crate::tack::wire::{Frame, Frames, Tack};
use alloc::vec::Vec;
use std::string::String;

const MSS: u32 = 1434;
const RTT: Span = Span::from_millis(40);

struct Bench {
    cfg: TackConfig,
    r: Receiver,
    stats: Stats,
}

fn at(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

impl Bench {
    fn new(change: impl FnOnce(&mut TackConfig)) -> Self {
        let mut cfg = TackConfig {
            start_up: StartUp::Tamed,
            ..TackConfig::default()
        };
        change(&mut cfg);
        let mut r = Receiver::new(&cfg);
        r.agree(&cfg, 1, cfg.taming, cfg.ecn);
        r.set_rtt(&cfg, RTT);
        Self {
            cfg,
            r,
            stats: Stats::default(),
        }
    }

    /// Packet `number` with the `seq`-th full piece of the stream, which took 10 ms.
    fn data(&mut self, us: u64, number: u64, seq: u64) {
        self.put(us, number, seq, |_| {});
    }

    fn put(&mut self, us: u64, number: u64, seq: u64, change: impl FnOnce(&mut Data)) {
        let mut d = Data {
            seq: seq * u64::from(MSS),
            len: MSS,
            stamp: (us as u32).wrapping_sub(10_000),
            ..Data::default()
        };
        change(&mut d);
        self.r.on_packet(
            at(us),
            &self.cfg,
            number,
            Ecn::NotEct,
            Some(&d),
            &mut self.stats,
        );
    }

    /// The frames that leave at `us`, in words; empty if nothing does.
    fn out(&mut self, us: u64) -> Vec<String> {
        let mut control = Vec::new();
        if self.r.feedback(at(us), &self.cfg, &mut control).is_none() {
            assert!(control.is_empty());
            return Vec::new();
        }
        Frames::new(&control).map(|f| words(&f)).collect()
    }

    fn tack_at(&mut self, us: u64) -> (crate::tack::wire::TackHead, Vec<(u64, u64)>) {
        let mut control = Vec::new();
        self.r.feedback(at(us), &self.cfg, &mut control).unwrap();
        let Some(Frame::Tack(t)) = Frames::new(&control).last() else {
            panic!("no TACK")
        };
        (t.head, gaps(&t))
    }
}

fn gaps(t: &Tack<'_>) -> Vec<(u64, u64)> {
    let mss = u64::from(MSS);
    t.unacked.map(|b| (b.start / mss, b.end / mss)).collect()
}

fn words(f: &Frame<'_>) -> String {
    match f {
        Frame::Tack(t) => std::format!("tack {} {:?}", t.head.receipt.largest, gaps(t)),
        Frame::Iack(i) => match i.reason {
            IackReason::Loss { second, largest } => std::format!("loss {second} {largest}"),
            IackReason::Window => std::format!("window {}", i.receipt.window),
            other => std::format!("{other:?}"),
        },
        other => std::format!("{other:?}"),
    }
}

#[test]
fn a_gap_is_reported_once_and_the_tack_repeats_it() {
    let mut b = Bench::new(|_| {});
    b.data(0, 1, 0);
    b.data(100, 3, 2);
    // The first TACK may leave at once, the second alpha = 10 ms later.
    assert_eq!(b.out(100), ["loss 1 3", "tack 3 [(1, 2)]"]);
    assert_eq!(b.out(200), [""; 0]);
    b.data(300, 4, 3);
    b.data(400, 5, 4);
    assert_eq!(b.out(10_099), [""; 0]);
    assert_eq!(b.out(10_100), ["tack 5 [(1, 2)]"]);
    // The repair heals the gap in the stream.
    b.data(20_000, 6, 1);
    b.data(20_001, 7, 5);
    assert_eq!(b.out(21_000), ["tack 7 []"]);
    assert_eq!(b.r.next(), 6 * u64::from(MSS));
}

#[test]
fn reordering_makes_gaps_wait_a_quarter_of_the_minimum_rtt() {
    let mut b = Bench::new(|_| {});
    b.data(0, 1, 0);
    b.data(10, 3, 2);
    assert_eq!(b.out(10), ["loss 1 3", "tack 3 [(1, 2)]"]);
    b.data(20, 2, 1);
    assert_eq!(b.stats.out_of_order_in, 1);
    b.data(30_000, 5, 4);
    b.data(30_001, 6, 5);
    // The TACK does not tell of what no IACK has told.
    assert_eq!(b.out(30_001), ["tack 6 []"]);
    assert_eq!(b.out(39_999), [""; 0]);
    assert_eq!(b.out(40_000), ["loss 3 5"]);
    let mut eager = Bench::new(|c| c.settle = Settle::Never);
    eager.data(0, 1, 0);
    eager.data(10, 3, 2);
    eager.data(20, 2, 1);
    eager.out(20);
    eager.data(30, 5, 4);
    assert_eq!(eager.out(30), ["loss 3 5"]);
}

#[test]
fn without_iacks_the_tack_reports() {
    let mut b = Bench::new(|c| c.loss_iack = false);
    b.data(0, 1, 0);
    b.data(100, 3, 2);
    assert_eq!(b.out(100), ["tack 3 [(1, 2)]"]);
}

#[test]
fn loss_rates_are_exact_over_intervals() {
    let mut b = Bench::new(|_| {});
    b.data(0, 1, 0);
    b.data(1, 2, 1);
    b.tack_at(1);
    for n in [3, 4, 6, 7, 9] {
        b.data(100 * n, n, n - 1);
    }
    let (head, _) = b.tack_at(20_000);
    assert_eq!((head.expected, head.lost), (7, 2));
    assert_eq!(head.loss_ppm(), 285_714);
    assert_eq!(b.r.rho(), 285_714);
}

#[test]
fn the_tack_tells_rate_and_fastest_packet() {
    let mut b = Bench::new(|c| c.owd = crate::tack::config::Owd::Raw);
    b.data(0, 1, 0);
    b.data(1, 2, 1);
    b.tack_at(1);
    for n in 3..=12 {
        let us = 1 + 1147 * (n - 2);
        // The seventh packet takes 9 ms, the others 10.
        b.put(us, n, n - 1, |d| {
            if n == 7 {
                d.stamp = (us as u32).wrapping_sub(9_000);
            }
        });
    }
    let last = 1 + 11_470;
    let (head, _) = b.tack_at(last + 500);
    // From the first arrival: the second came too soon after it for an interval of its own.
    let rate = 11 * u64::from(MSS) * 1_000_000 / last;
    assert!(head.rate.abs_diff(rate) <= 1, "{} {rate}", head.rate);
    assert_eq!((head.interval, head.hold), (11_471, 500));
    let seventh = 1 + 1147 * 5;
    let f = head.fastest.unwrap();
    assert_eq!(f.stamp, (seventh as u32).wrapping_sub(9_000));
    assert_eq!(u64::from(f.hold), last + 500 - seventh);
}

#[test]
fn acknowledge_now_is_heeded() {
    let mut b = Bench::new(|_| {});
    b.data(0, 1, 0);
    b.data(1, 2, 1);
    b.tack_at(1);
    b.put(10_005, 3, 2, |d| d.now = true);
    assert_eq!(b.out(10_005), ["tack 3 []"]);
    b.r.on_packet(at(10_006), &b.cfg, 4, Ecn::NotEct, None, &mut b.stats);
    // Not more often than Eq. 2 allows.
    assert_eq!(b.out(20_004), [""; 0]);
    assert_eq!(b.out(20_005), ["tack 4 []"]);
}

#[test]
fn the_window_never_goes_back_and_opens_at_once_after_it_was_shut() {
    let mut b = Bench::new(|c| c.recv_buffer = 4 * u64::from(MSS));
    for n in 1..=4 {
        b.data(n, n, n - 1);
    }
    assert_eq!(b.out(4), ["tack 4 []"]);
    // Beyond the window: as if it had been lost.
    b.data(5, 5, 4);
    assert_eq!(b.r.next(), 4 * u64::from(MSS));
    assert_eq!(b.r.read(u64::MAX), 4 * u64::from(MSS));
    assert_eq!(b.out(6), [std::format!("window {}", 4 * MSS)]);
}

/// Two round trips and an interval after it, then twice as late each time, until data come.
#[test]
fn a_window_that_has_opened_is_told_again_until_data_come() {
    for comes in [false, true] {
        let mut b = Bench::new(|c| c.recv_buffer = 4 * u64::from(MSS));
        for n in 1..=4 {
            b.data(n, n, n - 1);
        }
        b.tack_at(4);
        b.r.read(u64::MAX);
        let open = [std::format!("window {}", 4 * MSS)];
        assert_eq!(b.out(6), open);
        if comes {
            b.data(50_000, 5, 4);
            assert_eq!(b.out(100_000), ["tack 5 []"]);
        }
        let mut again = Vec::new();
        for us in (6..5_000_000).step_by(10_000) {
            let out = b.out(us + 100_000);
            if !out.is_empty() {
                assert_eq!(out, open);
                again.push((us + 100_000) / 1000);
            }
        }
        let times: &[u64] = if comes { &[] } else { &[100, 280, 640, 1360] };
        assert_eq!(again, times);
        assert_eq!(b.r.next_timeout(), None);
    }
}

/// Each IACK has the window in it: the first of a packet must not hide that it opens only now.
#[test]
fn a_window_that_opens_beside_another_iack_is_told_again_too() {
    let mut b = Bench::new(|c| c.recv_buffer = 4 * u64::from(MSS));
    for n in 1..=4 {
        b.data(n, n, n - 1);
    }
    b.tack_at(4);
    b.r.read(u64::MAX);
    // Packet 5 is missing; 6 has no data.
    b.r.on_packet(at(5), &b.cfg, 6, Ecn::NotEct, None, &mut b.stats);
    let open = std::format!("window {}", 4 * MSS);
    assert_eq!(b.out(6), ["loss 4 6".into(), open.clone()]);
    assert_eq!(b.out(20_000), ["tack 6 []"]);
    let mut again = Vec::new();
    for us in (100_006..5_000_000).step_by(10_000) {
        if b.out(us).contains(&open) {
            again.push(us / 1000);
        }
    }
    assert_eq!(again, [100, 280, 640, 1360]);
}

#[test]
fn the_end_of_the_stream_takes_one_offset_and_no_byte() {
    let mut b = Bench::new(|_| {});
    b.put(0, 2, 1, |d| (d.len, d.fin) = (10, true));
    assert!(!b.r.take_finished());
    // Another end, or data behind the end, is not taken.
    b.put(1, 3, 2, |_| {});
    b.put(2, 4, 1, |d| (d.len, d.fin) = (11, true));
    b.data(3, 1, 0);
    assert!(b.r.take_finished() && !b.r.take_finished());
    assert_eq!(b.r.readable(), u64::from(MSS) + 10);
    assert_eq!(b.r.next(), u64::from(MSS) + 11);
}

#[test]
fn a_mark_after_packets_without_one_is_told_at_once() {
    let mut b = Bench::new(|c| c.ecn = true);
    let d = |n: u64| Data {
        seq: n * u64::from(MSS),
        len: MSS,
        ..Data::default()
    };
    for (n, ecn) in [(1, Ecn::Ect0), (2, Ecn::Ce), (3, Ecn::Ce)] {
        b.r.on_packet(at(n), &b.cfg, n, ecn, Some(&d(n - 1)), &mut b.stats);
    }
    let mut control = Vec::new();
    assert_eq!(
        b.r.feedback(at(3), &b.cfg, &mut control),
        Some(AckReason::IackMark)
    );
    let counts = EcnCounts {
        ect0: 1,
        ect1: 0,
        ce: 2,
    };
    let Some(Frame::Iack(first)) = Frames::new(&control).next() else {
        panic!("no IACK")
    };
    assert_eq!(first.reason, IackReason::Mark(counts));
}

/// A flood of gaps: memory is bounded, and every packet of feedback fits the MTU.
#[test]
fn memory_and_feedback_are_bounded() {
    let mut b = Bench::new(|c| {
        (c.holes, c.richness) = (64, Richness::Rich);
        c.recv_buffer = 100_000;
    });
    for n in 0..2000u64 {
        b.data(n * 10, 2 * n + 1, 2 * n + 1);
        let mut control = Vec::new();
        b.r.feedback(at(n * 10), &b.cfg, &mut control);
        assert!(control.len() <= b.cfg.feedback_room());
    }
    assert!(b.r.islands.len() <= 64 && b.r.holes.len() <= 64);
    assert_eq!(b.r.next(), 0);
}
