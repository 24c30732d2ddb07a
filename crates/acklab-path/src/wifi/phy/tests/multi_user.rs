//! HE MU and HE TB PPDUs and the Trigger cycle, by hand.

use super::{Band, Guard, Mode, Width, legacy, phy, us};
use crate::wifi::mac::triggers::{BUFFER_STATUS, TriggerKind, multi_station_block_ack, trigger};
use crate::wifi::phy::{
    HePadding, ModeError, PpduRules, Ru, SharedData, SigBMcs, SigBUsers, TriggerCycle,
};

const RULES: PpduRules = PpduRules::STANDARD;

fn on(ru: Ru, mcs: u8, mhz: u32, ns: u32) -> Mode {
    let width = Width::from_mhz(mhz).unwrap();
    let whole = Mode::he(mcs, 1, width, Guard::from_nanos(ns).unwrap()).unwrap();
    whole.on_ru(ru).unwrap()
}

/// The rate tables of 27.5: MCS 0 and 11, one stream, 0.8 us.
#[test]
fn rates_of_resource_units() {
    let table = [
        // 24 / 2 = 12 bits in 13.6 us; 24 * 10 * 5/6 = 200.
        (Ru::Tones26, 0.882352, 14.705882),
        (Ru::Tones52, 1.764705, 29.411764),
        (Ru::Tones106, 3.75, 62.5),
        (Ru::Tones242, 8.602941, 143.382352),
        (Ru::Tones484, 17.205882, 286.764705),
        (Ru::Tones996, 36.029411, 600.441176),
    ];
    for (ru, slowest, fastest) in table {
        let rate = |mcs| on(ru, mcs, 80, 800).rate().as_bps() as f64 / 1e6;
        assert!((rate(0) - slowest).abs() < 1e-5, "{ru} {}", rate(0));
        assert!((rate(11) - fastest).abs() < 1e-5, "{ru} {}", rate(11));
    }
}

#[test]
fn a_narrow_channel_has_no_wide_resource_unit() {
    let whole = Mode::he(5, 1, Width::Mhz20, Guard::Ns800).unwrap();
    let error = whole.on_ru(Ru::Tones484).unwrap_err();
    assert!(matches!(error, ModeError::NoSuchRu { .. }));
    let text = std::format!("{error}; {}", error.hint());
    assert_eq!(
        text,
        "a channel of 20 MHz has no resource unit of 484 tones; use 26, 52, 106 or 242 tones"
    );
}

/// Common field: 8 + 10 bits at 20 and 40 MHz, 16 + 1 + 10 at 80, 32 + 1 + 10 at 160; user fields: 52
/// bits for two, 31 for one.
#[test]
fn sig_b_grows_with_users() {
    let symbols = |mhz, users, mcs| {
        let users = SigBUsers::even(Width::from_mhz(mhz).unwrap(), users);
        users.symbols(SigBMcs::new(mcs).unwrap())
    };
    // 18 + 4 * 52 + 31 = 257, / 26 -> 10; / 208 -> 2.
    assert_eq!((symbols(20, 9, 0), symbols(20, 9, 5)), (10, 2));
    // 18 + 52 = 70, / 26 -> 3.
    assert_eq!(symbols(20, 2, 0), 3);
    // Two channels with two users each: 27 + 52 = 79, / 26 -> 4.
    assert_eq!(symbols(80, 4, 0), 4);
    // 43 + 31 = 74, / 52 -> 2.
    assert_eq!(symbols(160, 2, 1), 2);
    assert_eq!(SigBMcs::new(6), None);
}

#[test]
fn preambles() {
    let width = Width::Mhz20;
    let users = SigBUsers::even(width, 9);
    // 36 - 4 (the HE-STF is counted) + 10 * 4 + 4 + 7.2.
    let mu = RULES.mu_preamble(users, SigBMcs::default(), 1, Guard::Ns800);
    assert_eq!(mu, us(32.0 + 40.0 + 4.0 + 7.2));
    // 32 + 8 + 8 with 1.6 us, + 16 with 3.2 us.
    assert_eq!(RULES.tb_preamble(1, Guard::Ns1600), us(48.0));
    assert_eq!(RULES.tb_preamble(1, Guard::Ns3200), us(56.0));
}

/// Nine users on 26 tones, MCS 7 (24 * 6 * 5/6 = 120 bits): the longest PSDU decides.
#[test]
fn all_users_last_as_long_as_the_longest() {
    let mode = on(Ru::Tones26, 7, 20, 1600);
    let mut users = std::vec![(mode, 100); 8];
    users.push((mode, 1500));
    let data = SharedData::of(&RULES, Band::Ghz5, &users).unwrap();
    // 16 + 12000 + 6 = 12022, / 120 = 100.2 -> 101 symbols of 14.4 us.
    assert_eq!((data.symbols(), data.duration()), (101, us(1454.4)));
    assert_eq!(SharedData::of(&RULES, Band::Ghz5, &[]), None);
    // The quarter of a symbol is 6 * 6 * 5/6 = 30 bits; 22 are in the last one: one quarter, 4 us.
    let rules = PpduRules {
        he_padding: HePadding::Us16,
        ..RULES
    };
    let padded = SharedData::of(&rules, Band::Ghz5, &users).unwrap();
    assert_eq!(padded.duration(), us(1454.4 + 4.0));
    let full = SharedData::full(&rules, Band::Ghz2_4, mode, 101);
    assert_eq!(full.duration(), us(1454.4 + 16.0 + 6.0));
    let timing = phy(Band::Ghz5).timing(mode);
    // 101 * 120 - 22 = 12098, / 8.
    assert_eq!(timing.bytes_in(101), 1512);
}

/// Eq. 1 of the paper on BBR over Wi-Fi 6: nine stations on 26 tones of 20 MHz at 5 GHz, MCS 5 (24 * 6 *
/// 2/3 = 96 bits), 1.6 us; control frames at 24 Mbit/s (96 bits in 4 us); 1500 B each.
#[test]
fn a_trigger_cycle_is_the_sum_of_its_frames() {
    let phy = phy(Band::Ghz5);
    let (control, mode) = (legacy(24.0), on(Ru::Tones26, 5, 20, 1600));
    let tb = |bytes| {
        let data = SharedData::of(&RULES, Band::Ghz5, &[(mode, bytes)]).unwrap();
        RULES.tb_preamble(1, Guard::Ns1600) + data.duration()
    };
    let cycle = TriggerCycle {
        poll: phy.duration(control, trigger(TriggerKind::BufferStatus, 9, 0)),
        reports: tb(BUFFER_STATUS),
        trigger: phy.duration(control, trigger(TriggerKind::Basic, 9, 0)),
        data: tb(1500),
        answer: phy.duration(control, multi_station_block_ack(9, 64)),
    };
    // 73 B: 606 bits -> 7 symbols; 20 + 28.
    assert_eq!(cycle.poll, us(48.0));
    // 38 B: 326 bits -> 4 symbols; 48 + 57.6.
    assert_eq!(cycle.reports, us(105.6));
    // 82 B: 678 bits -> 8 symbols; 20 + 32.
    assert_eq!(cycle.trigger, us(52.0));
    // 12022 bits -> 126 symbols; 48 + 1814.4.
    assert_eq!(cycle.data, us(1862.4));
    // 130 B: 1062 bits -> 12 symbols; 20 + 48.
    assert_eq!(cycle.answer, us(68.0));
    // 2136 + 4 * 16.
    assert_eq!(cycle.duration(phy.sifs()), us(2200.0));
}
