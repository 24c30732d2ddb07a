//! The source of a video, frame by frame.

use super::super::Outbox;
use super::frames::Frames;
use crate::plan::VideoPlan;
use acklab_proto::endpoint::Event;
use acklab_proto::rng::Rng;
use acklab_proto::transport::Socket;
use acklab_units::Instant;

/// A source that writes each frame when it is captured, whatever the transport makes of it. Bytes that
/// the send buffer does not take wait without limit. Capture begins when the flow is opened: frames that
/// are captured during a handshake wait for its end.
#[derive(Debug)]
pub struct Source {
    frames: Frames,
    outbox: Outbox,
    connected: bool,
    ended: bool,
}

impl Source {
    /// A source whose first frame is captured at `start`; sizes are drawn from `rng`.
    pub fn new(plan: VideoPlan, start: Instant, rng: Rng) -> Self {
        Self {
            frames: Frames::new(plan, start, rng),
            outbox: Outbox::default(),
            connected: false,
            ended: false,
        }
    }

    pub(in super::super) fn on_event<S: Socket>(
        &mut self,
        now: Instant,
        event: Event,
        socket: &mut S,
    ) {
        match event {
            Event::Connected => {
                self.connected = true;
                self.outbox.flush(socket);
            }
            Event::Writable => self.outbox.flush(socket),
            Event::Readable { .. } => {
                socket.read(now, u64::MAX);
            }
            Event::Closed | Event::Reset | Event::TimedOut => self.ended = true,
            Event::PeerClosed => {}
        }
    }

    pub(in super::super) fn on_wakeup<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        while self.next_wakeup().is_some_and(|at| at <= now) {
            let bytes = u64::from(self.frames.take());
            if self.connected {
                self.outbox.push(bytes, socket);
            } else {
                self.outbox.pending += bytes;
            }
        }
    }

    pub(in super::super) fn next_wakeup(&self) -> Option<Instant> {
        let next = self.frames.captured(self.frames.number());
        (!self.ended).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeSocket;
    use super::super::tests::plan;
    use super::*;
    use acklab_proto::rng;
    use acklab_units::Span;

    #[test]
    fn frames_are_written_on_the_grid_and_wait_for_room() {
        let start = Instant::ZERO + Span::from_millis(7);
        let mut socket = FakeSocket {
            room: 90_000,
            ..FakeSocket::default()
        };
        let mut source = Source::new(plan(), start, rng::stream(1, "app"));
        assert_eq!(source.next_wakeup(), Some(start));
        source.on_wakeup(start, &mut socket);
        assert_eq!(socket.written, 0, "before the handshake");
        source.on_event(start, Event::Connected, &mut socket);
        assert_eq!(socket.written, 80_000);
        let second = source.next_wakeup().unwrap();
        assert_eq!(second - start, Span::from_millis(20));
        source.on_wakeup(second, &mut socket);
        assert_eq!(socket.written, 90_000);
        socket.room = 90_000;
        source.on_event(second, Event::Writable, &mut socket);
        assert_eq!(socket.written, 93_333);
        source.on_event(second, Event::TimedOut, &mut socket);
        assert_eq!(source.next_wakeup(), None);
    }
}
