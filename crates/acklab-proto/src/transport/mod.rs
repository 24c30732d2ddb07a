//! What the driver of a transport and its application ask of it, beyond what every endpoint can be
//! asked.

pub mod registry;

use crate::ack::AckReason;
use crate::cc::RecoveryPhase;
use crate::endpoint::Endpoint;
use crate::stats::{Snapshot, Stats};
use acklab_units::Instant;

/// The application's side of an endpoint.
pub trait Socket {
    /// Hands over `bytes` bytes of the stream; returns how many the send buffer took. If it took
    /// fewer, a `Writable` event follows.
    fn write(&mut self, bytes: u64) -> u64;

    /// Takes up to `max` in-order bytes out of the receive buffer.
    fn read(&mut self, now: Instant, max: u64) -> u64;

    /// Nothing more will be written.
    fn close(&mut self, now: Instant);
}

/// A transport that a driver can run. The simulator is generic over it: no call is virtual.
pub trait Transport: Endpoint + Socket {
    /// Opens the connection actively.
    fn open(&mut self, now: Instant);

    /// The congestion window in bytes; 0 = the transport has none.
    fn cwnd(&self) -> u64;

    /// When a timer was set that is due exactly `now`, if it is to come before a segment that
    /// arrives now and began its last hop later. Usually segments come first.
    fn tied_timer(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// Counters since the start.
    fn stats(&self) -> &Stats;

    /// Why an acknowledgement is due, if one is.
    fn ack_due(&self) -> Option<AckReason> {
        None
    }

    /// What an observer compares before and after.
    fn condition(&self) -> Condition {
        let s = self.snapshot();
        Condition {
            stats: *self.stats(),
            state: s.state,
            phase: s.phase,
        }
    }

    /// What a time series shows.
    fn snapshot(&self) -> Snapshot;
}

/// What an observer compares before and after: counters, and the names of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Counters.
    pub stats: Stats,
    /// The controller's state by the name its source gives it.
    pub state: &'static str,
    /// The recovery machinery's state.
    pub phase: RecoveryPhase,
}

impl Condition {
    /// Whether nothing that is worth telling lies between this condition and a later one.
    #[inline]
    pub fn tells_like(&self, later: &Self) -> bool {
        let same_name = core::ptr::eq(self.state, later.state) || self.state == later.state;
        self.stats.incidents() == later.stats.incidents() && self.phase == later.phase && same_name
    }
}
