//! Opening: HELLO, ACCEPT, and an IACK that confirms.

use super::{State, TackEndpoint};
use crate::datagram::Datagram;
use crate::endpoint::Event;
use crate::rng::{RngCore, stream};
use crate::tack::config::Taming;
use crate::tack::receiver::{micros, span_micros};
use crate::tack::wire::{Accept, Frame, Hello, Offer};
use acklab_units::{Instant, Span};

/// HELLOs or ACCEPTs without an answer before the connection is given up.
const MOST_TRIES: u32 = 7;
/// Bytes of payload that a peer must take. One that asks for crumbs would have this end keep a record of
/// each, and send a header for each.
const LEAST_MSS: u32 = 256;
/// A HELLO is as long as the ACCEPT that it asks for, so that nobody multiplies traffic with a
/// forged address: echo and hold, and what larger numbers in the answer may take.
const HELLO_PADDING: usize = 8 + 24;

/// State of an opening connection.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// Our first PKT.SEQ.
    pub first_number: u64,
    due: bool,
    tries: u32,
    timer: Option<Instant>,
    /// When the latest HELLO or ACCEPT left.
    sent_at: Instant,
    /// The HELLO to be answered, and when it came.
    hello: Option<(Hello, Instant)>,
    /// The RTT of the handshake was measured.
    timed: bool,
}

impl Handshake {
    pub fn new(seed: u64) -> Self {
        // Not zero: a gap below the first number has a number on either side.
        let first = stream(seed, "tack/first").next_u64() & 0x7fff_ffff;
        Self {
            first_number: first + 1,
            due: false,
            tries: 0,
            timer: None,
            sent_at: Instant::ZERO,
            hello: None,
            timed: false,
        }
    }

    pub const fn next_timeout(&self) -> Option<Instant> {
        self.timer
    }
}

impl TackEndpoint {
    /// This end's offer.
    fn offer(&self) -> Offer {
        let t = &self.cfg.taming;
        Offer {
            first_number: self.handshake.first_number,
            window: self.cfg.recv_buffer,
            mss: u16::try_from(self.cfg.mss).unwrap_or(u16::MAX),
            beta: u8::try_from(t.beta).unwrap_or(u8::MAX),
            packets: u8::try_from(t.packets).unwrap_or(u8::MAX),
            shortest: span_micros(t.shortest),
            longest: span_micros(t.longest),
            ecn: self.cfg.ecn,
        }
    }

    /// Settles the common values: the more frequent of two wishes, within the narrower bounds, so
    /// that neither gets less feedback than it asks for.
    fn agree(&mut self, now: Instant, theirs: &Offer) {
        let own = self.cfg.taming;
        let mss = self.cfg.mss.min(u32::from(theirs.mss).max(LEAST_MSS));
        let micros = |us: u32| Span::from_micros(u64::from(us));
        let taming = Taming {
            beta: own.beta.max(u16::from(theirs.beta)),
            packets: own.packets.min(u16::from(theirs.packets)),
            mss,
            shortest: own.shortest.max(micros(theirs.shortest)),
            longest: own.longest.min(micros(theirs.longest)),
            delayed: own.delayed,
            thin: own.thin,
        };
        let ecn = self.cfg.ecn && theirs.ecn;
        self.sender.agree(now, mss, taming, theirs.window, ecn);
        // The interval that the receiver keeps, and not Eq. 3's alone: 1 / f is what the window has to last.
        let shortest = taming.shortest.saturating_add(self.cfg.lateness);
        self.sender.tell_interval(shortest);
        self.receiver
            .agree(&self.cfg, theirs.first_number, taming, ecn);
    }

    fn take_handshake_rtt(&mut self, now: Instant, rtt: Span) {
        if self.handshake.timed || rtt.is_zero() {
            return;
        }
        self.handshake.timed = true;
        // Two late drivers measure two times: the peer's may be far off.
        let shared = self.cfg.lateness.is_zero();
        self.sender.handshake_rtt(now, rtt, shared);
        self.receiver.set_rtt(&self.cfg, rtt);
    }

    pub(super) fn say_hello(&mut self, _now: Instant) {
        if self.state == State::Idle {
            self.state = State::HelloSent;
            self.handshake.due = true;
        }
    }

    pub(super) fn on_hello(&mut self, now: Instant, hello: &Hello) {
        match self.state {
            State::Listen => {
                self.agree(now, &hello.offer);
                self.state = State::AcceptSent;
                self.handshake.hello = Some((*hello, now));
                self.handshake.due = true;
            }
            // The ACCEPT was lost, or is late.
            State::AcceptSent => {
                self.handshake.hello = Some((*hello, now));
                self.handshake.due = true;
            }
            _ => {}
        }
    }

    pub(super) fn on_accept(&mut self, now: Instant, accept: &Accept) {
        match self.state {
            State::HelloSent => {
                let elapsed = micros(now).wrapping_sub(accept.echo);
                let since_first = micros(now).wrapping_sub(micros(self.handshake.sent_at));
                // An answer to something else than a HELLO of ours has another stamp.
                let ours = elapsed >= since_first && elapsed < u32::MAX / 2;
                if !ours {
                    return;
                }
                self.agree(now, &accept.offer);
                self.enter_established();
                let rtt = elapsed.saturating_sub(accept.hold).max(1);
                self.take_handshake_rtt(now, Span::from_micros(u64::from(rtt)));
                self.receiver.confirm(now, accept.stamp);
            }
            // The confirmation was lost.
            State::Established => self.receiver.confirm(now, accept.stamp),
            _ => {}
        }
    }

    /// The active end knows that the connection is open: it says so, or sends something else.
    pub(super) fn on_confirmed(&mut self, now: Instant, echo: Option<(u32, u32)>) {
        if let Some((echo, hold)) = echo {
            let elapsed = micros(now).wrapping_sub(echo);
            let rtt = elapsed.saturating_sub(hold);
            if elapsed < u32::MAX / 2 {
                self.take_handshake_rtt(now, Span::from_micros(u64::from(rtt)));
            }
        } else if self.state == State::AcceptSent && self.handshake.tries == 1 {
            let rtt = now.saturating_since(self.handshake.sent_at);
            self.take_handshake_rtt(now, rtt);
        }
        if self.state == State::AcceptSent {
            self.enter_established();
        }
    }

    fn enter_established(&mut self) {
        self.state = State::Established;
        self.handshake.timer = None;
        self.handshake.due = false;
        self.pending.connected = true;
    }

    pub(super) fn handshake_timeout(&mut self, now: Instant) {
        if self.handshake.timer.is_none_or(|t| t > now) {
            return;
        }
        self.handshake.timer = None;
        if !matches!(self.state, State::HelloSent | State::AcceptSent) {
            return;
        }
        if self.handshake.tries >= MOST_TRIES {
            self.state = State::Broken;
            self.pending.end = Some(Event::TimedOut);
            return;
        }
        self.stats.rto_count += 1;
        self.handshake.due = true;
    }

    /// Bytes of frames in a HELLO of the required length.
    fn hello_room(&self) -> usize {
        let around = 1 + self.cfg.id_len as u32 + 8 + self.cfg.tag_len as u32;
        self.cfg.hello_len.saturating_sub(around) as usize
    }

    pub(super) fn poll_handshake(&mut self, now: Instant) -> Option<Datagram> {
        if !core::mem::take(&mut self.handshake.due) {
            return None;
        }
        let offer = self.offer();
        let stamp = micros(now);
        match self.state {
            State::HelloSent => {
                Frame::Hello(Hello { offer, stamp }).put(&mut self.frames);
                let len = self.frames.len() + HELLO_PADDING;
                self.frames.resize(len.max(self.hello_room()), 0);
            }
            State::AcceptSent => {
                let (hello, came) = self.handshake.hello?;
                let accept = Accept {
                    offer,
                    stamp,
                    echo: hello.stamp,
                    hold: span_micros(now.saturating_since(came)),
                };
                Frame::Accept(accept).put(&mut self.frames);
            }
            _ => return None,
        }
        self.stats.retrans_segs += u64::from(self.handshake.tries > 0);
        let wait = self.cfg.rtt.initial_rto * (1 << self.handshake.tries.min(6));
        self.handshake.tries += 1;
        self.handshake.sent_at = now;
        self.handshake.timer = Some(now.saturating_add(wait.min(self.cfg.rtt.max_rto)));
        Some(self.feedback_packet(8))
    }
}
