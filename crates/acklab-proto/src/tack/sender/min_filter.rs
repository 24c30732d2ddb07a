//! The minimum filter of the sender.
//!
//! "The minimum RTT is computed according to these minimum RTT samples using a minimum filter over a
//! long period of time tau (tau <= 10 s), where the 10-second part is to handle route changes. Note
//! that we adopt two minimum filters at both sides because the minimum filter at the sender further
//! implicitly reduces biases of the ACK delivery" (TACK paper, section 5.2).

use acklab_units::{Instant, Span};

/// Parts that the window is divided into.
const PARTS: usize = 10;

/// Minimum over a window of time; a sample lasts for the window, or up to a tenth less.
#[derive(Clone, Debug)]
pub struct MinFilter {
    part: Span,
    began: Instant,
    min: [Span; PARTS],
    at: usize,
}

impl MinFilter {
    /// Over `window`.
    pub fn new(window: Span) -> Self {
        Self {
            part: (window / PARTS as u64).max(Span::from_micros(1)),
            began: Instant::ZERO,
            min: [Span::MAX; PARTS],
            at: 0,
        }
    }

    /// Takes a sample.
    pub fn update(&mut self, now: Instant, sample: Span) {
        let parts = now.saturating_since(self.began).as_nanos() / self.part.as_nanos();
        for _ in 0..parts.min(PARTS as u64) {
            self.at = (self.at + 1) % PARTS;
            self.min[self.at] = Span::MAX;
        }
        self.began = self.began.saturating_add(self.part.saturating_mul(parts));
        self.min[self.at] = self.min[self.at].min(sample);
    }

    /// The minimum; [`Span::MAX`] before the first sample.
    pub fn min(&self) -> Span {
        self.min.iter().copied().min().unwrap_or(Span::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_lasts_for_its_window() {
        let at = |s| Instant::ZERO + Span::from_secs(s);
        let ms = Span::from_millis;
        let mut f = MinFilter::new(Span::from_secs(10));
        assert_eq!(f.min(), Span::MAX);
        f.update(at(100), ms(20));
        f.update(at(105), ms(30));
        f.update(at(109), ms(40));
        assert_eq!(f.min(), ms(20));
        f.update(at(110), ms(40));
        assert_eq!(f.min(), ms(30));
        f.update(at(1000), ms(50));
        assert_eq!(f.min(), ms(50));
    }
}
