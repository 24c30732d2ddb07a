//! Timelines of the sending half alone: what ns-3 does that others do not.

use super::*;
use crate::cc::CcInit;
use crate::cc::newreno::ns3::{ByteWindow, Flavour, Ns3Reno};
use crate::cc::ns3::{Callbacks, Facts};
use crate::cc::{Ack, Loss, Rto};
use crate::tcp::config::Profile;
use crate::tcp::sender::AckInfo;
use crate::tcp::stats::Stats;
use std::sync::{Arc, Mutex};
use std::vec::Vec;

const MSS: u64 = 1000;
const RTT: Span = Span::from_millis(50);

fn init() -> CcInit {
    CcInit {
        mss: MSS as u32,
        initial_cwnd: 10 * MSS,
        seed: 0,
    }
}

/// Notes the calls; the window is fixed, the threshold half of it.
#[derive(Debug)]
struct Noting {
    window: ByteWindow,
    calls: Arc<Mutex<Vec<&'static str>>>,
}

impl Noting {
    fn note(&self, call: &'static str) {
        self.calls.lock().unwrap().push(call);
    }
}

impl CongestionControl for Noting {
    fn on_ack(&mut self, _: &Ack) {
        self.note("on_ack");
    }
    fn on_loss(&mut self, _: &Loss) {}
    fn on_rto(&mut self, _: &Rto) {}
    fn cwnd(&self) -> u64 {
        self.window.cwnd
    }
    fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }
    fn callbacks(&mut self) -> Option<&mut dyn Callbacks> {
        Some(self)
    }
    fn state(&self) -> &'static str {
        "noting"
    }
}

impl Callbacks for Noting {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }
    fn pkts_acked(&mut self, _: &Facts) {
        self.note("pkts_acked");
    }
    fn increase_window(&mut self, _: &Facts, _: u32) {
        self.note("increase_window");
    }
    fn state_set(&mut self, _: &Facts, to: RecoveryPhase) {
        self.note(match to {
            RecoveryPhase::Open => "open",
            RecoveryPhase::Disorder => "disorder",
            RecoveryPhase::Recovery => "recovery",
            RecoveryPhase::Loss => "loss",
            RecoveryPhase::Cwr => "cwr",
        });
    }
    fn ss_thresh(&mut self, _: &Facts) -> u64 {
        self.note("ss_thresh");
        self.window.cwnd / 2
    }
    fn complete_cwr(&mut self, _: &Facts) {
        self.note("complete_cwr");
    }
}

struct Bench {
    s: Sender,
    cfg: TcpConfig,
    stats: Stats,
    now: Instant,
    window: u64,
    ece: bool,
}

impl Bench {
    /// A connection just opened, with `cfg` changed by `change`.
    fn with(cc: Box<dyn CongestionControl>, change: impl FnOnce(&mut TcpConfig)) -> Self {
        let mut cfg = TcpConfig::new(Profile::Ns3);
        cfg.segment = MSS as u32;
        change(&mut cfg);
        let mut b = Self {
            s: Sender::new(&cfg, cc),
            cfg,
            stats: Stats::default(),
            now: Instant::ZERO + Span::from_secs(1),
            window: 1 << 20,
            ece: false,
        };
        assert!(b.poll().is_some_and(|o| o.syn));
        let (sack, ecn) = (b.cfg.sack, b.cfg.ecn == crate::tcp::config::EcnMode::On);
        b.s.negotiate(MSS as u32, sack, false, ecn);
        b.now += RTT;
        b.ack_bytes(1, &[]);
        b
    }

    fn reno() -> Self {
        Self::with(Box::new(Ns3Reno::new(init(), Flavour::NewReno)), |_| {})
    }

    fn noting() -> (Self, Arc<Mutex<Vec<&'static str>>>) {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let cc = Noting {
            window: ByteWindow::new(init()),
            calls: calls.clone(),
        };
        (Self::with(Box::new(cc), |_| {}), calls)
    }

    fn poll(&mut self) -> Option<Outgoing> {
        self.s.poll_transmit(self.now, &self.cfg, &mut self.stats)
    }

    /// What leaves now, in segments from 0. Waits for the step after a write.
    fn sent(&mut self) -> Vec<u64> {
        self.sent_bytes().iter().map(|o| (o.0 - 1) / MSS).collect()
    }

    fn sent_bytes(&mut self) -> Vec<(u64, u32)> {
        let mut out = Vec::new();
        for _ in 0..2 {
            while let Some(o) = self.poll() {
                out.push((o.start, o.len));
            }
            if self.s.step.is_none() {
                break;
            }
            self.now += Span::from_nanos(1);
        }
        out
    }

    fn write(&mut self, segments: u64) -> Vec<u64> {
        self.s.write(segments * MSS);
        self.sent()
    }

    /// Acknowledges `n` segments and reports `blocks` of segments.
    fn ack(&mut self, n: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        let at = |n| 1 + n * MSS;
        let blocks: Vec<_> = blocks.iter().map(|b| (at(b.0), at(b.1))).collect();
        self.ack_bytes(at(n), &blocks);
        self.sent()
    }

    fn ack_bytes(&mut self, ack: u64, blocks: &[(u64, u64)]) {
        let info = AckInfo {
            ack,
            window: self.window,
            blocks,
            tsecr: None,
            ece: self.ece,
            carries_data: false,
        };
        self.s.on_ack(self.now, &info, &mut self.stats);
    }

    /// Lets time pass to the next timer and sends what it releases.
    fn timeout(&mut self) -> Vec<u64> {
        self.now = self.s.next_timeout().unwrap();
        self.s.on_timeout(self.now, &self.cfg, &mut self.stats);
        self.sent()
    }
}

#[test]
fn what_is_written_leaves_a_nanosecond_later() {
    let mut b = Bench::reno();
    b.s.write(2 * MSS);
    assert_eq!(b.poll(), None);
    let at = b.now + Span::from_nanos(1);
    assert_eq!(b.s.next_timeout(), Some(at));
    b.now = at;
    assert!(b.poll().is_some() && b.poll().is_some() && b.poll().is_none());
}

#[test]
fn the_initial_window_leaves_at_once() {
    let mut b = Bench::reno();
    assert_eq!(b.write(50), (0..10).collect::<Vec<_>>());
    assert_eq!(b.ack(1, &[]), [10, 11]);
}

/// Three segments reported above a hole: the head leaves whatever the window says, and the
/// controller is called in ns-3's order.
#[test]
fn recovery_begins_with_the_head() {
    let (mut b, calls) = Bench::noting();
    b.write(50);
    calls.lock().unwrap().clear();
    assert_eq!(b.ack(0, &[(1, 2)]), [10]);
    assert_eq!(b.ack(0, &[(1, 3)]), [11]);
    assert_eq!(b.ack(0, &[(1, 4)]).first(), Some(&0));
    assert_eq!(b.s.phase, RecoveryPhase::Recovery);
    let want = [
        "disorder",
        "pkts_acked",
        "pkts_acked",
        "recovery",
        "ss_thresh",
        "pkts_acked",
    ];
    assert_eq!(*calls.lock().unwrap(), want);
}

#[test]
fn recovery_ends_at_the_threshold_and_grows_at_once() {
    let (mut b, calls) = Bench::noting();
    b.write(50);
    b.ack(0, &[(1, 4)]);
    calls.lock().unwrap().clear();
    let high = (b.s.nxt - 1) / MSS;
    b.ack(high, &[]);
    assert_eq!((b.s.phase, b.s.cwnd()), (RecoveryPhase::Open, 5 * MSS));
    let want = ["pkts_acked", "complete_cwr", "open", "increase_window"];
    assert_eq!(*calls.lock().unwrap(), want);
}

/// A retransmission that is lost is not found; the timer, which only the first partial ACK
/// restarted, finds it.
#[test]
fn a_lost_retransmission_waits_for_the_timeout() {
    let mut b = Bench::reno();
    b.write(200);
    for n in 1..=10 {
        b.ack(n, &[]);
    }
    // Segments 10 and 12 are lost, and the retransmission of 12 is lost again.
    b.now += RTT;
    b.ack(10, &[(11, 12), (13, 16)]);
    b.now += RTT;
    b.ack(12, &[(13, 20)]);
    let first_partial = b.now;
    for i in 21..=30 {
        b.now += Span::from_millis(20);
        assert!(!b.ack(12, &[(13, i)]).contains(&12), "ACK of {i}");
    }
    assert_eq!(b.s.next_timeout(), Some(first_partial + Span::from_secs(1)));
    assert_eq!(b.timeout(), [12]);
    assert_eq!(b.s.cwnd(), MSS);
    assert_eq!(b.stats.rto_count, 1);
}

#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    let mut b = Bench::reno();
    b.write(200);
    for n in 1..=10 {
        b.ack(n, &[]);
    }
    b.ack(10, &[(11, 12), (13, 14), (15, 16), (17, 18)]);
    let mut timers = Vec::new();
    for n in [12, 14, 16] {
        b.now += RTT;
        b.ack(n, &[(17, 18 + n)]);
        timers.push(b.s.timer);
    }
    assert!(timers.iter().all(|t| *t == timers[0]), "{timers:?}");
}

/// While nothing new is acknowledged cleanly the writer is not asked for more.
#[test]
fn in_disorder_the_writer_is_not_told_of_room() {
    let mut b = Bench::reno();
    b.write(50);
    b.ack(2, &[]);
    assert_eq!(b.s.released(), 1 + 2 * MSS);
    b.ack(3, &[(4, 5)]);
    assert_eq!(
        (b.s.phase, b.s.released()),
        (RecoveryPhase::Disorder, 1 + 2 * MSS)
    );
    b.ack(5, &[]);
    assert_eq!(
        (b.s.phase, b.s.released()),
        (RecoveryPhase::Open, 1 + 5 * MSS)
    );
}

/// What is left of the peer's window after whole segments is used if it takes all there is, and
/// left alone if it does not.
#[test]
fn a_short_segment_leaves_only_if_it_is_the_last() {
    let mut b = Bench::reno();
    b.window = 3500;
    b.ack_bytes(1, &[]);
    b.s.peer_window = 3500;
    b.s.write(10 * MSS);
    assert_eq!(
        b.sent_bytes().iter().map(|o| o.1).collect::<Vec<_>>(),
        [1000; 3]
    );
    let mut b = Bench::reno();
    b.s.peer_window = 3500;
    b.s.write(3400);
    let lens: Vec<_> = b.sent_bytes().iter().map(|o| o.1).collect();
    assert_eq!(lens, [1000, 1000, 1000, 400]);
}

#[test]
fn short_segments_add_up_to_one_segment_of_growth() {
    let mut b = Bench::reno();
    for i in 0..4 {
        b.s.write(400);
        b.sent();
        b.now += RTT;
        b.ack_bytes(1 + 400 * (i + 1), &[]);
    }
    // 400, 800, 1200 (one segment), 600: one ACK of the four was worth a segment.
    assert_eq!(b.s.cwnd(), 11 * MSS);
}

#[test]
fn a_timeout_resends_one_segment_and_doubles() {
    let mut b = Bench::reno();
    b.write(50);
    let first = b.s.next_timeout().unwrap();
    assert_eq!(b.timeout(), [0]);
    assert_eq!((b.s.cwnd(), b.s.inflight), (MSS, MSS));
    assert_eq!(b.s.next_timeout(), Some(first + Span::from_secs(2)));
    // New data of the flight counts from the point of the timeout on.
    assert_eq!(b.ack(1, &[]), [1, 2]);
    assert_eq!(b.s.phase, RecoveryPhase::Loss);
}

#[test]
fn six_timeouts_in_a_row_are_enough() {
    let mut b = Bench::reno();
    b.write(1);
    for _ in 0..6 {
        assert_eq!(b.timeout(), [0]);
    }
    assert_eq!(b.timeout(), [0u64; 0]);
    assert!(b.s.gave_up());
}

#[test]
fn a_lost_syn_is_repeated_after_three_seconds() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let cfg = TcpConfig::new(Profile::Ns3);
    let (mut s, mut stats) = (Sender::new(&cfg, cc), Stats::default());
    let start = Instant::ZERO;
    assert!(s.poll_transmit(start, &cfg, &mut stats).is_some());
    let mut at = start;
    for wait in [3, 6, 12] {
        at += Span::from_secs(wait);
        assert_eq!(s.next_timeout(), Some(at));
        s.on_timeout(at, &cfg, &mut stats);
        assert!(s.poll_transmit(at, &cfg, &mut stats).is_some_and(|o| o.syn));
    }
}

/// Pacing counts payload, begins after the initial window, and holds one segment at a time.
#[test]
fn pacing_releases_one_segment_at_a_time() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let mut b = Bench::with(cc, |c| c.pacing = Pacing::Always);
    assert_eq!(b.write(50).len(), 10);
    b.now += RTT;
    assert_eq!(b.ack(2, &[]), [10]);
    let rate = b.s.pacing_rate().unwrap();
    let gap = b.s.next_timeout().unwrap() - b.now;
    assert_eq!(gap, rate.serialisation(MSS));
    assert_eq!(b.s.pacing_tied(b.now + gap), Some(b.now));
    assert_eq!(b.timeout(), [11]);
}

#[test]
fn a_congestion_mark_reduces_once_until_its_flight_is_acknowledged() {
    let (cc, calls) = {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let window = ByteWindow::new(init());
        let cc = Noting {
            window,
            calls: calls.clone(),
        };
        (Box::new(cc), calls)
    };
    let mut b = Bench::with(cc, |c| c.ecn = crate::tcp::config::EcnMode::On);
    b.write(50);
    calls.lock().unwrap().clear();
    b.ece = true;
    b.ack(1, &[]);
    b.ack(2, &[]);
    assert_eq!(b.s.phase, RecoveryPhase::Cwr);
    assert_eq!(b.stats.ecn_reductions, 1);
    assert_eq!(
        calls
            .lock()
            .unwrap()
            .iter()
            .filter(|c| **c == "ss_thresh")
            .count(),
        1
    );
    b.ece = false;
    b.ack((b.s.recover - 1) / MSS, &[]);
    assert_eq!(b.s.phase, RecoveryPhase::Cwr, "its end must be passed");
    b.write(10);
    b.ack((b.s.nxt - 1) / MSS, &[]);
    assert_eq!((b.s.phase, b.s.cwnd()), (RecoveryPhase::Open, 5 * MSS));
}

#[test]
fn without_sack_three_duplicates_start_recovery() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let mut b = Bench::with(cc, |c| c.sack = false);
    b.write(50);
    assert_eq!(b.ack(0, &[]), [10]);
    assert_eq!(b.ack(0, &[]), [11]);
    assert_eq!(b.ack(0, &[]).first(), Some(&0));
    assert_eq!(b.s.phase, RecoveryPhase::Recovery);
}

#[test]
fn a_closed_window_is_probed_with_growing_intervals() {
    let mut b = Bench::reno();
    b.write(2);
    b.window = 0;
    b.ack(2, &[]);
    assert_eq!(b.write(5), [0u64; 0]);
    let mut at = b.now;
    for _ in 0..3 {
        let next = b.s.next_timeout().unwrap();
        assert!(next > at);
        at = next;
        b.now = at;
        b.s.on_timeout(at, &b.cfg, &mut b.stats);
        assert_eq!(b.poll().map(|o| (o.start, o.len)), Some((2000, 0)));
    }
    b.window = 9000;
    assert_eq!(b.ack(2, &[]), [2, 3, 4, 5, 6]);
}

#[test]
fn the_fin_rides_on_the_last_data_or_goes_alone() {
    let mut b = Bench::reno();
    b.s.write(500);
    b.s.close();
    b.now += Span::from_nanos(2);
    b.poll();
    b.now += Span::from_nanos(2);
    let out = b.poll().unwrap();
    assert!(out.fin && out.len == 500 && b.s.fin_sent());
    let mut b = Bench::reno();
    b.write(1);
    b.s.close();
    b.poll();
    b.now += Span::from_nanos(2);
    let out = b.poll().unwrap();
    assert!(out.fin && out.len == 0);
    b.ack_bytes(b.s.nxt, &[]);
    assert!(b.s.fin_acked() && b.s.next_timeout().is_none());
}

/// A controller that is not ns-3's hears the ordinary facts, and recovery sets the window for it.
#[test]
fn other_controllers_are_told_by_the_ordinary_contract() {
    let mut cc = crate::tcp::config::CcChoice::named("cubic")
        .unwrap()
        .build(init());
    assert!(cc.callbacks().is_none());
    let mut b = Bench::with(cc, |_| {});
    b.write(100);
    for n in 1..=5 {
        b.ack(n, &[]);
    }
    assert_eq!(b.s.cwnd(), 15 * MSS);
    b.ack(5, &[(6, 9)]);
    assert_eq!(b.s.phase, RecoveryPhase::Recovery);
    assert!(b.s.reduced.is_some());
    b.ack((b.s.nxt - 1) / MSS, &[]);
    assert!(b.s.reduced.is_none());
    assert_eq!(b.s.cwnd() / MSS, 11, "seven tenths of 15, and growth");
}
