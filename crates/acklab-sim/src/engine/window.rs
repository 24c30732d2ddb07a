//! A transport without congestion control: a fixed window, cumulative ACKs, go-back-N.
//!
//! It is simple enough for its behaviour to be computed by hand and costs next to nothing, so
//! tests of the engine hold it to closed forms and benches measure the engine rather than TCP.
//! There is no handshake: the active end is connected when it opens, the passive end when the
//! first segment arrives.

use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::segment::{Flags, Segment, Timestamps};
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::transport::{Socket, Transport};
use acklab_units::{Instant, SeqNum, Span};
use std::collections::VecDeque;

/// Stream offset 0 on the wire.
const ORIGIN: SeqNum = SeqNum(0);
/// Duplicate ACKs that make the sender go back.
const DUPLICATES: u32 = 3;

/// The parameters of a [`Window`].
#[derive(Clone, Copy, Debug)]
pub struct WindowConfig {
    /// Segments that may be in flight.
    pub window: u64,
    /// Payload bytes per segment.
    pub segment: u32,
    /// In-order segments per ACK.
    pub ack_every: u32,
    /// The longest that an ACK is held back.
    pub ack_delay: Span,
    /// Silence after which the sender goes back.
    pub timeout: Span,
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            window: 64,
            segment: 1448,
            ack_every: 1,
            ack_delay: Span::from_millis(40),
            timeout: Span::from_secs(1),
        }
    }
}

/// One end of a fixed-window connection. Offsets count payload bytes; FIN counts as one.
#[derive(Debug)]
pub struct Window {
    config: WindowConfig,
    open: bool,
    una: u64,
    next: u64,
    written: u64,
    wants_room: bool,
    closing: bool,
    duplicates: u32,
    /// Going back again is pointless before this is acknowledged.
    went_back_at: u64,
    timeout_at: Option<Instant>,
    expected: u64,
    readable: u64,
    unacked: u32,
    ack_now: bool,
    ack_at: Option<Instant>,
    echo: u32,
    rtt: Span,
    events: VecDeque<Event>,
    stats: Stats,
}

impl Window {
    /// A closed end.
    pub fn new(config: WindowConfig) -> Self {
        Self {
            config,
            open: false,
            una: 0,
            next: 0,
            written: 0,
            wants_room: false,
            closing: false,
            duplicates: 0,
            went_back_at: 0,
            timeout_at: None,
            expected: 0,
            readable: 0,
            unacked: 0,
            ack_now: false,
            ack_at: None,
            echo: 0,
            rtt: Span::ZERO,
            events: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn connect(&mut self) {
        if !self.open {
            self.open = true;
            self.events.push_back(Event::Connected);
        }
    }

    fn window_bytes(&self) -> u64 {
        self.config.window * u64::from(self.config.segment)
    }

    fn room(&self) -> u64 {
        (2 * self.window_bytes()).saturating_sub(self.written - self.una)
    }

    fn on_ack(&mut self, now: Instant, segment: &Segment) {
        let Some(ack) = segment.ack.expand(ORIGIN, self.una) else {
            return;
        };
        if ack > self.una {
            self.stats.bytes_acked += ack.min(self.written) - self.una;
            self.una = ack;
            self.next = self.next.max(ack);
            self.duplicates = 0;
            self.timeout_at = (self.una < self.next).then(|| now + self.config.timeout);
            if self.wants_room && self.room() > 0 {
                self.wants_room = false;
                self.events.push_back(Event::Writable);
            }
        } else if segment.is_pure_ack() && self.una < self.next {
            self.duplicates += 1;
            if self.duplicates == DUPLICATES && self.una >= self.went_back_at {
                self.went_back_at = self.next;
                self.next = self.una;
            }
        }
    }

    fn on_data(&mut self, now: Instant, segment: &Segment) {
        let start = segment.seq.expand(ORIGIN, self.expected);
        if start != Some(self.expected) {
            self.ack_now = true;
            return;
        }
        self.expected += u64::from(segment.seq_len());
        self.stats.bytes_received += u64::from(segment.len);
        self.unacked += 1;
        if segment.len > 0 {
            self.readable += u64::from(segment.len);
            let bytes = u64::from(segment.len);
            self.events.push_back(Event::Readable { bytes });
        }
        if segment.flags.contains(Flags::FIN) {
            self.events.push_back(Event::PeerClosed);
            self.ack_now = true;
        }
        if self.unacked >= self.config.ack_every {
            self.ack_now = true;
        } else {
            self.ack_at.get_or_insert(now + self.config.ack_delay);
        }
    }

    fn next_data(&self) -> Option<(u32, Flags)> {
        let rest = self.written.saturating_sub(self.next);
        let len = rest.min(u64::from(self.config.segment)) as u32;
        let fits = self.next + u64::from(len) <= self.una + self.window_bytes();
        if len > 0 {
            return (self.open && fits).then_some((len, Flags::ACK));
        }
        (self.closing && self.next == self.written).then_some((0, Flags::ACK.with(Flags::FIN)))
    }

    fn segment(&mut self, now: Instant, len: u32, flags: Flags) -> Segment {
        self.ack_now = false;
        self.ack_at = None;
        self.unacked = 0;
        Segment {
            seq: ORIGIN.at(self.next),
            ack: ORIGIN.at(self.expected),
            len,
            window: u16::MAX,
            flags,
            timestamps: Some(Timestamps {
                val: clock(now),
                ecr: self.echo,
            }),
            ..Segment::default()
        }
    }
}

/// Microseconds, modulo 2^32.
fn clock(now: Instant) -> u32 {
    (now.as_nanos() / 1000) as u32
}

impl Endpoint for Window {
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        let Some(segment) = datagram.tcp() else {
            return;
        };
        self.connect();
        if let Some(t) = segment.timestamps {
            self.echo = t.val;
            if segment.is_pure_ack() {
                self.rtt = Span::from_micros(u64::from(clock(now).wrapping_sub(t.ecr)));
            }
        }
        self.on_ack(now, segment);
        if segment.seq_len() > 0 {
            self.on_data(now, segment);
        }
    }

    fn on_timeout(&mut self, now: Instant) {
        if self.timeout_at.is_some_and(|at| at <= now) {
            self.timeout_at = None;
            self.next = self.una;
            self.stats.rto_count += 1;
        }
        if self.ack_at.is_some_and(|at| at <= now) {
            self.ack_at = None;
            self.ack_now = true;
        }
    }

    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        if let Some((len, flags)) = self.next_data() {
            let segment = self.segment(now, len, flags);
            self.stats.data_segs_out += u64::from(len > 0);
            self.stats.retrans.rto += u64::from(self.next < self.went_back_at);
            self.next += u64::from(segment.seq_len());
            self.timeout_at.get_or_insert(now + self.config.timeout);
            return Some(segment.into());
        }
        self.ack_now
            .then(|| self.segment(now, 0, Flags::ACK).into())
    }

    fn next_timeout(&self) -> Option<Instant> {
        Instant::earliest(self.timeout_at, self.ack_at)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

impl Socket for Window {
    fn write(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.room());
        self.written += taken;
        self.wants_room = taken < bytes;
        taken
    }

    fn read(&mut self, _now: Instant, max: u64) -> u64 {
        let taken = self.readable.min(max);
        self.readable -= taken;
        taken
    }

    fn close(&mut self, _now: Instant) {
        self.closing = true;
    }
}

impl Transport for Window {
    fn open(&mut self, _now: Instant) {
        self.connect();
    }

    fn cwnd(&self) -> u64 {
        self.window_bytes()
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            cwnd: self.window_bytes(),
            ssthresh: u64::MAX,
            inflight: self.next - self.una,
            srtt: self.rtt,
            rtt: self.rtt,
            min_rtt: Some(self.rtt).filter(|rtt| !rtt.is_zero()),
            state: "fixed_window",
            ..Snapshot::default()
        }
    }
}
