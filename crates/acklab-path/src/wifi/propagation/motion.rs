//! Where stations are.

use acklab_units::Instant;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// Farther than this from the origin along an axis is a mistake: no slot waits for an answer from
/// there.
const FARTHEST: f64 = 100_000.0;

/// A place in metres.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Position {
    x: f64,
    y: f64,
    z: f64,
}

/// A coordinate that cannot be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PositionError {
    /// In metres.
    pub coordinate: f64,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a coordinate of {} m is out of range", self.coordinate)
    }
}

impl core::error::Error for PositionError {}

impl PositionError {
    /// A text that would be right.
    pub fn hint(&self) -> String {
        "use metres from -100000 to 100000".to_string()
    }
}

impl Position {
    /// The place at `x`, `y`, `z` metres.
    ///
    /// # Errors
    /// A coordinate that is no number, or more than 100 km away.
    pub fn new(x: f64, y: f64, z: f64) -> Result<Self, PositionError> {
        for coordinate in [x, y, z] {
            // Not a number is not within either.
            if !(-FARTHEST..=FARTHEST).contains(&coordinate) {
                return Err(PositionError { coordinate });
            }
        }
        Ok(Self { x, y, z })
    }

    /// Its coordinates in metres.
    pub fn xyz(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    /// Metres to `other`.
    pub fn distance(self, other: Self) -> f64 {
        let (x, y, z) = (self.x - other.x, self.y - other.y, self.z - other.z);
        libm::sqrt(x * x + y * y + z * z)
    }

    /// The place `share` of the way to `other`.
    fn towards(self, other: Self, share: f64) -> Self {
        Self {
            x: self.x + (other.x - self.x) * share,
            y: self.y + (other.y - self.y) * share,
            z: self.z + (other.z - self.z) * share,
        }
    }
}

/// How a station moves.
#[derive(Clone, PartialEq, Debug)]
pub enum Motion {
    /// Not at all.
    Still(Position),
    /// At constant velocity.
    Straight {
        /// Where it is until `start`.
        from: Position,
        /// Metres per second along x, y and z.
        velocity: [f64; 3],
        /// When it sets off.
        start: Instant,
    },
    /// From place to place at constant velocities: at each place at its time, at the first one
    /// before, at the last one afterwards. Times ascend; there is at least one.
    Waypoints(Vec<(Instant, Position)>),
}

impl Motion {
    /// Where the station is.
    pub fn at(&self, now: Instant) -> Position {
        match self {
            Self::Still(position) => *position,
            Self::Straight {
                from,
                velocity: [x, y, z],
                start,
            } => {
                let s = now.saturating_since(*start).as_secs_f64();
                Position {
                    x: from.x + x * s,
                    y: from.y + y * s,
                    z: from.z + z * s,
                }
            }
            Self::Waypoints(places) => between(places, now),
        }
    }

    /// Whether it never moves.
    pub fn is_still(&self) -> bool {
        match self {
            Self::Still(_) => true,
            Self::Straight { velocity, .. } => *velocity == [0.0; 3],
            Self::Waypoints(places) => places.windows(2).all(|w| w[0].1 == w[1].1),
        }
    }
}

fn between(places: &[(Instant, Position)], now: Instant) -> Position {
    let next = places.partition_point(|(at, _)| *at <= now);
    match (next.checked_sub(1).map(|i| places[i]), places.get(next)) {
        (Some((_, last)), None) => last,
        (None, Some((_, first))) => *first,
        (Some((left, from)), Some((arrives, to))) => {
            let share = (now - left).as_secs_f64() / (*arrives - left).as_secs_f64();
            from.towards(*to, share)
        }
        (None, None) => Position::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_units::Span;
    use std::vec;

    fn at(x: f64) -> Position {
        Position::new(x, 0.0, 0.0).unwrap()
    }

    fn s(s: u64) -> Instant {
        Instant::ZERO + Span::from_secs(s)
    }

    #[test]
    fn distance_is_euclidean() {
        let a = Position::new(1.0, 2.0, 3.0).unwrap();
        let b = Position::new(3.0, 5.0, 9.0).unwrap();
        assert_eq!(a.distance(b), 7.0);
    }

    #[test]
    fn coordinates_out_of_range_are_told() {
        for bad in [1e6, -100_001.0, f64::NAN, f64::INFINITY] {
            assert!(Position::new(0.0, bad, 0.0).is_err(), "{bad}");
        }
        let error = Position::new(1e6, 0.0, 0.0).unwrap_err();
        assert_eq!(
            std::format!("{error}; {}", error.hint()),
            "a coordinate of 1000000 m is out of range; use metres from -100000 to 100000"
        );
    }

    #[test]
    fn constant_velocity_begins_at_its_start() {
        let motion = Motion::Straight {
            from: at(10.0),
            velocity: [1.5, 0.0, 0.0],
            start: s(2),
        };
        assert_eq!(motion.at(s(1)), at(10.0));
        assert_eq!(motion.at(s(4)), at(13.0));
        assert!(!motion.is_still());
    }

    #[test]
    fn waypoints_are_reached_on_time() {
        let places = vec![
            (s(1), at(0.0)),
            (s(3), at(8.0)),
            (s(3), at(20.0)),
            (s(4), at(30.0)),
        ];
        let motion = Motion::Waypoints(places);
        let expected = [
            (0, 0.0),
            (1, 0.0),
            (2, 4.0),
            (3, 20.0),
            (4, 30.0),
            (9, 30.0),
        ];
        for (t, x) in expected {
            assert_eq!(motion.at(s(t)), at(x), "{t} s");
        }
    }

    #[test]
    fn standing_in_any_way_is_still() {
        assert!(Motion::Still(at(1.0)).is_still());
        assert!(Motion::Waypoints(vec![(s(1), at(2.0))]).is_still());
        assert!(!Motion::Waypoints(vec![(s(1), at(2.0)), (s(2), at(3.0))]).is_still());
    }
}
