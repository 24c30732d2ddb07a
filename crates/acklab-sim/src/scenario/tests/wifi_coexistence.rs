//! Preambles, slots and protection: what is written for the sake of 802.11b.

use super::wifi::STATIONS;
use super::wifi_errors::told_all;
use super::{toml, toml_with};
use acklab_path::wifi::phy::{Mode, Phy};
use acklab_units::{Rate, Span};

const OFF: (&str, &str) = ("wifi.ampdu", "off");
const G: (&str, &str) = ("wifi.standard", "g");
const CTS: (&str, &str) = ("wifi.protection", "cts-to-self");

/// The physical layer, and what is written again reads the same.
fn phy(set: &[(&str, &str)]) -> (Phy, String) {
    let loaded = toml_with(STATIONS, set).unwrap_or_else(|e| panic!("{e}"));
    let again = toml(&loaded.resolved).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.resolved, loaded.resolved);
    (loaded.plan.media[0].config.phy, loaded.resolved)
}

fn legacy(mbit: u64) -> Mode {
    Mode::legacy(Rate::from_bps(mbit * 1_000_000)).unwrap()
}

#[test]
fn nothing_is_written_of_what_is_usual() {
    let all = ["preamble", "slot_time", "protection"];
    let long = ("wifi.preamble", "long");
    let nine = ("wifi.slot_time", "9 us");
    let none = ("wifi.protection", "none");
    for set in [&[G, OFF][..], &[G, OFF, long, nine, none]] {
        let (phy, resolved) = phy(set);
        assert!(all.iter().all(|key| !resolved.contains(key)), "{resolved}");
        assert_eq!(phy.slot(), Span::from_micros(9));
        assert_eq!(phy.protection_of(legacy(54)), None);
        assert_eq!(phy.admit(legacy(11)), Ok(legacy(11)));
    }
}

#[test]
fn a_mixed_network_has_long_slots_and_protection() {
    let long = ("wifi.slot_time", "20 us");
    let (phy1, resolved) = phy(&[G, OFF, CTS, long]);
    assert!(resolved.contains("slot_time = \"20 us\""), "{resolved}");
    assert!(resolved.contains("protection_rate = \"11 Mbit/s\""));
    assert_eq!(phy1.slot(), Span::from_micros(20));
    assert_eq!(phy1.protection_of(legacy(54)), Some(legacy(11)));
    // The fastest basic rate that 802.11b has, or what is written.
    let basic = ("wifi.basic_rates", "['1 Mbit/s', '2 Mbit/s', '6 Mbit/s']");
    assert_eq!(
        phy(&[G, OFF, CTS, basic]).0.protection_of(legacy(54)),
        Some(legacy(2))
    );
    let one = ("wifi.protection_rate", "1 Mbit/s");
    assert_eq!(
        phy(&[G, OFF, CTS, one]).0.protection_of(legacy(6)),
        Some(legacy(1))
    );
}

#[test]
fn preambles_are_short_where_there_are_short_ones() {
    let short = ("wifi.preamble", "short");
    let b = ("wifi.standard", "b");
    let eleven = legacy(11).with_short_preamble().unwrap();
    let loaded = toml_with(STATIONS, &[b, OFF, short]).unwrap();
    let channel = &loaded.plan.media[0].config;
    let mode = |i: usize| format!("{:?}", channel.ports[i].rate);
    assert_eq!(mode(0), format!("Fixed({eleven:?})"));
    // One megabit has the long one only, in data, control responses and protection.
    let (b, resolved) = phy(&[b, OFF, short, ("wifi.control_rate", "1 Mbit/s")]);
    assert!(resolved.contains("preamble = \"short\""));
    assert_eq!(b.response_mode(eleven), legacy(1));
    let (g, _) = phy(&[G, OFF, CTS, short]);
    assert_eq!(g.protection_of(legacy(54)), Some(eleven));
    assert_eq!(g.rts_mode(legacy(54)), eleven);
    // Every mode that a rate control may choose.
    let minstrel = ("wifi.rate_control", "minstrel");
    let loaded = toml_with(STATIONS, &[("wifi.standard", "b"), OFF, short, minstrel]).unwrap();
    let rate = format!("{:?}", loaded.plan.media[0].config.ports[0].rate);
    assert_eq!(rate.matches("short_preamble: true").count(), 3, "{rate}");
}

#[test]
fn what_cannot_be_is_told_with_what_can() {
    for (set, expected) in [
        (
            &[("wifi.preamble", "short")][..],
            "wifi.preamble: nothing at 5 GHz has the preambles of 802.11b|leave it out",
        ),
        (
            &[("wifi.slot_time", "20 us")],
            "wifi.slot_time: 802.11n has no slots of 20 us at 5 GHz|write \"9 us\", or leave it out",
        ),
        (
            &[("wifi.standard", "b"), OFF, ("wifi.slot_time", "9 us")],
            "wifi.slot_time: 802.11b has no slots of 9 us at 2.4 GHz|\
             write \"20 us\", or leave it out",
        ),
        (
            &[G, OFF, ("wifi.slot_time", "10 us")],
            "wifi.slot_time: 802.11g has no slots of 10 us at 2.4 GHz|\
             write \"9 us\" or \"20 us\", or leave it out",
        ),
        (
            &[CTS],
            "wifi.protection: 802.11b is not at 5 GHz: there are no stations of 802.11b to protect from|leave it out",
        ),
        (
            &[("wifi.standard", "b"), OFF, CTS],
            "wifi.protection: 802.11b needs no protection from itself|\
             leave it out, or choose standard = \"g\" or \"n\"",
        ),
        (
            &[G, OFF, CTS, ("wifi.protection_rate", "6 Mbit/s")],
            "wifi.protection_rate: 802.11b cannot read 6 Mbit/s|write 1, 2, 5.5 or 11 Mbit/s",
        ),
        (
            &[G, OFF, ("wifi.protection_rate", "11 Mbit/s")],
            "wifi.protection_rate: nothing is protected|\
             write protection = \"cts-to-self\", or leave the rate out",
        ),
        (
            &[G, OFF, CTS, ("wifi.basic_rates", "['6 Mbit/s']")],
            "wifi.protection: no basic rate is one that 802.11b can read|\
             add \"1 Mbit/s\" to basic_rates, or write a protection_rate",
        ),
    ] {
        assert_eq!(told_all(set), expected);
    }
}
