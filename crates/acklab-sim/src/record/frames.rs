//! What was in the PPDUs of radio channels, for captures.
//!
//! Kept flat: a PPDU knows where its MPDUs or its bitmap begin, so that noting one allocates nothing
//! but the blocks of the logs.

use super::log::Log;
use acklab_path::wifi::mac::{Bitmap, MpduRef};
use acklab_path::wifi::medium::{Frames, Ppdu};

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
}

impl From<&MpduRef> for Mpdu {
    fn from(m: &MpduRef) -> Self {
        Self {
            seq: m.seq,
            bytes: m.bytes,
            msdus: m.msdus,
            retry: m.retries > 0,
        }
    }
}

/// What is in a PPDU: [`Frames`] to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// MPDUs.
    Mpdus(Vec<Mpdu>),
    /// A BlockAckReq from that number on.
    Request(u16),
    /// A Block Ack.
    BlockAck(u16, Bitmap),
    /// RTS, CTS or ACK.
    Control,
}

/// A PPDU that was on the air, and what was in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The PPDU.
    pub ppdu: Ppdu,
    /// What was in it.
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
            Frames::Mpdus(all) => {
                let first = self.mpdus.len();
                all.iter().for_each(|m| self.mpdus.push(m.into()));
                Place::Mpdus(first, all.len() as u16)
            }
            Frames::Request(start) => Place::Request(start),
            Frames::BlockAck(start, bitmap) => {
                self.bitmaps.push(bitmap);
                Place::BlockAck(start, self.bitmaps.len() - 1)
            }
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

    /// What was on the air of channel `medium`, in the order in which it began.
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
            Place::Control => Content::Control,
        }
    }
}
