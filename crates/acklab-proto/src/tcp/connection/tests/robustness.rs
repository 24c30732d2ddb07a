use super::super::*;
use super::world::*;
use crate::rng;
use crate::segment::{Flags, SackBlock, SackBlocks, Timestamps};
use crate::tcp::config::{LossDetection, Profile};
use acklab_units::SeqNum;
use proptest::prelude::*;
use std::boxed::Box;

/// A wire that does up to `faults` things, but not for so long to a handshake that its end gives up,
/// as it may.
fn hostile(seed: u64, loss: f64, late: f64, twice: f64, faults: usize) -> Script {
    let mut r = rng::stream(seed, "wire");
    let (mut left, mut syns) = (faults, 4);
    Box::new(move |_, _, seg| {
        if seg.flags.contains(Flags::SYN) {
            if syns == 0 {
                return Fate::Pass;
            }
            syns -= 1;
        }
        let (x, by) = (rng::unit(&mut r), rng::unit(&mut r));
        if left == 0 {
            return Fate::Pass;
        }
        left -= 1;
        if x < loss {
            Fate::Drop
        } else if x < loss + late {
            Fate::Late(Span::from_micros((by * 60_000.0) as u64))
        } else if x < loss + late + twice {
            Fate::Twice
        } else {
            Fate::Pass
        }
    })
}

fn configs() -> impl Strategy<Value = TcpConfig> {
    (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0u8..3,
        any::<bool>(),
    )
        .prop_map(|(sack, timestamps, rack, profile, tlp)| {
            let profile = [Profile::Linux, Profile::Ns3, Profile::Rfc][profile as usize];
            TcpConfig {
                sack,
                timestamps,
                tlp,
                loss_detection: if rack {
                    LossDetection::Rack
                } else {
                    LossDetection::DupAck
                },
                segment: MSS as u32,
                max_retries: 40,
                ..TcpConfig::new(profile)
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever the wire does, every byte arrives exactly once and in order, and both ends close
    /// once the faults stop.
    #[test]
    fn everything_arrives_once_and_both_ends_close(
        cfg in configs(),
        seed: u64,
        loss in 0.0..0.4,
        late in 0.0..0.3,
        twice in 0.0..0.2,
        cwnd in 1u64..60,
        bytes in 1u64..200_000,
    ) {
        let mut w = World::new(&cfg, cwnd, hostile(seed, loss, late, twice, 1500));
        w.send(bytes);
        w.close_a();
        w.run(Span::from_secs(200_000));
        prop_assert_eq!(w.read_b, bytes, "{}", w.dump());
        w.close_b();
        w.run(Span::from_secs(200_000));
        prop_assert_eq!(w.b.state(), State::Closed);
        prop_assert_eq!(w.a.stats().bytes_acked, bytes);
        prop_assert_eq!(w.a.snapshot().inflight, 0);
    }

    /// Arbitrary segments neither crash an endpoint nor make it spin.
    #[test]
    fn garbage_is_survived(
        segs in proptest::collection::vec(
            (any::<u32>(), any::<u32>(), 0u32..3000, any::<u8>(), any::<u16>(), any::<[u32; 4]>(), any::<bool>()), 1..60),
        near: bool,
    ) {
        let mut w = World::clean(&config(), 20);
        w.send(50 * MSS);
        w.run(Span::from_millis(35));
        let (seq, ack) = (SeqNum(78), SeqNum(u32::MAX - 3000));
        for (s, a, len, flags, window, b, ts) in segs {
            let mut sack = SackBlocks::EMPTY;
            let pick = |x: u32| if near { ack + x % 60_000 } else { SeqNum(x) };
            sack.push(SackBlock { start: pick(b[0]), end: pick(b[1]) });
            sack.push(SackBlock { start: pick(b[2]), end: pick(b[3]) });
            let seg = Segment {
                seq: if near { seq + s % 100_000 } else { SeqNum(s) },
                ack: if near { ack + a % 60_000 } else { SeqNum(a) },
                len,
                flags: Flags(flags & !Flags::RST.0),
                window,
                timestamps: ts.then_some(Timestamps { val: s, ecr: a }),
                sack,
                ..Segment::default()
            };
            w.a.on_segment(w.now, &seg);
            while w.a.poll_segment(w.now).is_some() {}
        }
        w.run(Span::from_secs(30));
    }
}

#[test]
fn a_closed_window_is_probed_and_reopens() {
    let cfg = TcpConfig {
        recv_buffer: crate::tcp::config::Buffer {
            initial: 8000,
            max: 8000,
        },
        ..TcpConfig::new(Profile::Rfc)
    };
    let cfg = TcpConfig {
        segment: MSS as u32,
        ..cfg
    };
    let mut w = World::clean(&cfg, 100);
    w.b_reads = false;
    w.send(50 * MSS);
    w.run(Span::from_secs(20));
    assert!(w.b.readable() <= 8000);
    let probes = w
        .log
        .iter()
        .filter(|l| l.way == Way::Forward && l.at > Instant::ZERO + Span::from_secs(3))
        .count();
    assert!(probes >= 2, "{probes} probes");
    w.b_reads = true;
    w.run(Span::from_secs(60));
    assert_eq!(w.read_b, 50 * MSS);
}

#[test]
fn sequence_numbers_wrap() {
    // The initial number lies 3000 below the wrap.
    let mut w = World::clean(&config(), 10);
    w.send(100 * MSS);
    w.run(Span::from_secs(2));
    assert_eq!(w.read_b, 100 * MSS);
    assert_eq!(w.a.stats().retrans_segs, 0);
}

/// A window that is closed before the first byte is probed like any other.
#[test]
fn a_window_closed_from_the_start_is_probed() {
    let mut w = World::clean(&config(), 10);
    let mut now = w.now + Span::from_millis(20);
    let syn = w.log[0].seg;
    let answer = Segment {
        seq: SeqNum(77),
        ack: syn.seq + 1,
        flags: Flags::SYN.with(Flags::ACK),
        window: 0,
        timestamps: Some(Timestamps { val: 1, ecr: 1001 }),
        syn: syn.syn,
        ..Segment::default()
    };
    w.a.on_segment(now, &answer);
    w.a.write(3 * MSS);
    while let Some(s) = w.a.poll_segment(now) {
        assert_eq!(s.len, 0, "there is no room");
    }
    let mut probes = 0;
    for _ in 0..20 {
        now = w.a.next_timeout().expect("a probe is planned").max(now);
        w.a.on_timeout(now);
        while w.a.poll_segment(now).is_some() {
            probes += 1;
        }
    }
    assert!(probes >= 3, "{probes} probes");
}
