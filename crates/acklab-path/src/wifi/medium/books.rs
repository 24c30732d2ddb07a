//! The accounts of a medium: where time went, what waits, and that nothing got lost.

use super::station::{Port, Station};
use super::{Airtime, Medium, PortId, StationId, StationStats, Use};
use crate::wifi::mac::Recipient;
use acklab_units::{Instant, Span};

impl Medium {
    /// The uses of the time up to `now`.
    pub fn airtime(&self, now: Instant) -> Airtime {
        self.account.read(now)
    }

    /// Counters of a station.
    pub fn station_stats(&self, station: StationId) -> &StationStats {
        &self.stats[usize::from(station.0)]
    }

    /// Uses of the time up to `now` by `station`: its own PPDUs, those that it heard, its waits.
    /// They add up to that time.
    pub fn station_airtime(&self, station: StationId, now: Instant) -> Airtime {
        let mut sent = self.stats[usize::from(station.0)].sent;
        for flight in self.air.sent_by(station) {
            let (spoilt, rest) = flight.spent(now);
            let share = flight.share(spoilt + rest);
            let spoilt = flight.share(spoilt).min(share);
            sent.spend(Use::Collision, spoilt);
            sent.spend(flight.ppdu.use_of, share - spoilt);
        }
        self.air.ledger.read(now, station, sent)
    }

    /// Time that was spent on the data of `port`.
    pub fn port_airtime(&self, port: PortId) -> Span {
        self.ports[port.0 as usize].airtime
    }

    /// Packets and bytes that wait in the queue of the station that `port` leaves.
    pub fn waiting(&self, port: PortId, category: u8) -> (u32, u64) {
        let Port { from, .. } = self.ports[port.0 as usize];
        let station = &self.stations[usize::from(from.0)];
        let queue = &station.categories[usize::from(category)].queue;
        (queue.packets(), queue.bytes())
    }

    /// The same over all categories.
    pub fn waiting_in_all(&self, port: PortId) -> (u32, u64) {
        let Port { from, .. } = self.ports[port.0 as usize];
        let queues = self.stations[usize::from(from.0)].categories.iter();
        queues.fold((0, 0), |(packets, bytes), c| {
            (packets + c.queue.packets(), bytes + c.queue.bytes())
        })
    }

    /// Packets inside: waiting for an address, in queues, on the air, or waiting for others to be put
    /// in order.
    pub fn inside(&self) -> u64 {
        self.offered - self.left
    }

    /// Books the time up to `now` and what follows.
    pub(super) fn note_use(&mut self, now: Instant) {
        let what = if let Some(what) = self.air.use_now() {
            what
        } else if self.in_sifs > 0 {
            Use::Sifs
        } else if self.under_way > 0 || self.contention.is_contended() {
            Use::Contention
        } else {
            Use::Idle
        };
        self.account.switch(now, what);
    }

    /// Conservation: what came in went out, was dropped, or is inside; and each station's time has
    /// passed with it.
    pub(super) fn check(&self, now: Instant) {
        if cfg!(debug_assertions) {
            let queued = |s: &Station| s.categories.iter().map(|c| c.queue.inside()).sum::<u64>();
            let queues: u64 = self.stations.iter().map(queued).sum();
            let recipients = self.ports.iter().flat_map(|p| &p.recipients);
            let ordering: u64 = recipients.map(Recipient::inside).sum();
            let neighbours = self.neighbours.as_deref();
            let waiting = neighbours.map_or(0, |n| n.pending());
            let messages = neighbours.map_or(0, |n| n.messages());
            let arrived = (self.out.len() + self.late.len()) as u64;
            let inside = queues + ordering + arrived + waiting;
            let known = self.inside() + messages;
            assert_eq!(inside, known, "packets appeared or vanished");
            for (id, s) in (0..).map(StationId).zip(&self.stations) {
                let spent = self.station_airtime(id, now).total();
                assert_eq!(Instant::ZERO + spent, now, "time of {id:?} got lost");
                let known = (self.contends(id), s.is_occupied());
                assert!(self.air.ledger.is_about(id, known.0, known.1), "{id:?}");
            }
        }
    }
}
