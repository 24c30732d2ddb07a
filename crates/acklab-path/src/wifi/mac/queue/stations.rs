//! mac80211's way of keeping packets: FQ-CoDel for each station, airtime fairness between them, and
//! a bound on what waits below.
//!
//! Above, a packet is in the flow queues of its station, where CoDel watches it ("fq" in
//! `net/mac80211/tx.c`). Below is the hardware queue, which holds whole aggregates: the one on the
//! air and, with a depth of two, one that is ready to follow (the least depth that ath9k keeps,
//! `ATH_AGGR_MIN_QDEPTH`). Whenever there is a place, the airtime scheduler says which station may
//! fill it; an aggregate's packets are then taken out of the flow queues, CoDel judging them at
//! that moment, and what arrives later does not join it. Numbers are given when it is sent, so that
//! what failed in the aggregate before is repeated in it: ath9k repeats it one aggregate later.
//!
//! Parameters: `fq_init`, `ieee80211_txq_setup_flows`, `sta_info_alloc`,
//! `ieee80211_txq_airtime_check`, and `include/net/cfg80211.h`.

use crate::qdisc::codel;
use crate::qdisc::fq_codel::flows::{Flows, Shape};
use crate::qdisc::fq_codel::round_robin::{RoundRobin, Turn};
use acklab_units::{Rate, Span};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The airtime queue limit: a station whose packets below the flow queues are expected to take
/// longer gets no more of them taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aql {
    /// Allowed to each station.
    pub low: Span,
    /// Allowed to a station while all together are below `threshold`.
    pub high: Span,
    /// See `high`.
    pub threshold: Span,
}

/// Queues per station as they are configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StationsConfig {
    /// Packets in the flow queues of all stations together.
    pub limit: u32,
    /// Bytes of memory that they may take, as Linux counts it: 2304 for a packet of 1500 bytes, 768
    /// for a pure ACK.
    pub memory: u32,
    /// Queues that the flows of a station are hashed into. (mac80211 has one such table for all.)
    pub queues: u32,
    /// Bytes that a flow may send in a round.
    pub quantum: u32,
    /// Most packets dropped at once when there are too many.
    pub drop_batch: u32,
    /// CoDel of a station.
    pub codel: codel::Params,
    /// CoDel of a station that is expected to be slower than `slow_below` times the number of
    /// stations.
    pub slow_codel: codel::Params,
    /// See `slow_codel`; 1 bit/s: no station is slow.
    pub slow_below: Rate,
    /// Stations take turns by airtime, as where a driver reports it; otherwise by aggregates
    /// (`ieee80211_next_txq`).
    pub airtime_fairness: bool,
    /// Airtime that a station may use in a round.
    pub airtime_quantum: Span,
    /// The airtime queue limit.
    pub aql: Option<Aql>,
    /// Aggregates in the hardware queue, the one on the air included; at least one.
    pub hardware: u32,
}

impl StationsConfig {
    /// The memory limit of radios that are older than VHT (`ieee80211_txq_setup_flows`).
    pub const MEMORY_BEFORE_VHT: u32 = 4 << 20;

    /// As in Linux from 6.16 on. Its CoDel there knows no smallest queue (`mtu` 0). Kernels before
    /// took stations below 6 Mbit/s each for slow (`sta_update_codel_params`, removed by commit
    /// 487637698808 and in the stable kernels of June 2025).
    pub const LINUX: Self = Self {
        limit: 8192,
        memory: 16 << 20,
        queues: 4096,
        quantum: 300,
        drop_batch: 32,
        codel: codel::Params {
            target: Span::from_millis(20),
            interval: Span::from_millis(100),
            ecn: true,
            ce_threshold: None,
            mtu: 0,
            newton: true,
        },
        slow_codel: codel::Params {
            target: Span::from_millis(50),
            interval: Span::from_millis(300),
            ecn: false,
            ce_threshold: None,
            mtu: 0,
            newton: true,
        },
        slow_below: Rate::from_bps(1),
        airtime_fairness: true,
        airtime_quantum: Span::from_micros(256),
        aql: Some(Aql {
            low: Span::from_millis(5),
            high: Span::from_millis(12),
            threshold: Span::from_millis(24),
        }),
        hardware: 2,
    };
}

/// An aggregate in the hardware queue: so many packets that were never sent, behind whatever of
/// the station has to be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ready {
    pub peer: u16,
    pub packets: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Station {
    /// The time per packet that its rate control expects; zero: nothing yet.
    rate: Rate,
    /// Packets that aggregates in the hardware queue have a right to.
    reserved: u32,
    /// Aggregates in the hardware queue.
    ready: u32,
    /// The bytes of its packets below the flow queues, and the rate at which their airtime was worked out.
    below: u64,
    below_at: Rate,
    /// Their expected airtime.
    airtime: Span,
}

/// State of a queue per station that a shared one lacks.
#[derive(Debug)]
pub(super) struct Stations {
    config: StationsConfig,
    pub flows: Flows,
    pub round: RoundRobin,
    /// Deficits, in nanoseconds.
    pub turns: Vec<Turn>,
    stations: Vec<Station>,
    hardware: VecDeque<Ready>,
    airtime: Span,
}

impl Stations {
    pub fn new(config: StationsConfig) -> Self {
        let shape = Shape {
            queues: config.queues,
            limit: config.limit,
            memory: u64::from(config.memory),
            drop_batch: config.drop_batch.max(1),
            quantum: config.quantum.max(1),
            perturbation: Some(0),
            mtu_of_all: false,
        };
        Self {
            config,
            flows: Flows::new(shape),
            round: RoundRobin::default(),
            turns: Vec::new(),
            stations: Vec::new(),
            hardware: VecDeque::new(),
            airtime: Span::ZERO,
        }
    }

    /// A station begins with a whole quantum of airtime.
    pub fn know(&mut self, peers: usize) {
        let fresh = Turn::with_deficit(self.airtime_quantum());
        self.turns.resize(peers.max(self.turns.len()), fresh);
        self.stations
            .resize(peers.max(self.stations.len()), Station::default());
    }

    pub fn airtime_quantum(&self) -> i64 {
        (self.config.airtime_quantum.as_nanos() as i64).max(1)
    }

    /// A station has used so much airtime.
    pub fn spend(&mut self, peer: usize, airtime: Span) {
        if self.config.airtime_fairness {
            self.turns[peer].deficit -= airtime.as_nanos() as i64;
        }
    }

    /// The first of the round has been given an aggregate: without airtime fairness the next one
    /// follows.
    pub fn on_staged(&mut self) {
        if !self.config.airtime_fairness {
            self.round.postpone(&mut self.turns);
        }
    }

    /// The time that the rate control expects of a station.
    pub fn on_rate(&mut self, peer: usize, rate: Rate) {
        self.stations[peer].rate = rate;
    }

    /// CoDel of a station.
    pub fn codel(&self, peer: usize) -> codel::Params {
        let expected = self.stations[peer].rate.as_bps();
        let slow_below = self.config.slow_below.as_bps();
        let slow = expected > 0 && expected < slow_below.saturating_mul(self.stations.len() as u64);
        if slow {
            self.config.slow_codel
        } else {
            self.config.codel
        }
    }

    /// So many bytes of a station are below the flow queues now.
    pub fn on_below(&mut self, peer: usize, bytes: u64) {
        let station = &mut self.stations[peer];
        if (station.below, station.below_at) == (bytes, station.rate) {
            return;
        }
        (station.below, station.below_at) = (bytes, station.rate);
        let airtime = match station.rate {
            Rate::ZERO => Span::ZERO,
            rate => rate.serialisation(bytes),
        };
        self.airtime = self.airtime.saturating_sub(station.airtime) + airtime;
        station.airtime = airtime;
    }

    /// Whether the airtime queue limit lets another packet of a station out of its flow queues.
    pub fn admits(&self, peer: usize) -> bool {
        let Some(aql) = self.config.aql else {
            return true;
        };
        let own = self.stations[peer].airtime;
        own < aql.low || (self.airtime < aql.threshold && own < aql.high)
    }

    /// Whether an aggregate fits into the hardware queue beside `on_air`.
    pub fn has_place(&self, on_air: bool) -> bool {
        self.hardware.len() + usize::from(on_air) < self.places()
    }

    /// Aggregates that the hardware queue holds.
    pub fn places(&self) -> usize {
        self.config.hardware.max(1) as usize
    }

    /// The aggregate that is sent next.
    pub fn next_ready(&self) -> Option<Ready> {
        self.hardware.front().copied()
    }

    /// Aggregates of a station in the hardware queue, and packets that they have a right to.
    pub fn ready_of(&self, peer: usize) -> (u32, u32) {
        let station = &self.stations[peer];
        (station.ready, station.reserved)
    }

    pub fn push(&mut self, ready: Ready) {
        let station = &mut self.stations[usize::from(ready.peer)];
        station.reserved += ready.packets;
        station.ready += 1;
        self.hardware.push_back(ready);
    }

    /// Takes the first aggregate of a station out of the hardware queue.
    pub fn take(&mut self, peer: u16) -> Option<Ready> {
        let at = self.hardware.iter().position(|r| r.peer == peer)?;
        let ready = self.hardware.remove(at)?;
        let station = &mut self.stations[usize::from(peer)];
        station.reserved -= ready.packets;
        station.ready -= 1;
        Some(ready)
    }

    /// Nothing may be sent to a station for a while: it gives back its places.
    #[cold]
    pub fn take_back(&mut self, peer: u16) {
        self.hardware.retain(|r| r.peer != peer);
        let station = &mut self.stations[usize::from(peer)];
        (station.reserved, station.ready) = (0, 0);
    }

    /// A station has nothing to repeat: aggregates without new packets have no content.
    pub fn take_back_empty(&mut self, peer: u16) {
        if self.stations[usize::from(peer)].ready == 0 {
            return;
        }
        let before = self.hardware.len();
        self.hardware.retain(|r| r.peer != peer || r.packets > 0);
        let gone = before - self.hardware.len();
        self.stations[usize::from(peer)].ready -= gone as u32;
    }

    /// Packets of a station that waited below were dropped: no aggregate has a right to more than
    /// `waiting` packets in all.
    pub fn on_lost(&mut self, peer: usize, waiting: u32) {
        let station = &mut self.stations[peer];
        let mut excess = station.reserved.saturating_sub(waiting);
        station.reserved -= excess;
        for ready in &mut self.hardware {
            if usize::from(ready.peer) == peer {
                let less = excess.min(ready.packets);
                ready.packets -= less;
                excess -= less;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Stations {
        let mut s = Stations::new(StationsConfig::LINUX);
        s.know(2);
        s
    }

    /// `STA_SLOW_THRESHOLD` was 6 Mbit/s for each station that there is.
    #[test]
    fn codel_may_be_patient_with_slow_stations() {
        let mut s = Stations::new(StationsConfig {
            slow_below: Rate::from_bps(6_000_000),
            ..StationsConfig::LINUX
        });
        s.know(2);
        assert_eq!(s.codel(0).target, Span::from_millis(20));
        s.on_rate(0, Rate::from_bps(11_999_999));
        assert_eq!(s.codel(0).target, Span::from_millis(50));
        s.on_rate(0, Rate::from_bps(12_000_000));
        assert_eq!(s.codel(0).target, Span::from_millis(20));
    }

    #[test]
    fn codel_makes_no_difference_unless_told() {
        let mut s = two();
        for rate in [1_000_000, 65_000_000] {
            s.on_rate(0, Rate::from_bps(rate));
            assert_eq!(s.codel(0), StationsConfig::LINUX.codel);
        }
    }

    /// At 8 Mbit/s a byte takes a microsecond.
    #[test]
    fn airtime_below_is_bounded() {
        let mut s = two();
        (0..2).for_each(|i| s.on_rate(i, Rate::from_bps(8_000_000)));
        s.on_below(0, 11_999);
        assert!(s.admits(0));
        s.on_below(0, 12_000);
        assert!(!s.admits(0));
        s.on_below(0, 6_000);
        s.on_below(1, 18_000);
        assert!(!s.admits(0), "24 ms in all: only 5 each");
        s.on_below(0, 4_999);
        assert!(s.admits(0));
        s.on_below(1, 0);
        assert_eq!(s.airtime, Span::from_micros(4_999));
    }

    #[test]
    fn the_hardware_queue_has_two_places() {
        let mut s = two();
        assert!(s.has_place(true));
        s.push(Ready {
            peer: 1,
            packets: 3,
        });
        assert!(s.has_place(false) && !s.has_place(true));
        s.push(Ready {
            peer: 1,
            packets: 2,
        });
        assert_eq!(s.ready_of(1), (2, 5));
        s.on_lost(1, 1);
        assert_eq!(
            s.take(1),
            Some(Ready {
                peer: 1,
                packets: 0
            })
        );
        assert_eq!(
            s.take(1),
            Some(Ready {
                peer: 1,
                packets: 1
            })
        );
        assert_eq!((s.take(1), s.ready_of(1)), (None, (0, 0)));
    }
}
