//! Radio channels as TOML.

mod ofdma;
mod space;

use super::{Text, filters, limit, quoted};
use crate::plan::{FilterPlan, Plan};
use crate::scenario::resolve::{
    Channel, Coexistence, Network, Queueing, Space, Station, Waiting, Way,
};
use crate::scenario::spec::{
    AfterSilenceWord, BandWord, CategoryWord, CountsWord, Preamble, PreambleWord, Protection,
    ProtectionWord, SlotsWord, Standard, WidthWord,
};
use acklab_path::wifi::agreement::AddbaConfig;
use acklab_path::wifi::medium::{AccessCategory, CarriedAcks, EdcaConfig};
use acklab_path::wifi::neighbour::ArpConfig;
use acklab_path::wifi::phy::{ErrorModel, Mode};
use acklab_units::{Bytes, Span};

/// A channel with its stations. The settings of most stations stand under `up` and `down`, which are those
/// of the first; a station that differs has a table.
pub(super) fn network(network: &Network, plan: &Plan, out: &mut Text) {
    let node = |n: usize| &plan.nodes[n];
    out.section("[[wifi]]");
    out.text("name", &network.name);
    out.text("ap", node(network.ap));
    let stations: Vec<_> = network.stations.iter().map(|s| quoted(node(*s))).collect();
    out.raw("stations", format!("[{}]", stations.join(", ")));
    let space = network.channel.space.as_ref();
    hidden(network, &stations, out);
    channel(&network.channel, out);
    // Nobody has a queue that it is about.
    let per_station = |c: &Station| c.waiting.is_per_station();
    if !network.contenders.iter().all(per_station) {
        let counts = CountsWord::of(network.channel.queue_counts);
        out.text("queue_counts", counts);
    }
    if let Some(space) = space {
        let names = std::iter::once(quoted(node(network.ap))).chain(stations.iter().cloned());
        self::space::write(space, names, out);
    }
    let ways: Vec<[Port<'_>; 2]> = (0..stations.len())
        .map(|i| ports(network, plan, i))
        .collect();
    let legacy = network.channel.standard.format().is_legacy();
    let sides = [("up", ways[0][0], 1), ("down", ways[0][1], 0)];
    for (key, first, contender) in sides {
        out.section(&format!("[wifi.{key}]"));
        station(&network.contenders[contender], space, out);
        port(first, legacy, out);
    }
    for (i, [up, down]) in ways.iter().enumerate().skip(1) {
        let own = &network.contenders[i + 1];
        let differs = [
            *own != network.contenders[1],
            !up.is(ways[0][0]),
            !down.is(ways[0][1]),
        ];
        if differs.contains(&true) {
            let path = format!("wifi.station.{}", stations[i]);
            out.section(&format!("[{path}]"));
            station(own, space, out);
            for (key, way) in [("up", up), ("down", down)] {
                out.section(&format!("[{path}.{key}]"));
                port(*way, legacy, out);
            }
        }
    }
}

/// Which stations do not hear each other, unless their places say so.
fn hidden(network: &Network, stations: &[String], out: &mut Text) {
    let Channel { hidden, space, .. } = &network.channel;
    if hidden.is_none() && space.is_some() {
        return;
    }
    let pairs = hidden
        .iter()
        .flatten()
        .map(|(a, b)| format!("[{}, {}]", stations[*a], stations[*b]));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    out.raw("hidden", format!("[{pairs}]"));
}

/// A way with the filter in front of it.
#[derive(Clone, Copy)]
struct Port<'a> {
    way: &'a Way,
    filters: &'a [FilterPlan],
}

impl Port<'_> {
    fn is(self, other: Self) -> bool {
        self.way == other.way && filters(self.filters) == filters(other.filters)
    }
}

fn ports<'a>(network: &'a Network, plan: &'a Plan, i: usize) -> [Port<'a>; 2] {
    let link = network.first_link + 2 * i;
    [(&network.up[i], link), (&network.down[i], link + 1)].map(|(way, link)| Port {
        way,
        filters: &plan.links[link].filters,
    })
}

/// Every field by name: a new one does not compile until it has a key here and in the spec.
fn channel(channel: &Channel, out: &mut Text) {
    let Channel {
        standard,
        band,
        basic_rates,
        control_rate,
        rts_rate,
        coexistence,
        ns3_durations,
        // Made of the others.
        phy: _,
        propagation,
        slots,
        eifs,
        after_silence,
        category,
        // Beside the stations, too.
        queue_counts: _,
        retry_limit,
        block_ack_retry_limit,
        block_ack_request_limit,
        lifetime,
        explicit_request,
        // Written beside the stations.
        hidden: _,
        space: _,
        arp,
        addba,
        ofdma,
    } = channel;
    out.text("standard", standard.word());
    out.text("band", BandWord::of(*band));
    let rates: Vec<_> = basic_rates.iter().map(quoted).collect();
    out.raw("basic_rates", format!("[{}]", rates.join(", ")));
    if let Some(rate) = control_rate {
        out.text("control_rate", rate);
    }
    if let Some(rate) = rts_rate {
        out.text("rts_rate", rate);
    }
    older(*coexistence, *standard, out);
    out.text("durations", if *ns3_durations { "ns3" } else { "standard" });
    out.text("propagation", propagation);
    out.text("slots", SlotsWord::of(*slots));
    out.raw("eifs", eifs);
    out.text("after_silence", AfterSilenceWord::of(*after_silence));
    out.text("category", CategoryWord::of(*category));
    out.raw("retry_limit", retry_limit);
    if let Some(limit) = block_ack_retry_limit {
        out.raw("block_ack_retry_limit", limit);
    }
    match block_ack_request_limit {
        Some(limit) => out.raw("block_ack_request_limit", limit),
        None => out.text("block_ack_request_limit", "none"),
    }
    match lifetime {
        Some(lifetime) => out.text("lifetime", lifetime),
        None => out.text("lifetime", "none"),
    }
    let missed = if *explicit_request {
        "request"
    } else {
        "repeat"
    };
    out.text("missed_block_ack", missed);
    if let Some(arp) = arp {
        out.raw("arp", neighbours(*arp));
    }
    if let Some(addba) = addba {
        out.raw("addba", agreements(*addba));
    }
    if let Some(ofdma) = ofdma {
        out.raw("ofdma", self::ofdma::table(*ofdma));
    }
}

/// The coexistence with 802.11b, where it is not the usual.
fn older(coexistence: Coexistence, standard: Standard, out: &mut Text) {
    let usual = Coexistence::usual(standard);
    if coexistence.short_preamble {
        out.text("preamble", PreambleWord::of(Preamble::Short));
    }
    if coexistence.short_slot != usual.short_slot {
        out.text("slot_time", coexistence.slot());
    }
    if let Some(rate) = coexistence.protection {
        out.text("protection", ProtectionWord::of(Protection::CtsToSelf));
        out.text("protection_rate", rate);
    }
}

fn agreements(addba: AddbaConfig) -> String {
    let AddbaConfig {
        packets,
        response_timeout,
        failed_timeout,
    } = addba;
    format!(
        "{{ packets = {packets}, response_timeout = \"{response_timeout}\", \
         failed_timeout = \"{failed_timeout}\" }}"
    )
}

fn neighbours(arp: ArpConfig) -> String {
    let ArpConfig {
        // Always best effort.
        category: _,
        jitter_ms,
        wait_reply,
        retries,
        pending,
        alive,
        dead,
        learns,
    } = arp;
    let jitter = Span::from_millis(u64::from(jitter_ms));
    format!(
        "{{ jitter = \"{jitter}\", wait_reply = \"{wait_reply}\", retries = {retries}, \
         pending = {pending}, alive = \"{alive}\", dead = \"{dead}\", learns = {learns} }}"
    )
}

fn station(station: &Station, space: Option<&Space>, out: &mut Text) {
    let Station {
        waiting: Waiting {
            limit: queue,
            queueing,
        },
        radio,
        edca,
    } = station;
    if !queueing.has_no_limit() {
        out.text("queue", limit(queue));
    }
    match queueing {
        Queueing::Mac(queue) => out.raw("qdisc", queue.text()),
        Queueing::Above(discipline, device) => {
            out.raw("qdisc", discipline.text());
            out.raw("device_queue", device);
        }
    }
    if space.is_some() {
        out.raw("radio", self::space::radio(*radio));
    }
    let each = AccessCategory::ALL.iter().zip(edca).map(|(category, edca)| {
        let EdcaConfig { aifsn, cw_min, cw_max, txop } = edca;
        let name = category.name();
        format!(
            "{name} = {{ aifsn = {aifsn}, cw_min = {cw_min}, cw_max = {cw_max}, txop = \"{txop}\" }}"
        )
    });
    out.raw(
        "edca",
        format!("{{ {} }}", each.collect::<Vec<_>>().join(", ")),
    );
}

fn port(Port { way, filters: of }: Port<'_>, legacy: bool, out: &mut Text) {
    out.raw("ack_filter", filters(of));
    let Way {
        rate,
        ampdu,
        amsdu,
        receiver_amsdu,
        max_mpdu,
        window,
        rts_from,
        errors,
        grants_reverse,
        hack,
    } = way;
    out.raw("rate_control", rate.control.text());
    mode(rate.mode, rate.modes.is_empty(), out);
    out.raw("ampdu", or_off(*ampdu));
    out.raw("amsdu", or_off(*amsdu));
    if !legacy {
        out.text("receiver_amsdu", Bytes(u64::from(*receiver_amsdu)));
        out.text("max_mpdu", Bytes(u64::from(*max_mpdu)));
        out.raw("block_ack_window", window);
    }
    match rts_from {
        None => out.text("rts", "off"),
        Some(bytes) => out.text("rts", Bytes(u64::from(*bytes))),
    }
    match errors {
        ErrorModel::None => out.text("errors", "none"),
        ErrorModel::Ber(rate) => out.raw("bit_error_rate", format!("{rate:?}")),
        ErrorModel::Snr => out.text("errors", "snr"),
    }
    out.raw("reverse_grant", grants_reverse);
    out.raw("hack", hack.map_or("false".to_string(), carried));
}

fn carried(hack: CarriedAcks) -> String {
    let CarriedAcks {
        bytes,
        most,
        patience,
        reserve,
    } = hack;
    let size = Bytes(u64::from(bytes));
    format!(
        "{{ ack_size = \"{size}\", most = {most}, patience = \"{patience}\", reserve = {reserve} }}"
    )
}

/// A mode; of those that a rate control chooses from, what they have in common.
fn mode(mode: Mode, fixed: bool, out: &mut Text) {
    if mode.format().is_legacy() {
        if fixed {
            out.text("rate", mode.rate());
        }
        return;
    }
    out.text("width", WidthWord::of(mode.width()));
    if let Some(guard) = mode.guard() {
        out.text("guard_interval", Span::from_nanos(u64::from(guard.nanos())));
    }
    if fixed {
        out.raw("mcs", mode.mcs());
    }
    out.raw("streams", mode.streams());
}

fn or_off(bytes: u32) -> String {
    match bytes {
        0 => quoted("off"),
        bytes => quoted(Bytes(u64::from(bytes))),
    }
}
