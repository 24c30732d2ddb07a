//! Frames on their way to the air, and what each reserves beyond itself.

use super::overlap::{Flight, Overlap, Part};
use super::station::Port;
use super::{Capture, Event, Medium, MediumDriver, Ppdu, PpduKind, StationId, Use};
use crate::wifi::agreement::{self, Action};
use crate::wifi::mac::sizes::Assembly;
use crate::wifi::mac::{Content, PeerId, sizes};
use crate::wifi::phy::{ErrorModel, Mode, Width};
use crate::wifi::propagation::Channel;
use acklab_units::{Instant, Span};

/// A frame about to be sent.
pub(super) struct Frame {
    pub kind: PpduKind,
    pub from: StationId,
    pub to: StationId,
    pub mode: Mode,
    pub lasts: Span,
    pub bytes: u32,
    pub mpdus: u16,
    pub carried: u16,
    /// How long the exchange goes on after it.
    pub reserves: Span,
    pub use_of: Use,
}

impl Frame {
    /// A control frame; what it reserves and how long it is, is to be filled in.
    pub fn control(kind: PpduKind, from: StationId, to: StationId, mode: Mode) -> Self {
        Self {
            kind,
            from,
            to,
            mode,
            lasts: Span::ZERO,
            bytes: 0,
            mpdus: 0,
            carried: 0,
            reserves: Span::ZERO,
            use_of: Use::Control,
        }
    }
}

impl Medium {
    pub(super) fn send_rts(&mut self, now: Instant, holder: StationId) {
        let port = self.port(holder);
        let sending = &port.sending;
        // The CTS, the data, their answer, and a SIFS before each (9.3.1.2).
        let hop = self.phy.sifs() + self.config.propagation;
        let reserves = hop + sending.cts + self.after_cts(holder);
        // NAVTimeout: two SIFS, the CTS, aRxPHYStartDelay and two slots (10.3.2.4).
        let timeout = self.phy.sifs() + sending.cts + self.phy.slot() + sending.cts_timeout;
        let frame = Frame {
            lasts: sending.rts,
            bytes: sizes::RTS,
            reserves,
            ..Frame::control(PpduKind::Rts, holder, port.to, sending.rts_mode)
        };
        let end = self.put_on_air(now, holder, frame);
        let overdue = Event::NavTimeout(holder.0, end, end + reserves);
        self.calendar.enter(end + timeout, overdue);
    }

    /// The time that follows a CTS: data and answer, and a SIFS before each.
    fn after_cts(&self, holder: StationId) -> Span {
        let sending = &self.port(holder).sending;
        let psdu = &self.stations[usize::from(holder.0)].psdu;
        let hop = self.phy.sifs() + self.config.propagation;
        hop * 2 + sending.data(psdu.content, psdu.bytes) + sending.reserved_answer(psdu.content)
    }

    pub(super) fn send_cts(&mut self, now: Instant, holder: StationId) {
        let port = self.port(holder);
        let sending = &port.sending;
        let frame = Frame {
            lasts: sending.cts,
            bytes: sizes::CTS,
            reserves: self.after_cts(holder),
            ..Frame::control(PpduKind::Cts, port.to, holder, sending.cts_mode)
        };
        self.put_on_air(now, holder, frame);
    }

    /// The protection before the PSDU of `holder`, which makes everybody leave the air to it, and how long that lasts.
    pub(super) fn protection(&self, holder: StationId) -> Option<(Mode, Span)> {
        let port = self.exchange(holder).port;
        let sending = &self.ports[port.0 as usize].sending;
        let protection = sending.protection(self.stations[usize::from(holder.0)].psdu.content);
        protection.filter(|_| !self.is_for_all(port))
    }

    #[cold]
    pub(super) fn send_cts_to_self(
        &mut self,
        now: Instant,
        holder: StationId,
        (mode, lasts): (Mode, Span),
    ) {
        let frame = Frame {
            lasts,
            bytes: sizes::CTS,
            reserves: self.after_cts(holder),
            ..Frame::control(PpduKind::CtsToSelf, holder, self.port(holder).to, mode)
        };
        self.put_on_air(now, holder, frame);
    }

    pub(super) fn send_data<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &D,
    ) {
        if self.is_for_all(self.exchange(holder).port) {
            return self.send_to_all(now, holder);
        }
        let port = self.port(holder);
        let (from, to, sending) = (port.from, port.to, &port.sending);
        let psdu = &self.stations[usize::from(from.0)].psdu;
        let (kind, mode, use_of) = match psdu.content {
            Content::Bar(_) => (PpduKind::BlockAckRequest, sending.control, Use::Control),
            Content::Action(action) => (of_action(action), sending.action.mode, Use::Control),
            _ => (
                PpduKind::Data,
                sending.mode,
                self.use_of_data(holder, driver),
            ),
        };
        let mpdus = psdu.mpdus.len();
        let promises = port.config.carries_acks.is_some() && {
            let station = &self.stations[usize::from(from.0)];
            let category = usize::from(self.exchange(holder).category);
            let queue = &station.categories[category].queue;
            queue.has_more_than(PeerId(port.peer), psdu)
        };
        let answer = sending.reserved_answer(psdu.content) + self.config.propagation;
        let frame = Frame {
            lasts: sending.data(psdu.content, psdu.bytes),
            bytes: psdu.bytes,
            mpdus: mpdus as u16,
            reserves: self.phy.sifs() + answer,
            use_of,
            ..Frame::control(kind, from, to, mode)
        };
        if mpdus > 0 {
            let retries = psdu.mpdus.iter().filter(|m| m.repeated).count();
            self.stats[usize::from(from.0)].on_data(mpdus, retries);
        }
        self.stations[usize::from(from.0)].promises_more = promises;
        if frame.use_of == Use::TransportAck {
            self.book_feedback(holder, frame.lasts + self.config.propagation);
        }
        self.put_on_air(now, holder, frame);
    }

    #[inline(always)]
    pub(super) fn send_response<D: MediumDriver>(
        &mut self,
        now: Instant,
        holder: StationId,
        driver: &mut D,
    ) {
        let port = self.port(holder);
        let content = self.stations[usize::from(port.from.0)].psdu.content;
        if let Content::Action(_) = content {
            return self.acknowledge_action(now, holder);
        }
        let carried = self.board(now, holder, driver);
        let port = self.port(holder);
        let (kind, bytes) = answer_to(content, port.config.aggregation.window);
        let each = port.config.carries_acks.map_or(0, |c| c.bytes);
        let bytes = bytes + u32::from(carried) * each;
        let frame = Frame {
            lasts: port.sending.answer_of(bytes),
            bytes,
            carried,
            use_of: Use::MacAck,
            ..Frame::control(kind, port.to, port.from, port.sending.control)
        };
        self.put_on_air(now, holder, frame);
    }

    /// When it ends.
    pub(super) fn put_on_air(&mut self, now: Instant, holder: StationId, frame: Frame) -> Instant {
        self.look_around(now);
        let end = now + frame.lasts + self.config.propagation;
        let ppdu = Ppdu {
            kind: frame.kind,
            from: frame.from,
            to: frame.to,
            holder,
            category: self.exchange(holder).category,
            mode: frame.mode,
            start: now,
            end,
            nav: end + frame.reserves,
            bytes: frame.bytes,
            mpdus: frame.mpdus,
            carried: frame.carried,
            user: 0,
            users: 1,
            use_of: frame.use_of,
            garbled: false,
            mpdus_spoilt: 0,
            spoilt: Span::ZERO,
            lost: false,
        };
        let body = now + self.phy.preamble(ppdu.mode);
        let first = self.end_of_first(&ppdu).unwrap_or(end);
        let unheard = !self.air.is_heard(ppdu.from, ppdu.to) || self.is_spread_thin(now, &ppdu);
        let flight = Flight {
            ppdu,
            body,
            first,
            unheard,
            overlap: Overlap::default(),
            part: Part::WHOLE,
        };
        let number = self.launch(flight);
        if matches!(frame.kind, PpduKind::Data | PpduKind::Group) {
            self.begin_reading(number);
        }
        end
    }

    /// Puts `flight` on the air: its number there.
    #[inline(always)]
    pub(super) fn launch(&mut self, flight: Flight) -> u32 {
        let Ppdu { start, end, .. } = flight.ppdu;
        let captures = capturing(start, self.channel.as_ref(), self.capture);
        let number = self.air.begin(flight, &mut self.contention, captures);
        self.calendar.enter(end, Event::PpduEnds(number));
        number
    }

    /// Whether too little of `ppdu`, which is wider than 20 MHz, falls into the primary channel for its
    /// addressee to notice the preamble there (21.3.18.5). Carrier sense is about 20 MHz.
    pub(super) fn is_spread_thin(&self, now: Instant, ppdu: &Ppdu) -> bool {
        if ppdu.mode.width() == Width::Mhz20 || self.config.hears.is_some() {
            return false;
        }
        let (from, to) = (usize::from(ppdu.from.0), usize::from(ppdu.to.0));
        let channel = self.channel.as_ref();
        channel.is_some_and(|c| !c.hears(now, from, to, ppdu.mode))
    }

    /// When the first MPDU of `ppdu` is over, if others follow.
    fn end_of_first(&self, ppdu: &Ppdu) -> Option<Instant> {
        let data = ppdu.kind == PpduKind::Data;
        data.then(|| self.end_of_next(ppdu, Assembly::default()))?
    }

    /// The way that the data of the exchange take.
    pub(super) fn port(&self, holder: StationId) -> &Port {
        &self.ports[self.exchange(holder).port.0 as usize]
    }
}

/// Whether the receiver of a PPDU reads it at `now` while others send as well.
pub(super) fn capturing(
    now: Instant,
    channel: Option<&Channel>,
    capture: Option<Capture>,
) -> impl Fn(&Ppdu, &[StationId]) -> bool {
    move |p, others| match (channel, capture) {
        (Some(channel), Some(capture)) => is_captured(now, channel, capture, p, others),
        _ => false,
    }
}

/// Whether the receiver of `p` reads it while `others` send as well.
fn is_captured(
    now: Instant,
    channel: &Channel,
    capture: Capture,
    p: &Ppdu,
    others: &[StationId],
) -> bool {
    /// The error target behind the threshold of a mode: MPDUs of so many bytes, and how many may be lost.
    const MPDU: (u32, f64) = (1500, 0.1);
    let (from, to) = (usize::from(p.from.0), usize::from(p.to.0));
    let others = others.iter().map(|s| usize::from(s.0));
    match capture {
        Capture::Ratio(db) => channel.over_others_db(now, from, to, others) >= db,
        Capture::AsModeNeeds => {
            let needed = ErrorModel::Snr.required_snr_db(p.mode, MPDU.0, MPDU.1);
            needed.is_some_and(|db| channel.mean_sinr_db(now, from, to, p.mode, others) >= db)
        }
    }
}

/// The kind of a PPDU with an ADDBA frame.
fn of_action(action: Action) -> PpduKind {
    match action.kind {
        agreement::Kind::Request => PpduKind::AddbaRequest,
        agreement::Kind::Response => PpduKind::AddbaResponse,
    }
}

/// How data are answered, and with how many bytes.
fn answer_to(content: Content, window: u16) -> (PpduKind, u32) {
    match content {
        Content::Single | Content::Action(_) => (PpduKind::Ack, sizes::ACK),
        Content::Ampdu | Content::Bar(_) => (PpduKind::BlockAck, sizes::block_ack(window)),
    }
}
