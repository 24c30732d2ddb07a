//! The player of a video.

use super::super::Progress;
use super::clock::{Clock, VideoSummary};
use super::frames::Frames;
use super::packets::Packets;
use super::stream::Stream;
use crate::plan::VideoPlan;
use acklab_proto::endpoint::Event;
use acklab_proto::rng::Rng;
use acklab_proto::transport::Socket;
use acklab_units::Instant;

/// A player over a stream of bytes or over packets. It reads at once what arrives.
#[derive(Debug)]
pub struct Player {
    start: Instant,
    frames: Frames,
    clock: Clock,
    input: Input,
    progress: Progress,
}

#[derive(Debug)]
enum Input {
    Stream(Stream),
    Packets(Packets),
}

impl Player {
    /// The player of the source with the same `start` and a copy of its `rng`.
    pub fn new(plan: VideoPlan, start: Instant, rng: Rng) -> Self {
        let mut frames = Frames::new(plan, start, rng);
        let input = match plan.packet {
            Some(size) => Input::Packets(Packets::new(size, plan.start_up)),
            None => Input::Stream(Stream::new(&plan, &mut frames)),
        };
        Self {
            start,
            frames,
            clock: Clock::default(),
            input,
            progress: Progress::default(),
        }
    }

    pub(in super::super) fn on_event<S: Socket>(
        &mut self,
        now: Instant,
        event: Event,
        socket: &mut S,
    ) {
        match event {
            Event::Readable { .. } => self.read(now, socket),
            Event::PeerClosed => {
                self.progress.done_at.get_or_insert(now);
                socket.close(now);
            }
            _ => {}
        }
    }

    /// Frames whose time is up before what arrives now is looked at.
    fn read<S: Socket>(&mut self, now: Instant, socket: &mut S) {
        let bytes = socket.read(now, u64::MAX);
        self.progress.received += bytes;
        match &mut self.input {
            Input::Stream(s) => s.on_bytes(now, bytes, &mut self.clock, &mut self.frames),
            Input::Packets(p) => {
                while let Some(number) = socket.next_datagram() {
                    p.on_packet(now, number, &mut self.clock, &mut self.frames);
                }
            }
        }
    }

    pub(in super::super) fn on_wakeup(&mut self, now: Instant) {
        while let Some(due) = self.next_wakeup().filter(|at| *at <= now) {
            match &mut self.input {
                Input::Stream(s) => s.on_due(due, &mut self.clock),
                Input::Packets(p) => p.on_due(due, &mut self.clock, &mut self.frames),
            }
        }
    }

    /// A clock over packets runs on through a stall; one over a stream waits.
    pub(in super::super) fn next_wakeup(&self) -> Option<Instant> {
        let waits = matches!(self.input, Input::Stream(_)) && self.clock.stands();
        if waits {
            return None;
        }
        self.clock.due(&self.frames)
    }

    pub(in super::super) const fn progress(&self) -> Progress {
        self.progress
    }

    /// The viewer's experience until `end`.
    pub fn summary(&self, end: Instant) -> VideoSummary {
        self.clock.summary(self.start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;
    use acklab_proto::rng;
    use acklab_units::Span;
    use proptest::prelude::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    fn player(packet: Option<u32>) -> Player {
        let plan = VideoPlan { packet, ..plan() };
        Player::new(plan, Instant::ZERO, rng::stream(1, "app"))
    }

    impl Player {
        fn bytes(&mut self, now: Instant, bytes: u64) {
            self.on_wakeup(now);
            let Input::Stream(s) = &mut self.input else {
                panic!("no stream")
            };
            s.on_bytes(now, bytes, &mut self.clock, &mut self.frames);
        }

        fn packet(&mut self, now: Instant, number: u64) {
            self.on_wakeup(now);
            let Input::Packets(p) = &mut self.input else {
                panic!("no packets")
            };
            p.on_packet(now, number, &mut self.clock, &mut self.frames);
        }
    }

    /// Frames of 80 and 9 times 13.333 kB. Five are there at 90 ms: they last until 190 ms.
    #[test]
    fn a_stream_waits_for_what_is_late() {
        let mut p = player(None);
        p.bytes(at(50), 80_000);
        assert_eq!(p.summary(at(50)).start_up, None);
        p.bytes(at(90), 4 * 13_333);
        p.on_wakeup(at(200));
        let s = p.summary(at(200));
        assert_eq!(
            (s.start_up, s.stalls, s.frames, s.stalled),
            (Some(Span::from_millis(90)), 1, 5, Span::from_millis(10))
        );
        p.bytes(at(210), 2 * 13_333);
        assert_eq!(p.next_wakeup(), None, "60 ms must be there again");
        p.bytes(at(230), 13_333);
        p.on_wakeup(at(231));
        let s = p.summary(at(240));
        assert_eq!((s.stalls, s.frames), (1, 6));
        assert_eq!(s.stalled, Span::from_millis(40));
        assert_eq!(s.played, Span::from_millis(110));
        assert_eq!(s.rebuffering(), Some(40.0 / 150.0));
        assert_eq!((s.incomplete, s.macroblock_loss()), (0, Some(0.0)));
        // Frame 5, captured at 100 ms, is shown at 230 ms.
        assert_eq!(s.latency.unwrap().p99, Span::from_millis(130));
    }

    /// Packets of 40 kB: frame 0 has two, every other frame one. Frame 2 does not come: the picture
    /// stands for its time, and is damaged until frame 10.
    #[test]
    fn a_lost_frame_damages_until_the_next_i_frame() {
        let mut p = player(Some(40_000));
        p.packet(at(1), 0);
        p.packet(at(1), 1);
        for frame in (1..12).filter(|f| *f != 2) {
            let number = if frame > 10 { frame + 2 } else { frame + 1 };
            p.packet(at(20 * frame + 1), number);
            if frame == 10 {
                p.packet(at(201), 12);
            }
        }
        // Frame 0 is shown at 101 ms, frame 11 at 321 ms.
        p.on_wakeup(at(330));
        let s = p.summary(at(330));
        assert_eq!((s.frames, s.incomplete, s.damage), (12, 1, 8.0));
        assert_eq!((s.stalls, s.stalled), (1, Span::from_millis(20)));
        assert_eq!(s.latency.unwrap().mean, Span::from_millis(101));
        assert_eq!(s.delay.unwrap().p50, Span::from_millis(1));
    }

    #[test]
    fn late_packets_are_lost_and_parts_add_up() {
        let mut p = player(Some(20_000));
        // Half of frame 0's four packets come, one more after its time.
        p.packet(at(0), 0);
        p.packet(at(0), 3);
        p.packet(at(105), 1);
        let s = p.summary(at(106));
        assert_eq!((s.frames, s.incomplete, s.damage), (1, 1, 0.5));
    }

    proptest! {
        /// Start-up, play and stalls sum to the time that has passed, and the clock never runs back.
        #[test]
        fn times_sum_to_the_wall(
            packets in any::<bool>(),
            steps in proptest::collection::vec((0u64..90, 0u64..30_000, any::<bool>()), 1..200),
        ) {
            let mut p = player(packets.then_some(1000));
            let (mut now, mut number, mut due) = (0, 0, Instant::ZERO);
            for (wait, bytes, lost) in steps {
                now += wait;
                p.on_wakeup(at(now));
                if packets {
                    for n in number..number + bytes / 1000 {
                        if !(lost && n % 3 == 0) {
                            p.packet(at(now), n);
                        }
                    }
                    number += bytes / 1000;
                } else {
                    p.bytes(at(now), bytes);
                }
                let next = p.clock.due(&p.frames).unwrap_or(due);
                prop_assert!(next >= due);
                due = next;
                let s = p.summary(at(now));
                if let Some(start_up) = s.start_up {
                    prop_assert_eq!(start_up + s.played + s.stalled, at(now) - Instant::ZERO);
                }
                prop_assert!(s.damage <= s.frames as f64);
                prop_assert!(s.incomplete <= s.frames);
            }
        }
    }
}
