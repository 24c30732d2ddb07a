//! Captures of short runs, read by tshark.

use super::*;
use crate::engine::wlan::Wlan;
use crate::record::Sightings;
use acklab_path::packet::{DropReason, FlowId, Packet, PacketId};
use acklab_path::wifi::agreement::{AddbaConfig, Kind};
use acklab_path::wifi::medium::{
    Aggregation, CarriedAcks, Frames, Medium, MediumConfig, MediumDriver, MediumStreams, PortId,
    Ppdu, PpduKind, RateConfig,
};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_path::wifi::phy::{Band, ErrorModel, Guard, Mode, PhyConfig, Width};
use acklab_path::wifi::propagation::ChannelStreams;
use acklab_proto::rng;
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Rate, Span};
use std::process::{Command, Stdio};

/// Keeps everything that was on the air.
#[derive(Default)]
struct Monitor {
    told: usize,
    seen: Sightings,
}

impl MediumDriver for Monitor {
    const WATCHES: bool = true;

    fn on_drop(&mut self, _: Instant, _: Packet, _: DropReason) {}

    fn on_left(&mut self, _: Instant, _: Packet, _: Span) {}

    fn on_frames(&mut self, ppdu: &Ppdu, frames: Frames<'_>) {
        self.seen.note(0, ppdu, frames);
    }

    fn on_ppdu(&mut self, _: &Ppdu) {
        self.told += 1;
        assert_eq!(self.seen.len(), self.told, "frames are told of first");
    }
}

/// Two stations, in `mode`, with everything that frames can look like.
fn config(mode: Mode, aggregation: Aggregation) -> MediumConfig {
    let wlan = Wlan {
        stations: 2,
        aggregation,
        ..Wlan::default()
    };
    let mut config = wlan.plan().unwrap().media.remove(0).config;
    for port in &mut config.ports {
        port.rate = RateConfig::Fixed(mode);
        port.rts_from = Some(4000);
        port.errors = ErrorModel::Ber(1e-5);
        port.carries_acks = Some(CarriedAcks::HACK);
    }
    config
}

fn run(config: MediumConfig) -> Vec<Sighting> {
    let stream = |what| rng::stream(3, what);
    let streams = MediumStreams {
        backoff: stream("backoff"),
        errors: stream("errors"),
        rates: stream("rates"),
        channel: ChannelStreams {
            shadowing: stream("shadowing"),
            fading: stream("fading"),
        },
        neighbours: stream("neighbours"),
    };
    let (mut medium, mut monitor) = (Medium::new(config, streams), Monitor::default());
    for i in 0..240 {
        let packet = Packet {
            id: PacketId(i),
            size: [1460, 1460, 1460, 52, 52, 700][i as usize / 40],
            flow: FlowId(i % 4),
            ecn: Ecn::NotEct,
        };
        medium.offer(Instant::ZERO, PortId(i % 4), 0, packet, &mut monitor);
    }
    while let Some(now) = medium
        .next_wakeup()
        .filter(|at| *at < Instant::ZERO + Span::from_millis(400))
    {
        while medium.advance(now, &mut monitor).is_some() {}
    }
    monitor.seen.on(0).collect()
}

fn channel() -> Channel {
    Channel {
        name: "air".into(),
        stations: ["ap", "sta1", "sta2"].map(String::from).into(),
        access_point: Some(StationId(0)),
        phy: Phy::new(&PhyConfig::new(Band::Ghz5)).unwrap(),
        tids: vec![0],
    }
}

fn capture(seen: &[Sighting]) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let written = write(&mut bytes, &channel(), seen.iter().cloned(), "acklab").unwrap();
    (bytes, written)
}

/// tshark's values of those fields of those frames; `None` without tshark.
fn tshark(capture: &[u8], only: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut command = Command::new("tshark");
    command.args(["-r", "-", "-Y", only, "-T", "fields", "-E", "separator=;"]);
    for field in fields {
        command.args(["-e", field]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut running) = command.stderr(Stdio::piped()).spawn() else {
        std::eprintln!("tshark is not installed: what it would read is not checked");
        return None;
    };
    let mut input = running.stdin.take()?;
    let done = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(capture).expect("tshark reads all"));
        running.wait_with_output().unwrap()
    });
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{complaints}");
    let text = String::from_utf8(done.stdout).unwrap();
    let line = |l: &str| l.split(';').map(String::from).collect();
    Some(text.lines().map(line).collect())
}

fn aggregations() -> Vec<(&'static str, Aggregation)> {
    let ampdu = Aggregation {
        ampdu: 16_384,
        ..Aggregation::NONE
    };
    let both = Aggregation {
        amsdu: 3839,
        ..ampdu
    };
    let wide = Aggregation {
        window: 256,
        ..ampdu
    };
    let amsdu = Aggregation { ampdu: 0, ..both };
    vec![
        ("none", Aggregation::NONE),
        ("ampdu", ampdu),
        ("both", both),
        ("wide", wide),
        ("amsdu", amsdu),
    ]
}

fn modes() -> Vec<Mode> {
    vec![
        Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap(),
        Mode::vht(8, 2, Width::Mhz80, Guard::Ns400).unwrap(),
        Mode::he(9, 1, Width::Mhz20, Guard::Ns1600).unwrap(),
        Mode::legacy(Rate::from_bps(54_000_000)).unwrap(),
    ]
}

#[test]
fn tshark_has_nothing_to_complain_about() {
    for mode in modes() {
        for (name, aggregation) in aggregations() {
            let legacy = mode.format().is_legacy();
            if legacy && aggregation.ampdu > 0 {
                continue;
            }
            let seen = run(config(mode, aggregation));
            let (bytes, written) = capture(&seen);
            let wrong = "_ws.malformed || _ws.short || _ws.expert.severity >= Warning";
            let fields = ["frame.number", "_ws.expert.message", "_ws.col.Info"];
            if let Some(complaints) = tshark(&bytes, wrong, &fields) {
                assert!(complaints.is_empty(), "{mode} {name}: {complaints:?}");
                let all = tshark(&bytes, "wlan && radiotap", &["frame.number"]).unwrap();
                assert_eq!(all.len() as u64, written, "{mode} {name}");
            }
        }
    }
}

/// Times, addresses, numbers and lengths are those of the PPDUs.
#[test]
fn fields_are_the_facts() {
    let ampdu = aggregations()[1].1;
    let seen = run(config(modes()[0], ampdu));
    let (bytes, _) = capture(&seen);
    assert!(seen.is_sorted_by_key(|s| s.ppdu.start));
    let fields = [
        "frame.time_epoch",
        "radiotap.mcs.index",
        "wlan.ta",
        "wlan.ra",
        "wlan.seq",
        "wlan.duration",
        "wlan.fc.retry",
        "frame.len",
    ];
    let Some(found) = tshark(&bytes, "wlan.fc.type_subtype == 0x28", &fields) else {
        return;
    };
    let mut expected = vec![];
    for s in &seen {
        let Content::Mpdus(all) = &s.content else {
            continue;
        };
        for m in all {
            let p = &s.ppdu;
            let at = p.start.as_nanos();
            let name = |s: StationId| format!("02:00:00:00:00:{:02x}", s.0);
            let nav = (p.nav - p.end).as_nanos().div_ceil(1000);
            let time = format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
            expected.push((time, name(p.from), name(p.to), m.seq, nav, m.retry, m.bytes));
        }
    }
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        let radiotap = f[7].parse::<u32>().unwrap() - e.6;
        assert!((20..60).contains(&radiotap), "{f:?}");
        let retry = ["1", "True"].contains(&f[6].as_str());
        let read = (
            f[0].clone(),
            f[2].clone(),
            f[3].clone(),
            f[4].parse().unwrap(),
            f[5].parse().unwrap(),
            retry,
            e.6,
        );
        assert_eq!((f[1].as_str(), read), ("7", e));
    }
    let acks = tshark(
        &bytes,
        "wlan.fc.type_subtype == 0x19",
        &["wlan.fixed.ssc.sequence"],
    )
    .unwrap();
    let starts: Vec<_> = seen
        .iter()
        .filter_map(|s| match s.content {
            Content::BlockAck(start, _) => Some(vec![start.to_string()]),
            _ => None,
        })
        .collect();
    assert!(starts.len() > 5 && acks == starts);
    let carried = seen.iter().filter(|s| s.ppdu.carried > 0).count();
    let comments = tshark(
        &bytes,
        "frame.comment contains \"transport ACKs\"",
        &["frame.number"],
    );
    assert_eq!(comments.unwrap().len(), carried);
    assert!(seen.iter().any(|s| s.ppdu.kind == PpduKind::Rts));
}

/// A frame to its own sender names that as the receiver, and no one as the sender (9.3.1.3).
#[test]
fn a_cts_to_self_is_for_its_sender() {
    let eleven = Mode::legacy(Rate::from_bps(11_000_000)).unwrap();
    let mut config = config(modes()[0], aggregations()[0].1);
    config.phy = Phy::new(&PhyConfig {
        protection: Some(eleven),
        ..PhyConfig::new(Band::Ghz2_4)
    })
    .unwrap();
    let seen = run(config);
    let to_self = |s: &&Sighting| s.ppdu.kind == PpduKind::CtsToSelf;
    let senders: Vec<_> = seen.iter().filter(to_self).map(|s| s.ppdu.from.0).collect();
    assert!(senders.contains(&0) && senders.contains(&1));
    for s in seen.iter().filter(to_self) {
        let bytes = &frames::of(&channel(), s)[0].bytes;
        assert_eq!((bytes.len(), bytes[0]), (14, 0xc4));
        assert_eq!(bytes[4..10], frames::address(s.ppdu.from));
    }
}

/// Each question and answer is an ARP packet between the addresses it is about, and frames for everybody
/// go to the broadcast address from the access point.
#[test]
fn questions_for_addresses_are_arp() {
    let mut config = config(modes()[0], aggregations()[0].1);
    config.arp = Some(ArpConfig::NS3);
    let seen = run(config);
    let (bytes, _) = capture(&seen);
    let wrong = "_ws.malformed || _ws.short || _ws.expert.severity >= Warning";
    let Some(complaints) = tshark(&bytes, wrong, &["_ws.expert.message"]) else {
        return;
    };
    assert!(complaints.is_empty(), "{complaints:?}");
    let fields = [
        "arp.opcode",
        "arp.src.proto_ipv4",
        "arp.dst.proto_ipv4",
        "wlan.ra",
        "wlan.da",
        "wlan.sa",
    ];
    let mut found = tshark(&bytes, "arp", &fields).unwrap();
    let messages = seen.iter().filter_map(|s| match &s.content {
        Content::Mpdus(all) => Some(all.iter().filter(|m| m.arp.is_some()).count()),
        _ => None,
    });
    assert_eq!(found.len(), messages.sum::<usize>());
    found.sort();
    found.dedup();
    let (ap, sta, all) = (
        "02:00:00:00:00:00",
        "02:00:00:00:00:01",
        "ff:ff:ff:ff:ff:ff",
    );
    let expected = [
        ["1", "10.1.0.1", "10.1.0.2", all, all, ap],
        ["1", "10.1.0.2", "10.1.0.1", ap, all, sta],
        ["1", "10.1.0.2", "10.1.0.1", all, all, sta],
        ["2", "10.1.0.1", "10.1.0.2", sta, sta, ap],
        ["2", "10.1.0.2", "10.1.0.1", ap, ap, sta],
    ];
    for e in expected {
        assert!(found.iter().any(|f| f == &e), "{e:?} in {found:?}");
    }
}

/// Requests and responses are ADDBA frames with the fields of the agreement, and no more of them than there are.
#[test]
fn agreements_are_addba() {
    let mut config = config(modes()[0], aggregations()[3].1);
    config.addba = Some(AddbaConfig::NS3_HT);
    let window = config.ports[0].aggregation.window;
    let seen = run(config);
    let actions: Vec<_> = seen
        .iter()
        .filter_map(|s| match s.content {
            Content::Action(action, of) => Some((s, action, of)),
            _ => None,
        })
        .collect();
    assert!(actions.len() >= 4, "both ways");
    assert!(
        actions
            .iter()
            .all(|(s, _, of)| s.ppdu.bytes == 37 && *of == window)
    );
    let (bytes, _) = capture(&seen);
    let wrong = "_ws.malformed || _ws.short || _ws.expert.severity >= Warning";
    let Some(complaints) = tshark(&bytes, wrong, &["_ws.expert.message"]) else {
        return;
    };
    assert!(complaints.is_empty(), "{complaints:?}");
    let fields = [
        "wlan.fixed.action_code",
        "wlan.seq",
        "wlan.fixed.dialog_token",
        "wlan.fixed.baparams.buffersize",
        "wlan.fixed.baparams.policy",
        "wlan.ra",
        "wlan.ta",
    ];
    let found = tshark(&bytes, "wlan.fixed.category_code == 3", &fields).unwrap();
    assert_eq!(found.len(), actions.len());
    let address = |id: StationId| format!("02:00:00:00:00:{:02x}", id.0);
    for (f, (s, action, window)) in found.iter().zip(&actions) {
        let code = match action.kind {
            Kind::Request => "0x00",
            Kind::Response => "0x01",
        };
        let token = format!("0x{:02x}", action.token);
        let expected = [
            code.to_string(),
            action.seq.to_string(),
            token,
            window.to_string(),
            "1".to_string(),
            address(s.ppdu.to),
            address(s.ppdu.from),
        ];
        let read: Vec<_> = f
            .iter()
            .map(|x| if x == "True" { "1" } else { x })
            .collect();
        assert_eq!(read, expected);
    }
    let starts = tshark(
        &bytes,
        "wlan.fixed.action_code == 0 && wlan.fixed.category_code == 3",
        &["wlan.fixed.ssc.sequence"],
    )
    .unwrap();
    let asked = actions.iter().filter(|(_, a, _)| a.kind == Kind::Request);
    let expected: Vec<_> = asked.map(|(_, a, _)| vec![a.start.to_string()]).collect();
    assert_eq!(starts, expected);
}
