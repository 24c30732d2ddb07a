//! The view of a recorder: ends of flows and the network between them, whoever has them.

use super::TimeMean;
use super::observer::Observer;
use crate::app::{Progress, VideoSummary};
use acklab_path::link::Link;
use acklab_proto::transport::Transport;
use acklab_units::Instant;

/// One end of a flow.
pub trait FlowEnd {
    /// Its transport.
    type Transport: Transport;

    /// Its transport.
    fn transport(&self) -> &Self::Transport;

    /// How far its application has come.
    fn progress(&self) -> Progress;

    /// The viewer's experience until `end`; `None` without one.
    fn video(&self, end: Instant) -> Option<VideoSummary>;

    /// Its counters.
    fn traffic(&self) -> Traffic;

    /// Mean of the congestion window in bytes over time, where it is of interest.
    fn window(&self) -> Option<TimeMean>;
}

/// The counters at an end of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Packets sent that carry payload.
    pub data_packets: u64,
    /// Bytes of IP packets sent.
    pub wire_bytes: u64,
    /// Packets of pure feedback sent.
    pub acks_out: u64,
    /// Packets of pure feedback received.
    pub acks_in: u64,
}

/// The network between the ends.
pub trait Scene {
    /// Its observer.
    type Observer: Observer;

    /// Its observer.
    fn observer(&mut self) -> &mut Self::Observer;

    /// Number of its links.
    fn links(&self) -> usize;

    /// Link number `i` as it is at `now`, and the packets and bytes that wait for its transmitter.
    fn look(&mut self, i: usize, now: Instant) -> (&Link, (u32, u64));
}
