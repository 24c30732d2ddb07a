//! RTP over UDP (RFC 3550): frames of a medium in packets, without repetition.
//!
//! Each write of the application is a frame. A frame is cut into packets with a header of 12 bytes
//! each. There is no handshake, no window and no congestion control: packets leave when their frame
//! is written, or spread over a time. All feedback is one RTCP receiver report per interval.

mod receiver;
#[cfg(test)]
mod tests;

use crate::datagram::{Datagram, Opaque, Role, UDP_HEADER};
use crate::endpoint::{Endpoint, Event};
use crate::registry::{Entry, Kind, Param, Params, Value};
use crate::segment::IP_HEADER;
use crate::stats::{Snapshot, Stats};
use crate::transport::registry::Protocol;
use crate::transport::{Condition, Socket, Transport};
use acklab_units::{Instant, Span};
use alloc::collections::VecDeque;
use receiver::Receiver;

/// Bytes of an RTP header without contributing sources (RFC 3550, section 5.1).
const HEADER: u32 = 12;
/// Bytes of the IP packet of a report: a receiver report with one block (8 + 24 bytes, RFC 3550,
/// section 6.4.2) and the source description that section 6.1 demands beside it, with a name of 16
/// bytes (4 + 4 + 2 + 16, filled up to 28).
pub const REPORT: u32 = IP_HEADER + UDP_HEADER + 32 + 28;
/// The smallest packet carries a byte.
const LEAST: u32 = IP_HEADER + UDP_HEADER + HEADER + 1;
/// The largest IP packet.
const MOST: u32 = 65_535;

/// The registry's entry.
pub const ENTRY: Entry<Protocol> = Entry {
    name: "rtp",
    aliases: &[],
    summary: "RTP over UDP: frames of a video in packets, nothing repeated, one report per interval.",
    source: "RFC 3550",
    params: PARAMS,
    build: Protocol::Rtp,
};

/// The parameters that a scenario can set.
pub const PARAMS: &[Param] = &[
    Param {
        name: "size",
        doc: "Bytes of a full IP packet; headers take 40 of them.",
        kind: Kind::Int(LEAST as i64, MOST as i64),
        default: Value::Int(1500),
    },
    Param {
        name: "spread",
        doc: "The packets of a frame leave evenly over this time; \"none\" = at once.",
        kind: Kind::OptSpan(Span::from_nanos(1), Span::from_secs(10)),
        default: Value::Auto,
    },
    Param {
        name: "report",
        doc: "Time between two receiver reports (RFC 3550, section 6.2: 5 s); \"none\" = no reports.",
        kind: Kind::OptSpan(Span::from_millis(1), Span::from_secs(3600)),
        default: Value::Span(Span::from_secs(5)),
    },
];

/// The parameters of a sender and its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Bytes of a full IP packet.
    pub size: u32,
    /// Time over which the packets of a frame leave; `None` = at once.
    pub spread: Option<Span>,
    /// Time between two reports; `None` = no reports.
    pub report: Option<Span>,
}

impl Config {
    /// The configuration that `params` describe.
    pub fn new(params: &Params) -> Self {
        Self {
            size: params.int("size") as u32,
            spread: params.span("spread"),
            report: params.span("report"),
        }
    }

    /// Bytes of a frame in a full packet.
    pub const fn payload(&self) -> u32 {
        Opaque::room(self.size).saturating_sub(HEADER)
    }
}

/// A frame of which packets have to leave.
#[derive(Clone, Copy, Debug)]
struct Frame {
    written: Instant,
    left: u64,
    packets: u64,
    sent: u64,
}

/// One end: the application at either of them may write frames, the other one reads.
#[derive(Debug)]
pub struct Rtp {
    config: Config,
    now: Instant,
    open: bool,
    frames: VecDeque<Frame>,
    number: u64,
    receiver: Receiver,
    connected: bool,
    closing: bool,
    closed: bool,
    stats: Stats,
}

impl Rtp {
    /// An end that sends nothing before it is opened.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            now: Instant::ZERO,
            open: false,
            frames: VecDeque::with_capacity(16),
            number: 0,
            receiver: Receiver::default(),
            connected: false,
            closing: false,
            closed: false,
            stats: Stats::default(),
        }
    }

    fn connect(&mut self) {
        self.connected |= !self.open;
        self.open = true;
    }

    /// When the next packet leaves. A frame that was written before the one in front of it is gone
    /// follows at its heels.
    fn departure(&self) -> Option<Instant> {
        let frame = self.frames.front().filter(|_| self.open)?;
        let spread = self.config.spread.map_or(0, Span::as_nanos);
        let after = u128::from(spread) * u128::from(frame.sent) / u128::from(frame.packets.max(1));
        Some(frame.written.saturating_add(Span::from_nanos(after as u64)))
    }

    fn data(&mut self) -> Option<Datagram> {
        let frame = self.frames.front_mut()?;
        let len = frame.left.min(u64::from(self.config.payload())) as u32;
        frame.left -= u64::from(len);
        frame.sent += 1;
        if frame.left == 0 {
            self.frames.pop_front();
        }
        let number = self.number;
        self.number += 1;
        self.stats.segs_out += 1;
        self.stats.data_segs_out += 1;
        self.stats.bytes_sent += u64::from(len);
        self.note_end();
        Some(Datagram::Opaque(Opaque {
            size: IP_HEADER + UDP_HEADER + HEADER + len,
            len,
            number,
            role: Role::Data,
            ..Opaque::default()
        }))
    }

    fn report(&mut self) -> Datagram {
        self.stats.segs_out += 1;
        self.stats.acks_out += 1;
        Datagram::Opaque(Opaque {
            size: REPORT,
            len: Opaque::room(REPORT),
            number: self.stats.data_segs_in,
            role: Role::Feedback,
            ..Opaque::default()
        })
    }

    fn note_end(&mut self) {
        self.closed |= self.closing && self.frames.is_empty();
    }
}

impl Endpoint for Rtp {
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        self.now = now;
        let Datagram::Opaque(it) = datagram else {
            return;
        };
        self.connect();
        self.stats.segs_in += 1;
        match it.role {
            Role::Data => self
                .receiver
                .on_data(now, it, &self.config, &mut self.stats),
            Role::Feedback => {
                self.stats.acks_in += 1;
                let arrived = it.number.saturating_mul(u64::from(self.config.payload()));
                let known = arrived.min(self.stats.bytes_sent);
                self.stats.bytes_acked = self.stats.bytes_acked.max(known);
            }
        }
    }

    fn on_timeout(&mut self, now: Instant) {
        self.now = now;
    }

    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        self.now = now;
        if self.receiver.take_due(now, &self.config) {
            return Some(self.report());
        }
        self.departure().filter(|at| *at <= now)?;
        self.data()
    }

    fn next_timeout(&self) -> Option<Instant> {
        let (data, report) = (self.departure(), self.receiver.next_report());
        data.into_iter().chain(report).min()
    }

    fn poll_event(&mut self) -> Option<Event> {
        if core::mem::take(&mut self.connected) {
            return Some(Event::Connected);
        }
        if let Some(bytes) = self.receiver.take_news() {
            return Some(Event::Readable { bytes });
        }
        core::mem::take(&mut self.closed).then_some(Event::Closed)
    }
}

impl Socket for Rtp {
    /// A frame. Whatever its size, it is taken.
    fn write(&mut self, bytes: u64) -> u64 {
        if self.closing || bytes == 0 {
            return 0;
        }
        self.frames.push_back(Frame {
            written: self.now,
            left: bytes,
            packets: bytes.div_ceil(u64::from(self.config.payload())),
            sent: 0,
        });
        bytes
    }

    fn read(&mut self, _now: Instant, max: u64) -> u64 {
        self.receiver.read(max)
    }

    fn next_datagram(&mut self) -> Option<u64> {
        self.receiver.next_number()
    }

    fn close(&mut self, _now: Instant) {
        self.closing = true;
        self.note_end();
    }
}

impl Transport for Rtp {
    fn open(&mut self, now: Instant) {
        self.now = now;
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
            state: "constant",
            ..Snapshot::default()
        }
    }
}
