//! As fast as the connection takes it.

use acklab_proto::endpoint::Event;
use acklab_proto::transport::Socket;
use acklab_units::Instant;

/// A source that always has something to send, up to a number of bytes or an instant.
#[derive(Debug)]
pub struct Bulk {
    /// Bytes still to be written; `u64::MAX` = without end.
    remaining: u64,
    until: Option<Instant>,
    connected: bool,
    closed: bool,
}

impl Bulk {
    /// Sends `bytes` (`None` = without end), and closes then or at `until`.
    pub fn new(bytes: Option<u64>, until: Option<Instant>) -> Self {
        Self {
            remaining: bytes.unwrap_or(u64::MAX),
            until,
            connected: false,
            closed: false,
        }
    }

    pub(super) fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match event {
            Event::Connected => {
                self.connected = true;
                self.fill(now, socket);
            }
            Event::Writable => self.fill(now, socket),
            Event::Readable { .. } => {
                socket.read(now, u64::MAX);
            }
            Event::PeerClosed | Event::Closed | Event::Reset | Event::TimedOut => {}
        }
    }

    pub(super) fn on_wakeup<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        if self.until.is_some_and(|at| at <= now) {
            self.until = None;
            self.remaining = 0;
            self.close(now, socket);
        }
    }

    pub(super) fn next_wakeup(&self) -> Option<Instant> {
        self.until.filter(|_| !self.closed)
    }

    fn fill<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        if !self.connected || self.closed {
            return;
        }
        let taken = socket.write(self.remaining);
        if self.remaining < u64::MAX {
            self.remaining -= taken;
        }
        if self.remaining == 0 {
            self.close(now, socket);
        }
    }

    fn close<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        if !self.closed {
            self.closed = true;
            socket.close(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeSocket;
    use super::*;

    const T0: Instant = Instant::ZERO;
    const T9: Instant = Instant::from_nanos(9);

    #[test]
    fn a_finite_source_writes_everything_and_closes() {
        let mut socket = FakeSocket {
            room: 60,
            ..FakeSocket::default()
        };
        let mut bulk = Bulk::new(Some(100), None);
        bulk.on_event(T0, Event::Writable, &mut socket);
        assert_eq!(socket.written, 0, "before the handshake");
        bulk.on_event(T0, Event::Connected, &mut socket);
        assert_eq!((socket.written, socket.closed), (60, None));
        socket.room = 60;
        bulk.on_event(T9, Event::Writable, &mut socket);
        assert_eq!((socket.written, socket.closed), (100, Some(T9)));
    }

    #[test]
    fn an_endless_source_stops_at_its_time() {
        let mut socket = FakeSocket {
            room: 60,
            ..FakeSocket::default()
        };
        let mut bulk = Bulk::new(None, Some(T9));
        bulk.on_event(T0, Event::Connected, &mut socket);
        assert_eq!(bulk.next_wakeup(), Some(T9));
        bulk.on_wakeup(T9, &mut socket);
        socket.room = 60;
        bulk.on_event(T9, Event::Writable, &mut socket);
        assert_eq!((socket.written, socket.closed), (60, Some(T9)));
        assert_eq!(bulk.next_wakeup(), None);
    }
}
