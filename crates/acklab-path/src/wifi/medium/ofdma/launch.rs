//! Parts on their way to the air.

use super::super::delivery::Reading;
use super::super::frames::capturing;
use super::super::overlap::{Flight, Overlap, Part};
use super::super::{Event, Frames, Medium, MediumDriver, Ppdu, PpduKind, Use};
use super::AP;
use super::state::{Ofdma, Phase};
use crate::wifi::mac::Content;
use crate::wifi::mac::triggers::{TriggerKind, trigger};
use crate::wifi::phy::Mode;
use acklab_units::{Instant, Span};

/// The properties that all parts of a transmission share.
pub(super) struct Shape {
    pub kind: PpduKind,
    /// The access point sends them; otherwise their users do.
    pub down: bool,
    /// Everybody's mode; `None` = each on its resource unit.
    pub mode: Option<Mode>,
    /// In front of the data.
    pub preamble: Span,
    pub lasts: Span,
    /// How long the exchange goes on after it.
    pub reserves: Span,
    /// Bytes of each; `None` = those of its PSDU.
    pub bytes: Option<u32>,
}

impl Ofdma {
    /// Puts a part for each user on the air who takes part. Says whether there is one.
    pub(super) fn launch(&mut self, m: &mut Medium, now: Instant, shape: &Shape) -> bool {
        m.look_around(now);
        self.bundle += 1;
        let users = self.active().iter().filter(|u| u.takes_part).count() as u16;
        let end = now + shape.lasts + m.config.propagation;
        self.body = now + shape.preamble;
        self.on_air = users;
        let mut number = 0;
        for i in 0..self.active {
            if !self.users[i].takes_part {
                continue;
            }
            self.launch_one(m, (i, number, users), (now, end), shape);
            number += 1;
        }
        users > 0
    }

    fn launch_one(
        &mut self,
        m: &mut Medium,
        (i, number, users): (usize, u16, u16),
        (now, end): (Instant, Instant),
        shape: &Shape,
    ) {
        let u = &mut self.users[i];
        u.heard = false;
        let (from, to) = match shape.down {
            true => (AP, u.station),
            false => (u.station, AP),
        };
        let data = shape.kind == PpduKind::Data && !u.psdu.mpdus.is_empty();
        let kind = match (shape.kind, u.psdu.content) {
            (PpduKind::Data, Content::Bar(_)) if !u.psdu.is_empty() => PpduKind::BlockAckRequest,
            (PpduKind::Data, _) if !data => PpduKind::BufferStatus,
            (kind, _) => kind,
        };
        let use_of = match kind {
            PpduKind::Data => u.use_of,
            PpduKind::BlockAck | PpduKind::MultiBlockAck => Use::MacAck,
            _ => Use::Control,
        };
        let ppdu = Ppdu {
            kind,
            from,
            to,
            holder: AP,
            category: u.category,
            mode: shape.mode.unwrap_or(u.mode),
            start: now,
            end,
            nav: end + shape.reserves,
            bytes: shape.bytes.unwrap_or(u.bytes),
            mpdus: if data { u.psdu.mpdus.len() as u16 } else { 0 },
            carried: 0,
            user: number,
            users,
            use_of,
            garbled: false,
            mpdus_spoilt: 0,
            spoilt: Span::ZERO,
            lost: false,
        };
        let unheard = !m.air.is_heard(from, to) || m.is_spread_thin(now, &ppdu);
        let body = self.body;
        u.reading = Reading::from(body);
        let first = data.then(|| self.end_of_next(m, i, end)).flatten();
        let part = Part {
            bundle: self.bundle,
            unit: self.users[i].unit,
        };
        self.users[i].number = number;
        let flight = Flight {
            ppdu,
            body,
            first: first.unwrap_or(end),
            unheard,
            overlap: Overlap::default(),
            part,
        };
        let parted = flight.is_parted() && !unheard;
        let on_air = m.launch(flight);
        if let (true, Some(at)) = (parted, first) {
            m.calendar.enter(at, Event::MpduEnds(on_air));
        }
    }

    /// A part has left the air.
    pub(super) fn on_part_end<D: MediumDriver>(
        &mut self,
        m: &mut Medium,
        now: Instant,
        (number, mut flight): (u32, Flight),
        driver: &mut D,
    ) {
        let captures = capturing(now, m.channel.as_ref(), m.capture);
        let ended = (&flight.ppdu, flight.part);
        m.air.end(number, ended, &mut m.contention, captures);
        let i = self.user_of(flight.ppdu.user);
        let heard = !flight.unheard;
        let read = heard && !flight.ppdu.garbled && self.read(m, now, i, &flight);
        if flight.ppdu.garbled || flight.overlap.is_any() {
            flight.ppdu.garbled |= !read;
            if flight.ppdu.kind == PpduKind::Data {
                flight.ppdu.mpdus_spoilt = self.users[i].reading.spoilt_of(flight.ppdu.mpdus);
            }
            (flight.ppdu.spoilt, _) = flight.spent(now);
        }
        flight.ppdu.lost |= !(read || flight.ppdu.garbled);
        self.users[i].heard = read;
        self.book(m, i, &flight);
        if D::WATCHES {
            driver.on_frames(&flight.ppdu, self.frames(m, i, &flight.ppdu));
        }
        driver.on_ppdu(&flight.ppdu);
        self.on_air -= 1;
        if self.on_air == 0 {
            self.after(m, now, driver);
        }
    }

    /// The user of part number `number` of what is on the air.
    pub(super) fn user_of(&self, number: u16) -> usize {
        let mut all = self.active().iter();
        let found = all.position(|u| u.takes_part && u.number == number);
        found.expect("a part has a user")
    }

    fn book(&mut self, m: &mut Medium, i: usize, flight: &Flight) {
        let ppdu = &flight.ppdu;
        let span = flight.share(ppdu.end - ppdu.start);
        let mut what = ppdu.use_of;
        if ppdu.lost {
            what = Use::Noise;
            if ppdu.users == 1 {
                m.account.correct(ppdu.start, ppdu.use_of, what);
            }
        }
        let spoilt = flight.share(ppdu.spoilt).min(span);
        let sent = &mut m.stats[usize::from(ppdu.from.0)].sent;
        sent.spend(Use::Collision, spoilt);
        sent.spend(what, span - spoilt);
        if ppdu.kind == PpduKind::Data {
            let port = self.users[i].port;
            m.ports[port.0 as usize].airtime += span;
        }
    }

    /// The content of a part that has just ended.
    fn frames<'a>(&'a self, m: &Medium, i: usize, ppdu: &Ppdu) -> Frames<'a> {
        let u = &self.users[i];
        match (ppdu.kind, self.phase) {
            (PpduKind::Data, _) => Frames::Mpdus(&u.psdu.mpdus, u.reading.spoilt),
            (PpduKind::BlockAck, _) => {
                let recipient = &m.ports[u.port.0 as usize].recipients[usize::from(u.category)];
                let (start, bitmap) = recipient.block_ack();
                Frames::BlockAck(start, bitmap)
            }
            (PpduKind::BlockAckRequest, _) => Frames::Request(u.requests_from()),
            (PpduKind::Trigger, Phase::Poll) => Frames::Trigger(TriggerKind::BufferStatus),
            (PpduKind::Trigger, Phase::DownTrigger) => Frames::Trigger(TriggerKind::BlockAcks),
            (PpduKind::Trigger, _) => Frames::Trigger(TriggerKind::Basic),
            _ => Frames::Control,
        }
    }

    /// How a Trigger frame for those in the exchange is sent, and its bytes. Random-access resource units of one size that lie
    /// side by side share a User Info field.
    pub(super) fn trigger(&self, m: &Medium, kind: TriggerKind) -> (Mode, u32) {
        let own = self.active().iter().filter(|u| !u.random).count() as u32;
        let fields = own + u32::from(self.random_units.1 > 0);
        (
            self.common_mode(m, |(_, rts)| rts),
            trigger(kind, fields, 0),
        )
    }

    /// Sends that.
    pub(super) fn send_trigger(
        &mut self,
        m: &mut Medium,
        now: Instant,
        kind: TriggerKind,
        reserves: Span,
    ) {
        for u in self.active_mut() {
            u.takes_part = true;
        }
        let (mode, bytes) = self.trigger(m, kind);
        let (preamble, lasts) = plain(m, mode, bytes);
        let shape = Shape {
            kind: PpduKind::Trigger,
            down: true,
            mode: Some(mode),
            preamble,
            lasts,
            reserves,
            bytes: Some(bytes),
        };
        self.launch(m, now, &shape);
    }

    /// Most spatial streams of those in the exchange.
    pub(super) fn streams(&self) -> u8 {
        let streams = self.active().iter().map(|u| u.mode.streams());
        streams.max().unwrap_or(1)
    }

    /// The largest block ack window of those in the exchange.
    pub(super) fn window(&self, m: &Medium) -> u16 {
        let windows = self.active().iter().map(|u| {
            let port = &m.ports[u.port.0 as usize];
            port.config.aggregation.window
        });
        windows.max().unwrap_or(64)
    }

    /// The mode in which everybody in the exchange reads frames that are not on resource units: that of the
    /// slowest, by `mode_of`.
    pub(super) fn common_mode(&self, m: &Medium, mode_of: impl Fn(StationModes) -> Mode) -> Mode {
        let modes = self.active().iter().filter(|u| u.takes_part).map(|u| {
            let sending = &m.ports[u.port.0 as usize].sending;
            mode_of((sending.control, sending.rts_mode))
        });
        let slowest = modes.min_by_key(|mode| mode.rate());
        slowest.unwrap_or(m.phy.slowest())
    }
}

/// How answers to a station's data are sent, and RTSs for them.
type StationModes = (Mode, Mode);

/// In front of the data of a PPDU in `mode` that is not of several users, and how long that lasts with `bytes`.
pub(super) fn plain(m: &Medium, mode: Mode, bytes: u32) -> (Span, Span) {
    (m.phy.preamble(mode), m.phy.duration(mode, bytes))
}
