//! Reads whatever comes.

use super::Progress;
use acklab_proto::endpoint::Event;
use acklab_proto::transport::Socket;
use acklab_units::Instant;

/// The other end of a source. It reads at once, and closes when the source has.
#[derive(Debug)]
pub struct Sink {
    expected: Option<u64>,
    progress: Progress,
}

impl Sink {
    /// A sink that is done after `expected` bytes, or when the source closes.
    pub fn new(expected: Option<u64>) -> Self {
        Self {
            expected,
            progress: Progress::default(),
        }
    }

    #[inline]
    pub(super) fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match event {
            Event::Readable { .. } => {
                self.progress.received += socket.read(now, u64::MAX);
                if self.expected.is_some_and(|n| self.progress.received >= n) {
                    self.progress.done_at.get_or_insert(now);
                }
            }
            Event::PeerClosed => {
                self.progress.done_at.get_or_insert(now);
                socket.close(now);
            }
            _ => {}
        }
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeSocket;
    use super::*;

    #[test]
    fn it_is_done_with_the_last_byte_and_closes_with_the_peer() {
        let mut socket = FakeSocket::default();
        let mut sink = Sink::new(Some(100));
        for at in [1, 2, 3] {
            socket.inbox = 50;
            let event = Event::Readable { bytes: 50 };
            sink.on_event(Instant::from_nanos(at), event, &mut socket);
        }
        sink.on_event(Instant::from_nanos(4), Event::PeerClosed, &mut socket);
        let p = sink.progress();
        assert_eq!((p.received, p.done_at), (150, Some(Instant::from_nanos(2))));
        assert_eq!(socket.closed, Some(Instant::from_nanos(4)));
    }
}
