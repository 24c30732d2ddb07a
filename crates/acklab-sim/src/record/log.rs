//! A list that grows without moving what it holds.
//!
//! A recording is written once, entry by entry, and as large as the run is long: a vector that
//! doubles would write most of it twice, into memory that the system must clear first.

use core::ops::{Index, IndexMut};

/// Entries in a block: blocks of common entries are some ten kilobytes large.
const BLOCK: usize = 1 << 12;

/// A list in blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Log<T> {
    full: Vec<Vec<T>>,
    /// Where the list grows.
    open: Vec<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self {
            full: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl<T> Log<T> {
    #[inline]
    pub(super) fn push(&mut self, entry: T) {
        if self.open.len() == self.open.capacity() {
            self.open_block();
        }
        self.open.push(entry);
    }

    #[cold]
    fn open_block(&mut self) {
        let full = std::mem::replace(&mut self.open, Vec::with_capacity(BLOCK));
        if !full.is_empty() {
            self.full.push(full);
        }
    }

    #[inline]
    pub(super) fn last(&self) -> Option<&T> {
        self.open.last()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.full.len() * BLOCK + self.open.len()
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter {
            here: [].iter(),
            full: self.full.iter(),
            open: &self.open,
            left: self.len(),
        }
    }

    /// Leaves out the last entries for which `gone` holds.
    pub(super) fn trim(&mut self, gone: impl Fn(&T) -> bool) {
        loop {
            while self.open.pop_if(|e| gone(e)).is_some() {}
            if !self.open.is_empty() {
                return;
            }
            let Some(before) = self.full.pop() else {
                return;
            };
            self.open = before;
        }
    }
}

/// The entries of a log in their order. How many are left is known, so that a column made of them
/// is allocated once.
#[derive(Debug)]
pub(super) struct Iter<'a, T> {
    here: core::slice::Iter<'a, T>,
    full: core::slice::Iter<'a, Vec<T>>,
    open: &'a [T],
    left: usize,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self {
            here: self.here.clone(),
            full: self.full.clone(),
            ..*self
        }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        self.left = self.left.saturating_sub(1);
        if let Some(entry) = self.here.next() {
            return Some(entry);
        }
        let block = self.full.next().map(Vec::as_slice);
        self.here = block
            .unwrap_or_else(|| core::mem::take(&mut self.open))
            .iter();
        self.here.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> Index<usize> for Log<T> {
    type Output = T;

    #[inline]
    fn index(&self, i: usize) -> &T {
        match self.full.get(i / BLOCK) {
            Some(block) => &block[i % BLOCK],
            None => &self.open[i - self.full.len() * BLOCK],
        }
    }
}

impl<T> IndexMut<usize> for Log<T> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut T {
        let behind = self.full.len() * BLOCK;
        match self.full.get_mut(i / BLOCK) {
            Some(block) => &mut block[i % BLOCK],
            None => &mut self.open[i - behind],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list() {
        let mut log = Log::default();
        let all = 2 * BLOCK as u32 + 5;
        for n in 0..all {
            assert_eq!(log.len(), n as usize);
            log.push(n);
            assert_eq!(log.last(), Some(&n));
        }
        log[BLOCK] += 1;
        assert_eq!(
            (log[0], log[BLOCK], log[2 * BLOCK + 4]),
            (0, BLOCK as u32 + 1, all - 1)
        );
        assert!(log.iter().copied().eq((0..all).map(|n| log[n as usize])));
        let lengths = (0..=all as usize).map(|n| log.iter().skip(n).len());
        assert!(lengths.rev().eq(0..=all as usize));
        log.trim(|n| *n > 9);
        assert_eq!(log.len(), 10);
        log.push(7);
        assert_eq!(log.iter().sum::<u32>(), 45 + 7);
        log.trim(|_| true);
        assert_eq!((log.len(), log.last()), (0, None));
    }
}
