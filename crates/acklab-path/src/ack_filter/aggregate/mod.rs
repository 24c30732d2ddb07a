//! Transport-layer ACK aggregation: a queue that thins or batches pure acknowledgements.
//!
//! The ACK aggregation thesis (sections 3 and 4.1) puts such a queue on the reverse path: it holds
//! acknowledgements and lets go after so many, or after 5 ms. The text leaves open what exactly is
//! held, counted and let go; each reading is a parameter. The defaults are those of the two
//! thinners that the reference results were made with: one counter per flow, the newest
//! acknowledgement goes on, the timer runs from the first held, duplicates and SACK blocks are
//! thinned like the rest.
//!
//! Properties with any parameters:
//!
//! * **Never lost, never held**: data, SYN, FIN, RST, piggybacked acknowledgements, and any
//!   acknowledgement whose ECE or CWR differs from the flow's packet before. Held ones leave
//!   before them, so nothing of a flow is overtaken. An ECE that stays set is no change: the
//!   acknowledgements of such a run are thinned, its beginning and end are not.
//! * **Newest** means the highest acknowledgement number, not the last arrival: an acknowledgement
//!   that was itself overtaken counts, but does not displace a higher one. At equal numbers the
//!   last arrival wins, since its window, timestamp and SACK blocks are newer. A window update is
//!   therefore thinned, but its window is not lost.
//! * A **DSACK** is said once, in one acknowledgement. With `sack = "thin"` it can be lost, and the
//!   sender then does not learn that a retransmission was spurious; with `sack = "pass"` it passes.
//! * **Ratio 1** is transparent.
//!
//! Two readings break the first of these, as naive queues do. `handshake = "thin"` holds and counts
//! the SYN-ACK, because it carries the ACK flag: the connection begins with a timeout. `flush =
//! "next"` lets the timer move what is held into the queue without waking the link, so that it
//! leaves with the next arrival; in ns-3 a queue disc does so whose timer does not call `Run()`.
//! The acknowledgements of a flow that waits for them then never leave.
//!
//! The last state of `flows` flows is remembered. Of a forgotten flow nothing is held; its
//! next acknowledgement is judged like the first one of a flow, so that with `duplicates = "pass"` one
//! that is none may be thinned.
//!
//! With `scope = "queue"` one counter and one batch serve all flows: of a mixed batch, `release =
//! "last"` lets only one flow's acknowledgement go on and starves the others, and whatever passes
//! flushes the whole batch, as a first-in first-out queue would.

mod batch;
mod classify;
mod known;

use super::deadlines::Deadlines;
use super::{AckFilter, Build, FilterStats, ForwardReason, Verdict};
use crate::packet::{DropReason, FlowId, Packet};
use acklab_proto::registry::{Entry, Kind as Fits, Param, Params, Value};
use acklab_proto::segment::Segment;
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;
use batch::{Batch, Held, Release};
use classify::{Kind, Rules};
use known::Known;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "aggregate",
    aliases: &["thin"],
    summary: "Holds pure ACKs and lets one of N (or N at once) go on, or what it has after a time.",
    source: "ACK aggregation thesis, sections 3 and 4.1",
    params: PARAMS,
    build: |params| Box::new(Aggregate::new(params)),
};

const PARAMS: &[Param] = &[
    Param {
        name: "ratio",
        doc: "ACKs per release, N of the thesis's N:1; 1 is transparent.",
        kind: Fits::Int(1, 1024),
        default: Value::Int(2),
    },
    Param {
        name: "timeout",
        doc: "Release at the latest after this (thesis: 5 ms), or \"none\".",
        kind: Fits::OptSpan(Span::from_micros(1), Span::from_secs(10)),
        default: Value::Span(Span::from_millis(5)),
    },
    Param {
        name: "timeout_from",
        doc: "The timeout runs from the \"first\" ACK held, or anew from each (\"last\").",
        kind: Fits::Choice(&["first", "last"]),
        default: Value::Choice("first"),
    },
    Param {
        name: "release",
        doc: "Only the \"last\" ACK goes on and the others are dropped, or all in a \"burst\".",
        kind: Fits::Choice(&["last", "burst"]),
        default: Value::Choice("last"),
    },
    Param {
        name: "duplicates",
        doc: "ACKs that do not advance the number: \"thin\" them like the others, or \"pass\".",
        kind: Fits::Choice(&["thin", "pass"]),
        default: Value::Choice("thin"),
    },
    Param {
        name: "scope",
        doc: "One counter per \"flow\", or one for the whole \"queue\".",
        kind: Fits::Choice(&["flow", "queue"]),
        default: Value::Choice("flow"),
    },
    Param {
        name: "handshake",
        doc: "The SYN-ACK: let it \"pass\", or hold and count it like an ACK (\"thin\").",
        kind: Fits::Choice(&["pass", "thin"]),
        default: Value::Choice("pass"),
    },
    Param {
        name: "flush",
        doc: "What the timeout lets go leaves \"now\", or with the \"next\" arrival only.",
        kind: Fits::Choice(&["now", "next"]),
        default: Value::Choice("now"),
    },
    Param {
        name: "capacity",
        doc: "Most packets held at a time, all flows together; an ACK that finds no room is \
              dropped and not counted.",
        kind: Fits::Int(1, 1_000_000),
        default: Value::Int(100_000),
    },
    Param {
        name: "sack",
        doc: "ACKs whose SACK blocks changed, and DSACKs: \"thin\" or \"pass\".",
        kind: Fits::Choice(&["thin", "pass"]),
        default: Value::Choice("thin"),
    },
    Param {
        name: "flows",
        doc: "Most flows that are remembered. A new one takes the place of one of which nothing is \
              held and that was quiet for long; if it finds none, its ACK goes on.",
        kind: Fits::Int(1, 1_000_000),
        default: Value::Int(65_536),
    },
];

/// The parameters, parsed.
#[derive(Clone, Copy, Debug)]
struct Options {
    ratio: u32,
    timeout: Option<Span>,
    rearm: bool,
    release: Release,
    rules: Rules,
    per_flow: bool,
    /// Acknowledgements that the timer releases wait for the next arrival.
    sleeps: bool,
    capacity: u32,
}

impl Options {
    fn new(params: &Params) -> Self {
        Self {
            ratio: params.int("ratio") as u32,
            timeout: params.span("timeout"),
            rearm: params.choice("timeout_from") == "last",
            release: match params.choice("release") {
                "burst" => Release::Burst,
                _ => Release::Last,
            },
            rules: Rules {
                pass_duplicates: params.choice("duplicates") == "pass",
                pass_sack: params.choice("sack") == "pass",
                pass_handshake: params.choice("handshake") == "pass",
            },
            per_flow: params.choice("scope") == "flow",
            sleeps: params.choice("flush") == "next",
            capacity: params.int("capacity") as u32,
        }
    }
}

/// The thinning queue.
#[derive(Clone, Debug)]
struct Aggregate {
    options: Options,
    known: Known,
    /// By the flow's place in `known`, or the only one.
    batches: Vec<Batch>,
    timers: Deadlines,
    /// Let go by the timer, but nobody has told the link.
    asleep: Vec<Packet>,
    stats: FilterStats,
}

impl Aggregate {
    fn new(params: &Params) -> Self {
        Self {
            options: Options::new(params),
            known: Known::new(params.int("flows") as usize),
            batches: Vec::new(),
            timers: Deadlines::default(),
            asleep: Vec::new(),
            stats: FilterStats::default(),
        }
    }

    /// The place of a flow; none if there is no room for it.
    fn place(&mut self, flow: FlowId) -> Option<usize> {
        let (batches, per_flow) = (&self.batches, self.options.per_flow);
        let is_idle = |at: usize| !per_flow || batches[at].is_empty();
        let at = self.known.place(flow, is_idle)?;
        let key = self.key(at);
        if key >= self.batches.len() {
            self.batches.resize(key + 1, Batch::default());
        }
        Some(at)
    }

    /// The batch of the flow at that place.
    fn key(&self, place: usize) -> usize {
        if self.options.per_flow { place } else { 0 }
    }

    /// Lets go of what is held.
    fn release(&mut self, key: usize, reason: ForwardReason, out: &mut Vec<Verdict>) {
        for packet in self.batches[key].release() {
            self.stats.held -= 1;
            self.stats.forwarded += 1;
            out.push(Verdict::Forward(packet, reason));
        }
        self.batches[key].trim();
    }

    /// The timer of a batch.
    fn expire(&mut self, key: usize, out: &mut Vec<Verdict>) {
        self.stats.timer_releases += 1;
        if self.options.sleeps {
            self.asleep.extend(self.batches[key].release());
            self.batches[key].trim();
        } else {
            self.release(key, ForwardReason::Timeout, out);
        }
    }

    /// An arrival wakes the link.
    fn wake(&mut self, out: &mut Vec<Verdict>) {
        for packet in self.asleep.drain(..) {
            self.stats.held -= 1;
            self.stats.forwarded += 1;
            out.push(Verdict::Forward(packet, ForwardReason::Timeout));
        }
    }

    /// Something that may not be held: what is held goes first.
    fn pass(&mut self, key: usize, verdict: Verdict, out: &mut Vec<Verdict>) {
        self.release(key, ForwardReason::Flush, out);
        out.push(verdict);
    }

    fn lose(&mut self, packet: Packet, reason: DropReason, out: &mut Vec<Verdict>) {
        self.stats.dropped += 1;
        out.push(Verdict::Drop(packet, reason));
    }

    /// An acknowledgement that may be thinned.
    fn absorb(&mut self, now: Instant, key: usize, new: Held, out: &mut Vec<Verdict>) {
        let batch = &mut self.batches[key];
        let completes = batch.count() + 1 >= self.options.ratio;
        let needs_room = batch.is_empty() || self.options.release == Release::Burst;
        if needs_room && !completes && self.stats.held >= self.options.capacity {
            return self.lose(new.packet, DropReason::FilterFull, out);
        }
        self.stats.held += 1;
        if let Some(loser) = batch.absorb(new, self.options.release) {
            self.stats.held -= 1;
            self.lose(loser, DropReason::AckThinned, out);
        }
        if completes {
            self.release(key, ForwardReason::Ratio, out);
        } else {
            self.arm(now, key);
        }
    }

    fn arm(&mut self, now: Instant, key: usize) {
        let Some(timeout) = self.options.timeout else {
            return;
        };
        if self.batches[key].count() == 1 || self.options.rearm {
            self.batches[key].timer = self.timers.set(now + timeout, key);
        }
    }

    /// After every call: `next_wakeup` must find a deadline that holds, and nothing got lost.
    fn settle(&mut self) {
        let batches = &self.batches;
        self.timers.tidy(|key| batches[key].timer);
        let s = &self.stats;
        debug_assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
    }
}

impl AckFilter for Aggregate {
    fn on_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        segment: &Segment,
        out: &mut Vec<Verdict>,
    ) {
        self.wake(out);
        let Some(place) = self.place(packet.flow) else {
            let pure = u64::from(segment.is_pure_ack());
            self.stats.seen += pure;
            self.stats.forwarded += pure;
            out.push(Verdict::Forward(packet, ForwardReason::Passing));
            return self.settle();
        };
        let key = self.key(place);
        let kind = self
            .known
            .memory(place)
            .classify(segment, self.options.rules);
        let pure = kind != Kind::Other;
        self.stats.seen += u64::from(pure);
        let reason = match kind {
            Kind::Plain => {
                let ack = segment.ack;
                self.absorb(now, key, Held { packet, ack }, out);
                return self.settle();
            }
            Kind::Duplicate => ForwardReason::Duplicate,
            Kind::Other | Kind::More => ForwardReason::Untouchable,
        };
        self.stats.forwarded += u64::from(pure);
        self.pass(key, Verdict::Forward(packet, reason), out);
        self.settle();
    }

    fn on_wakeup(&mut self, now: Instant, out: &mut Vec<Verdict>) {
        while let Some(key) = self.timers.expired(now) {
            self.expire(key, out);
            self.settle();
        }
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.timers.next()
    }

    fn stats(&self) -> FilterStats {
        self.stats
    }

    fn rows(&self) -> usize {
        self.known.rows()
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
