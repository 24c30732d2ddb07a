//! Properties of every mode, size and rule.

use super::{Guard, Mode, PhyConfig, PpduRules, Width};
use crate::wifi::phy::{Band, Format, HeCoding, HeLtf, HePadding, Phy, ShortGi};
use acklab_units::Span;
use proptest::prelude::*;
use std::vec::Vec;

const WIDTHS: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
const GUARDS: [Guard; 4] = [Guard::Ns400, Guard::Ns800, Guard::Ns1600, Guard::Ns3200];

/// Every mode that there is.
fn all_modes() -> Vec<Mode> {
    let mut modes: Vec<_> = (0..12).map(Mode::nth_legacy).collect();
    let short: Vec<_> = modes.iter().map(|m| m.with_short_preamble()).collect();
    modes.extend(
        short
            .into_iter()
            .flatten()
            .filter(|m| m.has_short_preamble()),
    );
    for (width, guard) in WIDTHS.iter().flat_map(|w| GUARDS.map(|g| (*w, g))) {
        modes.extend((0..32).filter_map(|mcs| Mode::ht(mcs, width, guard).ok()));
        for (streams, mcs) in (1..=8).flat_map(|s| (0..12).map(move |m| (s, m))) {
            modes.extend(Mode::vht(mcs, streams, width, guard));
            modes.extend(Mode::he(mcs, streams, width, guard));
        }
    }
    modes
}

fn rules() -> impl Strategy<Value = PpduRules> {
    let ltf = [HeLtf::Usual, HeLtf::Shortest, HeLtf::Longest];
    let padding = [HePadding::None, HePadding::Us8, HePadding::Us16];
    (0..3usize, 0..3usize, any::<[bool; 3]>()).prop_map(move |(l, p, [exact, sig_b, bcc])| {
        PpduRules {
            short_gi: [ShortGi::WholeLongSymbols, ShortGi::Exact][usize::from(exact)],
            vht_sig_b: sig_b,
            he_ltf: ltf[l],
            he_coding: [HeCoding::AsWidthAndRateDemand, HeCoding::Convolutional][usize::from(bcc)],
            he_padding: padding[p],
        }
    })
}

fn any_mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(all_modes())
}

fn any_phy() -> impl Strategy<Value = Phy> {
    let band = prop::sample::select(Vec::from([Band::Ghz2_4, Band::Ghz5, Band::Ghz6]));
    (band, rules()).prop_map(|(band, rules)| {
        let config = PhyConfig::new(band);
        Phy::new(&PhyConfig { rules, ..config }).unwrap()
    })
}

#[test]
fn there_are_as_many_modes_as_the_standard_has() {
    let count = |format| all_modes().iter().filter(|m| m.format() == format).count();
    // Long and short preamble, but for 1 Mbit/s.
    assert_eq!(count(Format::Dsss) + count(Format::HrDsss), 7);
    assert_eq!(count(Format::Ofdm), 8);
    // 32 MCS, 2 widths, 2 guard intervals.
    assert_eq!(count(Format::Ht), 128);
    // 10 MCS, 8 streams, 4 widths, 2 guard intervals, without six at 20, three at 80, one at 160
    // MHz.
    assert_eq!(count(Format::Vht), (320 - 6 - 3 - 1) * 2);
    // 12 MCS, 8 streams, 4 widths, 3 guard intervals.
    assert_eq!(count(Format::He), 1152);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_longer_psdu_is_never_shorter_in_the_air(
        phy in any_phy(), mode in any_mode(), bytes in 0u32..7_000_000,
    ) {
        prop_assert!(phy.duration(mode, bytes) <= phy.duration(mode, bytes + 1));
    }

    #[test]
    fn max_psdu_is_the_inverse_of_duration(
        phy in any_phy(), mode in any_mode(), us in 0u64..6_000, ns in 0u64..1_000,
    ) {
        let limit = Span::from_nanos(us * 1_000 + ns);
        let limit = phy.max_time(mode).map_or(limit, |most| limit.min(most));
        let bytes = phy.max_psdu(mode, limit);
        if bytes > 0 {
            prop_assert!(phy.duration(mode, bytes) <= limit);
        }
        if bytes < mode.format().max_psdu() {
            prop_assert!(phy.duration(mode, bytes + 1) > limit, "{} B", bytes);
        }
    }

    #[test]
    fn a_psdu_never_goes_faster_than_its_rate(
        phy in any_phy(), mode in any_mode(), bytes in 1u32..60_000,
    ) {
        let data = phy.duration(mode, bytes) - phy.preamble(mode);
        let rounded_down = mode.rate().as_bps() + 1;
        prop_assert!(acklab_units::Rate::from_bps(rounded_down).bytes_in(data) >= u64::from(bytes));
    }

    #[test]
    fn responses_are_legacy_and_not_faster_than_the_frame(phy in any_phy(), mode in any_mode()) {
        if phy.admit(mode).is_err() {
            return Ok(());
        }
        let answer = phy.response_mode(mode);
        prop_assert!(answer.format().is_legacy() && phy.admit(answer).is_ok());
        prop_assert!(answer.rate() <= mode.rate());
    }
}
