//! A line whose capacity follows a recording: mahimahi's packet-delivery traces.
//!
//! A trace lists instants in whole milliseconds, ascending. At each of them the line takes up to
//! [`OPPORTUNITY`] bytes of what waits, across packets: a packet that does not fit goes on with the
//! next opportunity, and arrives when its last byte has gone. The rest of an opportunity when
//! nothing waits is lost, and a packet that arrives at the very instant of one comes too late for it.
//! After its last instant a trace begins anew, from there. (Netravali et al. 2015; mahimahi,
//! `src/frontend/link_queue.cc`, `LinkQueue::rationalize` and `use_a_delivery_opportunity`.)

use super::transmitter::Service;
use acklab_units::{Instant, Rate, Span};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// Bytes that one opportunity takes: an Ethernet payload and the header of mahimahi's TUN device
/// (`LinkQueue::PACKET_SIZE`).
pub const OPPORTUNITY: u32 = 1504;
/// Bytes that mahimahi counts with every IP packet: the header of its TUN device.
pub const TUN_HEADER: u32 = 4;

const NANOS_PER_MS: u64 = 1_000_000;

/// When a line can deliver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Milliseconds, ascending; the last is above zero and is the length of the trace.
    at_ms: Vec<u32>,
}

/// Why a text is no trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceError {
    /// It has no lines.
    Empty,
    /// This line, counted from 1, is no whole number of milliseconds, or beyond 49 days.
    NotATime(usize, String),
    /// This line is earlier than the one before.
    Descending(usize),
    /// All its instants are zero: it could not be repeated.
    NoLength,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the trace is empty"),
            Self::NotATime(line, text) => {
                write!(
                    f,
                    "line {line} of the trace is no time in milliseconds: `{text}`"
                )
            }
            Self::Descending(line) => {
                write!(
                    f,
                    "line {line} of the trace is earlier than the line before"
                )
            }
            Self::NoLength => f.write_str("the trace lasts no time: its last line is 0"),
        }
    }
}

impl core::error::Error for TraceError {}

impl FromStr for Trace {
    type Err = TraceError;

    /// Reads one number per line. Empty lines are refused, as mahimahi does.
    fn from_str(text: &str) -> Result<Self, TraceError> {
        let mut at_ms: Vec<u32> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let ms = line
                .parse()
                .map_err(|_| TraceError::NotATime(i + 1, line.chars().take(20).collect()))?;
            if at_ms.last().is_some_and(|last| *last > ms) {
                return Err(TraceError::Descending(i + 1));
            }
            at_ms.push(ms);
        }
        match at_ms.last() {
            None => Err(TraceError::Empty),
            Some(0) => Err(TraceError::NoLength),
            Some(_) => Ok(Self { at_ms }),
        }
    }
}

impl fmt::Display for Trace {
    /// The text of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at_ms.iter().try_for_each(|ms| writeln!(f, "{ms}"))
    }
}

impl Trace {
    /// The mean rate of the line.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.at_ms.len() as u128 * u128::from(OPPORTUNITY) * 8;
        let bps = bits * 1000 / u128::from(self.length_ms());
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX))
    }

    fn length_ms(&self) -> u64 {
        u64::from(*self.at_ms.last().expect("a trace is not empty"))
    }

    /// The instant of opportunity `n`, counted from zero through all repetitions.
    fn at(&self, n: u64) -> Instant {
        let len = self.at_ms.len() as u64;
        let ms = (n / len) * self.length_ms() + u64::from(self.at_ms[(n % len) as usize]);
        Instant::from_nanos(ms.saturating_mul(NANOS_PER_MS))
    }

    /// How many opportunities there were up to `now`, which is also the number of the next.
    fn past(&self, now: Instant) -> u64 {
        let ms = now.as_nanos() / NANOS_PER_MS;
        let (rounds, rest) = (ms / self.length_ms(), ms % self.length_ms());
        let in_round = self.at_ms.partition_point(|at| u64::from(*at) <= rest);
        rounds * self.at_ms.len() as u64 + in_round as u64
    }
}

/// A line that follows a trace.
#[derive(Debug)]
pub(super) struct Opportunities {
    trace: Arc<Trace>,
    /// The opportunity in use or to be used next.
    n: u64,
    /// Bytes that it has left, never zero.
    left: u32,
    /// Bytes taken by all packets so far, those booked in advance included.
    taken: u64,
}

impl Opportunities {
    pub fn new(trace: Arc<Trace>) -> Self {
        Self {
            trace,
            n: 0,
            left: OPPORTUNITY,
            taken: 0,
        }
    }

    /// When the next packet begins that waits already.
    pub fn ready(&self) -> Instant {
        self.trace.at(self.n)
    }

    /// When a packet begins that arrives at `now`, if nothing else arrives before it.
    pub fn free_at(&mut self, now: Instant) -> Instant {
        if self.ready() <= now {
            // Past opportunities are gone, used or not.
            self.n = self.trace.past(now);
            self.left = OPPORTUNITY;
        }
        self.ready()
    }

    /// A shaper has let a packet go at `start`: opportunities before it found nothing to send.
    pub fn skip_to(&mut self, start: Instant) {
        if self.ready() < start {
            self.n = self.trace.past(start.saturating_sub(Span::from_nanos(1)));
            self.left = OPPORTUNITY;
        }
    }

    /// Takes `bytes` bytes from the opportunities, beginning with the one that is ready.
    pub fn take(&mut self, bytes: u32) -> Service {
        let start = self.ready();
        self.taken += u64::from(bytes);
        let mut rest = bytes;
        while rest > self.left {
            rest -= self.left;
            self.next();
        }
        let end = self.ready();
        self.left -= rest;
        if self.left == 0 {
            self.next();
        }
        Service { start, end }
    }

    fn next(&mut self) {
        self.n += 1;
        self.left = OPPORTUNITY;
    }

    /// The part of the time up to `now` that the used part of the capacity stands for.
    pub fn busy(&self, now: Instant) -> Span {
        let past = self.trace.past(now);
        let beyond = match self.n.checked_sub(past) {
            Some(full) => full * u64::from(OPPORTUNITY) + u64::from(OPPORTUNITY - self.left),
            None => 0,
        };
        let offered = past * u64::from(OPPORTUNITY);
        let used = self.taken - beyond.min(self.taken);
        let elapsed = now.saturating_since(Instant::ZERO);
        elapsed.mul_div(used, offered.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Span::from_millis(n)
    }

    fn trace(text: &str) -> Trace {
        text.parse().unwrap()
    }

    #[test]
    fn a_trace_is_one_ascending_number_per_line() {
        assert_eq!(trace("0\n3\n3\n10\n").to_string(), "0\n3\n3\n10\n");
        assert_eq!(trace("5\r\n7").to_string(), "5\n7\n");
        let wrong = |text: &str| text.parse::<Trace>().unwrap_err();
        assert_eq!(wrong(""), TraceError::Empty);
        assert_eq!(wrong("1\n\n2\n"), TraceError::NotATime(2, "".to_string()));
        assert_eq!(
            wrong("1\n2.5\n"),
            TraceError::NotATime(2, "2.5".to_string())
        );
        assert_eq!(wrong("7\n9\n8\n"), TraceError::Descending(3));
        assert_eq!(wrong("0\n0\n"), TraceError::NoLength);
    }

    #[test]
    fn it_repeats_from_its_last_instant() {
        let t = trace("0\n4\n10\n");
        let instants: Vec<_> = (0..7).map(|n| t.at(n)).collect();
        assert_eq!(instants, [0, 4, 10, 10, 14, 20, 20].map(ms));
        // 0 and 10 are two opportunities at the seams.
        let past = [0, 3, 4, 9, 10, 14, 20].map(|at| t.past(ms(at)));
        assert_eq!(past, [1, 1, 2, 2, 4, 5, 7]);
        assert_eq!(t.mean_rate(), Rate::from_bps(3 * 1504 * 8 * 100));
    }

    #[test]
    fn packets_share_and_span_opportunities() {
        let mut line = Opportunities::new(Arc::new(trace("2\n4\n4\n9\n")));
        let mut book = |at, bytes| {
            line.free_at(ms(at));
            let s = line.take(bytes);
            (s.start, s.end)
        };
        // Two small ones share the first, and the third begins in its last 504 bytes.
        assert_eq!(book(1, 500), (ms(2), ms(2)));
        assert_eq!(book(1, 500), (ms(2), ms(2)));
        assert_eq!(book(1, 1504), (ms(2), ms(4)));
        // The rest of the opportunity and all of the next.
        assert_eq!(book(1, 504 + 1504), (ms(4), ms(4)));
        // At the instant of an opportunity it is too late for it; then the trace begins anew.
        assert_eq!(book(9, 40), (ms(11), ms(11)));
        // The rest of the one at 11 ms is lost.
        assert_eq!(book(12, 1504), (ms(13), ms(13)));
        let used = 500 + 500 + 1504 + (504 + 1504) + 40 + 1504;
        let expect = Span::from_millis(13).mul_div(used, 7 * 1504);
        assert_eq!(line.busy(ms(13)), expect);
    }

    #[test]
    fn what_is_booked_in_advance_is_not_used_yet() {
        let mut line = Opportunities::new(Arc::new(trace("1\n")));
        line.free_at(ms(0));
        line.take(10 * OPPORTUNITY);
        assert_eq!(line.busy(ms(0)), Span::ZERO);
        assert_eq!(line.busy(ms(4)), Span::from_millis(4));
        assert_eq!(line.busy(ms(20)), Span::from_millis(10));
    }
}
