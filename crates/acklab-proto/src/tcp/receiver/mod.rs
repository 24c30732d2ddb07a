//! The receiving half of a TCP connection as a pure state machine.
//!
//! The connection expands wire numbers to stream offsets and calls [`Receiver::on_data`] for each
//! segment with payload or FIN and [`Receiver::on_empty`] for every other. When
//! [`Receiver::ack_pending`] says so, an ACK must leave; every segment that leaves is filled from
//! [`Receiver::ack_fields`] and reported by [`Receiver::on_ack_sent`].
//!
//! *When* to acknowledge is the [`AckPolicy`]'s decision, with three exceptions that no policy may
//! change: unacceptable segments are answered (RFC 9293 section 3.10.7.4), the FIN is acknowledged
//! at once, and a window that opens is announced. SACK compression sits between policy and wire.

mod acking;
mod arrival;
mod autotune;
mod compression;
mod echo;
mod rcv_mss;
mod reassembly;
mod rtt;
mod sack_blocks;
mod sizing;
mod types;
mod window;

#[cfg(test)]
mod tests;

pub use reassembly::Extent;
pub use types::{AckFields, Data, Outcome, SackExtents, SynInfo, TimestampReply, Verdict};

use crate::ack::{AckPolicy, AckReason};
use crate::tcp::config::TcpConfig;
use acklab_units::{Instant, Span};
use alloc::boxed::Box;
use compression::Compression;
use echo::{EcnEcho, TimestampEcho};
use rcv_mss::RcvMss;
use reassembly::Reassembly;
use rtt::ReceiverRtt;
use sack_blocks::SackList;
use sizing::Occupancy;
use window::Window;

/// Offset of the first data byte: the SYN takes offset 0.
const FIRST_BYTE: u64 = 1;
/// Bytes of a padded timestamps option.
const TIMESTAMPS_LEN: u32 = 12;

/// The receiving half of one connection.
#[derive(Debug)]
pub struct Receiver {
    policy: Box<dyn AckPolicy>,
    stream: Reassembly,
    window: Window,
    sack: SackList,
    /// SACK blocks that fit into an ACK; 0 when SACK is not in use.
    sack_room: usize,
    sack_allowed: bool,
    dsack: bool,
    /// SACK blocks grow by the segments reported, not by what is held.
    blocks_by_segment: bool,
    timestamps_allowed: bool,
    timestamps: TimestampEcho,
    ecn: EcnEcho,
    compression: Compression,
    rtt: ReceiverRtt,
    rcv_mss: RcvMss,
    /// The application has read up to here.
    read_to: u64,
    /// Offset of the FIN, once it arrived.
    fin_at: Option<u64>,
    /// Last ACK number sent.
    last_ack: u64,
    /// An ACK must leave now.
    pending: Option<AckReason>,
    /// Bytes that no one had read when that ACK became due: Linux sends it before the reader runs, and
    /// they take room in its window.
    unread_at_ack: u64,
    /// The time that its timestamp shows, if not the present.
    ack_clock: Option<Instant>,
    /// How much more room than its bytes what waits to be read takes, because it lay above a gap before.
    unread_excess: i64,
    /// Where the first packet ends that waits to be read.
    head_end: u64,
    /// Bytes of neighbouring segments that are one packet of the reader's queue.
    packet: u64,
    /// When an unacceptable empty segment or a challenge was last answered.
    last_answer: Option<Instant>,
}

impl Receiver {
    /// A receiver that has heard nothing yet.
    pub fn new(cfg: &TcpConfig, policy: Box<dyn AckPolicy>) -> Self {
        Self {
            policy,
            stream: Reassembly::new(0).with_blocks(cfg.payload_per_block()),
            window: Window::new(cfg),
            sack: SackList::default(),
            sack_room: 0,
            sack_allowed: cfg.sack,
            dsack: cfg.dsack,
            blocks_by_segment: cfg.dialect().blocks_by_segment,
            timestamps_allowed: cfg.timestamps,
            timestamps: TimestampEcho::new(cfg.dialect().paws_tolerance),
            ecn: EcnEcho::default(),
            compression: Compression::new(cfg.sack_compression),
            rtt: ReceiverRtt::default(),
            rcv_mss: RcvMss::new(cfg.segment, if cfg.timestamps { TIMESTAMPS_LEN } else { 0 }),
            read_to: FIRST_BYTE,
            fin_at: None,
            last_ack: 0,
            pending: None,
            unread_at_ack: 0,
            ack_clock: None,
            unread_excess: 0,
            head_end: FIRST_BYTE,
            packet: cfg.payload_per_packet(),
            last_answer: None,
        }
    }

    /// The window scale shift that our SYN offers; `None` leaves the option out. A SYN-ACK offers
    /// it only if the SYN did.
    pub const fn offered_window_scale(&self) -> Option<u8> {
        self.window.offered_shift()
    }

    /// The window field of our SYN, never scaled.
    pub const fn syn_window(&self) -> u16 {
        self.window.syn_window()
    }

    /// The peer's SYN or SYN-ACK arrived. Options that both ends want are in force from now on.
    pub fn on_peer_syn(&mut self, now: Instant, peer: SynInfo) {
        let blocks = self.stream.per_block();
        self.stream = Reassembly::new(FIRST_BYTE).with_blocks(blocks);
        let scaled = peer.window_scale.is_some();
        self.window.on_syn(now, FIRST_BYTE, scaled);
        if self.timestamps_allowed && peer.timestamps {
            self.timestamps.on_syn(peer.ts_val);
        }
        // 40 bytes of options hold four blocks, or three beside the timestamps (RFC 2018
        // section 3).
        let room = if self.timestamps.is_enabled() { 3 } else { 4 };
        self.sack_room = if self.sack_allowed && peer.sack {
            room
        } else {
            0
        };
        if self.sack_room == 0 {
            self.compression.disable();
        }
        self.ecn.set_enabled(peer.ecn);
    }

    /// The connection is established. For the passive end this is when its SYN is acknowledged, a
    /// round trip after the peer's came: what is read is measured from here
    /// (`tcp_init_buffer_space` in `tcp_init_transfer`).
    pub fn on_established(&mut self, now: Instant) {
        if let Some(tune) = self.window.autotune() {
            tune.begin_measuring(now, FIRST_BYTE);
        }
    }

    /// A segment with payload or FIN arrived.
    #[inline]
    pub fn on_data(&mut self, now: Instant, data: Data) -> Outcome {
        let segment = data.extent();
        if self.timestamps.is_old(data.ts_val) {
            return self.refuse(segment, Verdict::OldTimestamp);
        }
        if segment.start >= self.window.edge() {
            return self.refuse(segment, Verdict::OutOfWindow);
        }
        if segment.end <= self.stream.next() {
            return self.on_old_data(now, &data);
        }
        self.accept(now, &data)
    }

    /// A segment without payload and FIN arrived at `offset`. Says whether the rest of it (its
    /// acknowledgement) may be looked at.
    pub fn on_empty(&mut self, now: Instant, offset: u64, ts_val: Option<u32>) -> Verdict {
        let verdict = if self.timestamps.is_old(ts_val) {
            Verdict::OldTimestamp
        } else if offset < self.last_ack || offset > self.window.edge() {
            Verdict::OutOfWindow
        } else {
            self.timestamps.record(offset, ts_val, self.last_ack);
            return Verdict::Accepted;
        };
        self.answer(now, self.answer_reason());
        verdict
    }

    /// In-order bytes that wait for the application.
    pub fn readable(&self) -> u64 {
        let fin = u64::from(self.fin_reached());
        (self.stream.next() - fin).saturating_sub(self.read_to)
    }

    /// Bytes held above a gap.
    pub const fn held(&self) -> u64 {
        self.stream.held()
    }

    /// The offset expected next (RCV.NXT).
    pub const fn next_expected(&self) -> u64 {
        self.stream.next()
    }

    /// The right edge of the window that the peer was promised.
    pub const fn window_edge(&self) -> u64 {
        self.window.edge()
    }

    /// Estimate of the peer's full segment in bytes of payload (Linux `rcv_mss`).
    pub const fn rcv_mss(&self) -> u32 {
        self.rcv_mss.bytes()
    }

    /// The receiver's RTT estimate, or the sending half's if that is all there is.
    pub fn rtt(&self) -> Option<Span> {
        self.rtt.best_known()
    }

    /// Whether everything up to and including the FIN is there.
    pub fn fin_reached(&self) -> bool {
        self.fin_at.is_some_and(|fin| self.stream.next() > fin)
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy {
            next: self.stream.next(),
            unread: self.readable().saturating_add_signed(self.unread_excess),
            held: self
                .window
                .room_of(self.stream.held(), self.stream.blocks()),
            rcv_mss: u64::from(self.rcv_mss.bytes()),
        }
    }
}
