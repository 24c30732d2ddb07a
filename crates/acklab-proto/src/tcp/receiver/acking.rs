//! The side of the receiver that faces the wire and the reader: ACKs, timers, reading.

use super::Receiver;
use super::autotune::Queue;
use super::sizing::Occupancy;
use super::types::AckFields;
use crate::ack::AckReason;
use acklab_units::{Instant, Span};

/// Unacceptable segments without payload, and challenges, are answered at most this often (Linux
/// `tcp_invalid_ratelimit`, RFC 5961 section 7).
const ANSWER_INTERVAL: Span = Span::from_millis(500);

impl Receiver {
    /// Why an ACK must leave now; `None` if none must.
    pub const fn ack_pending(&self) -> Option<AckReason> {
        self.pending
    }

    /// The fields of a segment that leaves now. Settles the window, so call it for segments that
    /// do leave, and [`Receiver::on_ack_sent`] afterwards.
    #[inline]
    pub fn ack_fields(&mut self) -> AckFields {
        let mut occupancy = self.occupancy();
        if self.window.counts_unread() {
            occupancy.unread = occupancy.unread.max(self.unread_at_ack);
        }
        let (window, window_field) = self.window.advertise(occupancy);
        AckFields {
            ack: self.stream.next(),
            window,
            window_field,
            sack: self.sack.report(self.stream.next(), self.sack_room),
            ts_ecr: self.timestamps.recent(),
            clock: self.ack_clock,
            ece: self.ecn.echoing(),
        }
    }

    /// The fields of a SYN-ACK: the window is not scaled, and ECE has another meaning there.
    pub fn syn_ack_fields(&self) -> AckFields {
        AckFields {
            ack: self.stream.next(),
            window: u64::from(self.syn_window()),
            window_field: self.syn_window(),
            sack: None,
            ts_ecr: self.timestamps.recent(),
            clock: None,
            ece: false,
        }
    }

    /// A segment with the fields of [`Receiver::ack_fields`] left, on data if `piggybacked`.
    #[inline]
    pub fn on_ack_sent(&mut self, now: Instant, piggybacked: bool) {
        self.last_ack = self.stream.next();
        self.pending = None;
        self.unread_at_ack = 0;
        self.ack_clock = None;
        self.sack.on_ack_sent();
        self.compression.on_ack_sent();
        if piggybacked {
            self.policy.on_data_sent(now);
        }
        self.policy.on_ack_sent(now);
    }

    /// Something outside the data path wants an ACK, such as the end of the handshake.
    pub fn request_ack(&mut self, reason: AckReason) {
        self.pending.get_or_insert(reason);
    }

    /// A suspicious SYN or RST wants a challenge ACK (RFC 5961); too many get none.
    #[cold]
    pub fn request_challenge(&mut self, now: Instant) {
        self.answer(now, AckReason::Control);
    }

    /// When [`Receiver::on_timeout`] must be called.
    pub fn next_timeout(&self) -> Option<Instant> {
        Instant::earliest(self.policy.next_timeout(), self.compression.deadline())
    }

    /// Time has come, or the caller is early.
    pub fn on_timeout(&mut self, now: Instant) {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.compression.deadline()) {
            self.ack_clock = self.compression.clock();
            self.compression.on_ack_sent();
            self.pending.get_or_insert(AckReason::OutOfOrder);
        }
        if due(self.policy.next_timeout())
            && let Some(reason) = self.policy.on_timeout(now)
        {
            self.pending.get_or_insert(reason);
        }
    }

    /// The application takes up to `max` bytes in order; returns how many there were. May make an
    /// ACK pending that announces the room.
    pub fn read(&mut self, now: Instant, max: u64) -> u64 {
        let taken = self.readable().min(max);
        if taken == 0 {
            return 0;
        }
        let before = self.occupancy();
        let first = if self.head_end > self.read_to {
            self.head_end
        } else {
            self.read_to + self.packet
        };
        let queue = Queue {
            from: self.read_to,
            read: first.min(self.read_to + taken),
            next: self.stream.next(),
            span: self.stream.span(),
        };
        self.read_to += taken;
        self.unread_excess = 0;
        let rtt = self.rtt.estimate();
        if let Some(tune) = self.window.autotune() {
            tune.on_read(now, queue, rtt);
        }
        if self.fin_at.is_none() && self.opened_window(before) {
            self.pending.get_or_insert(AckReason::Window);
        }
        taken
    }

    /// Whether the reader itself has made a window update due. A window that is due because data
    /// came in or the limit grew is announced by the ACK of that data, when the policy wants it.
    fn opened_window(&self, before: Occupancy) -> bool {
        self.window.update_due(self.occupancy()) && !self.window.update_due(before)
    }

    /// The sending half's smoothed RTT is now `rtt`; zero means that it has none.
    pub fn on_rtt(&mut self, rtt: Span) {
        self.rtt.on_sender_rtt(rtt);
    }

    /// Answers, but not too often.
    pub(super) fn answer(&mut self, now: Instant, reason: AckReason) {
        let recent = |at: Instant| now.saturating_since(at) < ANSWER_INTERVAL;
        if !self.last_answer.is_some_and(recent) {
            self.last_answer = Some(now);
            self.pending.get_or_insert(reason);
        }
    }

    /// The answer to an unacceptable segment: to a closed window it is a probe.
    pub(super) const fn answer_reason(&self) -> AckReason {
        if self.window.remaining(self.stream.next()) == 0 {
            AckReason::Window
        } else {
            AckReason::OutOfOrder
        }
    }
}
