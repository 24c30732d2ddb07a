//! Queue disciplines above the queues of stations.

use super::calendar::Event;
use super::{Medium, MediumDriver, StationId};
use crate::packet::{DropReason, Packet};
use crate::qdisc::QueueDisc;
use crate::qdisc::classes::Row;
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Medium {
    /// Puts `discipline` above the queue of access category number `category` of `station`, which is the
    /// queue of its device then: its limit says how much that takes.
    ///
    /// # Panics
    /// If something waits there already.
    pub fn put_above(&mut self, station: StationId, category: u8, discipline: Box<dyn QueueDisc>) {
        let station = &mut self.stations[usize::from(station.0)];
        let edcaf = &mut station.categories[usize::from(category)];
        edcaf.queue.put_under(discipline);
        self.has_disciplines = true;
    }

    /// The counters that the discipline above queue number `category` of `station` keeps of each
    /// of its tins or classes.
    pub fn classes(&self, station: StationId, category: u8) -> Vec<Row> {
        let station = &self.stations[usize::from(station.0)];
        station.categories[usize::from(category)].queue.classes()
    }

    /// Sees to it that somebody looks when a discipline has something that it did not want to give now.
    #[inline]
    pub(super) fn await_discipline(&mut self, now: Instant, station: StationId, category: u8) {
        if self.has_disciplines {
            self.ask_discipline(now, station, category);
        }
    }

    /// Not inlined: most media have no disciplines.
    #[inline(never)]
    fn ask_discipline(&mut self, now: Instant, station: StationId, category: u8) {
        let s = &self.stations[usize::from(station.0)];
        let edcaf = &s.categories[usize::from(category)];
        let Some(at) = edcaf.queue.ready_at() else {
            return;
        };
        let at = at.max(now);
        // Mostly somebody looks by then already.
        if edcaf.awaited.is_none_or(|earlier| at < earlier) {
            self.enter_ready(at, station, category);
        }
    }

    #[cold]
    fn enter_ready(&mut self, at: Instant, station: StationId, category: u8) {
        let s = &mut self.stations[usize::from(station.0)];
        let edcaf = &mut s.categories[usize::from(category)];
        edcaf.awaited = Some(at);
        self.calendar.enter(at, Event::Ready(station.0, category));
    }

    /// A discipline has something now.
    #[cold]
    pub(super) fn on_ready<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        driver: &mut D,
    ) {
        let s = &mut self.stations[usize::from(station.0)];
        let edcaf = &mut s.categories[usize::from(category)];
        edcaf.awaited = edcaf.awaited.filter(|at| *at > now);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        edcaf.queue.on_ready(now, on_drop);
        self.report_drops(now, driver);
        self.want(now, station, category);
        self.await_discipline(now, station, category);
    }
}
