//! The relay's time, and where the kernel's stamps lie in it.
//!
//! The kernel stamps a datagram when it arrives. The relay enters it into the network at that instant, even if
//! it runs only later: what enters is then not late, and only what leaves can be.

use acklab_units::Instant;
use std::time::Duration;

/// The relay's clock: instants count from its start, and go on evenly whatever happens to the time of day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: std::time::Instant,
}

/// A reading of both clocks, to place arrivals by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// On the relay's clock.
    pub now: Instant,
    /// The same moment since 1970.
    day: Duration,
}

/// An arrival that is further away than this was stamped before the time of day was set.
const STEP: Duration = Duration::from_secs(1);

impl Clock {
    /// A clock that shows zero.
    pub fn start() -> Self {
        Self {
            start: std::time::Instant::now(),
        }
    }

    /// The time since its start.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(self.start.elapsed().as_nanos() as u64)
    }

    /// The same with the time of day.
    pub fn read(&self) -> Reading {
        let day = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Reading {
            now: self.now(),
            day: day.unwrap_or_default(),
        }
    }
}

impl Reading {
    /// When a datagram with that stamp arrived.
    pub fn instant_of(&self, stamp: Option<Duration>) -> Instant {
        let Some(stamp) = stamp else { return self.now };
        let now = self.now.as_nanos();
        let near = |d: &Duration| *d < STEP;
        let nanos = |d: Duration| d.as_nanos() as u64;
        match (self.day.checked_sub(stamp), stamp.checked_sub(self.day)) {
            (Some(before), _) if near(&before) => {
                Instant::from_nanos(now.saturating_sub(nanos(before)))
            }
            (_, Some(after)) if near(&after) => Instant::from_nanos(now + nanos(after)),
            _ => self.now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_become_instants_unless_the_time_of_day_was_set() {
        let reading = Reading {
            now: Instant::from_nanos(5_000_000_000),
            day: Duration::from_secs(1_000),
        };
        let at = |ns: u64| {
            reading
                .instant_of(Some(Duration::from_nanos(ns)))
                .as_nanos()
        };
        assert_eq!(at(999_999_000_000), 4_999_000_000);
        assert_eq!(at(1_000_001_000_000), 5_001_000_000);
        assert_eq!(at(900_000_000_000), 5_000_000_000);
        assert_eq!(reading.instant_of(None), reading.now);
    }
}
