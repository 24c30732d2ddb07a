//! From a channel to what the engine runs.

use super::super::flow::DraftFlow;
use super::rate::Rate;
use super::{Channel, Network, Station, Way};
use crate::plan::{MediumPlan, StationDisciplinePlan};
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac::{self, sizes};
use acklab_path::wifi::medium::{
    AccessCategory, Aggregation, MediumConfig, PortConfig, RadioConfig, RateConfig, StationConfig,
    StationId,
};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_path::wifi::rate::registry::Rule;
use acklab_units::Span;

/// The medium of `network` with `flows` on it.
pub(crate) fn plan(network: &Network, flows: &[DraftFlow]) -> MediumPlan {
    let (own, n) = (network.channel.category, network.stations.len());
    let links = network.first_link..network.first_link + 2 * n;
    let category = |f: &DraftFlow| f.category.unwrap_or(own);
    let crosses = |f: &&DraftFlow| {
        let mut way = f.plan.forward.iter().chain(&f.plan.reverse);
        way.any(|l| links.contains(l))
    };
    // Only categories that are used, the most urgent first.
    let mut used: Vec<AccessCategory> = flows.iter().filter(crosses).map(category).collect();
    // ARP packets are best effort: nobody gives them a priority.
    used.extend(network.channel.arp.map(|_| AccessCategory::BestEffort));
    if used.is_empty() {
        used.push(own);
    }
    used.sort_unstable();
    used.dedup();
    let number = |c: AccessCategory| used.iter().position(|u| *u == c).unwrap_or(0) as u8;
    MediumPlan {
        name: network.name.clone(),
        nodes: [network.ap]
            .iter()
            .chain(&network.stations)
            .copied()
            .collect(),
        links: links.clone().collect(),
        categories: flows
            .iter()
            .flat_map(|f| [number(category(f)); 2])
            .collect(),
        disciplines: disciplines(network),
        config: config(
            network,
            &used,
            (number(AccessCategory::BestEffort), number(own)),
        ),
        access: used,
    }
}

fn config(
    network: &Network,
    used: &[AccessCategory],
    (best_effort, own): (u8, u8),
) -> MediumConfig {
    let channel = &network.channel;
    let stations = network.contenders.iter().map(|s| station(s, channel, used));
    let ap = StationId(0);
    let ways = (1..)
        .map(StationId)
        .zip(network.up.iter().zip(&network.down));
    let ports =
        ways.flat_map(|(s, (up, down))| [port(s, ap, up, channel), port(ap, s, down, channel)]);
    MediumConfig {
        phy: channel.phy,
        slots: channel.slots,
        stations: stations.collect(),
        ports: ports.collect(),
        hears: hears(channel, network.stations.len() + 1),
        radio: radio(network),
        eifs: channel.eifs,
        after_silence: channel.after_silence,
        propagation: channel.propagation,
        retry_limit: match channel.slots {
            SlotRule::Edca => channel.retry_limit,
            // With DCF the failure that reaches the limit starts the window anew (10.3.3), with EDCA
            // the one after it (10.23.2.2).
            SlotRule::Dcf => channel.retry_limit - 1,
        },
        arp: channel.arp.map(|arp| ArpConfig {
            category: best_effort,
            ..arp
        }),
        addba: channel.addba,
        ofdma: channel.ofdma.map(|mut ofdma| {
            if let Some(uplink) = &mut ofdma.uplink {
                uplink.category = own;
            }
            ofdma
        }),
    }
}

/// The disciplines above the queues of stations.
fn disciplines(network: &Network) -> Vec<StationDisciplinePlan> {
    let stations = (0..).map(StationId).zip(&network.contenders);
    let above = stations.filter_map(|(station, own)| {
        Some(StationDisciplinePlan {
            station,
            queue: own.waiting.limit,
            discipline: own.waiting.discipline()?,
        })
    });
    above.collect()
}

fn station(station: &Station, channel: &Channel, used: &[AccessCategory]) -> StationConfig {
    StationConfig {
        categories: used.iter().map(|c| station.edca[*c as usize]).collect(),
        queue: mac::Config {
            kind: station.waiting.kind(channel.queue_counts),
            lifetime: channel.lifetime,
            retry_limit: channel.retry_limit,
            agreement_retry_limit: channel.block_ack_retry_limit,
            explicit_bar: channel.explicit_request,
            bar_limit: channel.block_ack_request_limit,
        },
    }
}

fn port(from: StationId, to: StationId, way: &Way, channel: &Channel) -> PortConfig {
    let header = if channel.standard.format().is_legacy() {
        sizes::DATA_HEADER
    } else {
        sizes::QOS_DATA_HEADER
    };
    PortConfig {
        from,
        to,
        rate: rate(&way.rate),
        aggregation: Aggregation {
            ampdu: way.ampdu,
            amsdu: way.amsdu,
            max_mpdu: way.max_mpdu,
            window: way.window,
            spacing: Span::ZERO,
            overhead: header + sizes::FCS,
        },
        rts_from: way.rts_from,
        grants_reverse: way.grants_reverse,
        errors: way.errors,
        carries_acks: way.hack,
    }
}

fn rate(rate: &Rate) -> RateConfig {
    let modes = rate.modes.clone();
    match rate.control.build() {
        Rule::Fixed => RateConfig::Fixed(rate.mode),
        Rule::Ideal { bytes, loss } => RateConfig::Ideal { modes, bytes, loss },
        Rule::Minstrel => RateConfig::Minstrel { modes },
    }
}

/// Where everybody is, with what radio.
fn radio(network: &Network) -> Option<RadioConfig> {
    let space = network.channel.space.as_ref()?;
    let radios = network.contenders.iter().map(|s| s.radio);
    Some(RadioConfig {
        channel: space.channel(),
        stations: space.motions.iter().cloned().zip(radios).collect(),
        capture: space.capture,
    })
}

/// Which station hears which; `None` = each hears each, or in space each that is near enough. A list in the scenario
/// counts more than where stations are.
fn hears(channel: &Channel, stations: usize) -> Option<Vec<Vec<bool>>> {
    let hidden = channel.hidden.as_ref()?;
    if hidden.is_empty() && channel.space.is_none() {
        return None;
    }
    let mut hears = vec![vec![true; stations]; stations];
    // The access point is number 0.
    for (a, b) in hidden.iter().map(|(a, b)| (a + 1, b + 1)) {
        hears[a][b] = false;
        hears[b][a] = false;
    }
    Some(hears)
}
