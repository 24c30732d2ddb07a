//! The PPDUs on the air, the stations that hear them, and those that can read them.
//!
//! A PPDU is read by its receiver if that hears it, unless the receiver transmits itself or hears
//! another PPDU at the same time ([`super::overlap`]). Those who merely hear it set their NAV from what
//! they can read and wait for an EIFS after what they cannot ([`super::ears`]).

use super::ears::Ears;
use super::hearing::{Hearing, Matrix};
use super::ledger::Ledger;
use super::overlap::{Flight, Part};
use super::{Ppdu, StationId, Use};
use crate::wifi::contention::{Contention, GroundId};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// The air.
#[derive(Debug)]
pub(super) struct Air {
    hearing: Hearing,
    ears: Vec<Ears>,
    /// Where the time of stations goes.
    pub ledger: Ledger,
    /// By number; places of PPDUs that have ended are used again.
    flights: Vec<Option<Flight>>,
    on_air: u32,
    /// EIFS - DIFS.
    eifs_extra: Span,
    /// The senders of overlapping PPDUs; kept for its place in memory.
    others: Vec<StationId>,
}

impl Air {
    pub fn new(hearing: Hearing, eifs_extra: Span) -> Self {
        let grounds = hearing.grounds();
        Self {
            ears: alloc::vec![Ears::default(); usize::from(grounds)],
            ledger: Ledger::new(grounds, hearing.of_stations()),
            hearing,
            flights: Vec::new(),
            on_air: 0,
            eifs_extra,
            others: Vec::new(),
        }
    }

    pub fn ground(&self, station: StationId) -> GroundId {
        self.hearing.ground(station)
    }

    /// Whether nobody transmits.
    pub fn is_free(&self) -> bool {
        self.on_air == 0
    }

    /// Sets which station hears which from now on, where stations move.
    ///
    /// # Panics
    /// In debug builds if somebody transmits: whoever hears the beginning of a PPDU hears its end.
    pub fn change(&mut self, hears: &Matrix) {
        debug_assert!(self.is_free(), "who hears a PPDU changes while it lasts");
        self.hearing.change(hears);
    }

    /// Whether `to` detects the preamble of what `from` sends. A station that does not reads nothing: PHY-RXSTART
    /// follows a preamble that was detected (17.3.12), and its addressee's MAC counts the air as free
    /// meanwhile. As in ns-3, whose `ThresholdPreambleDetectionModel` has a `MinimumRssi` of -82 dBm.
    pub fn is_heard(&self, from: StationId, to: StationId) -> bool {
        self.hearing.hears(to, from)
    }

    /// The use of the PPDU on the air that began last; a collision if some PPDU cannot be read now by
    /// its receiver for another's sake.
    pub fn use_now(&self) -> Option<Use> {
        if self.on_air == 0 {
            return None;
        }
        let mut latest = (Instant::ZERO, None);
        let mut parts_collide = false;
        for f in self.flights.iter().flatten() {
            if f.ppdu.garbled || f.overlap.lasts() {
                if !f.part.is_one() {
                    return Some(Use::Collision);
                }
                // The others go on beside it.
                parts_collide = true;
            } else if f.ppdu.start >= latest.0 {
                latest = (f.ppdu.start, Some(f.ppdu.use_of));
            }
        }
        latest.1.or(parts_collide.then_some(Use::Collision))
    }

    /// Whether `station` transmits.
    pub fn is_sending(&self, station: StationId) -> bool {
        self.sent_by(station).next().is_some()
    }

    /// The PPDU that `station` transmits; several parts if it is for several users.
    pub fn sent_by(&self, station: StationId) -> impl Iterator<Item = &Flight> {
        let all = self.flights.iter().flatten();
        all.filter(move |f| f.ppdu.from == station)
    }

    /// Whether `station` is bound to be silent by a NAV that an exchange of others has set.
    #[inline]
    pub fn is_reserved(&self, now: Instant, station: StationId) -> bool {
        self.ears(station).binding(now, station).next().is_some()
    }

    /// The PPDU of that number, which is on the air.
    pub fn flight(&self, number: u32) -> &Flight {
        let flight = &self.flights[number as usize];
        flight.as_ref().expect("what is read is on the air")
    }

    /// Whether `ppdu`, which is an RTS, may be answered as far as the NAV is concerned: it is idle,
    /// or was set by the one that asks (10.3.2.9).
    pub fn may_answer(&self, now: Instant, ppdu: &Ppdu) -> bool {
        let mut binding = self.ears(ppdu.to).binding(now, ppdu.to);
        binding.all(|r| r.from == ppdu.from)
    }

    /// NAVTimeout after an RTS of `from` that ended at `end` and reserved the air until `until`: who
    /// heard nothing since is free.
    #[cold]
    pub fn on_nav_timeout(
        &mut self,
        now: Instant,
        (from, end, until): (StationId, Instant, Instant),
        contention: &mut Contention,
    ) {
        for ground in &self.hearing.audience[usize::from(from.0)] {
            let ears = &mut self.ears[usize::from(ground.0)];
            if ears.give_back(from, end, until) {
                debug_assert!(ears.is_quiet(), "what is heard has begun");
                contention.on_idle(*ground, now.max(ears.nav), Span::ZERO);
                self.ledger.on_silence(now, *ground, ears.nav);
            }
        }
    }

    /// EIFS - DIFS.
    pub fn eifs_extra(&self) -> Span {
        self.eifs_extra
    }

    /// Since when `station` hears nothing.
    pub fn quiet_since(&self, station: StationId) -> Instant {
        self.ears(station).quiet
    }

    /// Puts a PPDU on the air. Where a receiver hears others at the same time, `captures(ppdu, others)`
    /// says whether it reads that PPDU in spite of what they send.
    pub fn begin(
        &mut self,
        flight: Flight,
        contention: &mut Contention,
        captures: impl FnMut(&Ppdu, &[StationId]) -> bool,
    ) -> u32 {
        let (now, from, first) = (flight.ppdu.start, flight.ppdu.from, flight.first);
        let part = flight.part;
        let number = self.place(flight);
        for ground in &self.hearing.audience[usize::from(from.0)] {
            let own = self.hearing.is_alone(from, *ground);
            self.ears[usize::from(ground.0)].begin((number, part), (now, first), own);
            contention.on_busy(now, *ground);
            self.ledger.on_heard(now, *ground);
        }
        self.on_air += 1;
        if self.on_air > 1 {
            let begun = *self.flight(number);
            self.judge(now, (&begun.ppdu, begun.part), captures);
        }
        number
    }

    /// `changed` has begun, or has ended, while others are on the air: what can be read, and what not.
    /// Others cannot spoil a PPDU that its receiver does not hear.
    #[cold]
    fn judge(
        &mut self,
        now: Instant,
        (changed, changed_part): (&Ppdu, Part),
        mut captures: impl FnMut(&Ppdu, &[StationId]) -> bool,
    ) {
        let Self {
            hearing,
            flights,
            others,
            ..
        } = self;
        let begins = changed.start == now;
        for i in 0..flights.len() {
            let open = |f: &Flight| !(f.unheard || f.ppdu.garbled);
            let Some((p, part)) = flights[i].filter(open).map(|f| (f.ppdu, f.part)) else {
                continue;
            };
            if part.is_beside(changed_part) {
                continue;
            }
            let disturbs = |from: StationId| p.to == from || hearing.hears(p.to, from);
            if p.from != changed.from && !disturbs(changed.from) {
                continue;
            }
            let all = flights.iter().flatten();
            let beside = all.filter(|f| !part.is_beside(f.part)).map(|f| f.ppdu.from);
            others.clear();
            others.extend(beside.filter(|from| *from != p.from && disturbs(*from)));
            let sends = others.contains(&p.to);
            let heard = sends || (!others.is_empty() && !captures(&p, others));
            // A receiver turns to what is so much stronger, whoever it is for.
            let turns = heard && begins && p.from != changed.from && !sends && {
                for from in others.iter_mut().filter(|from| **from == changed.from) {
                    *from = p.from;
                }
                let instead = Ppdu {
                    to: p.to,
                    ..*changed
                };
                captures(&instead, others)
            };
            if let Some(flight) = &mut flights[i] {
                flight.meet(now, heard, sends || turns);
            }
        }
    }

    /// Takes the PPDU of that number off the air; [`Air::end`] tells those who heard it.
    #[inline]
    pub fn take(&mut self, number: u32) -> Flight {
        let flight = self.flights[number as usize].take();
        flight.expect("what ends has begun")
    }

    /// `ppdu`, which had that number, is over.
    #[inline(always)]
    pub fn end(
        &mut self,
        number: u32,
        (ppdu, part): (&Ppdu, Part),
        contention: &mut Contention,
        captures: impl FnMut(&Ppdu, &[StationId]) -> bool,
    ) {
        self.on_air -= 1;
        for ground in &self.hearing.audience[usize::from(ppdu.from.0)] {
            let ears = &mut self.ears[usize::from(ground.0)];
            if let Some(in_vain) = ears.end(number, ppdu) {
                let extra = if in_vain { self.eifs_extra } else { Span::ZERO };
                contention.on_idle(*ground, ppdu.end.max(ears.nav), extra);
                self.ledger.on_silence(ppdu.end, *ground, ears.nav);
            }
        }
        if self.on_air > 0 {
            self.judge(ppdu.end, (ppdu, part), captures);
        }
    }

    fn ears(&self, station: StationId) -> &Ears {
        &self.ears[usize::from(self.hearing.ground(station).0)]
    }

    #[inline]
    fn place(&mut self, flight: Flight) -> u32 {
        let mut number = 0;
        while let Some(Some(_)) = self.flights.get(number) {
            number += 1;
        }
        match self.flights.get_mut(number) {
            Some(place) => *place = Some(flight),
            None => self.flights.push(Some(flight)),
        }
        number as u32
    }
}
