//! Packet numbers that were seen: each packet is taken once.

/// Numbers below the largest that are remembered. Older ones are refused: they count as lost.
pub const WINDOW: u64 = 4096;
const WORDS: usize = (WINDOW / 64) as usize;

/// A sliding window over the numbers of one space (RFC 4303 section 3.4.3).
#[derive(Clone, Debug)]
pub struct ReplayWindow {
    /// The number behind the largest that was taken.
    next: u64,
    bits: [u64; WORDS],
}

impl Default for ReplayWindow {
    fn default() -> Self {
        Self {
            next: 0,
            bits: [0; WORDS],
        }
    }
}

const fn place(number: u64) -> (usize, u64) {
    let at = number % WINDOW;
    ((at / 64) as usize, 1 << (at % 64))
}

impl ReplayWindow {
    /// Nothing was taken yet; the first number will be about `next`.
    pub fn starting_at(next: u64) -> Self {
        Self {
            next,
            ..Self::default()
        }
    }

    /// The number behind the largest that was taken.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Whether a packet of that number may be new.
    pub const fn may_be_new(&self, number: u64) -> bool {
        if number >= self.next {
            return true;
        }
        let (word, bit) = place(number);
        self.next - number <= WINDOW && self.bits[word] & bit == 0
    }

    /// Takes a number; `false` if it was taken before or is too old. Only numbers of packets that were
    /// opened may be taken, or a forged one would move the window.
    pub fn take(&mut self, number: u64) -> bool {
        if !self.may_be_new(number) {
            return false;
        }
        if number >= self.next {
            self.clear(self.next, number);
            self.next = number + 1;
        }
        let (word, bit) = place(number);
        self.bits[word] |= bit;
        true
    }

    /// Forgets the places of `from..=to`, which held numbers that are too old now.
    fn clear(&mut self, from: u64, to: u64) {
        if to - from >= WINDOW {
            self.bits = [0; WORDS];
            return;
        }
        for number in from..=to {
            let (word, bit) = place(number);
            self.bits[word] &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn the_same_number_is_taken_once_and_old_ones_never() {
        let mut w = ReplayWindow::default();
        assert!(w.take(5) && !w.take(5) && w.take(4) && !w.take(4));
        assert!(w.take(5 + WINDOW));
        assert!(!w.take(5), "outside the window");
        assert!(w.take(6) && !w.take(6), "its last place");
        assert!(w.take(1 << 40) && !w.take(6 + WINDOW) && !w.take(1 << 40));
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set(steps in prop::collection::vec((0u64..3, 0u64..9000), 1..300)) {
            let mut w = ReplayWindow::default();
            let mut taken = HashSet::new();
            let mut next = 0u64;
            for (kind, n) in steps {
                let number = match kind {
                    0 => next.saturating_sub(n % 100),
                    1 => next.saturating_sub(n),
                    _ => next + n % 200,
                };
                let fits = number >= next || next - number <= WINDOW;
                let fresh = fits && !taken.contains(&number);
                prop_assert_eq!(w.may_be_new(number), fresh);
                prop_assert_eq!(w.take(number), fresh);
                if fresh {
                    taken.insert(number);
                }
                next = next.max(if fresh { number + 1 } else { 0 });
                prop_assert_eq!(w.next(), next);
            }
        }
    }
}
