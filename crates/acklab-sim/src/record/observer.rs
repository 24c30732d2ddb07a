//! Reports of a run to its observer.
//!
//! The engine is generic over its observer. With [`Nothing`] every call is empty and what leads up
//! to it is gone from the compiled engine: recording that nobody asked for costs nothing. An
//! observer sees and never acts, so that a run is the same with and without it.

use super::delays::DelaySummary;
use super::quantiles::Distribution;
use super::tape::Records;
use acklab_path::ack_filter::ForwardReason;
use acklab_path::packet::{DropReason, Packet, PacketId, PacketStore};
use acklab_path::wifi::medium::{Frames, Ppdu};
use acklab_proto::ack::AckReason;
use acklab_proto::datagram::Datagram;
use acklab_proto::transport::{Condition, Transport};
use acklab_units::{Instant, Span};

/// The content of a packet, and the bytes that go beside it (TACK's control frames).
pub type Told<'a> = (&'a Datagram, &'a [u8]);

/// An event of a packet at a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkFact {
    /// It joined the queue.
    Queued,
    /// It left the queue after so long.
    Left(Span),
    /// It reached the far end.
    Delivered,
    /// It was dropped.
    Dropped(DropReason),
    /// The ACK filter keeps it.
    Held,
    /// The ACK filter lets it go on.
    Released(ForwardReason),
}

/// The cause of a transport's action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stimulus {
    /// A segment arrived.
    Segment,
    /// A timer expired, or the application did something.
    Timer,
    /// A segment was put on the wire.
    Sending,
}

/// Watches a run. Instants may come late or in advance (links look ahead), but for one packet in
/// the order of cause and effect.
pub trait Observer: Sized {
    /// Whether anyone is listening.
    const ACTIVE: bool;

    /// The host that `packet` comes from put `told` on the wire; `ack` is why an
    /// acknowledgement was due, if one was.
    fn on_sent(&mut self, now: Instant, packet: Packet, told: Told<'_>, ack: Option<AckReason>);

    /// The content of `packet` reached its host, whose transport has processed it.
    fn on_arrived(&mut self, now: Instant, packet: Packet, told: Told<'_>, at: &impl Transport);

    /// Something happened to `packet`, whose content is in `store`, at the link of that number.
    fn on_link(
        &mut self,
        now: Instant,
        link: usize,
        packet: Packet,
        store: &impl PacketStore,
        fact: LinkFact,
    );

    /// A link made `copy` of the packet `of`.
    fn on_copied(&mut self, of: PacketId, copy: PacketId);

    /// The transport `is` of host `host` has digested `stimulus` other than a segment.
    fn on_transport(&mut self, now: Instant, host: usize, stimulus: Stimulus, is: &impl Transport);

    /// A PPDU has left the air of the radio channel of that number.
    fn on_ppdu(&mut self, _medium: u32, _ppdu: &Ppdu) {}

    /// The content of that PPDU; called before it.
    fn on_frames(&mut self, _medium: u32, _ppdu: &Ppdu, _frames: Frames<'_>) {}

    /// Whether anything may have happened at the flow's ends since this was last asked.
    fn touched(&mut self, _flow: usize) -> bool {
        true
    }

    /// The latest one-way delay of the flow's data and its jitter, in nanoseconds.
    fn delay(&self, _flow: usize) -> Option<(u64, f64)> {
        None
    }

    /// How long the packet that left the link's queue last had waited by `now`.
    /// Asked in the order of time.
    fn sojourn(&mut self, _link: usize, _now: Instant) -> Option<Span> {
        None
    }

    /// The one-way delays of the flow's data.
    fn flow_delays(&mut self, _flow: usize) -> Option<DelaySummary> {
        None
    }

    /// The mean time by which the flow's receiver delays acknowledgements.
    fn ack_delay(&mut self, _flow: usize) -> Option<Span> {
        None
    }

    /// The times that packets spent in the link's queue.
    fn sojourns(&mut self, _link: usize) -> Option<Distribution> {
        None
    }

    /// Everything that was recorded one by one.
    fn records(self) -> Records;
}

/// The changes of a transport.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    /// How it was.
    pub before: &'a Condition,
    /// How it is.
    pub after: &'a Condition,
    /// Its congestion window in bytes.
    pub cwnd: u64,
}

/// The observer of a run that nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Observer for Nothing {
    const ACTIVE: bool = false;

    fn on_sent(&mut self, _: Instant, _: Packet, _: Told<'_>, _: Option<AckReason>) {}

    fn on_arrived(&mut self, _: Instant, _: Packet, _: Told<'_>, _: &impl Transport) {}

    fn on_link(&mut self, _: Instant, _: usize, _: Packet, _: &impl PacketStore, _: LinkFact) {}

    fn on_copied(&mut self, _: PacketId, _: PacketId) {}

    fn on_transport(&mut self, _: Instant, _: usize, _: Stimulus, _: &impl Transport) {}

    fn records(self) -> Records {
        Records::default()
    }
}
