//! The sending half from the outside: reports go in, packets come out.

use super::*;
use crate::stats::Stats;
use crate::tack::config::{RepairGuard, TackConfig, Timing};
use crate::tack::receiver::micros;
use crate::tack::wire::{
    Block, Fastest, Frame, Frames, Iack, IackReason, ListWriter, Receipt, TackHead,
};
use crate::tcp::config::CcChoice;

const MSS: u64 = 1434;
const FIRST: u64 = 100;
const RTT: Span = Span::from_millis(40);

struct Bench {
    cfg: TackConfig,
    s: Sender,
    stats: Stats,
    now: Instant,
    feedback: u64,
}

impl Bench {
    /// A sender with `packets` to send at once and a window for 20.
    fn new(packets: u64, change: impl FnOnce(&mut TackConfig)) -> Self {
        let mut cc = CcChoice::named("fixed").unwrap();
        cc.params
            .set(cc.entry.params, "window", crate::registry::Value::Int(20))
            .unwrap();
        Self::under(&cc, packets, change)
    }

    fn under(cc: &CcChoice, packets: u64, change: impl FnOnce(&mut TackConfig)) -> Self {
        let mut cfg = TackConfig {
            skip_within: 0,
            ..TackConfig::default()
        };
        change(&mut cfg);
        let cc = cc.build(crate::cc::CcInit {
            mss: cfg.mss,
            initial_cwnd: 20 * MSS,
            seed: 1,
            kernel_units: false,
        });
        let mut s = Sender::new(&cfg, cc, FIRST, 1);
        let now = Instant::ZERO + Span::from_secs(1);
        s.agree(now, cfg.mss, cfg.taming, 1 << 20, cfg.ecn);
        s.handshake_rtt(now, RTT, true);
        assert_eq!(s.write(&cfg, packets * MSS), packets * MSS);
        Self {
            cfg,
            s,
            stats: Stats::default(),
            now,
            feedback: 0,
        }
    }

    /// Packets that leave within `span` from now: number, which piece, whether it asks for a TACK.
    fn run(&mut self, span: Span) -> Vec<(u64, u64, bool)> {
        let end = self.now + span;
        let mut out = Vec::new();
        loop {
            while let Some(o) = self.s.poll_transmit(self.now, &self.cfg, &mut self.stats) {
                let d = o.data.unwrap();
                out.push((o.number - FIRST, d.seq / MSS, d.now));
            }
            let Some(t) = self.s.next_timeout().filter(|t| *t <= end) else {
                break;
            };
            self.now = self.now.max(t);
            self.s.on_timeout(self.now, &self.cfg, &mut self.stats);
        }
        self.now = end;
        out
    }

    /// `pieces` that have arrived in order, the largest number, and packets.
    fn receipt(pieces: u64, largest: u64, packets: u64) -> Receipt {
        Receipt {
            cumulative: pieces * MSS,
            window: 1 << 20,
            largest: FIRST + largest,
            packets,
            sync: 0,
        }
    }

    fn loss(&mut self, receipt: Receipt, second: u64, largest: u64) {
        let freshness = self.s.on_feedback(self.now, self.feedback);
        self.feedback += 1;
        let reason = IackReason::Loss {
            second: FIRST + second,
            largest: FIRST + largest,
        };
        let iack = Iack { receipt, reason };
        self.s
            .on_iack(self.now, &self.cfg, &iack, freshness, &mut self.stats)
            .unwrap();
    }

    /// A TACK with acked and unacked pieces `[from, to)`.
    fn tack(&mut self, head: TackHead, acked: &[(u64, u64)], unacked: &[(u64, u64)]) {
        let freshness = self.s.on_feedback(self.now, self.feedback);
        self.feedback += 1;
        let block = |&(from, to): &(u64, u64)| Block {
            start: from * MSS,
            end: to * MSS,
        };
        let mut bytes = Vec::new();
        Frame::put_tack_head(&head, &mut bytes);
        let cumulative = head.receipt.cumulative;
        let mut list = ListWriter::acked(&mut bytes, cumulative, 500);
        assert!(acked.iter().all(|b| list.push(block(b))));
        let mut list = ListWriter::unacked(&mut bytes, cumulative, 500);
        assert!(unacked.iter().all(|b| list.push(block(b))));
        let Some(Frame::Tack(tack)) = Frames::new(&bytes).next() else {
            panic!("no TACK")
        };
        self.s
            .on_tack(self.now, &self.cfg, &tack, freshness, &mut self.stats)
            .unwrap();
    }

    fn head(receipt: Receipt) -> TackHead {
        TackHead {
            receipt,
            settled: receipt.largest,
            ..TackHead::default()
        }
    }
}

fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

#[test]
fn packets_leave_paced_and_the_last_asks_for_a_tack() {
    let mut b = Bench::new(5, |_| {});
    // 20 packets in 40 ms, and twice as fast in slow start: one every millisecond, the second after
    // half of one.
    for span in [0, 501, 1000, 1000, 1000] {
        if span > 0 {
            assert!(b.run(Span::from_micros(span - 20)).is_empty());
        }
        let got = b.run(Span::from_micros(if span > 0 { 20 } else { 0 }));
        assert_eq!(got.len(), 1, "{span}");
        assert_eq!(got[0].2, got[0].1 == 4);
    }
}

/// A packet that several reports call lost is sent again once, under a new number; it is sent a third
/// time at once when that number is known to be lost.
#[test]
fn a_repair_is_repeated_only_when_it_is_lost_itself() {
    let mut b = Bench::new(100, |c| c.guard = RepairGuard::ProvenOnly);
    let sent = b.run(RTT);
    assert_eq!(sent.len(), 20);
    b.loss(Bench::receipt(1, 2, 2), 0, 2);
    let first = b.run(Span::from_micros(100));
    assert_eq!(first[0].1, 1);
    let repair = first[0].0;
    assert_eq!(repair, 20);
    // The same loss, told by another IACK and by a TACK whose numbers end before the repair.
    b.loss(Bench::receipt(1, 3, 3), 0, 2);
    b.tack(Bench::head(Bench::receipt(1, 9, 9)), &[(2, 10)], &[(1, 2)]);
    let more = b.run(ms(30));
    assert!(more.iter().all(|p| p.1 >= 20), "{more:?}");
    assert!(more.iter().any(|p| p.0 > repair));
    // A number above the repair has arrived and the gap is still there.
    let last = repair + 1;
    b.tack(
        Bench::head(Bench::receipt(1, last, last - 1)),
        &[(2, 20)],
        &[(1, 2)],
    );
    assert_eq!(b.run(ms(2))[0].1, 1);
    assert_eq!(b.stats.retrans_segs, 2);
}

#[test]
fn without_proof_a_repair_is_repeated_after_a_round_trip() {
    let mut b = Bench::new(20, |_| {});
    b.run(RTT);
    b.loss(Bench::receipt(1, 2, 2), 0, 2);
    b.run(Span::from_micros(100));
    let head = Bench::head(Bench::receipt(1, 19, 19));
    b.tack(head, &[(2, 20)], &[(1, 2)]);
    assert!(b.run(ms(20)).is_empty());
    // Nothing above the repair was ever sent. After a round trip and a quarter it is sent again.
    b.tack(head, &[(2, 20)], &[(1, 2)]);
    assert!(b.run(ms(40)).is_empty());
    b.tack(head, &[(2, 20)], &[(1, 2)]);
    let again = b.run(ms(1));
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].1, 1);
}

/// Section 4.3: RTT = t1 - t0 - dt.
#[test]
fn the_tacks_delay_is_taken_out_unless_timing_is_legacy() {
    let sample = |timing| {
        let mut b = Bench::new(1, |c| c.timing = timing);
        b.run(ms(50));
        let mut head = Bench::head(Bench::receipt(1, 0, 1));
        head.hold = 8_000;
        head.fastest = Some(Fastest {
            stamp: micros(b.now).wrapping_sub(50_000),
            hold: 9_000,
        });
        b.tack(head, &[], &[]);
        let s = b.s.snapshot(&b.cfg);
        (s.rtt, s.min_rtt.unwrap())
    };
    assert_eq!(sample(Timing::Advanced), (ms(42), ms(40)));
    assert_eq!(sample(Timing::Legacy), (ms(50), ms(40)));
}

/// Nothing is heard: the last packet again after two RTTs and what the peer may be late by, then the
/// first after the timeout, then ever more rarely, then no more.
#[test]
fn silence_is_probed_and_then_timed_out() {
    let mut b = Bench::new(3, |c| c.max_retries = 3);
    assert_eq!(b.run(ms(10)).len(), 3);
    assert!(b.run(ms(80)).is_empty());
    assert_eq!(b.run(ms(30)), [(3, 2, true)]);
    assert_eq!((b.stats.tlp_count, b.stats.rto_count), (1, 0));
    let timed_out = b.run(ms(400));
    assert_eq!(timed_out[0], (4, 0, true));
    assert_eq!(b.stats.rto_count, 1);
    assert_eq!(b.s.phase(), RecoveryPhase::Loss);
    b.run(Span::from_secs(30));
    assert!(b.s.gave_up());
    assert_eq!(b.stats.rto_count, 3);
}

#[test]
fn an_acknowledgement_ends_the_timeouts() {
    let mut b = Bench::new(3, |_| {});
    b.run(ms(10));
    b.run(ms(110));
    b.tack(Bench::head(Bench::receipt(3, 3, 4)), &[], &[]);
    assert!(b.run(Span::from_secs(10)).is_empty());
    assert_eq!((b.s.una(), b.stats.rto_count), (3 * MSS, 0));
}

#[test]
fn one_episode_of_losses_is_one_reduction() {
    let mut b = Bench::new(100, |_| {});
    b.run(RTT);
    for n in [2, 4, 6] {
        b.loss(Bench::receipt(1, n, n / 2 + 1), n - 2, n);
    }
    assert_eq!((b.stats.recoveries, b.stats.lost_segs), (1, 3));
    assert_eq!(b.s.phase(), RecoveryPhase::Recovery);
    b.run(ms(20));
    let sent = b.s.board.next_number() - FIRST;
    b.tack(Bench::head(Bench::receipt(20, sent - 1, sent)), &[], &[]);
    assert_eq!(b.s.phase(), RecoveryPhase::Open);
}

/// Right after a TACK less is in flight than before it. BBR conserves what was in flight before, whether
/// the loss is told of by an IACK then or by the TACK itself.
#[test]
fn an_iack_between_two_tacks_conserves_what_the_tack_would_have() {
    let cc = CcChoice::named("bbr1").unwrap();
    let mut b = Bench::under(&cc, 500, |_| {});
    assert_eq!(b.run(RTT).len(), 20);
    b.tack(Bench::head(Bench::receipt(10, 9, 10)), &[], &[]);
    assert_eq!(b.s.board.inflight(), 10 * MSS);
    b.loss(Bench::receipt(11, 12, 12), 10, 12);
    assert_eq!(b.s.phase(), RecoveryPhase::Recovery);
    assert_eq!(b.s.cwnd(), 19 * MSS);

    let mut b = Bench::under(&cc, 500, |_| {});
    b.run(RTT);
    b.tack(
        Bench::head(Bench::receipt(10, 11, 11)),
        &[(11, 12)],
        &[(10, 11)],
    );
    assert_eq!(b.s.cwnd(), 19 * MSS);
}

#[test]
fn numbers_are_skipped_and_nothing_else_is() {
    let mut b = Bench::new(1000, |c| c.skip_within = 8);
    let sent = b.run(RTT);
    let pieces: Vec<u64> = sent.iter().map(|p| p.1).collect();
    assert_eq!(pieces, (0..20).collect::<Vec<_>>());
    let last = sent[19].0;
    assert!((20..23).contains(&last), "{last}");
}

/// Twenty packets leave, the first two are acknowledged, and then nothing is heard until the timer has
/// expired. Returns the packets that have left since.
fn timed_out(change: impl FnOnce(&mut TackConfig)) -> (Bench, Vec<(u64, u64, bool)>) {
    let mut b = Bench::new(22, change);
    b.run(RTT);
    b.tack(Bench::head(Bench::receipt(2, 1, 2)), &[], &[]);
    let mut sent = Vec::new();
    while b.stats.rto_count == 0 {
        sent.extend(b.run(Span::from_micros(100)));
    }
    sent.retain(|p| p.0 >= 22);
    assert_eq!(b.s.phase(), RecoveryPhase::Loss);
    // The probe, the first that is missing, and another within the window.
    let pieces: Vec<u64> = sent.iter().map(|p| p.1).collect();
    assert_eq!(pieces, [21, 2, 3]);
    (b, sent)
}

/// The path held everything for longer than the timeout: the first report is about what had been sent
/// before it. Nothing more is repeated.
#[test]
fn a_timeout_is_taken_back_when_what_was_given_up_arrives() {
    let (mut b, _) = timed_out(|_| {});
    b.tack(Bench::head(Bench::receipt(5, 4, 5)), &[], &[]);
    assert_eq!((b.stats.undos, b.s.phase()), (1, RecoveryPhase::Open));
    assert_eq!(b.s.board.lost_segments(), 0);
    assert!(b.run(ms(10)).is_empty());
    b.tack(Bench::head(Bench::receipt(22, 21, 22)), &[], &[]);
    assert!(b.s.board.is_empty());
    assert_eq!((b.stats.retrans_segs, b.stats.rto_count), (3, 1));
}

/// Only acknowledgements were lost: the answer to the repetition counts all packets.
#[test]
fn a_timeout_is_taken_back_when_nothing_is_missing() {
    let (mut b, sent) = timed_out(|_| {});
    let last = sent[2].0;
    b.tack(Bench::head(Bench::receipt(22, last, last + 1)), &[], &[]);
    assert_eq!((b.stats.undos, b.s.phase()), (1, RecoveryPhase::Open));
}

/// One of those before the timeout is missing below the repetition: the timeout was right.
#[test]
fn a_timeout_for_a_loss_stays() {
    let (mut b, sent) = timed_out(|_| {});
    let last = sent[2].0;
    let head = Bench::head(Bench::receipt(4, last, last));
    b.tack(head, &[(5, 22)], &[(4, 5)]);
    assert_eq!((b.stats.undos, b.s.phase()), (0, RecoveryPhase::Loss));
    assert_eq!(b.run(ms(5))[0].1, 4);
}

/// Part of the flight came late, a part was lost: the timeout is taken back, and the loss is a loss
/// like any other.
#[test]
fn a_loss_within_a_late_flight_has_a_recovery_of_its_own() {
    let (mut b, _) = timed_out(|_| {});
    b.loss(Bench::receipt(4, 6, 5), 3, 6);
    assert_eq!((b.stats.undos, b.s.phase()), (1, RecoveryPhase::Recovery));
    assert_eq!(b.s.board.lost_segments(), 2);
    let again: Vec<u64> = b.run(ms(10)).iter().map(|p| p.1).collect();
    assert_eq!(again, [4, 5]);
}

#[test]
fn without_undo_a_timeout_stays() {
    let (mut b, _) = timed_out(|c| c.undo = false);
    b.tack(Bench::head(Bench::receipt(5, 4, 5)), &[], &[]);
    assert_eq!((b.stats.undos, b.s.phase()), (0, RecoveryPhase::Loss));
}
