//! HT, mixed format. In front of the data there are 20 (legacy) + 8 (HT-SIG) + 4 (HT-STF) + 4 us
//! per HT-LTF: 36, 40, 48, 48 us for one to four streams. Bits are 16 + 8 per byte + 6 per encoder.

use super::{Band, Guard, Mode, Width, check, phy};

fn ht(mcs: u8, mhz: u32, ns: u32) -> Mode {
    let width = Width::from_mhz(mhz).unwrap();
    Mode::ht(mcs, width, Guard::from_nanos(ns).unwrap()).unwrap()
}

#[test]
fn one_stream() {
    check(
        &phy(Band::Ghz5),
        &[
            // 52 * 6 * 5/6 = 260 bits a symbol; 12310 / 260 = 47.3 -> 48; 36 + 48 * 4
            (ht(7, 20, 800), 1536, 228.0),
            // The same 48 symbols: 48 * 3.6 = 172.8 -> 44 * 4 = 176; 36 + 176
            (ht(7, 20, 400), 1536, 212.0),
            // 52 / 2 = 26; 16 + 800 + 6 = 822, / 26 = 31.6 -> 32; 36 + 32 * 4
            (ht(0, 20, 800), 100, 164.0),
            // 108 * 6 * 5/6 = 540; 12310 / 540 = 22.8 -> 23; 23 * 3.6 = 82.8 -> 84; 36 + 84
            (ht(7, 40, 400), 1536, 120.0),
            // 52 * 4 / 2 = 104; 16 + 320 + 6 = 342, / 104 = 3.3 -> 4; 36 + 4 * 4
            (ht(3, 20, 800), 40, 52.0),
        ],
    );
}

#[test]
fn more_streams() {
    check(
        &phy(Band::Ghz5),
        &[
            // 108 * 2 / 2 = 108; 12022 / 108 = 111.3 -> 112; 40 + 112 * 4
            (ht(8, 40, 800), 1500, 488.0),
            // 108 * 6 * 2 * 5/6 = 1080, one encoder; 16 + 524280 + 6 = 524302, / 1080 = 485.5 ->
            // 486; 486 * 3.6 = 1749.6 -> 438 * 4 = 1752; 40 + 1752
            (ht(15, 40, 400), 65_535, 1792.0),
            // 108 * 6 * 3 * 2/3 = 1296, two encoders; 16 + 80000 + 12 = 80028, / 1296 = 61.8 -> 62;
            // 62 * 3.6 = 223.2 -> 224; 48 + 224
            (ht(21, 40, 400), 10_000, 272.0),
            // 52 * 6 * 4 * 5/6 = 1040, one encoder; 16 + 24000 + 6 = 24022, / 1040 = 23.1 -> 24; 48
            // + 24 * 4
            (ht(31, 20, 800), 3000, 144.0),
            // 108 * 6 * 4 * 5/6 = 2160, two encoders; 16 + 524280 + 12 = 524308, / 2160 = 242.7 ->
            // 243; 48 + 243 * 4
            (ht(31, 40, 800), 65_535, 1020.0),
        ],
    );
}

#[test]
fn silence_follows_at_2_4_ghz() {
    // 228 as at 5 GHz, + 6
    check(&phy(Band::Ghz2_4), &[(ht(7, 20, 800), 1536, 234.0)]);
}

/// At 65 Mbit/s 5.484 ms end an A-MPDU before its 65,535 bytes do.
#[test]
fn slow_aggregates_are_cut_by_time_and_fast_ones_by_length() {
    let phy = phy(Band::Ghz5);
    let longest = |mode| phy.max_psdu(mode, acklab_units::Span::MAX);
    // (5484 - 36) / 4 = 1362 symbols of 260 bits = 354120; (354120 - 22) / 8 = 44262.25
    assert_eq!(longest(ht(7, 20, 800)), 44_262);
    // (5484 - 40) / 4 = 1361 symbols of 1080 bits would be 183,732 bytes
    assert_eq!(longest(ht(15, 40, 800)), 65_535);
}
