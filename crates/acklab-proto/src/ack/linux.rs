//! When Linux acknowledges: quickack, the second full segment, and the adaptive delayed ACK.
//!
//! Facts from `__tcp_ack_snd_check`, `tcp_event_data_recv`, `tcp_send_delayed_ack`,
//! `tcp_incr_quickack`, `tcp_event_ack_sent`, `tcp_cleanup_rbuf` and `tcp_grow_window` of Linux 6.12
//! to 6.18. In order of precedence:
//!
//! 1. a duplicate at once, and quickack mode is entered anew; a changed ECN echo likewise;
//! 2. more than one full segment unacknowledged, and the window can move: at once;
//! 3. quickack mode, unless the session is interactive ("pingpong"): at once;
//! 4. data above a gap, or filling one: at once. The receiver may merge acknowledgements of data
//!    above a gap (SACK compression); nothing else that is answered with `Now`;
//! 5. otherwise the delayed-ACK timer.
//!
//! An application that reads promptly adds a sixth rule: what ends a write (PSH, or a segment that
//! is not full) is acknowledged as soon as it is read.
//!
//! A bulk sink is therefore acknowledged segment by segment as long as its window grows, which is
//! slow start, and every second segment afterwards.

mod ato;

use super::urgent::is_out_of_order;
use super::{AckDecision, AckPolicy, AckReason, Arrival, Build};
use crate::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use ato::{Ato, Gap, Limits};

/// Quick acknowledgements after a change of the ECN echo.
const QUICK_ON_ECN: u32 = 2;

/// The registry's entry.
pub const ENTRY: Entry<Build> = Entry {
    name: "linux",
    aliases: &[],
    summary: "Linux: quickack at the start, then every second segment or an adaptive timer.",
    source: "Linux 6.12 to 6.18, net/ipv4/tcp_input.c and tcp_output.c",
    params: &[
        Param {
            name: "quick",
            doc: "Segments acknowledged one by one at the start, after a pause and after a \
                  duplicate (Linux: 16, or the window over two full segments if that is less).",
            kind: Kind::Int(0, 255),
            default: Value::Int(16),
        },
        Param {
            name: "ato_min",
            doc: "Shortest delayed-ACK timeout (Linux: 40 ms).",
            kind: Kind::Span(Span::from_millis(1), Span::from_millis(500)),
            default: Value::Span(Span::from_millis(40)),
        },
        Param {
            name: "ato_max",
            doc: "Longest delay of an ACK (Linux: 200 ms).",
            kind: Kind::Span(Span::from_millis(1), Span::from_millis(500)),
            default: Value::Span(Span::from_millis(200)),
        },
        Param {
            name: "tick",
            doc: "Length of a jiffy, to which the timer is rounded (4 ms with HZ = 250).",
            kind: Kind::Span(Span::from_micros(1), Span::from_millis(10)),
            default: Value::Span(Span::from_millis(4)),
        },
        Param {
            name: "prompt_reader",
            doc: "The application reads at once, so that the end of a write (PSH, or a segment \
                  that is not full) is acknowledged without delay.",
            kind: Kind::Bool,
            default: Value::Bool(true),
        },
        Param {
            name: "late_reader",
            doc: "The application runs after all segments that arrive at one instant, so that an \
                  ACK which waits for it covers them all (Linux: tcp_cleanup_rbuf).",
            kind: Kind::Bool,
            default: Value::Bool(true),
        },
    ],
    build: |params| Box::new(Linux::new(params)),
};

/// The state of `inet_connection_sock.icsk_ack`, as far as it decides.
#[derive(Clone, Debug)]
struct Linux {
    budget: u32,
    prompt_reader: bool,
    late_reader: bool,
    ato: Ato,
    /// Quick acknowledgements left.
    quick: u32,
    /// This end answers within the timeout: acknowledgements ride on its data.
    pingpong: bool,
    /// The segment being looked at let the window grow.
    grew: bool,
    /// An acknowledgement is owed.
    scheduled: bool,
    /// A write ended in what is not acknowledged yet; twice.
    pushed: bool,
    pushed_twice: bool,
    /// The timer, in jiffies.
    deadline: Option<u64>,
    /// When the reader runs, which acknowledges then, and why.
    reader: Option<(Instant, AckReason)>,
    /// When the timer was to expire that nothing waits for any more (`inet_csk_clear_xmit_timer` leaves
    /// it running).
    idle: Option<u64>,
    rtt: Option<Span>,
}

impl Linux {
    fn new(params: &Params) -> Self {
        let span = |name| params.span(name).unwrap_or(Span::ZERO);
        Self {
            budget: params.int("quick") as u32,
            prompt_reader: params.bool("prompt_reader"),
            late_reader: params.bool("late_reader"),
            ato: Ato::new(Limits {
                tick: span("tick"),
                min: span("ato_min"),
                max: span("ato_max"),
            }),
            quick: 0,
            pingpong: false,
            grew: false,
            scheduled: false,
            pushed: false,
            pushed_twice: false,
            deadline: None,
            idle: None,
            reader: None,
            rtt: None,
        }
    }

    /// Grants at least `n` quick acknowledgements, within the budget.
    fn grant_quick(&mut self, n: u32) {
        self.quick = self.quick.max(n.min(self.budget));
    }

    fn enter_quickack(&mut self, n: u32) {
        self.grant_quick(n);
        self.pingpong = false;
        self.ato.reset();
    }

    fn quickack_mode(&self) -> bool {
        self.quick > 0 && !self.pingpong
    }

    /// The effect of a segment that is new and in order.
    fn note_in_order(&mut self, arrival: &Arrival) {
        if arrival.push || arrival.len < arrival.rcv_mss {
            self.pushed_twice |= self.pushed;
            self.pushed = true;
        }
        let gap = self.ato.on_segment(arrival.now, arrival.rtt);
        if gap != Gap::Usual {
            self.grant_quick(self.budget);
        }
    }

    /// Rules 1 to 4.
    fn immediate(&self, arrival: &Arrival) -> Option<AckReason> {
        let second_segment = arrival.unacked > u64::from(arrival.rcv_mss);
        if arrival.duplicate {
            Some(AckReason::OutOfOrder)
        } else if arrival.ecn_change {
            Some(AckReason::Ecn)
        } else if second_segment && arrival.moves_unread {
            Some(AckReason::ByteCount)
        } else if self.quickack_mode() {
            Some(AckReason::Quick)
        } else if is_out_of_order(arrival) {
            Some(AckReason::OutOfOrder)
        } else if second_segment && arrival.window_can_move {
            // The reader sends it (`tcp_cleanup_rbuf`).
            Some(AckReason::ByteCount)
        } else {
            None
        }
    }

    /// Rule 6: the application has read everything, and a write ended there.
    fn read_at_once(&self) -> bool {
        self.prompt_reader && (self.pushed_twice || (self.pushed && !self.pingpong))
    }

    /// The reader acknowledges. A late one runs after all that arrives at this instant.
    fn by_reader(&mut self, now: Instant, reason: AckReason) -> AckDecision {
        if !self.late_reader {
            return AckDecision::Now(reason);
        }
        self.reader = Some((now, reason));
        AckDecision::At(now)
    }

    /// Rule 5. A timer that is about to fire anyway is not waited for; otherwise the earlier of
    /// the old and the new time holds.
    fn delay(&mut self, now: Instant) -> AckDecision {
        let here = self.ato.jiffies(now);
        let brief = self.pingpong || self.pushed;
        let delay = self.ato.delay(brief, self.rtt);
        if self.deadline.is_some_and(|d| d <= here + delay / 4) {
            return AckDecision::Now(AckReason::Timer);
        }
        let new = here + delay;
        if self.deadline.is_some_and(|d| d <= new) {
            return AckDecision::Hold;
        }
        self.deadline = Some(new);
        self.idle = None;
        AckDecision::At(self.ato.instant(new))
    }
}

impl AckPolicy for Linux {
    fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.scheduled = true;
        self.rtt = arrival.rtt.or(self.rtt);
        if arrival.duplicate {
            self.enter_quickack(self.budget);
        } else if arrival.in_order {
            self.note_in_order(arrival);
        }
        if arrival.ecn_change {
            self.enter_quickack(QUICK_ON_ECN);
        }
        // An odd count never runs out: one is used up by the ACK and put back by the next growth.
        self.quick |= u32::from(core::mem::take(&mut self.grew));
        match self.immediate(arrival) {
            Some(AckReason::ByteCount) if !arrival.moves_unread => {
                self.by_reader(arrival.now, AckReason::ByteCount)
            }
            Some(reason) => AckDecision::Now(reason),
            None if self.read_at_once() => self.by_reader(arrival.now, AckReason::Push),
            None => self.delay(arrival.now),
        }
    }

    fn on_timeout(&mut self, now: Instant) -> Option<AckReason> {
        if let Some((_, reason)) = self.reader.take_if(|(at, _)| *at <= now) {
            return Some(reason);
        }
        if self.deadline? > self.ato.jiffies(now) {
            return None;
        }
        self.deadline = None;
        if self.pingpong {
            self.pingpong = false;
            self.ato.reset();
        } else {
            self.ato.on_timer(self.rtt);
        }
        Some(AckReason::Timer)
    }

    fn on_ack_sent(&mut self, _: Instant) {
        // Only what was owed counts against quickack: data sent unasked does not use it up.
        if self.scheduled && self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.ato.reset();
            }
        }
        self.scheduled = false;
        self.reader = None;
        self.pushed = false;
        self.pushed_twice = false;
        self.idle = self.deadline.take().or(self.idle);
    }

    fn next_timeout(&self) -> Option<Instant> {
        let timer = self.deadline.map(|d| self.ato.instant(d));
        Instant::earliest(self.reader.map(|(at, _)| at), timer)
    }

    fn on_data_sent(&mut self, now: Instant) {
        // A reply within the timeout: the next one will come as quickly and can carry the ACK.
        let since = self.ato.jiffies(now) - self.ato.last_segment();
        self.pingpong |= since < self.ato.current();
    }

    fn reader_acknowledges(&self) -> bool {
        true
    }

    fn idle_timer(&self) -> Option<Instant> {
        self.idle.map(|d| self.ato.instant(d))
    }

    fn on_window_grown(&mut self) {
        self.grew = true;
    }
}

#[cfg(test)]
mod tests;
