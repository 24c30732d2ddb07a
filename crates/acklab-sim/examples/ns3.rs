//! Our `profile = "ns3"` against ns-3's own results, row by row.
//!
//! `cargo run --release --example ns3 -- wired.csv [words]` runs the rows whose `args` contain all
//! the words. `-- --tcp=cubic --thin=4 ...` runs one row without a reference; with `LOG` set it
//! prints what the sender sends and receives.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool for developers, with arguments and files"
)]

use acklab_proto::datagram::{Datagram, Dscp};
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::registry::{self, Params, Value};
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::tcp::config::{AckChoice, Buffer, CcChoice};
use acklab_proto::tcp::{Connection, Profile, Role, TcpConfig};
use acklab_proto::transport::{Socket, Transport};
use acklab_sim::engine::{self, End};
use acklab_sim::plan::{
    AppPlan, FilterPlan, FlowPlan, ImpairPlan, LinkPlan, Plan, QueuePlan, RecordPlan, TcpPlan,
    TransportPlan,
};
use acklab_sim::record::FlowSummary;
use acklab_units::{Instant, Rate, Span};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// Options of ns-3's program and their defaults.
const DEFAULTS: [(&str, &str); 10] = [
    ("tcp", "newreno"),
    ("flows", "1"),
    ("thin", "1"),
    ("delack", "2"),
    ("buf", "131072"),
    ("devq", "100"),
    ("timerMs", "5"),
    ("bneck", "10"),
    ("bdelay", "20"),
    ("dur", "60"),
];

struct Args(HashMap<String, String>);

impl Args {
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut map: HashMap<_, _> = DEFAULTS
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        for (k, v) in words.filter_map(|w| w.strip_prefix("--")?.split_once('=')) {
            map.insert(k.to_string(), v.to_string());
        }
        Self(map)
    }

    fn text(&self, key: &str) -> &str {
        &self.0[key]
    }

    fn real(&self, key: &str) -> f64 {
        self.0[key].parse().expect("a number")
    }

    fn int(&self, key: &str) -> u64 {
        self.real(key) as u64
    }
}

fn tcp(args: &Args) -> TcpConfig {
    let size = args.int("buf");
    let buffer = Buffer {
        initial: size,
        max: size,
    };
    TcpConfig {
        send_buffer: buffer,
        recv_buffer: buffer,
        isn: Some(0),
        ..TcpConfig::new(Profile::Ns3)
    }
}

fn cc(name: &str) -> CcChoice {
    let mut cc = CcChoice::named(name).expect("a controller");
    for key in ["variant", "growth"] {
        let _ = cc.params.set(cc.entry.params, key, Value::Choice("ns3"));
    }
    cc
}

fn ack(args: &Args) -> AckChoice {
    let mut ack = AckChoice::named("delayed").expect("a policy");
    let specs = ack.entry.params;
    let segments = Value::Int(args.int("delack") as i64);
    for (key, value) in [
        ("segments", segments),
        ("count", Value::Choice("segments")),
        ("first", Value::Bool(true)),
    ] {
        ack.params.set(specs, key, value).expect("a parameter");
    }
    ack
}

fn filter(args: &Args) -> Option<FilterPlan> {
    let ratio = args.int("thin") as i64;
    let filters = acklab_path::ack_filter::registry::FILTERS;
    let entry = registry::find(filters, "aggregate")?;
    let mut params = Params::defaults(entry.params);
    let timeout = Span::from_secs_f64(args.real("timerMs") / 1e3);
    params.set(entry.params, "ratio", Value::Int(ratio)).ok()?;
    let span = Value::Span(timeout);
    params.set(entry.params, "timeout", span).ok()?;
    (ratio > 1).then_some(FilterPlan { entry, params })
}

fn plan(args: &Args) -> Plan {
    let start = Instant::ZERO + Span::from_secs(2);
    let stop = start + Span::from_secs_f64(args.real("dur"));
    let flows = args.int("flows") as usize;
    let link = |name: String, ends: (usize, usize), mbps: f64, ms: f64, queue| LinkPlan {
        name,
        from: ends.0,
        to: ends.1,
        rate: Rate::from_bps((mbps * 1e6) as u64),
        delay: Span::from_secs_f64(ms / 1e3),
        trace: None,
        overhead: 2,
        queue: QueuePlan::Packets(queue),
        discipline: None,
        mark: None,
        filters: Vec::new(),
        impair: ImpairPlan::default(),
    };
    let (rate, delay) = (args.real("bneck"), args.real("bdelay"));
    let queue = args.int("devq") as u32;
    let mut links = vec![
        link("forward".into(), (0, 1), rate, delay, queue),
        link("reverse".into(), (1, 0), rate, delay, 100_000),
    ];
    links[1].filters.extend(filter(args));
    let mut plan_flows = Vec::new();
    for f in 0..flows {
        let (s, d, at) = (2 + 2 * f, 3 + 2 * f, links.len());
        for ends in [(s, 0), (1, d), (d, 1), (0, s)] {
            links.push(link(format!("access{ends:?}"), ends, 100.0, 2.0, 100));
        }
        plan_flows.push(FlowPlan {
            name: format!("f{f}"),
            src: s,
            dst: d,
            forward: vec![at, 0, at + 1],
            reverse: vec![at + 2, 1, at + 3],
            start,
            start_jitter: Span::ZERO,
            dscp: Dscp::DEFAULT,
            app: AppPlan::Bulk {
                bytes: Some(144_800_000),
                until: None,
            },
            transport: TransportPlan::Tcp(TcpPlan {
                config: tcp(args).into(),
                cc: cc(args.text("tcp")),
                ack: ack(args),
            }),
        });
    }
    Plan {
        name: "wired".into(),
        nodes: (0..2 + 2 * flows).map(|i| format!("n{i}")).collect(),
        links,
        media: Vec::new(),
        flows: plan_flows,
        stop,
        measure_from: start,
        record: RecordPlan::default(),
        warmup: start,
    }
}

/// A connection that prints what passes.
#[derive(Debug)]
struct Logged {
    inner: Connection,
    on: bool,
    window: u64,
}

impl Logged {
    fn new(end: End<'_>, on: bool) -> Self {
        let plan = end.flow.transport.tcp().expect("TCP");
        let tcp = &plan.config;
        let cc = plan.cc.build(acklab_proto::cc::CcInit {
            mss: tcp.segment,
            initial_cwnd: u64::from(tcp.segment * tcp.initial_window),
            seed: end.seeds.cc,
            kernel_units: false,
        });
        let ack = (plan.ack.entry.build)(&plan.ack.params);
        let role = if end.active {
            Role::Active
        } else {
            Role::Passive
        };
        Self {
            inner: Connection::new(role, tcp.clone(), cc, ack, 0),
            on: on && end.active,
            window: 0,
        }
    }

    fn note_window(&mut self, now: Instant) {
        let window = self.inner.snapshot().cwnd;
        if self.on && window != self.window {
            self.window = window;
            println!("{} cwnd {window}", time(now));
        }
    }
}

fn time(now: Instant) -> String {
    let ns = now.as_nanos();
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

impl Endpoint for Logged {
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        if let (true, Some(segment)) = (self.on, datagram.tcp()) {
            println!("{} rx {}", time(now), segment.ack.0);
        }
        self.inner.on_datagram(now, datagram);
        self.note_window(now);
    }
    fn on_timeout(&mut self, now: Instant) {
        self.inner.on_timeout(now);
        self.note_window(now);
    }
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        let next = self.inner.poll_transmit(now)?;
        if let (true, Some(s)) = (self.on, next.tcp()) {
            println!("{} tx {} {}", time(now), s.seq.0, s.len);
        }
        Some(next)
    }
    fn next_timeout(&self) -> Option<Instant> {
        self.inner.next_timeout()
    }
    fn poll_event(&mut self) -> Option<Event> {
        self.inner.poll_event()
    }
}

impl Socket for Logged {
    fn write(&mut self, bytes: u64) -> u64 {
        self.inner.write(bytes)
    }
    fn read(&mut self, now: Instant, max: u64) -> u64 {
        self.inner.read(now, max)
    }
    fn close(&mut self, now: Instant) {
        self.inner.close(now);
    }
}

impl Transport for Logged {
    fn open(&mut self, now: Instant) {
        self.inner.open(now);
    }
    fn cwnd(&self) -> u64 {
        Transport::cwnd(&self.inner)
    }
    fn tied_timer(&self, now: Instant) -> Option<Instant> {
        self.inner.tied_timer(now)
    }
    fn stats(&self) -> &Stats {
        self.inner.stats()
    }
    fn snapshot(&self) -> Snapshot {
        Transport::snapshot(&self.inner)
    }
}

fn run(args: &Args) -> Vec<FlowSummary> {
    let log = std::env::var_os("LOG").is_some();
    let go = AtomicBool::new(false);
    engine::run_with(&plan(args), 1, &go, |end| Logged::new(end, log))
        .expect("nobody stops it")
        .flows
}

fn row(columns: &[&str]) -> f64 {
    let args = Args::parse(columns[columns.len() - 1].split(' '));
    let ours = &run(&args)[0];
    let goodput = ours.goodput_bps / 1e6;
    let theirs: f64 = columns[10].parse().expect("a goodput");
    let error = 100.0 * (goodput / theirs - 1.0);
    println!(
        "{:20} {:10} {:>3} {:>2} | {goodput:8.4} {theirs:8.4} {error:6.2} % | {:5} {:>5} | {:8.2} {:>8} | {:6} {:>6} {}",
        columns[1],
        columns[2],
        columns[4],
        columns[5],
        ours.retrans.total(),
        columns[12],
        ours.cwnd_mean_time.unwrap_or(f64::NAN),
        columns[14],
        ours.acks_received,
        columns[13],
        ours.rtos,
    );
    error
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_none_or(|w| w.starts_with("--")) {
        let args = Args::parse(words.iter().map(String::as_str));
        for f in run(&args) {
            println!(
                "{} {:.4} retx {} cwnd {:.2} acks {} rtos {}",
                f.name,
                f.goodput_bps / 1e6,
                f.retrans.total(),
                f.cwnd_mean_time.unwrap_or(f64::NAN),
                f.acks_received,
                f.rtos
            );
        }
        return;
    }
    let csv = std::fs::read_to_string(&words[0]).expect("a readable file");
    let mut worst: f64 = 0.0;
    for line in csv.lines().skip(1) {
        if words[1..].iter().all(|w| line.contains(w.as_str())) {
            let columns: Vec<_> = line.split(',').collect();
            worst = worst.max(row(&columns).abs());
        }
    }
    println!("worst error {worst:.2} %");
}
