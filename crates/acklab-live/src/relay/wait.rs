//! Waiting for datagrams and for an instant, whichever comes first.

use super::socket::Socket;
use acklab_units::Span;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, OwnedFd};
use rustix::time::Timespec;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Sockets that one call names.
const NAMED: usize = 64;
/// Names of what is no socket.
const TIMER: u64 = u64::MAX;
const BELL: u64 = u64::MAX - 1;

/// Events that a relay waits for: its sockets, a timer of the kernel with nanoseconds, and a bell.
#[derive(Debug)]
pub(super) struct Waiter {
    epoll: OwnedFd,
    timer: OwnedFd,
    bell: Arc<OwnedFd>,
}

/// Ends a wait from another thread.
#[derive(Clone, Debug)]
pub(super) struct Bell(Arc<OwnedFd>);

impl Bell {
    /// Rings: the wait that goes on, or the next one, ends at once.
    pub fn ring(&self) {
        // It can fail only if it has been rung 2^64 - 2 times.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

/// How long to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Patience {
    /// Only look.
    None,
    /// So long at most.
    Up(Span),
}

impl Waiter {
    /// A waiter without sockets.
    pub fn new() -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        let bell = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        epoll::add(&epoll, &bell, EventData::new_u64(BELL), EventFlags::IN)?;
        Ok(Self { epoll, timer, bell })
    }

    /// A bell that ends a wait from elsewhere.
    pub fn bell(&self) -> Bell {
        Bell(Arc::clone(&self.bell))
    }

    /// Listens to a socket under that name.
    pub fn add(&self, socket: &Socket, name: u32) -> io::Result<()> {
        let data = EventData::new_u64(u64::from(name));
        Ok(epoll::add(
            &self.epoll,
            socket.as_fd(),
            data,
            EventFlags::IN,
        )?)
    }

    /// Waits, and puts the names of the sockets that have something into `ready`.
    pub fn wait(&self, patience: Patience, ready: &mut Vec<u32>) -> io::Result<()> {
        let at_once = Timespec::default();
        let timeout = match patience {
            Patience::None => Some(&at_once),
            Patience::Up(span) => {
                self.set(span)?;
                None
            }
        };
        ready.clear();
        let mut events = [const { MaybeUninit::<Event>::uninit() }; NAMED];
        match epoll::wait(&self.epoll, &mut events, timeout) {
            Ok((named, _)) => {
                let mut rung = false;
                for name in named.iter().map(|e| e.data.u64()) {
                    match name {
                        TIMER => {}
                        BELL => rung = true,
                        socket => ready.push(socket as u32),
                    }
                }
                if rung {
                    self.silence();
                }
                Ok(())
            }
            Err(rustix::io::Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    fn silence(&self) {
        // Nothing is wrong if another wait has done it.
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
    }

    /// Sets the timer, which forgets whether it has run out before.
    fn set(&self, span: Span) -> io::Result<()> {
        // Zero would stop it.
        let ns = span.as_nanos().max(1);
        let value = Timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as _,
        };
        let once = Itimerspec {
            it_interval: Timespec::default(),
            it_value: value,
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_wait_ends_by_time_by_datagram_and_by_bell() {
        let waiter = Waiter::new().unwrap();
        let socket = Socket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        waiter.add(&socket, 7).unwrap();
        let mut ready = vec![3];
        let start = Instant::now();
        waiter
            .wait(Patience::Up(Span::from_millis(5)), &mut ready)
            .unwrap();
        assert!(ready.is_empty() && start.elapsed() >= Duration::from_millis(5));
        let sender = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.send_to(b"x", socket.address().unwrap()).unwrap();
        waiter
            .wait(Patience::Up(Span::from_secs(9)), &mut ready)
            .unwrap();
        assert_eq!(ready, [7]);
        let bell = waiter.bell();
        let mut batch = super::super::socket::Batch::default();
        assert!(
            !socket
                .receive(&mut batch, |r| assert_eq!(r.payload, b"x"))
                .unwrap()
        );
        std::thread::spawn(move || bell.ring());
        waiter
            .wait(Patience::Up(Span::from_secs(9)), &mut ready)
            .unwrap();
        assert!(ready.is_empty() && start.elapsed() < Duration::from_secs(9));
        waiter.wait(Patience::None, &mut ready).unwrap();
    }
}
