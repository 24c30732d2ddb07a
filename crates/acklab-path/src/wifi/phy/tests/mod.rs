//! The physical layer against the standard, by hand.

mod exchanges;
mod he;
mod ht;
mod legacy;
mod multi_user;
mod ns3;
mod properties;
mod published;
mod rates;
mod vht;

use super::{Band, BasicRates, Guard, Mode, Phy, PhyConfig, PpduRules, Width};
use acklab_units::{Rate, Span};

/// Microseconds, with a tenth.
fn us(us: f64) -> Span {
    Span::from_secs_f64(us / 1e6)
}

/// A rate of 802.11b, a or g in Mbit/s.
fn legacy(mbit: f64) -> Mode {
    Mode::legacy(Rate::from_bps((mbit * 1e6) as u64)).unwrap()
}

/// The same with the short preamble.
fn short(mbit: f64) -> Mode {
    legacy(mbit).with_short_preamble().unwrap()
}

fn phy(band: Band) -> Phy {
    Phy::new(&PhyConfig::new(band)).unwrap()
}

fn with_rules(rules: PpduRules) -> Phy {
    let config = PhyConfig::new(Band::Ghz5);
    Phy::new(&PhyConfig { rules, ..config }).unwrap()
}

/// Holds each PPDU of (mode, bytes, microseconds) to its length.
#[track_caller]
fn check(phy: &Phy, table: &[(Mode, u32, f64)]) {
    for (mode, bytes, expected) in table {
        let found = phy.duration(*mode, *bytes);
        assert_eq!(found, us(*expected), "{mode}, {bytes} B");
    }
}
