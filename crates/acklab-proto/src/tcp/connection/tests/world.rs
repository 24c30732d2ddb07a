//! A wire between two connections that drops, delays and repeats what a test asks for.

use super::super::*;
use crate::ack::{AckDecision, AckPolicy, AckReason, Arrival};
use crate::cc::{Ack, CcInit, CongestionControl, Loss, Rto};
use crate::segment::Segment;
use crate::tcp::config::CcChoice;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::vec::Vec;

/// A window that only a timeout moves: one segment, then slow start back to where it was.
#[derive(Debug)]
pub struct Fixed {
    full: u64,
    now: u64,
    /// ACKs that delivered something and told no RTT.
    untimed: u32,
}

impl Fixed {
    pub fn new(bytes: u64) -> Self {
        Self {
            full: bytes,
            now: bytes,
            untimed: 0,
        }
    }
}

impl CongestionControl for Fixed {
    fn on_ack(&mut self, a: &Ack) {
        self.now = (self.now + a.newly_delivered).min(self.full);
        self.untimed += u32::from(a.newly_delivered > 0 && a.cc_rtt.is_none());
    }
    fn on_loss(&mut self, _: &Loss) {}
    fn on_rto(&mut self, _: &Rto) {
        self.now = MSS;
    }
    fn on_spurious(&mut self, _: &crate::cc::Spurious) {
        self.now = self.full;
    }
    fn cwnd(&self) -> u64 {
        self.now
    }
    fn ssthresh(&self) -> u64 {
        self.full
    }
    fn state(&self) -> &'static str {
        "fixed"
    }
    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("untimed", f64::from(self.untimed));
    }
}

/// Acknowledges everything.
#[derive(Debug)]
pub struct Every;

impl AckPolicy for Every {
    fn on_data(&mut self, _: &Arrival) -> AckDecision {
        AckDecision::Now(AckReason::EverySegment)
    }
    fn on_timeout(&mut self, _: Instant) -> Option<AckReason> {
        None
    }
    fn on_ack_sent(&mut self, _: Instant) {}
    fn next_timeout(&self) -> Option<Instant> {
        None
    }
}

/// Which way a segment travels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Forward,
    Back,
}

/// The wire's treatment of one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Pass,
    Drop,
    /// A router sets CE if it may (RFC 3168 section 5).
    Mark,
    Late(Span),
    Twice,
}

/// One line of the timeline.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub at: Instant,
    pub way: Way,
    pub seg: Segment,
    pub dropped: bool,
}

/// Decides the fate of the n-th segment (from 0) of a direction.
pub type Script = Box<dyn FnMut(Way, usize, &Segment) -> Fate>;

/// Two ends and a wire of fixed delay.
pub struct World {
    pub now: Instant,
    pub a: Connection,
    pub b: Connection,
    pub log: Vec<Line>,
    delay: Span,
    wire: BTreeMap<(Instant, u64), (Way, Segment)>,
    script: Script,
    count: [usize; 2],
    order: u64,
    /// In-order bytes that b has read.
    pub read_b: u64,
    /// b reads what it gets.
    pub b_reads: bool,
    unwritten: u64,
    closing: bool,
}

pub const MSS: u64 = 1000;

pub fn config() -> TcpConfig {
    TcpConfig {
        segment: MSS as u32,
        isn: Some(0),
        ..TcpConfig::default()
    }
}

/// A connection whose handshake is over.
pub fn established(cfg: &TcpConfig, cwnd: u64, script: Script) -> World {
    let mut w = World::new(cfg, cwnd, script);
    w.run(Span::from_millis(50));
    w
}

impl World {
    /// A connection with a window of `cwnd` segments over 10 ms each way.
    pub fn new(cfg: &TcpConfig, cwnd: u64, script: Script) -> Self {
        Self::with_controller(cfg, Box::new(Fixed::new(cwnd * MSS)), cwnd, script)
    }

    fn with_controller(
        cfg: &TcpConfig,
        cc: Box<dyn CongestionControl>,
        cwnd: u64,
        script: Script,
    ) -> Self {
        let cfg = Arc::new(cfg.clone());
        let end = |role, cc, isn| Connection::new(role, cfg.clone(), cc, Box::new(Every), isn);
        let a = end(Role::Active, cc, u32::MAX - 3000);
        let b = end(Role::Passive, Box::new(Fixed::new(cwnd * MSS)), 77);
        Self::between(a, b, script)
    }

    /// These two ends, and the first has opened.
    pub fn between(a: Connection, b: Connection, script: Script) -> Self {
        let mut w = Self {
            now: Instant::ZERO + Span::from_secs(1),
            a,
            b,
            log: Vec::new(),
            delay: Span::from_millis(10),
            wire: BTreeMap::new(),
            script,
            count: [0; 2],
            order: 0,
            read_b: 0,
            b_reads: true,
            unwritten: 0,
            closing: false,
        };
        w.a.open(w.now);
        w.flush();
        w
    }

    pub fn clean(cfg: &TcpConfig, cwnd: u64) -> Self {
        Self::new(cfg, cwnd, Box::new(|_, _, _| Fate::Pass))
    }

    fn flush(&mut self) {
        loop {
            self.feed();
            if self.b_reads {
                self.read_b += self.b.read(self.now, u64::MAX);
            }
            let (way, seg) = if let Some(s) = self.a.poll_segment(self.now) {
                (Way::Forward, s)
            } else if let Some(s) = self.b.poll_segment(self.now) {
                (Way::Back, s)
            } else {
                return;
            };
            self.put(way, seg);
        }
    }

    fn put(&mut self, way: Way, mut seg: Segment) {
        let n = self.count[way as usize];
        self.count[way as usize] += 1;
        let fate = (self.script)(way, n, &seg);
        if fate == Fate::Mark {
            seg.ecn = seg.ecn.marked();
        }
        self.log.push(Line {
            at: self.now,
            way,
            seg,
            dropped: fate == Fate::Drop,
        });
        let copies: &[Span] = match fate {
            Fate::Drop => &[],
            Fate::Pass | Fate::Mark => &[Span::ZERO],
            Fate::Late(by) => &[by],
            Fate::Twice => &[Span::ZERO, Span::ZERO],
        };
        for &extra in copies {
            self.order += 1;
            self.wire
                .insert((self.now + self.delay + extra, self.order), (way, seg));
        }
    }

    /// Runs until `until` or until nothing is left to happen. Panics if time stands still.
    pub fn run(&mut self, until: Span) {
        let end = self.now + until;
        let mut same = 0;
        loop {
            let timers = [self.a.next_timeout(), self.b.next_timeout()];
            let wire = self.wire.keys().next().map(|k| k.0);
            let Some(next) = timers.into_iter().flatten().chain(wire).min() else {
                break;
            };
            if next > end {
                break;
            }
            same = if next <= self.now { same + 1 } else { 0 };
            assert!(same < 10_000, "time stands still at {:?}", self.now);
            self.now = self.now.max(next);
            while let Some(k) = self.wire.keys().next().copied().filter(|k| k.0 <= self.now) {
                let (way, seg) = self.wire.remove(&k).unwrap();
                match way {
                    Way::Forward => self.b.on_segment(self.now, &seg),
                    Way::Back => self.a.on_segment(self.now, &seg),
                }
                self.flush();
            }
            self.a.on_timeout(self.now);
            self.b.on_timeout(self.now);
            self.flush();
        }
        self.now = end;
    }

    pub fn send(&mut self, bytes: u64) {
        self.unwritten += bytes;
        self.flush();
    }

    /// Writes what there is room for; closes when everything is written, if asked to.
    fn feed(&mut self) {
        if self.unwritten > 0 {
            self.unwritten -= self.a.write(self.unwritten);
        }
        if self.unwritten == 0 && core::mem::take(&mut self.closing) {
            self.a.close(self.now);
        }
    }

    pub fn close_a(&mut self) {
        self.closing = true;
        self.flush();
    }

    pub fn close_b(&mut self) {
        self.b.close(self.now);
        self.flush();
    }

    /// The same with the controller called `name` at a.
    pub fn controlled(cfg: &TcpConfig, name: &str, script: Script) -> Self {
        let cc = CcChoice::named(name)
            .expect("a known controller")
            .build(CcInit {
                mss: MSS as u32,
                initial_cwnd: 10 * MSS,
                seed: 1,
                kernel_units: false,
            });
        let mut w = Self::with_controller(cfg, cc, 10, script);
        w.run(Span::from_millis(50));
        w
    }

    /// Offsets (in whole segments from 0) of forward data segments in order of sending.
    pub fn data_sent(&self) -> Vec<u64> {
        let origin = self.log[0].seg.seq + 1;
        self.log
            .iter()
            .filter(|l| l.way == Way::Forward && l.seg.len > 0)
            .map(|l| l.seg.seq.distance(origin) as u64 / MSS)
            .collect()
    }
}

/// Drops forward data segments by their running number (handshake not counted), once each.
pub fn drop_data(which: &[usize]) -> Script {
    befall_data(which, Fate::Drop)
}

/// Lets `fate` befall forward data segments by their running number (handshake not counted).
pub fn befall_data(which: &[usize], fate: Fate) -> Script {
    let which: Vec<usize> = which.to_vec();
    let mut n = 0;
    Box::new(move |way, _, seg| {
        if way == Way::Back || seg.len == 0 {
            return Fate::Pass;
        }
        n += 1;
        if which.contains(&(n - 1)) {
            fate
        } else {
            Fate::Pass
        }
    })
}

impl World {
    /// The timeline as text, for a failing test's message.
    pub fn dump(&self) -> std::string::String {
        use core::fmt::Write;
        let (a, b) = (self.log[0].seg.seq, SeqNum(77));
        let mut s = std::string::String::new();
        for l in &self.log {
            let (o, p) = if l.way == Way::Forward {
                (a, b)
            } else {
                (b, a)
            };
            let at = |n: SeqNum, o: SeqNum| n.distance(o);
            let blocks: Vec<_> = l
                .seg
                .sack
                .as_slice()
                .iter()
                .map(|k| (at(k.start, p), at(k.end, p)))
                .collect();
            let _ = writeln!(
                s,
                "{:?} {:?}{} {:?} seq {} len {} ack {} {blocks:?}",
                l.at,
                l.way,
                if l.dropped { " LOST" } else { "" },
                l.seg.flags,
                at(l.seg.seq, o),
                l.seg.len,
                at(l.seg.ack, p),
            );
        }
        s
    }
}
