//! A path that reorders or holds packets: what is called lost may come late, and a reduction for it is
//! taken back.

use super::world::{Channel, World};
use crate::tack::config::{Settle, TackConfig};
use crate::transport::Transport;
use acklab_units::Span;

/// Ten seconds over 50 Mbit/s and 80 ms, where one packet in 500 is late by up to 8 ms. Gaps are
/// reported at once, so each late packet has its IACK.
fn run(cc: &str, loss: f64, undo: bool) -> World {
    let cfg = TackConfig {
        settle: Settle::Never,
        undo,
        send_buffer: 16 << 20,
        recv_buffer: 16 << 20,
        ..TackConfig::default()
    };
    let mut channels = [Channel::clean(40, 50), Channel::clean(40, 50)];
    (channels[0].reorder, channels[0].jitter) = (0.002, Span::from_millis(8));
    channels[0].loss = loss;
    channels[0].queue = 1_000_000;
    let mut w = World::new(&cfg, cc, channels, 11);
    w.closes = [false; 2];
    w.start(1 << 40);
    w.run_for(Span::from_secs(10));
    w
}

#[test]
fn reductions_for_packets_that_came_late_are_taken_back() {
    for cc in ["newreno", "cubic"] {
        let (with, without) = (run(cc, 0.0, true), run(cc, 0.0, false));
        let s = *with.ends[0].stats();
        assert!(s.recoveries > 10, "{cc} {}", s.recoveries);
        assert_eq!(s.undos, s.undos_late);
        // An episode may still be open when the run ends, and those of real losses stay.
        let real = u64::from(with.dropped[0] > 0) * 3;
        let kept = s.recoveries - s.undos;
        assert!(kept <= 1 + real, "{cc} {kept}");
        // Segments that were called lost were dropped by the queue, or came late.
        let known = s.late_segs + with.dropped[0];
        let off = s.lost_segs.abs_diff(known);
        assert!(off <= 20, "{cc} {} {known}", s.lost_segs);
        assert!(s.spurious_retrans <= s.retrans_segs);
        assert_eq!(without.ends[0].stats().undos, 0);
        assert!(
            with.read[1] > without.read[1] * 5 / 4,
            "{cc} {} {}",
            with.read[1],
            without.read[1]
        );
    }
}

/// Real losses stand: nothing is taken back on a path that keeps the order.
#[test]
fn real_losses_are_never_taken_back() {
    for cc in ["cubic", "bbr1"] {
        let cfg = TackConfig::default();
        let mut channels = [Channel::clean(20, 20), Channel::clean(20, 20)];
        (channels[0].loss, channels[1].loss) = (0.01, 0.05);
        channels[0].copy = 0.05;
        let mut w = World::new(&cfg, cc, channels, 3);
        w.closes = [false; 2];
        w.start(1 << 40);
        w.run_for(Span::from_secs(20));
        let s = *w.ends[0].stats();
        assert!(s.recoveries > 5, "{cc} {}", s.recoveries);
        assert_eq!(
            (s.undos, s.late_segs, s.spurious_retrans),
            (0, 0, 0),
            "{cc}"
        );
    }
}

/// With both, a reduction is taken back only if all of its episode came late.
#[test]
fn an_episode_with_a_loss_in_it_is_not_taken_back() {
    let w = run("cubic", 0.002, true);
    let s = *w.ends[0].stats();
    assert!(
        s.undos > 0 && s.undos < s.recoveries,
        "{} {}",
        s.undos,
        s.recoveries
    );
    let lost = w.dropped[0];
    assert!(
        s.late_segs + lost <= s.lost_segs + lost.min(50),
        "{} {lost} {}",
        s.late_segs,
        s.lost_segs
    );
}

/// Ten seconds over 20 Mbit/s and 40 ms, whose way for the data (0) or for the feedback (1) is longer by
/// 900 ms from second five on, or loses everything for 0.9 s.
fn interrupted(cc: &str, way: usize, loses: bool, undo: bool) -> (World, [u64; 2]) {
    let cfg = TackConfig {
        undo,
        // The peer's window keeps the flow from losing anything of itself.
        recv_buffer: 150_000,
        ..TackConfig::default()
    };
    let channels = [Channel::clean(20, 20), Channel::clean(20, 20)];
    let mut w = World::new(&cfg, cc, channels, 5);
    w.closes = [false; 2];
    w.start(1 << 40);
    w.run_for(Span::from_secs(5));
    let before = *w.ends[0].stats();
    let usual = w.channels[way];
    if loses {
        w.channels[way].loss = 1.0;
    } else {
        w.channels[way].delay = usual.delay + Span::from_millis(900);
    }
    w.run_for(Span::from_millis(900));
    w.channels[way].loss = 0.0;
    w.run_for(Span::from_secs(4));
    let after = *w.ends[0].stats();
    (
        w,
        [
            after.rto_count - before.rto_count,
            after.undos - before.undos,
        ],
    )
}

/// A way that becomes much longer, either of them, or feedback that is lost: the timeouts were for
/// nothing, and the controller is as before.
#[test]
fn timeouts_for_a_delay_are_taken_back() {
    for cc in ["newreno", "cubic", "bbr1", "bbr3"] {
        for (way, loses) in [(0, false), (1, false), (1, true)] {
            let (with, [rtos, undos]) = interrupted(cc, way, loses, true);
            assert!(rtos > 0, "{cc} {way} {loses}");
            assert!(undos > 0, "{cc} {way} {loses}");
            let (without, [_, none]) = interrupted(cc, way, loses, false);
            assert_eq!(none, 0);
            let again = |w: &World| w.ends[0].stats().retrans.rto;
            // After lost feedback the first answer acknowledges everything: nothing is left to repeat.
            let fewer =
                again(&with) < again(&without) || (loses && again(&with) == again(&without));
            assert!(fewer, "{cc} {way} {loses}");
        }
    }
}

/// The data itself is lost for as long: the timeout stays.
#[test]
fn timeouts_for_losses_are_never_taken_back() {
    for cc in ["newreno", "cubic", "bbr1", "bbr3"] {
        let (_, [rtos, undos]) = interrupted(cc, 0, true, true);
        assert!(rtos > 0, "{cc}");
        assert_eq!(undos, 0, "{cc}");
    }
}
