//! Messages name what the user gave: the file or the argument, the key, the value, and a value that would be
//! right.

use super::wifi::STATIONS;
use super::{toml, toml_with};

/// Everything that is wrong with the stations after `lines` were added to their channel.
fn wrong(lines: &str) -> String {
    let text = STATIONS.replace("[wifi]\n", &format!("[wifi]\n{lines}\n"));
    match toml(&text) {
        Ok(_) => panic!("{lines} was accepted"),
        Err(e) => e.to_string(),
    }
}

/// The same after `set`.
fn set(set: &[(&str, &str)]) -> String {
    match toml_with(STATIONS, set) {
        Ok(_) => panic!("{set:?} was accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn lists_are_shown() {
    let at = "  in test.toml, line 13: wifi";
    for (lines, said) in [
        ("basic_rates = []", ".basic_rates = []\n"),
        (
            "basic_rates = ['7 Mbit/s']",
            ".basic_rates.0 = \"7 Mbit/s\"\n",
        ),
        ("hidden = [['sta0']]", ".hidden.0 = [\"sta0\"]\n"),
        (
            "hidden = [['sta0', 'sta0']]",
            ".hidden.0 = [\"sta0\", \"sta0\"]\n",
        ),
        ("space.place.sta0 = [1]", ".space.place.sta0 = [1]\n"),
        (
            "space.place.sta0 = [nan, 1e300]",
            ".space.place.sta0 = [nan, 1e300]\n",
        ),
        (
            "space.place.sta0 = { position = [0, 0], velocity = [1e300, 0] }",
            ".space.place.sta0.velocity = [1e300, 0]\n",
        ),
        ("mcs = { a = 7 }", ".mcs = { a = 7 }\n"),
    ] {
        let text = wrong(lines);
        assert!(text.contains(&format!("{at}{said}  help: ")), "{text}");
    }
}

#[test]
fn sections_are_not_shown() {
    let text = wrong(
        "space.shadowing_db = 3\nspace.path_loss = 'tgn'\nspace.place.sta1 = [1000, 2000, 3000]",
    );
    assert!(text.contains("line 13: wifi.space\n  help: "), "{text}");
}

#[test]
fn large_numbers_are_shown_short() {
    for lines in [
        "space.ring = 1e300",
        "space.place.sta0 = [1e300, 0]",
        "space.place.sta0 = { position = [1, 2], velocity = [1e300, 0] }",
        "space = { ring = 1, shadowing_db = 1e300 }",
        "rate = 1e300",
        "bit_error_rate = 1e300",
        "lifetime = 1e300",
        "mcs = 1e300",
        "edca = { cw_min = 1e300 }",
        "station.sta0.down.ack_filter = { name = 'aggregate', timeout = 1e300 }",
    ] {
        let text = wrong(lines);
        assert!(text.contains("1e300"), "{text}");
        assert!(!text.contains("00000000"), "{text}");
    }
}

#[test]
fn what_a_key_from_outside_makes_is_blamed_on_it() {
    assert_eq!(
        set(&[("wifi.station.sta7.mcs", "3")]),
        "error: `sta7` is no station of this channel\n  \
           in --set: wifi.station.sta7 = { mcs = 3 }\n  \
           help: its stations are `sta0`, `sta1`, `sta2`"
    );
    assert_eq!(
        set(&[("wifi.station.sta1.mcs", "99")]),
        "error: HT has no MCS 99\n  in --set: wifi.station.sta1.mcs = 99\n  help: use 0 to 31"
    );
}

#[test]
fn a_value_of_the_file_that_one_from_outside_makes_wrong_is_told_why() {
    let both = [("wifi.block_ack_window", "4"), ("duration", "3 s")];
    assert_eq!(
        set(&both),
        "error: a block ack window of 4 MPDUs of 2334 B at most does not hold this A-MPDU\n  \
           in test.toml, line 14: wifi.ampdu = \"16 KiB\"\n  \
           because of --set: wifi.block_ack_window = 4\n  \
           help: write \"9360 B\" at most, a larger block_ack_window, or an amsdu"
    );
    // A value that is wrong anyway is not.
    let text = STATIONS.replace("[wifi]\n", "[wifi]\nmcs = 99\n");
    let told = toml_with(&text, &[("wifi.block_ack_window", "4")]).unwrap_err();
    let because: Vec<_> = told
        .iter()
        .map(|d| (d.key.as_str(), d.because.len()))
        .collect();
    assert_eq!(because, [("wifi.mcs", 0), ("wifi.ampdu", 1)]);
}

#[test]
fn what_should_be_a_list_is_told_what_is_in_it() {
    let help = |lines: &str| {
        let text = wrong(lines);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
        text.split_once("  help: ").unwrap().1.to_string()
    };
    let metres = "write x, y and perhaps z in metres: [10, 0]";
    assert_eq!(
        help("space.ring = 1\nspace.place.sta0 = { position = 5 }"),
        metres
    );
    assert_eq!(
        help(
            "space.ring = 1\nspace.place.sta0 = { waypoints = [{ at = '1 s', position = '5 m' }] }"
        ),
        metres
    );
    assert_eq!(
        help("space.ring = 1\nspace.place.sta0 = { position = [5, 0], velocity = 3 }"),
        "write metres per second along x, y and perhaps z: [1.5, 0]"
    );
    assert_eq!(
        help("space.ring = 1\nspace.place.sta0 = { waypoints = 3 }"),
        "write places with their times: [{ at = \"0 s\", position = [10, 0] }, ...]"
    );
    assert_eq!(
        help("basic_rates = '6 Mbit/s'"),
        "write a list of rates: [\"6 Mbit/s\", \"12 Mbit/s\"]"
    );
    assert_eq!(
        help("hidden = true"),
        "write a list of pairs of stations: [[\"laptop\", \"phone\"]]"
    );
    assert_eq!(
        help("hidden = ['sta0', 'sta1']"),
        "write a pair of stations: [\"laptop\", \"phone\"]"
    );
}

/// Whoever wrote a place, or how all stand, and wrote it wrong, is not told that there is none.
#[test]
fn a_bad_place_is_the_only_mistake() {
    for lines in [
        "space.place = { sta0 = 5, sta1 = [1, 1], sta2 = [2, 2] }",
        "space.place = { sta0 = ['a', 0], sta1 = [1, 1], sta2 = [2, 2] }",
        "space.place = { sta0 = { position = 5 }, sta1 = [1, 1], sta2 = [2, 2] }",
        "space.place = { stO = [0, 0], sta1 = [1, 1], sta2 = [2, 2] }",
        "space.place = 5",
        "space.ring = '5 m'",
        "space.rign = 5",
    ] {
        let text = wrong(lines);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
        assert!(!text.contains("nowhere"), "{text}");
    }
    let text = wrong("space.place = { sta0 = 5, sta1 = [1, 1] }");
    assert!(text.contains("`sta2` has no position"), "{text}");
}

#[test]
fn who_forgot_the_preset_is_told_of_it() {
    let told = |text: &str| {
        let text = format!("duration = '1 s'\n{text}\n[[flow]]\nfrom = 'x'\nto = 'y'\n");
        let all = toml(&text).unwrap_err();
        let one = |d: &crate::scenario::Diagnostic| {
            format!("{}|{}", d.key, d.hint.clone().unwrap_or_default())
        };
        all.iter().map(one).collect::<Vec<_>>().join("\n")
    };
    let text = told("[wifi]\nap = 'ap'\nstations = ['sta0']");
    assert!(
        text.contains(
            "wifi.ap|write it: [[node]] name = \"ap\"; [topology] preset = \"wlan\" has `ap`"
        ),
        "{text}"
    );
    assert!(
        text.contains("wifi.stations.0|write it: [[node]] name = \"sta0\"; [topology] preset"),
        "{text}"
    );
    assert_eq!(
        told("[topology]\nstations = 3"),
        "topology.preset|write \"wlan\""
    );
    assert!(told("[wifi]").contains("[topology] preset = \"wlan\""));
    assert!(told("stations = 3").contains(
        "stations|`stations` belongs in [topology], which needs a `preset`, or in [wifi]"
    ));
    assert!(told("[topology]\nap = 'x'").contains("topology.ap|`ap` belongs in [wifi]"));
}

/// A key that is missing because the preset is wrong gets no message of its own.
#[test]
fn a_bad_preset_is_the_only_mistake() {
    let own = [
        ("wifi.hidden", "[['sta0', 'sta2']]"),
        ("wifi.station.sta2.mcs", "3"),
        ("wifi.space", "{ ring = 3, place = { sta2 = [1, 1] } }"),
        ("flow.0.from", "sta2"),
        ("flow.0.to", "server"),
        ("flow.0.count", "1"),
    ];
    assert!(toml_with(STATIONS, &own).is_ok());
    for (key, value) in [
        ("topology.stations", "0"),
        ("topology.stations", "3.5"),
        ("topology.preset", "wlam"),
        ("topology", "5"),
    ] {
        let mut all = own.to_vec();
        all.push((key, value));
        let text = set(&all);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
        assert!(text.contains(&format!("in --set: {key} = ")), "{text}");
    }
}

#[test]
fn whole_numbers_are_told_from_others() {
    let told = |value: &str| set(&[("wifi.mcs", value)]);
    assert!(told("7.0").contains("7.0 has a point\n"), "{}", told("7.0"));
    assert!(told("7.0").ends_with("help: write 7"));
    for none in ["7.5", "nan", "inf"] {
        assert!(told(none).contains(&format!("error: {none} is not a whole number\n")));
    }
    for large in ["99999999999999999999", "1e300", &"9".repeat(400)] {
        let text = told(large);
        assert!(text.contains("the number is too large\n"), "{text}");
    }
    assert!(told("300").contains("HT has no such MCS\n"));
    let streams = |value: &str| set(&[("wifi.streams", value)]);
    for none in ["300", "-3", "0"] {
        assert!(streams(none).contains("HT has no such number of streams\n"));
    }
    assert!(streams("5").contains("HT does not have 5 streams\n"));
}

#[test]
fn what_fills_a_screen_is_cut() {
    let long = "q".repeat(5000);
    let rate = format!("{} Mbit/s", "7".repeat(5000));
    for (key, value) in [
        ("flow.0.cc", long.as_str()),
        ("wifi.rate", rate.as_str()),
        (long.as_str(), "5"),
        ("wifi..mcs", long.as_str()),
    ] {
        let text = set(&[(key, value)]);
        assert!(text.len() < 2500 && text.contains('…'), "{text}");
    }
}

#[test]
fn whoever_writes_a_word_is_told_the_words() {
    let told = wrong("amsdu = 'yes'");
    assert!(told.contains("such as \"64 KiB\", or \"off\""), "{told}");
    // A message about a bare number names its unit.
    let told = wrong("amsdu = '80'");
    assert!(!told.contains("off"), "{told}");
}
