//! A player that reads a stream of bytes: all of the video arrives, sooner or later.

use super::clock::Clock;
use super::frames::Frames;
use crate::plan::VideoPlan;
use acklab_units::Instant;

/// Which frames of a stream are there.
///
/// The picture starts once `start_up` of video is there, and stands still when a frame is not
/// complete at its time. It moves on once `rebuffer` of video is there again. No frame is left out.
#[derive(Debug)]
pub(super) struct Stream {
    received: u64,
    /// Frames that are there.
    complete: u64,
    /// Bytes of the stream up to the end of the frame behind these.
    ends: u64,
    start_up: u64,
    rebuffer: u64,
}

impl Stream {
    pub fn new(plan: &VideoPlan, frames: &mut Frames) -> Self {
        Self {
            received: 0,
            complete: 0,
            ends: u64::from(frames.take()),
            start_up: frames.lasting(plan.start_up),
            rebuffer: frames.lasting(plan.rebuffer),
        }
    }

    pub fn on_bytes(&mut self, now: Instant, bytes: u64, clock: &mut Clock, frames: &mut Frames) {
        self.received += bytes;
        while self.received >= self.ends {
            clock.note_complete(self.complete, now, frames);
            self.complete += 1;
            self.ends += u64::from(frames.take());
        }
        let wanted = if clock.stands() {
            self.rebuffer
        } else {
            self.start_up
        };
        if !clock.runs() && self.complete - clock.next >= wanted {
            clock.run_from(now, frames);
        }
    }

    /// Shows the frame whose time has come, or stops.
    pub fn on_due(&self, due: Instant, clock: &mut Clock) {
        if self.complete > clock.next {
            clock.pass(true, 0.0);
        } else {
            clock.stand(due);
        }
    }
}
