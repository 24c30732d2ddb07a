//! One end of a TACK connection: handshake, both halves, and closing.
//!
//! The paper runs inside TCP and takes its handshake and its closing from there (section 5.4). This
//! end has its own: HELLO, ACCEPT and a confirming IACK open; each direction ends with a flag on its
//! last packet (so one can end before the other); CLOSE spares the peer its wait; RESET breaks off.

mod arrival;
mod closing;
mod handshake;
#[cfg(test)]
mod tests;

use super::config::TackConfig;
use super::receiver::Receiver;
use super::sender::{Outgoing, Sender};
use super::wire::{Frame, Header, Packet, ResetCode, Space, number_len};
use crate::ack::AckReason;
use crate::cc::CongestionControl;
use crate::datagram::Datagram;
use crate::endpoint::{Endpoint, Event, Pending};
use crate::segment::Ecn;
use crate::stats::{Snapshot, Stats};
use crate::transport::{Condition, Estimates, Socket, Transport};
use acklab_units::Instant;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use handshake::Handshake;

pub use crate::tcp::Role;

/// Bytes of a feedback number on the wire. Nothing acknowledges feedback, so that a long silence of
/// its path must not make the numbers ambiguous.
const FEEDBACK_NUMBER: u8 = 4;

/// The states of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not opened.
    Idle,
    /// Waits for a HELLO.
    Listen,
    /// A HELLO left.
    HelloSent,
    /// An ACCEPT left.
    AcceptSent,
    /// Both ends know each other.
    Established,
    /// Everything was exchanged; late questions of the peer are still answered.
    Lingering,
    /// Over, in good order.
    Closed,
    /// Over, broken off.
    Broken,
}

/// One end of a connection.
#[derive(Debug)]
pub struct TackEndpoint {
    cfg: Arc<TackConfig>,
    state: State,
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    /// The number of the next packet of feedback.
    feedback: u64,
    /// Control frames of the packet that left last.
    frames: Vec<u8>,
    stats: Stats,
    pending: Pending,
    linger_until: Option<Instant>,
    close_due: bool,
    reset_due: Option<ResetCode>,
}

impl TackEndpoint {
    /// An end that is idle (`Active`, until it is opened) or listens (`Passive`). `seed` decides its
    /// first packet number and which numbers it skips.
    pub fn new(
        role: Role,
        cfg: Arc<TackConfig>,
        cc: Box<dyn CongestionControl>,
        seed: u64,
    ) -> Self {
        let handshake = Handshake::new(seed);
        Self {
            sender: Sender::new(&cfg, cc, handshake.first_number, seed),
            receiver: Receiver::new(&cfg),
            state: match role {
                Role::Active => State::Idle,
                Role::Passive => State::Listen,
            },
            handshake,
            feedback: 0,
            frames: Vec::with_capacity(128),
            stats: Stats::default(),
            pending: Pending::default(),
            linger_until: None,
            close_due: false,
            reset_due: None,
            cfg,
        }
    }

    /// The connection's state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The receiving half.
    pub const fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// The sending half.
    pub const fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Whether the application has more to send and found no room for it. It is then not the
    /// application that limits the sender. For a caller that keeps the send buffer itself, and hands over
    /// only bytes that have room.
    pub const fn application_waits(&mut self, waits: bool) {
        self.sender.application_waits(waits);
    }

    /// The receive buffer has another size from now on, such as once an application has accepted the
    /// connection.
    pub fn set_recv_buffer(&mut self, bytes: u64) {
        let known = !matches!(self.state, State::Idle | State::Listen);
        self.receiver.set_buffer(bytes, known);
    }

    /// Full packets have so much payload from now on, as far as both ends take it: the driver has found out
    /// what the path carries. `anew`: what is not acknowledged is sent in such packets, too.
    pub fn set_mss(&mut self, mss: u32, anew: bool) {
        self.sender.set_mss(mss);
        if anew {
            self.sender.go_back();
        }
    }

    /// Breaks the connection off.
    pub fn abort(&mut self) {
        let known = !matches!(
            self.state,
            State::Idle | State::Listen | State::Closed | State::Broken
        );
        self.reset_due = known.then_some(ResetCode::Aborted);
        self.state = State::Broken;
    }

    /// Expected form of the next packets, for decoding them.
    pub fn shape(&self) -> super::wire::Shape {
        super::wire::Shape {
            id_len: self.cfg.id_len,
            tag_len: self.cfg.tag_len,
            next_data: self.receiver.next_number(),
            next_feedback: self.sender.next_feedback(),
            next_seq: self.receiver.next(),
        }
    }

    const fn is_up(&self) -> bool {
        matches!(self.state, State::Established | State::Lingering)
    }

    /// A packet of feedback with the frames that were written.
    fn feedback_packet(&mut self, number_len: u8) -> Datagram {
        let number = self.feedback;
        self.feedback += 1;
        self.stats.segs_out += 1;
        Datagram::Tack(Packet {
            header: self.header(number, number_len, Space::Feedback),
            control: self.frames.len() as u16,
            data: None,
            ecn: Ecn::NotEct,
        })
    }

    fn header(&self, number: u64, number_len: u8, space: Space) -> Header {
        Header {
            number,
            number_len,
            space,
            id_len: self.cfg.id_len,
            tag_len: self.cfg.tag_len,
        }
    }

    fn data_packet(&mut self, out: &Outgoing) -> Datagram {
        if out.data.is_none() {
            Frame::Ping.put(&mut self.frames);
        }
        let bytes = number_len(out.number, out.known);
        Datagram::Tack(Packet {
            header: self.header(out.number, bytes, Space::Data),
            control: self.frames.len() as u16,
            data: out.data,
            ecn: if out.ect { Ecn::Ect0 } else { Ecn::NotEct },
        })
    }

    /// Feedback that is due now: IACKs, the TACK, and a SYNC with them.
    fn poll_feedback(&mut self, now: Instant) -> Option<Datagram> {
        let why = self.receiver.feedback(now, &self.cfg, &mut self.frames);
        if self.sender.sync_due()
            && let Some(sync) = self.sender.take_sync(now)
        {
            Frame::Sync(sync).put(&mut self.frames);
        }
        if self.frames.is_empty() {
            return None;
        }
        if why.is_some() {
            self.stats.acks_out += 1;
            self.stats.iacks_out = self.receiver.iacks();
        }
        Some(self.feedback_packet(FEEDBACK_NUMBER))
    }
}

impl Endpoint for TackEndpoint {
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        self.on_datagram_with(now, datagram, &[]);
    }

    fn on_datagram_with(&mut self, now: Instant, datagram: &Datagram, attachment: &[u8]) {
        if let Datagram::Tack(packet) = datagram {
            self.stats.segs_in += 1;
            self.arrive(now, packet, attachment);
            self.settle(now);
        }
    }

    fn attachment(&self) -> &[u8] {
        &self.frames
    }

    fn on_timeout(&mut self, now: Instant) {
        self.handshake_timeout(now);
        if self.linger_until.is_some_and(|t| t <= now) {
            self.linger_until = None;
            self.state = State::Closed;
        }
        if self.is_up() {
            self.sender.on_timeout(now, &self.cfg, &mut self.stats);
            self.settle(now);
        }
    }

    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        self.frames.clear();
        if let Some(out) = self.poll_last_words() {
            return Some(out);
        }
        if let Some(out) = self.poll_handshake(now) {
            return Some(out);
        }
        if !self.is_up() {
            return None;
        }
        if let Some(out) = self.poll_feedback(now) {
            return Some(out);
        }
        let out = self.sender.poll_transmit(now, &self.cfg, &mut self.stats)?;
        Some(self.data_packet(&out))
    }

    fn next_timeout(&self) -> Option<Instant> {
        match self.state {
            State::HelloSent | State::AcceptSent => self.handshake.next_timeout(),
            State::Established => {
                Instant::earliest(self.sender.next_timeout(), self.receiver.next_timeout())
            }
            State::Lingering => Instant::earliest(self.linger_until, self.receiver.next_timeout()),
            State::Idle | State::Listen | State::Closed | State::Broken => None,
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.pending.poll()
    }
}

impl Socket for TackEndpoint {
    fn write(&mut self, bytes: u64) -> u64 {
        if matches!(self.state, State::Lingering | State::Closed | State::Broken) {
            return 0;
        }
        self.sender.write(&self.cfg, bytes)
    }

    fn read(&mut self, _now: Instant, max: u64) -> u64 {
        self.receiver.read(max)
    }

    fn close(&mut self, _now: Instant) {
        self.finish_writing();
    }
}

impl Transport for TackEndpoint {
    fn open(&mut self, now: Instant) {
        self.say_hello(now);
    }

    fn cwnd(&self) -> u64 {
        self.sender.cwnd()
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn ack_due(&self) -> Option<AckReason> {
        self.receiver.due().map(|d| d.1).filter(|_| self.is_up())
    }

    fn condition(&self) -> Condition {
        Condition {
            stats: self.stats,
            state: self.sender.controller().state(),
            phase: self.sender.phase(),
        }
    }

    fn estimates(&self) -> Option<Estimates> {
        Some(self.receiver.estimates())
    }

    fn snapshot(&self) -> Snapshot {
        self.sender.snapshot(&self.cfg)
    }
}
