//! One end of a TCP connection: handshake, both halves, and closing (RFC 9293 section 3.10).

mod arrival;
mod build;
mod request;
mod state;
#[cfg(test)]
mod tests;

pub use state::{Role, State};

use super::asking::Asker;
use super::config::TcpConfig;
use super::half::SendingHalf;
use super::receiver::Receiver;
use crate::ack::{AckPolicy, AckReason};
use crate::cc::{CongestionControl, RecoveryPhase};
use crate::datagram::Datagram;
use crate::endpoint::{Endpoint, Event, Pending};
use crate::segment::{OptionLayout, Segment};
use crate::stats::{Snapshot, Stats};
use crate::transport::{Condition, Socket, Transport};
use acklab_units::{Instant, SeqNum, Span};
use alloc::boxed::Box;
use alloc::sync::Arc;

/// How long TIME-WAIT lasts (Linux `TCP_TIMEWAIT_LEN`; RFC 9293 asks for twice the maximum
/// segment lifetime).
const TIME_WAIT: Span = Span::from_secs(60);

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    cfg: Arc<TcpConfig>,
    role: Role,
    state: State,
    sender: SendingHalf,
    receiver: Receiver,
    /// Our initial sequence number.
    iss: SeqNum,
    /// The peer's, once its SYN arrived.
    irs: Option<SeqNum>,
    /// The shift of the peer's window fields.
    peer_shift: u8,
    /// Both SYNs carried the timestamps option (or ours will).
    timestamps: bool,
    /// Our SYN offers or accepts these.
    offer_scale: bool,
    offer_sack: bool,
    ecn: bool,
    /// The behaviours of the dialect that each packet needs.
    acks_before_data: bool,
    /// The ACK that ends the handshake is due, and leaves before data.
    ends_handshake: bool,
    option_layout: OptionLayout,
    stats: Stats,
    pending: Pending,
    time_wait: Option<Instant>,
    reset_pending: bool,
    /// The answer to a segment for a connection that does not exist.
    refusal: Option<Segment>,
    /// Asks the peer for another acknowledgement rate, if the policy wants that.
    asker: Option<Box<Asker>>,
    /// [`SendingHalf::released`] when room was last looked for.
    reported: u64,
}

impl Connection {
    /// An end that is closed (`Active`, until [`Connection::open`]) or listens (`Passive`).
    pub fn new(
        role: Role,
        cfg: Arc<TcpConfig>,
        cc: Box<dyn CongestionControl>,
        ack: Box<dyn AckPolicy>,
        isn: u32,
    ) -> Self {
        Self {
            asker: ack.asking().map(|rule| Box::new(Asker::new(rule))),
            sender: SendingHalf::new(&cfg, cc),
            receiver: Receiver::new(&cfg, ack),
            role,
            state: if role == Role::Active {
                State::Closed
            } else {
                State::Listen
            },
            iss: SeqNum(isn),
            irs: None,
            peer_shift: 0,
            timestamps: cfg.timestamps,
            offer_scale: cfg.window_scaling,
            offer_sack: cfg.sack,
            ecn: false,
            acks_before_data: cfg.dialect().acks_before_data,
            ends_handshake: false,
            option_layout: cfg.dialect().option_layout,
            stats: Stats::default(),
            pending: Pending::default(),
            time_wait: None,
            reset_pending: false,
            refusal: None,
            reported: 1,
            cfg,
        }
    }

    /// Starts the handshake (active end only).
    pub fn open(&mut self, _now: Instant) {
        if self.role == Role::Active && self.state == State::Closed {
            self.state = State::SynSent;
        }
    }

    /// Offers `bytes` to send; returns how many the send buffer took, zero after closing. If it
    /// took fewer, [`Event::Writable`] follows once acknowledgements have made room.
    pub fn write(&mut self, bytes: u64) -> u64 {
        if !self.state.may_write() || self.sender.closing() {
            return 0;
        }
        self.sender.write(&self.cfg, bytes)
    }

    /// Bytes handed over and not acknowledged yet.
    pub fn backlog(&self) -> u64 {
        self.sender.backlog()
    }

    /// Takes up to `max` bytes that arrived in order; returns how many there were.
    pub fn read(&mut self, now: Instant, max: u64) -> u64 {
        self.receiver.read(now, max)
    }

    /// Bytes that wait to be read.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Sends what was written, then FIN.
    pub fn close(&mut self, _now: Instant) {
        match self.state {
            // Data written before the handshake still go out; without it there is nothing
            // to open a connection for (RFC 9293 section 3.10.4).
            State::Closed | State::Listen => self.state = State::Closed,
            State::SynSent if self.sender.backlog() == 0 => self.state = State::Closed,
            State::SynSent | State::SynReceived | State::Established | State::CloseWait => {
                self.sender.close();
            }
            _ => {}
        }
    }

    /// Resets the connection.
    pub fn abort(&mut self) {
        if self.irs.is_some() && self.state != State::Closed {
            self.reset_pending = true;
        }
        self.state = State::Closed;
    }

    /// The connection's state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The congestion window in force, bytes.
    pub fn cwnd(&self) -> u64 {
        self.sender.cwnd_in_force()
    }

    /// When a timer was set that is due exactly `now`, if it matters whether it or a segment that
    /// arrives now comes first: in ns-3 what was scheduled earlier does.
    #[inline]
    pub fn tied_timer(&self, now: Instant) -> Option<Instant> {
        self.sender.tied_timer(now)
    }

    /// The sending half as it is now.
    pub fn snapshot(&self) -> Snapshot {
        self.sender.snapshot(&self.cfg)
    }

    /// The sending half's recovery state.
    pub fn phase(&self) -> RecoveryPhase {
        self.sender.phase()
    }

    /// Why an acknowledgement must leave now; `None` if none must.
    pub const fn ack_due(&self) -> Option<AckReason> {
        self.receiver.ack_pending()
    }

    /// The sending half's controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        self.sender.controller()
    }

    /// The configuration in force.
    pub fn config(&self) -> &TcpConfig {
        &self.cfg
    }

    /// After anything that may have changed what is acknowledged or sent.
    fn settle(&mut self, now: Instant) {
        if self.sender.gave_up() && self.state != State::Closed {
            self.state = State::Closed;
            self.pending.end = Some(Event::TimedOut);
        }
        if self.sender.released() > self.reported {
            self.reported = self.sender.released();
            self.pending.writable |= self.sender.wakes_writer(&self.cfg);
        }
        let next = self
            .state
            .after(self.sender.fin_sent(), self.sender.fin_acked());
        if next != self.state {
            self.enter(now, next);
        }
    }

    #[cold]
    fn enter(&mut self, now: Instant, next: State) {
        self.state = next;
        match next {
            State::Established => self.pending.connected = true,
            State::TimeWait => {
                self.time_wait = Some(now + TIME_WAIT);
                self.pending.end = Some(Event::Closed);
            }
            State::Closed => {
                self.pending.end.get_or_insert(Event::Closed);
            }
            _ => {}
        }
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        self.stats.segs_in += 1;
        self.arrive(now, segment);
        self.settle(now);
    }

    /// The next segment to put on the wire now, if any.
    pub fn poll_segment(&mut self, now: Instant) -> Option<Segment> {
        self.poll_transmit(now)?.tcp().copied()
    }
}

impl Endpoint for Connection {
    #[inline]
    fn on_datagram(&mut self, now: Instant, datagram: &Datagram) {
        if let Datagram::Tcp(segment) = datagram {
            self.on_segment(now, segment);
        }
    }

    fn on_timeout(&mut self, now: Instant) {
        if self.time_wait.is_some_and(|t| t <= now) {
            self.time_wait = None;
            self.state = State::Closed;
        }
        if matches!(self.state, State::Closed | State::TimeWait) {
            self.receiver.on_timeout(now);
            return;
        }
        self.sender.on_timeout(now, &self.cfg, &mut self.stats);
        self.receiver.on_timeout(now);
        self.settle(now);
    }

    #[inline]
    fn poll_transmit(&mut self, now: Instant) -> Option<Datagram> {
        let out = self.next_datagram(now);
        let room = self.sender.released() > self.reported;
        if room || (out.is_some() && self.sender.fin_sent()) {
            self.settle(now);
        }
        if out.is_none() && room && !self.pending.writable {
            // The sender has waited for a writer that has nothing more to write.
            return self.next_datagram(now);
        }
        out
    }

    fn next_timeout(&self) -> Option<Instant> {
        if self.state == State::Closed {
            return None;
        }
        // In TIME-WAIT the sending half has nothing left to do.
        let sender = match self.state {
            State::TimeWait => None,
            _ => self.sender.next_timeout(),
        };
        let receiver = Instant::earliest(self.receiver.next_timeout(), self.time_wait);
        Instant::earliest(sender, receiver)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.pending.poll()
    }
}

impl Socket for Connection {
    fn write(&mut self, bytes: u64) -> u64 {
        Self::write(self, bytes)
    }

    fn read(&mut self, now: Instant, max: u64) -> u64 {
        Self::read(self, now, max)
    }

    fn close(&mut self, now: Instant) {
        Self::close(self, now);
    }
}

impl Transport for Connection {
    fn open(&mut self, now: Instant) {
        Self::open(self, now);
    }

    fn cwnd(&self) -> u64 {
        Self::cwnd(self)
    }

    fn tied_timer(&self, now: Instant) -> Option<Instant> {
        Self::tied_timer(self, now)
    }

    fn stats(&self) -> &Stats {
        Self::stats(self)
    }

    fn ack_due(&self) -> Option<AckReason> {
        Self::ack_due(self)
    }

    fn condition(&self) -> Condition {
        Condition {
            stats: self.stats,
            state: self.controller().state(),
            phase: self.phase(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Self::snapshot(self)
    }
}
