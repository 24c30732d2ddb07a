//! A packet arrived.

use super::{State, TackEndpoint};
use crate::endpoint::Event;
use crate::tack::sender::{Freshness, Violation};
use crate::tack::wire::{Frame, Frames, IackReason, Packet, ResetCode, Space};
use acklab_units::Instant;

/// Frames of a packet that are read: more than an end of ours ever puts into one. Each may look through
/// all that is under way, so a packet full of them would cost a thousand times what it costs its sender.
const MOST_FRAMES: usize = 16;

impl TackEndpoint {
    pub(super) fn arrive(&mut self, now: Instant, packet: &Packet, control: &[u8]) {
        match (packet.header.space, self.state) {
            (_, State::Broken | State::Idle) => {}
            (Space::Data, State::Closed) => self.close_due = true,
            (Space::Data, State::Listen) => self.reset_due = Some(ResetCode::Unknown),
            // The HELLO's answer is on its way: this will be sent again.
            (Space::Data, State::HelloSent) => {}
            (Space::Data, _) => self.on_data(now, packet),
            (Space::Feedback, _) => self.on_control(now, packet, control),
        }
    }

    fn on_data(&mut self, now: Instant, packet: &Packet) {
        self.on_confirmed(now, None);
        self.sender.heard(now);
        let before = self.stats.bytes_received;
        self.receiver.on_packet(
            now,
            &self.cfg,
            packet.header.number,
            packet.ecn,
            packet.data.as_ref(),
            &mut self.stats,
        );
        self.pending.readable += self.stats.bytes_received - before;
        self.pending.peer_closed |= self.receiver.take_finished();
    }

    fn on_control(&mut self, now: Instant, packet: &Packet, control: &[u8]) {
        let freshness = self.sender.on_feedback(now, packet.header.number);
        if freshness == Freshness::Copy {
            return;
        }
        for frame in Frames::new(control).take(MOST_FRAMES) {
            if self.on_frame(now, &frame, freshness).is_err() {
                // Whoever lies about what has arrived gets nothing more.
                self.reset_due = Some(ResetCode::Violation);
                self.state = State::Broken;
                self.pending.end = Some(Event::Reset);
                return;
            }
        }
    }

    fn on_frame(
        &mut self,
        now: Instant,
        frame: &Frame<'_>,
        freshness: Freshness,
    ) -> Result<(), Violation> {
        match frame {
            Frame::Hello(hello) => self.on_hello(now, hello),
            Frame::Accept(accept) => self.on_accept(now, accept),
            Frame::Reset(_) => self.on_reset(),
            Frame::Close(close) => self.on_close(close),
            Frame::Tack(_) | Frame::Iack(_) | Frame::Sync(_)
                if matches!(
                    self.state,
                    State::AcceptSent | State::Established | State::Lingering
                ) =>
            {
                self.on_report(now, frame, freshness)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn on_report(
        &mut self,
        now: Instant,
        frame: &Frame<'_>,
        freshness: Freshness,
    ) -> Result<(), Violation> {
        let echo = match frame {
            Frame::Iack(iack) => match iack.reason {
                IackReason::Confirm { echo, hold } => Some((echo, hold)),
                _ => None,
            },
            _ => None,
        };
        self.on_confirmed(now, echo);
        let (cfg, stats) = (&self.cfg, &mut self.stats);
        match frame {
            Frame::Tack(tack) => self.sender.on_tack(now, cfg, tack, freshness, stats),
            Frame::Iack(iack) => self.sender.on_iack(now, cfg, iack, freshness, stats),
            Frame::Sync(sync) => {
                self.receiver.on_sync(cfg, sync);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
