//! The rotations that flows of a tin stand in: new ones, old ones, and those that are forgotten soon.
//!
//! A flow stands in one of them or in none, and can leave from the middle.

const NONE: u32 = u32::MAX;

/// A flow's neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    before: u32,
    after: u32,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            before: NONE,
            after: NONE,
        }
    }
}

/// A member of a chain.
pub(crate) trait Linked {
    /// Its neighbours.
    fn link(&mut self) -> &mut Link;
}

/// One rotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            first: NONE,
            last: NONE,
        }
    }
}

impl Chain {
    /// The first member.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// `i`, who stands in no chain, goes to the end.
    pub fn push(&mut self, all: &mut [impl Linked], i: u32) {
        *all[i as usize].link() = Link {
            before: self.last,
            after: NONE,
        };
        match self.last {
            NONE => self.first = i,
            last => all[last as usize].link().after = i,
        }
        self.last = i;
    }

    /// `i`, who stands here, leaves.
    pub fn remove(&mut self, all: &mut [impl Linked], i: u32) {
        let link = core::mem::take(all[i as usize].link());
        match link.before {
            NONE => self.first = link.after,
            before => all[before as usize].link().after = link.after,
        }
        match link.after {
            NONE => self.last = link.before,
            after => all[after as usize].link().before = link.before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    impl Linked for Link {
        fn link(&mut self) -> &mut Link {
            self
        }
    }

    proptest! {
        /// Beside a list that is searched.
        #[test]
        fn it_is_a_list(steps in prop::collection::vec(0u32..8, 0..200)) {
            let mut all = [Link::default(); 8];
            let (mut chain, mut list) = (Chain::default(), Vec::new());
            for i in steps {
                match list.iter().position(|j| *j == i) {
                    None => {
                        chain.push(&mut all, i);
                        list.push(i);
                    }
                    Some(at) => {
                        chain.remove(&mut all, i);
                        list.remove(at);
                    }
                }
                prop_assert_eq!(chain.first(), list.first().copied());
                prop_assert_eq!(chain.last == NONE, list.is_empty());
            }
        }
    }
}
