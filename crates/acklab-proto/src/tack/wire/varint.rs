//! Integers of one, two, four or eight bytes (RFC 9000 section 16).

use super::error::DecodeError;
use super::reader::Reader;
use alloc::vec::Vec;

/// The largest value that fits.
pub const MAX: u64 = (1 << 62) - 1;

/// Appends `value` in as few bytes as it needs; values above [`MAX`] are written as [`MAX`].
pub fn put(out: &mut Vec<u8>, value: u64) {
    let v = value.min(MAX);
    match v {
        0..=0x3f => out.push(v as u8),
        0x40..=0x3fff => out.extend_from_slice(&(v as u16 | 0x4000).to_be_bytes()),
        0x4000..=0x3fff_ffff => out.extend_from_slice(&(v as u32 | 0x8000_0000).to_be_bytes()),
        _ => out.extend_from_slice(&(v | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// Bytes that [`put`] takes for `value`.
pub const fn len(value: u64) -> usize {
    match value {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        _ => 8,
    }
}

/// Reads one; any of the four lengths is right for any value.
pub fn take(r: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let first = r.byte()?;
    let more = (1usize << (first >> 6)) - 1;
    let mut v = u64::from(first & 0x3f);
    for &b in r.bytes(more)? {
        v = v << 8 | u64::from(b);
    }
    Ok(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_9000_appendix_a_read_as_printed() {
        let examples: [(&[u8], u64); 4] = [
            (
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c],
                151_288_809_941_952_652,
            ),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x40, 0x25], 37),
        ];
        for (bytes, value) in examples {
            assert_eq!(take(&mut Reader::new(bytes)), Ok(value));
        }
    }

    #[test]
    fn each_length_ends_where_the_next_begins() {
        for v in [0, 63, 64, 16_383, 16_384, (1 << 30) - 1, 1 << 30, MAX] {
            let mut out = Vec::new();
            put(&mut out, v);
            assert_eq!(out.len(), len(v));
            assert_eq!(take(&mut Reader::new(&out)), Ok(v));
        }
    }
}
