//! Feedback to send: IACKs for the events that are due, and the TACK if it is.

use super::Receiver;
use super::lists::{self, Losses};
use super::timing::span_micros;
use crate::ack::AckReason;
use crate::tack::config::{Richness, TackConfig, ThetaUnit, Unacked};
use crate::tack::frequency::Ppm;
use crate::tack::wire::{Frame, Iack, IackReason, Receipt, TackHead};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// IACKs in one packet at most: more gaps than these at once are left to the TACK and to the next
/// packet.
const MOST_IACKS: usize = 8;

impl Receiver {
    /// Appends all feedback that is due now, as one packet's frames; why it leaves, if it does. One
    /// packet, because each costs the medium as much as a data packet does.
    pub fn feedback(
        &mut self,
        now: Instant,
        cfg: &TackConfig,
        out: &mut Vec<u8>,
    ) -> Option<AckReason> {
        self.due().filter(|d| d.0 <= now)?;
        // Before any IACK of this packet tells of the window: what it opened is known here only.
        self.reopen(now);
        let window = core::mem::take(&mut self.window_due);
        if window {
            self.note_window(now);
        }
        let mut why = None;
        if let Some(reason) = self.take_confirm(now) {
            self.put_iack(reason, out);
            why = Some(AckReason::IackConfirm);
        }
        if self.report_losses(now, cfg, out) {
            why = why.or(Some(AckReason::IackLoss));
        }
        if core::mem::take(&mut self.mark_due) {
            self.put_iack(IackReason::Mark(self.marks), out);
            why = why.or(Some(AckReason::IackMark));
        }
        let tack = self.schedule.due().filter(|d| d.0 <= now);
        if window {
            if tack.is_none() {
                self.put_iack(IackReason::Window, out);
            }
            why = why.or(Some(AckReason::IackWindow));
        }
        if let Some((_, reason)) = tack {
            let room = cfg.feedback_room().saturating_sub(out.len());
            self.put_tack(now, cfg, room, out);
            why = why.or(Some(reason));
        } else {
            self.iacks += u64::from(why.is_some());
        }
        why
    }

    /// "When loss occurs, the receiver sends an IACK to timely pull the desired range of lost packets
    /// from the sender" (TACK paper, section 4.4): one for each gap, once.
    fn report_losses(&mut self, now: Instant, cfg: &TackConfig, out: &mut Vec<u8>) -> bool {
        if self.report_again(out) {
            return true;
        }
        let mut told = false;
        for _ in 0..MOST_IACKS {
            let Some((second, largest)) = self.holes.take_due(now) else {
                break;
            };
            self.schedule
                .on_gap(now, largest.saturating_sub(second + 1));
            if cfg.loss_iack {
                self.put_iack(IackReason::Loss { second, largest }, out);
                self.keep_copy(cfg, (second, largest));
                told = true;
            }
        }
        told
    }

    /// Each report that is to be repeated goes into another packet, as they are lost as packets.
    fn keep_copy(&mut self, cfg: &TackConfig, loss: (u64, u64)) {
        if cfg.iack_copies > 1 {
            self.copies.left = cfg.iack_copies - 1;
            self.copies.losses.push(loss);
        }
    }

    fn report_again(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(left) = self.copies.left.checked_sub(1) else {
            self.copies.losses.clear();
            return false;
        };
        self.copies.left = left;
        for i in 0..self.copies.losses.len() {
            let (second, largest) = self.copies.losses[i];
            self.put_iack(IackReason::Loss { second, largest }, out);
        }
        true
    }

    fn put_iack(&mut self, reason: IackReason, out: &mut Vec<u8>) {
        let receipt = self.receipt();
        Frame::Iack(Iack { receipt, reason }).put(out);
    }

    /// Report of the arrivals so far. The window in it is a promise.
    fn receipt(&mut self) -> Receipt {
        self.edge = self.free_edge();
        let cumulative = self.islands.next();
        Receipt {
            cumulative,
            window: self.edge.saturating_sub(cumulative),
            largest: self.holes.largest(),
            packets: self.holes.packets(),
            sync: self.sync,
        }
    }

    fn put_tack(&mut self, now: Instant, cfg: &TackConfig, room: usize, out: &mut Vec<u8>) {
        let least = self.schedule.alpha();
        let sample = self.rate.take(now, least);
        let (expected, lost) = self.count_losses();
        let settled = match cfg.unacked {
            Unacked::Reported => self.holes.settled(),
            Unacked::All => self.holes.largest(),
        };
        let head = TackHead {
            receipt: self.receipt(),
            settled,
            rate: sample.map_or(0, |s| s.rate.as_bps() / 8),
            interval: sample.map_or(0, |s| span_micros(s.interval)),
            app_limited: sample.is_some_and(|s| s.app_limited),
            hold: self.delays.hold(now),
            fastest: self.delays.take(now),
            expected,
            lost,
            ecn: self.counts_marks.then_some(self.marks),
        };
        let before = out.len();
        Frame::put_tack_head(&head, out);
        let quota = lists::quota(
            cfg.richness,
            self.schedule.taming(),
            &Losses {
                bw: self.rate.max(),
                rtt_min: self.schedule.rtt_min().unwrap_or(Span::ZERO),
                rho: self.rho,
                rho_ack: self.rho_ack,
            },
        );
        let room = room.saturating_sub(out.len() - before);
        let poor = cfg.richness == Richness::Poor;
        lists::put(out, &self.islands, head.settled, quota, room, poor);
        self.schedule.on_sent(now, self.rate.max());
        if cfg.theta_unit == ThetaUnit::Interval {
            let theta = self.counted_interval().saturating_mul(cfg.theta.into());
            self.rate.set_theta(theta.min(super::LONGEST_THETA));
        }
    }

    /// "rho is the ratio of number of lost packets to number of packets that should have been
    /// received", per TACK interval (section 5.4; ambiguity 6). A packet that comes late makes up for
    /// itself, in the interval in which it comes.
    fn count_losses(&mut self) -> (u64, u64) {
        let expected = self.holes.expected();
        let lost = expected - self.holes.packets();
        let interval = (
            expected - self.told_expected,
            lost.saturating_sub(self.told_lost),
        );
        self.told_expected = expected;
        self.told_lost = lost;
        let told = (interval.0, interval.1.min(interval.0));
        // A peer may leave out as many numbers as it likes: a million times that takes more than 64 bits.
        let ppm = u128::from(told.1) * 1_000_000;
        if let Some(rho) = ppm.checked_div(u128::from(told.0)) {
            self.rho = rho as Ppm;
        }
        told
    }
}
