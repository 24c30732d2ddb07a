//! Congestion marks through whole runs: across ACK filters, and in the controllers' answers.

use super::tcp::connection;
use super::*;
use crate::record::FlowSummary;
use crate::scenario::load_toml;
use acklab_path::ack_filter::registry::FILTERS;
use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::segment::{Flags, Segment};
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::tcp::Connection;
use acklab_proto::transport::Socket;
use std::cell::RefCell;
use std::rc::Rc;

/// The ECN feedback of one direction's ACKs: each change of ECE or CWR.
type Log = Rc<RefCell<Changes>>;
type Changes = Vec<(bool, bool)>;

/// A connection that notes what its ACKs say, or what those that arrive say.
#[derive(Debug)]
struct Tapped {
    inner: Connection,
    sent: Log,
    received: Log,
}

fn note(log: &Log, segment: &Segment) {
    if segment.flags.contains(Flags::SYN) {
        return;
    }
    let says = |flag| segment.flags.contains(flag);
    let now = (says(Flags::ECE), says(Flags::CWR));
    if log.borrow().last() != Some(&now) {
        log.borrow_mut().push(now);
    }
}

impl Endpoint for Tapped {
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        note(&self.received, datagram.tcp().unwrap());
        self.inner.on_datagram(now, datagram);
    }
    fn on_timeout(&mut self, now: Instant) {
        Endpoint::on_timeout(&mut self.inner, now);
    }
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        let next = Endpoint::poll_transmit(&mut self.inner, now)?;
        note(&self.sent, next.tcp().unwrap());
        Some(next)
    }
    fn next_timeout(&self) -> Option<Instant> {
        Endpoint::next_timeout(&self.inner)
    }
    fn poll_event(&mut self) -> Option<Event> {
        Endpoint::poll_event(&mut self.inner)
    }
}

impl Socket for Tapped {
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

impl Transport for Tapped {
    fn open(&mut self, now: Instant) {
        self.inner.open(now);
    }
    fn cwnd(&self) -> u64 {
        self.inner.cwnd()
    }
    fn stats(&self) -> &Stats {
        self.inner.stats()
    }
    fn snapshot(&self) -> Snapshot {
        Transport::snapshot(&self.inner)
    }
}

fn plan(link: &str, reverse: &str, flow: &str) -> Plan {
    let text = format!(
        "duration = '30 s'\nwarmup = '5 s'\n[topology]\npreset = 'dumbbell'\n\
         [topology.bottleneck]\n{link}\n\
         [topology.bottleneck.reverse]\n{reverse}\n[tcp]\necn = 'on'\n\
         [[flow]]\n{flow}"
    );
    let loaded = load_toml(&text, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    loaded.plan
}

/// The ECN feedback where the ACKs were sent and where they arrived, with a filter on the
/// way, and the run.
fn echoes(filter: &str) -> (Changes, Changes, RunResult) {
    // Too slow for every ACK: filters that look into the queue find something there.
    let back = format!("rate = '200 kbit/s'\nqueue = '1000 packets'\nack_filter = {filter}");
    let link = "rate = '20 Mbit/s'\ndelay = '20 ms'\nqueue = '1000 packets'\nce = 0.003";
    let plan = plan(link, &back, "cc = 'newreno'");
    let (mut sent, mut received) = (Log::default(), Log::default());
    let run = run_with(&plan, 1, &AtomicBool::new(false), |end| {
        let tapped = Tapped {
            inner: connection(end.flow.transport.tcp().unwrap(), end),
            sent: Log::default(),
            received: Log::default(),
        };
        let log = if end.active { &mut received } else { &mut sent };
        *log = Rc::clone(if end.active {
            &tapped.received
        } else {
            &tapped.sent
        });
        tapped
    });
    let run = run.expect("not interrupted");
    let (sent, received) = (sent.take(), received.take());
    (sent, received, run)
}

/// A filter may merge ACKs and drop them, but every change of what they say about marks reaches the
/// sender, in order, and each echo reduces the window once.
#[test]
fn no_filter_swallows_an_echo_or_its_end() {
    let in_order = |name: &str| {
        let order = match name {
            "android-thin" => ", others = 'flush'",
            "android-replace" => ", others = 'keep'",
            // As in the paper, a newer ACK stands for one that says something else of marks.
            "tac-paper" => ", ecn = 'flush'",
            _ => "",
        };
        format!("{{ name = '{name}'{order} }}")
    };
    let one = FILTERS.iter().map(|e| in_order(e.name));
    let two = [
        ("tac", "cake"),
        ("aggregate", "android-replace"),
        ("android-thin", "cake"),
    ];
    let two = two.map(|(a, b)| format!("[{}, {}]", in_order(a), in_order(b)));
    for name in one.chain(two) {
        let (sent, received, run) = echoes(&name);
        assert!(sent.len() > 50, "{name}: {} changes", sent.len());
        // The last may be on its way.
        assert!(sent.len() - received.len() <= 1, "{name}");
        assert_eq!(sent[..received.len()], received[..], "{name}");
        let flow = &run.flows[0];
        assert_eq!(flow.ecn_reductions, received.len() as u64 / 2, "{name}");
        assert_eq!(flow.retrans.total(), 0);
        let thinned = run.links.iter().filter_map(|l| l.filter).next();
        assert!(thinned.is_some_and(|f| f.dropped > 0), "{name}");
    }
}

/// A telephone's driver has an ACK that it holds overtaken by what passes: the sender sees the end of
/// an echo in the middle of it.
#[test]
fn what_is_overtaken_ends_an_echo_too_soon() {
    let (sent, received, _) = echoes("'android-thin'");
    assert!(received.len() > sent.len() + 10);
}

fn bbr3(ecn: bool, delay: &str) -> (FlowSummary, u64, f64) {
    let flow = format!("cc = {{ name = 'bbr3', source = 'google', ecn = {ecn} }}");
    let link = format!(
        "rate = '100 Mbit/s'\ndelay = '{delay}'\nqueue = '500 packets'\nmark = '10 packets'"
    );
    let plan = plan(&link, "", &flow);
    let run = super::run(&plan, 1, &AtomicBool::new(false)).expect("not interrupted");
    let link = run.links.iter().find(|l| l.name == "left->right").unwrap();
    let (marked, wait) = (link.stats.marked, link.stats.sojourn_mean());
    (run.flows[0].clone(), marked, wait.as_secs_f64())
}

/// Google's BBRv3 answers marks on short paths (`bbr_ecn_max_rtt_us`, 5 ms) by keeping less in
/// flight, so that fewer packets wait and fewer are marked, and goes on filling the line. On longer
/// paths, or without `ecn`, marks mean nothing to it.
#[test]
fn bbr3_answers_marks_where_they_mean_a_shallow_queue() {
    let (deaf, most, long_wait) = bbr3(false, "1 ms");
    let (flow, marked, wait) = bbr3(true, "1 ms");
    assert!(marked > 0 && marked < most * 4 / 5, "{marked} of {most}");
    assert!(wait < 0.9 * long_wait, "{wait} s, deaf {long_wait} s");
    for f in [&flow, &deaf] {
        assert!(f.goodput_bps > 0.9 * 100e6 * 1448.0 / 1500.0, "{f:?}");
        assert_eq!(f.retrans.total(), 0);
    }
    let far = |ecn| bbr3(ecn, "10 ms");
    assert_eq!(format!("{:?}", far(true)), format!("{:?}", far(false)));
}
