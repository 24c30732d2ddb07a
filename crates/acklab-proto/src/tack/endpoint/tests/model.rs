//! The model: a reliable stream of bytes, whatever the channels do.

use super::world::{Channel, Clock, World};
use crate::endpoint::Event;
use crate::tack::config::{
    AlphaRtt, Owd, Owner, RateSource, RepairGuard, RepairOrder, Richness, Settle, StartUp,
    TackConfig, ThetaUnit, Thin, Timing, Unacked,
};
use crate::tack::endpoint::State;
use acklab_units::{Rate, Span};
use proptest::prelude::*;

fn channel() -> impl Strategy<Value = Channel> {
    let rate = prop_oneof![
        Just(1_000_000u64),
        Just(10_000_000),
        Just(100_000_000),
        Just(1_000_000_000)
    ];
    (
        (0u64..150, rate, 8_000u64..500_000),
        (0.0..0.25f64, 0.0..0.3f64, 0u64..60),
        (0.0..0.2f64, 0.0..0.1f64, 0.0..0.2f64),
    )
        .prop_map(|(a, b, c)| Channel {
            delay: Span::from_micros(a.0 * 1000 + 50),
            rate: Rate::from_bps(a.1),
            queue: a.2,
            loss: b.0,
            reorder: b.1,
            jitter: Span::from_millis(b.2),
            copy: c.0,
            damage: c.1,
            mark: c.2,
        })
}

fn clock() -> impl Strategy<Value = Clock> {
    (0u64..1 << 45, -200i64..200).prop_map(|(start, ppm)| Clock { start, ppm })
}

fn config() -> impl Strategy<Value = TackConfig> {
    let one = prop_oneof![
        Just(Richness::Rich),
        Just(Richness::Poor),
        Just(Richness::Adaptive { q: 2 })
    ];
    (
        (2u16..9, 1u16..17),
        (0u8..3, 0u8..3, 0u8..3, 0u8..2, 0u8..2, 0u8..2, 0u8..3),
        one,
        any::<bool>(),
        (8_000u64..1 << 20, 20_000u64..1 << 20),
        (prop_oneof![Just(0u32), 4u32..300], 2u16..200),
        (any::<[bool; 7]>(), 1u8..4, 0u8..101, 1u8..20, 10u32..300),
    )
        .prop_map(|(eq3, pick, richness, loss_iack, buffers, odd, more)| {
            let mut c = TackConfig::default();
            (c.taming.beta, c.taming.packets) = eq3;
            c.start_up =
                [StartUp::PerPacket, StartUp::ByteCounting, StartUp::Tamed][pick.0 as usize];
            c.settle = [Settle::OnceReordered, Settle::Never, Settle::Always][pick.1 as usize];
            c.timing = [Timing::Advanced, Timing::Newest, Timing::Legacy][pick.2 as usize];
            c.owd = [Owd::Smoothed, Owd::Raw][pick.3 as usize];
            c.owner = [Owner::Receiver, Owner::Sender][pick.4 as usize];
            c.rate_source = [RateSource::Receiver, RateSource::Sender][pick.5 as usize];
            c.guard = [
                RepairGuard::SmoothedRtt,
                RepairGuard::MinRtt,
                RepairGuard::ProvenOnly,
            ][pick.6 as usize];
            c.richness = richness;
            c.loss_iack = loss_iack;
            (c.recv_buffer, c.send_buffer) = buffers;
            (c.skip_within, c.holes) = odd;
            let [thin, unacked, ack_now, undo, theta, reported, smooth] = more.0;
            c.repair_order = [RepairOrder::Lowest, RepairOrder::Reported][usize::from(reported)];
            c.alpha_rtt = [AlphaRtt::Minimum, AlphaRtt::Smoothed][usize::from(smooth)];
            c.taming.thin = [Thin::Timer, Thin::Interval][usize::from(thin)];
            c.unacked = [Unacked::Reported, Unacked::All][usize::from(unacked)];
            c.theta_unit = [ThetaUnit::Rtt, ThetaUnit::Interval][usize::from(theta)];
            (c.ack_now, c.undo) = (ack_now, undo);
            (c.iack_copies, c.window_share, c.owd_gain) = (more.1, more.2, more.3);
            c.ack_loss_period = more.4;
            c.ecn = true;
            // An end that only listens behind a NAT must speak now and then, or is not found again.
            c.keep_alive = Some(Span::from_secs(2));
            c
        })
}

const CONTROLLERS: [&str; 8] = [
    "newreno", "cubic", "vegas", "bbr1", "bbr2", "bbr3", "bbr-tack", "fixed",
];

/// Timeouts of one end, once the faults have stopped, until everything has arrived: one that was
/// waited for already, one for what was lost with it, and one for the peer's end of it.
const MOST_TIMEOUTS: u64 = 3;

/// `chaos` is divided by changes of the active end's address.
fn run(mut w: World, bytes: [u64; 2], chaos: Span, rebinds: u64) -> Result<(), TestCaseError> {
    w.to_write[1] = bytes[1];
    w.start(bytes[0]);
    for _ in 0..rebinds {
        w.run_for(chaos / (rebinds + 1));
        w.rebind();
    }
    w.run_for(chaos / (rebinds + 1));
    // The faults stop. Nothing that was given up may have been given up for less than this.
    for c in &mut w.channels {
        let quiet = Channel::clean(0, 1);
        (c.loss, c.reorder, c.copy, c.damage) = (0.0, 0.0, 0.0, 0.0);
        (c.rate, c.queue) = (c.rate.max(Rate::from_bps(10_000_000)), quiet.queue);
    }
    let before = w.timeouts();
    prop_assert!(
        w.finish(Span::from_secs(400)),
        "no end at {:?}: {:?} {:?}\n{:?}",
        w.now,
        w.ends[0].state(),
        w.ends[1].state(),
        w.ends
    );
    for (now, then) in w.timeouts().into_iter().zip(before) {
        prop_assert!(now - then <= MOST_TIMEOUTS, "{} timeouts", now - then);
    }
    for i in 0..2 {
        prop_assert_eq!(w.read[1 - i], bytes[i], "the stream of end {}", i);
        prop_assert!(w.events[i].contains(&Event::Connected));
        prop_assert!(w.events[i].contains(&Event::PeerClosed));
        let ended = |e: &&Event| matches!(e, Event::Closed | Event::Reset | Event::TimedOut);
        let ends: alloc::vec::Vec<_> = w.events[i].iter().filter(ended).collect();
        prop_assert_eq!(ends, [&Event::Closed]);
        let told: u64 = w.events[i]
            .iter()
            .map(|e| match e {
                Event::Readable { bytes } => *bytes,
                _ => 0,
            })
            .sum();
        prop_assert_eq!(told, bytes[1 - i]);
    }
    // Left alone, both ends forget each other.
    w.run_for(Span::from_secs(600));
    prop_assert!(w.ends.iter().all(|e| e.state() == State::Closed));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Exactly once, in order, nothing that was acknowledged is sent again, and when the faults stop
    /// it all comes to an end: in both directions, with every option, under any of the controllers.
    #[test]
    fn the_stream_arrives_whatever_happens(
        channels in [channel(), channel()], clocks in [clock(), clock()], cfg in config(), cc in 0..CONTROLLERS.len(),
        bytes in [1u64..400_000, 0u64..100_000], seed in any::<u32>(), chaos_ms in 0u64..20_000,
        rebinds in 0u64..4,
    ) {
        let mut w = World::new(&cfg, CONTROLLERS[cc], channels, seed.into());
        w.clocks = clocks;
        run(w, bytes, Span::from_millis(chaos_ms), rebinds)?;
    }
}

/// The same, more often and for longer: for those who changed something.
#[test]
#[ignore = "takes minutes"]
fn the_stream_arrives_many_times() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(5_000));
    let input = (
        [channel(), channel()],
        [clock(), clock()],
        config(),
        0..CONTROLLERS.len(),
        (
            [1u64..2_000_000, 0u64..500_000],
            any::<u32>(),
            0u64..60_000,
            0u64..6,
        ),
    );
    runner
        .run(
            &input,
            |(channels, clocks, cfg, cc, (bytes, seed, chaos, rebinds))| {
                let mut w = World::new(&cfg, CONTROLLERS[cc], channels, seed.into());
                w.clocks = clocks;
                run(w, bytes, Span::from_millis(chaos), rebinds)
            },
        )
        .unwrap();
}
