//! When one station at a time is better, and who is called all the same.

use super::*;

/// Full queues of long packets are served one after the other, a short packet for each station at once.
#[test]
fn falls_back_to_one_user_when_that_pays() {
    let served = |falls_back, size, depth| {
        let mut rig = Rig::new(
            he_cell(
                4,
                OfdmaConfig {
                    falls_back,
                    ..OFDMA
                },
            ),
            3,
        );
        let bytes: u64 = rig
            .saturate(&downloads(4), size, depth, us(2_000_000))
            .iter()
            .sum();
        (bytes, rig.medium.station_stats(AP).multi_user)
    };
    // Full queues of long packets: seven of them in 4.8 ms beside 28 alone.
    let (together, several) = served(false, 1460, 100);
    let (better, few) = served(true, 1460, 100);
    assert!(several > 300 && few < several / 10, "{few} of {several}");
    assert!(
        better as f64 > 1.05 * together as f64,
        "{better} {together}"
    );
    // A short packet for each.
    let (_, several) = served(true, 100, 1);
    assert!(several > 500, "{several}");
}

/// What four stations bring to the access point in four seconds, and how often that calls them.
fn brought(ofdma: OfdmaConfig, size: u32, depth: u32) -> (u64, u64) {
    brought_in(he_cell(4, ofdma), size, depth)
}

fn brought_in(config: MediumConfig, size: u32, depth: u32) -> (u64, u64) {
    let mut rig = Rig::new(config, 3);
    let bytes = rig.saturate(&[0, 2, 4, 6], size, depth, us(4_000_000));
    let triggers = rig.medium.station_stats(AP).triggers;
    (bytes.iter().sum(), triggers)
}

const CALLS: OfdmaConfig = OfdmaConfig {
    downlink: None,
    uplink: Some(UplinkOfdma {
        poll: Poll {
            every: Span::from_millis(10),
            always: false,
        },
        ..UPLINK
    }),
    falls_back: true,
    ..OFDMA
};

/// The same without calls.
const NONE: OfdmaConfig = OfdmaConfig {
    uplink: None,
    downlink: OFDMA.downlink,
    ..CALLS
};

/// Seven long packets of a station fit into its part of a PPDU, more than 28 into one of its own: nobody is called,
/// and as much arrives as from an access point that cannot call.
#[test]
fn full_queues_are_left_to_contend() {
    let always = OfdmaConfig {
        falls_back: false,
        ..CALLS
    };
    let (called, often) = brought(always, 1460, 100);
    let (left, seldom) = brought(CALLS, 1460, 100);
    let (alone, _) = brought(NONE, 1460, 100);
    assert!(often > 100 && seldom < often / 20, "{seldom} of {often}");
    assert!(left as f64 > 1.05 * called as f64, "{left} {called}");
    assert!(left as f64 > 0.97 * alone as f64, "{left} {alone}");
}

/// A call for all of a PPDU's time would carry no more than an A-MPDU of two packets.
#[test]
fn a_call_is_worth_no_more_than_the_ampdus() {
    let cell = |ofdma| {
        let mut config = he_cell(4, ofdma);
        for port in &mut config.ports {
            port.aggregation.ampdu = 3_100;
        }
        config
    };
    let (left, _) = brought_in(cell(CALLS), 1460, 100);
    let (alone, _) = brought_in(cell(NONE), 1460, 100);
    assert!(left as f64 > 0.97 * alone as f64, "{left} {alone}");
}

const SILENT: MuEdca = MuEdca {
    aifsn: 0,
    cw_min: 15,
    cw_max: 1023,
    timer: Span::from_millis(50),
};

fn silent(timer: Span, falls_back: bool) -> OfdmaConfig {
    let mu_edca = Some(MuEdca { timer, ..SILENT });
    OfdmaConfig {
        uplink: CALLS.uplink.map(|u| UplinkOfdma { mu_edca, ..u }),
        falls_back,
        ..CALLS
    }
}

/// Stations that were called with little are left to contend once they have much: their timers may end.
#[test]
fn full_queues_are_left_after_short_ones_were_called() {
    let mut rig = Rig::new(he_cell(4, silent(Span::from_millis(50), true)), 3);
    let ports = [0, 2, 4, 6];
    rig.saturate(&ports, 100, 3, us(500_000));
    let short = rig.medium.station_stats(AP).triggers;
    assert!(short > 20, "{short}");
    rig.saturate(&ports, 1460, 100, us(1_000_000));
    let before = rig.medium.station_stats(AP).triggers;
    rig.saturate(&ports, 1460, 0, us(3_000_000));
    let after = rig.medium.station_stats(AP).triggers - before;
    assert!(after < 20, "{after}");
}

/// A station that its timer keeps silent, and that had nothing when it was called, is asked while another is called all the
/// time.
#[test]
fn who_rests_is_asked_while_others_are_called() {
    for falls_back in [true, false] {
        let mut rig = Rig::new(he_cell(2, silent(Span::from_secs(5), falls_back)), 3);
        rig.saturate(&[0, 2], 100, 3, us(100_000));
        rig.run(us(150_000));
        rig.saturate(&[0], 1460, 100, us(300_000));
        rig.offer(2, 1460);
        let bytes = rig.saturate(&[0, 2], 1460, 0, us(340_000));
        assert!(
            bytes[0] > 100_000 && bytes[1] > 0,
            "{falls_back}: {bytes:?}"
        );
    }
}

/// Whoever has a short packet at a time is called with the others.
#[test]
fn short_queues_are_called_at_once() {
    let (_, triggers) = brought(CALLS, 100, 3);
    assert!(triggers > 500, "{triggers}");
}

/// A station that its MU EDCA timer keeps silent is called, however much it has.
#[test]
fn who_may_not_contend_is_called() {
    let mut rig = Rig::new(he_cell(4, silent(Span::from_secs(2), true)), 3);
    let ports = [0, 2, 4, 6];
    rig.saturate(&ports, 100, 3, us(100_000));
    let before = rig.medium.station_stats(AP).triggers;
    for p in ports {
        for _ in 0..200 {
            rig.offer(p, 1460);
        }
    }
    rig.run(us(140_000));
    assert!(rig.medium.station_stats(AP).triggers > before + 5);
}
