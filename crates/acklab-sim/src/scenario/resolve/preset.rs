//! Preset networks.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{OneOrMany, Preset, PresetLinkSpec, ServersWord, TopologySpec, WayWord};
use super::link::{BOTTLENECK_QUEUE, HOST_QUEUE, Site, both_directions};
use super::topology::Net;
use super::wifi::{MOST_STATIONS, listed};
use acklab_units::Limit;

/// More of anything is a slip, and would take the memory of the machine.
const MOST_PAIRS: u32 = 1_000;

/// Adds the nodes and links of `spec` to `net`.
pub(super) fn add(
    spec: &TopologySpec,
    net: &mut Net,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) {
    let path = Path::root().key("topology");
    let Some(preset) = spec.preset else {
        let hint = format!("write {}", with(&written(spec)));
        return report.missing(&path, "preset", &hint);
    };
    foreign_keys(spec, preset, &path, report);
    let mut lot = Lot {
        spec,
        path,
        net,
        reg,
        report,
    };
    match preset {
        Preset::Dumbbell => lot.dumbbell(),
        Preset::ParkingLot => lot.parking_lot(),
        Preset::Wlan => lot.wlan(),
        Preset::WifiDumbbell => lot.wifi_dumbbell(),
    }
}

/// The keys that are written.
fn written(spec: &TopologySpec) -> Vec<&'static str> {
    let all = [
        ("pairs", spec.pairs.is_some()),
        ("hops", spec.hops.is_some()),
        ("stations", spec.stations.is_some()),
        ("servers", spec.servers.is_some()),
        ("direction", spec.direction.is_some()),
        ("wire", spec.wire.is_some()),
        ("access", spec.access.is_some()),
        ("receiver_access", spec.receiver_access.is_some()),
        ("bottleneck", spec.bottleneck.is_some()),
    ];
    all.into_iter()
        .filter_map(|(key, on)| on.then_some(key))
        .collect()
}

impl Preset {
    const ALL: [Self; 4] = [
        Self::Dumbbell,
        Self::ParkingLot,
        Self::Wlan,
        Self::WifiDumbbell,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Dumbbell => "dumbbell",
            Self::ParkingLot => "parking-lot",
            Self::Wlan => "wlan",
            Self::WifiDumbbell => "wifi-dumbbell",
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Dumbbell => &["pairs", "access", "receiver_access", "bottleneck"],
            Self::ParkingLot => &["hops", "access", "receiver_access", "bottleneck"],
            Self::Wlan => &["stations", "servers", "direction", "wire"],
            Self::WifiDumbbell => &["pairs", "access", "receiver_access"],
        }
    }

    /// Its description, for a message about a key of another preset.
    fn about(self) -> &'static str {
        match self {
            Self::Dumbbell => "a dumbbell has one bottleneck; it has `pairs`",
            Self::ParkingLot => "a parking lot has one pair more than `hops`",
            Self::Wlan => {
                "a wlan has `stations`, `servers`, `direction` and `wire`, and its channel is [wifi]"
            }
            Self::WifiDumbbell => {
                "a wifi-dumbbell has `pairs`, `access` and `receiver_access`, and its channel is [wifi]"
            }
        }
    }

    /// The preset that has a node called `name`: the one that is usually meant.
    fn with_node(name: &str) -> Option<Self> {
        let (stem, number) = name.split_at(name.trim_end_matches(char::is_numeric).len());
        match (stem, number.is_empty()) {
            ("ap" | "server", true) | ("sta" | "server", false) => Some(Self::Wlan),
            ("sta", true) => Some(Self::WifiDumbbell),
            ("left" | "right", true) | ("s" | "d", false) => Some(Self::Dumbbell),
            ("r", false) => Some(Self::ParkingLot),
            _ => None,
        }
    }
}

/// The presets that have all of `keys`; all presets if none has.
fn with(keys: &[&str]) -> String {
    let has = |p: &&Preset| keys.iter().all(|key| p.keys().contains(key));
    let mut found: Vec<&Preset> = Preset::ALL.iter().filter(has).collect();
    if found.is_empty() {
        found.extend(&Preset::ALL);
    }
    let words = found.iter().map(|p| format!("\"{}\"", p.word()));
    listed(words, "or")
}

/// Which preset would have brought the node `name` along.
pub(super) fn of_node(name: &str) -> Option<String> {
    let preset = Preset::with_node(name)?.word();
    Some(format!("[topology] preset = \"{preset}\" has `{name}`"))
}

/// Keys that another preset has.
fn foreign_keys(spec: &TopologySpec, preset: Preset, path: &Path, report: &mut Report<'_>) {
    for key in written(spec) {
        if !preset.keys().contains(&key) {
            let message = format!("`{key}` does not fit this preset");
            let hint = format!(
                "{}; `{key}` is for preset = {}",
                preset.about(),
                with(&[key])
            );
            report.error(&path.key(key), message, hint);
        }
    }
}

/// A preset under construction.
struct Lot<'a, 'r> {
    spec: &'a TopologySpec,
    path: Path,
    net: &'a mut Net,
    reg: Registries<'a>,
    report: &'a mut Report<'r>,
}

impl Lot<'_, '_> {
    fn dumbbell(&mut self) {
        let pairs = self.count("pairs", self.spec.pairs, 1, MOST_PAIRS);
        let senders = self.hosts("s", pairs);
        let left = self.net.add("left".to_string());
        let right = self.net.add("right".to_string());
        let receivers = self.hosts("d", pairs);
        self.bottlenecks(&[left, right]);
        self.attach(&senders, &receivers, |_| (left, right));
    }

    fn parking_lot(&mut self) {
        let hops = self.count("hops", self.spec.hops, 2, MOST_PAIRS);
        let senders = self.hosts("s", hops + 1);
        let routers = self.hosts("r", hops + 1);
        let receivers = self.hosts("d", hops + 1);
        self.bottlenecks(&routers);
        self.attach(&senders, &receivers, |i| match i {
            0 => (routers[0], routers[hops]),
            i => (routers[i - 1], routers[i]),
        });
    }

    /// Stations first, then the access point, then servers; the channel comes with [`super::wifi::build`].
    fn wlan(&mut self) {
        let n = self.count("stations", self.spec.stations, 1, MOST_STATIONS as u32);
        let stations = self.hosts("sta", n);
        let ap = self.net.add("ap".to_string());
        let servers = match self.spec.servers.unwrap_or(ServersWord::One) {
            ServersWord::One => vec![self.net.add("server".to_string())],
            ServersWord::Each => self.hosts("server", n),
        };
        let wires = self.one_for_each("wire", self.spec.wire.as_ref(), servers.len());
        for (server, (wire, path)) in servers.iter().zip(wires) {
            self.connect(ap, *server, &wire, HOST_QUEUE, &path);
        }
        let up = self.spec.direction != Some(WayWord::Down);
        let pair = |(i, sta): (usize, &usize)| {
            let server = servers[i % servers.len()];
            if up { (*sta, server) } else { (server, *sta) }
        };
        self.net.pairs = stations.iter().enumerate().map(pair).collect();
        self.net.cell = Some((ap, stations));
    }

    /// Wired senders, a station, the access point, wired receivers.
    fn wifi_dumbbell(&mut self) {
        let pairs = self.count("pairs", self.spec.pairs, 1, MOST_PAIRS);
        let senders = self.hosts("s", pairs);
        let station = self.net.add("sta".to_string());
        let ap = self.net.add("ap".to_string());
        let receivers = self.hosts("d", pairs);
        self.attach(&senders, &receivers, |_| (station, ap));
        self.net.cell = Some((ap, vec![station]));
    }

    fn count(&mut self, key: &str, value: Option<u32>, default: u32, most: u32) -> usize {
        let n = value.unwrap_or(default);
        if n == 0 || n > most {
            let hint = format!("write a number from 1 to {most}");
            self.report.error(&self.path.key(key), "out of range", hint);
        }
        n.clamp(1, most) as usize
    }

    fn hosts(&mut self, letter: &str, n: usize) -> Vec<usize> {
        (0..n)
            .map(|i| self.net.add(format!("{letter}{i}")))
            .collect()
    }

    fn bottlenecks(&mut self, routers: &[usize]) {
        let n = routers.len() - 1;
        let specs = self.one_for_each("bottleneck", self.spec.bottleneck.as_ref(), n);
        if self.spec.bottleneck.is_none() && !self.report.any_within(&self.path) {
            let hint = "write at least [topology.bottleneck] with a rate and a delay".to_string();
            self.report.error(
                &self.path.key("bottleneck"),
                "the bottleneck is missing",
                hint,
            );
        }
        for (ends, (link, path)) in routers.windows(2).zip(specs) {
            self.connect(ends[0], ends[1], &link, BOTTLENECK_QUEUE, &path);
        }
    }

    fn attach(
        &mut self,
        senders: &[usize],
        receivers: &[usize],
        routers: impl Fn(usize) -> (usize, usize),
    ) {
        let access = self.spec.access.as_ref();
        let (key, receiver_access) = match &self.spec.receiver_access {
            Some(own) => ("receiver_access", Some(own)),
            None => ("access", access),
        };
        let here = self.one_for_each("access", access, senders.len());
        let there = self.one_for_each(key, receiver_access, receivers.len());
        for (i, ((near, near_path), (far, far_path))) in here.into_iter().zip(there).enumerate() {
            let (first, last) = routers(i);
            self.connect(senders[i], first, &near, HOST_QUEUE, &near_path);
            self.connect(last, receivers[i], &far, HOST_QUEUE, &far_path);
            self.net.pairs.push((senders[i], receivers[i]));
        }
    }

    /// `n` links with the places of their keys.
    fn one_for_each(
        &mut self,
        key: &str,
        links: Option<&OneOrMany<PresetLinkSpec>>,
        n: usize,
    ) -> Vec<(PresetLinkSpec, Path)> {
        let path = self.path.key(key);
        match links {
            None => vec![(PresetLinkSpec::default(), path); n],
            Some(OneOrMany::One(link)) => vec![(link.clone(), path); n],
            Some(OneOrMany::Many(list)) => {
                if list.len() != n {
                    let message = format!("{} tables for {n} links", list.len());
                    let hint = "write one for each link in order, or a single one for all";
                    self.report.error(&path, message, hint.to_string());
                }
                let listed = list.iter().enumerate();
                listed
                    .map(|(i, l)| (l.clone(), path.index(i)))
                    .take(n)
                    .collect()
            }
        }
    }

    fn connect(&mut self, a: usize, b: usize, link: &PresetLinkSpec, queue: Limit, path: &Path) {
        if link.reverse.name.is_some() {
            let hint = "the links of a preset are called after their nodes".to_string();
            let at = path.key("reverse").key("name");
            self.report.error(&at, "this link cannot be named", hint);
        }
        let site = Site {
            from: (a, &self.net.nodes[a]),
            to: (b, &self.net.nodes[b]),
            default_queue: queue,
            path: path.clone(),
        };
        let forward = link.forward();
        let both = both_directions(
            &forward,
            &link.reverse,
            link.pauses,
            &site,
            self.reg,
            self.report,
        );
        self.net.links.extend(both);
    }
}
