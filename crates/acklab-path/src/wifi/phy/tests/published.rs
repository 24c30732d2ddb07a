//! Transactions per second that others computed: M. Gast, "When Is 54 Not Equal to 54? A Look at 802.11a,
//! b, and g Throughput" (O'Reilly Network, 2003). A TCP segment of 1460 bytes and an ACK of 40, each
//! with 8 bytes of LLC and 28 of MAC, go one after the other without backoff. MAC ACKs are as fast as
//! data.

use super::{Band, Mode, Phy, PhyConfig, legacy};
use acklab_units::Span;

const SEGMENT: u32 = 1460 + 40 + 8 + 28;
const ACK_SEGMENT: u32 = 40 + 8 + 28;
const MAC_ACK: u32 = 14;
const CTS: u32 = 14;
const RTS: u32 = 20;

/// Transactions per second, where `before` a frame goes what protects it.
fn transactions(phy: &Phy, mode: Mode, before: impl Fn(&Phy) -> Span) -> u64 {
    let answer = phy.sifs() + phy.duration(phy.response_mode(mode), MAC_ACK);
    let one = |psdu| phy.difs() + before(phy) + phy.duration(mode, psdu) + answer;
    1_000_000_000 / (one(SEGMENT) + one(ACK_SEGMENT)).as_nanos()
}

/// A channel with ACKs at `rate`.
fn channel(band: Band, rate: f64, short_slot: bool) -> Phy {
    let config = PhyConfig {
        short_slot,
        control: Some(legacy(rate)),
        protection: Some(legacy(11.0)).filter(|_| band == Band::Ghz2_4),
        ..PhyConfig::new(band)
    };
    Phy::new(&config).unwrap()
}

#[test]
fn transactions_of_802_11_b_a_and_g() {
    let nothing = |_: &Phy| Span::ZERO;
    let b = channel(Band::Ghz2_4, 11.0, false);
    assert_eq!(transactions(&b, legacy(11.0), nothing), 479);
    let g = channel(Band::Ghz2_4, 54.0, true);
    assert_eq!(transactions(&g, legacy(54.0), nothing), 2336);
    let a = channel(Band::Ghz5, 54.0, true);
    assert_eq!(transactions(&a, legacy(54.0), nothing), 2336);
}

#[test]
fn transactions_with_protection_in_a_network_with_stations_of_802_11_b() {
    let mixed = channel(Band::Ghz2_4, 54.0, false);
    let g = legacy(54.0);
    let cts = |phy: &Phy| phy.duration(phy.protection_of(g).unwrap(), CTS);
    let to_self = |phy: &Phy| cts(phy) + phy.sifs();
    assert_eq!(transactions(&mixed, g, to_self), 1113);
    let rts = |phy: &Phy| phy.duration(phy.rts_mode(g), RTS) + phy.sifs() + to_self(phy);
    assert_eq!(transactions(&mixed, g, rts), 750);
}
