//! The content of the PPDUs of radio channels, for captures.
//!
//! Kept flat: a PPDU knows where its MPDUs or its bitmap begin, so that noting one allocates nothing
//! but the blocks of the logs.

use super::log::Log;
use acklab_path::wifi::agreement::Action;
use acklab_path::wifi::mac::triggers::TriggerKind;
use acklab_path::wifi::mac::{Bitmap, MpduRef};
use acklab_path::wifi::medium::{Frames, Ppdu};
use acklab_path::wifi::neighbour::Kind;

/// An MPDU with data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mpdu {
    /// Sequence number.
    pub seq: u16,
    /// Bytes with header and FCS.
    pub bytes: u32,
    /// MSDUs in it.
    pub msdus: u16,
    /// It was sent before.
    pub retry: bool,
    /// Another PPDU overlapped it, so that its receiver could not read it.
    pub spoilt: bool,
    /// It is nothing but that message between neighbours.
    pub arp: Option<Kind>,
}

impl Mpdu {
    fn new(m: &MpduRef, spoilt: bool) -> Self {
        Self {
            seq: m.seq,
            bytes: m.bytes,
            msdus: m.msdus,
            retry: m.repeated,
            spoilt,
            arp: m.arp,
        }
    }
}

/// The content of a PPDU: [`Frames`] to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// MPDUs.
    Mpdus(Vec<Mpdu>),
    /// A BlockAckReq from that number on.
    Request(u16),
    /// A Block Ack.
    BlockAck(u16, Bitmap),
    /// An ADDBA frame, and the window of the way that it is about.
    Action(Action, u16),
    /// A Trigger frame of that kind.
    Trigger(TriggerKind),
    /// RTS, CTS or ACK.
    Control,
}

/// A PPDU that was on the air, and what was in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The PPDU.
    pub ppdu: Ppdu,
    /// Its content.
    pub content: Content,
}

/// A PPDU of a channel, with the places of what was in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    medium: u32,
    ppdu: Ppdu,
    content: Place,
}

/// Where what was in a PPDU is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The first of its MPDUs, and how many there are.
    Mpdus(usize, u16),
    Request(u16),
    /// The number of its bitmap.
    BlockAck(u16, usize),
    Action(Action, u16),
    Trigger(TriggerKind),
    Control,
}

/// Everything that was on the air of all channels, in the order in which it left it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    entries: Log<Entry>,
    mpdus: Log<Mpdu>,
    bitmaps: Log<Bitmap>,
}

impl Sightings {
    /// A PPDU has left the air of channel `medium`.
    pub fn note(&mut self, medium: u32, ppdu: &Ppdu, frames: Frames<'_>) {
        let content = match frames {
            Frames::Mpdus(all, spoilt) => {
                let first = self.mpdus.len();
                for (i, m) in (0..).zip(all) {
                    self.mpdus.push(Mpdu::new(m, spoilt.contains(i)));
                }
                Place::Mpdus(first, all.len() as u16)
            }
            Frames::Request(start) => Place::Request(start),
            Frames::BlockAck(start, bitmap) => {
                self.bitmaps.push(bitmap);
                Place::BlockAck(start, self.bitmaps.len() - 1)
            }
            Frames::Action(action, window) => Place::Action(action, window),
            Frames::Trigger(kind) => Place::Trigger(kind),
            Frames::Control => Place::Control,
        };
        self.entries.push(Entry {
            medium,
            ppdu: *ppdu,
            content,
        });
    }

    /// How many PPDUs were seen.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The PPDUs of channel `medium`, in the order of their beginnings.
    pub fn on(&self, medium: u32) -> impl Iterator<Item = Sighting> + '_ {
        let own = self.entries.iter().filter(|e| e.medium == medium);
        let mut order: Vec<_> = own.collect();
        order.sort_by_key(|e| e.ppdu.start);
        order.into_iter().map(|e| Sighting {
            ppdu: e.ppdu,
            content: self.content(e.content),
        })
    }

    fn content(&self, place: Place) -> Content {
        match place {
            Place::Mpdus(first, n) => {
                let all = first..first + usize::from(n);
                Content::Mpdus(all.map(|i| self.mpdus[i]).collect())
            }
            Place::Request(start) => Content::Request(start),
            Place::BlockAck(start, i) => Content::BlockAck(start, self.bitmaps[i]),
            Place::Action(action, window) => Content::Action(action, window),
            Place::Trigger(kind) => Content::Trigger(kind),
            Place::Control => Content::Control,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_path::wifi::medium::{PpduKind, StationId, Use};
    use acklab_path::wifi::phy::{Guard, Mode, Width};
    use acklab_units::{Instant, Span};

    fn ppdu(kind: PpduKind, start: u64) -> Ppdu {
        let at = Instant::from_nanos;
        Ppdu {
            kind,
            from: StationId(1),
            to: StationId(0),
            holder: StationId(1),
            category: 0,
            mode: Mode::ht(7, Width::Mhz20, Guard::Ns800).unwrap(),
            start: at(start),
            end: at(start + 10),
            nav: at(start + 10),
            bytes: 0,
            mpdus: 0,
            carried: 0,
            user: 0,
            users: 1,
            use_of: Use::Data,
            garbled: false,
            mpdus_spoilt: 0,
            spoilt: Span::ZERO,
            lost: false,
        }
    }

    fn mpdu(seq: u16, retries: u8) -> MpduRef {
        MpduRef {
            seq,
            retries,
            repeated: retries > 1,
            msdus: 1,
            bytes: 100,
            ip_bytes: 60,
            arp: None,
        }
    }

    /// They are reported at their ends, and come in the order of their beginnings.
    #[test]
    fn what_was_in_a_ppdu_stays_with_it() {
        let mut seen = Sightings::default();
        let bitmap = Bitmap([5, 0, 0, 0]);
        let (first, second) = ([mpdu(7, 0), mpdu(8, 2)], [mpdu(9, 0)]);
        let (none, of_second) = (Bitmap::default(), Bitmap([2, 0, 0, 0]));
        let data = |mpdus| Frames::Mpdus(mpdus, of_second);
        seen.note(0, &ppdu(PpduKind::Data, 20), data(&first));
        seen.note(1, &ppdu(PpduKind::Data, 21), data(&first));
        seen.note(0, &ppdu(PpduKind::BlockAckRequest, 40), Frames::Request(3));
        seen.note(0, &ppdu(PpduKind::Data, 10), Frames::Mpdus(&second, none));
        seen.note(
            0,
            &ppdu(PpduKind::BlockAck, 50),
            Frames::BlockAck(7, bitmap),
        );
        seen.note(0, &ppdu(PpduKind::Rts, 60), Frames::Control);
        let all: Vec<_> = seen.on(0).map(|s| s.content).collect();
        let kept = first.iter().zip([false, true]).map(|(m, second)| Mpdu {
            retry: second,
            ..Mpdu::new(m, second)
        });
        let expected = [
            Content::Mpdus(vec![Mpdu::new(&second[0], false)]),
            Content::Mpdus(kept.collect()),
            Content::Request(3),
            Content::BlockAck(7, bitmap),
            Content::Control,
        ];
        assert_eq!(all, expected);
        assert_eq!((seen.len(), seen.on(1).count()), (6, 1));
    }

    /// A long run has a million of them.
    #[test]
    fn an_mpdu_takes_twelve_bytes() {
        assert_eq!(size_of::<Mpdu>(), 12);
        assert!(size_of::<Entry>() <= 120, "{}", size_of::<Entry>());
    }
}
