//! How frame exchange sequences end: answered or not, and what the station does then (10.23.2.2,
//! 10.3.4.3).

use super::exchange::Step;
use super::station::Exchange;
use super::{AfterSilence, Medium, MediumDriver, StationId, draw};
use crate::packet::{DropReason, Packet};
use crate::wifi::mac::{Outcome, PeerId};
use acklab_units::{Instant, Span};

/// How an exchange ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// With an answer.
    Answered,
    /// With an answer that its holder has sent itself, and that reserves nothing: its TXNAV timer is over with that
    /// (10.23.2.2 b), whatever was reserved before for a longer one.
    Told,
    /// The own data were answered; what the other side sent in turn came to nothing.
    GrantInVain,
    /// Nothing came in time.
    Silent,
    /// Something came that could not be read.
    Unreadable,
}

impl Medium {
    #[cold]
    pub(super) fn on_timeout<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        number: u32,
        driver: &mut D,
    ) {
        let exchange = self.stations[usize::from(holder.0)].exchange;
        let Some(exchange) = exchange.filter(|e| e.number == number) else {
            return;
        };
        if exchange.next == Step::Several {
            self.on_silence_of_several(now, driver);
        } else {
            self.on_failure(now, holder, Ending::Silent, driver);
        }
    }

    /// The data of the exchange were answered.
    #[inline(always)]
    pub(super) fn on_response<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
        let outcome = self.outcome(holder);
        self.settle(now, holder, outcome, driver);
        if self.ofdma.is_some() {
            self.note_backlog(now, holder);
        }
        if self.agreements.is_some() {
            self.await_response(now, holder);
        }
        let exchange = self.exchange(holder);
        if !exchange.reversed {
            let limit = usize::from(exchange.category);
            self.stations[usize::from(holder.0)].categories[limit].on_success();
            if self.grant_reverse(now, holder, driver) {
                return;
            }
        }
        if self.carry_on(now, holder, driver) {
            return;
        }
        self.conclude(now, holder, Ending::Answered);
    }

    /// No answer, or one that could not be read.
    #[cold]
    pub(super) fn on_failure<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        ending: Ending,
        driver: &mut D,
    ) {
        let exchange = self.exchange(holder);
        let outcome = if exchange.announced {
            Outcome::NotSent
        } else {
            Outcome::Nothing
        };
        self.settle(now, holder, outcome, driver);
        if exchange.reversed {
            return self.conclude(now, holder, Ending::GrantInVain);
        }
        self.stats[usize::from(holder.0)].failures += 1;
        let limit = self.config.retry_limit;
        let station = &mut self.stations[usize::from(holder.0)];
        station.categories[usize::from(exchange.category)].on_failure(limit);
        self.conclude(now, holder, ending);
    }

    /// Tells the queue that sent the data what became of them.
    #[inline(always)]
    pub(super) fn settle<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        outcome: Outcome,
        driver: &mut D,
    ) {
        let exchange = self.exchange(holder);
        self.learn(now, exchange, &outcome);
        let port = &self.ports[exchange.port.0 as usize];
        let (sender, peer) = (port.from, PeerId(port.peer));
        let station = &mut self.stations[usize::from(sender.0)];
        let drops = &mut self.drops;
        let queue = &mut station.categories[usize::from(exchange.category)].queue;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        queue.on_response(now, peer, &station.psdu, outcome, on_drop);
        self.report_drops(now, driver);
        self.await_discipline(now, sender, exchange.category);
    }

    /// The exchange is over: the station backs off, and contends if it has more.
    #[inline(always)]
    pub(super) fn conclude(&mut self, now: Instant, holder: StationId, ending: Ending) {
        let station = &mut self.stations[usize::from(holder.0)];
        let Some(exchange) = station.exchange.take() else {
            unreachable!("an exchange that ends is under way");
        };
        self.under_way -= 1;
        let edcaf = &mut station.categories[usize::from(exchange.category)];
        let (wants, who) = (edcaf.wants(), edcaf.contender);
        if wants {
            edcaf.wants_since = now;
        }
        let aifs = self.phy.aifs(edcaf.config.aifsn);
        let slots = draw(&mut self.rng.backoff, edcaf.cw);
        let unbound = self.unbound_from(now, holder, ending);
        match unbound {
            Some(since) if wants => {
                let start = since + aifs;
                self.contention.back_off_from(now, who, slots, start);
            }
            _ => self.contention.back_off(now, who, slots, wants),
        }
        let contends = wants || self.contends(holder);
        // Its own reservation is no one else's, and another category of its own waits as others do.
        let own = ending == Ending::Answered && !self.air.is_reserved(now, holder);
        if own || (unbound.is_some() && (wants || !contends)) {
            self.air.ledger.unbind(now, holder);
        }
        self.air.ledger.release(now, holder, contends);
        if exchange.reversed {
            self.refresh(now, exchange);
        }
    }

    /// Since when a station waits for its interframe space whose exchange is over; `None` = as
    /// everybody else on its ground, whose NAV and EIFS it shares.
    #[inline]
    fn unbound_from(&self, now: Instant, holder: StationId, ending: Ending) -> Option<Instant> {
        if ending == Ending::GrantInVain || self.air.is_reserved(now, holder) {
            return None;
        }
        if ending == Ending::Answered {
            // It reserved more than the answer took, and keeps to it as others do: backoff begins when
            // the TXNAV timer has expired (10.23.2.2 b).
            return None;
        }
        if ending == Ending::Told {
            return Some(now);
        }
        let since = match self.config.after_silence {
            AfterSilence::Everybody => return None,
            AfterSilence::Quiet => self.air.quiet_since(holder),
            AfterSilence::Timeout => now,
        };
        let extra = match ending {
            Ending::Unreadable => self.air.eifs_extra(),
            Ending::Answered | Ending::Told | Ending::GrantInVain | Ending::Silent => Span::ZERO,
        };
        Some(since + extra)
    }

    /// A station that was granted the reverse direction may have less to contend for, or nothing.
    #[cold]
    pub(super) fn refresh(&mut self, now: Instant, exchange: Exchange) {
        let sender = self.ports[exchange.port.0 as usize].from;
        self.release(now, sender, exchange.category);
    }

    /// `sender` was granted the reverse direction, or was called by a Trigger frame, and has sent what it had
    /// under `category`.
    #[cold]
    pub(super) fn release(&mut self, now: Instant, sender: StationId, category: u8) {
        let station = &mut self.stations[usize::from(sender.0)];
        station.in_reverse = false;
        let edcaf = &station.categories[usize::from(category)];
        if edcaf.wants() {
            self.want(now, sender, category);
        } else {
            self.contention.withdraw(edcaf.contender);
        }
        let contends = self.contends(sender);
        self.air.ledger.release(now, sender, contends);
    }
}
