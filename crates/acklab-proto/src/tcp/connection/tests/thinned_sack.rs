//! The loss of information when ACKs with SACK blocks are thinned: an ACK has room for three islands beside
//! the timestamps, and each is repeated only while it is among the latest three.

use super::super::*;
use super::world::*;
use std::boxed::Box;
use std::vec::Vec;

/// A flight of 40 with holes at 4, 8, 12 and 16. Of the ACKs that it causes, `keep` says which get
/// through; later ones all do.
fn four_holes(cfg: &TcpConfig, keep: fn(usize) -> bool) -> World {
    let mut holes = drop_data(&[4, 8, 12, 16]);
    let mut acks = 0;
    let script: Script = Box::new(move |way, n, s| {
        if way == Way::Back && s.is_pure_ack() {
            acks += 1;
            return if acks > 36 || keep(acks) {
                Fate::Pass
            } else {
                Fate::Drop
            };
        }
        holes(way, n, s)
    });
    let mut w = established(
        &TcpConfig {
            sack_compression: None,
            ..cfg.clone()
        },
        40,
        script,
    );
    w.send(40 * MSS);
    w.run(Span::from_secs(2));
    assert_eq!(w.read_b, 40 * MSS);
    w
}

fn repeated(w: &World) -> Vec<u64> {
    repeated_of(w, 40)
}

/// What is sent again of a flight of `n`.
fn repeated_of(w: &World, n: usize) -> Vec<u64> {
    w.data_sent()[n..].to_vec()
}

#[test]
fn every_ack_tells_every_island() {
    let w = four_holes(&config(), |_| true);
    assert_eq!(repeated(&w), [4, 8, 12, 16], "{}", w.dump());
    assert_eq!(w.b.stats().duplicates_in, 0);
}

/// Only the last ACK of the flight survives. It reports the islands from 17, 13 and 9 on, but not 5
/// to 7: RACK takes what was sent before something delivered for lost, and repeats it. The
/// receiver calls these repetitions duplicates, to no avail: the four others were needed, so
/// nothing is undone, and without reordering the window of RACK does not adapt (Linux
/// `tcp_dsack_seen`).
#[test]
fn an_island_that_no_surviving_ack_reports_is_repeated() {
    let w = four_holes(&config(), |n| n == 36);
    assert_eq!(repeated(&w), [4, 5, 6, 7, 8, 12, 16], "{}", w.dump());
    assert_eq!(w.b.stats().duplicates_in, 3);
    let s = w.a.stats();
    assert_eq!((s.dsacks_in, s.undos, s.rto_count), (3, 0, 0));
}

/// Without timestamps four blocks fit, and the same ACK reports all.
#[test]
fn a_fourth_block_saves_the_island() {
    let cfg = TcpConfig {
        timestamps: false,
        ..config()
    };
    let w = four_holes(&cfg, |n| n == 36);
    assert_eq!(repeated(&w), [4, 8, 12, 16], "{}", w.dump());
}

/// An earlier ACK that survives reports the island while it is among the latest.
#[test]
fn an_earlier_ack_saves_the_island() {
    let w = four_holes(&config(), |n| n == 10 || n == 36);
    assert_eq!(repeated(&w), [4, 8, 12, 16], "{}", w.dump());
}

/// Linux looks at blocks in the order of their numbers (`tcp_sacktag_write_queue`), so that the RTT by which
/// RACK judges is that of the segment sent last, in whatever order the ACK has them. By that of the
/// first island the second hole would have to wait.
#[test]
fn one_ack_with_two_new_islands_shows_both_holes() {
    let mut holes = drop_data(&[0, 2]);
    let mut acks = 0;
    let script: Script = Box::new(move |way, n, s| {
        if way == Way::Back && s.is_pure_ack() {
            acks += 1;
            return if acks > 2 { Fate::Pass } else { Fate::Drop };
        }
        holes(way, n, s)
    });
    let cfg = TcpConfig {
        sack_compression: None,
        sack_sorted: true,
        ..config()
    };
    let mut w = established(&cfg, 40, script);
    for _ in 0..5 {
        w.send(MSS);
        w.run(Span::from_millis(1));
    }
    w.run(Span::from_secs(1));
    let again: Vec<_> = w
        .log
        .iter()
        .filter(|l| l.way == Way::Forward && l.seg.len > 0)
        .skip(5)
        .collect();
    assert_eq!(repeated_of(&w, 5), [0, 2], "{}", w.dump());
    assert_eq!(again[0].at, again[1].at, "{}", w.dump());
}
