//! A packet as a value, and as bytes.

use super::error::{DecodeError, EncodeError};
use super::frame::{DATA, DATA_FLAGS, Frames};
use super::number::expand;
use super::reader::Reader;
use super::{MAX_ID, VERSION};
use crate::datagram::UDP_HEADER;
use crate::segment::{Ecn, IP_HEADER};

/// Which numbers a packet counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Space {
    /// PKT.SEQ: what the peer is to acknowledge.
    #[default]
    Data,
    /// TACKs, IACKs and everything else that is not acknowledged itself.
    Feedback,
}

/// The fields in front of the frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Its number, whole.
    pub number: u64,
    /// Bytes of it on the wire: 1 to 4, or 8.
    pub number_len: u8,
    /// Which numbers these are.
    pub space: Space,
    /// Bytes of the connection id.
    pub id_len: u8,
    /// Bytes of the AEAD's tag behind the last frame.
    pub tag_len: u8,
}

/// A DATA frame: "a data packet contains both sequence number (SEQ) and packet number" (TACK paper,
/// section 5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Data {
    /// SEQ: stream offset of the first payload byte.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// Departure time stamp, microseconds of the sender's clock.
    pub stamp: u32,
    /// The stream ends behind the payload; the end takes one offset.
    pub fin: bool,
    /// Acknowledge at once: nothing follows for a while.
    pub now: bool,
    /// The application limits the sender.
    pub app_limited: bool,
}

impl Data {
    /// The offset behind what it carries.
    pub const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.fin as u64
    }
}

/// One packet. Control frames stand beside it, encoded, as a payload does: they can be as long as a
/// packet, and every protocol moves packets as values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packet {
    /// The fields in front of the frames.
    pub header: Header,
    /// Bytes of control frames.
    pub control: u16,
    /// The DATA frame, if any, which is the last one.
    pub data: Option<Data>,
    /// ECN codepoint of the IP header.
    pub ecn: Ecn,
}

const FIN: u8 = 1;
const NOW: u8 = 1 << 1;
const APP_LIMITED: u8 = 1 << 2;
/// Type, SEQ and time stamp.
pub(super) const DATA_HEADER: u32 = 1 + 4 + 4;
/// Bytes of SEQ on the wire.
const SEQ_LEN: u8 = 4;

const SPACE_BIT: u8 = 1 << 4;
const LONG_BIT: u8 = 1 << 3;
const RESERVED_BIT: u8 = 1 << 2;

impl Header {
    /// Bytes on the wire.
    pub const fn wire_len(&self) -> u32 {
        1 + self.id_len as u32 + self.number_len as u32
    }

    fn first_byte(&self) -> Result<u8, EncodeError> {
        let length = match self.number_len {
            1..=4 => self.number_len - 1,
            8 => LONG_BIT,
            bytes => return Err(EncodeError::NumberLength { bytes }),
        };
        let space = match self.space {
            Space::Data => 0,
            Space::Feedback => SPACE_BIT,
        };
        Ok(VERSION << 5 | space | length)
    }
}

impl Packet {
    /// Bytes that every DATA packet has beside its payload, at most, IP and UDP included.
    pub const fn data_overhead(id_len: u8, tag_len: u8) -> u32 {
        IP_HEADER + UDP_HEADER + 1 + id_len as u32 + 4 + DATA_HEADER + tag_len as u32
    }

    /// Bytes of the UDP payload.
    pub const fn wire_len(&self) -> u32 {
        let data = match &self.data {
            Some(d) => DATA_HEADER + d.len,
            None => 0,
        };
        self.header.wire_len() + self.control as u32 + data + self.header.tag_len as u32
    }

    /// Bytes of the IPv4 packet.
    pub const fn ip_len(&self) -> u32 {
        IP_HEADER + UDP_HEADER + self.wire_len()
    }

    /// Payload bytes.
    pub const fn payload(&self) -> u32 {
        match &self.data {
            Some(d) => d.len,
            None => 0,
        }
    }
}

/// Properties of a connection's packets that both ends know before they read one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// Bytes of the connection id.
    pub id_len: u8,
    /// Bytes of the AEAD's tag.
    pub tag_len: u8,
    /// The PKT.SEQ that is expected next.
    pub next_data: u64,
    /// The feedback number that is expected next.
    pub next_feedback: u64,
    /// The stream offset that is expected next.
    pub next_seq: u64,
}

/// A packet as read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded<'a> {
    /// The packet, its numbers whole.
    pub packet: Packet,
    /// The connection id.
    pub id: &'a [u8],
    /// The control frames, for [`Frames`].
    pub control: &'a [u8],
    /// The payload.
    pub payload: &'a [u8],
}

/// Writes a packet; returns its length. The tag's place is left zero: whoever seals packets fills it.
///
/// # Errors
/// If a part has another length than the packet says, or if there is no room.
pub fn encode(
    packet: &Packet,
    id: &[u8],
    control: &[u8],
    payload: &[u8],
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    check_length("payload", packet.payload() as usize, payload.len())?;
    encode_with(
        packet,
        id,
        control,
        |place| place.copy_from_slice(payload),
        out,
    )
}

const fn check_length(part: &'static str, claimed: usize, given: usize) -> Result<(), EncodeError> {
    if claimed == given {
        return Ok(());
    }
    Err(EncodeError::Length {
        part,
        claimed,
        given,
    })
}

/// Writes a packet like [`encode`]; `payload` writes the payload into its place, so that bytes which
/// do not lie in one piece need not be put together first.
///
/// # Errors
/// If a part has another length than the packet says, or if there is no room.
pub fn encode_with(
    packet: &Packet,
    id: &[u8],
    control: &[u8],
    payload: impl FnOnce(&mut [u8]),
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    check_length("connection id", packet.header.id_len as usize, id.len())?;
    check_length("control frames", packet.control as usize, control.len())?;
    let first = packet.header.first_byte()?;
    let needed = packet.wire_len() as usize;
    let given = out.len();
    let Some(out) = out.get_mut(..needed) else {
        return Err(EncodeError::NoRoom { needed, given });
    };
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        out[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    put(&[first]);
    put(id);
    let number = packet.header.number.to_be_bytes();
    put(&number[8 - packet.header.number_len as usize..]);
    put(control);
    if let Some(d) = &packet.data {
        let flag = |on: bool, bit| if on { bit } else { 0 };
        put(&[DATA | flag(d.fin, FIN) | flag(d.now, NOW) | flag(d.app_limited, APP_LIMITED)]);
        put(&(d.seq as u32).to_be_bytes());
        put(&d.stamp.to_be_bytes());
    }
    let end = at + packet.payload() as usize;
    payload(&mut out[at..end]);
    out[end..].fill(0);
    Ok(needed)
}

/// Reads a packet. The ECN codepoint is the IP header's: the caller fills it in.
///
/// # Errors
/// If the bytes are no packet of this version.
pub fn decode<'a>(bytes: &'a [u8], shape: &Shape) -> Result<Decoded<'a>, DecodeError> {
    let tag_len = shape.tag_len as usize;
    let sealed = bytes.len().checked_sub(tag_len);
    let mut r = Reader::new(&bytes[..sealed.unwrap_or(0)]);
    let first = r.byte()?;
    if first >> 5 != VERSION {
        return Err(DecodeError::Version {
            version: first >> 5,
        });
    }
    let long = first & LONG_BIT != 0;
    if first & RESERVED_BIT != 0 || (long && first & 3 != 0) {
        return Err(DecodeError::Reserved { byte: first });
    }
    let (space, next) = if first & SPACE_BIT == 0 {
        (Space::Data, shape.next_data)
    } else {
        (Space::Feedback, shape.next_feedback)
    };
    let id = r.bytes((shape.id_len as usize).min(MAX_ID))?;
    let number_len = if long { 8 } else { (first & 3) + 1 };
    let number = expand(r.number(number_len as usize)?, number_len, next);
    if number > super::varint::MAX {
        return Err(DecodeError::OutOfRange {
            field: "packet number",
            value: number,
        });
    }
    let rest = r.rest();
    let (len, frames) = Frames::measure(rest, space)?;
    let control = r.bytes(len)?;
    let data = take_data(&mut r, space, shape.next_seq)?;
    if frames == 0 && data.is_none() {
        return Err(DecodeError::Empty);
    }
    let packet = Packet {
        header: Header {
            number,
            number_len,
            space,
            id_len: id.len() as u8,
            tag_len: shape.tag_len,
        },
        control: u16::try_from(len).map_err(|_| DecodeError::OutOfRange {
            field: "length of the control frames",
            value: len as u64,
        })?,
        data,
        ecn: Ecn::NotEct,
    };
    Ok(Decoded {
        packet,
        id,
        control,
        payload: r.rest(),
    })
}

fn take_data(r: &mut Reader<'_>, space: Space, next_seq: u64) -> Result<Option<Data>, DecodeError> {
    if r.is_empty() {
        return Ok(None);
    }
    let kind = r.byte()?;
    if kind & !DATA_FLAGS != DATA {
        return Err(DecodeError::UnknownFrame { kind });
    }
    if space == Space::Feedback {
        return Err(DecodeError::Misplaced { kind });
    }
    let seq = expand(r.number(SEQ_LEN as usize)?, SEQ_LEN, next_seq);
    let stamp = r.u32()?;
    let len = r.rest().len() as u64;
    let fin = kind & FIN != 0;
    if seq > super::varint::MAX - len - 1 || (len == 0 && !fin) || len > u64::from(u16::MAX) {
        return Err(DecodeError::OutOfRange {
            field: "length of the payload",
            value: len,
        });
    }
    Ok(Some(Data {
        seq,
        len: len as u32,
        stamp,
        fin,
        now: kind & NOW != 0,
        app_limited: kind & APP_LIMITED != 0,
    }))
}
