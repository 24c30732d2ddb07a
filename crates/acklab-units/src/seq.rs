//! 32-bit TCP sequence numbers (RFC 9293 section 3.4).

use core::fmt;
use core::ops::{Add, Sub};

/// A sequence or acknowledgement number as it stands on the wire, modulo 2^32.
///
/// There is deliberately no `Ord`: numbers wrap. Inside the endpoint positions are 64-bit stream
/// offsets; [`SeqNum::expand`] brings a wire number next to a known offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeqNum(pub u32);

impl SeqNum {
    /// Signed distance `self - other` modulo 2^32.
    pub const fn distance(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }

    /// Whether `self` comes before `other` in sequence space.
    pub const fn before(self, other: Self) -> bool {
        self.distance(other) < 0
    }

    /// The 64-bit offset closest to `near` that has this number on the wire when offset 0 has
    /// number `origin`. `None` if that offset would be negative.
    pub const fn expand(self, origin: Self, near: u64) -> Option<u64> {
        let here = origin.0.wrapping_add(near as u32);
        let delta = self.0.wrapping_sub(here) as i32;
        let at = near as i64 + delta as i64;
        if at < 0 { None } else { Some(at as u64) }
    }

    /// The wire number of 64-bit `offset` when offset 0 has number `self`.
    pub const fn at(self, offset: u64) -> Self {
        Self(self.0.wrapping_add(offset as u32))
    }
}

impl Add<u32> for SeqNum {
    type Output = Self;
    fn add(self, rhs: u32) -> Self {
        Self(self.0.wrapping_add(rhs))
    }
}

impl Sub<u32> for SeqNum {
    type Output = Self;
    fn sub(self, rhs: u32) -> Self {
        Self(self.0.wrapping_sub(rhs))
    }
}

impl fmt::Debug for SeqNum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_wraps() {
        assert!(SeqNum(u32::MAX).before(SeqNum(0)));
        assert!(!SeqNum(0).before(SeqNum(u32::MAX)));
        assert_eq!(SeqNum(2).distance(SeqNum(u32::MAX)), 3);
    }

    #[test]
    fn expansion_follows_the_stream_past_the_wrap() {
        let iss = SeqNum(u32::MAX - 10);
        for off in [0u64, 5, 11, 1 << 32, (1 << 33) + 77] {
            assert_eq!(iss.at(off).expand(iss, off.saturating_add(1000)), Some(off));
            assert_eq!(iss.at(off).expand(iss, off.saturating_sub(1000)), Some(off));
        }
        assert_eq!((iss - 1).expand(iss, 0), None);
    }
}
