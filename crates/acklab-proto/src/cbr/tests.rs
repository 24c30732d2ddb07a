use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

fn at(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

/// 1518 bytes at 12.144 Mbit/s: one packet per millisecond.
fn config(every: u32) -> Config {
    Config {
        rate: Rate::from_bps(12_144_000),
        size: 1500,
        uncounted: ETHERNET,
        every,
        feedback: 46,
    }
}

fn greedy(config: Config, start: Instant) -> Cbr {
    let mut end = Cbr::new(config);
    end.open(start);
    assert_eq!(end.poll_event(), Some(Event::Connected));
    assert_eq!(end.poll_transmit(start), None);
    end.write(1 << 40);
    end
}

/// Everything that leaves from `from` to `until`, with the instants at which it does.
fn drain(end: &mut Cbr, from: Instant, until: Instant) -> Vec<(Instant, Opaque)> {
    let mut sent = Vec::new();
    let mut next = Some(from);
    while let Some(now) = next.filter(|t| *t <= until) {
        end.on_timeout(now);
        while let Some(Datagram::Opaque(o)) = end.poll_transmit(now) {
            sent.push((now, o));
        }
        while let Some(event) = end.poll_event() {
            if event == Event::Writable {
                end.write(1 << 40);
            }
        }
        next = end.next_timeout();
    }
    sent
}

#[test]
fn parameters_are_those_of_the_paper() {
    let c = Config::new(&Params::defaults(PARAMS));
    assert_eq!((c.size, c.feedback, c.every), (1500, 46, 16));
    assert_eq!(c.payload(), 1472);
    let mut params = Params::defaults(PARAMS);
    params.set(PARAMS, "frame", Value::Choice("ip")).unwrap();
    assert_eq!(Config::new(&params).size, 1518);
}

#[test]
fn packets_leave_on_a_grid_from_the_start() {
    let mut end = greedy(config(0), at(500));
    let sent = drain(&mut end, at(500), at(500 + 99_000));
    assert_eq!(sent.len(), 100);
    for (n, (when, packet)) in (0..).zip(&sent) {
        assert_eq!((*when, packet.number), (at(500 + 1000 * n), n));
        assert_eq!((packet.size, packet.len), (1500, 1472));
    }
}

/// A third of a nanosecond per packet would be 30 us in the end.
#[test]
fn rounding_does_not_add_up() {
    let c = Config {
        rate: Rate::from_bps(3_000_000_000),
        size: 1500,
        uncounted: 0,
        ..config(0)
    };
    assert_eq!(c.after(1), Span::from_nanos(4000));
    let odd = Config { size: 1000, ..c };
    assert_eq!(odd.after(1), Span::from_nanos(2666));
    assert_eq!(odd.after(100_000), Span::from_nanos(266_666_666));
}

#[test]
fn every_lth_packet_is_answered_with_what_has_arrived() {
    for every in [1, 2, 16] {
        let mut sender = greedy(config(every), at(0));
        let mut receiver = Cbr::new(config(every));
        let mut answers = Vec::new();
        for (when, packet) in drain(&mut sender, at(0), at(31_000)) {
            receiver.on_datagram(when, &Datagram::Opaque(packet));
            while let Some(Datagram::Opaque(o)) = receiver.poll_transmit(when) {
                assert_eq!((o.size, o.role), (46, Role::Feedback));
                answers.push(o.number);
                sender.on_datagram(when, &Datagram::Opaque(o));
            }
        }
        let want: Vec<u64> = (1..=32).filter(|n| n % u64::from(every) == 0).collect();
        assert_eq!(answers, want);
        assert_eq!(sender.stats().bytes_acked, 32 * 1472);
        assert_eq!(receiver.stats().acks_out, 32 / u64::from(every));
    }
}

#[test]
fn losses_are_gaps_and_late_packets_fill_them() {
    let mut r = Cbr::new(config(0));
    for number in [0, 1, 4, 2, 9] {
        let o = Opaque {
            size: 1500,
            len: 1472,
            number,
            ..Opaque::default()
        };
        r.on_datagram(at(0), &Datagram::Opaque(o));
    }
    let s = r.stats();
    assert_eq!((s.data_segs_in, s.lost_segs, s.out_of_order_in), (5, 5, 1));
    assert_eq!(
        (s.bytes_received, r.read(at(0), u64::MAX)),
        (5 * 1472, 5 * 1472)
    );
}

#[test]
fn what_was_written_before_closing_leaves_and_the_last_packet_is_short() {
    let mut end = Cbr::new(config(0));
    end.open(at(0));
    assert_eq!(end.write(1472 + 100), 1572);
    end.close(at(0));
    assert_eq!(end.write(1), 0);
    let sent = drain(&mut end, at(0), at(10_000));
    let sizes: Vec<_> = sent.iter().map(|(t, o)| (*t, o.size, o.len)).collect();
    assert_eq!(sizes, [(at(0), 1500, 1472), (at(1000), 128, 100)]);
    assert_eq!((end.backlog, end.next_timeout()), (0, None));
}

#[test]
fn silence_starts_a_new_grid_and_does_not_save_up() {
    let mut end = Cbr::new(config(0));
    end.open(at(0));
    end.write(1472);
    assert_eq!(drain(&mut end, at(0), at(0)).len(), 1);
    end.write(2 * 1472);
    let again: Vec<_> = drain(&mut end, at(7300), at(20_000))
        .iter()
        .map(|s| s.0)
        .collect();
    assert_eq!(again, [at(7300), at(8300)]);
    // Before the slot has passed the grid goes on.
    end.write(1472);
    assert_eq!(drain(&mut end, at(8600), at(20_000))[0].0, at(9300));
}

#[test]
fn another_protocol_is_ignored() {
    let mut end = Cbr::new(config(1));
    end.on_datagram(at(0), &Datagram::Tcp(<_>::default()));
    assert_eq!((end.poll_event(), end.stats().segs_in), (None, 0));
}

proptest! {
    /// Whatever arrives in whatever order: counts add up, and as much can be read as arrived.
    #[test]
    fn counts_add_up(numbers in prop::collection::vec(0u64..40, 0..60), every in 0u32..5) {
        let mut r = Cbr::new(config(every));
        let mut feedback = 0;
        for number in &numbers {
            let o = Opaque { size: 1500, len: 1472, number: *number, ..Opaque::default() };
            r.on_datagram(at(1), &Datagram::Opaque(o));
            while r.poll_transmit(at(1)).is_some() {
                feedback += 1;
            }
        }
        let s = *r.stats();
        let n = numbers.len() as u64;
        prop_assert_eq!((s.data_segs_in, s.bytes_received), (n, n * 1472));
        prop_assert_eq!(feedback, if every == 0 { 0 } else { n / u64::from(every) });
        let expected = numbers.iter().max().map_or(0, |m| m + 1);
        prop_assert_eq!(s.lost_segs, expected.saturating_sub(n));
        prop_assert_eq!(r.read(at(1), u64::MAX), n * 1472);
    }

    /// Over any time and with any pauses, no more leaves than the rate allows, and the backlog is
    /// conserved.
    #[test]
    fn the_rate_is_never_exceeded(writes in prop::collection::vec((0u64..5000, 0u64..9000), 1..30)) {
        let c = config(0);
        let mut end = Cbr::new(c);
        end.open(at(0));
        let (mut now, mut written, mut sent) = (0, 0, Vec::new());
        for (gap, bytes) in writes {
            written += end.write(bytes);
            sent.extend(drain(&mut end, at(now), at(now + gap)));
            now += gap;
        }
        end.close(at(now));
        sent.extend(drain(&mut end, at(now), at(now + 1_000_000)));
        let bytes: u64 = sent.iter().map(|(_, o)| u64::from(o.len)).sum();
        prop_assert_eq!((bytes, end.backlog), (written, 0));
        for pair in sent.windows(2) {
            let full = pair[0].1.len == c.payload();
            prop_assert!(!full || pair[1].0 >= pair[0].0 + Span::from_micros(999));
        }
    }
}
