use super::testing::*;
use super::*;
use crate::wifi::mac::{Content, Limits, Outcome, sizes};

/// ns-3's wifi-aggregation-test: MSDUs of 1500 bytes, IP packets of 1492.
#[test]
fn three_packets_become_the_ampdu_of_ns3() {
    let mut b = Bench::with_packets(Config::NS3, 3, 1492);
    b.build(at(0), &HT);
    assert_eq!((b.psdu.content, b.psdu.bytes), (Content::Ampdu, 4606));
    assert_eq!(b.seqs(), [0, 1, 2]);
}

/// There: 10 MSDUs of 1300 bytes, A-MSDU limit 3050, room for 7332 bytes in the TXOP.
#[test]
fn two_levels_as_in_ns3() {
    let mut b = Bench::with_packets(Config::NS3, 10, 1292);
    let limits = Limits {
        amsdu: 3050,
        max_psdu: 7332,
        ..HT
    };
    b.build(at(0), &limits);
    let mpdus: Vec<_> = b.psdu.mpdus.iter().map(|m| (m.bytes, m.msdus)).collect();
    assert_eq!(mpdus, [(2660, 2), (2660, 2), (1330, 1)]);
    assert_eq!(b.psdu.bytes, 6662);
    assert_eq!(b.psdu.ip_bytes(), 5 * 1292);
}

#[test]
fn without_ampdu_an_amsdu_is_sent_alone() {
    let mut b = Bench::with_packets(Config::NS3, 3, 1492);
    let limits = Limits {
        amsdu: 3839,
        ..Limits::SINGLE
    };
    b.build(at(0), &limits);
    assert_eq!((b.psdu.content, b.psdu.bytes), (Content::Single, 3030 + 30));
    assert_eq!(b.queue.packets(), 1);
}

/// With MPDUs of L bytes an A-MPDU of at most A bytes holds n = floor((A - L - 4) / P) + 1 of
/// them, where P is L + 4 rounded up to a multiple of four, or as many as the window. Hence its
/// share of IP bytes.
#[test]
fn efficiency_per_size_is_the_closed_form() {
    for ip in [40u32, 552, 1488, 1500] {
        for ampdu in [4096u32, 8192, 16_384, 32_768, 65_535] {
            let mpdu = sizes::msdu(ip) + 30;
            let period = (mpdu + 4).div_ceil(4) * 4;
            let n = ((ampdu - mpdu - 4) / period + 1).min(64);
            let bytes = (n - 1) * period + 4 + mpdu;
            let mut b = Bench::with_packets(Config::NS3, 100, ip);
            b.build(at(0), &Limits { ampdu, ..HT });
            assert_eq!((b.psdu.mpdus.len() as u32, b.psdu.bytes), (n, bytes));
            let efficiency = f64::from(b.psdu.ip_bytes()) / f64::from(b.psdu.bytes);
            let closed = f64::from(n * ip) / f64::from(bytes);
            assert!((efficiency - closed).abs() < 1e-12);
        }
    }
}

/// Only what is missing is sent again, together with what the window still allows.
#[test]
fn the_repetition_is_selective() {
    let mut b = Bench::with_packets(Config::NS3, 70, 1000);
    b.build(at(0), &HT);
    assert_eq!(b.psdu.mpdus.len(), 62);
    assert_eq!(b.decode(STA, &(2..62).collect::<Vec<_>>()).len(), 60);
    b.respond(at(1), STA, block_ack(0, (1 << 62) - 4));
    b.build(at(1), &HT);
    assert_eq!(b.seqs(), [0, 1, 62, 63]);
    assert_eq!(b.psdu.mpdus[0].retries, 1);
    assert_eq!(b.queue.packets(), 6);
    b.decode(STA, &[0, 1, 62, 63]);
    b.respond(at(2), STA, block_ack(0, u64::MAX));
    b.build(at(2), &HT);
    assert_eq!(b.seqs(), [64, 65, 66, 67, 68, 69]);
}

/// An RTS without an answer counts towards the limit of retries; what it announced is no repetition.
#[test]
fn what_was_announced_in_vain_was_not_sent() {
    let mut b = Bench::with_packets(Config::NS3, 2, 1000);
    let seen = |b: &Bench| {
        let all = b.psdu.mpdus.iter().map(|m| (m.seq, m.retries, m.repeated));
        all.collect::<Vec<_>>()
    };
    b.build(at(0), &HT);
    b.respond(at(1), STA, Outcome::NotSent);
    b.build(at(1), &HT);
    assert_eq!(seen(&b), [(0, 1, false), (1, 1, false)]);
    b.decode(STA, &[0]);
    b.respond(at(2), STA, block_ack(0, 1));
    b.build(at(2), &HT);
    assert_eq!(seen(&b), [(1, 2, true)]);
}

#[test]
fn a_missed_block_ack_is_asked_for() {
    let mut b = Bench::with_packets(Config::NS3, 3, 1000);
    b.build(at(0), &HT);
    b.decode(STA, &[0, 2]);
    b.respond(at(1), STA, Outcome::Nothing);
    assert_eq!(b.queue.bar_due(STA), Some(BarReason::Missed));
    b.build(at(1), &HT);
    assert_eq!((b.psdu.content, b.psdu.bytes), (Content::Bar(0), 24));
    b.respond(at(2), STA, block_ack(0, 0b101));
    b.build(at(2), &HT);
    assert_eq!((b.psdu.content, b.seqs()), (Content::Single, [1].into()));
}

#[test]
fn or_everything_is_sent_again_at_once() {
    let config = Config {
        explicit_bar: false,
        ..Config::NS3
    };
    let mut b = Bench::with_packets(config, 3, 1000);
    b.build(at(0), &HT);
    b.respond(at(1), STA, Outcome::Nothing);
    b.build(at(1), &HT);
    assert_eq!(b.seqs(), [0, 1, 2]);
}

/// Three transmissions, then the packets that did not arrive are lost and the recipient learns it.
#[test]
fn the_retry_limit_leaves_a_gap_that_is_announced() {
    let config = Config {
        agreement_retry_limit: Some(3),
        ..Config::NS3
    };
    let mut b = Bench::with_packets(config, 2, 1000);
    b.build(at(0), &HT);
    b.decode(STA, &[1]);
    b.respond(at(0), STA, block_ack(0, 0b10));
    for _ in 0..2 {
        b.build(at(0), &HT);
        assert_eq!(b.seqs(), [0]);
        b.respond(at(0), STA, Outcome::Nothing);
    }
    assert_eq!(b.dropped, [(0, DropReason::RetryLimit)]);
    b.build(at(0), &HT);
    assert_eq!(b.psdu.content, Content::Bar(2));
    b.respond(at(0), STA, block_ack(2, 0));
    assert!(!b.queue.has_frames());
}

#[test]
fn a_frame_without_agreement_is_sent_seven_times() {
    let mut b = Bench::with_packets(Config::NS3, 1, 1000);
    let mut sent = 0;
    while b.build(at(0), &Limits::SINGLE).is_some() {
        sent += 1;
        b.respond(at(0), STA, Outcome::Nothing);
    }
    assert_eq!((sent, b.dropped), (7, [(0, DropReason::RetryLimit)].into()));
}

/// A packet that arrived is not dropped, although its sender gives it up.
#[test]
fn what_was_handed_over_is_not_dropped() {
    let mut b = Bench::with_packets(Config::NS3, 1, 1000);
    for _ in 0..7 {
        b.build(at(0), &Limits::SINGLE);
        b.decode(STA, &[0]);
        b.respond(at(0), STA, Outcome::Nothing);
    }
    assert_eq!((b.dropped.len(), b.queue.stats().given_up), (0, 1));
}

#[test]
fn the_lifetime_ends_what_waits_and_what_was_sent() {
    let mut b = Bench::with_packets(Config::NS3, 80, 1000);
    b.build(at(0), &HT);
    b.respond(at(1), STA, Outcome::Nothing);
    b.arrive(at(400), STA, packet(80, 1000));
    b.build(at(501), &HT);
    assert_eq!(b.psdu.content, Content::Bar(62));
    assert_eq!(b.dropped.len(), 80);
    assert!(b.dropped.iter().all(|d| d.1 == DropReason::LifetimeExpired));
    b.respond(at(501), STA, block_ack(62, 0));
    b.build(at(502), &HT);
    assert_eq!(b.seqs(), [62]);
}

/// A full queue takes a packet where another has lived too long.
#[test]
fn the_limit_counts_as_configured() {
    let limit = 4;
    for (counts, room) in [
        (Counts::Waiting, 3),
        (Counts::Unacknowledged, 0),
        (Counts::Mpdus, 1),
    ] {
        let kind = Kind::Shared { limit, counts };
        let config = Config {
            kind,
            ..Config::NS3
        };
        let mut b = Bench::with_packets(config, 4, 1000);
        let limits = Limits {
            amsdu: 2100,
            ampdu: 3200,
            ..HT
        };
        // An A-MSDU of two packets and a packet: two MPDUs.
        b.build(at(0), &limits);
        assert_eq!((b.psdu.mpdus.len(), b.queue.unacknowledged()), (2, 3));
        (4..10).for_each(|id| b.arrive(at(1), STA, packet(id, 1000)));
        assert_eq!(b.dropped.len(), 6 - room, "{counts:?}");
        assert!(b.dropped.iter().all(|d| d.1 == DropReason::QueueFull));
    }
}

#[test]
fn the_oldest_head_is_served_and_takes_along_its_own() {
    let mut b = Bench::new(Config::NS3);
    for (id, peer) in [(0, STA), (1, OTHER), (2, STA), (3, OTHER)] {
        b.arrive(at(u64::from(id)), peer, packet(id, 1000));
    }
    assert_eq!(b.build(at(5), &HT), Some(STA));
    assert_eq!(b.decode(STA, &[0, 1]), [0, 2]);
    b.respond(at(5), STA, block_ack(0, 0b11));
    assert_eq!(b.build(at(5), &HT), Some(OTHER));
    assert_eq!(b.decode(OTHER, &[0, 1]), [1, 3]);
}

#[test]
fn a_waiting_packet_can_be_taken_out() {
    let mut b = Bench::with_packets(Config::NS3, 3, 1000);
    assert_eq!(b.queue.remove(PacketId(1)), Some(packet(1, 1000)));
    assert_eq!(b.queue.remove(PacketId(1)), None);
    assert_eq!((b.queue.packets(), b.queue.bytes()), (2, 2000));
    b.build(at(0), &HT);
    assert_eq!(b.queue.remove(PacketId(0)), None, "it is on the air");
}

/// Its place is as old as it was; it has joined now.
#[test]
fn a_packet_can_take_the_place_of_one_that_waits() {
    let mut b = Bench::new(Config::NS3);
    for (id, peer) in [(0, STA), (1, OTHER), (2, STA)] {
        b.arrive(at(u64::from(id)), peer, packet(id, 1000));
    }
    let by = packet(9, 1000);
    let old = b.queue.replace(at(4), PacketId(0), by);
    assert_eq!(old, Some(packet(0, 1000)));
    assert_eq!(b.queue.replace(at(4), PacketId(0), by), None);
    assert_eq!((b.queue.packets(), b.queue.bytes()), (3, 3000));
    assert_eq!(b.build(at(5), &HT), Some(STA), "its head is the oldest");
    let sent: Vec<_> = b.queue.packets_of(STA, 0).collect();
    assert_eq!(sent, [(by, at(4))]);
    assert_eq!(b.queue.replace(at(5), PacketId(9), packet(10, 1000)), None);
    assert_eq!(b.decode(STA, &[0, 1]), [9, 2]);
}
