//! A first-in-first-out ring whose front stands inline.
//!
//! An access link holds one packet or none most of the time. With thousands of them what a packet
//! costs is the memory that it is the first to touch for a while; the front of a ring elsewhere
//! would be one such place more, and a different one each time.

use alloc::collections::VecDeque;

#[derive(Debug)]
#[repr(C)]
pub(super) struct Fifo<T> {
    /// `None` only if `rest` is empty.
    front: Option<T>,
    rest: VecDeque<T>,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            front: None,
            rest: VecDeque::new(),
        }
    }
}

impl<T: Copy> Fifo<T> {
    #[inline]
    pub fn push_back(&mut self, item: T) {
        if self.front.is_none() {
            self.front = Some(item);
        } else {
            self.rest.push_back(item);
        }
    }

    /// Removes the front, if there is one.
    #[inline]
    pub fn drop_front(&mut self) {
        // Copied from where it has been for a while: through a variable it would be read again in
        // larger pieces than it was just written in, for which a processor waits.
        self.front = self.rest.front().copied();
        self.rest.pop_front();
        if self.rest.is_empty() {
            // The ring begins at its first place again, which was used last.
            self.rest.clear();
        }
    }

    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.front.as_ref()
    }

    #[inline]
    pub fn back(&self) -> Option<&T> {
        self.rest.back().or(self.front.as_ref())
    }

    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        match i.checked_sub(1) {
            None => self.front(),
            Some(i) => self.rest.get(i),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.front.is_some()) + self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_ring(ops in proptest::collection::vec(any::<Option<u8>>(), 0..200)) {
            let mut fifo = Fifo::default();
            let mut reference = VecDeque::new();
            for op in ops {
                match op {
                    Some(item) => {
                        fifo.push_back(item);
                        reference.push_back(item);
                    }
                    None => {
                        fifo.drop_front();
                        reference.pop_front();
                    }
                }
                prop_assert_eq!(fifo.front(), reference.front());
                prop_assert_eq!(fifo.back(), reference.back());
                prop_assert_eq!(fifo.len(), reference.len());
                for i in 0..=reference.len() {
                    prop_assert_eq!(fifo.get(i), reference.get(i));
                }
            }
        }
    }
}
