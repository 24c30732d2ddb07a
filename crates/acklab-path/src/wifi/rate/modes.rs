//! The modes to choose from.

use crate::wifi::phy::{Format, Guard, Mode, Width};
use acklab_units::Rate;
use alloc::vec::Vec;

/// Rates of 802.11b and of a and g in units of 100 kbit/s.
const DSSS: [u64; 4] = [10, 20, 55, 110];
const OFDM: [u64; 8] = [60, 90, 120, 180, 240, 360, 480, 540];

/// All modes of `format` over `width` with up to `streams` streams and these guard intervals, in
/// order of streams, guard interval as given, and MCS. Formats without MCS have neither width,
/// streams nor guard interval to choose; DSSS and HR/DSSS go together. Empty if the format has none
/// of these.
pub fn modes(format: Format, streams: u8, width: Width, guards: &[Guard]) -> Vec<Mode> {
    match format {
        Format::Dsss | Format::HrDsss => return legacy(&DSSS),
        Format::Ofdm => return legacy(&OFDM),
        Format::Ht | Format::Vht | Format::He => {}
    }
    let mut modes = Vec::new();
    for (streams, guard) in (1..=streams).flat_map(|s| guards.iter().map(move |g| (s, *g))) {
        modes.extend((0..=format.highest_mcs()).filter_map(|mcs| match format {
            Format::Ht => Mode::ht(mcs + 8 * (streams - 1), width, guard).ok(),
            Format::Vht => Mode::vht(mcs, streams, width, guard).ok(),
            _ => Mode::he(mcs, streams, width, guard).ok(),
        }));
    }
    modes
}

fn legacy(hundred_kbit: &[u64]) -> Vec<Mode> {
    hundred_kbit
        .iter()
        .filter_map(|r| Mode::legacy(Rate::from_bps(r * 100_000)).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_of_a_station_is_there_once() {
        let both = [Guard::Ns800, Guard::Ns400];
        assert_eq!(modes(Format::Ht, 2, Width::Mhz40, &both).len(), 32);
        // MCS 9 is left out with one and two streams.
        assert_eq!(modes(Format::Vht, 3, Width::Mhz20, &both[..1]).len(), 28);
        assert_eq!(modes(Format::He, 1, Width::Mhz160, &both[..1]).len(), 12);
        assert_eq!(modes(Format::Ofdm, 1, Width::Mhz20, &[]).len(), 8);
        assert_eq!(modes(Format::HrDsss, 1, Width::Mhz20, &[]).len(), 4);
        assert!(modes(Format::Ht, 1, Width::Mhz80, &both).is_empty());
        assert!(modes(Format::Ht, 9, Width::Mhz20, &both).len() == 64);
    }
}
