//! Radio channels: who is on them, how each way is used, and the ports that flows are routed over.
//!
//! A key is looked up from the inside out: the way of a station, the station, the side
//! (`up`, `down`), the channel. [`Network`] is a channel with nothing left to defaults;
//! [`super::super::canonical`] writes it and [`medium`] makes of it what the engine runs.

mod addba;
mod aggregation;
mod arp;
mod channel;
mod chosen;
mod coexistence;
mod contention;
mod errors;
mod layers;
mod legacy;
pub(super) mod medium;
mod mode;
mod numbers;
mod ofdma;
mod place;
mod ports;
mod radio;
mod rate;
mod space;
mod waiting;

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{
    AddbaSpec, AddbaTable, ArpSpec, ArpTable, OneOrMany, ProfileWord, Spec, Standard, WifiSpec,
};
use super::topology::{Net, incomplete};
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac::Counts;
use acklab_path::wifi::medium::{
    AccessCategory, AfterSilence, CarriedAcks, EdcaConfig, OfdmaConfig,
};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_path::wifi::phy::{Band, ErrorModel, Format, Phy};
use acklab_path::wifi::propagation::Radio;
use acklab_proto::registry::{Param, Params};
use acklab_units::{Rate, Span};
use std::borrow::Cow;
use std::collections::HashSet;

pub(super) use channel::listed;
pub(crate) use coexistence::Coexistence;
pub(crate) use space::Space;
pub(crate) use waiting::{Queueing, Waiting};

/// More stations than this are a slip.
pub(super) const MOST_STATIONS: usize = 10_000;

/// A radio channel with nothing left to defaults.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) name: String,
    /// Nodes.
    pub(crate) ap: usize,
    pub(crate) stations: Vec<usize>,
    pub(crate) channel: Channel,
    /// By station.
    pub(crate) up: Vec<Way>,
    pub(crate) down: Vec<Way>,
    /// The access point's first, then by station.
    pub(crate) contenders: Vec<Station>,
    /// Number of the link of the first port; by station, one up and one down.
    pub(crate) first_link: usize,
    /// Where its keys stand.
    pub(crate) path: Path,
}

impl Network {
    /// The disciplines above the queues of stations: what their parameters can be, and what they are.
    pub(crate) fn disciplines_mut(
        &mut self,
    ) -> impl Iterator<Item = (&'static [Param], &mut Params)> {
        fn above(s: &mut Station) -> Option<(&'static [Param], &mut Params)> {
            match &mut s.waiting.queueing {
                Queueing::Mac(_) => None,
                Queueing::Above(chosen, _) => Some((chosen.entry().params, chosen.params_mut())),
            }
        }
        self.contenders.iter_mut().filter_map(above)
    }
}

/// The parameters that all stations of a channel share.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) standard: Standard,
    pub(crate) band: Band,
    pub(crate) basic_rates: Vec<Rate>,
    pub(crate) control_rate: Option<Rate>,
    pub(crate) rts_rate: Option<Rate>,
    pub(crate) coexistence: Coexistence,
    /// PPDUs last as long as in ns-3.
    pub(crate) ns3_durations: bool,
    pub(crate) phy: Phy,
    pub(crate) propagation: Span,
    pub(crate) slots: SlotRule,
    pub(crate) eifs: bool,
    pub(crate) after_silence: AfterSilence,
    pub(crate) category: AccessCategory,
    pub(crate) queue_counts: Counts,
    pub(crate) retry_limit: u8,
    pub(crate) block_ack_retry_limit: Option<u8>,
    /// `None` = without limit.
    pub(crate) block_ack_request_limit: Option<u8>,
    pub(crate) lifetime: Option<Span>,
    /// A BlockAckReq follows an A-MPDU without an answer.
    pub(crate) explicit_request: bool,
    /// Pairs of stations that do not hear each other, by their numbers on the channel; `None` = by
    /// `space`, and without one nobody is hidden.
    pub(crate) hidden: Option<Vec<(usize, usize)>>,
    pub(crate) space: Option<Space>,
    /// `None` = neighbours are known.
    pub(crate) arp: Option<ArpConfig>,
    /// `None` = everybody has agreed to block acks.
    pub(crate) addba: Option<AddbaConfig>,
    /// `None` = each transmission is of one station.
    pub(crate) ofdma: Option<OfdmaConfig>,
}

/// How data are sent from one station to another.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Way {
    pub(crate) rate: rate::Rate,
    /// 0 = off.
    pub(crate) ampdu: u32,
    /// 0 = off.
    pub(crate) amsdu: u32,
    /// The limit that the receiver announces; 0 without aggregation.
    pub(crate) receiver_amsdu: u32,
    pub(crate) max_mpdu: u32,
    pub(crate) window: u16,
    pub(crate) rts_from: Option<u32>,
    pub(crate) errors: ErrorModel,
    pub(crate) grants_reverse: bool,
    pub(crate) hack: Option<CarriedAcks>,
}

/// How a station queues, contends and transmits.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Station {
    pub(crate) waiting: Waiting,
    pub(crate) radio: Radio,
    /// By access category.
    pub(crate) edca: [EdcaConfig; AccessCategory::ALL.len()],
}

impl Standard {
    /// In the order in which they came.
    const ALL: [Self; 6] = [Self::B, Self::G, Self::A, Self::N, Self::Ac, Self::Ax];

    /// The format of its data.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::B => Format::HrDsss,
            Self::G | Self::A => Format::Ofdm,
            Self::N => Format::Ht,
            Self::Ac => Format::Vht,
            Self::Ax => Format::He,
        }
    }

    /// As it stands in scenarios.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::B => "b",
            Self::G => "g",
            Self::A => "a",
            Self::N => "n",
            Self::Ac => "ac",
            Self::Ax => "ax",
        }
    }
}

/// Adds the radio channels to `net`, their ports to its links.
pub(super) fn build(spec: &Spec, net: &mut Net, reg: Registries<'_>, report: &mut Report<'_>) {
    let mut written = written(spec);
    let default = WifiSpec::default();
    if net.cell.is_some() && written.is_empty() {
        written.push((&default, Path::root().key("wifi")));
    }
    let like_ns3 = spec.tcp.profile == Some(ProfileWord::Ns3);
    for (i, (wifi, path)) in written.into_iter().enumerate() {
        if !report.goes_on() {
            break;
        }
        let wifi = if like_ns3 {
            as_ns3(wifi)
        } else {
            Cow::Borrowed(wifi)
        };
        let wifi = wifi.as_ref();
        let of_preset = net.cell.take();
        let Some((ap, stations)) = who(wifi, of_preset, &path, net, report) else {
            continue;
        };
        let name = name(wifi, i, &path, net, report);
        ports::add((wifi, &path), (name, ap, stations), net, reg, report);
    }
}

/// The channel of a scenario whose `[tcp]` has profile "ns3". ns-3's hosts ask for addresses before they send, and its
/// stations set up Block Ack agreements; a scenario that wants neither says so.
fn as_ns3(written: &WifiSpec) -> Cow<'_, WifiSpec> {
    let mut spec = written.clone();
    spec.arp.get_or_insert(ArpSpec(Some(ArpTable::default())));
    if !spec.standard.unwrap_or(Standard::N).format().is_legacy() {
        spec.addba
            .get_or_insert(AddbaSpec(Some(AddbaTable::default())));
    }
    Cow::Owned(spec)
}

/// All of them, with their places.
fn written(spec: &Spec) -> Vec<(&WifiSpec, Path)> {
    let path = Path::root().key("wifi");
    match &spec.wifi {
        None => Vec::new(),
        Some(OneOrMany::One(w)) => vec![(w, path)],
        Some(OneOrMany::Many(list)) => {
            let listed = list.iter().enumerate();
            listed.map(|(i, w)| (w, path.index(i))).collect()
        }
    }
}

fn name(spec: &WifiSpec, i: usize, path: &Path, net: &Net, report: &mut Report<'_>) -> String {
    let default = || match i {
        0 => "wifi".to_string(),
        i => format!("wifi{i}"),
    };
    let name = spec.name.clone().unwrap_or_else(default);
    let at = path.key("name");
    if name.is_empty() {
        let hint = "leave it out for \"wifi\"".to_string();
        report.error(&at, "the name is empty", hint);
    }
    if net.wifi.iter().any(|w| w.name == name) {
        let message = format!("there is already a radio channel called `{name}`");
        report.error(&at, message, "give one of them another `name`".to_string());
    }
    name
}

/// Access point and stations.
fn who(
    spec: &WifiSpec,
    of_preset: Option<(usize, Vec<usize>)>,
    path: &Path,
    net: &Net,
    report: &mut Report<'_>,
) -> Option<(usize, Vec<usize>)> {
    if of_preset.is_some() {
        for (key, written) in [
            ("ap", spec.ap.is_some()),
            ("stations", spec.stations.is_some()),
        ] {
            if written {
                let hint = "leave it out; further channels follow, each as a [[wifi]]".to_string();
                let message =
                    "the preset already defines the members of its channel, the first [wifi]";
                report.error(&path.key(key), message, hint);
            }
        }
        return of_preset;
    }
    if incomplete(report) {
        return None;
    }
    let ap = spec.ap.as_deref();
    let stations = spec.stations.as_deref();
    if ap.is_none() {
        report.missing(
            path,
            "ap",
            "a radio channel has an access point: ap = \"router\"; or choose one with [topology] preset = \"wlan\"",
        );
    }
    if stations.is_none() {
        let hint = "a radio channel has stations: stations = [\"laptop\"]; or choose how many with \
                    [topology] preset = \"wlan\"";
        report.missing(path, "stations", hint);
    }
    let ap = net.expect_node(ap?, &path.key("ap"), report);
    let stations = members(stations?, ap, &path.key("stations"), net, report);
    Some((ap?, stations?))
}

fn members(
    names: &[String],
    ap: Option<usize>,
    path: &Path,
    net: &Net,
    report: &mut Report<'_>,
) -> Option<Vec<usize>> {
    if names.is_empty() || names.len() > MOST_STATIONS {
        let message = format!("{} stations", names.len());
        let hint = format!("a radio channel has 1 to {MOST_STATIONS} stations");
        report.error(path, message, hint);
        return None;
    }
    let mut seen = HashSet::new();
    let mut all = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let at = path.index(i);
        let Some(node) = net.expect_node(name, &at, report) else {
            continue;
        };
        if Some(node) == ap {
            let hint = "leave it out: stations are the others".to_string();
            report.error(&at, format!("`{name}` is the access point"), hint);
        } else if !seen.insert(node) {
            let hint = "write each station once".to_string();
            report.error(&at, format!("`{name}` is a station already"), hint);
        } else {
            all.push(node);
        }
    }
    (all.len() == names.len()).then_some(all)
}
