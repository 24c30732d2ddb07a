//! A resolved scenario as TOML, with nothing left to defaults.
//!
//! Presets become nodes and links, groups of flows become flows, queues become packets or bytes. The
//! text loads to the same plan.

mod wifi;

use super::choice;
use super::expect::{Expectation, Metric, Subject};
use super::resolve::Resolved;
use super::spec::{
    CategoryWord, EcnWord, LossDetectionWord, LossPlaceWord, PacingWord, ProfileWord,
    ReductionWord, RttSamplesWord, WhenFullWord,
};
use crate::plan::{
    AppPlan, DisciplinePlan, FilterPlan, FlowPlan, ImpairPlan, JitterPlan, LinkPlan, LossPlan,
    Period, Plan, QueuePlan, TransportPlan,
};
use acklab_path::impair::LossPlace;
use acklab_path::wifi::medium::AccessCategory;
use acklab_proto::cbr;
use acklab_proto::datagram::Dscp;
use acklab_proto::rtp;
use acklab_proto::tack;
use acklab_proto::tcp::TcpConfig;
use acklab_proto::tcp::config::{Buffer, FULL_SEGMENT_SHARE, RttEstimator, SackCompression};
use acklab_units::{Bytes, Instant, Limit, Rate, Span};
use std::fmt::Display;

/// The text.
pub(crate) fn write(r: &Resolved) -> String {
    let mut out = Text::default();
    head(r, &mut out);
    record(&r.plan, &mut out);
    for node in &r.plan.nodes {
        out.section("[[node]]");
        out.text("name", node);
    }
    // Ports of radio channels come last.
    let wired = r.wifi.first().map_or(r.plan.links.len(), |w| w.first_link);
    for both in r.plan.links[..wired].chunks_exact(2) {
        link(&both[0], &both[1], &r.plan.nodes, &mut out);
    }
    for w in &r.wifi {
        wifi::network(w, &r.plan, &mut out);
    }
    for (f, category) in r.plan.flows.iter().zip(&r.categories) {
        flow(f, *category, &r.plan.nodes, &mut out);
    }
    for e in &r.expect.0 {
        expectation(e, &mut out);
    }
    out.0
}

/// TOML line by line.
#[derive(Default)]
struct Text(String);

impl Text {
    fn section(&mut self, header: &str) {
        self.0.push_str(&format!("\n{header}\n"));
    }

    /// A value that is TOML already.
    fn raw(&mut self, key: &str, value: impl Display) {
        self.0.push_str(&format!("{key} = {value}\n"));
    }

    /// A value that becomes a TOML string.
    fn text(&mut self, key: &str, value: impl Display) {
        self.raw(key, quoted(value));
    }
}

/// A TOML basic string, which also can stand as a key.
fn quoted(value: impl Display) -> String {
    let mut text = String::from("\"");
    for c in value.to_string().chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

fn since_start(at: Instant) -> Span {
    at.saturating_since(Instant::ZERO)
}

fn head(r: &Resolved, out: &mut Text) {
    let plan = &r.plan;
    out.text("name", &plan.name);
    out.text("description", &r.description);
    out.text("duration", plan.stop - plan.measure_from);
    out.text("start", plan.measure_from);
    out.text("warmup", plan.warmup - plan.measure_from);
    out.raw("seed", r.seed);
}

fn record(plan: &Plan, out: &mut Text) {
    let r = &plan.record;
    out.section("[record]");
    match r.every {
        Some(every) => out.text("every", every),
        None => out.text("every", "off"),
    }
    out.raw("events", r.events);
    out.raw("acks", r.acks);
    out.raw("delays", r.delays);
    out.raw("queues", r.queues);
    out.raw("ppdus", r.ppdus);
    out.raw("frames", r.frames);
    match &r.packets {
        None => out.raw("packets", false),
        Some(taps) => {
            let links = plan.links.iter().zip(&taps.links);
            let nodes = plan.nodes.iter().zip(&taps.nodes);
            let names = links
                .map(|(l, on)| (&l.name, on))
                .chain(nodes)
                .filter(|(_, on)| **on)
                .map(|(name, _)| quoted(name));
            let names: Vec<_> = names.collect();
            out.raw("packets", format!("[{}]", names.join(", ")));
        }
    }
    let Period { from, until } = r.within;
    if from > Period::WHOLE.from {
        out.text("from", since_start(from));
    }
    if until < Period::WHOLE.until {
        out.text("until", since_start(until));
    }
}

fn link(there: &LinkPlan, back: &LinkPlan, nodes: &[String], out: &mut Text) {
    out.section("[[link]]");
    out.text("a", &nodes[there.from]);
    out.text("b", &nodes[there.to]);
    direction(there, out);
    if let Some(p) = &there.impair.pauses {
        let table = format!("{{ length = \"{}\", gap = \"{}\" }}", p.length, p.gap);
        out.raw("pauses", table);
    }
    out.section("[link.reverse]");
    direction(back, out);
}

fn direction(link: &LinkPlan, out: &mut Text) {
    out.text("name", &link.name);
    match &link.trace {
        None => out.text("rate", link.rate),
        Some(t) => out.raw("rate", format!("{{ trace = {} }}", quoted(&t.file))),
    }
    out.text("delay", link.delay);
    let limited = |d: &DisciplinePlan| d.entry.build.counts.has_limit();
    if link.discipline.as_ref().is_none_or(limited) {
        out.text("queue", limit(&link.queue));
    }
    match &link.discipline {
        None => out.text("qdisc", "pfifo"),
        Some(d) => {
            let table = choice::inline_table(d.entry.name, d.entry.params, &d.params);
            out.raw("qdisc", table);
            out.raw("device_queue", d.device);
        }
    }
    match &link.mark {
        Some(mark) => out.text("mark", limit(mark)),
        None => out.text("mark", "none"),
    }
    out.text("overhead", Bytes(u64::from(link.overhead)));
    out.raw("ack_filter", filters(&link.filters));
    impairments(&link.impair, out);
}

/// One filter, or several in the order in which an ACK meets them.
fn filters(filters: &[FilterPlan]) -> String {
    let one = |f: &FilterPlan| choice::inline_table(f.entry.name, f.entry.params, &f.params);
    match filters {
        [] => quoted("none"),
        [f] => one(f),
        several => {
            let tables: Vec<_> = several.iter().map(one).collect();
            format!("[{}]", tables.join(", "))
        }
    }
}

/// A limit as the scenario language has it.
pub(crate) fn limit(queue: &QueuePlan) -> Limit {
    match queue {
        QueuePlan::Packets(n) => Limit::Packets(*n),
        QueuePlan::Bytes(b) => Limit::Bytes(Bytes(*b)),
    }
}

fn impairments(impair: &ImpairPlan, out: &mut Text) {
    out.raw("loss", loss(&impair.loss, impair.loss_place));
    out.raw("ce", format!("{:?}", impair.ce));
    out.raw("jitter", jitter(impair.jitter));
    if let Some(d) = impair.detour {
        let (from, length) = (d.from - Instant::ZERO, d.until - d.from);
        let table = format!(
            "{{ from = \"{from}\", length = \"{length}\", delay = \"{}\" }}",
            d.extra
        );
        out.raw("detour", table);
    }
    let (p, delay) = (impair.reorder, impair.reorder_delay);
    out.raw(
        "reorder",
        format!("{{ probability = {p:?}, delay = \"{delay}\" }}"),
    );
    out.raw("duplicate", format!("{:?}", impair.duplicate));
}

fn jitter(jitter: JitterPlan) -> String {
    match jitter {
        JitterPlan::None => quoted(Span::ZERO),
        JitterPlan::Uniform(span) => quoted(span),
        JitterPlan::LogNormal { median, p99, max } => {
            format!("{{ median = \"{median}\", p99 = \"{p99}\", max = \"{max}\" }}")
        }
    }
}

fn loss(loss: &LossPlan, place: LossPlace) -> String {
    let place = quoted(LossPlaceWord::of(place));
    match loss {
        LossPlan::None => "\"none\"".to_string(),
        LossPlan::Bernoulli(p) => {
            format!("{{ kind = \"bernoulli\", p = {p:?}, where = {place} }}")
        }
        LossPlan::Periodic(n) => {
            format!("{{ kind = \"periodic\", every = {n}, where = {place} }}")
        }
        LossPlan::Outage { from, until, every } => {
            let (from, length) = (*from - Instant::ZERO, *until - *from);
            let every = every.map_or_else(String::new, |e| format!(", every = \"{e}\""));
            format!(
                "{{ kind = \"outage\", from = \"{from}\", length = \"{length}\"{every}, where = {place} }}"
            )
        }
        LossPlan::GilbertElliott {
            p,
            r,
            loss_good,
            loss_bad,
        } => format!(
            "{{ kind = \"gilbert-elliott\", p = {p:?}, r = {r:?}, loss_good = {loss_good:?}, \
             loss_bad = {loss_bad:?}, where = {place} }}"
        ),
    }
}

fn flow(flow: &FlowPlan, category: Option<AccessCategory>, nodes: &[String], out: &mut Text) {
    out.section("[[flow]]");
    out.text("name", &flow.name);
    out.text("from", &nodes[flow.src]);
    out.text("to", &nodes[flow.dst]);
    out.text("start", since_start(flow.start));
    out.text("start_jitter", flow.start_jitter);
    if let Some(category) = category {
        out.text("category", CategoryWord::of(category));
    }
    if flow.dscp != Dscp::DEFAULT {
        out.raw("dscp", flow.dscp.value());
    }
    let plan = match &flow.transport {
        TransportPlan::Tcp(plan) => plan,
        TransportPlan::Cbr(params) => {
            let table = choice::inline_table(cbr::ENTRY.name, cbr::PARAMS, params);
            out.raw("transport", table);
            out.raw("app", app(&flow.app));
            return;
        }
        TransportPlan::Rtp(params) => {
            let table = choice::inline_table(rtp::ENTRY.name, rtp::PARAMS, params);
            out.raw("transport", table);
            out.raw("app", app(&flow.app));
            return;
        }
        TransportPlan::Tack(plan) => {
            let table = choice::inline_table(tack::ENTRY.name, tack::PARAMS, &plan.params);
            out.raw("transport", table);
            let cc = &plan.cc;
            let table = choice::inline_table(cc.entry.name, cc.entry.params, &cc.params);
            out.raw("cc", table);
            out.raw("app", app(&flow.app));
            return;
        }
    };
    let (cc, ack) = (&plan.cc, &plan.ack);
    let table = choice::inline_table(cc.entry.name, cc.entry.params, &cc.params);
    out.raw("cc", table);
    let table = choice::inline_table(ack.entry.name, ack.entry.params, &ack.params);
    out.raw("ack", table);
    out.raw("app", app(&flow.app));
    out.section("[flow.tcp]");
    tcp(&plan.config, out);
}

fn app(app: &AppPlan) -> String {
    match app {
        AppPlan::Bulk { bytes, until } => {
            let bytes = bytes.map(|b| format!(", bytes = \"{}\"", Bytes(b)));
            let until = until.map(|u| format!(", until = \"{u}\""));
            let (bytes, until) = (bytes.unwrap_or_default(), until.unwrap_or_default());
            format!("{{ kind = \"bulk\"{bytes}{until} }}")
        }
        AppPlan::OnOff {
            rate,
            on,
            off,
            chunk,
            random,
            when_full,
        } => format!(
            "{{ kind = \"on-off\", rate = \"{rate}\", on = \"{on}\", off = \"{off}\", \
             chunk = \"{}\", random = {random}, when_full = \"{}\" }}",
            Bytes(u64::from(*chunk)),
            WhenFullWord::of(*when_full)
        ),
        AppPlan::RequestResponse {
            request,
            response,
            think,
            count,
        } => format!(
            "{{ kind = \"request-response\", request = \"{}\", response = \"{}\", \
             think = \"{think}\"{} }}",
            Bytes(*request),
            Bytes(*response),
            count.map(|n| format!(", count = {n}")).unwrap_or_default()
        ),
        AppPlan::Video(v) => format!(
            "{{ kind = \"video\", rate = \"{}\", fps = {}, gop = {}, i_frame = {:?}, variation = {:?}, \
             start_up = \"{}\", rebuffer = \"{}\" }}",
            v.rate, v.fps, v.gop, v.i_frame, v.variation, v.start_up, v.rebuffer
        ),
    }
}

/// Every field by name: a new one does not compile until it has a key here and in the spec.
fn tcp(config: &TcpConfig, out: &mut Text) {
    let TcpConfig {
        profile,
        segment,
        timestamps,
        window_scaling,
        sack,
        dsack,
        ecn,
        initial_window,
        send_buffer,
        recv_buffer,
        recv_cushion,
        recv_share,
        recv_block,
        min_rto,
        max_rto,
        initial_rto,
        rtt_estimator,
        rtt_granularity,
        kernel_units,
        jiffy,
        max_retries,
        loss_detection,
        tlp,
        reduction,
        frto,
        undo,
        nagle,
        limited_transmit,
        cwnd_validation,
        idle_restart,
        pacing,
        pacing_ss_ratio,
        pacing_ca_ratio,
        pacing_quantum,
        sack_compression,
        sack_sorted,
        isn,
    } = config;
    out.text("profile", ProfileWord::of(*profile));
    out.raw("segment", segment);
    out.raw("timestamps", timestamps);
    out.raw("window_scaling", window_scaling);
    out.raw("sack", sack);
    out.raw("dsack", dsack);
    out.text("ecn", EcnWord::of(*ecn));
    out.raw("initial_window", initial_window);
    out.raw("send_buffer", buffer(*send_buffer));
    out.raw("recv_buffer", buffer(*recv_buffer));
    // Older results do not have it.
    if *recv_cushion > 0 {
        out.raw("recv_cushion", recv_cushion);
    }
    if *recv_share != FULL_SEGMENT_SHARE {
        out.raw("recv_share", recv_share);
    }
    if *recv_block > 0 {
        out.raw("recv_block", recv_block);
    }
    out.text("min_rto", min_rto);
    out.text("max_rto", max_rto);
    out.text("initial_rto", initial_rto);
    out.raw("rtt_estimator", estimator(*rtt_estimator));
    out.text("rtt_granularity", rtt_granularity);
    out.text("jiffy", jiffy);
    out.raw("max_retries", max_retries);
    out.text("loss_detection", LossDetectionWord::of(*loss_detection));
    out.raw("tlp", tlp);
    out.text("reduction", ReductionWord::of(*reduction));
    out.raw("frto", frto);
    out.raw("undo", undo);
    out.raw("nagle", nagle);
    out.raw("limited_transmit", limited_transmit);
    out.raw("cwnd_validation", cwnd_validation);
    out.raw("idle_restart", idle_restart);
    out.text("pacing", PacingWord::of(*pacing));
    out.raw("pacing_ss_ratio", pacing_ss_ratio);
    out.raw("pacing_ca_ratio", pacing_ca_ratio);
    out.raw("pacing_quantum", pacing_quantum);
    out.raw("sack_compression", compression(*sack_compression));
    out.raw("sack_sorted", sack_sorted);
    if *kernel_units {
        out.raw("kernel_units", kernel_units);
    }
    if let Some(isn) = isn {
        out.raw("isn", isn);
    }
}

fn buffer(b: Buffer) -> String {
    let (initial, max) = (Bytes(b.initial), Bytes(b.max));
    format!("{{ initial = \"{initial}\", max = \"{max}\" }}")
}

fn estimator(e: RttEstimator) -> String {
    match e {
        RttEstimator::Linux => "\"linux\"".to_string(),
        RttEstimator::Rfc6298 {
            granularity,
            samples,
        } => {
            let samples = RttSamplesWord::of(samples);
            format!(
                "{{ kind = \"rfc6298\", granularity = \"{granularity}\", samples = \"{samples}\" }}"
            )
        }
    }
}

fn compression(s: Option<SackCompression>) -> String {
    s.map_or("\"off\"".to_string(), |s| {
        let SackCompression {
            delay,
            rtt_percent,
            slack,
            count,
            restamp,
        } = s;
        // Only where they are not as ever, so that the text of older scenarios is what it was.
        let share = match rtt_percent {
            5 => String::new(),
            _ => format!(", rtt_percent = {rtt_percent}"),
        };
        let clock = if restamp { ", restamp = true" } else { "" };
        format!("{{ delay = \"{delay}\", slack = \"{slack}\", count = {count}{share}{clock} }}")
    })
}

fn expectation(e: &Expectation, out: &mut Text) {
    let header = match &e.subject {
        Subject::Total => format!("[expect.{}]", e.metric.key()),
        Subject::Flow(name) => format!("[expect.flow.{}.{}]", quoted(name), e.metric.key()),
        Subject::Link(name) => format!("[expect.link.{}.{}]", quoted(name), e.metric.key()),
    };
    out.section(&header);
    for (key, value) in [("min", e.min), ("max", e.max)] {
        if let Some(value) = value {
            out.raw(key, bound(e.metric, value));
        }
    }
}

fn bound(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Goodput => quoted(Rate::from_bps(value as u64)),
        Metric::Delivered => quoted(Bytes(value as u64)),
        Metric::Rtt | Metric::Delay | Metric::Completion => quoted(Span::from_secs_f64(value)),
        Metric::Jain | Metric::Utilisation | Metric::SegmentsPerAck => format!("{value:?}"),
        _ => format!("{}", value as u64),
    }
}
