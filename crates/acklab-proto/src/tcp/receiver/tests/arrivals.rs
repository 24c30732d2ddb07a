//! The facts that the policy gets about each segment.

use super::fixture::{Bench, MSS, edge};
use crate::ack::{AckDecision, AckPolicy, AckReason, Arrival};
use crate::segment::Ecn;
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{Data, TimestampReply};
use acklab_units::{Instant, Span};
use std::boxed::Box;
use std::sync::{Arc, Mutex};
use std::vec::Vec;

/// Acknowledges nothing, remembers everything.
#[derive(Debug, Default)]
struct Recorder(Arc<Mutex<Vec<Arrival>>>);

impl AckPolicy for Recorder {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.0.lock().unwrap().push(*arrival);
        AckDecision::Hold
    }

    fn on_timeout(&mut self, _: Instant) -> Option<AckReason> {
        None
    }

    fn on_ack_sent(&mut self, _: Instant) {}

    fn next_timeout(&self) -> Option<Instant> {
        None
    }
}

struct Told {
    bench: Bench,
    heard: Arc<Mutex<Vec<Arrival>>>,
}

impl Told {
    fn new(profile: Profile) -> Self {
        let heard = Arc::default();
        let policy = Box::new(Recorder(Arc::clone(&heard)));
        Self {
            bench: Bench::new(&TcpConfig::new(profile), policy),
            heard,
        }
    }

    fn after(&mut self, data: Data) -> Arrival {
        self.bench.push(data);
        *self.heard.lock().unwrap().last().unwrap()
    }

    fn segment(&mut self, n: u64) -> Arrival {
        self.after(Data {
            offset: edge(n),
            len: MSS,
            ..Data::default()
        })
    }
}

#[test]
fn gaps_are_described_before_and_after() {
    let mut t = Told::new(Profile::Rfc);
    let mut seen = |n| {
        let a = t.segment(n);
        (a.in_order, a.had_gap, a.has_gap, a.duplicate)
    };
    assert_eq!(seen(0), (true, false, false, false));
    assert_eq!(seen(2), (false, false, true, false));
    assert_eq!(seen(4), (false, true, true, false));
    assert_eq!(seen(4), (false, true, true, true));
    assert_eq!(seen(1), (true, true, true, false));
    assert_eq!(seen(3), (true, true, false, false));
    assert_eq!(seen(3), (false, false, false, true));
}

#[test]
fn bytes_count_from_the_last_ack() {
    let mut t = Told::new(Profile::Rfc);
    assert_eq!(t.segment(0).unacked, u64::from(MSS));
    assert_eq!(t.segment(1).unacked, 2 * u64::from(MSS));
    t.bench.receiver.ack_fields();
    t.bench.receiver.on_ack_sent(Instant::ZERO, false);
    assert_eq!(t.segment(3).unacked, 0);
    assert_eq!(t.segment(2).unacked, 2 * u64::from(MSS));
}

#[test]
fn the_end_of_a_write_and_marks_are_passed_on() {
    let mut t = Told::new(Profile::Rfc);
    let data = |n, push, ecn| Data {
        offset: edge(n),
        len: MSS,
        push,
        ecn,
        ..Data::default()
    };
    let a = t.after(data(0, true, Ecn::Ect0));
    assert!(a.push && !a.ecn_change);
    let a = t.after(data(1, false, Ecn::Ce));
    assert!(!a.push && a.ecn_change);
    let a = t.after(data(2, false, Ecn::Ce));
    assert!(!a.ecn_change);
}

#[test]
fn segment_size_and_rtt_are_estimates() {
    let mut t = Told::new(Profile::Linux);
    t.bench.receiver.on_rtt(Span::from_millis(50));
    let a = t.segment(0);
    assert_eq!((a.rcv_mss, a.rtt), (MSS, Some(Span::from_millis(50))));
    let a = t.after(Data {
        offset: edge(1),
        len: MSS,
        reply: Some(TimestampReply {
            ecr: 1,
            age: Span::from_millis(30),
        }),
        ..Data::default()
    });
    assert_eq!(a.rtt, Some(Span::from_millis(30)));
}

/// A reader that keeps up never stands in the way; one that does not, does.
#[test]
fn the_window_can_move_if_the_reader_keeps_up() {
    for profile in [Profile::Linux, Profile::Ns3, Profile::Rfc] {
        let mut t = Told::new(profile);
        for n in 0..20 {
            assert!(t.segment(n).window_can_move, "{profile:?}");
            t.bench.receiver.read(Instant::ZERO, u64::MAX);
            t.bench.receiver.ack_fields();
            t.bench.receiver.on_ack_sent(Instant::ZERO, false);
        }
        t.segment(20);
        t.segment(21);
        let moved = (22..40).all(|n| t.segment(n).window_can_move);
        assert!(!moved, "{profile:?}");
    }
}
