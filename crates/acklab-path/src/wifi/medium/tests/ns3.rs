//! ns-3's saturation goodput, row by row.

use super::*;
use std::string::String;

/// How it was made: `validation/ns3`.
const ROWS: &str = include_str!("../../../../../../validation/ns3/wifi_saturated.csv");

struct Row {
    mode: Mode,
    goodput_mbps: f64,
    args: &'static str,
}

fn rows() -> Vec<Row> {
    let mut lines = ROWS.lines();
    let names: Vec<_> = lines.next().unwrap().split(',').collect();
    let row = |line: &'static str| {
        let fields: Vec<_> = line.split(',').collect();
        let get = |name: &str| fields[names.iter().position(|n| *n == name).unwrap()];
        let number = |name: &str| get(name).parse::<u16>().unwrap();
        let width = match number("width_mhz") {
            20 => Width::Mhz20,
            40 => Width::Mhz40,
            80 => Width::Mhz80,
            _ => Width::Mhz160,
        };
        let guard = match number("gi_ns") {
            400 => Guard::Ns400,
            _ => Guard::Ns800,
        };
        let mcs = number("mcs") as u8;
        let mode = match get("std") {
            "n" => Mode::ht(mcs, width, guard),
            _ => Mode::vht(mcs, 1, width, guard),
        };
        assert_eq!((get("proto"), get("dir"), get("rts")), ("udp", "up", "0"));
        Row {
            mode: mode.unwrap(),
            goodput_mbps: get("goodput_mbps").parse().unwrap(),
            args: get("args"),
        }
    };
    lines.map(row).collect()
}

/// UDP payload of 1472 bytes, A-MPDUs of up to 65,535 bytes, window 64. ns-3 rounds PPDUs with a
/// short guard interval up to whole symbols of that interval. Its AP sends beacons, too, which is most of
/// the difference.
#[test]
fn saturated_udp() {
    let mut report = String::new();
    let mut worst: f64 = 0.0;
    for row in rows() {
        let mut config = cell(1, ampdu(65_535));
        config
            .ports
            .iter_mut()
            .for_each(|p| p.rate = RateConfig::Fixed(row.mode));
        let mut rig = Rig::new(config, 1);
        let bytes = rig.saturate(&[0], 1500, 200, us(2_000_000))[0];
        let goodput = bytes as f64 / 1500.0 * 1472.0 * 8.0 / 2e6;
        let off = goodput / row.goodput_mbps - 1.0;
        worst = worst.max(off.abs());
        report += &std::format!("{off:+.4} {goodput:.3} {} {}\n", row.goodput_mbps, row.args);
    }
    assert!(worst < 0.01, "{report}");
}
