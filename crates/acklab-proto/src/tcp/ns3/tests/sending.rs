use super::*;

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

/// The sender uses the rest of the peer's window after whole segments if it takes all there is, and
/// leaves it alone if it does not.
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

/// The reduction for a mark may have left less than a segment when the last ACK came.
#[test]
fn a_window_below_a_segment_does_not_end_a_flow() {
    for window in [0, MSS - 1] {
        let mut b = Bench::reno();
        b.write(2);
        b.ack(2, &[]);
        b.s.set_cwnd(window);
        assert_eq!(b.write(3), [2], "a window of {window}");
        assert!(b.s.next_timeout().is_some());
        assert_eq!(b.ack(3, &[]).first(), Some(&3));
    }
}
