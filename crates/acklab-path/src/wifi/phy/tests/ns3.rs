//! The durations that ns-3's own test of durations holds ns-3 to, for 1536, 76 and 14 bytes.

use super::{Guard, Mode, PpduRules, Width, check, legacy, with_rules};

const BYTES: [u32; 3] = [1536, 76, 14];

#[track_caller]
fn check_ns3(mode: Mode, durations: [f64; 3]) {
    let phy = with_rules(PpduRules::NS3);
    for (bytes, us) in BYTES.into_iter().zip(durations) {
        check(&phy, &[(mode, bytes, us)]);
    }
}

#[test]
fn non_ht() {
    check_ns3(legacy(54.0), [248.0, 32.0, 24.0]);
}

#[test]
fn ht() {
    let long = Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap();
    check_ns3(long, [228.0, 48.0, 40.0]);
    let short = Mode::ht(7, Width::Mhz40, Guard::Ns400).unwrap();
    check_ns3(short, [118.8, 43.2, 39.6]);
}

#[test]
fn vht() {
    let mode = Mode::vht(9, 1, Width::Mhz80, Guard::Ns400).unwrap();
    check_ns3(mode, [64.8, 39.6, 39.6]);
}

#[test]
fn he() {
    let slow = Mode::he(0, 1, Width::Mhz20, Guard::Ns3200).unwrap();
    check_ns3(slow, [1740.0, 140.0, 76.0]);
    let narrow = Mode::he(11, 1, Width::Mhz20, Guard::Ns800).unwrap();
    check_ns3(narrow, [139.2, 57.6, 57.6]);
    let wide = Mode::he(11, 1, Width::Mhz80, Guard::Ns800).unwrap();
    check_ns3(wide, [71.2, 57.6, 57.6]);
}

/// `WifiPhy::CalculateTxDuration` of ns-3.44 with several streams, and encoders in parallel. (All
/// of 25,961 durations over every mode that it has agreed.)
#[test]
fn several_streams() {
    let (short, middle) = (Guard::Ns400, Guard::Ns1600);
    let ht = |mcs| Mode::ht(mcs, Width::Mhz40, short).unwrap();
    let vht = |streams| Mode::vht(9, streams, Width::Mhz160, short).unwrap();
    let six_encoders = Mode::vht(7, 4, Width::Mhz160, Guard::Ns800).unwrap();
    let he = |mcs, streams, width| Mode::he(mcs, streams, width, middle).unwrap();
    check(
        &with_rules(PpduRules::NS3),
        &[
            (ht(15), 65_535, 1789.6),
            (ht(21), 65_535, 1506.0),
            (ht(31), 65_535, 922.8),
            (six_encoders, 10_000, 84.0),
            (six_encoders, 1_000_000, 3468.0),
            (vht(2), 10_000, 86.8),
            (vht(4), 1_000_000, 2359.2),
            (vht(8), 1_000_000, 1219.6),
            (he(5, 2, Width::Mhz40), 1536, 109.6),
            (he(5, 8, Width::Mhz160), 1_000_000, 1943.2),
            (he(11, 8, Width::Mhz160), 1_000_000, 992.8),
        ],
    );
}
