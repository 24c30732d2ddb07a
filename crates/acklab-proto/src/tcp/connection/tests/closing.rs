use super::super::*;
use super::world::*;
use crate::segment::Flags;
use std::boxed::Box;

#[test]
fn data_then_fin_then_both_closed() {
    let mut w = World::clean(&config(), 10);
    w.send(25 * MSS);
    w.close_a();
    w.run(Span::from_secs(1));
    assert_eq!(
        (w.a.state(), w.b.state()),
        (State::FinWait2, State::CloseWait)
    );
    assert_eq!(w.read_b, 25 * MSS);
    w.close_b();
    w.run(Span::from_secs(1));
    assert_eq!((w.a.state(), w.b.state()), (State::TimeWait, State::Closed));
    w.run(Span::from_secs(61));
    assert_eq!(w.a.state(), State::Closed);
}

#[test]
fn the_fin_rides_on_the_last_data() {
    let mut w = World::clean(&config(), 10);
    w.send(2 * MSS + 300);
    w.close_a();
    w.run(Span::from_secs(1));
    let last = w
        .log
        .iter()
        .rfind(|l| l.way == Way::Forward && l.seg.len > 0)
        .unwrap()
        .seg;
    assert!(last.flags.contains(Flags::FIN) && last.len == 300);
}

#[test]
fn a_lost_fin_is_repeated() {
    let mut dropped = false;
    let script = Box::new(move |_, _, s: &Segment| {
        if s.flags.contains(Flags::FIN) && !dropped {
            dropped = true;
            return Fate::Drop;
        }
        Fate::Pass
    });
    let mut w = World::new(&config(), 10, script);
    w.send(3 * MSS);
    w.close_a();
    w.run(Span::from_secs(3));
    assert_eq!(
        (w.a.state(), w.b.state()),
        (State::FinWait2, State::CloseWait)
    );
}

#[test]
fn simultaneous_close_ends_in_time_wait() {
    let mut w = World::clean(&config(), 10);
    w.run(Span::from_millis(100));
    w.a.close(w.now);
    w.close_b();
    w.run(Span::from_secs(1));
    assert_eq!(
        (w.a.state(), w.b.state()),
        (State::TimeWait, State::TimeWait)
    );
}

#[test]
fn an_abort_resets_the_peer() {
    let mut w = World::clean(&config(), 10);
    w.run(Span::from_millis(100));
    w.a.abort();
    w.send(0);
    w.run(Span::from_millis(100));
    assert_eq!(w.b.state(), State::Closed);
    while let Some(e) = w.b.poll_event() {
        if e == Event::Reset {
            return;
        }
    }
    panic!("no reset reported");
}

#[test]
fn a_reset_beside_the_expected_number_is_challenged_not_obeyed() {
    let mut w = World::clean(&config(), 10);
    w.run(Span::from_millis(100));
    let seq = w.log[0].seg.seq + 1;
    let rst = Segment {
        seq: seq + 500,
        flags: Flags::RST,
        ..Segment::default()
    };
    w.b.on_segment(w.now, &rst);
    assert_eq!(w.b.state(), State::Established);
    assert!(w.b.poll_segment(w.now).is_some_and(|s| s.is_pure_ack()));
}

/// The last ACK of a close is lost for longer than TIME-WAIT lasts: the end that is gone answers
/// the next FIN with a reset, and the other does not repeat it for ever.
#[test]
fn a_closed_end_refuses_what_still_comes() {
    let mut w = World::clean(&config(), 10);
    w.send(MSS);
    w.run(Span::from_millis(100));
    w.a.abort();
    while w.a.poll_segment(w.now).is_some() {}
    w.close_b();
    w.run(Span::from_secs(1));
    assert_eq!(w.b.state(), State::Closed);
}
