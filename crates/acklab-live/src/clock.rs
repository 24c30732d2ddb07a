//! The wall clock, as the instants that protocols count in.

use acklab_units::Instant;

/// Counts from its creation. It never goes back, whatever happens to the date.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: std::time::Instant,
}

impl Clock {
    /// A clock that begins at one second, so that what happened "before" has an instant, too.
    pub fn start() -> Self {
        Self {
            origin: std::time::Instant::now(),
        }
    }

    /// The system's instant that is one second here.
    pub const fn origin(&self) -> std::time::Instant {
        self.origin
    }

    /// The time.
    pub fn now(&self) -> Instant {
        let passed = self.origin.elapsed().as_nanos();
        Instant::from_nanos(1_000_000_000 + u64::try_from(passed).unwrap_or(u64::MAX / 2))
    }
}
