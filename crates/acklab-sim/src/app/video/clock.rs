//! The play-out clock, and what a viewer saw.

use super::frames::Frames;
use crate::record::{Distribution, Quantiles};
use acklab_units::{Instant, Span};

/// A video as its viewer saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VideoSummary {
    /// From the opening of the flow to the first picture; `None` if there was none.
    pub start_up: Option<Span>,
    /// Time in which the picture moved.
    pub played: Span,
    /// Time in which it stood still, start-up not counted.
    pub stalled: Span,
    /// How often it came to stand still.
    pub stalls: u64,
    /// Frames whose time to be shown came and that were shown or, over packets, given up.
    pub frames: u64,
    /// Of these, frames that were not complete by then.
    pub incomplete: u64,
    /// Damaged part of the picture, summed over these frames; 1 each at most.
    pub damage: f64,
    /// From the capture of a frame to the arrival of its last byte, of complete frames.
    pub delay: Option<Distribution>,
    /// From the capture of a frame to its time on the screen.
    pub latency: Option<Distribution>,
}

impl VideoSummary {
    /// Time stalled per time played and stalled: the buffering ratio of Dobrian et al. (Understanding
    /// the impact of video quality on user engagement, SIGCOMM 2011, section 2). `None` before the
    /// first picture.
    pub fn rebuffering(&self) -> Option<f64> {
        let all = self.played + self.stalled;
        (!all.is_zero()).then(|| self.stalled.as_secs_f64() / all.as_secs_f64())
    }

    /// Part of the frames that were not complete when they were to be shown.
    pub fn frame_loss(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.incomplete as f64 / self.frames as f64)
    }

    /// Mean damaged part of the picture.
    pub fn macroblock_loss(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.damage / self.frames as f64)
    }
}

/// Says which frame is to be on the screen, and keeps the books of it.
///
/// Frame n is shown `latency` after its capture. A player that waits for what is late moves the clock
/// back: its latency grows by each stall, and it never runs faster to catch up.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The next frame to be shown.
    pub next: u64,
    first: Option<Instant>,
    latency: Span,
    stalled_since: Option<Instant>,
    stalled: Span,
    stalls: u64,
    frames: u64,
    incomplete: u64,
    damage: f64,
    delays: Quantiles,
    latencies: Quantiles,
}

impl Clock {
    /// When frame `next` is to be shown; `None` before the first start.
    pub fn due(&self, frames: &Frames) -> Option<Instant> {
        self.first?;
        Some(frames.captured(self.next).saturating_add(self.latency))
    }

    pub const fn runs(&self) -> bool {
        self.first.is_some() && self.stalled_since.is_none()
    }

    pub const fn stands(&self) -> bool {
        self.stalled_since.is_some()
    }

    /// Frame `next` is to be shown `at`, and the frames behind it on the grid.
    pub fn run_from(&mut self, at: Instant, frames: &Frames) {
        debug_assert!(self.due(frames).is_none_or(|due| due <= at), "runs back");
        self.first.get_or_insert(at);
        self.latency = at.saturating_since(frames.captured(self.next));
        self.move_on(at);
    }

    /// The picture stands still from `at`.
    pub fn stand(&mut self, at: Instant) {
        if self.stalled_since.is_none() {
            self.stalled_since = Some(at);
            self.stalls += 1;
        }
    }

    /// It moves from `at`.
    pub fn move_on(&mut self, at: Instant) {
        if let Some(since) = self.stalled_since.take() {
            self.stalled += at.saturating_since(since);
        }
    }

    /// The time of frame `next` is over; `damage` of it is not to be seen as it was.
    pub fn pass(&mut self, complete: bool, damage: f64) {
        self.next += 1;
        self.frames += 1;
        self.incomplete += u64::from(!complete);
        self.damage += damage;
        self.latencies.push(self.latency);
    }

    /// All of frame `number` is there.
    pub fn note_complete(&mut self, number: u64, now: Instant, frames: &Frames) {
        self.delays
            .push(now.saturating_since(frames.captured(number)));
    }

    /// The books at `end`; `start` is when the flow was opened.
    pub fn summary(&self, start: Instant, end: Instant) -> VideoSummary {
        let now = self.stalled_since.map(|since| end.saturating_since(since));
        let stalled = self.stalled + now.unwrap_or(Span::ZERO);
        let shown = self.first.filter(|first| *first <= end);
        let since = shown.map_or(Span::ZERO, |first| end - first);
        VideoSummary {
            start_up: shown.map(|first| first.saturating_since(start)),
            played: since.saturating_sub(stalled),
            stalled,
            stalls: self.stalls,
            frames: self.frames,
            incomplete: self.incomplete,
            damage: self.damage,
            delay: self.delays.clone().distribution(),
            latency: self.latencies.clone().distribution(),
        }
    }
}
