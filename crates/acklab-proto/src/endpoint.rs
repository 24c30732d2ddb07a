//! The interface of every transport endpoint, whichever protocol it speaks.

use crate::datagram::Datagram;
use acklab_units::Instant;

/// One end of a connection as a pure state machine.
///
/// The caller delivers facts (`on_*`) and then polls until there is nothing left. After any call
/// it asks [`Endpoint::next_timeout`] when to come back at the latest. Calling early is harmless.
pub trait Endpoint {
    /// A packet arrived. One of another protocol is ignored.
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram);

    /// A packet arrived with bytes beside it: what its sender's [`Endpoint::attachment`] was. A protocol
    /// whose packets are values needs none.
    fn on_datagram_with(&mut self, now: Instant, datagram: &Datagram, _attachment: &[u8]) {
        self.on_datagram(now, datagram);
    }

    /// Bytes that go with the packet that [`Endpoint::poll_transmit`] gave last, such as lists that
    /// a value has no room for. They hold until the next call.
    fn attachment(&self) -> &[u8] {
        &[]
    }

    /// Time has come: runs every timer that expired at or before `now`.
    fn on_timeout(&mut self, now: Instant);

    /// The next packet to put on the wire now, if any.
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram>;

    /// When [`Endpoint::on_timeout`] must be called at the latest.
    fn next_timeout(&self) -> Option<Instant>;

    /// The next thing that the application or an observer may want to know.
    fn poll_event(&mut self) -> Option<Event>;
}

/// An endpoint's reports to its application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// `bytes` more bytes of the stream are there in order.
    Readable {
        /// How many became readable since the last such event.
        bytes: u64,
    },
    /// There is room in the send buffer again.
    Writable,
    /// The peer has sent everything it will send.
    PeerClosed,
    /// Both directions are closed and everything was acknowledged.
    Closed,
    /// The peer reset the connection.
    Reset,
    /// Retransmissions went unanswered for too long, and the connection was given up.
    TimedOut,
}

/// The events that wait for [`Endpoint::poll_event`].
#[derive(Clone, Debug, Default)]
pub struct Pending {
    /// The handshake is complete.
    pub connected: bool,
    /// Bytes that became readable.
    pub readable: u64,
    /// There is room in the send buffer again.
    pub writable: bool,
    /// The peer has sent everything.
    pub peer_closed: bool,
    /// How the connection ended.
    pub end: Option<Event>,
}

impl Pending {
    /// The next event, in the order in which an application can use them.
    #[inline]
    pub const fn poll(&mut self) -> Option<Event> {
        if core::mem::replace(&mut self.connected, false) {
            return Some(Event::Connected);
        }
        if self.readable > 0 {
            let bytes = core::mem::replace(&mut self.readable, 0);
            return Some(Event::Readable { bytes });
        }
        if core::mem::replace(&mut self.peer_closed, false) {
            return Some(Event::PeerClosed);
        }
        if core::mem::replace(&mut self.writable, false) {
            return Some(Event::Writable);
        }
        self.end.take()
    }
}
