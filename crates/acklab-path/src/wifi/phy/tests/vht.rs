//! VHT. In front of the data there are 20 (legacy) + 8 (VHT-SIG-A) + 4 (VHT-STF) + 4 us per VHT-LTF
//! (1, 2, 4, 4, 6, 6, 8, 8) + 4 (VHT-SIG-B): 40, 44, 52, 52, 60, 60, 68, 68 us.

use super::{Band, Guard, Mode, Width, check, phy};
use acklab_units::Span;

fn vht(mcs: u8, streams: u8, mhz: u32, ns: u32) -> Mode {
    let width = Width::from_mhz(mhz).unwrap();
    Mode::vht(mcs, streams, width, Guard::from_nanos(ns).unwrap()).unwrap()
}

#[test]
fn one_stream() {
    check(
        &phy(Band::Ghz5),
        &[
            // 52 * 8 * 3/4 = 312 bits a symbol; 12310 / 312 = 39.5 -> 40; 40 + 40 * 4
            (vht(8, 1, 20, 800), 1536, 200.0),
            // 234 * 8 * 5/6 = 1560; 12310 / 1560 = 7.9 -> 8; 8 * 3.6 = 28.8 -> 32; 40 + 32
            (vht(9, 1, 80, 400), 1536, 72.0),
            // 234 / 2 = 117; 134 / 117 = 1.1 -> 2; 40 + 2 * 4
            (vht(0, 1, 80, 800), 14, 48.0),
        ],
    );
}

#[test]
fn more_streams() {
    check(
        &phy(Band::Ghz5),
        &[
            // 234 * 8 * 2 * 5/6 = 3120, two encoders; 16 + 800000 + 12 = 800028, / 3120 = 256.4 ->
            // 257; 44 + 257 * 4
            (vht(9, 2, 80, 800), 100_000, 1072.0),
            // 52 * 8 * 3 * 5/6 = 1040, one encoder; 12022 / 1040 = 11.6 -> 12; 52 + 12 * 4
            (vht(9, 3, 20, 800), 1500, 100.0),
            // 468 * 8 * 4 * 5/6 = 12480, six encoders; 16 + 8000000 + 36 = 8000052, / 12480 =
            // 641.03 -> 642; 642 * 3.6 = 2311.2 -> 2312; 52 + 2312
            (vht(9, 4, 160, 400), 1_000_000, 2364.0),
            // 108 * 6 * 5 * 5/6 = 2700, two encoders; 16 + 40000 + 12 = 40028, / 2700 = 14.8 -> 15;
            // 15 * 3.6 = 54 -> 56; 60 + 56
            (vht(7, 5, 40, 400), 5000, 116.0),
            // 234 * 2 * 7 * 3/4 = 2457, three encoders; 16 + 24000 + 18 = 24034, / 2457 = 9.8 ->
            // 10; 68 + 10 * 4
            (vht(2, 7, 80, 800), 3000, 108.0),
            // 468 * 8 * 8 * 5/6 = 24960, twelve encoders; 16 + 8388600 + 72 = 8388688, / 24960 =
            // 336.1 -> 337; 337 * 3.6 = 1213.2 -> 304 * 4 = 1216; 68 + 1216
            (vht(9, 8, 160, 400), 1_048_575, 1284.0),
        ],
    );
}

#[test]
fn an_aggregate_is_cut_by_time_or_length() {
    let phy = phy(Band::Ghz5);
    let longest = |mode| phy.max_psdu(mode, Span::MAX);
    // (5484 - 40) / 4 = 1361 symbols of 1560 bits = 2123160; (2123160 - 22) / 8 = 265392.25
    assert_eq!(longest(vht(9, 1, 80, 800)), 265_392);
    // 1361 long symbols hold 5444 / 3.6 = 1512 short ones: 2358720 bits; (2358720 - 22) / 8 =
    // 294837.25
    assert_eq!(longest(vht(9, 1, 80, 400)), 294_837);
    assert_eq!(longest(vht(9, 8, 160, 800)), 1_048_575);
}
