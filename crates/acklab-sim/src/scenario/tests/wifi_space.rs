//! Stations in space: the results of their places, and messages on mistakes.

use super::wifi::{STATIONS, medium, port, reloads};
use super::wifi_errors::{told, told_all};
use super::{good, toml, toml_with};
use acklab_path::wifi::medium::{Capture, RadioConfig};
use acklab_path::wifi::phy::ErrorModel;
use acklab_path::wifi::propagation::{Fading, Motion, PathLoss, Position, Radio, Tgn};
use acklab_units::{Instant, Span};

fn space(text: &str) -> String {
    format!("{STATIONS}\n[wifi.space]\n{text}\n")
}

fn radios(text: &str) -> RadioConfig {
    let scenario = good(text);
    reloads(&scenario);
    let medium = scenario.plan.media.into_iter().next().expect("a channel");
    medium.config.radio.expect("stations in space")
}

fn at(x: f64, y: f64, z: f64) -> Position {
    Position::new(x, y, z).unwrap()
}

fn places(radio: &RadioConfig) -> Vec<[f64; 3]> {
    let place = |(m, _): &(Motion, Radio)| m.at(Instant::ZERO).xyz();
    radio.stations.iter().map(place).collect()
}

#[test]
fn a_channel_in_space_is_that_of_ns3_unless_told_otherwise() {
    let text = space("line = 5");
    let radio = radios(&text);
    let x = places(&radio).iter().map(|p| p[0]).collect::<Vec<_>>();
    assert_eq!(x, [0.0, 5.0, 10.0, 15.0]);
    assert_eq!(radio.channel.path_loss, PathLoss::NS3);
    assert_eq!(radio.channel.fading, Fading::None);
    assert_eq!(
        (radio.channel.frequency_hz, radio.channel.shadowing_db),
        (5.18e9, 0.0)
    );
    assert_eq!(radio.capture, None);
    assert!(radio.stations.iter().all(|s| s.1 == Radio::default()));
    let plan = good(&text).plan;
    assert_eq!(port(&plan, "sta0->ap").errors, ErrorModel::Snr);
    assert!(plan.media[0].config.hears.is_none());
}

/// Three stations at 0, 120 and 240 degrees.
#[test]
fn a_ring_is_around_the_access_point() {
    let radio = radios(&space(
        "ring = 10\nplace = { ap = [100, 0, 3], sta2 = [1, 2] }",
    ));
    let found = places(&radio);
    assert_eq!(found[0], [100.0, 0.0, 3.0]);
    assert_eq!(found[1], [110.0, 0.0, 3.0]);
    assert!((found[2][0] - 95.0).abs() < 1e-9 && (found[2][1] - 75f64.sqrt()).abs() < 1e-9);
    assert_eq!(found[3], [1.0, 2.0, 0.0]);
}

#[test]
fn stations_move() {
    let radio = radios(&space(
        "line = 5\n[wifi.space.place]\nsta0 = { velocity = [1.5, -1], start = '2 s' }\n\
         sta1 = { position = [7, 8] }\n\
         sta2 = { waypoints = [{ at = '1 s', position = [1, 0] }, { at = '3 s', position = [5, 4] }] }",
    ));
    let motion = |i: usize| &radio.stations[i].0;
    let start = Instant::ZERO + Span::from_secs(2);
    let (from, velocity) = (at(5.0, 0.0, 0.0), [1.5, -1.0, 0.0]);
    assert_eq!(
        motion(1),
        &Motion::Straight {
            from,
            velocity,
            start
        }
    );
    assert_eq!(motion(2), &Motion::Still(at(7.0, 8.0, 0.0)));
    let half = Instant::ZERO + Span::from_secs(2);
    assert_eq!(motion(3).at(half), at(3.0, 2.0, 0.0));
}

#[test]
fn every_key_of_space_reaches_the_plan() {
    let text = "ring = 1\npath_loss = { name = 'tgn', environment = 'B' }\nfrequency_mhz = 5500\n\
        shadowing_db = 4\nfading = { name = 'nakagami', m = 2, coherence = '5 ms' }\ncapture_db = 10\n\
        [wifi.radio]\npower_dbm = 20\nantenna_db = 3\n\
        [wifi.down.radio]\npower_dbm = 23\nnoise_figure_db = 5\n\
        [wifi.station.sta1.radio]\ncarrier_sense_dbm = -90";
    let radio = radios(&space(text));
    let channel = radio.channel;
    assert_eq!(channel.path_loss, PathLoss::Tgn(Tgn::B));
    assert_eq!((channel.frequency_hz, channel.shadowing_db), (5.5e9, 4.0));
    let coherence = Span::from_millis(5);
    assert_eq!(channel.fading, Fading::Nakagami { m: 2.0, coherence });
    assert_eq!(radio.capture, Some(Capture::Ratio(10.0)));
    let usual = Radio {
        power_dbm: 20.0,
        antenna_db: 3.0,
        ..Radio::default()
    };
    let ap = Radio {
        power_dbm: 23.0,
        noise_figure_db: 5.0,
        ..usual
    };
    let sensitive = Radio {
        detects_dbm: -90.0,
        ..usual
    };
    let found: Vec<_> = radio.stations.iter().map(|s| s.1).collect();
    assert_eq!(found, [ap, usual, sensitive, usual]);
}

#[test]
fn overrides_place_stations() {
    let set = [
        ("wifi.space.ring", "8"),
        ("wifi.space.place.sta1", "[20, 1]"),
        ("wifi.space.place.sta2.velocity", "[1, 0]"),
        ("wifi.space.fading", "rayleigh"),
        ("wifi.space.path_loss.name", "friis"),
    ];
    let radio = medium(STATIONS, &set).config.radio.unwrap();
    assert_eq!(places(&radio)[2], [20.0, 1.0, 0.0]);
    assert!(!radio.stations[3].0.is_still());
    assert_eq!(radio.channel.path_loss, PathLoss::Friis);
}

/// `hidden` counts more than the places of stations, also an empty list.
#[test]
fn hidden_stations_are_those_that_are_written() {
    let hears = |set: &[(&str, &str)]| medium(&space("line = 30"), set).config.hears;
    assert_eq!(hears(&[]), None);
    let all = hears(&[("wifi.hidden", "[]")]).unwrap();
    assert!(all.iter().flatten().all(|h| *h));
    let one = hears(&[("wifi.hidden", "[['sta0', 'sta1']]")]).unwrap();
    assert!(!one[1][2] && !one[2][1] && one[1][3]);
    let text = space("line = 30").replace("[wifi]", "[wifi]\nhidden = []");
    let scenario = good(&text);
    reloads(&scenario);
    assert!(scenario.plan.media[0].config.hears.is_some());
}

#[test]
fn the_innermost_word_on_errors_counts() {
    let errors = |set: &[(&str, &str)]| {
        let mut set = set.to_vec();
        set.push(("wifi.space.ring", "3"));
        let plan = toml_with(STATIONS, &set).unwrap_or_else(|e| panic!("{e}"));
        reloads(&plan);
        ["sta0->ap", "ap->sta0", "sta1->ap"].map(|n| port(&plan.plan, n).errors)
    };
    use ErrorModel::{Ber, None, Snr};
    assert_eq!(errors(&[]), [Snr; 3]);
    assert_eq!(errors(&[("wifi.errors", "none")]), [None; 3]);
    assert_eq!(errors(&[("wifi.bit_error_rate", "0")]), [None; 3]);
    let set = [
        ("wifi.bit_error_rate", "1e-6"),
        ("wifi.down.errors", "snr"),
        ("wifi.station.sta1.errors", "none"),
    ];
    assert_eq!(errors(&set), [Ber(1e-6), Snr, None]);
}

#[test]
fn places_that_cannot_be_are_told() {
    let place =
        |value: &str| told_all(&[("wifi.space.ring", "3"), ("wifi.space.place.sta1", value)]);
    let key = "wifi.space.place.sta1";
    let range = "use metres from -100000 to 100000";
    assert_eq!(
        place("[nan, 0]"),
        format!("{key}: a coordinate of nan m is out of range|{range}")
    );
    assert_eq!(
        place("[0, 100001]"),
        format!("{key}: a coordinate of 100001 m is out of range|{range}")
    );
    assert_eq!(
        place("[1]"),
        format!("{key}: a place has two or three numbers, not 1|write x, y and perhaps z: [10, 0]")
    );
    assert_eq!(
        place("{ position = [1, 0, 0, 0] }"),
        format!(
            "{key}.position: a place has two or three numbers, not 4|write x, y and perhaps z: [10, 0]"
        )
    );
    assert_eq!(
        place("{ velocity = [3e8, 0] }"),
        format!(
            "{key}.velocity: no station has a speed of 300000000 m/s|\
             write metres per second from -1000 to 1000"
        )
    );
    assert_eq!(
        place("{ velocity = [nan, 0] }"),
        format!(
            "{key}.velocity: no station has a speed of nan m/s|\
             write metres per second from -1000 to 1000"
        )
    );
    assert_eq!(
        place("{ start = '13 h', velocity = [1, 0] }"),
        format!("{key}.start: too long|write \"43200 s\" (12 hours) at most")
    );
    assert_eq!(
        place("{ waypoints = [] }"),
        format!("{key}.waypoints: no waypoints|write [{{ at = \"0 s\", position = [0, 0] }}, ...]")
    );
    assert_eq!(
        place(
            "{ waypoints = [{ at = '1 s', position = [0, 0] }, { at = '1 s', position = [1, 0] }] }"
        ),
        format!(
            "{key}.waypoints.1.at: this time is not later than that of the previous waypoint|write later times from place to place"
        )
    );
    assert_eq!(
        place("{ velocity = [1, 0], waypoints = [{ at = '1 s', position = [0, 0] }] }"),
        format!(
            "{key}.velocity: has no effect beside `waypoints`|\
             leave it out, or write `position` and `velocity` alone"
        )
    );
    assert_eq!(
        place("{ waypoints = [{ position = [0, 0] }] }"),
        format!("{key}.waypoints.0.at: `at` is missing|write at = ...: it has no default")
    );
}

#[test]
fn nobody_is_nowhere() {
    let hint = "write place.sta1 = [x, y] in metres, or `ring` or `line` for all";
    let placed = |who: &[&str]| {
        let keys: Vec<_> = who
            .iter()
            .map(|w| format!("wifi.space.place.{w}"))
            .collect();
        let set: Vec<_> = keys.iter().map(|k| (k.as_str(), "[1, 2]")).collect();
        told_all(&set)
    };
    assert_eq!(
        placed(&["ap", "sta0", "sta2"]),
        format!("wifi.space: `sta1` has no position|{hint}")
    );
    assert_eq!(
        placed(&["sta0"]),
        format!("wifi.space: `sta1` and 1 more have no position|{hint}")
    );
    assert_eq!(
        told("wifi.space.place.sta1.velocity", "[1, 0]"),
        "wifi.space: `sta0` and 2 more have no position|\
         write place.sta0 = [x, y] in metres, or `ring` or `line` for all"
    );
    assert_eq!(
        told_all(&[
            ("wifi.space.ring", "1"),
            ("wifi.space.place.server", "[1, 0]")
        ]),
        "wifi.space.place.server: `server` is not on this channel|on it are `ap`, `sta0`, `sta1`, `sta2`"
    );
}

#[test]
fn space_has_ranges() {
    let with_ring = |key: &str, value: &str| {
        told_all(&[
            ("wifi.space.ring", "1"),
            (&format!("wifi.space.{key}"), value),
        ])
    };
    let far = "write metres, so that nobody is farther than 100000 from the origin";
    for (key, value) in [
        ("ring", "-1"),
        ("ring", "nan"),
        ("ring", "100001"),
        ("line", "40000"),
    ] {
        assert_eq!(
            told(&format!("wifi.space.{key}"), value),
            format!("wifi.space.{key}: out of range|{far}")
        );
    }
    assert_eq!(
        with_ring("line", "3"),
        "wifi.space.line: stations stand in a ring or in a line|leave one of them out"
    );
    for db in ["0", "-3", "nan", "101"] {
        assert_eq!(
            with_ring("capture_db", db),
            "wifi.space.capture_db: out of range: a captured signal must be stronger than the others|\
             write dB above 0 and up to 100, such as 10, \"mode\", or \"off\""
        );
    }
    assert_eq!(
        with_ring("frequency_mhz", "2412"),
        "wifi.space.frequency_mhz: 2412 MHz are not in the band, 5 GHz|write 4900 to 5925, or another `band`"
    );
    assert_eq!(
        with_ring("capture_db", "on"),
        "wifi.space.capture_db: a text is not allowed here|write a number of dB, \"mode\", or \"off\""
    );
    assert_eq!(
        with_ring("shadowing_db", "-1"),
        "wifi.space.shadowing_db: out of range|write a number from 0 to 30"
    );
    assert_eq!(
        with_ring("frequency_mhz", "5"),
        "wifi.space.frequency_mhz: out of range|write a number from 1000 to 100000"
    );
    assert_eq!(
        with_ring("fading", "{ name = 'rayleigh', coherence = '0 s' }"),
        "wifi.space.fading.coherence: out of range for `coherence`|\
         write a time from \"1 us\" to \"3600 s\""
    );
    assert_eq!(
        with_ring("fading", "rician"),
        "wifi.space.fading: there is no fading called `rician`|the names are `none`, `rayleigh`, `nakagami`"
    );
    assert_eq!(
        with_ring("path_loss", "{ name = 'log-distance', exponent = nan }"),
        "wifi.space.path_loss.exponent: out of range for `exponent`|write a number from 0 to 10"
    );
    assert_eq!(
        told_all(&[
            ("wifi.space.ring", "1"),
            ("wifi.up.radio.power_dbm", "2000")
        ]),
        "wifi.up.radio.power_dbm: out of range|write a number from -100 to 100"
    );
}

#[test]
fn signals_need_positions() {
    let hint = "write where the stations are: [wifi.space] with `ring`, `line` or `place`";
    assert_eq!(
        told("wifi.errors", "snr"),
        format!("wifi.errors: errors by signal need the positions of stations|{hint}")
    );
    assert_eq!(
        told("wifi.radio.power_dbm", "20"),
        format!("wifi.radio: radio settings have no effect without positions of stations|{hint}")
    );
    assert_eq!(
        told_all(&[("wifi.errors", "none"), ("wifi.bit_error_rate", "1e-6")]),
        "wifi.errors: `errors` and `bit_error_rate` set the same thing|leave one of them out"
    );
}

#[test]
fn capture_may_depend_on_the_mode() {
    let radio = radios(&space("ring = 1\ncapture_db = 'mode'"));
    assert_eq!(radio.capture, Some(Capture::AsModeNeeds));
}

#[test]
fn stations_beyond_reach_are_warned_of() {
    let warned = |text: &str| {
        let loaded = toml(text).unwrap_or_else(|e| panic!("{e}"));
        loaded
            .warnings
            .iter()
            .map(|d| format!("{}: {}", d.key, d.message))
            .collect::<Vec<_>>()
    };
    let space = |text: &str| space(text).replace("[wifi]\n", "[wifi]\nmcs = 0\n");
    // -82 dBm are left at 51.5 m.
    assert_eq!(warned(&space("line = 17")), [""; 0]);
    let far = |who: &str, dbm: &str, more: &str| {
        [format!(
            "wifi.space: what `{who}` sends arrives at `ap` at {dbm} dBm, below its `carrier_sense_dbm` of -82: \
             nothing is received{more}"
        )]
    };
    // 16.0206 - 46.6777 - 30 lg 51.6 = -82.04.
    assert_eq!(warned(&space("line = 17.2")), far("sta2", "-82.04", ""));
    assert_eq!(
        warned(&space("line = 52")),
        far("sta0", "-82.14", ", and so for 2 more stations")
    );
    // A station that is heard and does not hear; 16.0206 dBm reach it, and it needs more.
    let deaf = space("line = 17\nplace = { sta1 = [40, 0] }")
        + "\n[wifi.station.sta1.radio]\ncarrier_sense_dbm = -70";
    let told = warned(&deaf);
    assert_eq!(
        told,
        [
            "wifi.space: what `ap` sends arrives at `sta1` at -78.72 dBm, below its `carrier_sense_dbm` of -70: \
          nothing is received"
        ]
    );
    // At 80 MHz a quarter of the power falls into 20 MHz: -76 dBm are left at 32.5 m.
    let wide = |metres: u32| {
        let text = space(&format!("line = 1\nplace = {{ sta1 = [{metres}, 0] }}"));
        warned(&text.replace("mcs = 0\n", "standard = 'ac'\nwidth = '80 MHz'\nmcs = 0\n"))
    };
    assert_eq!(wide(32), [""; 0]);
    assert_eq!(
        wide(33),
        [
            "wifi.space: what `sta1` sends arrives at `ap` at -76.21 dBm, below its `carrier_sense_dbm` of -82, which is -76 for PPDUs so wide: nothing is received"
        ]
    );
    // A moving station may come nearer.
    let told = warned(&space(
        "line = 17\nplace = { sta1 = { position = [90, 0], velocity = [-1, 0] } }",
    ));
    assert!(
        told.len() == 1
            && told[0].contains("at the beginning")
            && told[0].contains("until it comes nearer"),
        "{told:?}"
    );
    // The next obstacle puts the one at 51 m out, which has 0.1 dB to spare, with a probability of 0.49;
    // that at 34 m, with 5.4 dB, with 0.035.
    assert_eq!(
        warned(&space("line = 17\nshadowing_db = 3")),
        [
            "wifi.space.shadowing_db: obstacles of 3 dB put 0.5 stations out of the access point's reach, on \
          average over seeds"
        ]
    );
}

/// MCS 7 carries nothing over 25 m (23 m are left of it), MCS 0 does.
#[test]
fn modes_without_hope_are_warned_of() {
    let warned = |text: &str| {
        let loaded = toml(text).unwrap_or_else(|e| panic!("{e}"));
        let one = |d: &crate::scenario::Diagnostic| format!("{}: {}", d.key, d.message);
        loaded.warnings.iter().map(one).collect::<Vec<_>>()
    };
    let weak = |way: &str| {
        format!(
            "wifi.space: hardly any full packet arrives {way} `sta2` in HT MCS7 20 MHz 1x 800 ns: the signal \
             is too weak"
        )
    };
    let text = space("ring = 5\nplace = { sta2 = [25, 0] }");
    assert_eq!(warned(&text), [weak("from"), weak("to")]);
    let slow = text.replace("[wifi]\n", "[wifi]\nmcs = 0\n");
    assert_eq!(warned(&slow), [""; 0]);
    let chosen = text.replace("[wifi]\n", "[wifi]\nrate_control = 'minstrel'\n");
    assert_eq!(warned(&chosen), [""; 0]);
    let moving = text.replace("[25, 0]", "{ position = [25, 0], velocity = [-1, 0] }");
    assert_eq!(warned(&moving), [""; 0]);
}
