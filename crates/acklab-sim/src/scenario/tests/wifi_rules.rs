//! Valid combinations on a radio channel, and warnings.

use super::wifi::STATIONS;
use super::wifi_errors::{told, told_all};
use super::{toml, toml_with};

/// Every pair of both: an error or a run in that band; without a band there is always one.
#[test]
fn standard_and_band_belong_together() {
    let with = |standard: &str, band: Option<&str>| {
        let mut set = vec![("wifi.standard", standard), ("wifi.ampdu", "off")];
        set.extend(band.map(|b| ("wifi.band", b)));
        toml_with(STATIONS, &set)
    };
    for (standard, own) in [
        ("b", &["2.4 GHz"][..]),
        ("g", &["2.4 GHz"]),
        ("a", &["5 GHz"]),
        ("n", &["5 GHz", "2.4 GHz"]),
        ("ac", &["5 GHz"]),
        ("ax", &["5 GHz", "2.4 GHz", "6 GHz"]),
    ] {
        let default = with(standard, None).unwrap_or_else(|e| panic!("{e}"));
        assert!(default.resolved.contains(&format!("band = \"{}\"", own[0])));
        for band in ["2.4 GHz", "5 GHz", "6 GHz"] {
            let error = with(standard, Some(band)).err().map(|e| e.to_string());
            assert_eq!(error.is_none(), own.contains(&band), "{standard} {band}");
            let told = format!("802.11{standard} is for ");
            assert!(error.is_none_or(|e| e.contains(&told) && e.contains("wifi.band = ")));
        }
    }
    assert_eq!(
        told_all(&[
            ("wifi.standard", "g"),
            ("wifi.band", "5 GHz"),
            ("wifi.ampdu", "off")
        ]),
        "wifi.band: 802.11g is for 2.4 GHz, not for 5 GHz|write \"2.4 GHz\", or leave it out; \
         at 5 GHz there are standard = \"a\", \"n\", \"ac\" and \"ax\""
    );
    assert_eq!(
        told("wifi.band", "6 GHz"),
        "wifi.band: 802.11n is for 5 GHz and 2.4 GHz, not for 6 GHz|\
         write \"5 GHz\" or \"2.4 GHz\", or leave it out; at 6 GHz there are standard = \"ax\""
    );
}

/// A station that takes 3839 B among others that take all: only what goes to it has to be shorter.
#[test]
fn an_amsdu_is_no_longer_than_its_receiver_takes() {
    let off = ("wifi.ampdu", "off");
    let sta1 = ("wifi.station.sta1.down.receiver_amsdu", "3839 B");
    assert_eq!(
        told_all(&[off, sta1, ("wifi.amsdu", "7935 B")]),
        "wifi.amsdu: the receiver takes A-MSDUs of 3839 B at most: \
         `wifi.station.sta1.down.receiver_amsdu`|\
         write \"3839 B\" at most, or what the receiver announces if it takes more"
    );
    let shorter = ("wifi.station.sta1.down.amsdu", "3839 B");
    for fine in [
        &[off, sta1, ("wifi.amsdu", "7935 B"), shorter][..],
        &[off, sta1, ("wifi.up.amsdu", "7935 B")],
        &[("wifi.receiver_amsdu", "3839 B"), ("wifi.amsdu", "3839 B")],
        &[("wifi.standard", "ac"), ("wifi.amsdu", "11454 B")],
    ] {
        let loaded = toml_with(STATIONS, fine).unwrap_or_else(|e| panic!("{e}"));
        let again = toml(&loaded.resolved).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.resolved, loaded.resolved);
    }
    let ac = ("wifi.standard", "ac");
    let receiver = ("wifi.receiver_amsdu", "3895 B");
    assert_eq!(
        told_all(&[ac, receiver, ("wifi.amsdu", "3866 B")]),
        "wifi.amsdu: the receiver takes A-MSDUs of 3865 B at most in an MPDU of 3895 B: \
         `wifi.receiver_amsdu`|write \"3865 B\" at most, or what the receiver announces if it takes more"
    );
    assert!(toml_with(STATIONS, &[ac, receiver, ("wifi.amsdu", "3865 B")]).is_ok());
    assert_eq!(
        told_all(&[receiver]),
        "wifi.receiver_amsdu: no 802.11n station can announce this|\
         write the longest A-MSDU that it takes: one of \"3839 B\", \"7935 B\""
    );
    assert_eq!(
        told_all(&[ac, ("wifi.receiver_amsdu", "3839 B")]),
        "wifi.receiver_amsdu: no 802.11ac station can announce this|\
         write the longest MPDU that it takes: one of \"3895 B\", \"7991 B\", \"11454 B\""
    );
    assert_eq!(
        told_all(&[
            ("wifi.standard", "g"),
            off,
            ("wifi.receiver_amsdu", "3839 B")
        ]),
        "wifi.receiver_amsdu: 802.11g has no aggregation|\
         leave it out, or choose standard = \"n\" or later"
    );
}

/// A negative value breaks the same rule as zero, with the same message.
#[test]
fn counts_below_zero_are_told_the_range_that_holds() {
    let dumbbell = "duration = '1 s'\n[topology]\npreset = 'wifi-dumbbell'\n[[flow]]\n";
    let lot = "duration = '1 s'\n[topology]\npreset = 'parking-lot'\n\
               [topology.bottleneck]\nrate = '1 Mbit/s'\ndelay = '1 ms'\n[[flow]]\n";
    for (text, keys) in [
        (dumbbell, &["topology.pairs"][..]),
        (lot, &["topology.hops"]),
        (
            STATIONS,
            &[
                "topology.stations",
                "flow.0.count",
                "tcp.segment",
                "tcp.initial_window",
                "tcp.pacing_ss_ratio",
                "tcp.pacing_ca_ratio",
                "wifi.streams",
                "wifi.block_ack_window",
                "wifi.retry_limit",
                "wifi.block_ack_retry_limit",
                "wifi.edca.aifsn",
                "wifi.edca.voice.aifsn",
                "wifi.hack.most",
            ],
        ),
    ] {
        for key in keys {
            let told = |value| match toml_with(text, &[(key, value)]) {
                Ok(_) => panic!("{key} = {value} was accepted"),
                Err(e) => e.to_string().replace(&format!("{key} = {value}"), key),
            };
            let zero = told("0");
            assert!(zero.contains(" 1"), "{key}: {zero}");
            assert_eq!(told("-1"), zero, "{key}");
        }
    }
    assert_eq!(
        told("topology.stations", "-1"),
        "topology.stations: out of range|write a number from 1 to 10000"
    );
    assert_eq!(
        told("topology.stations", "5000000000"),
        told("topology.stations", "0")
    );
    assert_eq!(
        told("wifi.edca.cw_min", "-1"),
        "wifi.edca.cw_min: out of range|write a power of two less one, 0 to 32767, such as 15"
    );
}

/// No window: the standard has 2^0 - 1.
#[test]
fn a_window_of_nothing_is_one_for_a_single_station() {
    let warned = |set: &[(&str, &str)]| {
        let loaded = toml_with(STATIONS, set).unwrap_or_else(|e| panic!("{e}"));
        let one = |d: &crate::scenario::Diagnostic| {
            format!(
                "{}: {}|{}",
                d.key,
                d.message,
                d.hint.clone().unwrap_or_default()
            )
        };
        loaded
            .warnings
            .iter()
            .map(one)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let hint = "leave it out for the standard's, such as 15; 0 goes for one station alone";
    assert_eq!(
        warned(&[("wifi.edca.cw_min", "0"), ("wifi.edca.cw_max", "0")]),
        format!(
            "wifi.edca.cw_min: 4 of 4 on the channel draw from a window of 0 (best-effort): those that \
             wait at the same time always collide, at each attempt, for `cw_max` is 0, too|{hint}"
        )
    );
    assert_eq!(
        warned(&[("wifi.up.edca.best-effort.cw_min", "0")]),
        format!(
            "wifi.up.edca.best-effort.cw_min: 3 of 4 on the channel draw from a window of 0 \
             (best-effort): those that wait at the same time always collide, at the first attempt|{hint}"
        )
    );
    for fine in [
        "wifi.down.edca.cw_min",
        "wifi.station.sta1.edca.cw_min",
        "wifi.edca.voice.cw_min",
    ] {
        assert_eq!(warned(&[(fine, "0")]), "", "{fine}");
    }
}

/// AIFSN of 1 is for access points (9.4.2.28).
#[test]
fn stations_that_wait_too_little_are_warned_of() {
    let warned = |key: &str| {
        let loaded = toml_with(STATIONS, &[(key, "1")]).unwrap_or_else(|e| panic!("{e}"));
        let aifsn = |m: &String| m.contains("`aifsn` of 1");
        let all = loaded.warnings.iter().map(|d| d.message.clone());
        all.filter(aifsn).collect::<Vec<_>>()
    };
    let of = |who| {
        [format!(
            "`{who}` has an `aifsn` of 1, which the standard leaves to access points"
        )]
    };
    assert_eq!(warned("wifi.edca.aifsn"), of("sta0"));
    assert_eq!(warned("wifi.station.sta1.edca.aifsn"), of("sta1"));
    assert_eq!(warned("wifi.down.edca.aifsn"), [""; 0]);
}
