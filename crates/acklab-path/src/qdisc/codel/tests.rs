use super::*;
use crate::packet::FlowId;
use crate::qdisc::testing::Plain;
use acklab_proto::segment::Ecn;
use acklab_units::Bytes;

fn at(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

fn filled(n: u32, size: u32, ecn: Ecn) -> CodelQueue {
    filled_with(n, size, ecn, true)
}

fn filled_with(n: u32, size: u32, ecn: Ecn, newton: bool) -> CodelQueue {
    let params = Params {
        mtu: size,
        newton,
        ..Params::DEFAULT
    };
    let mut q = CodelQueue::new(params, 500);
    for id in 0..n {
        let packet = Packet {
            id: PacketId(id),
            size,
            flow: FlowId(0),
            ecn,
        };
        assert_eq!(q.offer(at(0), packet), Enqueue::Queued);
    }
    q
}

/// Number of the packet that leaves, drops and marks so far.
fn leave(q: &mut CodelQueue, ms: u64) -> (u32, u64, u64) {
    let out = q.dequeue(at(ms * 1000), &mut |_, why| {
        assert_eq!(why, DropReason::Aqm);
    });
    let s = q.stats();
    (out.expect("one waits").id.0, s.dropped_inside, s.marked)
}

/// ns-3's `CoDelQueueDiscBasicDrop`: 20 packets; none dropped at twice the target, one after
/// two intervals more. Then by RFC 8289's control law: due at 310 ms and at 310 + 100 / sqrt(2) =
/// 380.7 ms, the next at 380.7 + 100 / sqrt(3) = 438.4 ms.
#[test]
fn the_roots_of_the_rfc() {
    let mut q = filled_with(20, 1000, Ecn::NotEct, false);
    assert_eq!(leave(&mut q, 10), (0, 0, 0));
    assert_eq!(leave(&mut q, 210), (2, 1, 0));
    assert_eq!(leave(&mut q, 210), (3, 1, 0));
    assert_eq!(leave(&mut q, 420), (6, 3, 0));
    assert_eq!(leave(&mut q, 438), (7, 3, 0));
    assert_eq!(leave(&mut q, 439), (9, 4, 0));
}

/// The same with roots of Linux and ns-3: due at 310, 310 + 50 and 360 + 56.2 ms, then 416.2 + 48.8 = 465 ms.
#[test]
fn the_roots_of_linux() {
    let mut q = filled(20, 1000, Ecn::NotEct);
    assert_eq!(leave(&mut q, 10), (0, 0, 0));
    assert_eq!(leave(&mut q, 210), (2, 1, 0));
    assert_eq!(leave(&mut q, 420), (6, 4, 0));
    assert_eq!(leave(&mut q, 464), (7, 4, 0));
    assert_eq!(leave(&mut q, 466), (9, 5, 0));
}

/// A marked packet passes, and one mark is enough at a time.
#[test]
fn marks_take_the_place_of_drops() {
    let mut q = filled(20, 1000, Ecn::Ect0);
    assert_eq!(leave(&mut q, 10), (0, 0, 0));
    assert_eq!(leave(&mut q, 210), (1, 0, 1));
    assert_eq!(leave(&mut q, 210), (2, 0, 1));
    assert_eq!(leave(&mut q, 420), (3, 0, 2));
    assert_eq!(leave(&mut q, 420), (4, 0, 3));
    assert_eq!(leave(&mut q, 420), (5, 0, 4));
    assert_eq!(leave(&mut q, 420), (6, 0, 4));
}

#[test]
fn one_packet_behind_is_never_too_long() {
    let mut q = filled(2, 1000, Ecn::NotEct);
    assert_eq!(leave(&mut q, 900), (0, 0, 0));
    assert_eq!(leave(&mut q, 2000), (1, 0, 0));
    assert_eq!(q.dequeue(at(3_000_000), &mut |_, _| unreachable!()), None);
}

/// Whether a packet is dropped 200 ms after it should have left, with `behind` bytes behind it, where `mtu` is that
/// of a scenario, or the default.
fn drops_with(mtu: Option<u64>, behind: u32) -> bool {
    let mut values = Values::defaults(ENTRY.params);
    if let Some(mtu) = mtu {
        let mtu = Value::Size(Bytes(mtu));
        values.set(ENTRY.params, "mtu", mtu).unwrap();
    }
    let mut q = CodelQueue::new(Params::from_values(&values), 100);
    for (id, size) in [(0, 1000), (1, 1000), (2, behind)] {
        let packet = Packet {
            id: PacketId(id),
            size,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        q.offer(at(0), packet);
    }
    // The first stands for the queue that was long for an interval.
    q.codel.first_above = Some(at(100_000));
    let first = q.slab.pop(&mut q.list).unwrap();
    q.stats.on_left(first.packet);
    q.stats.dequeued += 1;
    leave(&mut q, 200).1 > 0
}

/// `codel_should_drop`: `backlog <= mtu`, where the packet itself is no longer part of the backlog.
#[test]
fn a_queue_of_one_full_packet_is_never_too_long() {
    assert_eq!([1500, 1501].map(|n| drops_with(None, n)), [false, true]);
    let ethernet = [1514, 1515].map(|n| drops_with(Some(1514), n));
    assert_eq!(ethernet, [false, true]);
    // Without any, only the last packet is safe.
    assert_eq!([0, 40].map(|n| drops_with(Some(0), n)), [false, true]);
    assert!(!drops_with(Some(9014), 9000));
}

#[test]
fn the_threshold_marks_without_control_law() {
    let mut q = filled(3, 1000, Ecn::Ect0);
    q.params.ce_threshold = Some(Span::from_millis(1));
    assert_eq!(leave(&mut q, 1), (0, 0, 0));
    assert_eq!(leave(&mut q, 2), (1, 0, 1));
    // Linux counts them apart from the law's (`ce_mark` beside `ecn_mark`).
    assert_eq!((q.stats.marked, q.stats.marked_by_threshold), (1, 1));
    let mut q = filled(3, 1000, Ecn::NotEct);
    q.params.ce_threshold = Some(Span::from_millis(1));
    assert_eq!(leave(&mut q, 2), (0, 0, 0));
}

/// The time after the signal of that number.
fn gap(codel: &Codel, newton: bool) -> u64 {
    let params = Params {
        newton,
        ..Params::DEFAULT
    };
    codel.control_law(at(0), &params).as_nanos()
}

#[test]
fn the_control_law_is_the_inverse_root() {
    for count in [1u32, 2, 3, 10, 1000, 1 << 30] {
        let codel = Codel {
            count,
            ..Codel::default()
        };
        let exact = 1e8 / f64::from(count).sqrt();
        assert!((gap(&codel, false) as f64 - exact).abs() <= 1.0, "{count}");
    }
}

/// What `codel_Newton_step` of Linux makes of 65535 and the counts 2 to 8, and of a pause with
/// a third of the count.
#[test]
fn linux_takes_a_newton_step_for_each_signal() {
    let mut root = u16::MAX;
    let roots = [2, 3, 4, 5, 6, 7, 8].map(|count| {
        root = newton(root, count);
        root
    });
    assert_eq!(roots, [32769, 36864, 31968, 28935, 26481, 24588, 23037]);
    let mut codel = Codel {
        count: 1,
        last_count: 1,
        root: u16::MAX,
        ..Codel::default()
    };
    assert_eq!(gap(&codel, true) / 1_000_000, 99);
    for count in 2..=9 {
        codel.count = count;
        codel.root = newton(codel.root, count);
    }
    codel.last_count = 6;
    codel.enter_dropping(at(1000), &Params::DEFAULT);
    assert_eq!(codel.count, 3);
    let [exact, linux] = [false, true].map(|newton| gap(&codel, newton) / 1_000_000);
    assert_eq!((exact, linux), (57, 44));
}

#[test]
fn a_full_queue_refuses() {
    let mut q = filled(500, 40, Ecn::NotEct);
    let late = q.list;
    let packet = q.slab.front(&late).unwrap().packet;
    assert_eq!(
        q.offer(at(1), packet),
        Enqueue::Dropped(DropReason::QueueFull)
    );
    assert_eq!(q.remove(PacketId(499)).map(|p| p.size), Some(40));
    assert_eq!((q.stats().packets, q.stats().bytes), (499, 499 * 40));
}

/// The queue has been too long for as long as its places are taken, whoever takes them.
#[test]
fn a_place_that_is_taken_keeps_its_age() {
    let mut q = filled(500, 40, Ecn::NotEct);
    let by = Packet {
        id: PacketId(1000),
        ..q.slab.front(&q.list).unwrap().packet
    };
    assert_eq!(q.replace(at(7), PacketId(0), by).map(|p| p.id.0), Some(0));
    let head = q.slab.front(&q.list).unwrap();
    assert_eq!((head.packet, head.since), (by, at(0)));
    assert_eq!((q.stats().enqueued, q.stats().dropped_inside), (501, 1));
}

/// RFC 8289 section 5: the first drop comes when packets have waited longer than target for an interval,
/// and the n-th one `interval / sqrt(n - 1)` after the one before: with 100 ms after 100.0, 70.7,
/// 57.7, 50.0, 44.7 ms and so on. A queue that never gets shorter, looked at each 0.1 ms.
#[test]
fn the_schedule_of_the_rfc() {
    let params = Params {
        mtu: 40,
        newton: false,
        ..Params::DEFAULT
    };
    let mut q = CodelQueue::new(params, 100_000);
    let packet = |id| Packet {
        id: PacketId(id),
        size: 40,
        flow: FlowId(0),
        ecn: Ecn::NotEct,
    };
    (0..60_000).for_each(|id| {
        q.offer(at(0), packet(id));
    });
    let mut drops = std::vec![];
    for tick in 50..20_000 {
        let now = at(tick * 100);
        q.dequeue(now, &mut |_, _| drops.push(tick as f64 / 10.0));
    }
    // Above target from 5 ms on.
    let mut due = 105.0;
    for (n, drop) in (1..).zip(&drops) {
        assert!(
            (*drop - due) > -1e-9 && (*drop - due) < 0.1001,
            "{n}: {drop} {due}"
        );
        due += 100.0 / f64::from(n).sqrt();
    }
    // The sum of 1 / sqrt(n) up to n is 2 sqrt(n) - 1.46: in 1.9 s about 104 drops.
    assert!((100..110).contains(&drops.len()), "{}", drops.len());
}

/// Section 5.5: whoever starts to drop again within 16 intervals goes on where it was, and after longer
/// it starts with one.
#[test]
fn the_schedule_goes_on_after_a_short_pause() {
    let state = |pause: u64| {
        let mut codel = Codel {
            count: 50,
            last_count: 10,
            drop_next: at(0),
            ..Codel::default()
        };
        codel.enter_dropping(at(pause * 1000), &Params::DEFAULT);
        (codel.count, codel.last_count)
    };
    assert_eq!((state(1599), state(1600)), ((40, 40), (1, 1)));
}
