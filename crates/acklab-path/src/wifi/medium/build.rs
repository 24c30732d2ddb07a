//! A medium from its configuration: who hears whom, who contends, and the ways between stations.

use super::account::Account;
use super::agreements::Agreements;
use super::air::Air;
use super::arp::{self, Neighbours};
use super::calendar::Calendar;
use super::delivery::Reading;
use super::feedback::FeedbackTime;
use super::hearing::{Hearing, LOOK_EVERY, near_enough};
use super::sending::{self, Sending};
use super::station::{Edcaf, Port, Station};
use super::{
    Medium, MediumConfig, MediumStreams, PortConfig, PortId, RateConfig, StationId, StationStats,
};
use crate::wifi::contention::Contention;
use crate::wifi::mac::{Psdu, Recipient, TxQueue};
use crate::wifi::phy::ErrorModel;
use crate::wifi::propagation::Channel;
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::{Instant, Span};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use rand_core::SeedableRng;

impl Medium {
    /// A medium on which nobody has anything to send.
    ///
    /// # Panics
    /// If the signal matters to a port and there are no radios, or not one for each station.
    pub fn new(mut config: MediumConfig, mut rng: MediumStreams) -> Self {
        let phy = config.phy;
        let n = config.stations.len();
        let channel = config.radio.as_ref().map(|radio| {
            assert_eq!(radio.stations.len(), n, "a radio for each station");
            Channel::new(radio.channel, radio.stations.clone(), rng.channel.clone())
        });
        let near = channel
            .as_ref()
            .filter(|_| config.hears.is_none())
            .map(|c| (near_enough(Instant::ZERO, c, n, phy.slowest()), c.moves()));
        let (hearing, moves) = match &near {
            Some((near, true)) => (Hearing::singly(near), true),
            Some((near, false)) if near.iter().flatten().any(|h| !h) => {
                (Hearing::new(n, Some(near)), false)
            }
            _ => (Hearing::new(n, config.hears.as_deref()), false),
        };
        let mut contention = Contention::new(phy.slot(), config.slots, hearing.grounds());
        let extra = if config.eifs {
            phy.eifs() - phy.difs()
        } else {
            Span::ZERO
        };
        let air = Air::new(hearing, extra);
        let mut contenders = Vec::new();
        let mut stations = Vec::with_capacity(n);
        for (s, plan) in (0..).map(StationId).zip(&config.stations) {
            let mut categories = Vec::with_capacity(plan.categories.len());
            for (c, edca) in (0..).zip(&plan.categories) {
                let aifs = phy.aifs(edca.aifsn);
                contenders.push((s, c));
                categories.push(Edcaf {
                    contender: contention.add(air.ground(s), aifs),
                    config: *edca,
                    cw: edca.cw_min,
                    failures: 0,
                    wants_since: Instant::ZERO,
                    queue: TxQueue::new(plan.queue),
                    calls: false,
                    rests: false,
                    awaited: None,
                });
            }
            stations.push(Station {
                categories,
                exchange: None,
                in_reverse: false,
                promises_more: false,
                aboard: Vec::new(),
                psdu: Psdu::default(),
                reading: Reading::default(),
            });
        }
        let stats = config.stations.iter().map(|_| StationStats::default());
        let everybody = arp::to_everybody(&config);
        let number = PortId(config.ports.len() as u32);
        let neighbours = everybody
            .is_some()
            .then(|| Neighbours::new(&config, number, rng.neighbours.clone()));
        let asks = everybody.is_some();
        config.ports.extend(everybody);
        let mut routes = routes(&config);
        let mut ports = ports(&config, &mut rng.rates);
        if asks {
            arp::go_ahead(&mut ports, &mut routes[0]);
        }
        let agreements = Agreements::new(&config, &mut ports, &mut stations);
        let mut medium = Self {
            routes,
            ports,
            agreements,
            ofdma: None,
            neighbours: neighbours.flatten(),
            has_disciplines: false,
            capture: config.radio.as_ref().and_then(|r| r.capture),
            channel,
            next_look: moves.then_some(Instant::ZERO + LOOK_EVERY),
            stats: stats.collect(),
            phy,
            contention,
            contenders,
            stations,
            air,
            calendar: Calendar::default(),
            account: Account::default(),
            in_sifs: 0,
            under_way: 0,
            exchanges: 0,
            rng,
            out: VecDeque::new(),
            late: VecDeque::new(),
            reached: Instant::ZERO,
            due: None,
            winners: Vec::new(),
            drops: Vec::new(),
            feedback: FeedbackTime::default(),
            offered: 0,
            left: 0,
            config,
        };
        (0..medium.ports.len() as u32).for_each(|p| medium.tell_rate(PortId(p)));
        medium.begin_ofdma();
        medium
    }
}

fn routes(config: &MediumConfig) -> Vec<Vec<PortId>> {
    let mut routes = alloc::vec![Vec::new(); config.stations.len()];
    for (i, port) in (0..).map(PortId).zip(&config.ports) {
        routes[usize::from(port.from.0)].push(i);
    }
    routes
}

fn ports(config: &MediumConfig, rng: &mut Rng) -> Vec<Port> {
    let mut peers = alloc::vec![0; config.stations.len()];
    let ways = config.ports.iter().enumerate();
    // The first way between two stations is theirs; a later one is to everybody.
    let ways: BTreeMap<_, _> = ways
        .rev()
        .map(|(i, p)| ((p.from, p.to), PortId(i as u32)))
        .collect();
    let port = |p: &PortConfig| {
        let by_signal = p.errors == ErrorModel::Snr || matches!(p.rate, RateConfig::Ideal { .. });
        assert!(
            !by_signal || config.radio.is_some(),
            "a signal needs radios"
        );
        let peer = &mut peers[usize::from(p.from.0)];
        *peer += 1;
        let categories = &config.stations[usize::from(p.from.0)].categories;
        let agreed = p.aggregation.agreed();
        let mut rate = sending::rate_control(p, config.phy, Rng::seed_from_u64(rng.next_u64()));
        let sending = Sending::new(&config.phy, rate.choose(Instant::ZERO).mode, p);
        Port {
            from: p.from,
            to: p.to,
            peer: *peer - 1,
            back: ways.get(&(p.to, p.from)).copied(),
            recipients: categories.iter().map(|_| Recipient::new(agreed)).collect(),
            promised: None,
            reminded: alloc::vec![false; categories.len()],
            airtime: Span::ZERO,
            rate,
            sending,
            config: p.clone(),
        }
    };
    config.ports.iter().map(port).collect()
}
