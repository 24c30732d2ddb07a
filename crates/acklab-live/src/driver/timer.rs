//! Waiting for an instant, to the nanosecond where the system can.

use acklab_units::Instant;
use mio::{Interest, Registry, Token};
use std::io;
use std::time::Duration;

/// An alarm that ends a poll. Poll's own timeout counts milliseconds; pacing needs microseconds.
///
/// Setting a timer costs 15 us in a virtual machine, as it programs the processor's clock. So one that is set
/// too early stays: the poll ends once for nothing, and sets it then.
#[cfg(target_os = "linux")]
pub struct Alarm {
    fd: std::os::fd::OwnedFd,
    /// When it goes off.
    set: Option<Instant>,
}

#[cfg(target_os = "linux")]
impl Alarm {
    /// An alarm that is reported as `token`.
    ///
    /// # Errors
    /// The system's.
    pub fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        use std::os::fd::AsRawFd;
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let mut source = mio::unix::SourceFd(&fd.as_raw_fd());
        registry.register(&mut source, token, Interest::READABLE)?;
        Ok(Self { fd, set: None })
    }

    /// How long a poll may take so that it ends at `at`, or before: for ever if the alarm ends it.
    pub fn set(&mut self, now: Instant, at: Option<Instant>) -> Option<Duration> {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
        let at = at?;
        let wait = at.saturating_since(now);
        if wait.is_zero() {
            return Some(Duration::ZERO);
        }
        if self.set.is_some_and(|set| now < set && set <= at) {
            return None;
        }
        let nanos = wait.as_nanos();
        let value = Itimerspec {
            it_interval: Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: Timespec {
                tv_sec: (nanos / 1_000_000_000) as i64,
                tv_nsec: (nanos % 1_000_000_000) as _,
            },
        };
        match timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &value) {
            Ok(_) => {
                self.set = Some(at);
                None
            }
            Err(_) => {
                self.set = None;
                Some(Duration::from_nanos(nanos))
            }
        }
    }
}

/// An alarm that ends a poll, to the millisecond.
#[cfg(not(target_os = "linux"))]
pub struct Alarm;

#[cfg(not(target_os = "linux"))]
impl Alarm {
    /// An alarm.
    ///
    /// # Errors
    /// None.
    pub fn new(_: &Registry, _: Token) -> io::Result<Self> {
        let _ = Interest::READABLE;
        Ok(Self)
    }

    /// How long a poll may take so that it ends at `at`.
    pub fn set(&mut self, now: Instant, at: Option<Instant>) -> Option<Duration> {
        at.map(|at| Duration::from_nanos(at.saturating_since(now).as_nanos()))
    }
}
