//! When the frames of a video are captured, and how many bytes each has.

use crate::plan::VideoPlan;
use acklab_proto::rng::{self, Rng};
use acklab_units::{Instant, Span};

/// The frames of a video, one after the other.
///
/// The first of each group of pictures is an I frame, which refers to no other; the others are P
/// frames. An I frame is `i_frame` times as large on average. Both vary with a log-normal factor of
/// mean 1, the marginal distribution of I and P frames that Krunz and Hughes found (A traffic model
/// for MPEG-coded VBR streams, SIGMETRICS 1995). Source and player read the same frames: each has a
/// copy of the flow's random stream.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    plan: VideoPlan,
    start: Instant,
    rng: Rng,
    number: u64,
}

impl Frames {
    pub(super) const fn new(plan: VideoPlan, start: Instant, rng: Rng) -> Self {
        Self {
            plan,
            start,
            rng,
            number: 0,
        }
    }

    /// Number of the frame whose size [`Frames::take`] gives next.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// When frame `number` is captured. The grid begins when the flow is opened.
    pub(super) fn captured(&self, number: u64) -> Instant {
        let ns = u128::from(number) * 1_000_000_000 / u128::from(self.plan.fps);
        let since = Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
        self.start.saturating_add(since)
    }

    /// Whether frame `number` refers to no other.
    pub(super) const fn is_intra(&self, number: u64) -> bool {
        number.is_multiple_of(self.plan.gop as u64)
    }

    /// Frames that last `time`, at least one.
    pub(super) fn lasting(&self, time: Span) -> u64 {
        let frames = u128::from(time.as_nanos()) * u128::from(self.plan.fps);
        (frames.div_ceil(1_000_000_000) as u64).max(1)
    }

    /// Bytes of the next frame, at least 1.
    pub(super) fn take(&mut self) -> u32 {
        let mean = self.mean(self.is_intra(self.number));
        self.number += 1;
        (mean * self.factor())
            .round()
            .clamp(1.0, f64::from(u32::MAX)) as u32
    }

    fn mean(&self, intra: bool) -> f64 {
        let p = &self.plan;
        let (gop, times) = (f64::from(p.gop), p.i_frame);
        let all = p.rate.as_bps() as f64 / 8.0 / f64::from(p.fps) * gop;
        let small = all / (times + gop - 1.0);
        if intra { small * times } else { small }
    }

    /// A log-normal draw of mean 1 and standard deviation `variation` (Box and Muller 1958).
    fn factor(&mut self) -> f64 {
        if self.plan.variation == 0.0 {
            return 1.0;
        }
        let (u, v) = (rng::unit(&mut self.rng), rng::unit(&mut self.rng));
        let normal = libm::sqrt(-2.0 * libm::log(1.0 - u)) * libm::cos(core::f64::consts::TAU * v);
        let square = libm::log(1.0 + self.plan.variation * self.plan.variation);
        libm::exp(libm::sqrt(square) * normal - square / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan;
    use super::*;

    fn frames(variation: f64) -> Frames {
        let plan = VideoPlan {
            variation,
            ..plan()
        };
        Frames::new(plan, Instant::ZERO, rng::stream(1, "app"))
    }

    #[test]
    fn a_group_has_one_large_frame_and_the_right_mean() {
        let mut f = frames(0.0);
        let sizes: Vec<u32> = (0..10).map(|_| f.take()).collect();
        // 1 MB/s at 50 /s: 20 kB a frame, 200 kB in ten; 200 / (6 + 9) = 13.3 kB.
        assert_eq!((sizes[0], sizes[1], sizes[9]), (80_000, 13_333, 13_333));
    }

    #[test]
    fn variation_keeps_the_mean() {
        let mut f = frames(0.5);
        let n = 100_000;
        let sum: f64 = (0..n).map(|_| f64::from(f.take())).sum();
        let mean = sum / f64::from(n);
        assert!((mean / 20_000.0 - 1.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn the_grid_does_not_drift() {
        let f = frames(0.0);
        assert_eq!(f.captured(50 * 3600).as_nanos(), 3_600_000_000_000);
        assert_eq!(f.lasting(Span::from_millis(100)), 5);
        assert_eq!(f.lasting(Span::from_millis(101)), 6);
        assert_eq!(f.lasting(Span::ZERO), 1);
    }
}
