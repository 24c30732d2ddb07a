//! The fixed header around options and payload.

use super::options::{self, Writer};
use super::{Addresses, DecodeError, EncodeError, Ports, tcp_checksum};
use crate::segment::{Flags, IP_HEADER, Segment, TCP_HEADER};
use acklab_units::SeqNum;

/// Bytes of the header without options.
const HEADER: usize = TCP_HEADER as usize;

/// Most bytes of a segment: an IPv4 packet without options less its header.
const MAX_SEGMENT: usize = 65_535 - IP_HEADER as usize;

/// Where the checksum stands.
const CHECKSUM: core::ops::Range<usize> = 16..18;

/// A segment that was read, and what does not belong into the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded<'a> {
    /// The segment; its ECN codepoint is left to the caller.
    pub segment: Segment,
    /// The ports.
    pub ports: Ports,
    /// The payload, [`Segment::len`] bytes.
    pub payload: &'a [u8],
}

/// Writes `segment` with `payload` to the front of `out` and says how many bytes it took.
///
/// # Errors
/// If the payload is not as long as the segment says, if options or payload are longer than a
/// header or a packet can carry, or if `out` is too short. Nothing is written then.
pub fn encode(
    segment: &Segment,
    ports: Ports,
    addresses: &Addresses,
    payload: &[u8],
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let given = payload.len();
    if given != segment.len as usize {
        let segment = segment.len;
        return Err(EncodeError::PayloadLength { segment, given });
    }
    let options = Writer::for_segment(segment)?;
    let options = options.as_slice();
    let data = HEADER + options.len();
    let needed = data + payload.len();
    if needed > MAX_SEGMENT {
        return Err(EncodeError::SegmentTooLong { needed });
    }
    let given = out.len();
    let out = out
        .get_mut(..needed)
        .ok_or(EncodeError::NoRoom { needed, given })?;
    out[..HEADER].copy_from_slice(&header(segment, ports, options.len()));
    out[HEADER..data].copy_from_slice(options);
    out[data..].copy_from_slice(payload);
    let checksum = tcp_checksum(addresses, out);
    out[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
    Ok(needed)
}

/// The fixed header with a checksum and an urgent pointer of zero.
fn header(segment: &Segment, ports: Ports, options: usize) -> [u8; HEADER] {
    let mut h = [0; HEADER];
    h[0..2].copy_from_slice(&ports.source.to_be_bytes());
    h[2..4].copy_from_slice(&ports.destination.to_be_bytes());
    h[4..8].copy_from_slice(&segment.seq.0.to_be_bytes());
    h[8..12].copy_from_slice(&segment.ack.0.to_be_bytes());
    h[12] = (((HEADER + options) / 4) as u8) << 4;
    h[13] = segment.flags.0;
    h[14..16].copy_from_slice(&segment.window.to_be_bytes());
    h
}

/// Reads a segment that fills `bytes`.
///
/// # Errors
/// If the header is cut short or contradicts itself, if an option is malformed, or if the checksum
/// is wrong.
pub fn decode<'a>(bytes: &'a [u8], addresses: &Addresses) -> Result<Decoded<'a>, DecodeError> {
    split(bytes)?;
    verify(bytes, addresses)?;
    peek(bytes)
}

/// The same for who passes the segment on: whether the checksum is right is the receiver's business, and
/// the addresses may be of any kind.
///
/// # Errors
/// If the header is cut short or contradicts itself, or if an option is malformed.
pub fn peek(bytes: &[u8]) -> Result<Decoded<'_>, DecodeError> {
    let (fixed, list, payload) = split(bytes)?;
    let half = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    let word = |at: usize| (u32::from(half(at)) << 16) | u32::from(half(at + 2));
    let mut segment = Segment {
        seq: SeqNum(word(4)),
        ack: SeqNum(word(8)),
        len: payload.len() as u32,
        window: half(14),
        flags: Flags(fixed[13]),
        ..Segment::default()
    };
    options::read(list, &mut segment)?;
    let ports = Ports {
        source: half(0),
        destination: half(2),
    };
    Ok(Decoded {
        segment,
        ports,
        payload,
    })
}

/// Fixed header, option list and payload.
type Parts<'a> = (&'a [u8; HEADER], &'a [u8], &'a [u8]);

fn split(bytes: &[u8]) -> Result<Parts<'_>, DecodeError> {
    let given = bytes.len();
    let truncated = |needed| DecodeError::Truncated { given, needed };
    if given > MAX_SEGMENT {
        return Err(DecodeError::SegmentTooLong { given });
    }
    let (fixed, rest) = bytes
        .split_first_chunk::<HEADER>()
        .ok_or(truncated(HEADER))?;
    let words = fixed[12] >> 4;
    let needed = usize::from(words) * 4;
    let options = needed
        .checked_sub(HEADER)
        .ok_or(DecodeError::DataOffset { words })?;
    let (list, payload) = rest.split_at_checked(options).ok_or(truncated(needed))?;
    Ok((fixed, list, payload))
}

/// The sum over everything must come out as zero. If not, the error names the value that would be
/// right: the sum with the field taken out.
fn verify(bytes: &[u8], addresses: &Addresses) -> Result<(), DecodeError> {
    let residue = tcp_checksum(addresses, bytes);
    if residue == 0 {
        return Ok(());
    }
    let found = u16::from_be_bytes([bytes[CHECKSUM.start], bytes[CHECKSUM.start + 1]]);
    let sum = u32::from(residue) + u32::from(found);
    let expected = (sum & 0xffff) as u16 + (sum >> 16) as u16;
    Err(DecodeError::Checksum { found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use core::net::Ipv4Addr;

    const ADDRESSES: Addresses = Addresses {
        source: Ipv4Addr::new(10, 0, 0, 1),
        destination: Ipv4Addr::new(10, 0, 0, 2),
    };
    const PORTS: Ports = Ports {
        source: 1,
        destination: 2,
    };

    fn segment(len: u32) -> Segment {
        Segment {
            seq: SeqNum(0x0102_0304),
            ack: SeqNum(0x0506_0708),
            len,
            window: 0x090a,
            flags: Flags::ACK.with(Flags::PSH),
            ..Segment::default()
        }
    }

    fn bytes() -> alloc::vec::Vec<u8> {
        let mut out = vec![0; 22];
        encode(&segment(2), PORTS, &ADDRESSES, b"hi", &mut out).unwrap();
        out
    }

    #[test]
    fn every_field_is_where_rfc_9293_has_it() {
        // Checksum by hand: pseudo header 0a00+0001+0a00+0002+0006+0016 = 141f; header and data
        // 0001+0002+0102+0304+0506+0708+5018+090a+6869 = d1a2; together e5c1, complement 1a3e.
        let want = [
            0, 1, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0x50, 0x18, 9, 10, 0x1a, 0x3e, 0, 0, b'h', b'i',
        ];
        assert_eq!(bytes(), want);
        let back = decode(&want, &ADDRESSES).unwrap();
        assert_eq!(back.segment, segment(2));
        assert_eq!((back.ports, back.payload), (PORTS, b"hi".as_slice()));
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let refused = |len, payload: &[u8], room| {
            let mut out = vec![0xee; room];
            let e = encode(&segment(len), PORTS, &ADDRESSES, payload, &mut out).unwrap_err();
            assert!(out.iter().all(|b| *b == 0xee), "nothing is written");
            e
        };
        assert_eq!(
            refused(3, b"hi", 100),
            EncodeError::PayloadLength {
                segment: 3,
                given: 2
            }
        );
        assert_eq!(
            refused(2, b"hi", 21),
            EncodeError::NoRoom {
                needed: 22,
                given: 21
            }
        );
        let huge = vec![0; 65_496];
        assert_eq!(
            refused(65_496, &huge, 70_000),
            EncodeError::SegmentTooLong { needed: 65_516 }
        );
    }

    #[test]
    fn damage_is_found_and_the_right_checksum_named() {
        let good = bytes();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x04;
            // A flipped data offset makes the header inconsistent before the sum is looked at.
            let error = decode(&bad, &ADDRESSES).unwrap_err();
            assert!(at == 12 || matches!(error, DecodeError::Checksum { .. }));
            if CHECKSUM.contains(&at) {
                let found = u16::from_be_bytes([bad[16], bad[17]]);
                let expected = 0x1a3e;
                assert_eq!(error, DecodeError::Checksum { found, expected });
            }
        }
        let elsewhere = Addresses {
            source: Ipv4Addr::new(10, 0, 0, 9),
            ..ADDRESSES
        };
        assert!(decode(&good, &elsewhere).is_err());
    }

    #[test]
    fn lengths_that_contradict_each_other_are_refused() {
        let truncated = |given, needed| Err(DecodeError::Truncated { given, needed });
        assert_eq!(decode(&[], &ADDRESSES), truncated(0, 20));
        assert_eq!(decode(&bytes()[..19], &ADDRESSES), truncated(19, 20));
        let mut offset = bytes();
        offset[12] = 0x40;
        let error = Err(DecodeError::DataOffset { words: 4 });
        assert_eq!(decode(&offset, &ADDRESSES), error);
        offset[12] = 0xf0;
        assert_eq!(decode(&offset, &ADDRESSES), truncated(22, 60));
    }
}
