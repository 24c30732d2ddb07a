//! Waiting for an instant, to the nanosecond where the system can.

use acklab_units::Span;
use mio::{Interest, Registry, Token};
use std::io;
use std::time::Duration;

/// An alarm that ends a poll. Poll's own timeout counts milliseconds; pacing needs microseconds.
#[cfg(target_os = "linux")]
pub struct Alarm {
    fd: std::os::fd::OwnedFd,
    set: bool,
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
        Ok(Self { fd, set: false })
    }

    /// How long a poll may take so that the alarm is heard after `wait`: for ever if it was set.
    pub fn set(&mut self, wait: Option<Span>) -> Option<Duration> {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
        let wait = wait.map(|w| w.as_nanos().max(1));
        if wait.is_none() && !self.set {
            return None;
        }
        let nanos = wait.unwrap_or(0);
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
        self.set = wait.is_some();
        match timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &value) {
            Ok(_) => None,
            Err(_) => wait.map(Duration::from_nanos),
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

    /// How long a poll may take.
    pub fn set(&mut self, wait: Option<Span>) -> Option<Duration> {
        wait.map(|w| Duration::from_nanos(w.as_nanos()))
    }
}
