//! Ending: in order, at once, or because nobody answers.

use super::{FEEDBACK_NUMBER, State, TackEndpoint};
use crate::datagram::Datagram;
use crate::endpoint::Event;
use crate::tack::wire::{Close, Frame, Reset};
use acklab_units::Instant;

impl TackEndpoint {
    /// Nothing more will be written: the last packet says so. The other direction goes on.
    pub(super) fn finish_writing(&mut self) {
        match self.state {
            // There is nothing to open a connection for.
            State::Idle | State::Listen => self.state = State::Closed,
            State::HelloSent if self.sender.backlog() == 0 => self.state = State::Closed,
            State::HelloSent | State::AcceptSent | State::Established => self.sender.close(),
            State::Lingering | State::Closed | State::Broken => {}
        }
    }

    /// After anything that may have changed what is acknowledged.
    pub(super) fn settle(&mut self, now: Instant) {
        if self.sender.gave_up() && self.is_up() {
            self.state = State::Broken;
            self.pending.end = Some(Event::TimedOut);
            return;
        }
        self.pending.writable |= self.sender.wakes_writer(&self.cfg);
        let done = self.sender.finished() && self.receiver.finished();
        if self.state == State::Established && done {
            // The peer may not know yet that its end of the stream has arrived.
            self.state = State::Lingering;
            self.linger_until = Some(now.saturating_add(self.sender.linger()));
            self.close_due = true;
            self.pending.end = Some(Event::Closed);
        }
    }

    /// The peer has everything, and all of its own is acknowledged.
    pub(super) fn on_close(&mut self, close: &Close) {
        let all = self.receiver.finished()
            && (self.sender.finished() || self.sender.close_at(close.cumulative));
        self.stats.bytes_acked = self.sender.acked_bytes();
        match self.state {
            State::Established if all => {
                self.state = State::Closed;
                self.pending.end = Some(Event::Closed);
            }
            State::Lingering if all => {
                self.state = State::Closed;
                self.linger_until = None;
            }
            _ => {}
        }
    }

    pub(super) fn on_reset(&mut self) {
        let over = matches!(
            self.state,
            State::Closed | State::Broken | State::Lingering | State::Listen
        );
        if !over {
            self.state = State::Broken;
            self.pending.end = Some(Event::Reset);
        }
    }

    /// RESET or CLOSE, if one is to leave.
    pub(super) fn poll_last_words(&mut self) -> Option<Datagram> {
        if let Some(code) = self.reset_due.take() {
            Frame::Reset(Reset { code }).put(&mut self.frames);
            return Some(self.feedback_packet(FEEDBACK_NUMBER));
        }
        if !core::mem::take(&mut self.close_due) {
            return None;
        }
        let cumulative = self.receiver.next();
        Frame::Close(Close { cumulative }).put(&mut self.frames);
        Some(self.feedback_packet(FEEDBACK_NUMBER))
    }
}
