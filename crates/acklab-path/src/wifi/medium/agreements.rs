//! Block ack agreements on the air: ADDBA frames, who has got them, and what follows.
//!
//! Only two stations that have a way to each other can agree to anything; over other ways A-MPDUs go from the
//! start. A frame takes effect when its acknowledgement is over, as in ns-3's
//! `HtFrameExchangeManager::ReceiveMgtAction`.

use super::frames::Frame;
use super::station::{Port, Station};
use super::{Event, Medium, MediumConfig, MediumDriver, PortId, Ppdu, PpduKind, StationId, Use};
use crate::packet::{DropReason, Packet};
use crate::wifi::agreement::{Action, AddbaConfig, AgreementStats, Kind};
use crate::wifi::mac::{Content, PeerId, Recipient, sizes};
use crate::wifi::medium::sending::Room;
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The agreements between stations.
#[derive(Debug)]
pub(super) struct Agreements {
    config: AddbaConfig,
    /// By port and access category: the latest ADDBA frame that has come that way.
    latest: Vec<Vec<Option<u16>>>,
}

impl Agreements {
    /// Nobody has agreed to anything, if agreements have to be set up.
    pub fn new(
        config: &MediumConfig,
        ports: &mut [Port],
        stations: &mut [Station],
    ) -> Option<Box<Self>> {
        let addba = config.addba?;
        for i in 0..ports.len() {
            let way = &ports[i];
            let back = way.back.filter(|b| {
                let forth = ports[b.0 as usize].back;
                forth == Some(PortId(i as u32)) && way.config.aggregation.agreed() > 0
            });
            if back.is_none() {
                continue;
            }
            let (from, to, peer) = (way.from, way.to, PeerId(way.peer));
            for c in &mut stations[usize::from(from.0)].categories {
                c.queue.negotiate(peer, addba);
            }
            for c in &mut stations[usize::from(to.0)].categories {
                c.queue.may_be_asked(addba);
            }
            for r in &mut ports[i].recipients {
                *r = Recipient::new(0);
            }
        }
        let categories = |p: &Port| alloc::vec![None; p.recipients.len()];
        Some(Box::new(Self {
            config: addba,
            latest: ports.iter().map(categories).collect(),
        }))
    }
}

impl Medium {
    /// Counters of the agreements that `station` has asked for.
    pub fn agreements(&self, station: StationId) -> AgreementStats {
        let all = self.stations[usize::from(station.0)].categories.iter();
        let each = all.map(|c| c.queue.agreements());
        each.fold(AgreementStats::default(), AgreementStats::and)
    }

    /// The receiver of `ppdu`, which ends `now`, gets `action`. Says whether it can read it.
    #[cold]
    pub(super) fn receive_action(&mut self, now: Instant, ppdu: &Ppdu, action: Action) -> bool {
        let exchange = self.exchange(ppdu.holder);
        let (port, category) = (exchange.port.0, exchange.category);
        let bits = self.bits(ppdu, port as usize);
        let intact = self.is_intact(bits, ppdu.bytes);
        let Some(all) = self.agreements.as_mut().filter(|_| intact) else {
            return intact;
        };
        let latest = &mut all.latest[port as usize][usize::from(category)];
        if latest.replace(action.seq) != Some(action.seq) {
            let answer = self.ports[port as usize].sending.action.answer;
            let over = now + self.phy.sifs() + answer + self.config.propagation;
            let told = Event::Told(port, category, action);
            self.calendar.enter(over, told);
        }
        intact
    }

    /// `action` has come over `port`, and was acknowledged.
    #[cold]
    pub(super) fn on_told<D: MediumDriver>(
        &mut self,
        now: Instant,
        (port, category): (PortId, u8),
        action: Action,
        driver: &mut D,
    ) {
        let way = &mut self.ports[port.0 as usize];
        let Some(back) = way.back else {
            return;
        };
        let station = way.to;
        let c = usize::from(category);
        if action.kind == Kind::Request {
            let recipient = &mut way.recipients[c];
            recipient.agree(action.start, way.config.aggregation.window);
            recipient.release(&mut self.out);
        }
        let way = &self.ports[back.0 as usize];
        let peer = PeerId(way.peer);
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let queue = &mut self.stations[usize::from(station.0)].categories[c].queue;
        match action.kind {
            Kind::Request => queue.respond(now, peer, action),
            Kind::Response => {
                let limits = way.sending.limits(Room::default());
                queue.on_agreed(now, peer, &limits, on_drop);
            }
        }
        self.go_on_sending(now, station, category, driver);
    }

    /// An exchange of `holder` was answered: if it was a request for an agreement, the response is waited for.
    #[cold]
    pub(super) fn await_response(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let from = self.port(holder).from;
        let Content::Action(action) = self.stations[usize::from(from.0)].psdu.content else {
            return;
        };
        if let (Kind::Request, Some(all)) = (action.kind, &self.agreements) {
            let event = Event::NoResponse(exchange.port.0, exchange.category);
            self.calendar
                .enter(now + all.config.response_timeout, event);
        }
    }

    /// The response to a request that went over `port` should have come.
    #[cold]
    pub(super) fn on_no_response<D: MediumDriver>(
        &mut self,
        now: Instant,
        port: PortId,
        category: u8,
        driver: &mut D,
    ) {
        let way = &self.ports[port.0 as usize];
        let (from, peer) = (way.from, PeerId(way.peer));
        let drops = &mut self.drops;
        let on_drop = &mut |p: Packet, why: DropReason| drops.push((p, why));
        let station = &mut self.stations[usize::from(from.0)];
        let queue = &mut station.categories[usize::from(category)].queue;
        queue.on_no_response(now, peer, on_drop);
        self.go_on_sending(now, from, category, driver);
    }

    /// `station` may have something to send that it had not before.
    fn go_on_sending<D: MediumDriver>(
        &mut self,
        now: Instant,
        station: StationId,
        category: u8,
        driver: &mut D,
    ) {
        self.report_drops(now, driver);
        self.want(now, station, category);
        self.await_discipline(now, station, category);
    }

    /// Whoever `holder` has sent an ADDBA frame acknowledges it.
    #[cold]
    pub(super) fn acknowledge_action(&mut self, now: Instant, holder: StationId) {
        let port = self.port(holder);
        let action = &port.sending.action;
        let frame = Frame {
            lasts: action.answer,
            bytes: sizes::ACK,
            use_of: Use::MacAck,
            ..Frame::control(PpduKind::Ack, port.to, port.from, action.answer_mode)
        };
        self.put_on_air(now, holder, frame);
    }

    /// MPDUs in the window of the way that the ADDBA frame `ppdu` is about.
    pub(super) fn window_about(&self, ppdu: &Ppdu) -> u16 {
        let port = self.exchange(ppdu.holder).port.0 as usize;
        let way = match (ppdu.kind, self.ports[port].back) {
            (PpduKind::AddbaResponse, Some(back)) => back.0 as usize,
            _ => port,
        };
        self.ports[way].config.aggregation.window
    }
}
