//! The internet checksum (RFC 1071) with TCP's IPv4 pseudo header (RFC 9293 section 3.1).

use super::Addresses;

/// Protocol number of TCP.
const PROTOCOL: u8 = 6;

/// The checksum of a TCP segment, its checksum field taken as it stands: zero there gives the value
/// to write, and over a segment that carries the right value the result is zero.
pub fn tcp_checksum(addresses: &Addresses, segment: &[u8]) -> u16 {
    let length = (segment.len() as u32).to_be_bytes();
    let sum = sum(&addresses.source.octets())
        + sum(&addresses.destination.octets())
        + sum(&length)
        + u64::from(PROTOCOL)
        + sum(segment);
    !fold(sum)
}

/// The sum of big-endian 16-bit words; an odd last byte is padded with zero.
fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(2);
    let odd = words.remainder().first().map_or(0, |b| u64::from(*b) << 8);
    let word = |w: &[u8]| u64::from(u16::from_be_bytes([w[0], w[1]]));
    words.map(word).sum::<u64>() + odd
}

/// Adds the carries back in until none is left.
fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::Ipv4Addr;

    #[test]
    fn the_example_of_rfc_1071() {
        // Section 3: 0001 f203 f4f5 f6f7 sums to 2ddf0, folded ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(sum(&bytes), 0x2ddf0);
        assert_eq!(fold(sum(&bytes)), 0xddf2);
    }

    #[test]
    fn an_odd_byte_is_the_high_one() {
        assert_eq!(sum(&[0x12, 0x34, 0x56]), 0x1234 + 0x5600);
    }

    #[test]
    fn the_pseudo_header_counts() {
        // By hand: 0a00 + 0001 + 0a00 + 0002 + 0006 + length 2 + word ffff = 1140a, folded 140b.
        let addresses = Addresses {
            source: Ipv4Addr::new(10, 0, 0, 1),
            destination: Ipv4Addr::new(10, 0, 0, 2),
        };
        assert_eq!(tcp_checksum(&addresses, &[0xff, 0xff]), !0x140b);
    }

    #[test]
    fn carries_may_carry_again() {
        assert_eq!(fold(0x1_ffff), 1);
        assert_eq!(fold(0xffff_ffff), 0xffff);
    }
}
