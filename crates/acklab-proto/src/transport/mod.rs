//! The interface of a transport for its driver and its application, beyond what every endpoint can be
//! asked.

pub mod registry;

use crate::ack::AckReason;
use crate::cc::RecoveryPhase;
use crate::endpoint::Endpoint;
use crate::stats::{Snapshot, Stats};
use acklab_units::{Instant, Rate, Span};

/// The application's side of an endpoint.
pub trait Socket {
    /// Hands over `bytes` bytes of the stream; returns how many the send buffer took. If it took
    /// fewer, a `Writable` event follows.
    fn write(&mut self, bytes: u64) -> u64;

    /// Takes up to `max` in-order bytes out of the receive buffer.
    fn read(&mut self, now: Instant, max: u64) -> u64;

    /// Number of the next packet that arrived and was not asked for, of a transport that delivers
    /// packets; `None` of one that delivers a stream.
    fn next_datagram(&mut self) -> Option<u64> {
        None
    }

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

    /// The values that an observer compares before and after.
    fn condition(&self) -> Condition {
        let s = self.snapshot();
        Condition {
            stats: *self.stats(),
            state: s.state,
            phase: s.phase,
        }
    }

    /// The findings of its receiving half about the path, if it measures there.
    fn estimates(&self) -> Option<Estimates> {
        None
    }

    /// The values of a time series.
    fn snapshot(&self) -> Snapshot;
}

/// The findings of a receiver that measures the path (TACK paper, sections 4.1, 5.2 and 5.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimates {
    /// bw: the maximum delivery rate.
    pub bw: Rate,
    /// rho: loss rate of the data path in the latest interval, parts per million.
    pub rho_ppm: u64,
    /// rho': loss rate of the ACK path as the sender has told it, parts per million.
    pub rho_ack_ppm: u64,
    /// RTT_min as the sender has told it.
    pub rtt_min: Option<Span>,
    /// The least time between two TACKs (Eq. 2), between floor and ceiling.
    pub interval: Span,
    /// f: TACKs that Eq. 3 asks for, per thousand seconds.
    pub frequency_mhz: u64,
    /// Packets are acknowledged as in start-up.
    pub start_up: bool,
}

/// The values that an observer compares before and after: counters, and the names of states.
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
