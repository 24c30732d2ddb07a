//! Where the time of each station goes.
//!
//! At each instant a station is about one thing, the first of these that is true: it sends; it hears
//! somebody else; it is in a SIFS of an exchange of which it is a part; its own exchange waits for
//! an answer; it keeps to a reservation of others (NAV); it waits for its turn; it has nothing to
//! contend for. A row of the ledger is the time by [`Use`], and sums to the time that has passed.
//!
//! All stations of a ground hear the same, so silence is counted there, on a clock that turns
//! whenever the ground falls silent or does no more; what a station made of the silence is a
//! difference of two readings, taken when it turns to something else. A PPDU costs as much whether
//! one station hears it or a hundred.

mod clock;
mod row;

use super::{Airtime, StationId, Use};
use crate::wifi::contention::GroundId;
use acklab_units::{Instant, Span};
use alloc::vec::Vec;
use clock::{Clock, Reading};
use row::Row;

/// The rows of all stations.
#[derive(Debug)]
pub(super) struct Ledger {
    clocks: Vec<Clock>,
    rows: Vec<Row>,
}

impl Ledger {
    /// Stations by the grounds that they hear on; nobody has anything to send.
    pub fn new(grounds: u16, stations: impl Iterator<Item = GroundId>) -> Self {
        let row = |ground| Row {
            ground,
            gaps: 0,
            contends: false,
            engaged: false,
            unbound: false,
            read: Reading::default(),
            gap: Reading::default(),
            reserved: Span::ZERO,
            sifs: Span::ZERO,
            contention: Span::ZERO,
            idle: Span::ZERO,
        };
        Self {
            clocks: (0..grounds).map(|_| Clock::default()).collect(),
            rows: stations.map(row).collect(),
        }
    }

    /// Those of `ground` begin to hear somebody. No effect if they do.
    #[inline]
    pub fn on_heard(&mut self, now: Instant, ground: GroundId) {
        let clock = &mut self.clocks[usize::from(ground.0)];
        if clock.reserved_until.is_none() {
            return;
        }
        clock.turn(now, None);
        while let Some(station) = clock.unbound.pop() {
            let row = &mut self.rows[usize::from(station.0)];
            row.settle(clock.read);
            row.unbound = false;
        }
    }

    /// Those of `ground` hear nobody, and keep to reservations until `reserved_until`. To be told
    /// again if that has changed.
    #[inline]
    pub fn on_silence(&mut self, now: Instant, ground: GroundId, reserved_until: Instant) {
        self.clocks[usize::from(ground.0)].turn(now, Some(reserved_until));
    }

    /// `station` waits for its turn from now on, or no longer. A station that has rested keeps to what the
    /// others keep to.
    #[inline]
    pub fn contend(&mut self, now: Instant, station: StationId, contends: bool) {
        if self.rows[usize::from(station.0)].contends != contends {
            let row = self.settled(now, station);
            row.contends = contends;
            row.unbound &= !contends;
        }
    }

    /// An exchange of `station` begins.
    #[inline]
    pub fn engage(&mut self, now: Instant, station: StationId) {
        self.settled(now, station).engaged = true;
    }

    /// It is over, and the station waits for its turn again if it `contends`.
    #[inline]
    pub fn release(&mut self, now: Instant, station: StationId, contends: bool) {
        let row = self.settled(now, station);
        (row.engaged, row.contends) = (false, contends);
    }

    /// A SIFS begins of an exchange between `sides`.
    #[inline(always)]
    pub fn begin_gap(&mut self, now: Instant, sides: impl IntoIterator<Item = StationId>) {
        self.at_both(now, sides, |row, read| {
            if row.gaps > 0 {
                row.settle_gap(read);
            }
            row.gap = read;
            row.gaps += 1;
        });
    }

    /// It is over.
    #[inline(always)]
    pub fn end_gap(&mut self, now: Instant, sides: impl IntoIterator<Item = StationId>) {
        self.at_both(now, sides, |row, read| {
            row.settle_gap(read);
            row.gaps -= 1;
        });
    }

    /// Most sides hear on the same ground, whose clock is read once.
    #[inline]
    fn at_both(
        &mut self,
        now: Instant,
        sides: impl IntoIterator<Item = StationId>,
        change: impl Fn(&mut Row, Reading),
    ) {
        let mut last = None;
        for station in sides {
            let row = &mut self.rows[usize::from(station.0)];
            let read = match last {
                Some((ground, read)) if ground == row.ground => read,
                _ => self.clocks[usize::from(row.ground.0)].read(now),
            };
            change(row, read);
            last = Some((row.ground, read));
        }
    }

    /// The reservations of this silence do not bind `station`, whose exchange is over now. No effect
    /// if it hears somebody.
    pub fn unbind(&mut self, now: Instant, station: StationId) {
        let ground = self.rows[usize::from(station.0)].ground;
        let clock = &mut self.clocks[usize::from(ground.0)];
        if clock.reserved_until.is_some_and(|until| until > now) {
            clock.unbound.push(station);
            self.settled(now, station).unbound = true;
        }
    }

    /// The row of `station`, with all silence booked.
    #[inline(always)]
    fn settled(&mut self, now: Instant, station: StationId) -> &mut Row {
        let row = &mut self.rows[usize::from(station.0)];
        row.settle(self.clocks[usize::from(row.ground.0)].read(now));
        row
    }

    /// Whether the row of `station` says what is known of it.
    pub fn is_about(&self, station: StationId, contends: bool, engaged: bool) -> bool {
        let row = &self.rows[usize::from(station.0)];
        row.engaged == engaged && (row.engaged || row.contends == contends)
    }

    /// The row of `station`, which has `sent` for so long up to `now`; sums to it.
    pub fn read(&self, now: Instant, station: StationId, sent: Airtime) -> Airtime {
        let mut row = self.rows[usize::from(station.0)];
        let read = self.clocks[usize::from(row.ground.0)].read(now);
        row.settle(read);
        // A sender hears that.
        let heard = now - Instant::ZERO - read.silent - sent.total();
        let mut all = sent;
        all.spend(Use::Others, heard + row.reserved);
        all.spend(Use::Sifs, row.sifs);
        all.spend(Use::Contention, row.contention);
        all.spend(Use::Idle, row.idle);
        let total = Instant::ZERO + all.total();
        debug_assert_eq!(total, now, "time of {station:?} got lost");
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUND: GroundId = GroundId(0);
    const ONE: StationId = StationId(0);
    const TWO: StationId = StationId(1);

    fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    /// Others, SIFS, contention, idle.
    fn row(ledger: &Ledger, now: u64, who: StationId) -> [u64; 4] {
        let row = ledger.read(at(now), who, Airtime::default());
        [Use::Others, Use::Sifs, Use::Contention, Use::Idle].map(|u| row.of(u).as_nanos())
    }

    #[test]
    fn silence_is_what_the_station_makes_of_it() {
        let mut l = Ledger::new(1, [GROUND; 2].into_iter());
        l.contend(at(10), ONE, true);
        assert_eq!(row(&l, 15, ONE), [0, 0, 5, 10]);
        l.on_heard(at(20), GROUND);
        l.contend(at(25), TWO, true);
        // Reserved for ten of the twenty.
        l.on_silence(at(30), GROUND, at(40));
        assert_eq!(row(&l, 35, ONE), [15, 0, 10, 10]);
        l.contend(at(45), ONE, false);
        assert_eq!(row(&l, 50, ONE), [20, 0, 15, 15]);
        assert_eq!(row(&l, 50, TWO), [20, 0, 10, 20]);
    }

    #[test]
    fn a_sifs_comes_before_all_other_silence() {
        let mut l = Ledger::new(1, [GROUND; 2].into_iter());
        l.engage(at(0), ONE);
        l.on_silence(at(0), GROUND, at(100));
        l.begin_gap(at(10), [ONE, TWO]);
        // Somebody breaks in.
        l.on_heard(at(12), GROUND);
        l.on_silence(at(14), GROUND, at(100));
        l.end_gap(at(20), [ONE, TWO]);
        assert_eq!(row(&l, 30, ONE), [2, 8, 20, 0]);
        assert_eq!(row(&l, 30, TWO), [22, 8, 0, 0]);
    }

    #[test]
    fn who_is_not_bound_goes_on_until_somebody_is_heard() {
        for (contends, free) in [(true, [0, 0, 20, 0]), (false, [0, 0, 10, 10])] {
            let mut l = Ledger::new(1, [GROUND; 2].into_iter());
            l.engage(at(0), ONE);
            l.on_silence(at(0), GROUND, at(100));
            l.unbind(at(10), ONE);
            l.release(at(10), ONE, contends);
            assert_eq!(row(&l, 20, ONE), free);
            assert_eq!(row(&l, 20, TWO), [20, 0, 0, 0]);
            l.on_heard(at(20), GROUND);
            l.on_silence(at(30), GROUND, at(100));
            assert_eq!(row(&l, 50, ONE), [30, 0, free[2], free[3]]);
        }
    }

    #[test]
    fn who_joins_in_after_all_is_bound() {
        let mut l = Ledger::new(1, [GROUND].into_iter());
        l.engage(at(0), ONE);
        l.on_silence(at(0), GROUND, at(100));
        l.unbind(at(10), ONE);
        l.release(at(10), ONE, false);
        l.contend(at(20), ONE, true);
        // A reservation that is given back.
        l.on_silence(at(40), GROUND, at(45));
        assert_eq!(row(&l, 50, ONE), [25, 0, 15, 10]);
    }
}
