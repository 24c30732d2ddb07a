//! Bursts at a constant rate with pauses between them.

use super::{Outbox, Progress};
use crate::plan::WhenFull;
use acklab_proto::endpoint::Event;
use acklab_proto::rng::{self, Rng};
use acklab_proto::transport::Socket;
use acklab_units::{Instant, Rate, Span};

/// The shape of the bursts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub rate: Rate,
    pub on: Span,
    pub off: Span,
    pub chunk: u32,
    pub random: bool,
    pub when_full: WhenFull,
}

/// A source that writes `chunk` bytes at a time, at `rate` while on. The first burst begins when
/// the connection stands. Bytes that the send buffer does not take wait, or are lost.
#[derive(Debug)]
pub struct OnOff {
    shape: Shape,
    rng: Rng,
    outbox: Outbox,
    /// Bytes lost at a full send buffer.
    dropped: u64,
    /// When the next chunk is due; `None` before the connection stands.
    next_chunk: Option<Instant>,
    burst_ends: Instant,
}

impl OnOff {
    pub(super) fn new(shape: Shape, rng: Rng) -> Self {
        Self {
            shape,
            rng,
            outbox: Outbox::default(),
            dropped: 0,
            next_chunk: None,
            burst_ends: Instant::ZERO,
        }
    }

    pub(super) fn on_event<S: Socket>(&mut self, now: Instant, event: Event, socket: &mut S) {
        match event {
            Event::Connected => self.begin_burst(now),
            Event::Writable => self.outbox.flush(socket),
            Event::Readable { .. } => {
                socket.read(now, u64::MAX);
            }
            Event::Closed | Event::Reset | Event::TimedOut => self.next_chunk = None,
            Event::PeerClosed => {}
        }
    }

    pub(super) fn on_wakeup<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        let Some(due) = self.next_chunk.filter(|at| *at <= now) else {
            return;
        };
        self.write(socket);
        let gap = self.shape.rate.serialisation(u64::from(self.shape.chunk));
        // A gap of zero would write for ever at one instant.
        let next = due.saturating_add(gap.max(Span::from_nanos(1)));
        if next < self.burst_ends {
            self.next_chunk = Some(next);
        } else {
            let pause = self.length(self.shape.off);
            self.begin_burst(self.burst_ends.max(now).saturating_add(pause));
        }
    }

    pub(super) fn next_wakeup(&self) -> Option<Instant> {
        self.next_chunk
    }

    pub(super) fn progress(&self) -> Progress {
        let drops = self.shape.when_full == WhenFull::Drop;
        Progress {
            dropped: drops.then_some(self.dropped),
            ..Progress::default()
        }
    }

    fn write<S: Socket>(&mut self, socket: &mut S) {
        let chunk = u64::from(self.shape.chunk);
        match self.shape.when_full {
            WhenFull::Keep => self.outbox.push(chunk, socket),
            WhenFull::Drop => self.dropped += chunk - socket.write(chunk),
        }
    }

    fn begin_burst(&mut self, at: Instant) {
        self.next_chunk = Some(at);
        self.burst_ends = at.saturating_add(self.length(self.shape.on));
    }

    /// `mean`, or an exponential draw with that mean.
    fn length(&mut self, mean: Span) -> Span {
        if !self.shape.random {
            return mean;
        }
        let u = rng::unit(&mut self.rng);
        Span::from_secs_f64(-libm::log(1.0 - u) * mean.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeSocket;
    use super::*;

    fn source(random: bool) -> OnOff {
        source_that(WhenFull::Keep, random)
    }

    fn source_that(when_full: WhenFull, random: bool) -> OnOff {
        let shape = Shape {
            rate: Rate::from_bps(8_000_000),
            on: Span::from_millis(3),
            off: Span::from_millis(5),
            chunk: 1000,
            random,
            when_full,
        };
        OnOff::new(shape, rng::stream(1, "app"))
    }

    fn write_times(source: &mut OnOff, socket: &mut FakeSocket, until: Instant) -> Vec<u64> {
        let mut times = Vec::new();
        source.on_event(Instant::ZERO, Event::Connected, socket);
        while let Some(at) = source.next_wakeup()
            && at < until
        {
            source.on_wakeup(at, socket);
            times.push(at.as_nanos() / 1_000_000);
        }
        times
    }

    #[test]
    fn bursts_and_pauses_alternate() {
        let mut socket = FakeSocket {
            room: u64::MAX,
            ..FakeSocket::default()
        };
        let times = write_times(
            &mut source(false),
            &mut socket,
            Instant::ZERO + Span::from_millis(20),
        );
        assert_eq!(times, [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        assert_eq!(socket.written, 9000);
    }

    #[test]
    fn random_bursts_have_the_right_mean_rate() {
        let mut socket = FakeSocket {
            room: u64::MAX,
            ..FakeSocket::default()
        };
        let end = Instant::ZERO + Span::from_secs(400);
        write_times(&mut source(true), &mut socket, end);
        // A chunk is written at the start of each millisecond begun: bursts of mean 3 ms hold
        // 1 / (1 - exp(-1/3)) = 3.53 chunks, and there is a burst every 8 ms.
        let chunks_per_s = socket.written as f64 / 1000.0 / 400.0;
        assert!((chunks_per_s - 441.0).abs() < 15.0, "{chunks_per_s}");
    }

    #[test]
    fn what_the_buffer_does_not_take_waits() {
        let mut socket = FakeSocket {
            room: 600,
            ..FakeSocket::default()
        };
        let mut s = source(false);
        s.on_event(Instant::ZERO, Event::Connected, &mut socket);
        s.on_wakeup(Instant::ZERO, &mut socket);
        assert_eq!(socket.written, 600);
        socket.room = 600;
        s.on_event(Instant::ZERO, Event::Writable, &mut socket);
        assert_eq!(socket.written, 1000);
        assert_eq!(s.progress().dropped, None);
    }

    /// Of chunks of 1000 bytes at 0, 1 and 2 ms the first finds room for 600, the second for nothing, the
    /// third for all.
    #[test]
    fn or_is_lost() {
        let mut socket = FakeSocket {
            room: 600,
            ..FakeSocket::default()
        };
        let mut s = source_that(WhenFull::Drop, false);
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        s.on_event(at(0), Event::Connected, &mut socket);
        s.on_wakeup(at(0), &mut socket);
        s.on_wakeup(at(1), &mut socket);
        assert_eq!((socket.written, s.progress().dropped), (600, Some(1400)));
        socket.room = 5000;
        s.on_event(at(1), Event::Writable, &mut socket);
        assert_eq!(socket.written, 600, "nothing has waited");
        s.on_wakeup(at(2), &mut socket);
        assert_eq!((socket.written, s.progress().dropped), (1600, Some(1400)));
    }
}
