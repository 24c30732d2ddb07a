//! How a link asks its filters and does what they decide.
//!
//! Each ACK that the filter before the queue releases is offered to the filter that looks into the queue. It joins
//! the queue before the next is offered, so that each finds the queue as it is.

use super::{Line, Link, LinkDriver};
use crate::ack_filter::{ForwardReason, Verdict};
use crate::packet::{DropReason, Packet, PacketId};
use acklab_units::Instant;

impl Link {
    pub(super) fn offer_to_filters<D: LinkDriver>(
        &mut self,
        now: Instant,
        packet: Packet,
        driver: &mut D,
    ) {
        self.catch_up(now, driver);
        let Some(before) = self.filters.as_mut().and_then(|f| f.before.as_mut()) else {
            return self.look_inside(now, packet, driver);
        };
        // A filter of TCP's acknowledgements does not see other protocols.
        let Some(segment) = driver.tcp(packet.id) else {
            return self.look_inside(now, packet, driver);
        };
        let verdicts = &mut before.verdicts;
        before.filter.on_packet(now, packet, &segment, verdicts);
        if D::WATCHES && !verdicts.iter().any(|v| v.settles(packet.id)) {
            driver.on_held(now, packet);
        }
        self.let_go(now, driver);
    }

    pub(super) fn run_filter_timer<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) {
        while let Some(filters) = &self.filters
            && let Some(at) = filters.next_wakeup()
            && at <= now
        {
            self.serve(at, driver);
            if let Some(before) = self.filters.as_mut().and_then(|f| f.before.as_mut()) {
                before.filter.on_wakeup(at, &mut before.verdicts);
                let next = before.filter.next_wakeup();
                assert!(
                    next.is_none_or(|next| next > at),
                    "filter timer stuck at {at:?}"
                );
            }
            self.let_go(at, driver);
        }
    }

    /// Does what the filter before the queue decided, in its order.
    fn let_go<D: LinkDriver>(&mut self, now: Instant, driver: &mut D) {
        let before = self.filters.as_mut().and_then(|f| f.before.as_mut());
        let Some(stage) = before else { return };
        let mut verdicts = core::mem::take(&mut stage.verdicts);
        for verdict in verdicts.drain(..) {
            match verdict {
                Verdict::Forward(packet, reason) => {
                    driver.on_released(now, packet, reason);
                    self.look_inside(now, packet, driver);
                }
                Verdict::Drop(packet, reason) => self.drop(now, packet, reason, driver),
                Verdict::DropQueued(id) | Verdict::Replace { queued: id, .. } => {
                    panic!("a filter that does not watch the queue wants {id:?} out of it")
                }
            }
        }
        if let Some(stage) = self.filters.as_mut().and_then(|f| f.before.as_mut()) {
            stage.verdicts = verdicts;
        }
    }

    /// Offers a packet to the filter that looks into the queue, if there is one, and to the queue.
    fn look_inside<D: LinkDriver>(&mut self, now: Instant, packet: Packet, driver: &mut D) {
        let inside = self.filters.as_mut().and_then(|f| f.inside.as_mut());
        let Some(stage) = inside else {
            return self.enqueue(now, packet, driver);
        };
        let Some(segment) = driver.tcp(packet.id) else {
            return self.enqueue(now, packet, driver);
        };
        let mut verdicts = core::mem::take(&mut stage.verdicts);
        stage.filter.on_packet(now, packet, &segment, &mut verdicts);
        debug_assert!(
            verdicts.iter().any(|v| v.settles(packet.id)),
            "who looks into the queue holds nothing"
        );
        for verdict in verdicts.drain(..) {
            match verdict {
                Verdict::Forward(packet, reason) => {
                    driver.on_released(now, packet, reason);
                    self.enqueue(now, packet, driver);
                }
                Verdict::Drop(packet, reason) => self.drop(now, packet, reason, driver),
                Verdict::DropQueued(id) => self.remove(now, id, driver),
                Verdict::Replace { queued, by } => {
                    driver.on_released(now, by, ForwardReason::Replacing);
                    self.replace(now, queued, by, driver);
                }
            }
        }
        if let Some(stage) = self.filters.as_mut().and_then(|f| f.inside.as_mut()) {
            stage.verdicts = verdicts;
        }
    }

    fn remove<D: LinkDriver>(&mut self, now: Instant, id: PacketId, driver: &mut D) {
        match &mut self.line {
            Line::Queued(line) => match line.remove(id) {
                Some(packet) => self.drop(now, packet, DropReason::AckThinned, driver),
                None => self.tell_out_of_reach(),
            },
            Line::Port(port) => port.remove(id),
            Line::Computed(_) => {
                panic!("a filter that does not watch the queue wants {id:?} out of it")
            }
        }
    }

    /// Puts `by` into the place of a packet in the queue, which is dropped.
    fn replace<D: LinkDriver>(
        &mut self,
        now: Instant,
        queued: PacketId,
        by: Packet,
        driver: &mut D,
    ) {
        match &mut self.line {
            Line::Queued(line) => match line.replace(now, queued, by) {
                Some(old) => {
                    self.drop(now, old, DropReason::AckThinned, driver);
                    driver.on_queued(now, by);
                }
                None => {
                    self.tell_out_of_reach();
                    self.enqueue(now, by, driver);
                }
            },
            Line::Port(port) => port.replace(queued, by),
            Line::Computed(_) => {
                panic!("a filter that does not watch the queue wants the place of {queued:?}")
            }
        }
    }

    pub(super) fn tell_out_of_reach(&mut self) {
        if let Some(f) = self.filters.as_mut().and_then(|f| f.watcher()) {
            f.on_out_of_reach();
        }
    }
}
