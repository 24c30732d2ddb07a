//! Sightings of packets at tap points.
//!
//! The content of a packet does not change on its way, so it is kept once, however many points the
//! packet passes; a record is 16 bytes. [`Packets::iter`] puts both together.

use super::log::Log;
use acklab_path::packet::{DropReason, FlowId, Packet};
use acklab_proto::datagram::Datagram;
use acklab_proto::segment::{Ecn, Flags};
use acklab_units::Instant;

/// Where a packet was seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum TapPoint {
    /// At an end of a flow: `2 * flow` is its source, `2 * flow + 1` its destination.
    Host(u32),
    /// At the link of that number in the plan.
    Link(u32),
}

/// An event of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum PacketEvent {
    /// A host's transport handed it to the network. Hosts only.
    Sent,
    /// It joined the queue of a link; what an ACK filter holds back has not joined yet.
    Queued,
    /// A link, its queue or its ACK filter dropped it.
    Dropped,
    /// The queue of a link set its codepoint to CE.
    Marked,
    /// It left the queue: its transmission began.
    Left,
    /// It reached the far end of a link, or the transport of a host.
    Delivered,
}

impl PacketEvent {
    /// All of them, by number.
    pub const ALL: [Self; 6] = [
        Self::Sent,
        Self::Queued,
        Self::Dropped,
        Self::Marked,
        Self::Left,
        Self::Delivered,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Queued => "queued",
            Self::Dropped => "dropped",
            Self::Marked => "marked",
            Self::Left => "left",
            Self::Delivered => "delivered",
        }
    }
}

/// One thing that happened to one packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketRecord<'a> {
    /// When.
    pub at: Instant,
    /// Where.
    pub point: TapPoint,
    /// The event.
    pub what: PacketEvent,
    /// Why, if it was dropped.
    pub reason: Option<DropReason>,
    /// Number of the packet, in the order in which packets were first seen. Copies made by a link
    /// have the number of the original.
    pub packet: u32,
    /// Flow and direction: `2 * flow` from its source to its destination, `2 * flow + 1` back.
    pub flow: FlowId,
    /// Its content as the sender made it; its `ecn` is the sender's.
    pub datagram: &'a Datagram,
    /// The ECN codepoint at this moment.
    pub ecn: Ecn,
    /// Bytes of the IP packet.
    pub size: u32,
    /// TACK's control frames; empty in packets of another protocol.
    pub control: &'a [u8],
}

/// Packets that were seen and what happened to them, by time; at one instant in the order of cause
/// and effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// In one piece: records are made of them in any order, column by column.
    seen: Vec<Seen>,
    beside: Beside,
    /// In order.
    entries: Log<Entry>,
    /// Of each flow and direction that had a packet before the recorded part of the run, what its SYN
    /// said of windows.
    scales: Vec<Option<u8>>,
    /// Told too early or too late, each with the number of entries there were then. By link, for
    /// each link tells its own in order.
    astray: Vec<Vec<(Entry, usize)>>,
}

/// The constant part of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    datagram: Datagram,
    flow: FlowId,
    size: u32,
}

/// The bytes beside packets, one packet's after another's. A packet without any takes no place here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Beside {
    bytes: Vec<u8>,
    /// Numbers of packets, and where their bytes begin; both only grow.
    begins: Vec<(u32, usize)>,
}

impl Beside {
    fn enter(&mut self, packet: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.begins.push((packet, self.bytes.len()));
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn get(&self, packet: u32) -> &[u8] {
        let Ok(i) = self.begins.binary_search_by_key(&packet, |b| b.0) else {
            return &[];
        };
        let end = self.begins.get(i + 1).map_or(self.bytes.len(), |b| b.1);
        &self.bytes[self.begins[i].1..end]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    packet: u32,
    seen: Sight,
}

/// Event and place, in 32 bits: recording must not be a matter of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sight(u32);

/// From the lowest: host or link, codepoint, event, reason or none, number of the host or link.
impl Sight {
    const POINT: u32 = 11;
    const MOST: u32 = 1 << (32 - Self::POINT);

    #[inline]
    fn new(point: TapPoint, (what, reason): Happening, ecn: Ecn) -> Self {
        let (link, number) = match point {
            TapPoint::Host(n) => (0, n),
            TapPoint::Link(n) => (1, n),
        };
        debug_assert!(number < Self::MOST, "too many hosts or links to watch");
        let reason = reason.map_or(0, |r| r as u32 + 1);
        let what = what as u32;
        Self(link | (ecn as u32) << 1 | what << 3 | reason << 6 | number << Self::POINT)
    }

    fn point(self) -> TapPoint {
        let number = self.0 >> Self::POINT;
        match self.0 & 1 {
            0 => TapPoint::Host(number),
            _ => TapPoint::Link(number),
        }
    }

    fn ecn(self) -> Ecn {
        [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][(self.0 >> 1 & 3) as usize]
    }

    fn what(self) -> PacketEvent {
        PacketEvent::ALL[(self.0 >> 3 & 7) as usize]
    }

    fn reason(self) -> Option<DropReason> {
        let code = (self.0 >> 6 & 31) as usize;
        code.checked_sub(1).map(|i| DropReason::ALL[i])
    }
}

/// The event, and the reason if it was dropped.
type Happening = (PacketEvent, Option<DropReason>);

impl Packets {
    /// The records, by time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = PacketRecord<'_>> + Clone {
        self.entries.iter().map(|e| {
            let seen = &self.seen[e.packet as usize];
            PacketRecord {
                at: e.at,
                point: e.seen.point(),
                what: e.seen.what(),
                reason: e.seen.reason(),
                packet: e.packet,
                flow: seen.flow,
                datagram: &seen.datagram,
                ecn: e.seen.ecn(),
                size: seen.size,
                control: match seen.datagram {
                    Datagram::Tack(_) => self.beside.get(e.packet),
                    _ => &[],
                },
            }
        })
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// A packet passes before the recorded part of the run. Of a SYN the shift of windows is kept (RFC
    /// 7323, section 2.2), for without it no later window can be read.
    #[cold]
    pub(super) fn pass(&mut self, of: FlowId, datagram: impl FnOnce() -> Datagram) {
        let way = of.0 as usize;
        if way >= self.scales.len() {
            self.scales.resize(way + 1, None);
        }
        // A connection begins with its SYN; whoever has no shift is asked again.
        if self.scales[way].is_none()
            && let Datagram::Tcp(segment) = datagram()
            && segment.flags.contains(Flags::SYN)
        {
            self.scales[way] = segment.syn.window_scale;
        }
    }

    /// The shift of windows that a SYN of this flow and direction said before the recorded part.
    pub fn scale_before(&self, of: FlowId) -> Option<u8> {
        self.scales.get(of.0 as usize).copied().flatten()
    }

    /// Enters a packet with what is in it and beside it, and returns its number.
    pub(super) fn enter(&mut self, packet: Packet, (datagram, beside): (Datagram, &[u8])) -> u32 {
        let number = self.seen.len() as u32;
        if let Datagram::Tack(_) = datagram {
            self.beside.enter(number, beside);
        }
        self.seen.push(Seen {
            datagram,
            flow: packet.flow,
            size: packet.size,
        });
        number
    }

    /// Notes what happened at `at` to the packet of that number, whose codepoint is now `ecn`.
    #[inline]
    pub(super) fn note(
        &mut self,
        at: Instant,
        packet: u32,
        point: TapPoint,
        happening: Happening,
        ecn: Ecn,
    ) {
        let seen = Sight::new(point, happening, ecn);
        let latest = self.entries.last().map_or(Instant::ZERO, |e| e.at);
        // A departure may lie ahead; of other things it is known that they happen now, or did.
        let in_order = at == latest || (at > latest && happening.0 != PacketEvent::Left);
        // Made where it is written: made before, it would go through memory twice.
        if in_order {
            self.entries.push(Entry { at, packet, seen });
        } else {
            self.put_aside(Entry { at, packet, seen }, point);
        }
    }

    #[inline(never)]
    fn put_aside(&mut self, entry: Entry, point: TapPoint) {
        let list = match point {
            TapPoint::Host(_) => 0,
            TapPoint::Link(l) => l as usize,
        };
        if list >= self.astray.len() {
            self.astray.resize_with(list + 1, Vec::new);
        }
        self.astray[list].push((entry, self.entries.len()));
    }

    /// Puts the records in order and leaves out what would have happened after `end`: a link that
    /// computes departures in advance, or pauses, tells of things in advance.
    pub(super) fn finish(&mut self, end: Instant) {
        self.entries.trim(|e| e.at > end);
        let mut astray = std::mem::take(&mut self.astray).concat();
        astray.retain(|(e, _)| e.at <= end);
        // Long runs in order: cheap for a merge sort.
        astray.sort_by_key(|(e, n)| (e.at, *n));
        // From the back, in place: the places for those gone astray are at the end.
        let (mut told, mut place) = (self.entries.len(), self.entries.len() + astray.len());
        let Some(&(filler, _)) = astray.first() else {
            return;
        };
        while self.entries.len() < place {
            self.entries.push(filler);
        }
        while let Some((entry, n)) = astray.pop() {
            // At one instant, first told comes first.
            while told > 0 && (self.entries[told - 1].at, told - 1) >= (entry.at, n) {
                (told, place) = (told - 1, place - 1);
                self.entries[place] = self.entries[told];
            }
            place -= 1;
            self.entries[place] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_path::packet::PacketId;

    const LINK: TapPoint = TapPoint::Link(0);

    fn packets() -> Packets {
        let mut p = Packets::default();
        let packet = Packet {
            id: PacketId(9),
            size: 40,
            flow: FlowId(3),
            ecn: Ecn::Ect0,
        };
        let n = p.enter(packet, (Datagram::Tcp(<_>::default()), &[]));
        let at = Instant::from_nanos;
        let mut note = |ns, what| p.note(at(ns), n, LINK, what, Ecn::Ect0);
        note(1, (PacketEvent::Queued, None));
        note(4, (PacketEvent::Left, None));
        note(9, (PacketEvent::Left, None));
        note(2, (PacketEvent::Delivered, None));
        note(4, (PacketEvent::Dropped, Some(DropReason::QueueFull)));
        note(3, (PacketEvent::Marked, None));
        p
    }

    #[test]
    fn records_come_by_time_and_end_with_the_run() {
        let mut p = packets();
        p.finish(Instant::from_nanos(8));
        let seen: Vec<_> = p.iter().map(|r| (r.at.as_nanos(), r.what)).collect();
        use PacketEvent::{Delivered, Dropped, Left, Marked, Queued};
        let told = [
            (1, Queued),
            (2, Delivered),
            (3, Marked),
            (4, Left),
            (4, Dropped),
        ];
        assert_eq!(seen, told);
        let last = p.iter().last().unwrap();
        assert_eq!((last.flow, last.size, last.packet), (FlowId(3), 40, 0));
        assert_eq!(last.reason, Some(DropReason::QueueFull));
    }

    #[test]
    fn control_frames_are_those_of_their_packet() {
        let mut p = Packets::default();
        let packet = Packet {
            id: PacketId(1),
            size: 60,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        let tcp = Datagram::Tcp(<_>::default());
        let tack = Datagram::Tack(<_>::default());
        // Bytes left over by another packet are not TCP's.
        let all = [(tack, &[7, 8][..]), (tcp, &[9]), (tack, &[]), (tack, &[5])];
        for content in all {
            let n = p.enter(packet, content);
            let what = (PacketEvent::Queued, None);
            p.note(Instant::ZERO, n, LINK, what, Ecn::NotEct);
        }
        let kept: Vec<_> = p.iter().map(|r| r.control).collect();
        assert_eq!(kept, [&[7, 8][..], &[], &[], &[5]]);
    }

    #[test]
    fn a_record_is_small() {
        assert_eq!(size_of::<Entry>(), 16);
        assert_eq!(PacketEvent::ALL[PacketEvent::Left as usize].name(), "left");
    }

    #[test]
    fn a_sight_keeps_everything() {
        let points = [TapPoint::Host(Sight::MOST - 1), TapPoint::Link(7)];
        for (point, what) in points
            .into_iter()
            .flat_map(|p| PacketEvent::ALL.map(|w| (p, w)))
        {
            for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
                for reason in DropReason::ALL.map(Some).into_iter().chain([None]) {
                    let s = Sight::new(point, (what, reason), ecn);
                    assert_eq!((s.point(), s.what(), s.reason()), (point, what, reason));
                    assert_eq!(s.ecn(), ecn);
                }
            }
        }
    }
}
