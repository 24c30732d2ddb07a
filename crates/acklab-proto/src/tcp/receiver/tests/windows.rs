//! The window over time: autotuning ahead of a sender, closing, opening.

use super::fixture::{Bench, Delayed, MSS, Silent, edge};
use crate::ack::AckReason;
use crate::tcp::config::{AckChoice, Profile, TcpConfig};
use crate::tcp::receiver::{Data, TimestampReply};
use acklab_units::{Instant, Rate, Span};
use std::boxed::Box;

/// A sender in slow start that fills a path of `rate` and `rtt`.
struct SlowStart {
    bench: Bench,
    rate: Rate,
    rtt: Span,
    start: Instant,
    sent: u64,
    rounds: u32,
}

impl SlowStart {
    fn new(rate: Rate, rtt: Span) -> Self {
        let cfg = TcpConfig::default();
        let policy = AckChoice::named("linux").unwrap();
        Self {
            bench: Bench::new(&cfg, (policy.entry.build)(&policy.params)),
            rate,
            rtt,
            start: Instant::ZERO + rtt,
            sent: 0,
            rounds: 0,
        }
    }

    /// One flight arrives and is read; what exceeds the path queues and takes longer. Returns how
    /// many ACKs it caused.
    fn flight(&mut self, segments: u64) -> u64 {
        let gap = self.rate.serialisation(1500);
        let age = self.rtt.max(gap * segments);
        self.rounds += 1;
        let mut acks = 0;
        for i in 0..segments {
            self.bench.at((self.start + gap * i).as_nanos() / 1000);
            self.bench.push(Data {
                offset: edge(self.sent),
                len: MSS,
                reply: Some(TimestampReply {
                    ecr: self.rounds,
                    age,
                }),
                ..Data::default()
            });
            self.bench.receiver.read(self.bench.now, u64::MAX);
            acks += u64::from(self.bench.ack().is_some());
            self.sent += 1;
        }
        self.start += age;
        acks
    }
}

/// The smallest ratio, in percent, of the window to what the sender wants to have in flight in the
/// next round, until `most` segments are in flight.
fn headroom(rate: Rate, rtt: Span, most: u64) -> u64 {
    let mut s = SlowStart::new(rate, rtt);
    let (mut flight, mut worst) = (10, u64::MAX);
    for _ in 0..20 {
        s.flight(flight);
        flight = (2 * flight).min(most);
        worst = worst.min(s.bench.last.window * 100 / (flight * u64::from(MSS)));
    }
    worst
}

/// Linux spends 16 quick ACKs at first and goes on one by one while the window grows: from the
/// third flight on, when the buffer follows what was read in the second.
#[test]
fn slow_start_is_acknowledged_one_by_one_and_the_rest_two_by_two() {
    let mut s = SlowStart::new(Rate::from_bps(10_000_000), Span::from_millis(48));
    assert_eq!([10, 20].map(|flight| s.flight(flight)), [10, 16]);
    let growing: u64 = [40, 80].map(|flight| s.flight(flight)).iter().sum();
    assert!(growing >= 110, "{growing}");
    s.flight(80);
    assert_eq!([80, 80].map(|flight| s.flight(flight)), [40, 40]);
}

/// 160 segments are what Linux reaches in slow start on this path with a buffer of one BDP.
#[test]
fn the_window_leaves_slow_start_room() {
    let rate = Rate::from_bps(10_000_000);
    let room = headroom(rate, Span::from_millis(48), 160);
    assert!(room >= 100, "{room} %");
    let rate = Rate::from_bps(1_000_000_000);
    let room = headroom(rate, Span::from_millis(20), 2000);
    assert!(room >= 100, "{room} %");
}

#[test]
fn the_window_grows_while_data_flows_and_says_so() {
    let mut b = Bench::linux();
    assert!(b.segment(0).window_grew);
    b.receiver.read(b.now, u64::MAX);
    let mut grew = 0;
    for n in 1..30 {
        grew += u32::from(b.segment(n).window_grew);
        b.receiver.read(b.now, u64::MAX);
        b.ack();
    }
    assert!((4..12).contains(&grew), "{grew}");
    // The limit stops one unread segment below the buffer, and is rounded up to 128 bytes.
    assert_eq!(b.last.window, (81_920u64 - 1448).div_ceil(128) * 128);
}

#[test]
fn without_a_reader_the_window_closes_and_a_read_reopens_it() {
    let mut b = Bench::linux();
    let mut n = 0;
    while b.receiver.window_edge() >= edge(n + 1) {
        b.segment(n);
        n += 1;
        b.ack();
    }
    b.at(1_000_000).ack();
    assert!(b.last.window < u64::from(MSS));
    let edge_before = b.receiver.window_edge();
    assert_eq!(b.receiver.read(b.now, 1000), 1000);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 20_000);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
    assert!(b.receiver.window_edge() > edge_before);
}

#[test]
fn a_prompt_reader_causes_no_window_updates() {
    for profile in [Profile::Linux, Profile::Ns3, Profile::Rfc] {
        let cfg = TcpConfig::new(profile);
        let mut b = Bench::new(&cfg, Box::<Delayed>::default());
        let mut updates = 0;
        for n in 0..2000 {
            let ack = b.at(n * 100).segment_and_read(n);
            updates += u32::from(ack.is_some_and(|a| a.0 == AckReason::Window));
        }
        assert_eq!(updates, 0, "{profile:?}");
    }
}

/// Few ACKs while the limit grows: the window is not announced behind the policy's back.
#[test]
fn a_growing_limit_causes_no_window_updates() {
    for profile in [Profile::Linux, Profile::Ns3, Profile::Rfc] {
        let mut b = Bench::new(&TcpConfig::new(profile), Box::new(Silent));
        for n in 0..500 {
            assert_eq!(b.at(n * 100).segment_and_read(n), None, "{profile:?}");
            if n % 20 == 19 {
                b.receiver.request_ack(AckReason::Timer);
                assert_eq!(b.ack().unwrap().0, AckReason::Timer);
            }
        }
    }
}

#[test]
fn a_fixed_window_waits_for_half_the_buffer() {
    let mut cfg = TcpConfig::new(Profile::Rfc);
    cfg.recv_buffer.initial = 20_000;
    cfg.recv_buffer.max = 20_000;
    let mut b = Bench::new(&cfg, Box::<Delayed>::default());
    for n in 0..13 {
        b.segment(n);
        b.ack();
    }
    b.bytes(edge(13), 20_001);
    b.at(1_000_000).ack();
    assert_eq!(b.last.window, 0);
    b.receiver.read(b.now, 1447);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 1);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
    assert_eq!(b.last.window, 1448);
    b.receiver.read(b.now, 1447);
    assert_eq!(b.ack(), None);
    b.receiver.read(b.now, 1);
    assert_eq!(b.ack().unwrap().0, AckReason::Window);
}

/// Between the peer's SYN and its ACK of ours lies a round trip in which nothing is read. It does
/// not count: the first RTT's worth read is measured from the end of the handshake.
#[test]
fn the_handshake_is_not_part_of_the_first_measurement() {
    let mut s = SlowStart::new(Rate::from_bps(10_000_000), Span::from_millis(48));
    s.bench
        .receiver
        .on_established(Instant::ZERO + Span::from_millis(48));
    s.start = Instant::ZERO + Span::from_millis(49);
    for flight in [10, 20, 40] {
        s.flight(flight);
    }
    // Eleven segments, then twenty: Linux 6.18 allows 152697 bytes then (and 174 thousand if the
    // first measurement had seen ten).
    let window = s.bench.last.window;
    assert!((151_257..=152_697).contains(&window), "{window}");
}

/// With `Linux`'s own policy, after a gap of one segment and `above` segments above it.
fn gap(block: u32, above: u64) -> Bench {
    let mut cfg = TcpConfig::new(Profile::Linux);
    cfg.recv_block = block;
    cfg.sack_compression = None;
    let mut b = Bench::new(&cfg, Box::<Delayed>::default());
    for n in 0..20 {
        b.segment_and_read(n);
    }
    for n in 21..21 + above {
        b.segment(n);
        b.ack();
    }
    b
}

/// Linux acknowledges what fills a gap before the application reads it, and all of it takes room then.
#[test]
fn an_ack_that_fills_a_gap_leaves_before_the_reader_runs() {
    let mut b = gap(0, 30);
    let before = b.last.window;
    assert!(b.segment_and_read(20).is_some());
    let full = b.last.window;
    assert!(full < before - 20 * u64::from(MSS), "{full} of {before}");
    b.at(100).segment_and_read(51);
    assert!(b.segment_and_read(52).is_some());
    assert!(b.last.window >= before);
}

/// What waited for a slow reader before a gap closed still takes its room afterwards.
#[test]
fn a_gap_that_closes_forgets_nothing_that_is_unread() {
    for block in [0, 4352] {
        let mut b = gap(block, 0);
        for n in [20, 21, 23, 24, 22, 25] {
            b.segment(n);
        }
        let room = b.receiver.occupancy().unread;
        let (six, block) = (6 * u64::from(MSS), u64::from(block));
        assert_eq!(
            room,
            if block == 0 {
                six
            } else {
                4 * u64::from(MSS) + 2720
            }
        );
    }
}

/// Two segments of 1448 bytes share a block of 4352, of which 160 of 256 are payload: 2720 instead of 2896.
#[test]
fn blocks_above_a_gap_take_the_room_of_their_memory() {
    let windows = [0, 4352].map(|block| {
        let mut b = gap(block, 30);
        b.segment_and_read(20);
        b.last.window
    });
    let spared = 15 * (2 * 1448 - 2720);
    assert!(
        windows[1].abs_diff(windows[0] + spared) <= 128,
        "{windows:?}"
    );
    // One alone takes a block, too, but then lies in that of the segment which fills the gap.
    let mut b = gap(4352, 1);
    b.segment(20);
    assert_eq!(b.receiver.occupancy().unread, 1448);
}
