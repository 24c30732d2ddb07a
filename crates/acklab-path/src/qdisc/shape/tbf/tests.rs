use super::*;
use crate::packet::FlowId;
use crate::qdisc::testing::{Plain, serve};
use acklab_proto::registry::{Block, Nested};
use acklab_proto::segment::Ecn;
use acklab_units::{Bytes, Span};
use std::vec::Vec;

fn packet(id: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
    }
}

fn tbf(set: &[(&str, Value)]) -> Tbf {
    let mut values = Params::defaults(ENTRY.params);
    for (name, value) in set {
        values.set(ENTRY.params, name, *value).unwrap();
    }
    Tbf::new(&values, &Room::new(Limit::Packets(1), 1, "here"))
}

const RATE: (&str, Value) = ("rate", Value::Rate(Rate::from_bps(10_000_000)));

/// 1000 packets of 1500 bytes at 10 Mbit/s: one each 1.2 ms, the first at once, to the nanosecond.
#[test]
fn a_saturated_shaper_sends_at_its_rate() {
    let mut q = tbf(&[RATE]);
    (0..1000).for_each(|id| {
        assert_eq!(q.offer(Instant::ZERO, packet(id, 1500)), Enqueue::Queued);
    });
    for (id, (at, p)) in (0..).zip(serve(&mut q, Instant::ZERO)) {
        let due = Instant::ZERO + Span::from_micros(1200 * u64::from(id));
        assert_eq!((at, p.id.0), (due, id));
    }
    assert_eq!(q.stats().dequeued, 1000);
}

/// A rate at which a packet takes no whole number of nanoseconds does not drift: a packet each
/// 12,000 / 7 us, rounded up by itself.
#[test]
fn rounding_does_not_add_up() {
    let mut q = tbf(&[("rate", Value::Rate(Rate::from_bps(7_000_000)))]);
    (0..701).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, 1500));
    });
    let (at, _) = serve(&mut q, Instant::ZERO).pop().unwrap();
    assert_eq!(at, Instant::ZERO + Span::from_micros(1_200_000));
}

/// A burst of ten packets leaves at once, and after a pause of the length of five packets five more.
#[test]
fn a_burst_leaves_at_once() {
    let mut q = tbf(&[RATE, ("burst", Value::Size(Bytes(15_000)))]);
    (0..30).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, 1500));
    });
    let mut never = |_: Packet, _: DropReason| unreachable!();
    let mut now = Instant::ZERO;
    let mut burst = |now, q: &mut Tbf| core::iter::from_fn(|| q.dequeue(now, &mut never)).count();
    assert_eq!(burst(now, &mut q), 10);
    now += Span::from_micros(6000);
    assert_eq!(burst(now, &mut q), 5);
    assert_eq!(q.next_ready(), Some(now + Span::from_micros(1200)));
}

/// At a peak rate of twice the rate the same burst leaves at twice the rate.
#[test]
fn a_peak_rate_spreads_a_burst() {
    let peak = ("peakrate", Value::Rate(Rate::from_bps(20_000_000)));
    let mut q = tbf(&[RATE, peak, ("burst", Value::Size(Bytes(15_000)))]);
    (0..30).for_each(|id| {
        q.offer(Instant::ZERO, packet(id, 1500));
    });
    let times: Vec<u64> = serve(&mut q, Instant::ZERO)
        .iter()
        .map(|(at, _)| at.as_nanos() / 1000)
        .collect();
    // 10 packets of tokens, and one more each two that leave: 19 at the peak rate.
    let peak: Vec<u64> = (0..19).map(|i| i * 600).collect();
    assert_eq!(times[..19], peak);
    assert_eq!(times[20] - times[19], 1200);
}

#[test]
fn a_packet_above_the_burst_never_passes() {
    let mut q = tbf(&[RATE, ("burst", Value::Size(Bytes(1000)))]);
    let refused = Enqueue::Dropped(DropReason::QueueFull);
    assert_eq!(q.offer(Instant::ZERO, packet(0, 1001)), refused);
    assert_eq!(q.offer(Instant::ZERO, packet(1, 1000)), Enqueue::Queued);
    assert_eq!(q.stats().refused, 1);
}

/// tc-tbf(8): 10 Mbit/s for 12 ms and a burst are 11 packets.
#[test]
fn latency_sets_the_limit() {
    let latency = ("latency", Value::Span(Span::from_millis(12)));
    let mut q = tbf(&[RATE, latency]);
    let queued = (0..50).filter(|id| q.offer(Instant::ZERO, packet(*id, 1500)) == Enqueue::Queued);
    assert_eq!(queued.count(), 11);
}

/// iproute2 `tc/q_tbf.c`: a burst that leaves at the peak rate may not take longer, either. 10.5 Mbit/s for 12 ms and
/// a packet are 11 packets, 10 Mbit/s for 12 ms and a burst 12.
#[test]
fn a_peak_rate_lowers_the_limit_by_latency() {
    let latency = ("latency", Value::Span(Span::from_millis(12)));
    let burst = ("burst", Value::Size(Bytes(3000)));
    let peak = ("peakrate", Value::Rate(Rate::from_bps(10_500_000)));
    for (set, packets) in [
        (&[RATE, latency, burst][..], 12),
        (&[RATE, latency, burst, peak], 11),
    ] {
        let mut q = tbf(set);
        let queued =
            (0..50).filter(|id| q.offer(Instant::ZERO, packet(*id, 1500)) == Enqueue::Queued);
        assert_eq!(queued.count(), packets);
    }
}

fn over(child: &'static str, limit: u32) -> Tbf {
    let mut values = Params::defaults(ENTRY.params);
    values.set(ENTRY.params, RATE.0, RATE.1).unwrap();
    let entry = crate::qdisc::registry::DISCIPLINES
        .iter()
        .find(|e| e.name == child);
    let child = Block {
        name: child,
        limit: Some(acklab_units::Limit::Packets(limit)),
        params: Params::defaults(entry.unwrap().params),
    };
    values.nest("child", Nested::Block(child));
    Tbf::new(&values, &Room::new(Limit::Packets(1), 1, "here"))
}

/// A head that has left its child can be taken out, and so can its place.
#[test]
fn the_head_can_be_taken_out_and_replaced() {
    for child in ["pfifo", "codel"] {
        let mut q = over(child, 9);
        (0..4).for_each(|id| {
            q.offer(Instant::ZERO, packet(id, 1500));
        });
        let mut never = |_: Packet, _: DropReason| unreachable!();
        assert!(q.dequeue(Instant::ZERO, &mut never).is_some());
        assert_eq!(q.dequeue(Instant::ZERO, &mut never), None);
        assert_eq!(q.head.is_some(), child == "codel");
        let by = packet(9, 1500);
        let old = q.replace(Instant::ZERO, PacketId(1), by);
        assert_eq!(old, Some(packet(1, 1500)));
        assert_eq!(q.remove(PacketId(9)), Some(by));
        assert_eq!(q.remove(PacketId(3)), Some(packet(3, 1500)));
        let s = q.stats();
        assert_eq!((s.packets, s.bytes, s.dropped_inside), (1, 1500, 3));
        assert_eq!(serve(&mut q, Instant::ZERO).len(), 1);
    }
}

/// A drop-tail child's limit counts the packet that waits for tokens.
#[test]
fn the_limit_of_a_fifo_counts_the_head() {
    let mut q = over("pfifo", 2);
    let mut never = |_: Packet, _: DropReason| unreachable!();
    q.offer(Instant::ZERO, packet(0, 1500));
    assert!(q.dequeue(Instant::ZERO, &mut never).is_some());
    q.offer(Instant::ZERO, packet(1, 1500));
    assert_eq!(q.dequeue(Instant::ZERO, &mut never), None);
    assert_eq!(q.offer(Instant::ZERO, packet(2, 1500)), Enqueue::Queued);
    let refused = Enqueue::Dropped(DropReason::QueueFull);
    assert_eq!(q.offer(Instant::ZERO, packet(3, 1500)), refused);
}

/// The child's control law sees how long packets wait for tokens.
#[test]
fn a_child_drops_by_its_own_law() {
    let mut q = over("codel", 200);
    let queued = (0..300).filter(|id| q.offer(Instant::ZERO, packet(*id, 1500)) == Enqueue::Queued);
    assert_eq!(queued.count(), 200);
    let sent = serve(&mut q, Instant::ZERO).len() as u64;
    let s = q.stats();
    assert_eq!((sent, s.refused), (s.dequeued, 100));
    assert!(s.dropped_inside > 0);
}
