//! A sender at a constant rate over UDP, whose receiver answers every L-th packet with a small one.
//!
//! There is no handshake, no congestion control and no repetition: what is lost is lost. It loads a
//! path by a known amount, and it shows what acknowledgements alone cost, whatever a transport would
//! make of them: the TACK paper measures with it (its section 3.2, Figures 3 and 9b).
//!
//! Departures lie on a grid, `start + n * size / rate`, rounded down to a nanosecond each, so that
//! rounding does not add up. An application that has nothing to send for a while starts a new grid.

mod receiver;
#[cfg(test)]
mod tests;

use crate::datagram::{Datagram, Opaque, Role};
use crate::endpoint::{Endpoint, Event};
use crate::registry::{Entry, Kind, Param, Params, Value};
use crate::stats::{Snapshot, Stats};
use crate::transport::registry::Protocol;
use crate::transport::{Condition, Socket, Transport};
use acklab_units::{Instant, Rate, Span};
use receiver::Receiver;

/// Bytes that an Ethernet frame has beside its IP packet: header 14, check sequence 4.
pub const ETHERNET: u32 = 18;
/// The smallest packet: IP and UDP headers, and the eight bytes of its number.
const LEAST: u32 = 28 + 8;
/// The largest IP packet.
const MOST: u32 = 65_535;
/// Packets that the application may be ahead.
const AHEAD: u64 = 64;
/// The rate when the scenario does not say.
const DEFAULT_RATE: Rate = Rate::from_bps(1_000_000);

/// The registry's entry.
pub const ENTRY: Entry<Protocol> = Entry {
    name: "cbr",
    aliases: &["udp"],
    summary: "UDP at a constant rate; the receiver answers every L-th packet with a small one.",
    source: "TACK paper, section 3.2",
    params: PARAMS,
    build: Protocol::Cbr,
};

/// The parameters that a scenario can set.
pub const PARAMS: &[Param] = &[
    Param {
        name: "rate",
        doc: "Rate at which packets are sent, counted in bytes of `size`.",
        kind: Kind::Rate,
        default: Value::Rate(DEFAULT_RATE),
    },
    Param {
        name: "size",
        doc: "Bytes of a data packet (TACK paper, section 3.2: 1518).",
        kind: Kind::Int((LEAST + ETHERNET) as i64, MOST as i64),
        default: Value::Int(1518),
    },
    Param {
        name: "frame",
        doc: "What sizes count: the \"ethernet\" frame with header and check sequence, 18 bytes more \
              than the IP packet in it, or the \"ip\" packet.",
        kind: Kind::Choice(&["ethernet", "ip"]),
        default: Value::Choice("ethernet"),
    },
    Param {
        name: "feedback.every",
        doc: "Data packets per packet of feedback; 0 = none is sent.",
        kind: Kind::Int(0, 1_000_000),
        default: Value::Int(16),
    },
    Param {
        name: "feedback.size",
        doc: "Bytes of a packet of feedback (TACK paper, section 3.2: 64).",
        kind: Kind::Int((LEAST + ETHERNET) as i64, MOST as i64),
        default: Value::Int(64),
    },
];

/// The parameters of a sender and its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Rate at which packets leave, in units of `size + uncounted` bytes.
    pub rate: Rate,
    /// Bytes of the IP packet that carries data.
    pub size: u32,
    /// Bytes beyond the IP packet that the rate counts.
    pub uncounted: u32,
    /// Data packets per packet of feedback; 0 = none.
    pub every: u32,
    /// Bytes of the IP packet that carries feedback.
    pub feedback: u32,
}

impl Config {
    /// The configuration that `params` describe.
    pub fn new(params: &Params) -> Self {
        let beyond = match params.choice("frame") {
            "ip" => 0,
            _ => ETHERNET,
        };
        let size = |name| (params.int(name) as u32).saturating_sub(beyond);
        Self {
            rate: params.rate("rate").unwrap_or(DEFAULT_RATE),
            size: size("size"),
            uncounted: beyond,
            every: params.int("feedback.every") as u32,
            feedback: size("feedback.size"),
        }
    }

    /// Payload bytes of a data packet.
    pub const fn payload(&self) -> u32 {
        Opaque::room(self.size)
    }

    /// When the `n`-th packet leaves, counted from the one that leaves at zero.
    fn after(&self, n: u64) -> Span {
        let bits = u128::from(n) * u128::from(self.size + self.uncounted) * 8;
        let ns = bits * 1_000_000_000 / u128::from(self.rate.as_bps().max(1));
        Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// When the next packet leaves.
#[derive(Clone, Copy, Debug)]
struct Grid {
    start: Instant,
    sent: u64,
}

impl Grid {
    fn next(&self, config: &Config) -> Instant {
        self.start.saturating_add(config.after(self.sent))
    }
}

/// One end: the application at either of them may write, the other one reads.
#[derive(Debug)]
pub struct Cbr {
    config: Config,
    open: bool,
    /// Payload bytes that the application has written and that have not left.
    backlog: u64,
    wants_room: bool,
    closing: bool,
    grid: Option<Grid>,
    /// There was nothing to send when something was last asked for.
    starved: bool,
    number: u64,
    receiver: Receiver,
    connected: bool,
    writable: bool,
    closed: bool,
    stats: Stats,
}

impl Cbr {
    /// An end that sends nothing before it is opened.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            open: false,
            backlog: 0,
            wants_room: false,
            closing: false,
            grid: None,
            starved: false,
            number: 0,
            receiver: Receiver::default(),
            connected: false,
            writable: false,
            closed: false,
            stats: Stats::default(),
        }
    }

    fn connect(&mut self) {
        self.connected |= !self.open;
        self.open = true;
    }

    /// Bytes of the next data packet's payload; `None` = the application must write first.
    fn next_payload(&self) -> Option<u32> {
        let full = u64::from(self.config.payload());
        let whole = self.backlog >= full || (self.closing && self.backlog > 0);
        (self.open && whole).then(|| self.backlog.min(full) as u32)
    }

    /// When the next data packet leaves, as far as the grid says.
    fn departure(&self) -> Option<Instant> {
        self.next_payload()?;
        self.grid.as_ref().map(|g| g.next(&self.config))
    }

    /// Begins a grid at `now` if there is none, or if a slot has passed with nothing to fill it.
    fn keep_grid(&mut self, now: Instant) {
        if self.next_payload().is_none() {
            self.starved = true;
            return;
        }
        let starved = core::mem::take(&mut self.starved);
        let missed = |g: &Grid| starved && g.next(&self.config) < now;
        if self.grid.as_ref().is_none_or(missed) {
            self.grid = Some(Grid {
                start: now,
                sent: 0,
            });
        }
    }

    fn data(&mut self, len: u32) -> Datagram {
        if let Some(grid) = &mut self.grid {
            grid.sent += 1;
        }
        let number = self.number;
        self.number += 1;
        self.backlog -= u64::from(len);
        self.stats.segs_out += 1;
        self.stats.data_segs_out += 1;
        self.stats.bytes_sent += u64::from(len);
        if self.wants_room && self.room() > 0 {
            self.wants_room = false;
            self.writable = true;
        }
        self.closed |= self.closing && self.backlog == 0;
        Datagram::Opaque(Opaque {
            size: self.config.size - (self.config.payload() - len),
            len,
            number,
            role: Role::Data,
            ..Opaque::default()
        })
    }

    fn feedback(&mut self) -> Datagram {
        self.stats.segs_out += 1;
        self.stats.acks_out += 1;
        Datagram::Opaque(Opaque {
            size: self.config.feedback,
            len: Opaque::room(self.config.feedback),
            number: self.stats.data_segs_in,
            role: Role::Feedback,
            ..Opaque::default()
        })
    }

    fn room(&self) -> u64 {
        let most = AHEAD * u64::from(self.config.payload());
        most.saturating_sub(self.backlog)
    }
}

impl Endpoint for Cbr {
    fn on_datagram(&mut self, _now: Instant, datagram: &Datagram) {
        let Datagram::Opaque(it) = datagram else {
            return;
        };
        self.connect();
        self.stats.segs_in += 1;
        match it.role {
            Role::Data => self.receiver.on_data(it, &self.config, &mut self.stats),
            Role::Feedback => {
                self.stats.acks_in += 1;
                let arrived = it.number.saturating_mul(u64::from(self.config.payload()));
                let known = arrived.min(self.stats.bytes_sent);
                self.stats.bytes_acked = self.stats.bytes_acked.max(known);
            }
        }
    }

    fn on_timeout(&mut self, _now: Instant) {}

    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        if self.receiver.take_due() {
            return Some(self.feedback());
        }
        self.keep_grid(now);
        let due = self.departure().is_some_and(|at| at <= now);
        let len = self.next_payload().filter(|_| due)?;
        Some(self.data(len))
    }

    fn next_timeout(&self) -> Option<Instant> {
        self.departure()
    }

    fn poll_event(&mut self) -> Option<Event> {
        if core::mem::take(&mut self.connected) {
            return Some(Event::Connected);
        }
        if let Some(bytes) = self.receiver.take_news() {
            return Some(Event::Readable { bytes });
        }
        if core::mem::take(&mut self.writable) {
            return Some(Event::Writable);
        }
        core::mem::take(&mut self.closed).then_some(Event::Closed)
    }
}

impl Socket for Cbr {
    fn write(&mut self, bytes: u64) -> u64 {
        if self.closing {
            return 0;
        }
        let taken = bytes.min(self.room());
        self.backlog += taken;
        self.wants_room = taken < bytes;
        taken
    }

    fn read(&mut self, _now: Instant, max: u64) -> u64 {
        self.receiver.read(max)
    }

    fn close(&mut self, _now: Instant) {
        self.closed |= !self.closing && self.backlog == 0;
        self.closing = true;
    }
}

impl Transport for Cbr {
    fn open(&mut self, _now: Instant) {
        self.connect();
    }

    fn cwnd(&self) -> u64 {
        0
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn condition(&self) -> Condition {
        Condition {
            stats: self.stats,
            ..Condition::default()
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            ssthresh: u64::MAX,
            pacing_rate: Some(self.config.rate),
            state: "constant",
            ..Snapshot::default()
        }
    }
}
