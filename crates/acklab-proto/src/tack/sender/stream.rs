//! The application's side: what it has handed over, and where its stream ends.

use super::Sender;
use crate::tack::config::TackConfig;
use acklab_units::Span;

impl Sender {
    /// Offers `bytes` more; returns how many the send buffer took.
    pub fn write(&mut self, cfg: &TackConfig, bytes: u64) -> u64 {
        if self.fin_queued {
            return 0;
        }
        let room = cfg.send_buffer.saturating_sub(self.backlog());
        let taken = bytes.min(room);
        self.app_end += taken;
        self.asleep = taken < bytes;
        taken
    }

    /// Whether the application has more, and found no room for it.
    pub const fn application_waits(&mut self, waits: bool) {
        self.asleep = waits;
    }

    /// Whether what leaves now says little of the path, since the application had too little to send.
    pub fn is_app_limited(&self) -> bool {
        self.rates.is_app_limited()
    }

    /// Whether a writer that had found no room should try again: a third of the buffer is free.
    pub fn wakes_writer(&mut self, cfg: &TackConfig) -> bool {
        let wakes = self.asleep && self.backlog() * 3 <= cfg.send_buffer * 2;
        self.asleep &= !wakes;
        wakes
    }

    /// The application will write no more.
    pub fn close(&mut self) {
        self.fin_queued = true;
    }

    /// Whether the end of the stream is queued or sent.
    pub const fn closing(&self) -> bool {
        self.fin_queued
    }

    /// Whether everything up to the end of the stream is acknowledged.
    pub const fn finished(&self) -> bool {
        self.fin_queued && self.una > self.app_end
    }

    /// The peer's CLOSE says that everything has arrived: whether that is so, its end included.
    pub fn close_at(&mut self, cumulative: u64) -> bool {
        let all = self.fin_queued && self.nxt > self.app_end && cumulative == self.nxt;
        if all {
            self.una = cumulative;
            self.board.ack_to(cumulative, &mut |_| {}, |_| {});
            self.timer = None;
        }
        all
    }

    /// Bytes of the stream that are acknowledged, by whatever report. The stream's end is no byte.
    pub fn acked_bytes(&self) -> u64 {
        self.una.min(self.app_end)
    }

    /// How long a peer may go on asking after everything is over.
    pub fn linger(&self) -> Span {
        (self.rtt.rto().saturating_add(self.peer_interval())) * 3
    }

    /// Bytes handed over and not acknowledged yet.
    pub const fn backlog(&self) -> u64 {
        self.app_end.saturating_sub(self.una)
    }
}
