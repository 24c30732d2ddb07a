//! The descriptor that queues and links move about.

use acklab_proto::segment::{Ecn, Segment};

/// A packet's place in the driver's store. The driver may reuse it after the packet is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct PacketId(pub u32);

/// A flow, in one direction: `2 * flow` forwards, `2 * flow + 1` backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// What a queue needs to know about a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Which.
    pub id: PacketId,
    /// Bytes of the IP packet.
    pub size: u32,
    /// Flow and direction.
    pub flow: FlowId,
    /// ECN codepoint; a queue that marks sets [`Ecn::Ce`] here.
    pub ecn: Ecn,
}

impl Packet {
    /// Marks the packet with CE if its transport is ECN-capable. Says whether that changed it.
    #[inline]
    pub fn mark(&mut self) -> bool {
        let before = self.ecn;
        self.ecn = before.marked();
        self.ecn != before
    }
}

/// The driver's store of segments.
pub trait PacketStore {
    /// The segment of a packet.
    fn segment(&self, id: PacketId) -> Segment;

    /// A second copy of the packet (for duplication on a link).
    fn duplicate(&mut self, packet: Packet) -> Packet;
}

/// Why a packet was dropped; the recorder can show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// Random loss on the link.
    RandomLoss,
    /// An ACK filter found a newer acknowledgement that says as much.
    AckThinned,
    /// An ACK filter's own buffer was full.
    FilterFull,
    /// A frame was sent as often as it may be and never acknowledged.
    RetryLimit,
    /// The packet waited longer than its lifetime.
    LifetimeExpired,
    /// Active queue management: the queue had been too long for too long.
    Aqm,
}

impl DropReason {
    /// All of them, by number.
    pub const ALL: [Self; 7] = [
        Self::QueueFull,
        Self::RandomLoss,
        Self::AckThinned,
        Self::FilterFull,
        Self::RetryLimit,
        Self::LifetimeExpired,
        Self::Aqm,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::RandomLoss => "random_loss",
            Self::AckThinned => "ack_thinned",
            Self::FilterFull => "filter_full",
            Self::RetryLimit => "retry_limit",
            Self::LifetimeExpired => "lifetime_expired",
            Self::Aqm => "aqm",
        }
    }
}
