//! Callers who are late: what was due before they come happens before, each thing at its own instant.

use super::{Frames, Medium, MediumDriver, Ppdu};
use crate::packet::{DropReason, Label, Packet};
use acklab_units::{Instant, Span};

/// The driver, for what a late caller makes happen. It is a type of its own for the sake of those who are
/// in time: a second caller of [`Medium::advance`] with the same driver would keep the compiler from making
/// one piece of the code that each event passes through.
struct Late<'a, D>(&'a mut D);

impl<D: MediumDriver> MediumDriver for Late<'_, D> {
    const WATCHES: bool = D::WATCHES;

    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.0.on_drop(now, packet, reason);
    }

    fn on_queued(&mut self, now: Instant, packet: Packet) {
        self.0.on_queued(now, packet);
    }

    fn on_left(&mut self, now: Instant, packet: Packet, sojourn: Span) {
        self.0.on_left(now, packet, sojourn);
    }

    fn on_ppdu(&mut self, ppdu: &Ppdu) {
        self.0.on_ppdu(ppdu);
    }

    fn on_frames(&mut self, ppdu: &Ppdu, frames: Frames<'_>) {
        self.0.on_frames(ppdu, frames);
    }

    fn is_pure_ack(&self, packet: Packet) -> bool {
        self.0.is_pure_ack(packet)
    }

    fn is_long_feedback(&self, packet: Packet) -> bool {
        self.0.is_long_feedback(packet)
    }

    fn label(&self, packet: Packet) -> Label {
        self.0.label(packet)
    }
}

impl Medium {
    /// Does all that was due before `now`. The arrivals are handed out later.
    #[cold]
    pub(super) fn catch_up<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        while let Some(due) = self.next_wakeup().filter(|due| *due < now) {
            while let Some(packet) = self.advance(due, &mut Late(&mut *driver)) {
                self.left -= 1;
                self.late.push_back(packet);
            }
        }
        self.out.append(&mut self.late);
    }
}
