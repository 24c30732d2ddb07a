//! The records to keep of the run.

use super::super::diagnostics::{Report, suggest};
use super::super::path::Path;
use super::super::spec::{OrOff, Spec, TapsSpec};
use super::not_too_long;
use super::topology::Net;
use crate::plan::{Period, RecordPlan, TapPlan};
use acklab_units::{Instant, Span};
use std::collections::HashMap;

/// Samples of all series together: one takes about a hundred bytes.
const MOST_SAMPLES: u128 = 20_000_000;

/// Everything but the number of samples, for which the flows must be known; the run ends at `stop`.
pub(crate) fn resolve(
    spec: &Spec,
    stop: Instant,
    net: &Net,
    report: &mut Report<'_>,
) -> RecordPlan {
    let r = &spec.record;
    RecordPlan {
        every: every(spec, report),
        events: r.events.unwrap_or(false),
        acks: r.acks.unwrap_or(false),
        delays: r.delays.unwrap_or(false),
        queues: r.queues.unwrap_or(false),
        ppdus: r.ppdus.unwrap_or(false),
        frames: r.frames.unwrap_or(false),
        packets: match &r.packets {
            None | Some(TapsSpec::All(false)) => None,
            Some(TapsSpec::All(true)) => Some(TapPlan {
                nodes: vec![true; net.nodes.len()],
                links: vec![true; net.links.len()],
            }),
            Some(TapsSpec::Named(names)) => Some(taps(names, net, report)),
        },
        within: within(spec, stop, report),
    }
}

fn within(spec: &Spec, stop: Instant, report: &mut Report<'_>) -> Period {
    let record = Path::root().key("record");
    let mut window = Period::WHOLE;
    if let Some(from) = &spec.record.from {
        not_too_long(from.0, &record.key("from"), report);
        window.from = Instant::ZERO.saturating_add(from.0);
        // Without a duration the run has no end yet, and that is a mistake of its own.
        if window.from >= stop && spec.duration.is_some() {
            let hint = format!(
                "write an earlier time: the run ends at \"{}\"",
                stop - Instant::ZERO
            );
            report.error(&record.key("from"), "the run is over by then", hint);
        }
    }
    if let Some(until) = &spec.record.until {
        not_too_long(until.0, &record.key("until"), report);
        window.until = Instant::ZERO.saturating_add(until.0);
        if window.until <= window.from {
            let hint = format!(
                "write a time after \"{}\", where it begins",
                window.from - Instant::ZERO
            );
            report.error(&record.key("until"), "nothing would be kept", hint);
        }
    }
    window
}

/// The key that the distance of the samples stands under.
fn every_key(spec: &Spec) -> Path {
    if spec.record.every.is_some() {
        Path::root().key("record").key("every")
    } else {
        Path::root().key("sample_every")
    }
}

/// `sample_every` is the former name of `record.every`.
fn every(spec: &Spec, report: &mut Report<'_>) -> Option<Span> {
    if spec.record.every.is_some() && matches!(spec.sample_every, Some(OrOff(Some(_)))) {
        let hint = "`sample_every` is another name for `record.every`: leave one of them out";
        let message = "the sampling interval is given twice";
        report.error(&Path::root().key("sample_every"), message, hint.to_string());
    }
    let OrOff(every) = spec.record.every.or(spec.sample_every)?;
    if every?.is_zero() {
        let hint = "write a time such as \"100 ms\", or \"off\" for no series".to_string();
        report.error(&every_key(spec), "samples need a distance", hint);
    }
    every
}

fn taps(names: &[String], net: &Net, report: &mut Report<'_>) -> TapPlan {
    let mut taps = TapPlan {
        nodes: vec![false; net.nodes.len()],
        links: vec![false; net.links.len()],
    };
    // Of several links of one name, which is a mistake, the first.
    let links = net.links.iter().enumerate().rev();
    let links: HashMap<&str, usize> = links.map(|(i, l)| (l.plan.name.as_str(), i)).collect();
    for (i, name) in names.iter().enumerate() {
        if !report.goes_on() {
            break;
        }
        let node = net.node(name);
        let link = links.get(name.as_str()).copied();
        if let Some(node) = node {
            taps.nodes[node] = true;
        }
        if let Some(link) = link {
            taps.links[link] = true;
        }
        // If something else is wrong, the network may only be incomplete.
        if node.is_none() && link.is_none() && report.is_clean() {
            let links = net.links.iter().map(|l| l.plan.name.as_str());
            let all = links.chain(net.nodes.iter().map(String::as_str));
            let hint = match net.wifi.iter().any(|w| w.name == *name) {
                true => Some("it is a radio channel: write `record.frames = true`".to_string()),
                false => suggest(name, all, "the links and nodes are"),
            };
            let at = Path::root().key("record").key("packets").index(i);
            let message = format!("there is no link and no node called `{name}`");
            report.error(&at, message, hint);
        }
    }
    taps
}

/// Series of `sampled` flows and links must not fill the memory.
pub(crate) fn few_samples(
    (spec, plan): (&Spec, &RecordPlan),
    stop: Instant,
    sampled: usize,
    report: &mut Report<'_>,
) {
    let Some(every) = plan.every else { return };
    // Series begin at zero, not at `start`.
    let whole = u128::from(stop.as_nanos());
    let sampled = sampled as u128;
    let samples = whole / u128::from(every.as_nanos().max(1)) * sampled;
    if samples > MOST_SAMPLES {
        // In whole milliseconds, for people.
        let least = (whole * sampled).div_ceil(MOST_SAMPLES * 1_000_000);
        let message = format!(
            "this would be {} million samples of {sampled} flows and directions of links",
            samples / 1_000_000
        );
        let hint = format!(
            "write \"{least} ms\" or more, or \"off\"; a run keeps {} million samples",
            MOST_SAMPLES / 1_000_000
        );
        report.error(&every_key(spec), message, hint);
    }
}
