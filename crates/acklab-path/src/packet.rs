//! The descriptor that queues and links move about.

use acklab_proto::datagram::{Datagram, Dscp};
use acklab_proto::segment::{Ecn, Segment};

/// A packet's place in the driver's store. The driver may reuse it after the packet is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct PacketId(pub u32);

impl PacketId {
    /// From here on numbers are no places: link layers give them to packets of their own.
    pub const OWN: Self = Self(0xfff0_0000);

    /// Whether it is no place in the driver's store.
    #[inline]
    pub const fn is_own(self) -> bool {
        self.0 >= Self::OWN.0
    }
}

/// A flow, in one direction: `2 * flow` forwards, `2 * flow + 1` backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// The properties of a packet that a queue needs.
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

/// The properties by which a queue keeps flows, hosts or classes apart. The store gives them when a
/// packet joins such a queue; no event carries them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// Stands for the flow in this direction. Not spread evenly: who needs that hashes it.
    pub flow: u32,
    /// Stands for the host that sent it.
    pub from: u32,
    /// Stands for the host that it goes to.
    pub to: u32,
    /// Differentiated-services codepoint.
    pub dscp: Dscp,
}

impl Label {
    /// Of a packet of which only the flow is known: both ends of each flow are hosts of their own, and
    /// all packets are of the default class.
    #[inline]
    pub const fn of(flow: FlowId) -> Self {
        Self {
            flow: flow.0,
            from: flow.0,
            to: flow.0 ^ 1,
            dscp: Dscp::DEFAULT,
        }
    }
}

/// The driver's store of what is in the packets.
pub trait PacketStore {
    /// The content of a packet.
    fn datagram(&self, id: PacketId) -> Datagram;

    /// The bytes that go beside what is in a packet; empty where none do.
    #[inline]
    fn attachment(&self, _id: PacketId) -> &[u8] {
        &[]
    }

    /// The packet as TCP sees it; `None` of another protocol.
    #[inline]
    fn tcp(&self, id: PacketId) -> Option<Segment> {
        self.datagram(id).tcp().copied()
    }

    /// The properties by which queues tell the packet from others.
    #[inline]
    fn label(&self, packet: Packet) -> Label {
        Label::of(packet.flow)
    }

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
    /// The link address of the next hop was not known: enough packets waited for it, or nobody answered.
    Unresolved,
}

impl DropReason {
    /// All of them, by number.
    pub const ALL: [Self; 8] = [
        Self::QueueFull,
        Self::RandomLoss,
        Self::AckThinned,
        Self::FilterFull,
        Self::RetryLimit,
        Self::LifetimeExpired,
        Self::Aqm,
        Self::Unresolved,
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
            Self::Unresolved => "unresolved",
        }
    }
}
