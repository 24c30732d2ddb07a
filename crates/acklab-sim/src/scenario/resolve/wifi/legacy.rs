//! The rates of 802.11b, a and g: who has which of them, for data and for control responses.

use super::super::super::spec::Standard;
use super::channel::{bands, listed};
use acklab_path::wifi::phy::{Band, Mode};
use acklab_units::Rate;

/// In kbit/s, ascending (802.11-2020 tables 15-2, 16-2 and 17-4).
const RATES: [u64; 12] = [
    1_000, 2_000, 5_500, 6_000, 9_000, 11_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000,
];

/// The mistake, and a value that would be right.
pub(super) type Refusal = (String, String);

/// The mode of data at `rate`.
pub(super) fn data(standard: Standard, rate: Rate) -> Result<Mode, Refusal> {
    let band = bands(standard)[0];
    find(standard, band, rate).ok_or_else(|| {
        let message = format!("{} is no rate of 802.11{}", named(rate), standard.word());
        let others = Standard::ALL
            .iter()
            .filter(|s| s.format().is_legacy() && find(**s, bands(**s)[0], rate).is_some());
        let others: Vec<String> = others.map(|s| format!("\"{}\"", s.word())).collect();
        let or = match others.is_empty() {
            true => String::new(),
            false => format!(
                ", or choose standard = {}",
                listed(others.into_iter(), "or")
            ),
        };
        (message, format!("write {}{or}", known(standard, band)))
    })
}

/// The mode of `what`, a control frame, at `rate`.
pub(super) fn control(
    standard: Standard,
    band: Band,
    what: &str,
    rate: Rate,
) -> Result<Mode, Refusal> {
    find(standard, band, rate).ok_or_else(|| {
        let word = standard.word();
        let message = format!("802.11{word} has no {what} at {rate} at {band}");
        (message, format!("write {}", known(standard, band)))
    })
}

/// A rate in a sentence; nothing and everything are none.
pub(super) fn named(rate: Rate) -> String {
    match rate.as_bps() == 0 || rate.is_unlimited() {
        true => "this".to_string(),
        false => rate.to_string(),
    }
}

/// "1, 2, 5.5 or 11 Mbit/s".
pub(super) fn known(standard: Standard, band: Band) -> String {
    let rates = modes(standard, band).map(|m| (m.rate().as_bps() as f64 / 1e6).to_string());
    format!("{} Mbit/s", listed(rates, "or"))
}

fn find(standard: Standard, band: Band, rate: Rate) -> Option<Mode> {
    modes(standard, band).find(|m| m.rate() == rate)
}

/// Those of `band`; 802.11b is older than OFDM at 2.4 GHz.
pub(super) fn modes(standard: Standard, band: Band) -> impl Iterator<Item = Mode> {
    let all = RATES
        .iter()
        .filter_map(|r| Mode::legacy(Rate::from_bps(r * 1000)).ok());
    all.filter(move |m| band.has(*m) && (standard != Standard::B || m.format().is_dsss()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_standard_offers_what_it_has() {
        let of = |standard: Standard| known(standard, bands(standard)[0]);
        let ofdm = "6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s";
        assert_eq!(of(Standard::B), "1, 2, 5.5 or 11 Mbit/s");
        assert_eq!(of(Standard::A), ofdm);
        assert_eq!(of(Standard::Ax), ofdm);
        assert_eq!(
            of(Standard::G),
            "1, 2, 5.5, 6, 9, 11, 12, 18, 24, 36, 48 or 54 Mbit/s"
        );
        assert_eq!(known(Standard::Ax, Band::Ghz6), ofdm);
    }

    #[test]
    fn a_rate_of_another_standard_is_told_whose() {
        let hint = |standard, mbit: u64| {
            data(standard, Rate::from_bps(mbit * 1_000_000))
                .unwrap_err()
                .1
        };
        assert!(hint(Standard::B, 54).ends_with("or choose standard = \"g\" or \"a\""));
        assert!(hint(Standard::A, 11).ends_with("or choose standard = \"b\" or \"g\""));
        assert_eq!(hint(Standard::B, 22), "write 1, 2, 5.5 or 11 Mbit/s");
    }
}
