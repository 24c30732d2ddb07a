//! Extra delay that keeps the order.

use super::up_to;
use acklab_proto::rng::Rng;
use acklab_units::{Instant, Span};

/// Uniform extra delay in `[0, span]`. A packet never arrives before one that left earlier.
#[derive(Clone, Debug)]
pub struct Jitter {
    span: Span,
    rng: Rng,
    /// Arrival of the packet before.
    floor: Instant,
}

impl Jitter {
    /// Jitter of up to `span`; `None` for none.
    pub fn new(span: Span, rng: Rng) -> Option<Self> {
        (!span.is_zero()).then_some(Self {
            span,
            rng,
            floor: Instant::ZERO,
        })
    }

    /// When a packet arrives that would arrive at `nominal` without jitter. To be asked once per
    /// packet, in order.
    pub fn arrival(&mut self, nominal: Instant) -> Instant {
        let extra = Span::from_nanos(up_to(&mut self.rng, self.span.as_nanos()));
        self.floor = self.floor.max(nominal.saturating_add(extra));
        self.floor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_proto::rng;

    #[test]
    fn delays_fill_the_range_and_keep_the_order() {
        let span = Span::from_millis(2);
        let mut j = Jitter::new(span, rng::stream(1, "j")).unwrap();
        let mut last = Instant::ZERO;
        let mut sum = Span::ZERO;
        for i in 0..10_000 {
            // Far enough apart for the floor never to matter.
            let nominal = Instant::ZERO + Span::from_millis(3) * i;
            let at = j.arrival(nominal);
            assert!(at >= last && at - nominal <= span);
            sum += at - nominal;
            last = at;
        }
        let mean = sum.as_nanos() / 10_000;
        assert!((980_000..=1_020_000).contains(&mean), "{mean}");
    }

    #[test]
    fn a_dense_train_is_not_reordered() {
        let mut j = Jitter::new(Span::from_millis(5), rng::stream(2, "j")).unwrap();
        let mut last = Instant::ZERO;
        for i in 0..1000 {
            let at = j.arrival(Instant::from_nanos(i * 1000));
            assert!(at >= last);
            last = at;
        }
    }
}
