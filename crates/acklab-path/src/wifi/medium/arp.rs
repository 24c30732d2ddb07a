//! Neighbours on the air: what waits for an address, and the frames that ask for one and tell it.
//!
//! Station 0 is the access point, and an IP router as in ns-3: each packet that comes over a way has
//! the way's far end as its next hop. Ways that do not begin or end there, or have no way back, need no
//! address. A question of the access point, and one that it sends on, is a group-addressed frame
//! ([`PpduKind::Group`]): at the lowest basic rate, answered by nobody, sent once (10.3.6).

use super::ending::Ending;
use super::frames::Frame;
use super::station::Port;
use super::{
    Event, Medium, MediumConfig, MediumDriver, PortConfig, PortId, PpduKind, RateConfig, StationId,
    Use,
};
use crate::packet::{DropReason, Label, Packet};
use crate::wifi::mac::{MpduRef, Outcome, PeerId};
use crate::wifi::neighbour::{ArpConfig, Cache, Fate, Kind, Message};
use acklab_proto::rng::{Rng, RngCore};
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use alloc::vec::Vec;

const AP: StationId = StationId(0);

/// The stations' tables of neighbours.
#[derive(Debug)]
pub(super) struct Neighbours {
    config: ArpConfig,
    /// By station; neighbours have the numbers that its queues know them by.
    caches: Vec<Cache>,
    /// By station: its way to the access point and back, if it has both.
    ways: Vec<Option<(PortId, PortId)>>,
    /// The way to everybody.
    everybody: PortId,
    /// For what is waited before a question.
    rng: Rng,
    /// Messages in queues, on the air or with recipients.
    messages: u64,
}

impl Neighbours {
    /// Nobody knows anybody. `everybody` is the port of [`to_everybody`].
    pub fn new(config: &MediumConfig, everybody: PortId, rng: Rng) -> Option<Box<Self>> {
        let arp = config.arp?;
        let n = config.stations.len();
        let mut peers = alloc::vec![0; n];
        peers[usize::from(AP.0)] = 1;
        let mut ways = alloc::vec![(None, None); n];
        for (i, port) in (0..).map(PortId).zip(&config.ports) {
            peers[usize::from(port.from.0)] += 1;
            match (port.from, port.to) {
                (AP, to) => ways[usize::from(to.0)].1 = Some(i),
                (from, AP) => ways[usize::from(from.0)].0 = Some(i),
                _ => {}
            }
        }
        let both = |(up, down): (Option<PortId>, Option<PortId>)| up.zip(down);
        Some(Box::new(Self {
            config: arp,
            caches: peers.into_iter().map(Cache::new).collect(),
            ways: ways.into_iter().map(both).collect(),
            everybody,
            rng,
            messages: 0,
        }))
    }

    /// Packets that wait for an address.
    pub fn pending(&self) -> u64 {
        self.caches.iter().map(|c| c.pending() as u64).sum()
    }

    /// Messages in queues, on the air or with recipients.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Before a first question.
    fn jitter(&mut self) -> Span {
        let range = u64::from(self.config.jitter_ms);
        Span::from_millis((u64::from(self.rng.next_u32()) * range) >> 32)
    }
}

/// The way from the access point to everybody, if `config` needs one: as the first way that it has, at
/// the lowest basic rate, and nothing at once.
pub(super) fn to_everybody(config: &MediumConfig) -> Option<PortConfig> {
    config.arp?;
    let like = config.ports.iter().find(|p| p.from == AP)?.clone();
    Some(PortConfig {
        rate: RateConfig::Fixed(config.phy.slowest()),
        aggregation: super::Aggregation {
            ampdu: 0,
            amsdu: 0,
            ..like.aggregation
        },
        rts_from: None,
        grants_reverse: false,
        carries_acks: None,
        ..like
    })
}

/// Lets the way to everybody, the last of `ports`, be the first of the access point's `routes`: of what is
/// equally old a queue sends to the first, and a question is sent on before it is answered.
pub(super) fn go_ahead(ports: &mut [Port], routes: &mut [PortId]) {
    routes.rotate_right(1);
    for (peer, port) in (0..).zip(routes) {
        ports[port.0 as usize].peer = peer;
    }
}

impl Medium {
    /// Whether the address at the far end of `port` is known. Otherwise `packet` waits for it, or is
    /// dropped.
    #[inline(never)]
    pub(super) fn knows<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        (category, packet): (u8, Packet),
        driver: &mut D,
    ) -> bool {
        let way = &self.ports[port.0 as usize];
        let (from, to, peer) = (way.from, way.to, usize::from(way.peer));
        let Some(n) = &mut self.neighbours else {
            return true;
        };
        let station = if from == AP { to } else { from };
        if n.ways[usize::from(station.0)].is_none_or(|(up, down)| port != up && port != down) {
            return true;
        }
        let cache = &mut n.caches[usize::from(from.0)];
        match cache.admit(now, &n.config, peer, (category, packet)) {
            Fate::Sent => return true,
            Fate::Waits => {}
            Fate::Asks => {
                if cache.start_waiting() {
                    let over = Event::WaitReply(from.0);
                    self.calendar.enter(now + n.config.wait_reply, over);
                }
                self.calendar.enter(now + n.jitter(), Event::Ask(port.0));
            }
            Fate::Dropped => self.drop_unresolved(now, from, packet, driver),
        }
        false
    }

    fn drop_unresolved<D: MediumDriver>(
        &mut self,
        now: Instant,
        from: StationId,
        packet: Packet,
        driver: &mut D,
    ) {
        self.left += 1;
        self.stats[usize::from(from.0)].unresolved += 1;
        driver.on_drop(now, packet, DropReason::Unresolved);
    }

    /// The station that `port` leaves asks who is at its far end.
    #[cold]
    pub(super) fn ask<D: MediumDriver>(&mut self, now: Instant, port: PortId, driver: &mut D) {
        let way = &self.ports[port.0 as usize];
        let message = match (way.from, way.to) {
            (AP, station) => (Kind::Wanted, station),
            (station, _) => (Kind::Request, station),
        };
        self.stats[usize::from(way.from.0)].arp_requests += 1;
        self.post(now, message, driver);
    }

    /// `station` looks who has not answered.
    #[cold]
    pub(super) fn on_wait_over<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        driver: &mut D,
    ) {
        let s = usize::from(station.0);
        let Some(n) = &mut self.neighbours else {
            return;
        };
        let (mut again, mut lost) = (Vec::new(), Vec::new());
        let cache = &mut n.caches[s];
        let ask = |peer: usize| again.push(self.routes[s][peer]);
        if cache.on_wait_over(now, &n.config, ask, |p| lost.push(p)) {
            let over = Event::WaitReply(station.0);
            self.calendar.enter(now + n.config.wait_reply, over);
        }
        for packet in lost {
            self.drop_unresolved(now, station, packet, driver);
        }
        again.into_iter().for_each(|p| self.ask(now, p, driver));
    }

    /// Puts a message into the queue of who sends it.
    fn post<D: MediumDriver>(
        &mut self,
        now: Instant,
        (kind, station): (Kind, StationId),
        driver: &mut D,
    ) {
        let Some(n) = &mut self.neighbours else {
            return;
        };
        let Some((up, down)) = n.ways[usize::from(station.0)] else {
            return;
        };
        let port = match kind {
            Kind::Request | Kind::Report => up,
            Kind::Reply => down,
            Kind::Relayed | Kind::Wanted => n.everybody,
        };
        n.messages += 1;
        let category = n.config.category;
        let way = &self.ports[port.0 as usize];
        let (from, peer) = (way.from, PeerId(way.peer));
        let edcaf = &mut self.stations[usize::from(from.0)].categories[usize::from(category)];
        let drops = &mut self.drops;
        let packet = Message { kind, station }.packet();
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let labelled = (packet, Label::of(packet.flow));
        edcaf.queue.enqueue(now, peer, labelled, on_drop);
        self.report_drops(now, driver);
        self.want(now, from, category);
    }

    /// A message was dropped by the queue it was in, or a group-addressed frame by the air.
    #[cold]
    pub(super) fn lose(&mut self, message: Message) {
        if let Some(n) = &mut self.neighbours {
            n.messages -= 1;
        }
        let from = match message.kind {
            Kind::Request | Kind::Report => message.station,
            Kind::Relayed | Kind::Wanted | Kind::Reply => AP,
        };
        self.stats[usize::from(from.0)].arp_lost += 1;
    }

    /// A message has arrived.
    #[cold]
    pub(super) fn on_message<D: MediumDriver>(
        &mut self,
        now: Instant,
        Message { kind, station }: Message,
        driver: &mut D,
    ) {
        let Some(n) = &mut self.neighbours else {
            return;
        };
        n.messages -= 1;
        let learns = n.config.learns;
        let Some((up, down)) = n.ways[usize::from(station.0)] else {
            return;
        };
        match kind {
            Kind::Request => {
                self.post(now, (Kind::Relayed, station), driver);
                if learns {
                    self.resolve(now, down, true, driver);
                }
                self.stats[usize::from(AP.0)].arp_replies += 1;
                self.post(now, (Kind::Reply, station), driver);
            }
            // A station recognises its own question.
            Kind::Relayed => {}
            Kind::Wanted => {
                if learns {
                    self.resolve(now, up, true, driver);
                }
                self.stats[usize::from(station.0)].arp_replies += 1;
                self.post(now, (Kind::Report, station), driver);
            }
            Kind::Reply => self.resolve(now, up, false, driver),
            Kind::Report => self.resolve(now, down, false, driver),
        }
    }

    /// The far end of `port` has said its address: what waited for it joins the queue.
    fn resolve<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        learns: bool,
        driver: &mut D,
    ) {
        let way = &self.ports[port.0 as usize];
        let (from, peer) = (usize::from(way.from.0), usize::from(way.peer));
        let Some(n) = &mut self.neighbours else {
            return;
        };
        for (category, packet) in n.caches[from].on_address(now, peer, learns) {
            self.admit(now, port, category, packet, driver);
        }
    }

    /// Packets that wait for the address at the far end of `port`.
    pub fn unresolved(&self, port: PortId) -> usize {
        let way = &self.ports[port.0 as usize];
        let n = self.neighbours.as_ref();
        n.map_or(0, |n| {
            n.caches[usize::from(way.from.0)].pending_for(usize::from(way.peer))
        })
    }

    /// Whether what goes over `port` is for everybody.
    #[inline]
    pub(super) fn is_for_all(&self, port: PortId) -> bool {
        self.neighbours
            .as_ref()
            .is_some_and(|n| n.everybody == port)
    }

    /// Sends the group-addressed frame of `holder`. Its fate is looked up at the only station it
    /// matters to.
    #[cold]
    pub(super) fn send_to_all(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let (port, station) = (
            &self.ports[exchange.port.0 as usize],
            &self.stations[usize::from(holder.0)],
        );
        let (psdu, sending) = (&station.psdu, &port.sending);
        let queue = &station.categories[usize::from(exchange.category)].queue;
        let packets = |m: &MpduRef| queue.packets_of(PeerId(port.peer), m.seq).next();
        let first = psdu.mpdus.first().and_then(packets);
        let message = first.and_then(|(p, _)| Message::of(p));
        let to = message.map_or(port.to, |m| m.station);
        let frame = Frame {
            lasts: sending.data(psdu.content, psdu.bytes),
            bytes: psdu.bytes,
            mpdus: psdu.mpdus.len() as u16,
            use_of: Use::Control,
            ..Frame::control(PpduKind::Group, holder, to, sending.mode)
        };
        self.stats[usize::from(holder.0)].on_data(1, 0);
        self.put_on_air(now, holder, frame);
    }

    /// A group-addressed frame is over. Nobody answers: that counts as success (10.23.2.2).
    #[cold]
    pub(super) fn after_group<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
        self.settle(now, holder, Outcome::Unasked, driver);
        let category = usize::from(self.exchange(holder).category);
        self.stations[usize::from(holder.0)].categories[category].on_success();
        if !self.carry_on(now, holder, driver) {
            self.conclude(now, holder, Ending::Answered);
        }
    }
}
