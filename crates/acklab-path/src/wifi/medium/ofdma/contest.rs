//! The price of contention: what several stations lose that send for themselves.

/// What `n` stations that always have something to send lose for each PPDU of theirs that arrives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in super::super) struct Contest {
    /// The stations.
    pub n: u32,
    /// Their smallest and their largest contention window.
    pub windows: (u16, u16),
    /// Slots in which nobody sends.
    pub idle_slots: f64,
    /// Collisions.
    pub collisions: f64,
}

impl Contest {
    /// The fixed point of Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function",
    /// 2000, Eqs 7 and 9, for contention windows that double.
    pub fn of(n: u32, windows: (u16, u16)) -> Self {
        let (cw_min, cw_max) = windows;
        let window = f64::from(cw_min) + 1.0;
        let most = f64::from(cw_max) + 1.0;
        // Eq. 7 with a sum: the mean window of a station whose PPDUs collide with probability `p`.
        let attempts = |p: f64| {
            let (mut mean, mut share, mut w) = (0.0, 1.0 - p, window);
            while w < most {
                mean += share * w;
                (share, w) = (share * p, w * 2.0);
            }
            mean += w.min(most) * share / (1.0 - p);
            2.0 / (mean + 1.0)
        };
        let others_are_silent = |tau: f64| libm::pow(1.0 - tau, f64::from(n.max(1) - 1));
        let (mut low, mut high) = (0.0, 1.0 - f64::EPSILON);
        for _ in 0..40 {
            let p = (low + high) / 2.0;
            if 1.0 - others_are_silent(attempts(p)) > p {
                low = p;
            } else {
                high = p;
            }
        }
        let tau = attempts((low + high) / 2.0);
        // Windows of nothing collide for ever.
        let alone = (f64::from(n.max(1)) * tau * others_are_silent(tau)).max(f64::EPSILON);
        let nobody = (1.0 - tau) * others_are_silent(tau);
        Self {
            n,
            windows,
            idle_slots: nobody / alone,
            collisions: (1.0 - nobody - alone) / alone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::medium::draw;
    use acklab_proto::rng::stream;
    use alloc::vec::Vec;

    /// One station alone waits for the mean of its window.
    #[test]
    fn alone_it_waits() {
        let alone = Contest::of(1, (15, 1023));
        assert!((alone.idle_slots - 7.5).abs() < 1e-6, "{alone:?}");
        assert!(alone.collisions.abs() < 1e-9, "{alone:?}");
    }

    /// Stations that count slots, double their windows and draw again. That a station's PPDUs collide whatever
    /// became of its last one is the model's assumption, which two stations fit worst.
    #[test]
    fn several_collide_as_often_as_played() {
        let mut rng = stream(1, "contest");
        for (n, cw_min, cw_max) in [
            (2, 15u16, 1023),
            (4, 15, 1023),
            (10, 15, 63),
            (20, 31, 1023),
        ] {
            let mut draw = |cw| draw(&mut rng, cw);
            let mut stations: Vec<_> = (0..n).map(|_| (cw_min, draw(cw_min))).collect();
            let (mut idle, mut arrived, mut collided) = (0u64, 0u64, 0u64);
            while arrived < 200_000 {
                let next = stations.iter().map(|(_, left)| *left).min().unwrap();
                idle += u64::from(next);
                let sends = stations.iter().filter(|(_, left)| *left == next).count();
                arrived += u64::from(sends == 1);
                collided += u64::from(sends > 1);
                for (cw, left) in &mut stations {
                    if *left == next {
                        *cw = if sends == 1 {
                            cw_min
                        } else {
                            (*cw * 2 + 1).min(cw_max)
                        };
                        *left = draw(*cw);
                    } else {
                        // Bianchi's slot of a transmission counts as one.
                        *left -= next + 1;
                    }
                }
            }
            let model = Contest::of(n, (cw_min, cw_max));
            let played = (
                idle as f64 / arrived as f64,
                collided as f64 / arrived as f64,
            );
            assert!(
                (model.idle_slots / played.0 - 1.0).abs() < 0.03,
                "{n}: {model:?} {played:?}"
            );
            assert!(
                (model.collisions / played.1 - 1.0).abs() < 0.07,
                "{n}: {model:?} {played:?}"
            );
        }
    }
}
