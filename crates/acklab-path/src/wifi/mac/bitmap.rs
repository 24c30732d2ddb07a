//! Sequence numbers modulo 4096, and which of a window of them are meant.

/// Sequence numbers are counted modulo this (9.2.4.4.2).
pub const MODULO: u16 = 4096;

/// How far `to` lies behind `from`. A number further away than half the space lies before it.
#[inline]
pub const fn distance(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) % MODULO
}

/// `seq` and `n` more.
#[inline]
pub const fn advance(seq: u16, n: u16) -> u16 {
    (seq + n) % MODULO
}

/// Whether a distance means "before" (10.24.7.6.2).
#[inline]
pub const fn is_before(distance: u16) -> bool {
    distance >= MODULO / 2
}

/// A set of up to 256 sequence numbers, by their distance from the first of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bitmap(pub [u64; 4]);

impl Bitmap {
    /// Most numbers in a set.
    pub const SIZE: u16 = 256;

    /// Whether `i` is in.
    #[inline]
    pub const fn contains(&self, i: u16) -> bool {
        i < Self::SIZE && self.0[i as usize / 64] >> (i % 64) & 1 == 1
    }

    /// Puts `i` in.
    #[inline]
    pub const fn insert(&mut self, i: u16) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    /// Takes `i` out.
    #[inline]
    pub const fn remove(&mut self, i: u16) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }

    /// Whether nothing is in.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// How many are in.
    pub fn len(&self) -> u16 {
        self.0.iter().map(|w| w.count_ones() as u16).sum()
    }

    /// The first that is in, from `i` on.
    #[inline]
    pub fn next(&self, i: u16) -> Option<u16> {
        let mut word = i as usize / 64;
        let mut bits = *self.0.get(word)? & (u64::MAX << (i % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word as u16 * 64 + bits.trailing_zeros() as u16)
    }

    /// All that are in, ascending.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        let mut from = 0;
        core::iter::from_fn(move || {
            let i = self.next(from)?;
            from = i + 1;
            Some(i)
        })
    }

    /// Moves the window on by `n`: its first `n` leave, every other distance is `n` less.
    #[inline]
    pub fn shift(&mut self, n: u16) {
        if n == 0 {
            return;
        }
        let (words, bits) = (n as usize / 64, n % 64);
        let old = self.0;
        let word = |i: usize| old.get(i).copied().unwrap_or(0);
        for (i, w) in self.0.iter_mut().enumerate() {
            *w = word(i + words) >> bits;
            if bits > 0 {
                *w |= word(i + words + 1) << (64 - bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    #[test]
    fn numbers_wrap_at_4096() {
        assert_eq!(distance(4090, 5), 11);
        assert_eq!(advance(4090, 11), 5);
        assert!(is_before(distance(5, 4090)));
        assert!(!is_before(distance(4090, 5)));
        assert_eq!(distance(7, 7), 0);
    }

    proptest! {
        /// Against a set of numbers.
        #[test]
        fn a_bitmap_is_a_set(numbers in prop::collection::btree_set(0u16..256, 0..60), n in 0u16..300, from in 0u16..300) {
            let mut b = Bitmap::default();
            numbers.iter().for_each(|i| b.insert(*i));
            prop_assert_eq!(b.iter().collect::<BTreeSet<_>>(), numbers.clone());
            prop_assert_eq!(b.next(from), numbers.iter().copied().find(|i| *i >= from));
            prop_assert_eq!(b.len() as usize, numbers.len());
            prop_assert_eq!(b.is_empty(), numbers.is_empty());
            let mut gone = b;
            numbers.iter().for_each(|i| gone.remove(*i));
            prop_assert!(gone.is_empty());
            b.shift(n);
            let left: Vec<_> = numbers.iter().filter(|i| **i >= n).map(|i| i - n).collect();
            prop_assert_eq!(b.iter().collect::<Vec<_>>(), left);
        }
    }
}
