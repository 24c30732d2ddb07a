//! One way up and one way down for each station, and the links that stand for them.

use super::super::super::canonical;
use super::super::super::diagnostics::{Report, suggest};
use super::super::super::path::Path;
use super::super::super::registries::Registries;
use super::super::super::spec::{
    EdcaDefaultsWord, FiltersSpec, WayKeys, WifiSpec, WifiStationSpec,
};
use super::super::filter;
use super::super::link::DraftLink;
use super::super::topology::{Net, incomplete};
use super::contention::Sides;
use super::layers::{Layers, Ways};
use super::{
    Channel, Network, Station, Way, aggregation, channel, contention, errors, rate, waiting,
};
use crate::plan::{FilterPlan, ImpairPlan, LinkPlan, QueuePlan};
use acklab_units::{Rate, Span};
use std::collections::HashSet;

/// Which way.
#[derive(Clone, Copy, PartialEq)]
enum To {
    Ap,
    Station,
}

/// Adds the channel to `net`, and its ports to the links.
pub(super) fn add(
    (spec, path): (&WifiSpec, &Path),
    (name, ap, stations): (String, usize, Vec<usize>),
    net: &mut Net,
    reg: Registries<'_>,
    report: &mut Report<'_>,
) {
    strangers(spec, path, &stations, net, report);
    let Some(channel) = channel::resolve(spec, path, (ap, &stations), net, report) else {
        return;
    };
    let mut cell = Cell {
        spec,
        path,
        channel: &channel,
        reg,
        devices: Vec::new(),
        report,
    };
    let sides = cell.sides(None);
    let mut contenders = vec![cell.station(&sides)];
    let usual = cell.usual();
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let first_link = net.links.len();
    for node in &stations {
        if !cell.report.goes_on() {
            return;
        }
        let own = spec.station.get(&net.nodes[*node]);
        let own = own.map(|s| (s, path.key("station").key(&net.nodes[*node])));
        let Some((mut there, mut back, station)) = usual.clone() else {
            return;
        };
        let mut station = station;
        if let Some(own) = &own {
            let (Some(a), Some(b)) = (
                cell.way(To::Ap, Some(own)),
                cell.way(To::Station, Some(own)),
            ) else {
                continue;
            };
            (there, back) = (a, b);
            let sides = cell.sides(Some(Some(own)));
            station = cell.station(&sides);
        }
        let ends = [(*node, ap), (ap, *node)];
        let ways = [
            (To::Ap, &there, station.waiting.limit),
            (To::Station, &back, contenders[0].waiting.limit),
        ];
        for ((from, to), (way, plan, queue)) in ends.into_iter().zip(ways) {
            let filters = cell.filters(way, own.as_ref());
            let link = port((from, to), plan, queue, filters, net, path);
            net.links.push(link);
        }
        up.push(there);
        down.push(back);
        contenders.push(station);
    }
    let devices = core::mem::take(&mut cell.devices);
    waiting::unused(&devices, report);
    let per_station = |c: &Station| c.waiting.is_per_station();
    if spec.queue_counts.is_some() && contenders.iter().all(per_station) {
        let message = "`queue_counts` has no effect with queues per station";
        let hint = "leave it out, or write qdisc = \"shared\"".to_string();
        report.error(&path.key("queue_counts"), message, hint);
    }
    let network = Network {
        name,
        ap,
        stations,
        channel,
        up,
        down,
        contenders,
        first_link,
        path: path.clone(),
    };
    super::ofdma::needs_aggregation(&network, path, report);
    super::ofdma::one_width(&network, path, report);
    net.wifi.push(network);
}

/// Tables of stations that are not on this channel.
fn strangers(spec: &WifiSpec, path: &Path, stations: &[usize], net: &Net, report: &mut Report<'_>) {
    if incomplete(report) {
        return;
    }
    let known = || stations.iter().map(|s| net.nodes[*s].as_str());
    let on_channel: HashSet<&str> = known().collect();
    for name in spec.station.keys() {
        if !on_channel.contains(name.as_str()) && report.goes_on() {
            let message = format!("`{name}` is no station of this channel");
            let hint = suggest(name, known(), "its stations are");
            report.error(&path.key("station").key(name), message, hint);
        }
    }
}

/// The link that stands for a way: flows are routed over it and filters stand in front of it.
fn port(
    (from, to): (usize, usize),
    way: &Way,
    queue: QueuePlan,
    filters: Vec<FilterPlan>,
    net: &Net,
    path: &Path,
) -> DraftLink {
    let rate: Rate = way.rate.mode.rate();
    DraftLink {
        plan: LinkPlan {
            name: format!("{}->{}", net.nodes[from], net.nodes[to]),
            from,
            to,
            rate,
            trace: None,
            delay: Span::ZERO,
            overhead: 0,
            queue,
            discipline: None,
            mark: None,
            filters,
            impair: ImpairPlan::default(),
        },
        limit: canonical::limit(&queue),
        mark: None,
        limit_is_default: false,
        path: path.clone(),
    }
}

type Own<'a> = (&'a WifiStationSpec, Path);

/// A channel under construction.
struct Cell<'a, 'r> {
    spec: &'a WifiSpec,
    path: &'a Path,
    channel: &'a Channel,
    reg: Registries<'a>,
    /// Where limits of devices are written, and whether a discipline stands above.
    devices: Vec<(Path, bool)>,
    report: &'a mut Report<'r>,
}

impl Cell<'_, '_> {
    /// The settings of a station that has no table of its own.
    fn usual(&mut self) -> Option<(Way, Way, Station)> {
        let (up, down) = (self.way(To::Ap, None), self.way(To::Station, None));
        let sides = self.sides(Some(None));
        let station = self.station(&sides);
        Some((up?, down?, station))
    }

    fn way(&mut self, to: To, own: Option<&Own<'_>>) -> Option<Way> {
        let ways = self.ways(to, own);
        let rate = rate::resolve(self.channel.standard, &self.channel.phy, &ways, self.report);
        let in_space = self.channel.space.is_some();
        let errors = errors::resolve(&ways, rate.as_ref(), in_space, self.report);
        let sizes = aggregation::resolve(self.channel.standard, &ways, self.report);
        let rts = ways.get("rts", |k: &WayKeys| k.rts).0;
        Some(Way {
            hack: errors::hack(&ways, self.report),
            errors,
            rate: rate?,
            ampdu: sizes.ampdu,
            amsdu: sizes.amsdu,
            receiver_amsdu: sizes.receiver_amsdu,
            max_mpdu: sizes.max_mpdu,
            window: sizes.window,
            rts_from: rts.and_then(|r| r.0),
            grants_reverse: self.grants_reverse(to, own),
        })
    }

    /// From the inside out.
    fn ways(&self, to: To, own: Option<&Own<'_>>) -> Ways {
        let (key, side) = match to {
            To::Ap => ("up", &self.spec.up),
            To::Station => ("down", &self.spec.down),
        };
        let mut all = Vec::new();
        if let Some((station, path)) = own {
            let inner = match to {
                To::Ap => &station.up,
                To::Station => &station.down,
            };
            all.push((inner.way(), path.key(key)));
            all.push((station.way(), path.clone()));
        }
        all.push((side.way(), self.path.key(key)));
        all.push((self.spec.way(), self.path.clone()));
        Layers::new(all)
    }

    fn grants_reverse(&mut self, to: To, own: Option<&Own<'_>>) -> bool {
        let of_channel = self.spec.reverse_grant.filter(|_| to == To::Ap);
        let (key, side) = match to {
            To::Ap => ("up", self.spec.up.reverse_grant),
            To::Station => ("down", self.spec.down.reverse_grant),
        };
        let inner = own.and_then(|(s, path)| {
            let grants = match to {
                To::Ap => s.up.reverse_grant,
                To::Station => s.down.reverse_grant,
            };
            Some((grants?, path.key(key)))
        });
        let side = side.map(|g| (g, self.path.key(key)));
        let of_channel = of_channel.map(|g| (g, self.path.clone()));
        let Some((grants, path)) = inner.or(side).or(of_channel) else {
            return false;
        };
        if grants && !self.channel.standard.format().aggregates() {
            let word = self.channel.standard.word();
            let message = format!("802.11{word} does not have the reverse direction protocol");
            let hint = "leave it out, or choose standard = \"n\" or later".to_string();
            self.report.error(&path.key("reverse_grant"), message, hint);
        }
        grants
    }

    /// The tables of the access point (`None`) or of a station with or without one of its own.
    fn sides(&self, station: Option<Option<&Own<'_>>>) -> Sides {
        let mut all = Vec::new();
        if let Some(Some((own, path))) = station {
            all.push((own.side(), path.clone()));
        }
        let (key, side) = match station {
            Some(_) => ("up", &self.spec.up),
            None => ("down", &self.spec.down),
        };
        all.push((side.side(), self.path.key(key)));
        all.push((self.spec.side(), self.path.clone()));
        Layers::new(all)
    }

    fn station(&mut self, sides: &Sides) -> Station {
        let channel = self.channel;
        let in_space = channel.space.is_some();
        let (standard, own) = (channel.standard, channel.category);
        let edition = self.spec.edca_defaults.unwrap_or(EdcaDefaultsWord::Of2012);
        let (waiting, device) = waiting::resolve(standard, sides, self.reg, self.report);
        let above = waiting.discipline().is_some();
        self.devices.extend(device.map(|at| (at, above)));
        let kept = (in_space, waiting);
        contention::resolve((standard, edition), own, kept, sides, self.report)
    }

    fn filters(&mut self, to: To, own: Option<&Own<'_>>) -> Vec<FilterPlan> {
        let (key, side) = match to {
            To::Ap => ("up", &self.spec.up),
            To::Station => ("down", &self.spec.down),
        };
        let inner = own.map(|(s, path)| match to {
            To::Ap => (&s.up.ack_filter, path.key(key)),
            To::Station => (&s.down.ack_filter, path.key(key)),
        });
        let inner = inner.filter(|(f, _)| f.is_some());
        let (spec, path): (&Option<FiltersSpec>, Path) =
            inner.unwrap_or((&side.ack_filter, self.path.key(key)));
        filter::filters(spec.as_ref(), &path, self.reg, self.report)
    }
}
