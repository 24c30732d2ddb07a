//! Every rate against the tables of 19.5, 21.5 and 27.5, in Mbit/s as printed there.

use super::{Guard, Mode, Width};

/// MCS 0 to 7 of one HT stream, and of VHT: 20 and 40 MHz, long and short guard interval.
const HT: [(Width, Guard, [f64; 8]); 4] = [
    (
        Width::Mhz20,
        Guard::Ns800,
        [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0],
    ),
    (
        Width::Mhz20,
        Guard::Ns400,
        [7.2, 14.4, 21.7, 28.9, 43.3, 57.8, 65.0, 72.2],
    ),
    (
        Width::Mhz40,
        Guard::Ns800,
        [13.5, 27.0, 40.5, 54.0, 81.0, 108.0, 121.5, 135.0],
    ),
    (
        Width::Mhz40,
        Guard::Ns400,
        [15.0, 30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0],
    ),
];

/// MCS 0 to 9 of one VHT stream.
const VHT: [(Width, Guard, [f64; 10]); 4] = [
    (
        Width::Mhz80,
        Guard::Ns800,
        [
            29.3, 58.5, 87.8, 117.0, 175.5, 234.0, 263.3, 292.5, 351.0, 390.0,
        ],
    ),
    (
        Width::Mhz80,
        Guard::Ns400,
        [
            32.5, 65.0, 97.5, 130.0, 195.0, 260.0, 292.5, 325.0, 390.0, 433.3,
        ],
    ),
    (
        Width::Mhz160,
        Guard::Ns800,
        [
            58.5, 117.0, 175.5, 234.0, 351.0, 468.0, 526.5, 585.0, 702.0, 780.0,
        ],
    ),
    (
        Width::Mhz160,
        Guard::Ns400,
        [
            65.0, 130.0, 195.0, 260.0, 390.0, 520.0, 585.0, 650.0, 780.0, 866.7,
        ],
    ),
];

/// MCS 0 to 11 of one HE stream.
const HE: [(Width, Guard, [f64; 12]); 6] = [
    (
        Width::Mhz20,
        Guard::Ns800,
        [
            8.6, 17.2, 25.8, 34.4, 51.6, 68.8, 77.4, 86.0, 103.2, 114.7, 129.0, 143.4,
        ],
    ),
    (
        Width::Mhz20,
        Guard::Ns1600,
        [
            8.1, 16.3, 24.4, 32.5, 48.8, 65.0, 73.1, 81.3, 97.5, 108.3, 121.9, 135.4,
        ],
    ),
    (
        Width::Mhz20,
        Guard::Ns3200,
        [
            7.3, 14.6, 21.9, 29.3, 43.9, 58.5, 65.8, 73.1, 87.8, 97.5, 109.7, 121.9,
        ],
    ),
    (
        Width::Mhz40,
        Guard::Ns800,
        [
            17.2, 34.4, 51.6, 68.8, 103.2, 137.6, 154.9, 172.1, 206.5, 229.4, 258.1, 286.8,
        ],
    ),
    (
        Width::Mhz80,
        Guard::Ns800,
        [
            36.0, 72.1, 108.1, 144.1, 216.2, 288.2, 324.3, 360.3, 432.4, 480.4, 540.4, 600.5,
        ],
    ),
    (
        Width::Mhz160,
        Guard::Ns800,
        [
            72.1, 144.1, 216.2, 288.2, 432.4, 576.5, 648.5, 720.6, 864.7, 960.8, 1080.9, 1201.0,
        ],
    ),
];

/// The tables round to a tenth, HE's as if there were parts of bits, which costs a little more.
#[track_caller]
fn check_rate(mode: Mode, streams: u8, per_stream: f64) {
    let rate = mode.rate().as_bps() as f64 / 1e6;
    let error = rate - per_stream * f64::from(streams);
    assert!(error.abs() <= 0.07 * f64::from(streams), "{mode}: {rate}");
}

#[test]
fn ht_rates() {
    for (width, guard, table) in HT {
        for (streams, mcs) in (1..=4).flat_map(|s| (0..8).map(move |m| (s, m))) {
            let mode = Mode::ht(mcs + 8 * (streams - 1), width, guard).unwrap();
            check_rate(mode, streams, table[usize::from(mcs)]);
        }
    }
}

#[test]
fn vht_rates() {
    for (width, guard, table) in HT {
        for (streams, mcs) in (1..=8).flat_map(|s| (0..8).map(move |m| (s, m))) {
            let mode = Mode::vht(mcs, streams, width, guard).unwrap();
            check_rate(mode, streams, table[usize::from(mcs)]);
        }
    }
    let mut valid = 0;
    for (width, guard, table) in VHT {
        for (streams, mcs) in (1..=8).flat_map(|s| (0..10).map(move |m| (s, m))) {
            if let Ok(mode) = Mode::vht(mcs, streams, width, guard) {
                check_rate(mode, streams, table[usize::from(mcs)]);
                valid += 1;
            }
        }
    }
    // Of 80 combinations three are left out at 80 MHz and one at 160 MHz, for two guard intervals.
    assert_eq!(valid, 2 * (77 + 79));
}

#[test]
fn vht_256_qam_on_narrow_channels() {
    let rate = |mcs, streams, width, guard| Mode::vht(mcs, streams, width, guard).map(Mode::rate);
    let mbit = |m: f64| acklab_units::Rate::from_bps((m * 1e6) as u64);
    assert_eq!(rate(8, 1, Width::Mhz20, Guard::Ns800), Ok(mbit(78.0)));
    assert_eq!(rate(9, 3, Width::Mhz20, Guard::Ns800), Ok(mbit(260.0)));
    assert_eq!(rate(9, 1, Width::Mhz40, Guard::Ns400), Ok(mbit(200.0)));
    for (streams, valid) in (1..=8).zip([false, false, true, false, false, true, false, false]) {
        let nine = rate(9, streams, Width::Mhz20, Guard::Ns800);
        assert_eq!(nine.is_ok(), valid, "{streams}");
    }
}

#[test]
fn he_rates() {
    for (width, guard, table) in HE {
        for (streams, mcs) in (1..=8).flat_map(|s| (0..12).map(move |m| (s, m))) {
            let mode = Mode::he(mcs, streams, width, guard).unwrap();
            check_rate(mode, streams, table[usize::from(mcs)]);
        }
    }
}
