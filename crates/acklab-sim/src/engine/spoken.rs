//! Whichever transport a flow speaks, so that one run can mix them.

use super::{End, tack, tcp};
use crate::plan::TransportPlan;
use acklab_proto::ack::AckReason;
use acklab_proto::cbr::{self, Cbr};
use acklab_proto::datagram::Datagram;
use acklab_proto::endpoint::{Endpoint, Event};
use acklab_proto::rtp::{self, Rtp};
use acklab_proto::stats::{Snapshot, Stats};
use acklab_proto::tack::TackEndpoint;
use acklab_proto::tcp::Connection;
use acklab_proto::transport::{Condition, Estimates, Socket, Transport};
use acklab_units::Instant;

/// One end of a flow. A further transport is a further variant.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "TCP, the most frequent, stands in the host without a pointer to follow"
)]
pub enum Spoken {
    /// TCP.
    Tcp(Connection),
    /// A constant rate over UDP.
    Cbr(Box<Cbr>),
    /// TACK.
    Tack(Box<TackEndpoint>),
    /// RTP over UDP.
    Rtp(Box<Rtp>),
}

impl Spoken {
    /// The endpoint that the plan asks for at `end`.
    pub(super) fn new(end: End<'_>) -> Self {
        match &end.flow.transport {
            TransportPlan::Tcp(plan) => Self::Tcp(tcp::connection(plan, end)),
            TransportPlan::Cbr(params) => Self::Cbr(Box::new(Cbr::new(cbr::Config::new(params)))),
            TransportPlan::Rtp(params) => Self::Rtp(Box::new(Rtp::new(rtp::Config::new(params)))),
            TransportPlan::Tack(plan) => Self::Tack(Box::new(tack::endpoint(plan, end))),
        }
    }
}

/// Passes a call on to the transport that there is.
macro_rules! forward {
    ($self:ident, $it:ident => $call:expr) => {
        match $self {
            Self::Tcp($it) => $call,
            Self::Cbr($it) => $call,
            Self::Tack($it) => $call,
            Self::Rtp($it) => $call,
        }
    };
}

impl Endpoint for Spoken {
    #[inline]
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        forward!(self, t => t.on_datagram(now, datagram));
    }

    #[inline]
    fn on_datagram_with(&mut self, now: Instant, datagram: &Datagram, attachment: &[u8]) {
        forward!(self, t => t.on_datagram_with(now, datagram, attachment));
    }

    #[inline]
    fn attachment(&self) -> &[u8] {
        match self {
            Self::Tcp(_) | Self::Cbr(_) | Self::Rtp(_) => &[],
            Self::Tack(t) => t.attachment(),
        }
    }

    #[inline]
    fn on_timeout(&mut self, now: Instant) {
        forward!(self, t => t.on_timeout(now));
    }

    #[inline]
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        forward!(self, t => t.poll_transmit(now))
    }

    #[inline]
    fn next_timeout(&self) -> Option<Instant> {
        forward!(self, t => t.next_timeout())
    }

    #[inline]
    fn poll_event(&mut self) -> Option<Event> {
        forward!(self, t => t.poll_event())
    }
}

impl Socket for Spoken {
    fn write(&mut self, bytes: u64) -> u64 {
        forward!(self, t => t.write(bytes))
    }

    fn read(&mut self, now: Instant, max: u64) -> u64 {
        forward!(self, t => t.read(now, max))
    }

    fn next_datagram(&mut self) -> Option<u64> {
        match self {
            Self::Rtp(t) => t.next_datagram(),
            Self::Tcp(_) | Self::Cbr(_) | Self::Tack(_) => None,
        }
    }

    fn close(&mut self, now: Instant) {
        forward!(self, t => t.close(now));
    }
}

impl Transport for Spoken {
    fn open(&mut self, now: Instant) {
        forward!(self, t => t.open(now));
    }

    #[inline]
    fn cwnd(&self) -> u64 {
        forward!(self, t => t.cwnd())
    }

    #[inline]
    fn tied_timer(&self, now: Instant) -> Option<Instant> {
        match self {
            Self::Tcp(t) => t.tied_timer(now),
            Self::Cbr(_) | Self::Tack(_) | Self::Rtp(_) => None,
        }
    }

    fn stats(&self) -> &Stats {
        forward!(self, t => t.stats())
    }

    fn ack_due(&self) -> Option<AckReason> {
        match self {
            Self::Tcp(t) => t.ack_due(),
            Self::Cbr(_) | Self::Rtp(_) => None,
            Self::Tack(t) => t.ack_due(),
        }
    }

    fn condition(&self) -> Condition {
        forward!(self, t => t.condition())
    }

    fn estimates(&self) -> Option<Estimates> {
        forward!(self, t => t.estimates())
    }

    fn snapshot(&self) -> Snapshot {
        match self {
            Self::Tcp(t) => Transport::snapshot(t),
            Self::Cbr(t) => Transport::snapshot(&**t),
            Self::Tack(t) => Transport::snapshot(&**t),
            Self::Rtp(t) => Transport::snapshot(&**t),
        }
    }
}
