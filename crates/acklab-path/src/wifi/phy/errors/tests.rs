use super::*;
use crate::wifi::phy::{Guard, Width};
use acklab_units::Rate;

fn ht(mcs: u8) -> Mode {
    Mode::ht(mcs, Width::Mhz20, Guard::Ns800).unwrap()
}

fn vht(mcs: u8) -> Mode {
    Mode::vht(mcs, 1, Width::Mhz80, Guard::Ns800).unwrap()
}

fn he(mcs: u8) -> Mode {
    Mode::he(mcs, 1, Width::Mhz20, Guard::Ns800).unwrap()
}

fn legacy(mbit: f64) -> Mode {
    Mode::legacy(Rate::from_bps((mbit * 1e6) as u64)).unwrap()
}

/// Results of `NistErrorRateModel::GetChunkSuccessRate` of ns-3.44 for 12,000 bits.
#[test]
fn coded_errors_are_those_of_ns3() {
    let table = [
        (legacy(6.0), 3.5, 0.588_320_440),
        (legacy(9.0), 6.25, 0.460_581_326),
        (legacy(54.0), 22.0, 0.512_806_088),
        (ht(0), 3.0, 0.053_304_279),
        (ht(0), 4.5, 0.985_970_220),
        (ht(1), 6.5, 0.577_162_674),
        (ht(2), 9.25, 0.448_566_669),
        (ht(3), 13.0, 0.589_744_344),
        (ht(4), 16.0, 0.490_278_729),
        (ht(5), 20.75, 0.496_914_478),
        (ht(6), 22.0, 0.512_806_088),
        (ht(7), 23.25, 0.594_606_298),
        (ht(7), 25.5, 0.999_755_518),
        (vht(8), 27.75, 0.424_840_845),
        (vht(9), 29.0, 0.458_638_034),
        (he(10), 33.5, 0.359_691_899),
        (he(11), 34.75, 0.342_489_446),
    ];
    for (mode, snr_db, expected) in table {
        let found = ErrorModel::Snr.mpdu_success(mode, snr_db, 1500);
        assert!(
            (found - expected).abs() < 2e-9,
            "{mode}, {snr_db} dB: {found}"
        );
    }
}

/// By hand: Q(sqrt(x)) of the standard normal distribution from tables.
#[test]
fn spread_errors_are_those_of_the_annex() {
    let bit = |mode, snr_db| 1.0 - libm::exp(ErrorModel::Snr.bits(mode, snr_db).ln_right);
    // At 0 dB: Q(sqrt 11) = Q(3.3166) = 4.55e-4; Q(sqrt 5.5) = Q(2.3452) = 9.51e-3.
    assert!((bit(legacy(1.0), 0.0) - 4.556e-4).abs() < 1e-6);
    assert!((bit(legacy(2.0), 0.0) - 9.509e-3).abs() < 1e-5);
    // 8/15 (14 Q(2.8284) + Q(4)) = 8/15 (14 * 2.339e-3 + 3.2e-5)
    assert!((bit(legacy(5.5), 0.0) - 1.748e-2).abs() < 2e-5);
    // At 3.0103 dB (twice): 128/255 (24 Q(2.8284) + 16 Q(3.4641) + 174 Q(4) + 16 Q(4.4721) + ...)
    // = 128/255 (24 * 2.339e-3 + 16 * 2.66e-4 + 174 * 3.167e-5 + 16 * 3.87e-6 + 24 * 4.8e-7)
    assert!((bit(legacy(11.0), 3.0103) - 3.312e-2).abs() < 1e-4);
}

#[test]
fn a_bit_error_rate_is_the_same_in_every_mode() {
    let model = ErrorModel::Ber(1e-5);
    // (1 - 1e-5)^12000 = exp(-0.12) to four digits.
    let expected = libm::pow(1.0 - 1e-5, 12_000.0);
    for mode in [legacy(1.0), ht(7), he(11)] {
        assert!((model.mpdu_success(mode, -100.0, 1500) - expected).abs() < 1e-12);
    }
    assert_eq!(ErrorModel::Ber(1.0).mpdu_success(ht(0), 50.0, 1), 0.0);
    assert_eq!(ErrorModel::Ber(1.0).mpdu_success(ht(0), 50.0, 0), 1.0);
}

#[test]
fn without_errors_nothing_needs_a_draw() {
    assert!(ErrorModel::None.bits(ht(7), -50.0).are_certain());
    assert!(ErrorModel::Ber(0.0).bits(ht(7), -50.0).are_certain());
    assert!(!ErrorModel::Ber(1e-9).bits(ht(7), 90.0).are_certain());
    assert_eq!(ErrorModel::None.mpdu_success(ht(7), -50.0, 1500), 1.0);
}

#[test]
fn success_grows_with_the_signal_and_falls_with_the_size() {
    for mode in [
        legacy(1.0),
        legacy(5.5),
        legacy(11.0),
        legacy(54.0),
        ht(4),
        he(11),
    ] {
        let at = |db: i32, bytes| ErrorModel::Snr.mpdu_success(mode, f64::from(db), bytes);
        for db in -20..60 {
            assert!(at(db, 1500) <= at(db + 1, 1500), "{mode} {db}");
            assert!(at(db, 1500) <= at(db, 100), "{mode} {db}");
        }
        assert!(at(-20, 1500) < 1e-9 && at(60, 1500) == 1.0, "{mode}");
    }
}

/// From ns-3's table: 1500 B in HT MCS 7 have a success of 0.889 at 23.75 dB and of 0.947 at 24 dB.
#[test]
fn the_signal_that_a_loss_rate_takes() {
    let model = ErrorModel::Snr;
    let needed = model.required_snr_db(ht(7), 1500, 0.1).unwrap();
    assert!((23.75..24.0).contains(&needed), "{needed}");
    assert!(model.mpdu_success(ht(7), needed, 1500) >= 0.9);
    assert!(model.mpdu_success(ht(7), needed - 0.02, 1500) < 0.9);
    assert_eq!(ErrorModel::Ber(0.1).required_snr_db(ht(7), 1500, 0.1), None);
}
