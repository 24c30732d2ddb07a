//! A player that gets packets which nobody repeats: what is not there in time is missing.

use super::clock::Clock;
use super::frames::Frames;
use acklab_units::{Instant, Span};
use std::collections::VecDeque;

/// A frame of which packets are expected.
#[derive(Clone, Copy, Debug)]
struct Piece {
    packets: u32,
    missing: u32,
}

/// Which packets of which frames are there.
///
/// The first packet starts the clock: its frame is shown `start_up` later, and every other frame in
/// the same distance from its capture. A packet that comes after the time of its frame is as good as
/// lost. The macroblocks of a frame lie evenly in its packets, so a missing part m of the packets
/// damages a part m of the picture. Damage stays where it is until the next I frame, since P frames
/// refer to the frame before; new damage falls anywhere: c' = 1 - (1 - c)(1 - m). Before the first I
/// frame all is damaged. Of a frame without a single packet there is nothing to show: the picture
/// stands still for its time. A packet that arrives twice hides a loss.
#[derive(Debug)]
pub(super) struct Packets {
    size: u32,
    start_up: Span,
    /// From the clock's next frame on.
    pieces: VecDeque<Piece>,
    /// Number of the first packet of the first of them.
    front: u64,
    /// Number of the packet behind the last of them.
    back: u64,
    damage: f64,
}

impl Packets {
    /// A frame is sent in packets with `size` bytes of it, but for the last.
    pub fn new(size: u32, start_up: Span) -> Self {
        Self {
            size: size.max(1),
            start_up,
            pieces: VecDeque::with_capacity(64),
            front: 0,
            back: 0,
            damage: 1.0,
        }
    }

    pub fn on_packet(&mut self, now: Instant, number: u64, clock: &mut Clock, frames: &mut Frames) {
        while self.back <= number {
            self.expect(frames);
        }
        if !clock.runs() && !clock.stands() {
            self.start(now, number, clock, frames);
        }
        let Some(at) = self.find(number) else { return };
        let piece = &mut self.pieces[at];
        let was = piece.missing;
        piece.missing = was.saturating_sub(1);
        if was == 1 {
            clock.note_complete(clock.next + at as u64, now, frames);
        }
    }

    /// Shows what there is of the frame whose time has come.
    pub fn on_due(&mut self, due: Instant, clock: &mut Clock, frames: &mut Frames) {
        if self.pieces.is_empty() {
            self.expect(frames);
        }
        let intra = frames.is_intra(clock.next);
        let piece = self.drop_first();
        let missing = f64::from(piece.missing) / f64::from(piece.packets);
        let before = if intra { 0.0 } else { self.damage };
        self.damage = 1.0 - (1.0 - before) * (1.0 - missing);
        if piece.missing == piece.packets {
            clock.stand(due);
        } else {
            clock.move_on(due);
        }
        clock.pass(piece.missing == 0, self.damage);
    }

    fn start(&mut self, now: Instant, number: u64, clock: &mut Clock, frames: &Frames) {
        while number >= self.front + u64::from(self.pieces[0].packets) {
            self.drop_first();
            clock.next += 1;
        }
        clock.run_from(now.saturating_add(self.start_up), frames);
    }

    fn expect(&mut self, frames: &mut Frames) {
        let packets = frames.take().div_ceil(self.size);
        self.back += u64::from(packets);
        self.pieces.push_back(Piece {
            packets,
            missing: packets,
        });
    }

    fn drop_first(&mut self) -> Piece {
        let piece = self.pieces.pop_front().expect("a frame is expected");
        self.front += u64::from(piece.packets);
        piece
    }

    /// The place of the frame that packet `number` belongs to; `None` if its time is over.
    fn find(&self, number: u64) -> Option<usize> {
        let mut ends = self.front;
        if number < ends {
            return None;
        }
        self.pieces.iter().position(|p| {
            ends += u64::from(p.packets);
            number < ends
        })
    }
}
