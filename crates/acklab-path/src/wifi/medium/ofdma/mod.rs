//! OFDMA: transmissions of several users at once (802.11ax, clauses 26.4.4, 26.5 and 27.3).
//!
//! The access point wins the medium as always and then serves several stations in one exchange:
//!
//! - **Downlink**: an HE MU PPDU with a resource unit for each station, and their Block Acks, in turn or at once.
//! - **Uplink**: a Trigger frame that asks for buffer status (BSRP), the reports, a Trigger frame that grants
//!   resource units (Basic), the HE TB PPDUs, a Multi-STA BlockAck; a SIFS between any two.
//!
//! A transmission of several users is a PPDU for each of them on the air, with the same beginning and end
//! ([`Part`]): each is received, spoilt, recorded and booked for itself. An access point's airtime is shared among the
//! parts that it sends, so that accounts still sum to elapsed time. Parts on resource units of their own do not
//! disturb each other; two stations that choose the same one for random access collide as on any channel.
//!
//! An exchange is the only one of its access point, and ends with its answers: nothing else follows in the same
//! transmission opportunity.

mod answers;
mod asking;
mod calling;
mod choice;
mod config;
mod contest;
mod downlink;
mod ending;
mod launch;
mod random_access;
mod reading;
mod state;
mod units;
mod uplink;

pub use config::{
    Answers, DownlinkOfdma, MuEdca, OfdmaConfig, Poll, RandomAccess, Scheduler, UplinkOfdma,
};
pub(super) use state::Ofdma;

use super::exchange::Step;
use super::overlap::Flight;
use super::station::Exchange;
use super::{Event, Medium, MediumDriver, PortId, StationId};
use crate::packet::{DropReason, Packet};
use crate::wifi::phy::Format;
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;
use state::{Member, Phase};

#[cfg(doc)]
use super::overlap::Part;

/// The access point.
const AP: StationId = StationId(0);

impl Medium {
    /// Finds out who can take part, and enters the first poll.
    pub(super) fn begin_ofdma(&mut self) {
        let Some(config) = self.config.ofdma else {
            return;
        };
        let takes_part = |port: PortId| {
            let way = &self.ports[port.0 as usize];
            let he = way.sending.mode.format() == Format::He;
            he && way.config.aggregation.ampdu > 0 && way.config.carries_acks.is_none()
        };
        let ways = |s: StationId| {
            let mut ports = (0..).map(PortId).zip(&self.ports);
            let up = ports.find(|(_, p)| (p.from, p.to) == (s, AP));
            let up = up.map(|(p, _)| p);
            let down = up.and_then(|p| self.ports[p.0 as usize].back);
            (
                up.filter(|p| takes_part(*p)),
                down.filter(|p| takes_part(*p)),
            )
        };
        let categories = self.stations[0].categories.len();
        let member = |s: StationId| {
            let (up, down) = ways(s);
            (up.is_some() || down.is_some()).then(|| Member {
                station: s,
                down,
                up,
                reported: 0,
                heard: Instant::ZERO,
                obo: 0,
                ocw: 0,
                silent: 0,
                served: [0.0; 2],
                mu_edca: alloc::vec![None; categories],
            })
        };
        let others = (1..self.stations.len() as u16).map(StationId);
        let members: Vec<_> = others.filter_map(member).collect();
        let mut ofdma = Ofdma {
            config,
            phase: Phase::Idle,
            members,
            users: Vec::new(),
            active: 0,
            on_air: 0,
            bundle: 0,
            turns: [0; 3],
            was_up: true,
            poll_due: false,
            leaves: false,
            must_ask: false,
            contests: Default::default(),
            last_uplink: Instant::ZERO,
            body: Instant::ZERO,
            symbols: 0,
            random_units: (0, 0),
            ready: Vec::new(),
            lengths: Vec::new(),
            lasted: Span::ZERO,
            answered: false,
        };
        if let Some(uplink) = config.uplink {
            if let Some(random) = uplink.random {
                ofdma.draw_all(random, &mut self.rng.backoff);
            }
            let first = Instant::ZERO + uplink.poll.every;
            self.calendar.enter(first, Event::Poll);
        }
        self.ofdma = Some(Box::new(ofdma));
        self.due = self.find_due();
    }

    /// Calls `f` with the state of OFDMA.
    ///
    /// # Panics
    /// If there is none.
    fn with_ofdma<T>(&mut self, f: impl FnOnce(&mut Ofdma, &mut Self) -> T) -> T {
        let mut ofdma = self.ofdma.take().expect("OFDMA");
        let result = f(&mut ofdma, self);
        self.ofdma = Some(ofdma);
        result
    }

    /// Begins an exchange with several stations, if it is the access point whose turn it is, and if that is
    /// better than one with one of them. Says whether it has begun.
    #[cold]
    pub(super) fn begin_several<D: MediumDriver>(
        &mut self,
        now: Instant,
        (station, category): (StationId, u8),
        driver: &mut D,
    ) -> bool {
        station == AP && self.with_ofdma(|o, m| o.begin(m, now, category, driver))
    }

    /// The SIFS in an exchange with several stations is over.
    #[cold]
    pub(super) fn go_on_with_several<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        self.with_ofdma(|o, m| {
            m.air.ledger.end_gap(now, o.sides());
            o.go_on(m, now, driver);
        });
    }

    /// Nobody has answered in such an exchange.
    #[cold]
    pub(super) fn on_silence_of_several<D: MediumDriver>(&mut self, now: Instant, driver: &mut D) {
        self.with_ofdma(|o, m| o.on_silence(m, now, driver));
    }

    /// A part of a transmission of several users has left the air.
    #[cold]
    pub(super) fn on_part_end<D: MediumDriver>(
        &mut self,
        now: Instant,
        (number, flight): (u32, Flight),
        driver: &mut D,
    ) {
        self.with_ofdma(|o, m| o.on_part_end(m, now, (number, flight), driver));
    }

    /// An MPDU of such a part has arrived that is not its last one.
    #[cold]
    pub(super) fn on_mpdu_of_part(&mut self, now: Instant, (number, flight): (u32, Flight)) {
        self.with_ofdma(|o, m| o.on_mpdu_end(m, now, (number, &flight)));
    }

    /// The access point has called nobody for long, or so it seems.
    #[cold]
    pub(super) fn on_poll_due(&mut self, now: Instant) {
        self.with_ofdma(|o, m| o.on_poll_due(m, now));
    }

    /// The access point reads in what `holder` has just sent to it how much more that has.
    #[cold]
    pub(super) fn note_backlog(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        if holder != AP && !exchange.reversed {
            self.with_ofdma(|o, m| o.note_backlog(m, now, holder));
        }
    }
}

impl Ofdma {
    /// Everybody in the exchange.
    fn sides(&self) -> impl Iterator<Item = StationId> + '_ {
        let users = self.active().iter().map(|u| u.station);
        core::iter::once(AP).chain(users)
    }

    fn begin<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        category: u8,
        driver: &mut D,
    ) -> bool {
        let calls = self.calls_under(category);
        let waits = m.stations[0].categories[usize::from(category)]
            .queue
            .has_frames();
        let first_up = calls && (!waits || !self.was_up);
        let began = (first_up && self.begin_up(m, now, category))
            || (self.config.downlink.is_some() && self.begin_down(m, now, category, driver));
        if !began {
            self.was_up = false;
        }
        self.note_calls(m);
        began
    }

    /// The exchange begins, of which `port` is the first user's.
    fn open(&mut self, m: &mut Medium, now: Instant, category: u8, port: PortId) {
        let edcaf = &m.stations[0].categories[usize::from(category)];
        let delay = now.saturating_since(edcaf.wants_since);
        let until = now + edcaf.config.txop;
        self.answered = false;
        m.exchanges += 1;
        m.under_way += 1;
        m.stats[0].on_access(delay);
        m.stations[0].exchange = Some(Exchange {
            category,
            port,
            next: Step::Several,
            number: m.exchanges,
            announced: false,
            reversed: false,
            until,
        });
        m.air.ledger.engage(now, AP);
    }

    /// A SIFS, and then `next`.
    fn pause(&mut self, m: &mut Medium, now: Instant, next: Phase) {
        self.phase = next;
        m.in_sifs += 1;
        m.air.ledger.begin_gap(now, self.sides());
        let at = now + m.phy.sifs();
        m.calendar.enter(at, Event::Continue(AP.0));
    }

    /// The answer will not come; noticed when nothing has begun in time.
    fn wait_in_vain(&mut self, m: &mut Medium, now: Instant) {
        let number = m.exchange(AP).number;
        let wait = m.phy.ack_timeout(m.phy.slowest());
        m.calendar.enter(now + wait, Event::Timeout(AP.0, number));
    }

    fn go_on<D: MediumDriver>(&mut self, m: &mut Medium, now: Instant, driver: &mut D) {
        match self.phase {
            Phase::DownTrigger => self.send_bar_trigger(m, now),
            Phase::DownAnswers => self.send_answers(m, now),
            Phase::DownRequest(user) => self.send_request(m, now, user),
            Phase::DownAnswer(user) => self.send_answer(m, now, user),
            Phase::Reports => self.send_reports(m, now),
            Phase::Call => self.send_call(m, now),
            Phase::UpData => self.send_up_data(m, now, driver),
            Phase::UpAnswer => self.send_up_answer(m, now),
            Phase::Idle | Phase::DownData | Phase::Poll => unreachable!("nothing goes before it"),
        }
    }

    /// Everything that was on the air has ended.
    fn after<D: MediumDriver>(&mut self, m: &mut Medium, now: Instant, driver: &mut D) {
        match self.phase {
            Phase::DownData => self.after_down_data(m, now),
            Phase::DownTrigger => self.after_bar_trigger(m, now),
            Phase::DownAnswers => self.after_answers(m, now, driver),
            Phase::DownRequest(user) => self.after_request(m, now, user),
            Phase::DownAnswer(user) => self.after_answer(m, now, user, driver),
            Phase::Poll => self.after_poll(m, now),
            Phase::Reports => self.after_reports(m, now, driver),
            Phase::Call => self.after_call(m, now),
            Phase::UpData => self.after_up_data(m, now),
            Phase::UpAnswer => self.after_up_answer(m, now, driver),
            Phase::Idle => unreachable!("nothing was on the air"),
        }
    }

    fn on_silence<D: MediumDriver>(&mut self, m: &mut Medium, now: Instant, driver: &mut D) {
        match self.phase {
            Phase::DownRequest(user) | Phase::DownAnswer(user) => {
                self.ask_next(m, now, user, driver);
            }
            _ => self.finish(m, now, driver),
        }
    }
}

/// Tells `drops` of each packet.
fn into(drops: &mut Vec<(Packet, DropReason)>) -> impl FnMut(Packet, DropReason) + '_ {
    |packet, why| drops.push((packet, why))
}
