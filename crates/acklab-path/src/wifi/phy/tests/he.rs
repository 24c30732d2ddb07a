//! HE for one user. In front of the data there are 20 (legacy) + 4 (RL-SIG) + 8 (HE-SIG-A) + 4
//! (HE-STF) = 36 us and the HE-LTFs: 7.2, 8 or 16 us each with guard intervals of 0.8, 1.6, 3.2 us.
//! Tail bits only at 20 MHz below 1024-QAM.

use super::{Band, Guard, Mode, PpduRules, Width, check, phy, us, with_rules};
use crate::wifi::phy::{HeLtf, HePadding};
use acklab_units::Span;

fn he(mcs: u8, streams: u8, mhz: u32, ns: u32) -> Mode {
    let width = Width::from_mhz(mhz).unwrap();
    Mode::he(mcs, streams, width, Guard::from_nanos(ns).unwrap()).unwrap()
}

#[test]
fn one_stream() {
    check(
        &phy(Band::Ghz5),
        &[
            // 234 * 10 * 5/6 = 1950 bits a symbol; 16 + 12288 = 12304, / 1950 = 6.3 -> 7; 43.2 + 7
            // * 13.6
            (he(11, 1, 20, 800), 1536, 138.4),
            // 234 / 2 = 117; 16 + 12288 + 6 = 12310, / 117 = 105.2 -> 106; 36 + 16 + 106 * 16
            (he(0, 1, 20, 3200), 1536, 1748.0),
            // 980 * 10 * 5/6 = 8166.7 -> 8166; 12304 / 8166 = 1.5 -> 2; 43.2 + 2 * 13.6
            (he(11, 1, 80, 800), 1536, 70.4),
            // 468 * 2 * 3/4 = 702; 16 + 8000 = 8016, / 702 = 11.4 -> 12; 36 + 8 + 12 * 14.4
            (he(2, 1, 40, 1600), 1000, 216.8),
        ],
    );
}

#[test]
fn more_streams() {
    check(
        &phy(Band::Ghz6),
        &[
            // 468 * 8 * 2 * 5/6 = 6240; 80016 / 6240 = 12.8 -> 13; 36 + 2 * 8 + 13 * 14.4
            (he(9, 2, 40, 1600), 10_000, 239.2),
            // 234 * 6 * 4 * 2/3 = 3744; 12022 / 3744 = 3.2 -> 4; 36 + 4 * 16 + 4 * 16
            (he(5, 4, 20, 3200), 1500, 164.0),
            // 1960 * 10 * 8 * 5/6 = 130666.7 -> 130666; 32000016 / 130666 = 244.9 -> 245;
            // 36 + 8 * 7.2 + 245 * 13.6
            (he(11, 8, 160, 800), 4_000_000, 3425.6),
        ],
    );
}

#[test]
fn silence_follows_at_2_4_ghz() {
    // 234 * 6 * 5/6 = 1170; 12022 / 1170 = 10.3 -> 11; 43.2 + 11 * 13.6 + 6
    check(&phy(Band::Ghz2_4), &[(he(7, 1, 20, 800), 1500, 198.8)]);
}

fn padded(he_padding: HePadding) -> PpduRules {
    PpduRules {
        he_padding,
        ..PpduRules::STANDARD
    }
}

/// At MCS 11, 80 MHz a quarter of a symbol counts for 240 * 10 * 5/6 = 2000 bits.
#[test]
fn a_packet_extension_gives_receivers_time() {
    let mode = he(11, 1, 80, 800);
    // 12304 - 8166 = 4138 bits in the last symbol, / 2000 -> 3 quarters: 12 us and 4 us after 70.4
    // us.
    check(&with_rules(padded(HePadding::Us16)), &[(mode, 1536, 82.4)]);
    check(&with_rules(padded(HePadding::Us8)), &[(mode, 1536, 74.4)]);
    // 16 + 112 = 128 bits -> 1 quarter: 4 us and nothing after 43.2 + 13.6.
    check(&with_rules(padded(HePadding::Us16)), &[(mode, 14, 60.8)]);
    check(&with_rules(padded(HePadding::Us8)), &[(mode, 14, 56.8)]);
    // 16 + 8000 = 8016 bits, / 2000 -> 5, that is 4 quarters: 16 us and 8 us.
    check(&with_rules(padded(HePadding::Us16)), &[(mode, 1000, 72.8)]);
    check(&with_rules(padded(HePadding::Us8)), &[(mode, 1000, 64.8)]);
}

#[test]
fn training_symbols_are_of_three_lengths() {
    let with = |he_ltf| {
        with_rules(PpduRules {
            he_ltf,
            ..PpduRules::STANDARD
        })
    };
    let mode = he(11, 1, 80, 800);
    // 36 + 3.2 + 0.8 + 2 * 13.6
    check(&with(HeLtf::Shortest), &[(mode, 1536, 67.2)]);
    // 36 + 12.8 + 0.8 + 2 * 13.6
    check(&with(HeLtf::Longest), &[(mode, 1536, 76.8)]);
    // 36 + 6.4 + 1.6 + 2 * 14.4
    check(&with(HeLtf::Shortest), &[(he(11, 1, 80, 1600), 1536, 72.8)]);
}

#[test]
fn an_aggregate_is_cut_by_time_or_length() {
    let phy = phy(Band::Ghz5);
    let longest = |mode| phy.max_psdu(mode, Span::MAX);
    // (5484 - 43.2) / 13.6 = 400.06 -> 400 symbols of 8166 bits; (3266400 - 16) / 8
    assert_eq!(longest(he(11, 1, 80, 800)), 408_298);
    // (5484 - 36 - 8 * 7.2) / 13.6 = 396.4 -> 396 symbols of 130666 bits = 51743736; (51743736 -
    // 16) / 8
    assert_eq!(longest(he(11, 8, 160, 800)), 6_467_965);
}

/// aPSDUMaxLength of 27.4.4 is what fits with the shortest training.
#[test]
fn the_longest_psdu_of_the_standard_is_the_longest_that_fits() {
    let phy = with_rules(PpduRules {
        he_ltf: HeLtf::Shortest,
        ..PpduRules::STANDARD
    });
    // (5484 - 36 - 8 * 4) / 13.6 = 398.2 -> 398 symbols of 130666 bits = 52005068; (52005068 - 16)
    // / 8
    let longest = phy.max_psdu(he(11, 8, 160, 800), Span::MAX);
    assert_eq!(longest, 6_500_631);
    let fits = phy.duration(he(11, 8, 160, 800), 6_500_631);
    assert_eq!(fits, us(36.0 + 32.0 + 398.0 * 13.6));
}
