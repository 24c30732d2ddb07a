//! TAC: TCP ACK compression at an access point (M. Kim, E.-C. Park, W. Kim, *TCP Acknowledgement
//! Compression for Fairness Among Uplink TCP Flows in IEEE 802.11n WLANs*, section III).
//!
//! Of each flow one acknowledgement is held, the *representative* one. A newer one (a higher number)
//! takes its place, the old one is dropped, and the timer of the flow starts anew. When nothing newer has come
//! for that time, the representative one goes on. An acknowledgement that is not newer is no
//! redundant one and goes on at once. Everything else bypasses.
//!
//! Points that the paper's flow chart leaves open or gets wrong are options here. `tac` has the
//! answers of somebody who has to answer for an access point; `tac-paper` does what the chart says:
//!
//! * **How long.** Acknowledgements that keep coming closer than the timer hold the representative one for
//!   ever, and the sender runs into its timeout. `max_hold` bounds the time since the first of them
//!   came. The chart knows no bound.
//! * **Order.** An acknowledgement that is not newer overtakes the held one in the chart. The sender
//!   then sees its number as news, and the held one, which has that number too, as a duplicate; or
//!   a number that goes back. With `older = "flush"` the held one leaves first, and nothing of a flow
//!   is overtaken.
//! * **Duplicates.** "Not newer" is judged in the chart by what is held. When nothing is, a duplicate is
//!   taken for a first one, waits for the timer, and a newer one that comes meanwhile takes its place: of
//!   three duplicates that RFC 5681 section 3.2 counts, or of those that inflate the window in a recovery
//!   without SACK (RFC 6582 section 3.2), some are late and some are missing. With `duplicates = "pass"`
//!   what is not newer than the highest number that came goes on at once, whatever is held.
//! * **What a higher number does not repeat.** SACK blocks, a DSACK, ECE and CWR, a window that opens
//!   from zero: with `sack`, `ecn` and `window` = `"flush"` an acknowledgement that says something else
//!   about them goes on at once, the held one before it. An ECE that stays set is no change. Timestamps
//!   are let go by default: RFC 7323 section 4.3 wants the echo of the first segment that was
//!   acknowledged, and compression makes it that of the last, so the sender's RTT has the wait of the
//!   one that went on, the timer, and not the longer ones of those that it stands for; `timestamps = "flush"` keeps acknowledgements apart that echo different values.
//! * **PSH.** Who sets it on a segment without data wants it there soon; with `push = "flush"` it is
//!   never held.
//! * **The table.** Only flows of which something is held have a row, so none ages. An acknowledgement of
//!   another flow that finds `flows` rows in use goes on at once. The highest numbers that
//!   `duplicates = "pass"` needs are those of `flows` flows too (rounded up to sets of four): one is
//!   kept until the next SYN of its flow, or until newer flows need its room, and of who was quiet for
//!   longest first. Without it a duplicate is held like a first one.
//!
//! Data, SYN, FIN, RST and URG bypass in both, but after what is held of their flow, which leaves first
//! unless `older = "keep"`.

mod held;
mod highest;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use super::dsack::reports_duplicate;
use super::{AckFilter, Build, FilterStats, ForwardReason, Verdict};
use crate::packet::{DropReason, Packet};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_proto::segment::{Flags, Segment};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;
use held::{Held, Table};
use highest::Highest;

/// The registry's entry, with guards.
pub const ENTRY: Entry<Build> = Entry {
    name: "tac",
    aliases: &[],
    summary: "TAC: of each flow the newest ACK goes on once no newer one has come for a time; guarded.",
    source: "Kim et al., TCP ACK compression, section III",
    params: &GUARDED,
    build: |params| Box::new(Tac::new(params)),
};

/// The registry's entry, as the paper has it.
pub const PAPER: Entry<Build> = Entry {
    name: "tac-paper",
    aliases: &[],
    summary: "TAC exactly as in the paper's flow chart: no bound on the time, held ACKs are overtaken.",
    source: "Kim et al., TCP ACK compression, Fig. 4",
    params: &CHART,
    build: |params| Box::new(Tac::new(params)),
};

/// The flags that turn an acknowledgement into a message about congestion.
const ECHO: Flags = Flags(Flags::ECE.0 | Flags::CWR.0);

/// "Te negative or above a minute" is a slip.
const MINUTE: Span = Span::from_secs(60);
const CHANGE: Kind = Kind::Choice(&["flush", "replace"]);

const GUARDED: [Param; 10] = params(
    Value::Span(Span::from_millis(20)),
    ["flush", "pass"],
    "flush",
);
const CHART: [Param; 10] = params(Value::Auto, ["keep", "hold"], "replace");

const fn params(
    max_hold: Value,
    [older, duplicates]: [&'static str; 2],
    change: &'static str,
) -> [Param; 10] {
    [
        Param {
            name: "timeout",
            doc: "The paper's Te: the held ACK goes on when no newer one has come for this long \
                  (section IV: 5 ms); 0 holds nothing.",
            kind: Kind::Span(Span::ZERO, MINUTE),
            default: Value::Span(Span::from_millis(5)),
        },
        Param {
            name: "max_hold",
            doc: "It goes on at the latest when its flow has waited this long, newer ones or not; \
                  or \"none\".",
            kind: Kind::OptSpan(Span::from_micros(1), MINUTE),
            default: max_hold,
        },
        Param {
            name: "older",
            doc: "An ACK that is not newer goes on at once: after the held one (\"flush\"), or \
                  past it (\"keep\").",
            kind: Kind::Choice(&["flush", "keep"]),
            default: Value::Choice(older),
        },
        Param {
            name: "sack",
            doc: "A newer ACK with other SACK blocks or a DSACK: both go on (\"flush\"), or it \
                  takes the place of the held one (\"replace\").",
            kind: CHANGE,
            default: Value::Choice(change),
        },
        Param {
            name: "ecn",
            doc: "A newer ACK whose ECE or CWR differs: \"flush\" or \"replace\".",
            kind: CHANGE,
            default: Value::Choice(change),
        },
        Param {
            name: "window",
            doc: "A newer ACK that closes the window to zero or opens it: \"flush\" or \"replace\".",
            kind: CHANGE,
            default: Value::Choice(change),
        },
        Param {
            name: "timestamps",
            doc: "A newer ACK that echoes another timestamp: \"flush\" or \"replace\".",
            kind: CHANGE,
            default: Value::Choice("replace"),
        },
        Param {
            name: "push",
            doc: "An ACK with PSH goes on at once, after the held one (\"flush\"), or is held like \
                  any other (\"replace\").",
            kind: CHANGE,
            default: Value::Choice(change),
        },
        Param {
            name: "flows",
            doc: "Most flows of which something is held; ACKs of others go on at once.",
            kind: Kind::Int(1, 1_000_000),
            default: Value::Int(4096),
        },
        Param {
            name: "duplicates",
            doc: "When nothing is held, an ACK that is not newer than those before it goes on at \
                  once (\"pass\"), or is held like a first one (\"hold\").",
            kind: Kind::Choice(&["pass", "hold"]),
            default: Value::Choice(duplicates),
        },
    ]
}

/// The parameters, parsed.
#[derive(Clone, Copy, Debug)]
struct Options {
    timeout: Span,
    max_hold: Option<Span>,
    flushes_for_older: bool,
    flushes_for_sack: bool,
    flushes_for_ecn: bool,
    flushes_for_window: bool,
    flushes_for_timestamps: bool,
    flushes_for_push: bool,
    passes_duplicates: bool,
}

impl Options {
    fn new(params: &Params) -> Self {
        let flushes = |name| params.choice(name) == "flush";
        Self {
            timeout: params.span("timeout").unwrap_or(Span::ZERO),
            max_hold: params.span("max_hold"),
            flushes_for_older: flushes("older"),
            flushes_for_sack: flushes("sack"),
            flushes_for_ecn: flushes("ecn"),
            flushes_for_window: flushes("window"),
            flushes_for_timestamps: flushes("timestamps"),
            flushes_for_push: flushes("push"),
            passes_duplicates: params.choice("duplicates") == "pass",
        }
    }

    /// Whether `new` says something that `old` did not, or no longer says what `old` did, so that it
    /// may not stand for it.
    fn sets_apart(&self, old: &Segment, new: &Segment) -> bool {
        let echo = |s: &Segment| s.flags.0 & ECHO.0;
        let echoed = |s: &Segment| s.timestamps.map(|t| t.ecr);
        (self.flushes_for_sack && (old.sack != new.sack || reports_duplicate(new)))
            || (self.flushes_for_ecn && echo(old) != echo(new))
            || (self.flushes_for_window && (old.window == 0) != (new.window == 0))
            || (self.flushes_for_timestamps && echoed(old) != echoed(new))
    }
}

/// The filter.
#[derive(Debug)]
struct Tac {
    options: Options,
    table: Table,
    /// The highest numbers that flows have acknowledged. Empty unless duplicates pass.
    highest: Highest,
    stats: FilterStats,
}

/// Fate of an acknowledgement.
enum Fate {
    /// It is held, in place of the one that was held if there was one.
    Represents,
    /// It goes on at once.
    Passes(ForwardReason),
}

impl Tac {
    fn new(params: &Params) -> Self {
        Self {
            options: Options::new(params),
            table: Table::new(params.int("flows") as u32),
            highest: Highest::new(params.int("flows") as u32),
            stats: FilterStats::default(),
        }
    }

    /// Whether the number is no news of its flow. Remembers it: also those that ride on data, and
    /// until a SYN begins another connection.
    fn repeats(&mut self, packet: Packet, segment: &Segment) -> bool {
        if !self.options.passes_duplicates {
            return false;
        }
        if segment.flags.contains(Flags::SYN) {
            self.highest.forget(packet.flow);
        } else if segment.flags.contains(Flags::ACK) {
            let highest = self.highest.of(packet.flow);
            if highest.is_some_and(|h| !h.before(segment.ack)) {
                return true;
            }
            self.highest.note(packet.flow, segment.ack);
        }
        false
    }

    fn judge(&self, packet: Packet, segment: &Segment, repeats: bool) -> Fate {
        if self.options.flushes_for_push && segment.flags.contains(Flags::PSH) {
            return Fate::Passes(ForwardReason::Untouchable);
        }
        let Some(old) = self.table.of(packet.flow) else {
            return if repeats {
                Fate::Passes(ForwardReason::Duplicate)
            } else if self.options.timeout.is_zero() || self.table.is_full() {
                Fate::Passes(ForwardReason::Passing)
            } else {
                Fate::Represents
            };
        };
        if repeats || !old.segment.ack.before(segment.ack) {
            Fate::Passes(ForwardReason::Duplicate)
        } else if self.options.sets_apart(&old.segment, segment) {
            Fate::Passes(ForwardReason::Untouchable)
        } else {
            Fate::Represents
        }
    }

    /// Lets go of what is held of a flow.
    fn flush(&mut self, packet: Packet, out: &mut Vec<Verdict>) {
        if let Some(held) = self.table.take(packet.flow) {
            self.let_go(held, ForwardReason::Flush, out);
        }
    }

    fn let_go(&mut self, held: Held, reason: ForwardReason, out: &mut Vec<Verdict>) {
        self.stats.held -= 1;
        self.stats.forwarded += 1;
        out.push(Verdict::Forward(held.packet, reason));
    }

    /// It becomes the representative one.
    fn hold(&mut self, now: Instant, packet: Packet, segment: &Segment, out: &mut Vec<Verdict>) {
        let held = Held {
            packet,
            segment: *segment,
            since: now,
            renewed: now,
        };
        self.stats.held += 1;
        if let Some(old) = self.table.put(held) {
            self.stats.held -= 1;
            self.stats.dropped += 1;
            out.push(Verdict::Drop(old, DropReason::AckThinned));
        }
    }

    /// The next flow whose time is up, and when.
    fn due(&self) -> Option<(Instant, crate::packet::FlowId)> {
        let quiet = self.table.longest_quiet();
        let quiet = quiet.map(|h| (h.renewed + self.options.timeout, h.packet.flow));
        let patience = self.options.max_hold.and_then(|most| {
            let held = self.table.longest_held()?;
            Some((held.since + most, held.packet.flow))
        });
        match (quiet, patience) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    fn check(&self) {
        let s = &self.stats;
        debug_assert_eq!(s.seen, s.forwarded + s.dropped + u64::from(s.held));
        debug_assert_eq!(s.held, self.table.len());
    }
}

impl AckFilter for Tac {
    fn on_packet(
        &mut self,
        now: Instant,
        packet: Packet,
        segment: &Segment,
        out: &mut Vec<Verdict>,
    ) {
        let repeats = self.repeats(packet, segment);
        if !segment.is_pure_ack() {
            if self.options.flushes_for_older {
                self.flush(packet, out);
            }
            out.push(Verdict::Forward(packet, ForwardReason::Untouchable));
            return self.check();
        }
        self.stats.seen += 1;
        match self.judge(packet, segment, repeats) {
            Fate::Represents => self.hold(now, packet, segment, out),
            Fate::Passes(reason) => {
                let stays = reason == ForwardReason::Duplicate && !self.options.flushes_for_older;
                if !stays {
                    self.flush(packet, out);
                }
                self.stats.forwarded += 1;
                out.push(Verdict::Forward(packet, reason));
            }
        }
        self.check();
    }

    fn on_wakeup(&mut self, now: Instant, out: &mut Vec<Verdict>) {
        while let Some((at, flow)) = self.due()
            && at <= now
            && let Some(held) = self.table.take(flow)
        {
            self.stats.timer_releases += 1;
            self.let_go(held, ForwardReason::Timeout, out);
        }
        self.check();
    }

    fn next_wakeup(&self) -> Option<Instant> {
        self.due().map(|(at, _)| at)
    }

    fn stats(&self) -> FilterStats {
        self.stats
    }

    fn rows(&self) -> usize {
        self.table.rows().max(self.highest.rows())
    }
}
