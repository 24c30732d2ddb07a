//! Which station hears which.

use super::StationId;
use crate::wifi::contention::GroundId;
use crate::wifi::phy::Mode;
use crate::wifi::propagation::Channel;
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// `m[a][b]`: a hears b.
pub(super) type Matrix = [Vec<bool>];

/// How often it is looked who hears whom where stations move; a car at 100 km/h goes less than 3 m
/// meanwhile.
pub(super) const LOOK_EVERY: Span = Span::from_millis(100);

/// Which station hears which of the first `n` stations at `now`, on average.
pub(super) fn near_enough(now: Instant, channel: &Channel, n: usize, mode: Mode) -> Vec<Vec<bool>> {
    let hears = |a, b| a == b || channel.hears(now, b, a, mode);
    (0..n)
        .map(|a| (0..n).map(|b| hears(a, b)).collect())
        .collect()
}

/// Which station hears which.
#[derive(Clone, Debug)]
pub(super) struct Hearing {
    /// The ground of each station.
    ground: Vec<GroundId>,
    /// Stations of each ground.
    members: Vec<u16>,
    /// Grounds that hear the station, themselves included.
    pub audience: Vec<Vec<GroundId>>,
    grounds: u16,
}

impl Hearing {
    /// From a matrix: `hears[a][b]` = a hears b. Everybody hears themselves. Stations that hear the
    /// same share a ground. `None` = everybody hears everybody.
    pub fn new(stations: usize, hears: Option<&Matrix>) -> Self {
        let Some(hears) = hears else {
            return Self {
                ground: alloc::vec![GroundId(0); stations],
                members: alloc::vec![stations as u16],
                audience: alloc::vec![alloc::vec![GroundId(0)]; stations],
                grounds: 1,
            };
        };
        let row = |a: usize| (0..stations).map(|b| a == b || hears[a][b]).collect();
        let mut rows: Vec<Vec<bool>> = Vec::new();
        let mut ground = Vec::with_capacity(stations);
        let mut members = Vec::new();
        for a in 0..stations {
            let row: Vec<bool> = row(a);
            let found = rows.iter().position(|r| *r == row);
            let found = found.unwrap_or_else(|| {
                rows.push(row);
                members.push(0);
                rows.len() - 1
            });
            ground.push(GroundId(found as u16));
            members[found] += 1;
        }
        let audience = |b: usize| {
            let all = (0..).zip(&rows).filter(|(_, r)| r[b]);
            all.map(|(g, _)| GroundId(g)).collect()
        };
        Self {
            audience: (0..stations).map(audience).collect(),
            grounds: rows.len() as u16,
            ground,
            members,
        }
    }

    /// The same for stations that move: each has a ground of its own, so that who hears whom can
    /// change.
    pub fn singly(hears: &Matrix) -> Self {
        let mut hearing = Self {
            ground: (0..hears.len() as u16).map(GroundId).collect(),
            members: alloc::vec![1; hears.len()],
            audience: Vec::new(),
            grounds: hears.len() as u16,
        };
        hearing.change(hears);
        hearing
    }

    /// Sets which station hears which from now on. Call it only if each station has a ground of its own, and while nothing is
    /// on the air.
    pub fn change(&mut self, hears: &Matrix) {
        let heard = |b: usize| {
            let all = (0..).zip(hears).enumerate();
            all.filter(|(a, (_, row))| *a == b || row[b])
                .map(|(_, (g, _))| GroundId(g))
                .collect()
        };
        self.audience = (0..hears.len()).map(heard).collect();
    }

    pub fn grounds(&self) -> u16 {
        self.grounds
    }

    /// The ground of each station.
    pub fn of_stations(&self) -> impl Iterator<Item = GroundId> {
        self.ground.iter().copied()
    }

    pub fn ground(&self, station: StationId) -> GroundId {
        self.ground[usize::from(station.0)]
    }

    /// Whether `station` is on `ground`, and nobody else.
    pub fn is_alone(&self, station: StationId, ground: GroundId) -> bool {
        self.ground(station) == ground && self.members[usize::from(ground.0)] == 1
    }

    pub fn hears(&self, a: StationId, b: StationId) -> bool {
        self.audience[usize::from(b.0)].contains(&self.ground(a))
    }
}
