//! Every controller of acklab runs under TACK.

use super::world::{Channel, World};
use crate::cc::registry::CONTROLLERS;
use crate::tack::config::{RateSource, TackConfig};
use acklab_units::Span;
use std::string::String;

/// Bytes that arrive in ten seconds over 20 Mbit/s with a round trip of 40 ms and a buffer of one
/// bandwidth-delay product, and what it took.
fn ten_seconds(cc: &str, loss: f64, change: impl FnOnce(&mut TackConfig)) -> World {
    let mut cfg = TackConfig::default();
    change(&mut cfg);
    let mut channels = [Channel::clean(20, 20), Channel::clean(20, 20)];
    channels[0].queue = 100_000;
    channels[0].loss = loss;
    let mut w = World::new(&cfg, cc, channels, 7);
    w.closes = [false; 2];
    w.start(1 << 40);
    w.run_for(Span::from_secs(10));
    w
}

fn megabits(w: &World) -> f64 {
    w.read[1] as f64 * 8.0 / 10.0 / 1e6
}

#[test]
fn every_controller_fills_the_path() {
    let mut slow = String::new();
    assert!(CONTROLLERS.iter().any(|e| e.name == "bbr-tack"));
    for entry in CONTROLLERS {
        let w = ten_seconds(entry.name, 0.0, |_| {});
        // `rate` paces 10 Mbit/s of payload; `fixed` has a window of its own.
        let least = match entry.name {
            "rate" => 9.5,
            "fixed" => 1.0,
            "vegas" => 15.0,
            // It leaves start-up for the losses that it has made, and probes slowly.
            "bbr2" => 15.5,
            _ => 17.0,
        };
        let got = megabits(&w);
        if got < least {
            slow += &std::format!("{} {got:.2}\n", entry.name);
        }
        let s = w.ends[0].sender().snapshot(&TackConfig::default());
        let min = s.min_rtt.unwrap();
        assert!(
            min >= Span::from_millis(40) && min < Span::from_millis(44),
            "{} {min:?}",
            entry.name
        );
    }
    assert!(slow.is_empty(), "{slow}");
}

#[test]
fn the_senders_own_samples_do_as_well() {
    for cc in ["bbr1", "bbr3", "bbr-tack"] {
        let w = ten_seconds(cc, 0.0, |c| c.rate_source = RateSource::Sender);
        assert!(megabits(&w) > 17.0, "{cc} {}", megabits(&w));
    }
}

/// One percent is nothing to BBR: losses are pulled as they happen.
#[test]
fn bbr_fills_a_lossy_path() {
    // BBRv3 lowers its bounds for losses: over twenty seeds of such a path it gets 12.6 to 16.8 Mbit/s.
    for (cc, least) in [("bbr1", 16.0), ("bbr3", 12.0), ("bbr-tack", 16.0)] {
        let w = ten_seconds(cc, 0.01, |_| {});
        assert!(megabits(&w) > least, "{cc} {}", megabits(&w));
        let s = *crate::transport::Transport::stats(&w.ends[0]);
        assert_eq!(s.rto_count, 0);
        // Nothing is sent again in vain: as many as were lost, less those that are not repaired yet.
        let lost = w.dropped[0];
        let due = s.retrans_segs..=s.retrans_segs + 200;
        assert!(due.contains(&lost), "{} {lost}", s.retrans_segs);
    }
}
