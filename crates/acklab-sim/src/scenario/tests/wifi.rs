//! Radio channels, resolved.

use super::{good, toml, toml_with};
use crate::plan::{MediumPlan, Plan, QueuePlan};
use crate::scenario::Scenario;
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac::{Counts, Kind};
use acklab_path::wifi::medium::{AfterSilence, EdcaConfig, PortConfig, RateConfig, StationId};
use acklab_path::wifi::phy::{ErrorModel, Mode};
use acklab_units::{Rate, Span};

/// Ten stations with everything that the study of ACK compression at the access point needs.
pub(super) const STATIONS: &str = r#"
duration = "20 s"

[topology]
preset = "wlan"
stations = 3

[topology.wire]
rate = "100 Mbit/s"
delay = "2 ms"

[wifi]
queue = "200 packets"
ampdu = "16 KiB"

[wifi.down]
ack_filter = { name = "aggregate", ratio = 4 }

[[flow]]
count = 3
"#;

/// The wireless dumbbell of the study of ACK aggregation.
const DUMBBELL: &str = r#"
duration = "60 s"

[topology]
preset = "wifi-dumbbell"
pairs = 2

[topology.access]
rate = "100 Mbit/s"
delay = "2 ms"
queue = "1 BDP"

[[flow]]
[[flow]]
"#;

pub(super) fn medium(text: &str, overrides: &[(&str, &str)]) -> MediumPlan {
    let loaded = toml_with(text, overrides).unwrap_or_else(|e| panic!("{e}"));
    loaded.plan.media.into_iter().next().expect("a channel")
}

pub(super) fn port<'a>(plan: &'a Plan, name: &str) -> &'a PortConfig {
    let link = plan.links.iter().position(|l| l.name == name);
    let medium = &plan.media[0];
    let at = medium.links.iter().position(|l| Some(*l) == link);
    &medium.config.ports[at.unwrap_or_else(|| panic!("no port {name}"))]
}

fn mode(port: &PortConfig) -> Mode {
    match port.rate {
        RateConfig::Fixed(mode) => mode,
        _ => panic!("the rate is not fixed"),
    }
}

fn limit(kind: Kind) -> u32 {
    match kind {
        Kind::Shared { limit, .. } => limit,
        Kind::PerStation(_) => panic!("one queue for all"),
    }
}

/// The resolved form has to load to the same plan.
pub(super) fn reloads(scenario: &Scenario) {
    let again = toml(&scenario.resolved).unwrap_or_else(|e| panic!("{e}\n{}", scenario.resolved));
    assert_eq!(again.resolved, scenario.resolved);
    assert_eq!(format!("{:?}", again.plan), format!("{:?}", scenario.plan));
}

#[test]
fn a_wlan_has_its_nodes_ports_and_routes() {
    let scenario = good(STATIONS);
    let plan = &scenario.plan;
    assert_eq!(plan.nodes, ["sta0", "sta1", "sta2", "ap", "server"]);
    let names: Vec<_> = plan.links.iter().map(|l| l.name.as_str()).collect();
    let wired = ["ap->server", "server->ap"];
    let ports = [
        "sta0->ap", "ap->sta0", "sta1->ap", "ap->sta1", "sta2->ap", "ap->sta2",
    ];
    assert_eq!(names, [&wired[..], &ports].concat());
    let medium = &plan.media[0];
    assert_eq!(
        (medium.name.as_str(), &medium.nodes[..]),
        ("wifi", &[3, 0, 1, 2][..])
    );
    assert_eq!(medium.links, [2, 3, 4, 5, 6, 7]);
    let up = &medium.config.ports[2];
    assert_eq!((up.from, up.to), (StationId(2), StationId(0)));
    assert_eq!(plan.flows[1].forward, [4, 0]);
    assert_eq!(plan.flows[1].reverse, [1, 5]);
    let queues: Vec<_> = medium
        .config
        .stations
        .iter()
        .map(|s| limit(s.queue.kind))
        .collect();
    assert_eq!(queues, [200; 4]);
    let filters = plan.links.iter().map(|l| !l.filters.is_empty());
    let down = [false, false, false, true, false, true, false, true];
    assert_eq!(filters.collect::<Vec<_>>(), down);
    reloads(&scenario);
}

#[test]
fn a_channel_of_whom_nothing_is_said_is_a_usual_one() {
    let scenario = good(DUMBBELL);
    let medium = &scenario.plan.media[0];
    let up = port(&scenario.plan, "sta->ap");
    assert_eq!(mode(up).to_string(), "HT MCS7 20 MHz 1x 800 ns");
    let a = up.aggregation;
    assert_eq!(
        (a.ampdu, a.amsdu, a.window, a.overhead),
        (65_535, 0, 64, 30)
    );
    assert_eq!(
        (up.rts_from, up.grants_reverse, &up.errors),
        (None, false, &ErrorModel::None)
    );
    let config = &medium.config;
    assert_eq!((config.slots, config.eifs), (SlotRule::Edca, true));
    assert_eq!(
        (config.after_silence, config.propagation),
        (AfterSilence::Quiet, Span::ZERO)
    );
    let station = &config.stations[0];
    let best_effort = EdcaConfig {
        aifsn: 3,
        cw_min: 15,
        cw_max: 1023,
        txop: Span::ZERO,
    };
    assert_eq!(station.categories, [best_effort]);
    let usual = acklab_path::wifi::mac::Config {
        bar_limit: Some(7),
        ..acklab_path::wifi::mac::Config::NS3
    };
    assert_eq!(station.queue, usual);
    assert!(config.hears.is_none());
    assert_eq!(scenario.plan.nodes, ["s0", "s1", "sta", "ap", "d0", "d1"]);
    reloads(&scenario);
}

/// 65 Mbit/s are less than the wires have; 8 ms there and back are 65,000 bytes.
#[test]
fn the_rate_of_a_port_counts_as_that_of_a_link() {
    let plan = good(DUMBBELL).plan;
    let queue = |name: &str| {
        plan.links
            .iter()
            .find(|l| l.name == name)
            .expect("a link")
            .queue
    };
    assert_eq!(queue("s0->sta"), QueuePlan::Bytes(65_000));
    assert_eq!(queue("ap->sta"), QueuePlan::Packets(500));
}

#[test]
fn modes_are_named_by_mcs_or_by_rate() {
    let mode = |set: &[(&str, &str)]| {
        let mut set = set.to_vec();
        set.push(("wifi.name", "x"));
        self::mode(&medium(DUMBBELL, &set).config.ports[0]).to_string()
    };
    assert_eq!(mode(&[("wifi.mcs", "11")]), "HT MCS11 20 MHz 2x 800 ns");
    assert_eq!(
        mode(&[("wifi.mcs", "3"), ("wifi.streams", "2")]),
        "HT MCS11 20 MHz 2x 800 ns"
    );
    assert_eq!(
        mode(&[("wifi.rate", "26 Mbit/s")]),
        "HT MCS3 20 MHz 1x 800 ns"
    );
    let short = [
        ("wifi.rate", "150 Mbit/s"),
        ("wifi.width", "40 MHz"),
        ("wifi.guard_interval", "400 ns"),
    ];
    assert_eq!(mode(&short), "HT MCS7 40 MHz 1x 400 ns");
    let ac = [
        ("wifi.standard", "ac"),
        ("wifi.width", "80 MHz"),
        ("wifi.mcs", "9"),
        ("wifi.streams", "2"),
    ];
    assert_eq!(mode(&ac), "VHT MCS9 80 MHz 2x 800 ns");
    let ax = [
        ("wifi.standard", "802.11ax"),
        ("wifi.rate", "143.4 Mbit/s"),
        ("wifi.guard_interval", "800 ns"),
    ];
    assert_eq!(mode(&ax), "HE MCS11 20 MHz 1x 800 ns");
    assert_eq!(
        mode(&[("wifi.standard", "g"), ("wifi.rate", "11 Mbit/s")]),
        "HR/DSSS 11 Mbit/s"
    );
    assert_eq!(mode(&[("wifi.standard", "b")]), "HR/DSSS 11 Mbit/s");
}

#[test]
fn b_a_and_g_send_one_msdu_at_a_time_by_dcf() {
    let b = medium(DUMBBELL, &[("wifi.standard", "b")]);
    assert_eq!(b.config.ports[0].aggregation.ampdu, 0);
    assert_eq!(b.config.ports[0].aggregation.overhead, 28);
    assert_eq!(b.config.slots, SlotRule::Dcf);
    let edca = b.config.stations[0].categories[0];
    assert_eq!((edca.aifsn, edca.cw_min, edca.cw_max), (2, 31, 1023));
    assert_eq!(b.config.phy.slot(), Span::from_micros(20));
    let a = medium(DUMBBELL, &[("wifi.standard", "a")]);
    assert_eq!(a.config.stations[0].categories, [EdcaConfig::DCF]);
    assert_eq!(mode(&a.config.ports[1]).rate(), Rate::from_bps(54_000_000));
}

#[test]
fn what_stands_further_in_counts_more() {
    let text = format!(
        "{STATIONS}\n[wifi.down.edca]\ncw_min = 7\n[wifi.station.sta1]\nmcs = 0\nqueue = '50 packets'\n\
         [wifi.station.sta1.edca]\naifsn = 7\n\
         [wifi.station.sta1.down]\nmcs = 1\nack_filter = 'none'\n[wifi.up]\nreverse_grant = true\n"
    );
    let scenario = good(&text);
    let plan = &scenario.plan;
    let mcs = |name| mode(port(plan, name)).mcs();
    let all = ["sta0->ap", "ap->sta0", "sta1->ap", "ap->sta1"].map(mcs);
    assert_eq!(all, [7, 7, 0, 1]);
    let stations = &plan.media[0].config.stations;
    let queues: Vec<_> = stations.iter().map(|s| limit(s.queue.kind)).collect();
    assert_eq!(queues, [200, 200, 50, 200]);
    let edca: Vec<_> = stations.iter().map(|s| s.categories[0]).collect();
    assert_eq!(
        edca.iter().map(|e| e.cw_min).collect::<Vec<_>>(),
        [7, 15, 15, 15]
    );
    assert_eq!(
        edca.iter().map(|e| e.aifsn).collect::<Vec<_>>(),
        [3, 3, 7, 3]
    );
    let filtered = ["ap->sta0", "ap->sta1", "ap->sta2"].map(|n| {
        plan.links
            .iter()
            .any(|l| l.name == n && !l.filters.is_empty())
    });
    assert_eq!(filtered, [true, false, true]);
    assert!(port(plan, "sta1->ap").grants_reverse && !port(plan, "ap->sta1").grants_reverse);
    reloads(&scenario);
}

#[test]
fn every_key_of_a_channel_reaches_the_plan() {
    let keys = "standard = 'ac'\nband = '5 GHz'\nwidth = '40 MHz'\nmcs = 9\nguard_interval = '400 ns'\n\
        basic_rates = ['6 Mbit/s', '12 Mbit/s']\ncontrol_rate = '24 Mbit/s'\n\
        rts_rate = '9 Mbit/s'\ndurations = 'ns3'\n\
        propagation = '333 ns'\nslots = 'dcf'\neifs = false\nafter_silence = 'timeout'\n\
        category = 'video'\nqueue_counts = 'waiting'\nretry_limit = 4\nblock_ack_retry_limit = 9\nblock_ack_request_limit = 5\n\
        lifetime = 'none'\nmissed_block_ack = 'repeat'\nhidden = [['sta2', 'sta0']]\n\
        amsdu = '11454 B'\nmax_mpdu = '7991 B'\nblock_ack_window = 32\nrts = 'always'\n\
        bit_error_rate = 1e-6\nreverse_grant = true\n[wifi.edca]\ntxop = '2 ms'\n";
    let text = STATIONS.replace("queue = \"200 packets\"\n", keys);
    // The last two keys of the template belong to the channel, not to `edca`.
    let text = text.replace("ampdu = \"16 KiB\"", "aifsn = 4");
    let scenario = good(&text);
    let config = &scenario.plan.media[0].config;
    let port = &config.ports[0];
    assert_eq!(mode(port).to_string(), "VHT MCS9 40 MHz 1x 400 ns");
    let a = port.aggregation;
    assert_eq!((a.amsdu, a.max_mpdu, a.window), (11_454, 7_991, 32));
    // 32 MPDUs of 7991 bytes, padded, with delimiters.
    assert_eq!(a.ampdu, 32 * (7_992 + 4));
    assert_eq!(
        (port.rts_from, &port.errors),
        (Some(0), &ErrorModel::Ber(1e-6))
    );
    assert!(port.grants_reverse && !config.ports[1].grants_reverse);
    assert_eq!(
        config.phy.response_mode(mode(port)).rate(),
        Rate::from_bps(24_000_000)
    );
    assert_eq!(
        config.phy.rts_mode(mode(port)).rate(),
        Rate::from_bps(9_000_000)
    );
    assert_eq!((config.slots, config.eifs), (SlotRule::Dcf, false));
    assert_eq!(config.after_silence, AfterSilence::Timeout);
    assert_eq!(config.propagation, Span::from_nanos(333));
    // Doublings of the window: under DCF the last of four failures begins it anew.
    assert_eq!(config.retry_limit, 3);
    let queue = config.stations[1].queue;
    assert!(matches!(
        queue.kind,
        Kind::Shared {
            counts: Counts::Waiting,
            ..
        }
    ));
    assert_eq!((queue.lifetime, queue.retry_limit), (None, 4));
    assert_eq!(
        (queue.agreement_retry_limit, queue.explicit_bar),
        (Some(9), false)
    );
    assert_eq!(queue.bar_limit, Some(5));
    let video = config.stations[1].categories[0];
    assert_eq!(
        (video.aifsn, video.cw_min, video.txop),
        (4, 7, Span::from_millis(2))
    );
    let hears = config.hears.as_ref().expect("somebody is hidden");
    assert!(!hears[1][3] && !hears[3][1] && hears[0][1] && hears[2][3]);
    reloads(&scenario);
}

/// By default a BlockAckReq is sent as often as an MPDU without agreement.
#[test]
fn requests_may_be_repeated_without_limit() {
    let limit = |keys: &str| {
        let text = STATIONS.replace("[wifi]\n", &format!("[wifi]\n{keys}\n"));
        let scenario = good(&text);
        reloads(&scenario);
        scenario.plan.media[0].config.stations[1].queue.bar_limit
    };
    assert_eq!(limit("retry_limit = 4"), Some(4));
    assert_eq!(limit("block_ack_request_limit = 9"), Some(9));
    assert_eq!(limit("block_ack_request_limit = 'none'"), None);
}

/// Table 8-105 of 802.11-2012 and table 9-155 of 802.11-2020, in microseconds.
#[test]
fn two_editions_of_the_standard_have_defaults() {
    let txops = |keys: &str| {
        let text = STATIONS.replace("[wifi]\n", &format!("[wifi]\n{keys}\n"));
        let flows = "category = 'voice'\n[[flow]]\ncategory = 'video'\n[[flow]]\n[[flow]]\n\
            category = 'background'";
        let scenario = good(&text.replace("count = 3", flows));
        reloads(&scenario);
        let categories = &scenario.plan.media[0].config.stations[1].categories;
        categories
            .iter()
            .map(|c| c.txop.as_micros())
            .collect::<Vec<_>>()
    };
    assert_eq!(txops(""), [1_504, 3_008, 0, 0]);
    assert_eq!(txops("edca_defaults = '2012'"), [1_504, 3_008, 0, 0]);
    assert_eq!(
        txops("edca_defaults = '2020'"),
        [2_080, 4_096, 2_528, 2_528]
    );
}

#[test]
fn flows_have_access_categories() {
    let text = STATIONS.replace(
        "count = 3",
        "category = 'voice'\n[[flow]]\n[[flow]]\ncategory = 'background'",
    );
    let scenario = good(&text);
    let medium = &scenario.plan.media[0];
    assert_eq!(medium.categories, [0, 0, 1, 1, 2, 2]);
    let aifsn = medium.config.stations[2].categories.iter().map(|c| c.aifsn);
    assert_eq!(aifsn.collect::<Vec<_>>(), [2, 3, 7]);
    reloads(&scenario);
}

#[test]
fn servers_are_one_or_as_many_as_stations_and_flows_go_up_or_down() {
    let set = [("topology.servers", "each"), ("topology.direction", "down")];
    let plan = toml_with(STATIONS, &set).unwrap().plan;
    assert_eq!(plan.nodes[4..], ["server0", "server1", "server2"]);
    let f = &plan.flows[2];
    assert_eq!(
        (plan.nodes[f.src].as_str(), plan.nodes[f.dst].as_str()),
        ("server2", "sta2")
    );
    let names: Vec<_> = f
        .forward
        .iter()
        .map(|l| plan.links[*l].name.as_str())
        .collect();
    assert_eq!(names, ["server2->ap", "ap->sta2"]);
}

#[test]
fn two_channels_meet_in_a_node() {
    let text = "duration = '1 s'\nnode = [{ name = 'a' }, { name = 'b' }, { name = 'c' }, { name = 'd' }]\n\
        [[wifi]]\nap = 'b'\nstations = ['a']\n[[wifi]]\nname = 'back'\nap = 'c'\nstations = ['b']\n\
        standard = 'g'\n[[link]]\na = 'c'\nb = 'd'\n[[flow]]\nfrom = 'a'\nto = 'd'\n";
    let scenario = good(text);
    let way: Vec<_> = scenario.plan.flows[0]
        .forward
        .iter()
        .map(|l| scenario.plan.links[*l].name.as_str())
        .collect();
    assert_eq!(way, ["a->b", "b->c", "c->d"]);
    let names: Vec<_> = scenario
        .plan
        .media
        .iter()
        .map(|m| m.name.as_str())
        .collect();
    assert_eq!(names, ["wifi", "back"]);
    assert_eq!(scenario.plan.media[1].links, [4, 5]);
    reloads(&scenario);
}

#[test]
fn unlikely_channels_are_warned_of() {
    let warned = |set: &[(&str, &str)]| {
        let loaded = toml_with(STATIONS, set).unwrap_or_else(|e| panic!("{e}"));
        let told: Vec<_> = loaded
            .warnings
            .iter()
            .map(|d| format!("{}: {}", d.key, d.message))
            .collect();
        told.join("|")
    };
    assert_eq!(warned(&[]), "");
    assert_eq!(
        warned(&[("wifi.bit_error_rate", "0.001")]),
        "wifi.bit_error_rate: of a thousand full packets 0 arrive at the first attempt"
    );
    assert_eq!(
        warned(&[("wifi.up.rts", "20 kB")]),
        "wifi.up.rts: no frame is longer than 16384 B, so none is announced"
    );
    assert_eq!(
        warned(&[("wifi.up.amsdu", "3000 B")]),
        "wifi.up.amsdu: an A-MSDU of 3000 B at most does not join two full packets, which take 3046 B"
    );
    assert_eq!(warned(&[("wifi.up.amsdu", "3046 B")]), "");
    assert_eq!(warned(&[("tcp.segment", "2244")]), "");
    assert_eq!(
        warned(&[("tcp.segment", "2245")]),
        "tcp.segment: packets of 2297 B: an MSDU of 802.11 holds 2296 B of IP at most"
    );
    assert_eq!(
        warned(&[("topology.stations", "5000")]),
        "topology.stations: 5000 stations on one channel: an access point has 2007 at most"
    );
}

/// With the profile that imitates ns-3 for all flows, a channel sets up addresses and agreements as ns-3's does. The
/// resolved scenario keeps that, though there the profile stands with each flow.
#[test]
fn the_profile_ns3_brings_arp_and_addba() {
    let both = |keys: &[(&str, &str)]| {
        let scenario = toml_with(STATIONS, keys).unwrap_or_else(|e| panic!("{e}"));
        reloads(&scenario);
        let config = &scenario.plan.media[0].config;
        (config.arp.is_some(), config.addba.is_some())
    };
    let ns3 = ("tcp.profile", "ns3");
    assert_eq!(both(&[ns3]), (true, true));
    let off = [ns3, ("wifi.arp", "false"), ("wifi.addba", "false")];
    assert_eq!(both(&off), (false, false));
    assert_eq!(both(&[("tcp.profile", "linux")]), (false, false));
    assert_eq!(both(&[("flow.0.tcp.profile", "ns3")]), (false, false));
    // 802.11a has no agreements.
    let old = [ns3, ("wifi.standard", "a"), ("wifi.ampdu", "off")];
    assert_eq!(both(&old), (true, false));
}
