//! The parameters that all stations of a channel share.

use super::super::super::diagnostics::{Report, suggest};
use super::super::super::path::Path;
use super::super::super::spec::{DurationsWord, MissedWord, Qty, Standard, WifiSpec};
use super::super::topology::{Net, incomplete};
use super::coexistence::{self, Coexistence};
use super::{Channel, addba, arp, legacy, ofdma, space};
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac::Counts;
use acklab_path::wifi::medium::{AccessCategory, AfterSilence};
use acklab_path::wifi::phy::{Band, BasicRates, Mode, Phy, PhyConfig, PpduRules};
use acklab_units::{Rate, Span};
use std::collections::HashMap;

/// Further than any station is from another: 300 km.
const MOST_PROPAGATION: Span = Span::from_millis(1);
/// The modulation of `basic_rates` and `control_rate`, in a message.
const RESPONSE: &str = "control response";
/// `dot11ShortRetryLimit`.
const RETRY_LIMIT: u32 = 7;
/// `dot11EDCATableMSDULifetime`: 512 time units; ns-3 has 500 ms.
const LIFETIME: Span = Span::from_millis(500);

/// Everything that is not about one way or one station.
pub(super) fn resolve(
    spec: &WifiSpec,
    path: &Path,
    members: (usize, &[usize]),
    net: &Net,
    report: &mut Report<'_>,
) -> Option<Channel> {
    let standard = spec.standard.unwrap_or(Standard::N);
    let band = band(spec, standard, &path.key("band"), report);
    let basic_rates = basic_rates(spec, (standard, band), &path.key("basic_rates"), report);
    let mut fixed = |written: Option<Qty<Rate>>, key: &str, what: &str| {
        let rate = written?.0;
        control(rate, what, (standard, band), &path.key(key), report).map(|_| rate)
    };
    let control_rate = fixed(spec.control_rate, "control_rate", RESPONSE);
    let rts_rate = fixed(spec.rts_rate, "rts_rate", "RTS");
    let coexistence = coexistence::resolve(spec, (standard, band), &basic_rates, path, report);
    let ns3_durations = spec.durations == Some(DurationsWord::Ns3);
    let legacy = standard.format().is_legacy();
    let propagation = spec.propagation.map_or(Span::ZERO, |p| p.0);
    if propagation > MOST_PROPAGATION {
        let hint = format!("write \"{MOST_PROPAGATION}\" at most; 100 m are \"333 ns\"");
        report.error(
            &path.key("propagation"),
            "too long for a propagation delay",
            hint,
        );
    }
    let lifetime = spec.lifetime.map_or(Some(LIFETIME), |l| l.0);
    if lifetime == Some(Span::ZERO) {
        let hint = "write a time above zero, or \"none\"".to_string();
        report.error(&path.key("lifetime"), "every packet would be dropped", hint);
    }
    let slots = if legacy {
        SlotRule::Dcf
    } else {
        SlotRule::Edca
    };
    let (retry, under_agreement) = (spec.retry_limit, spec.block_ack_retry_limit);
    let again = under_agreement.map(|n| limit(n, &path.key("block_ack_retry_limit"), report));
    let retry_limit = limit(
        retry.unwrap_or(RETRY_LIMIT),
        &path.key("retry_limit"),
        report,
    );
    let requests = match spec.block_ack_request_limit {
        // A recipient that is gone must not keep everybody else waiting.
        None => Some(retry_limit),
        Some(written) => written
            .0
            .map(|n| limit(n, &path.key("block_ack_request_limit"), report)),
    };
    let space = match &spec.space {
        None => None,
        Some(space) => Some(space::resolve(
            space,
            &path.key("space"),
            members,
            (band, net),
            report,
        )?),
    };
    Some(Channel {
        standard,
        band,
        space,
        phy: phy(
            band,
            (&basic_rates, control_rate, rts_rate),
            coexistence,
            ns3_durations,
        )?,
        basic_rates,
        control_rate,
        rts_rate,
        coexistence,
        ns3_durations,
        propagation,
        slots: spec.slots.map_or(slots, Into::into),
        eifs: spec.eifs.unwrap_or(true),
        after_silence: spec.after_silence.map_or(AfterSilence::Quiet, Into::into),
        category: spec.category.map_or(AccessCategory::BestEffort, Into::into),
        queue_counts: spec.queue_counts.map_or(Counts::default(), Into::into),
        retry_limit,
        block_ack_retry_limit: again,
        block_ack_request_limit: requests,
        lifetime,
        explicit_request: spec.missed_block_ack != Some(MissedWord::Repeat),
        hidden: hidden(spec, path, members, net, report),
        arp: arp::resolve(spec, path, report),
        addba: addba::resolve(spec, standard, path, report),
        ofdma: ofdma::resolve(spec, standard, path, report),
    })
}

/// The band of the scenario, if the standard is for it; otherwise one that it is for.
fn band(spec: &WifiSpec, standard: Standard, at: &Path, report: &mut Report<'_>) -> Band {
    let own = bands(standard);
    let band = spec.band.map_or(own[0], Into::into);
    if own.contains(&band) {
        return band;
    }
    let word = standard.word();
    let plain = own.iter().map(Band::to_string);
    let others = Standard::ALL.iter().filter(|s| bands(**s).contains(&band));
    let message = format!(
        "802.11{word} is for {}, not for {band}",
        listed(plain, "and")
    );
    let hint = format!(
        "write {}, or leave it out; at {band} there are standard = {}",
        listed(own.iter().map(|b| format!("\"{b}\"")), "or"),
        listed(others.map(|s| format!("\"{}\"", s.word())), "and")
    );
    report.error(at, message, hint);
    own[0]
}

/// "a", "a and b", "a, b and c".
pub(in super::super) fn listed(all: impl Iterator<Item = String>, last: &str) -> String {
    let mut all: Vec<String> = all.collect();
    let end = all.pop().unwrap_or_default();
    if all.is_empty() {
        return end;
    }
    format!("{} {last} {end}", all.join(", "))
}

/// The bands of each amendment, the usual one first: b and g are clauses 16 and 18 of IEEE 802.11-2020,
/// which are for 2.4 GHz; a is clause 17 at 5 GHz; HT (19.1.1) knows both, VHT (21.1.1) what is below 6 GHz
/// without 2.4 GHz, HE (27.1.1 of 802.11ax-2021) all three.
pub(super) const fn bands(standard: Standard) -> &'static [Band] {
    match standard {
        Standard::B | Standard::G => &[Band::Ghz2_4],
        Standard::A | Standard::Ac => &[Band::Ghz5],
        Standard::N => &[Band::Ghz5, Band::Ghz2_4],
        Standard::Ax => &[Band::Ghz5, Band::Ghz2_4, Band::Ghz6],
    }
}

fn limit(n: u32, at: &Path, report: &mut Report<'_>) -> u8 {
    if !(1..=255).contains(&n) {
        let hint = "write 1 to 255 transmissions".to_string();
        report.error(at, "out of range", hint);
    }
    n.clamp(1, 255) as u8
}

/// The rates of the scenario, if all can be sent; otherwise the mandatory ones of the band that the standard
/// has.
fn basic_rates(
    spec: &WifiSpec,
    of @ (standard, band): (Standard, Band),
    at: &Path,
    report: &mut Report<'_>,
) -> Vec<Rate> {
    let mandatory = || {
        let has = |m: &Mode| legacy::modes(standard, band).any(|own| own == *m);
        let all = BasicRates::mandatory(band).modes().filter(has);
        all.map(Mode::rate).collect()
    };
    let Some(written) = &spec.basic_rates else {
        return mandatory();
    };
    if written.is_empty() {
        let hint = format!("name at least one of {}", legacy::known(standard, band));
        report.error(at, "there is no basic rate", hint);
    }
    let each = written.iter().enumerate();
    let good =
        each.filter(|(i, rate)| control(rate.0, RESPONSE, of, &at.index(*i), report).is_some());
    let good: Vec<Rate> = good.map(|(_, rate)| rate.0).collect();
    if good.is_empty() { mandatory() } else { good }
}

/// The mode of `what`, a control frame, or a report of what there is instead.
fn control(
    rate: Rate,
    what: &str,
    (standard, band): (Standard, Band),
    at: &Path,
    report: &mut Report<'_>,
) -> Option<Mode> {
    match legacy::control(standard, band, what, rate) {
        Ok(mode) => Some(mode),
        Err((message, hint)) => {
            report.error(at, message, hint);
            None
        }
    }
}

/// Of rates that the band has.
fn phy(
    band: Band,
    (basic, control, rts): (&[Rate], Option<Rate>, Option<Rate>),
    coexistence: Coexistence,
    ns3: bool,
) -> Option<Phy> {
    let config = PhyConfig {
        short_slot: coexistence.short_slot,
        short_preamble: coexistence.short_preamble,
        protection: coexistence.protection.and_then(|r| Mode::legacy(r).ok()),
        basic: BasicRates::new(basic).ok()?,
        control: control.and_then(|rate| Mode::legacy(rate).ok()),
        rts: rts.and_then(|rate| Mode::legacy(rate).ok()),
        rules: if ns3 {
            PpduRules::NS3
        } else {
            PpduRules::STANDARD
        },
        ..PhyConfig::new(band)
    };
    Phy::new(&config).ok()
}

/// Pairs of numbers of stations.
fn hidden(
    spec: &WifiSpec,
    path: &Path,
    (ap, stations): (usize, &[usize]),
    net: &Net,
    report: &mut Report<'_>,
) -> Option<Vec<(usize, usize)>> {
    let written = spec.hidden.as_ref()?;
    let path = path.key("hidden");
    let number: HashMap<&str, usize> = stations
        .iter()
        .enumerate()
        .map(|(i, node)| (net.nodes[*node].as_str(), i))
        .collect();
    let mut pairs = Vec::new();
    for (i, pair) in written.iter().enumerate() {
        let at = path.index(i);
        let [a, b] = pair.0.as_slice() else {
            let hint = "write pairs: hidden = [[\"sta0\", \"sta1\"]]".to_string();
            let message = format!("a pair has two names, not {}", pair.0.len());
            report.error(&at, message, hint);
            continue;
        };
        let mut find = |name: &String, k: usize| {
            let found = number.get(name.as_str()).copied();
            if found.is_none() && !incomplete(report) {
                let (message, hint) = stranger(name, &net.nodes[ap], &number);
                report.error(&at.index(k), message, hint);
            }
            found
        };
        match (find(a, 0), find(b, 1)) {
            (Some(a), Some(b)) if a == b => {
                let hint = "write two different stations".to_string();
                report.error(&at, "a station always hears itself", hint);
            }
            (Some(a), Some(b)) => pairs.push((a.min(b), a.max(b))),
            _ => {}
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}

fn stranger(name: &str, ap: &str, number: &HashMap<&str, usize>) -> (String, Option<String>) {
    if name == ap {
        let hint = "leave the pair out, or put the station on a channel of its own";
        let message = format!("every station hears the access point `{ap}`");
        return (message, Some(hint.to_string()));
    }
    let mut known: Vec<&str> = number.keys().copied().collect();
    known.sort_unstable();
    let message = format!("`{name}` is no station of this channel");
    (message, suggest(name, known, "its stations are"))
}
