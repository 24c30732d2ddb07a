//! OFDMA: what a channel divides among stations, and which divisions there are.

use super::wifi_blocks::set;
use super::wifi_errors::told_all;
use acklab_units::Span;

#[test]
fn several_at_once_if_the_channel_says_so() {
    let ax = ("wifi.standard", "ax");
    let ofdma = |keys: &[(&str, &str)]| set(keys).plan.media[0].config.ofdma;
    assert_eq!(ofdma(&[ax]), None);
    assert_eq!(ofdma(&[ax, ("wifi.ofdma", "false")]), None);
    let usual = ofdma(&[ax, ("wifi.ofdma", "true")]).unwrap();
    assert!(usual.downlink.is_some() && usual.falls_back);
    assert_eq!((usual.most_users, usual.sig_b), (4, None));
    assert_eq!(usual.uplink.map(|u| u.mu_edca), Some(None));
    let table = "{ users = 9, downlink = false, always_poll = true, mu_edca = { timer = \"8192 us\" }, \
                 random_access = { units = 3, in = \"data\" } }";
    let own = ofdma(&[ax, ("wifi.ofdma", table)]).unwrap();
    assert_eq!((own.downlink, own.most_users), (None, 9));
    let uplink = own.uplink.unwrap();
    assert!(uplink.poll.always);
    let random = uplink.random.unwrap();
    assert_eq!((random.units, random.ocw_min, random.ocw_max), (3, 7, 31));
    assert!(random.for_data);
    let mu = uplink.mu_edca.unwrap();
    assert_eq!((mu.aifsn, mu.timer), (0, Span::from_micros(8192)));
}

#[test]
fn resource_units_may_be_of_several_sizes() {
    let ax = ("wifi.standard", "ax");
    let ofdma = |keys: &[(&str, &str)]| set(&[&[ax], keys].concat()).plan.media[0].config.ofdma;
    let listed = |width: &str, tones: &str| {
        let own = ofdma(&[("wifi.width", width), ("wifi.ofdma.ru_allocation", tones)]).unwrap();
        let plan = own.plan.unwrap();
        assert_eq!(usize::from(own.most_users), plan.listed().len());
        plan.listed()
            .iter()
            .map(|ru| ru.tones())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed("20 MHz", "[106, 26, 106]"), [106, 26, 106]);
    let wide = [996, 484, 26, 242, 106, 26, 106];
    assert_eq!(listed("160 MHz", "[996, 484, 26, 242, 106, 26, 106]"), wide);
    assert_eq!(ofdma(&[("wifi.ofdma", "true")]).unwrap().plan, None);
}

/// Long echoes are in both directions, and HE TB PPDUs have no guard interval of 800 ns.
#[test]
fn stations_called_at_once_have_a_long_guard_interval_if_alone_they_have_it() {
    let guard = |key: &str, value: &str| {
        let keys = [
            ("wifi.standard", "ax"),
            ("wifi.ofdma", "true"),
            (key, value),
        ];
        set(&keys).plan.media[0].config.ofdma.unwrap().guard.nanos()
    };
    assert_eq!(guard("wifi.mcs", "7"), 1600);
    assert_eq!(guard("wifi.guard_interval", "800 ns"), 1600);
    assert_eq!(guard("wifi.guard_interval", "3200 ns"), 3200);
    assert_eq!(guard("wifi.up.guard_interval", "3200 ns"), 3200);
    assert_eq!(guard("wifi.down.guard_interval", "3200 ns"), 1600);
    let own = "{ guard_interval = \"1600 ns\" }";
    let keys = [
        ("wifi.standard", "ax"),
        ("wifi.guard_interval", "3200 ns"),
        ("wifi.ofdma", own),
    ];
    let written = set(&keys).plan.media[0].config.ofdma.unwrap();
    assert_eq!(written.guard.nanos(), 1600);
}

#[test]
fn a_division_that_the_standard_does_not_have_is_told() {
    let ax = ("wifi.standard", "ax");
    let told = |keys: &[(&str, &str)]| told_all(&[&[ax], keys].concat());
    let key = "wifi.ofdma.ru_allocation";
    let fill = "write units that fill 20 MHz in the order of their frequencies (802.11ax, table 27-26), such as \
                [106, 26, 106]";
    for (tones, expected) in [
        (
            "[106, 52, 106]",
            format!("a 20 MHz channel has no room for a 106-tone RU after [106, 52]|{fill}"),
        ),
        (
            "[484]",
            format!("a 20 MHz channel has no room for a 484-tone RU|{fill}"),
        ),
        (
            "[106, 26]",
            format!("these units leave a part of 20 MHz to nobody|{fill}"),
        ),
        (
            "[]",
            format!("these units leave a part of 20 MHz to nobody|{fill}"),
        ),
    ] {
        let text = told(&[(key, tones)]);
        assert!(text.contains(&format!("{key}: {expected}")), "{text}");
    }
    let text = told(&[(key, "[106, 27, 106]")]);
    let expected = "ru_allocation.1: there is no resource unit of 27 tones|\
                    write 26, 52, 106, 242, 484, 996 or 1992 (2 x 996)";
    assert!(text.contains(expected), "{text}");
    let plan = (key, "[106, 26, 106]");
    let text = told(&[plan, ("wifi.ofdma.users", "3")]);
    let expected = "`users` and `ru_allocation` both say how many stations are served at once";
    assert!(text.contains(expected), "{text}");
    let text = told(&[plan, ("wifi.ofdma.random_access.units", "1")]);
    assert!(
        text.contains("`random_access` needs units of one size"),
        "{text}"
    );
    let text = told(&[plan, ("wifi.up.width", "40 MHz")]);
    let expected = "these units divide 20 MHz, and a station uses 40 MHz";
    assert!(text.contains(expected), "{text}");
    let text = told(&[(key, "3")]);
    assert!(
        text.contains("tones of resource units in the order"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_said_of_ofdma_is_told() {
    let ax = ("wifi.standard", "ax");
    let told = |keys: &[(&str, &str)]| told_all(&[&[ax], keys].concat());
    let cases = [
        (
            "wifi.ofdma.users",
            "10",
            "wifi.ofdma.users: the channel has too few resource units for so many stations|write 1 to 9: 20 MHz have 9 resource units of 26 tones",
        ),
        (
            "wifi.ofdma.guard_interval",
            "800 ns",
            "wifi.ofdma.guard_interval: HE TB PPDUs have no such guard interval|write \"1600 ns\" or \"3200 ns\"",
        ),
        (
            "wifi.ofdma.sig_b_mcs",
            "6",
            "wifi.ofdma.sig_b_mcs: out of range|write 0 to 5",
        ),
        (
            "wifi.ofdma.random_access.units",
            "5",
            "wifi.ofdma.random_access.units: a Trigger frame has 4 resource units in all|write 1 to 4, or more `users`",
        ),
        (
            "wifi.ofdma.poll",
            "0 s",
            "wifi.ofdma.poll: out of range|write a time above zero, \"86400 s\" at most",
        ),
    ];
    for (key, value, expected) in cases {
        let text = told(&[(key, value)]);
        assert!(text.contains(expected), "{text}");
    }
    let text = told(&[("wifi.ofdma.uplink", "false"), ("wifi.ofdma.poll", "5 ms")]);
    assert!(
        text.contains("wifi.ofdma.poll: has no effect: `uplink` is false|leave it out"),
        "{text}"
    );
    let text = told(&[
        ("wifi.ofdma.uplink", "false"),
        ("wifi.ofdma.downlink", "false"),
    ]);
    assert!(
        text.contains("wifi.ofdma: `downlink` and `uplink` are both false"),
        "{text}"
    );
    let text = told(&[("wifi.ofdma", "true"), ("wifi.ampdu", "off")]);
    let expected =
        "wifi.ofdma: no station sends A-MPDUs, which OFDMA needs for its acknowledgements";
    assert!(text.contains(expected), "{text}");
    let text = told(&[("wifi.ofdma", "true"), ("wifi.hack", "true")]);
    assert!(
        text.contains("wifi.ofdma: `hack` puts ACKs into answers that OFDMA does not have"),
        "{text}"
    );
    let text = told(&[("wifi.ofdma", "true"), ("wifi.station.sta0.hack", "true")]);
    let expected = "`station.sta0.hack` puts ACKs into answers that OFDMA does not have";
    assert!(text.contains(expected), "{text}");
    for (table, expected) in [
        (
            "mu_edca = { cw_min = 14 }",
            "mu_edca.cw_min: a contention window is a power of two",
        ),
        ("mu_edca = { cw_max = -1 }", "mu_edca.cw_max: out of range"),
        (
            "mu_edca = { aifsn = 1 }",
            "mu_edca.aifsn: reserved in 802.11ax",
        ),
        (
            "random_access = { ocw_min = 6 }",
            "random_access.ocw_min: a contention window is",
        ),
    ] {
        let text = told(&[("wifi.ofdma", &format!("{{ {table} }}"))]);
        assert!(text.contains(expected), "{text}");
    }
    let text = told(&[("wifi.arp", "{ retries = -1 }")]);
    assert!(text.contains("wifi.arp.retries: out of range"), "{text}");
    let text = told_all(&[("wifi.standard", "n"), ("wifi.ofdma", "true")]);
    let expected = "wifi.ofdma: 802.11n has no OFDMA|leave it out, or write standard = \"ax\"";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_timer_that_no_access_point_can_announce_is_warned_of() {
    let warnings = |timer: &str| {
        let keys = [("wifi.standard", "ax"), ("wifi.ofdma.mu_edca.timer", timer)];
        set(&keys)
            .warnings
            .iter()
            .map(|w| w.to_string())
            .collect::<Vec<_>>()
            .join("\n")
    };
    for timer in ["10 us", "10 s"] {
        let told = warnings(timer);
        assert!(told.contains("the field counts 8 TU in 8 bits"), "{told}");
        assert!(
            told.contains("write \"8.192 ms\" to \"2088.96 ms\""),
            "{told}"
        );
    }
    assert!(!warnings("8192 us").contains("8 TU"));
    assert!(!warnings("2088960 us").contains("8 TU"));
}
