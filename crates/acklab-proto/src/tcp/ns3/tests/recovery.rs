use super::*;

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

/// The threshold counts the head as in flight; duplicates within recovery are counted out only
/// after the window was set, so that each releases a segment.
#[test]
fn without_sack_the_head_counts_and_duplicates_release_segments() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let mut b = Bench::with(cc, |c| c.sack = false);
    b.write(50);
    for _ in 0..3 {
        b.ack(0, &[]);
    }
    // 12 sent, three arrived, the head lost: 8 and the head.
    assert_eq!(b.s.cc.ssthresh(), 4500);
    assert_eq!(b.ack(0, &[]), [12]);
    assert_eq!(b.s.cwnd(), 9125, "9000 in flight, and 125 of the quota");
}

#[test]
fn without_sack_and_limited_transmit_the_first_duplicates_release_nothing() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let mut b = Bench::with(cc, |c| (c.sack, c.limited_transmit) = (false, false));
    b.write(50);
    assert_eq!(b.ack(0, &[]), [0u64; 0]);
    assert_eq!(b.ack(0, &[]), [0u64; 0]);
    assert_eq!(b.ack(0, &[]).first(), Some(&0));
}

/// Segments 0 and 4 are lost. The duplicates were taken for 1 to 8, so the ACK of 4 refutes one.
#[test]
fn without_sack_a_partial_ack_resends_the_next_hole() {
    let cc = Box::new(Ns3Reno::new(init(), Flavour::NewReno));
    let mut b = Bench::with(cc, |c| c.sack = false);
    b.write(50);
    for _ in 0..8 {
        b.ack(0, &[]);
    }
    assert_eq!(b.ack(4, &[]).first(), Some(&4));
    assert_eq!(b.stats.rto_count, 0);
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
