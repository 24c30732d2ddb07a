//! The silence that all stations of a ground hear, and the reserved part of it.

use super::StationId;
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// The reading of a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Time in which nobody was heard.
    pub silent: Span,
    /// That of it in which a reservation ran.
    pub reserved: Span,
}

/// The shared record of stations that hear the same.
#[derive(Debug)]
pub(super) struct Clock {
    /// At `since`.
    pub read: Reading,
    /// When somebody began to be heard, when nobody was heard any more, or when a reservation was
    /// given back.
    pub since: Instant,
    /// Until when the silence is reserved; `None` = somebody is heard.
    pub reserved_until: Option<Instant>,
    /// Stations that the reservations of this silence do not bind.
    pub unbound: Vec<StationId>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            read: Reading::default(),
            since: Instant::ZERO,
            reserved_until: Some(Instant::ZERO),
            unbound: Vec::new(),
        }
    }
}

impl Clock {
    #[inline]
    pub fn read(&self, now: Instant) -> Reading {
        let Reading { silent, reserved } = self.read;
        match self.reserved_until {
            None => self.read,
            Some(until) => Reading {
                silent: silent + (now - self.since),
                reserved: reserved + until.min(now).saturating_since(self.since),
            },
        }
    }

    #[inline]
    pub fn turn(&mut self, now: Instant, reserved_until: Option<Instant>) {
        self.read = self.read(now);
        (self.since, self.reserved_until) = (now, reserved_until);
    }
}
