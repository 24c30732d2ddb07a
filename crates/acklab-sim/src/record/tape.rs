//! Keeps what the plan asks for, and nothing else.

use super::acks::{AckLog, AckRecord, Ends};
use super::delays::{DelaySummary, Delays};
use super::events::{EventLog, EventRecord};
use super::frames::Sightings;
use super::log::Log;
use super::media::PpduRecord;
use super::observer::{LinkFact, News, Observer, Stimulus, Told};
use super::packets::{PacketEvent, Packets, TapPoint};
use super::quantiles::{Distribution, Quantiles, Sampled};
use super::queues::Queues;
use super::reports::{ReportLog, ReportRecord};
use crate::app::data_flows_forward;
use crate::plan::{Period, Plan};
use acklab_path::packet::{DropReason, Packet, PacketId, PacketStore};
use acklab_path::wifi::medium::{Frames, Ppdu};
use acklab_proto::ack::AckReason;
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::Ecn;
use acklab_proto::transport::{Condition, Transport};
use acklab_units::{Instant, Span};

/// A packet without a number.
const UNSEEN: u32 = u32::MAX;

/// The memory of a packet under way, by its place in the store.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    sent_at: Instant,
    /// Since when an ACK filter has held it.
    held_since: Option<Instant>,
    /// Its number in the packet log, once it was seen where packets are watched.
    number: u32,
    /// Its codepoint when it was last seen.
    ecn: Ecn,
}

impl UnderWay {
    const fn new(now: Instant, packet: Packet) -> Self {
        Self {
            sent_at: now,
            held_since: None,
            number: UNSEEN,
            ecn: packet.ecn,
        }
    }
}

/// The points at which packets are watched, and what was seen.
#[derive(Debug)]
struct PacketLog {
    hosts: Vec<bool>,
    links: Vec<bool>,
    packets: Packets,
}

/// The observer that records.
#[derive(Debug)]
pub struct Tape {
    under_way: Vec<UnderWay>,
    /// Of each flow's sender, as it was when something had last happened to it.
    conditions: Vec<Condition>,
    ends: Vec<Ends>,
    /// The flows at whose ends something has happened since the last sample.
    touched: Vec<bool>,
    packets: Option<PacketLog>,
    acks: Option<AckLog>,
    reports: Option<ReportLog>,
    ack_delays: Vec<Quantiles>,
    events: Option<EventLog>,
    delays: Option<Delays>,
    ppdus: Option<Log<PpduRecord>>,
    frames: Option<Sightings>,
    queues: Option<Queues>,
    sampled: Sampled,
    /// What happens outside of it is not written down.
    within: Period,
    end: Instant,
}

/// The content of a tape in the end, beside summaries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The events of the senders, by time.
    pub events: Vec<EventRecord>,
    /// The lives of acknowledgements, by time.
    pub acks: Vec<AckRecord>,
    /// The reports of TACK's receivers, by time.
    pub reports: Vec<ReportRecord>,
    /// The events of packets, by time.
    pub packets: Packets,
    /// The PPDUs, by the time of their ends.
    pub ppdus: Vec<PpduRecord>,
    /// The content of the PPDUs.
    pub frames: Sightings,
}

impl Tape {
    /// An empty tape for `plan`.
    pub fn new(plan: &Plan) -> Self {
        let (record, flows) = (&plan.record, plan.flows.len());
        let sampled = Sampled {
            from: plan.warmup,
            to: plan.stop,
        };
        let ends: Vec<_> = plan.flows.iter().enumerate().map(ends).collect();
        Self {
            under_way: Vec::new(),
            conditions: vec![Condition::default(); flows],
            packets: record.packets.as_ref().map(|taps| PacketLog {
                hosts: plan
                    .flows
                    .iter()
                    .flat_map(|f| [taps.nodes[f.src], taps.nodes[f.dst]])
                    .collect(),
                links: taps.links.clone(),
                packets: Packets::default(),
            }),
            acks: record
                .acks
                .then(|| AckLog::new(ends.clone(), record.within)),
            reports: record.acks.then(|| ReportLog::new(ends.clone())),
            ack_delays: vec![Quantiles::default(); flows],
            events: record.events.then(EventLog::default),
            ppdus: record.ppdus.then(Log::default),
            frames: record.frames.then(Sightings::default),
            delays: record.delays.then(|| Delays::new(flows, sampled)),
            queues: record
                .queues
                .then(|| Queues::new(plan.links.len(), sampled, record.every.is_some())),
            ends,
            touched: vec![true; flows],
            sampled,
            within: record.within,
            end: plan.stop,
        }
    }

    #[inline]
    fn compare(&mut self, now: Instant, host: usize, stimulus: Stimulus, is: &impl Transport) {
        let flow = host / 2;
        self.touched[flow] = true;
        let Some(log) = &mut self.events else { return };
        if self.ends[flow].sender != host as u32 {
            return;
        }
        let (before, after) = (&mut self.conditions[flow], is.condition());
        if !before.tells_like(&after) {
            let news = News {
                before,
                after: &after,
                cwnd: is.cwnd(),
            };
            if self.within.contains(now) {
                log.compare(now, flow as u32, stimulus, news);
            }
            *before = after;
        }
    }

    /// Notes what happened to a packet, if anyone watches there.
    #[inline]
    fn note<'a>(
        &mut self,
        at: Instant,
        point: TapPoint,
        (packet, content): (Packet, impl FnOnce() -> (Datagram, &'a [u8])),
        what: (PacketEvent, Option<DropReason>),
    ) {
        let Some(log) = &mut self.packets else { return };
        let watched = match point {
            TapPoint::Host(h) => log.hosts[h as usize],
            TapPoint::Link(l) => log.links[l as usize],
        };
        if watched && at < self.within.from {
            log.packets.pass(packet.flow, || content().0);
        } else if watched && at <= self.within.until {
            let number = &mut self.under_way[packet.id.0 as usize].number;
            if *number == UNSEEN {
                *number = log.packets.enter(packet, content());
            }
            log.packets.note(at, *number, point, what, packet.ecn);
        }
    }

    /// Notes that a queue or a line has marked the packet since it was last seen.
    #[inline]
    fn note_mark(&mut self, at: Instant, link: TapPoint, packet: Packet, store: &impl PacketStore) {
        let it = &mut self.under_way[packet.id.0 as usize];
        if it.ecn != packet.ecn {
            it.ecn = packet.ecn;
            let both = (packet, || content(store, packet.id));
            self.note(at, link, both, (PacketEvent::Marked, None));
        }
    }

    /// The events of acknowledgements rather than packets.
    fn on_ack_fact(
        &mut self,
        at: (Instant, usize),
        packet: Packet,
        store: &impl PacketStore,
        fact: LinkFact,
    ) {
        let it = &mut self.under_way[packet.id.0 as usize];
        let held = it.held_since.map(|since| at.0 - since);
        it.held_since = (fact == LinkFact::Held).then_some(at.0);
        let Some(log) = &mut self.acks else { return };
        match (store.datagram(packet.id), fact) {
            (Datagram::Tcp(segment), _) => log.on_link(at, packet, &segment, fact, held),
            (Datagram::Tack(_), LinkFact::Dropped(reason)) => {
                log.on_tamed_dropped(at, packet, store.attachment(packet.id), reason);
            }
            _ => {}
        }
    }

    /// `packet` reached a host whose peer nobody here watches: the time of sending is unknown.
    pub fn on_arrived_from_afar(
        &mut self,
        now: Instant,
        packet: Packet,
        (data, beside): Told<'_>,
        at: &impl Transport,
    ) {
        self.enter(packet.id, UnderWay::new(now, packet));
        self.arrived(now, (packet, packet.flow.0 ^ 1), (data, beside), None, at);
    }

    /// Watches no further packets; what was seen of them stays.
    pub fn close_packets(&mut self) {
        if let Some(log) = &mut self.packets {
            log.hosts.fill(false);
            log.links.fill(false);
        }
    }

    #[inline(always)]
    fn arrived(
        &mut self,
        now: Instant,
        (packet, host): (Packet, u32),
        (data, beside): Told<'_>,
        age: Option<Span>,
        at: &impl Transport,
    ) {
        let (point, both) = (TapPoint::Host(host), (packet, || (*data, beside)));
        self.note(now, point, both, (PacketEvent::Delivered, None));
        let flow = (host / 2) as usize;
        if let Some(delays) = &mut self.delays
            && let Some(age) = age
            && data.carries_data()
            && packet.flow.0 == self.ends[flow].sender
        {
            delays.on_data(now, flow, age);
        }
        if let Some(log) = &mut self.acks {
            log.on_data(now, host, at.stats().bytes_received);
            match data {
                Datagram::Tcp(segment) => log.on_received(now, packet, segment, age),
                Datagram::Tack(_) => log.on_tamed_received(now, packet, beside, age),
                _ => {}
            }
        }
        self.compare(now, host as usize, Stimulus::Segment, at);
    }

    fn enter(&mut self, id: PacketId, it: UnderWay) {
        let i = id.0 as usize;
        if i >= self.under_way.len() {
            self.under_way.resize(i + 1, it);
        }
        self.under_way[i] = it;
    }
}

/// The content of a packet under way, and its extra bytes.
fn content(store: &impl PacketStore, id: PacketId) -> (Datagram, &[u8]) {
    (store.datagram(id), store.attachment(id))
}

fn ends((i, flow): (usize, &crate::plan::FlowPlan)) -> Ends {
    Ends {
        sender: 2 * i as u32 + u32::from(!data_flows_forward(&flow.app)),
        segment: flow.transport.payload(),
    }
}

impl Observer for Tape {
    const ACTIVE: bool = true;

    fn on_sent(
        &mut self,
        now: Instant,
        packet: Packet,
        (datagram, beside): Told<'_>,
        ack: Option<AckReason>,
    ) {
        self.enter(packet.id, UnderWay::new(now, packet));
        let host = TapPoint::Host(packet.flow.0);
        let both = (packet, || (*datagram, beside));
        self.note(now, host, both, (PacketEvent::Sent, None));
        if let Some(log) = &mut self.reports
            && self.within.contains(now)
            && let Datagram::Tack(tack) = datagram
        {
            log.on_sent(now, packet, (tack, beside), ack);
        }
        let Some(log) = &mut self.acks else { return };
        let delay = match datagram {
            Datagram::Tcp(segment) => log.on_sent(now, packet, segment, ack),
            Datagram::Tack(_) => log.on_tamed_sent(now, packet, beside, ack),
            _ => None,
        };
        if let Some(delay) = delay
            && self.sampled.contains(now)
        {
            self.ack_delays[(packet.flow.0 / 2) as usize].push(delay);
        }
    }

    fn on_arrived(
        &mut self,
        now: Instant,
        packet: Packet,
        (data, beside): Told<'_>,
        at: &impl Transport,
    ) {
        let age = now - self.under_way[packet.id.0 as usize].sent_at;
        let to = (packet, packet.flow.0 ^ 1);
        self.arrived(now, to, (data, beside), Some(age), at);
    }

    /// Inlined where the fact is known: three in four cases then are a call of [`Tape::note`].
    #[inline(always)]
    fn on_link(
        &mut self,
        now: Instant,
        link: usize,
        packet: Packet,
        store: &impl PacketStore,
        fact: LinkFact,
    ) {
        let at = TapPoint::Link(link as u32);
        let both = (packet, || content(store, packet.id));
        match fact {
            LinkFact::Queued => self.note(now, at, both, (PacketEvent::Queued, None)),
            LinkFact::Left(sojourn) => {
                self.note_mark(now, at, packet, store);
                self.note(now, at, both, (PacketEvent::Left, None));
                if let Some(queues) = &mut self.queues {
                    queues.on_left(now, link, sojourn);
                }
            }
            LinkFact::Delivered => {
                self.note_mark(now, at, packet, store);
                self.note(now, at, both, (PacketEvent::Delivered, None));
            }
            LinkFact::Dropped(reason) => {
                self.on_ack_fact((now, link), packet, store, fact);
                self.note(now, at, both, (PacketEvent::Dropped, Some(reason)));
            }
            LinkFact::Held | LinkFact::Released(_) => {
                self.on_ack_fact((now, link), packet, store, fact);
            }
        }
    }

    fn on_copied(&mut self, of: PacketId, copy: PacketId) {
        let original = self.under_way[of.0 as usize];
        self.enter(copy, original);
    }

    #[inline]
    fn on_transport(&mut self, now: Instant, host: usize, stimulus: Stimulus, is: &impl Transport) {
        if let Some(log) = &mut self.reports {
            log.on_transport(host, is);
        }
        self.compare(now, host, stimulus, is);
    }

    fn touched(&mut self, flow: usize) -> bool {
        std::mem::take(&mut self.touched[flow])
    }

    fn on_ppdu(&mut self, medium: u32, ppdu: &Ppdu) {
        if let Some(log) = &mut self.ppdus
            && self.within.touches(ppdu.start, ppdu.end)
        {
            log.push(PpduRecord {
                medium,
                ppdu: *ppdu,
            });
        }
    }

    fn on_frames(&mut self, medium: u32, ppdu: &Ppdu, frames: Frames<'_>) {
        if let Some(log) = &mut self.frames
            && self.within.touches(ppdu.start, ppdu.end)
        {
            log.note(medium, ppdu, frames);
        }
    }

    fn delay(&self, flow: usize) -> Option<(u64, f64)> {
        self.delays.as_ref()?.latest(flow)
    }

    fn sojourn(&mut self, link: usize, now: Instant) -> Option<Span> {
        self.queues.as_mut()?.latest(link, now)
    }

    fn flow_delays(&mut self, flow: usize) -> Option<DelaySummary> {
        self.delays.as_mut()?.summary(flow)
    }

    fn ack_delay(&mut self, flow: usize) -> Option<Span> {
        let q = &self.ack_delays[flow];
        (q.count() > 0).then(|| q.mean())
    }

    fn sojourns(&mut self, link: usize) -> Option<Distribution> {
        self.queues.as_mut()?.summary(link)
    }

    fn records(self) -> Records {
        let mut packets = self.packets.map(|log| log.packets).unwrap_or_default();
        packets.finish(self.end);
        Records {
            events: self.events.map(EventLog::finish).unwrap_or_default(),
            acks: self
                .acks
                .map(|log| log.finish(self.end))
                .unwrap_or_default(),
            reports: self.reports.map(ReportLog::finish).unwrap_or_default(),
            packets,
            ppdus: self
                .ppdus
                .map_or(Vec::new(), |log| log.iter().copied().collect()),
            frames: self.frames.unwrap_or_default(),
        }
    }
}
