//! Messages about mistakes on radio channels.

use super::wifi::STATIONS;
use super::{toml, toml_with};

/// Key, message and help of everything wrong after setting `set`.
pub(super) fn told_all(set: &[(&str, &str)]) -> String {
    match toml_with(STATIONS, set) {
        Ok(_) => panic!("{set:?} was accepted"),
        Err(e) => {
            let one = |d: &crate::scenario::Diagnostic| {
                let hint = d.hint.clone().unwrap_or_default();
                format!("{}: {}|{hint}", d.key, d.message)
            };
            e.iter().map(one).collect::<Vec<_>>().join("\n")
        }
    }
}

pub(super) fn told(key: &str, value: &str) -> String {
    told_all(&[(key, value)])
}

#[test]
fn the_place_and_the_value_are_told() {
    let text = STATIONS.replace("queue = \"200 packets\"", "mcs = 32");
    assert_eq!(
        toml(&text).unwrap_err().to_string(),
        "error: MCS 32 of HT is not modelled\n  in test.toml, line 13: wifi.mcs = 32\n  \
           help: use 0 to 31; neither 32, the same in both halves of 40 MHz, nor 33 to 76, \
           whose streams differ in modulation, is here"
    );
}

#[test]
fn a_filter_is_told_which_side_it_belongs_to() {
    let hint = "write it in `down`, for what the access point sends, or in `up`";
    for table in ["wifi", "wifi.station.sta1"] {
        let key = format!("{table}.ack_filter");
        let said = format!("{key}: unknown key `ack_filter`|{hint}");
        assert_eq!(told(&key, "tac"), said);
    }
}

#[test]
fn keys_of_another_table_are_told_where_they_belong() {
    assert_eq!(
        told("wifi.capture_db", "4"),
        "wifi.capture_db: unknown key `capture_db`|`capture_db` belongs in [wifi.space]"
    );
    assert_eq!(
        told("wifi.power_dbm", "20"),
        "wifi.power_dbm: unknown key `power_dbm`|`power_dbm` belongs in [wifi.radio]"
    );
    assert_eq!(
        told("wifi.ampd", "off"),
        "wifi.ampd: unknown key `ampd`|did you mean `ampdu`?"
    );
    assert_eq!(
        told("wifi.mcs", "'7'"),
        "wifi.mcs: a text is not allowed here|write a whole number"
    );
    assert_eq!(
        told("wifi.rts", "never"),
        "wifi.rts: `never` is not one of the allowed words|write \"off\", \"always\", or a size, such as \"1000 B\""
    );
}

#[test]
fn what_is_no_word_is_told_the_words() {
    assert_eq!(
        told("wifi.width", "20"),
        "wifi.width: a number is not allowed here|did you mean \"20 MHz\"?"
    );
    assert_eq!(
        told("wifi.band", "2.4"),
        "wifi.band: a number is not allowed here|did you mean \"2.4 GHz\"?"
    );
    assert_eq!(
        told("wifi.edca_defaults", "2020"),
        "wifi.edca_defaults: a number is not allowed here|did you mean \"2020\"?"
    );
    assert_eq!(
        told("wifi.slots", "true"),
        "wifi.slots: true or false is not allowed here|write one of \"edca\", \"dcf\""
    );
    let words = [
        ("wifi.standard", "11", "\"ax\""),
        ("wifi.category", "3", "\"voice\""),
        ("wifi.queue_counts", "1", "\"waiting\""),
        ("wifi.durations", "[]", "\"ns3\""),
        ("topology.direction", "1", "\"up\""),
        ("tcp.pacing", "1", "\""),
    ];
    for (key, value, word) in words {
        let said = told(key, value);
        assert!(
            said.contains("|write one of \"") && said.contains(word),
            "{said}"
        );
        assert!(!said.contains("enum"), "{said}");
    }
}

#[test]
fn a_mistake_of_one_station_is_told_there() {
    assert_eq!(
        told("wifi.station.sta1.down.mcs", "77"),
        "wifi.station.sta1.down.mcs: HT has no MCS 77|use 0 to 31"
    );
    assert_eq!(
        told("wifi.station.sta3.mcs", "1"),
        "wifi.station.sta3: `sta3` is no station of this channel|its stations are `sta0`, `sta1`, `sta2`"
    );
}

#[test]
fn aggregates_that_nobody_takes_are_told_the_limit() {
    assert_eq!(
        told_all(&[("wifi.amsdu", "7936 B"), ("wifi.ampdu", "off")]),
        "wifi.amsdu: no 802.11n station takes so long an A-MSDU|write \"3839 B\" or \"7935 B\" at most"
    );
    assert!(toml_with(STATIONS, &[("wifi.amsdu", "7935 B"), ("wifi.ampdu", "off")]).is_ok());
    assert_eq!(
        told("wifi.amsdu", "7935 B"),
        "wifi.amsdu: an MPDU of 4095 B at most does not hold this A-MSDU|write \"4065 B\" at most; \
         longer ones do not go into an A-MPDU of 802.11n, except in ns-3: max_mpdu = \"7965 B\""
    );
    assert!(
        toml_with(
            STATIONS,
            &[("wifi.amsdu", "7935 B"), ("wifi.max_mpdu", "7965 B")]
        )
        .is_ok()
    );
    assert_eq!(
        told_all(&[("wifi.standard", "ac"), ("wifi.amsdu", "11455 B")]),
        "wifi.amsdu: no 802.11ac station takes so long an A-MSDU|write \"11454 B\" at most"
    );
    assert_eq!(
        told("wifi.ampdu", "65536 B"),
        "wifi.ampdu: no PSDU of HT is so long|write \"65535 B\" at most"
    );
    assert_eq!(
        told("wifi.ampdu", "0 B"),
        "wifi.ampdu: an A-MPDU of nothing|write \"off\" for single frames"
    );
    assert_eq!(
        told("wifi.max_mpdu", "1500 B"),
        "wifi.max_mpdu: out of range|write \"2334 B\", which holds any packet, to \"11454 B\""
    );
    assert_eq!(
        told("wifi.standard", "g"),
        "wifi.ampdu: 802.11g has no aggregation|leave it out, or choose standard = \"n\" or later"
    );
}

#[test]
fn block_ack_windows_have_a_range_and_hold_the_ampdu() {
    let n = "wifi.block_ack_window: out of range for a block ack window|write 1 to 64 for 802.11n; 802.11ax has 256";
    for window in ["0", "65", "70000"] {
        assert_eq!(told("wifi.block_ack_window", window), n);
    }
    assert_eq!(
        told_all(&[("wifi.standard", "ax"), ("wifi.block_ack_window", "257")]),
        "wifi.block_ack_window: out of range for a block ack window|write 1 to 256 for 802.11ax"
    );
    assert_eq!(
        told("wifi.block_ack_window", "4"),
        "wifi.ampdu: a block ack window of 4 MPDUs of 2334 B at most does not hold this A-MPDU|\
         write \"9360 B\" at most, a larger block_ack_window, or an amsdu"
    );
}

#[test]
fn who_is_on_a_channel_is_checked() {
    assert_eq!(
        told("topology.stations", "0"),
        "topology.stations: out of range|write a number from 1 to 10000"
    );
    assert_eq!(
        told("wifi.ap", "ap"),
        "wifi.ap: the preset already defines the members of its channel, the first [wifi]|\
         leave it out; further channels follow, each as a [[wifi]]"
    );
    let text = |who: &str| {
        let nodes = "node = [{ name = 'a' }, { name = 'b' }]";
        let text =
            format!("duration = '1 s'\n{nodes}\n[wifi]\n{who}\n[[flow]]\nfrom = 'a'\nto = 'b'\n");
        let errors = toml(&text).map(|_| ()).unwrap_err();
        let one = |d: &crate::scenario::Diagnostic| {
            format!(
                "{}: {}|{}",
                d.key,
                d.message,
                d.hint.clone().unwrap_or_default()
            )
        };
        errors.iter().map(one).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        text("ap = 'a'\nstations = []"),
        "wifi.stations: 0 stations|a radio channel has 1 to 10000 stations"
    );
    assert_eq!(
        text("ap = 'a'\nstations = ['b', 'a', 'b']"),
        "wifi.stations.1: `a` is the access point|leave it out: stations are the others\n\
         wifi.stations.2: `b` is a station already|write each station once"
    );
    assert_eq!(
        text("ap = 'x'\nstations = ['b']"),
        "wifi.ap: there is no node called `x`|the nodes are `a`, `b`"
    );
    assert_eq!(
        text("ap = 'a'\nstations = ['b']\n[[link]]\na = 'b'\nb = 'a'"),
        "wifi: there is already a link called `b->a`|ways of a radio channel are called after their \
         nodes: give the other link a `name`, or leave the station out of one of the channels\n\
         wifi: there is already a link called `a->b`|ways of a radio channel are called after their \
         nodes: give the other link a `name`, or leave the station out of one of the channels"
    );
    assert_eq!(
        text("stations = ['b']"),
        "wifi.ap: `ap` is missing|a radio channel has an access point: ap = \"router\"; or choose \
         one with [topology] preset = \"wlan\""
    );
    assert_eq!(
        text("ap = 'a'\nstations = ['b']\nhidden = [['a', 'b']]"),
        "wifi.hidden.0.0: every station hears the access point `a`|\
         leave the pair out, or put the station on a channel of its own"
    );
}

#[test]
fn hidden_pairs_are_two_stations_of_the_channel() {
    assert_eq!(
        told("wifi.hidden", "[['sta0', 'server']]"),
        "wifi.hidden.0.1: `server` is no station of this channel|its stations are `sta0`, `sta1`, `sta2`"
    );
    assert_eq!(
        told("wifi.hidden", "[['sta0', 'sta0']]"),
        "wifi.hidden.0: a station always hears itself|write two different stations"
    );
    assert_eq!(
        told("wifi.hidden", "[['sta0']]"),
        "wifi.hidden.0: a pair has two names, not 1|write pairs: hidden = [[\"sta0\", \"sta1\"]]"
    );
}

#[test]
fn queues_and_contention_have_ranges() {
    assert_eq!(
        told("wifi.down.queue", "0 packets"),
        "wifi.down.queue: a queue of size 0 drops every packet|write at least \"1 packet\""
    );
    assert_eq!(
        told("wifi.queue", "1 BDP"),
        "wifi.queue: the queue of a station counts packets|write a number of packets, such as \"500 packets\""
    );
    assert_eq!(
        told("wifi.edca.aifsn", "0"),
        "wifi.edca.aifsn: out of range for AIFSN|write 1 to 15; the standard's are 2, 3 and 7"
    );
    assert_eq!(
        told("wifi.edca.best-effort.cw_min", "2000"),
        "wifi.edca.best-effort.cw_min: the smallest window is larger than the largest|\
         write cw_max, which is 1023, at most"
    );
    assert_eq!(
        told("wifi.edca.cw_max", "65535"),
        "wifi.edca.cw_max: out of range|write 32767 at most"
    );
    assert_eq!(
        told("wifi.edca.cw_min", "10"),
        "wifi.edca.cw_min: a contention window is a power of two less one|write 7 or 15"
    );
    assert_eq!(
        told("wifi.edca.voice.cw_max", "1024"),
        "wifi.edca.voice.cw_max: a contention window is a power of two less one|write 1023 or 2047"
    );
    assert_eq!(
        told("wifi.ampdu", "1 B"),
        "wifi.ampdu: no packet at all fits into this A-MPDU|\
         write \"off\" for single frames, or \"62 B\" at least"
    );
    assert_eq!(
        told("wifi.mcs", "-1"),
        "wifi.mcs: there is no MCS -1|\
         write 0 to 31 for n, 8 for each stream; 0 to 9 for ac; 0 to 11 for ax"
    );
    assert_eq!(
        told("wifi.block_ack_request_limit", "0"),
        "wifi.block_ack_request_limit: out of range|write 1 to 255 transmissions"
    );
    assert_eq!(
        told("wifi.block_ack_request_limit", "off"),
        "wifi.block_ack_request_limit: out of range|\
         write a number of transmissions from 1 to 255, or \"none\""
    );
    assert_eq!(
        told("wifi.edca.txop", "3 s"),
        "wifi.edca.txop: too long for a transmission opportunity|write \"2097.12 ms\" at most"
    );
    assert_eq!(
        told("wifi.retry_limit", "0"),
        "wifi.retry_limit: out of range|write 1 to 255 transmissions"
    );
    assert_eq!(
        told("wifi.lifetime", "0 s"),
        "wifi.lifetime: every packet would be dropped|write a time above zero, or \"none\""
    );
    assert_eq!(
        told("wifi.propagation", "2 ms"),
        "wifi.propagation: too long for a propagation delay|write \"1 ms\" at most; 100 m are \"333 ns\""
    );
    assert_eq!(
        told("wifi.rts", "100"),
        "wifi.rts: \"100\" has no unit|write \"100 B\", for example"
    );
}

#[test]
fn what_contradicts_itself_is_told() {
    let qdisc = |params: &str| {
        told(
            "wifi.qdisc",
            &format!("{{ name = \"per-station\", {params} }}"),
        )
    };
    assert_eq!(
        qdisc("aql_low = \"20 ms\""),
        "wifi.qdisc.aql_low: `aql_low` is longer than `aql_high`, which is \"12 ms\"|\
         write \"12 ms\" at most, or a longer `aql_high`"
    );
    assert_eq!(
        qdisc("interval = \"10 ms\""),
        "wifi.qdisc.interval: `target` is longer than `interval`, which is \"10 ms\"|\
         write \"10 ms\" at most, or a longer `interval`"
    );
    for counts in ["waiting", "unacknowledged", "mpdus"] {
        assert_eq!(
            told_all(&[("wifi.qdisc", "per-station"), ("wifi.queue_counts", counts)]),
            "wifi.queue_counts: `queue_counts` has no effect with queues per station|\
             leave it out, or write qdisc = \"shared\""
        );
    }
}

#[test]
fn what_a_discipline_or_its_device_cannot_be_is_told() {
    let codel = ("wifi.down.qdisc", "codel");
    assert_eq!(
        told("wifi.down.device_queue", "64"),
        "wifi.down.device_queue: no discipline stands above the queue of the device|\
         leave it out and write `queue`, or write a `qdisc` such as \"fq-codel\""
    );
    assert_eq!(
        told_all(&[codel, ("wifi.device_queue", "0")]),
        "wifi.device_queue: a device without room sends nothing|\
         write 1 to 65535 packets, or leave it out for 123 (ath9k's)"
    );
    assert_eq!(
        told_all(&[codel, ("wifi.down.device_queue", "65536")]),
        "wifi.down.device_queue: too many packets for the queue of a device|\
         write a number of packets up to 65535, such as 100"
    );
    assert_eq!(
        told_all(&[codel, ("wifi.down.queue", "64 KiB")]),
        "wifi.down.queue: `codel` counts packets|\
         write a number of packets, such as \"1000 packets\""
    );
    let pfifo = ("wifi.down.qdisc", "pfifo");
    assert_eq!(
        told_all(&[pfifo, ("wifi.down.queue", "1 BDP")]),
        "wifi.down.queue: the rate of a radio channel is not fixed, so it has no bandwidth-delay product|\
         write the limit in packets or bytes"
    );
    assert_eq!(
        told_all(&[pfifo, ("wifi.down.queue", "1000 B")]),
        "wifi.down.queue: a packet of 1500 bytes never fits|\
         write at least \"1500 B\", or a limit in packets"
    );
    assert_eq!(
        told_all(&[pfifo, ("wifi.down.queue", "0 packets")]),
        "wifi.down.queue: a queue of size 0 drops every packet|write at least \"1 packet\""
    );
    assert_eq!(
        told("wifi.down.qdisc", "{ name = 'codel', target = '0 s' }"),
        "wifi.down.qdisc.target: out of range for `target`|write a time from \"1 us\" to \"60 s\""
    );
}

#[test]
fn what_a_channel_does_not_have_is_told() {
    assert_eq!(
        told_all(&[
            ("wifi.standard", "a"),
            ("wifi.ampdu", "off"),
            ("wifi.reverse_grant", "true")
        ]),
        "wifi.reverse_grant: 802.11a does not have the reverse direction protocol|\
         leave it out, or choose standard = \"n\" or later"
    );
    assert_eq!(
        told("topology.bottleneck", "{}"),
        "topology.bottleneck: `bottleneck` does not fit this preset|\
         a wlan has `stations`, `servers`, `direction` and `wire`, and its channel is [wifi]; \
         `bottleneck` is for preset = \"dumbbell\" or \"parking-lot\""
    );
    let wired = "duration = '1 s'\n[topology]\npreset = 'dumbbell'\nbottleneck = {}\n[[flow]]\ncategory = 'voice'\n";
    assert_eq!(
        toml(wired).unwrap_err().to_string(),
        "error: access categories are for radio channels, and there is none\n  \
           in test.toml, line 6: flow.0.category = \"voice\"\n  \
           help: leave it out, or write a [wifi]"
    );
}
