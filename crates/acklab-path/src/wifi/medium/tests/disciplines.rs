//! Queue disciplines above the queues of stations.

use super::*;
use crate::qdisc::fq_codel::{self, FqCodel};
use crate::qdisc::pfifo::Pfifo;
use crate::qdisc::testing::Paced;
use crate::qdisc::{Limit, QueueDisc};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use proptest::prelude::*;

/// Port 0: the one station to the access point.
const STA: StationId = StationId(1);

/// A cell whose stations have so much room below `discipline`, which stands above `station`.
fn under(n: u16, device: u32, station: StationId, discipline: Box<dyn QueueDisc>) -> Rig {
    let mut config = cell(n, ampdu(16_384));
    for s in &mut config.stations {
        s.queue.kind = mac::Kind::Shared {
            limit: device,
            counts: mac::Counts::Waiting,
        };
    }
    let mut rig = Rig::new(config, 3);
    rig.medium.put_above(station, 0, discipline);
    rig
}

fn pfifo(limit: u32) -> Box<Pfifo> {
    Box::new(Pfifo::new(Limit::Packets(limit)))
}

/// How long the one packet to the second station waits that comes behind many to the first.
fn behind_a_bulk(discipline: Box<dyn QueueDisc>) -> Span {
    let mut rig = under(2, 20, AP, discipline);
    (0..400).for_each(|_| rig.offer(1, 1500));
    rig.offer(3, 100);
    rig.run(us(1_000_000));
    assert!(rig.log.drops.is_empty(), "{:?}", rig.log.drops);
    let sparse = rig.log.left.iter().find(|l| l.0 == 400);
    sparse.expect("it left").1
}

/// Twenty packets are with the device and two or three PPDUs are ahead; otherwise all 400 are, at
/// 65 Mbit/s for 74 ms at least.
#[test]
fn a_sparse_flow_waits_for_what_is_with_the_device_only() {
    let fair = behind_a_bulk(Box::new(FqCodel::new(fq_codel::Config::DEFAULT)));
    let fifo = behind_a_bulk(pfifo(1000));
    assert!(fair < Span::from_millis(8), "{fair}");
    assert!(fifo > Span::from_millis(70), "{fifo}");
}

/// A discipline that holds packets back is polled when it has something, though nobody else stirs.
#[test]
fn a_shaper_is_asked_at_its_instants() {
    let gap = Span::from_millis(10);
    let mut rig = under(1, 5, STA, Box::new(Paced::new(9, gap, None)));
    (0..4).for_each(|_| rig.offer(0, 1000));
    let arrived = rig.run(us(100_000));
    let times: Vec<_> = arrived.iter().map(|(at, _)| *at - Instant::ZERO).collect();
    assert_eq!(times.len(), 4);
    for (i, at) in (0..).zip(times) {
        let late = at - gap * i;
        assert!(late < Span::from_millis(1), "{i} at {at}");
    }
    let waits: Vec<_> = rig.log.left.iter().map(|l| l.1.as_millis()).collect();
    assert_eq!(waits, [0, 10, 20, 30]);
}

/// A timer drops at its instants what waits in the discipline, and nothing of what is with the device.
#[test]
fn a_timer_judges_what_waits_above() {
    let (gap, tick) = (Span::from_millis(7), Span::from_millis(3));
    let mut rig = under(1, 5, STA, Box::new(Paced::new(9, gap, Some(tick))));
    (0..5).for_each(|_| rig.offer(0, 1000));
    let arrived: Vec<_> = rig.run(us(100_000)).iter().map(|a| a.1).collect();
    // Of 1 to 4, which wait, one is dropped at 3 ms and at 6 ms, the third goes at 7 ms, the last falls at 9.
    assert_eq!(arrived, [0, 3]);
    let drops: Vec<_> = [1, 2, 4].map(|id| (id, DropReason::Aqm)).into();
    assert_eq!(rig.log.drops, drops);
}

#[test]
fn what_is_refused_never_joined() {
    let mut rig = under(1, 2, STA, pfifo(3));
    // The first is on the air at once or waits for its slot: with the device are two.
    (0..7).for_each(|_| rig.offer(0, 1000));
    assert_eq!(rig.log.queued, [0, 1, 2, 3, 4]);
    assert_eq!(rig.log.drops, [5, 6].map(|id| (id, DropReason::QueueFull)));
    assert_eq!(rig.medium.waiting(PortId(0), 0), (5, 5000));
}

/// Packets in the device can neither be taken out nor replaced any more.
#[test]
fn an_ack_filter_reaches_into_the_discipline_only() {
    let mut rig = under(1, 2, STA, pfifo(9));
    (0..5).for_each(|_| rig.offer(0, 52));
    let by = |id| Packet {
        id: PacketId(id),
        size: 52,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
    };
    let medium = &mut rig.medium;
    assert_eq!(medium.remove(PortId(0), PacketId(1)), None);
    assert_eq!(
        medium.replace(rig.now, PortId(0), PacketId(0), by(20)),
        None
    );
    assert_eq!(medium.remove(PortId(0), PacketId(3)), Some(by(3)));
    let old = medium.replace(rig.now, PortId(0), PacketId(2), by(21));
    assert_eq!(old, Some(by(2)));
    let arrived: Vec<_> = rig.run(us(50_000)).iter().map(|a| a.1).collect();
    assert_eq!(arrived, [0, 1, 21, 4]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Drop-tail above a device that counts what waits is one list of the length of both: who joins,
    /// in which order they leave, and after how long.
    #[test]
    fn drop_tail_above_a_station_is_a_longer_list(
        device in 1u32..8,
        limit in 1u32..12,
        aggregates: bool,
        offers in prop::collection::vec((0u64..600, 40u32..1500), 1..150),
    ) {
        let mut config = cell(1, if aggregates { ampdu(16_384) } else { Aggregation::NONE });
        let kind = mac::Kind::Shared { limit: device, counts: mac::Counts::Waiting };
        config.stations.iter_mut().for_each(|s| s.queue.kind = kind);
        let mut rig = Rig::new(config, 5);
        rig.medium.put_above(STA, 0, pfifo(limit));
        let (mut list, mut refused) = (VecDeque::new(), vec![]);
        let (mut left, mut at) = (0, 0);
        let mut arrived = vec![];
        for (id, (gap, size)) in (0..).zip(offers) {
            at += gap;
            arrived.extend(rig.run(us(at)));
            for (gone, wait) in &rig.log.left[left..] {
                let (first, since): (u32, u64) = list.pop_front().expect("somebody waits");
                prop_assert_eq!(*gone, first);
                prop_assert!(us(since) + *wait <= rig.now);
            }
            left = rig.log.left.len();
            if list.len() < (device + limit) as usize {
                list.push_back((id, at));
            } else {
                refused.push((id, DropReason::QueueFull));
            }
            rig.offer(0, size);
            prop_assert_eq!(&rig.log.drops, &refused);
            let (packets, _) = rig.medium.waiting(PortId(0), 0);
            prop_assert_eq!(packets as usize, list.len());
        }
        arrived.extend(rig.run(us(at + 1_000_000)));
        let ids: Vec<u32> = arrived.iter().map(|a| a.1).collect();
        prop_assert!(ids.is_sorted());
        prop_assert_eq!(ids.len() + refused.len(), rig.packets as usize);
        prop_assert_eq!(rig.medium.inside(), 0);
    }
}
