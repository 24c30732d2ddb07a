//! Frames on their way to the air, and what each reserves beyond itself.

use super::{Event, Medium, Ppdu, PpduKind, StationId, Use};
use crate::wifi::mac::{Content, MpduRef, Psdu, sizes};
use crate::wifi::phy::Mode;
use acklab_units::{Instant, Span};

/// A frame about to be sent.
struct Frame {
    kind: PpduKind,
    from: StationId,
    to: StationId,
    mode: Mode,
    bytes: u32,
    mpdus: u16,
    /// How long the exchange lasts beyond it.
    reserves: Span,
    use_of: Use,
}

impl Medium {
    pub(super) fn send_rts(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (to, mode) = (port.to, self.phy.response_mode(exchange.mode));
        // Who hears nothing of what was announced need not wait for its end (10.3.2.4).
        let cts = self.phy.duration(mode, sizes::CTS);
        let reserves = self.phy.sifs() * 2 + cts + self.phy.slot() * 2;
        self.put_on_air(
            now,
            holder,
            Frame {
                kind: PpduKind::Rts,
                from: holder,
                to,
                mode,
                bytes: sizes::RTS,
                mpdus: 0,
                reserves,
                use_of: Use::Control,
            },
        );
    }

    pub(super) fn send_cts(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let mode = self.phy.response_mode(exchange.mode);
        let bytes = self.stations[usize::from(holder.0)].psdu.bytes;
        let data = self.phy.duration(exchange.mode, bytes);
        let answer = self.response_time(exchange.mode, port.config.aggregation.window);
        let reserves = self.phy.sifs() * 2 + data + answer;
        self.put_on_air(
            now,
            holder,
            Frame {
                kind: PpduKind::Cts,
                from: port.to,
                to: holder,
                mode,
                bytes: sizes::CTS,
                mpdus: 0,
                reserves,
                use_of: Use::Control,
            },
        );
    }

    pub(super) fn send_data(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let (from, to) = (port.from, port.to);
        let psdu = &self.stations[usize::from(from.0)].psdu;
        let (kind, mode) = match psdu.content {
            Content::Bar(_) => (
                PpduKind::BlockAckRequest,
                self.phy.response_mode(exchange.mode),
            ),
            Content::Single | Content::Ampdu => (PpduKind::Data, exchange.mode),
        };
        let mpdus = psdu.mpdus.len();
        let (_, answer_bytes) = answer_to(psdu.content, port.config.aggregation.window);
        let answer = self
            .phy
            .duration(self.phy.response_mode(mode), answer_bytes);
        let use_of = match psdu.content {
            Content::Bar(_) => Use::Control,
            _ if is_acks_only(psdu) => Use::TransportAck,
            _ => Use::Data,
        };
        let frame = Frame {
            kind,
            from,
            to,
            mode,
            bytes: psdu.bytes,
            mpdus: mpdus as u16,
            reserves: self.phy.sifs() + answer + self.config.propagation,
            use_of,
        };
        if mpdus > 0 {
            let retries = psdu.mpdus.iter().filter(|m| m.retries > 0).count();
            self.stats[usize::from(from.0)].on_data(mpdus, retries);
        }
        self.put_on_air(now, holder, frame);
    }

    pub(super) fn send_response(&mut self, now: Instant, holder: StationId) {
        let exchange = self.exchange(holder);
        let port = &self.ports[exchange.port.0 as usize];
        let content = self.stations[usize::from(port.from.0)].psdu.content;
        let (kind, bytes) = answer_to(content, port.config.aggregation.window);
        let asked = match content {
            Content::Bar(_) => self.phy.response_mode(exchange.mode),
            Content::Single | Content::Ampdu => exchange.mode,
        };
        self.put_on_air(
            now,
            holder,
            Frame {
                kind,
                from: port.to,
                to: port.from,
                mode: self.phy.response_mode(asked),
                bytes,
                mpdus: 0,
                reserves: Span::ZERO,
                use_of: Use::MacAck,
            },
        );
    }

    fn put_on_air(&mut self, now: Instant, holder: StationId, frame: Frame) {
        let duration = self.phy.duration(frame.mode, frame.bytes) + self.config.propagation;
        let end = now + duration;
        let number = self.air.begin(
            Ppdu {
                kind: frame.kind,
                from: frame.from,
                to: frame.to,
                holder,
                mode: frame.mode,
                start: now,
                end,
                nav: end + frame.reserves,
                bytes: frame.bytes,
                mpdus: frame.mpdus,
                use_of: frame.use_of,
                garbled: false,
            },
            &mut self.contention,
        );
        self.latest = frame.use_of;
        self.calendar.enter(end, Event::PpduEnds(number));
    }
}

/// How data are answered, and with how many bytes.
fn answer_to(content: Content, window: u16) -> (PpduKind, u32) {
    match content {
        Content::Single => (PpduKind::Ack, sizes::ACK),
        Content::Ampdu | Content::Bar(_) => (PpduKind::BlockAck, sizes::block_ack(window)),
    }
}

/// Longest IP packet without payload: two headers of 20 bytes and 40 bytes of TCP options.
const LONGEST_ACK: u32 = 80;

/// Whether no packet is long enough to carry transport data.
fn is_acks_only(psdu: &Psdu) -> bool {
    let short = |m: &MpduRef| m.ip_bytes <= LONGEST_ACK * u32::from(m.msdus);
    psdu.mpdus.iter().all(short)
}
