//! Whoever looks over a session's shoulder.

use acklab_proto::ack::AckReason;
use acklab_proto::tack::TackEndpoint;
use acklab_proto::tack::wire::Packet;
use acklab_units::Instant;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A packet, the control frames in it, and the bytes that it has as an IP packet.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// Its control frames.
    pub control: &'a [u8],
    /// Bytes with IP and UDP headers. Those of IPv4 count, as in the simulator.
    pub size: u32,
}

impl<'a> Told<'a> {
    /// A packet that travels by itself.
    pub const fn of(packet: &'a Packet, control: &'a [u8]) -> Self {
        Self {
            packet,
            control,
            size: packet.ip_len(),
        }
    }
}

/// Sees what a session does, and does nothing. Instants are those of the session's driver.
pub trait Watcher: Any + Send {
    /// Something is about to happen: until now, everything was as `is` shows it.
    fn before(&mut self, now: Instant, is: &TackEndpoint);

    /// A packet leaves; `due` is why a TACK was due before, if one was.
    fn on_sent(&mut self, now: Instant, told: Told<'_>, due: Option<AckReason>, is: &TackEndpoint);

    /// A packet was opened, and the endpoint has digested it.
    fn on_arrived(&mut self, now: Instant, told: Told<'_>, is: &TackEndpoint);

    /// A timer expired, or the application has read or written.
    fn on_timer(&mut self, now: Instant, is: &TackEndpoint);
}

/// A watcher that session and application share.
pub type Shared = Arc<Mutex<dyn Watcher>>;

/// Looks at a watcher, whatever has happened to a thread that looked before.
pub fn lock<'a>(
    watcher: &'a Mutex<dyn Watcher + 'static>,
) -> MutexGuard<'a, dyn Watcher + 'static> {
    watcher.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a watcher for each session of an endpoint. It is told which instant of the system's clock is
/// one second on the driver's.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn(std::time::Instant) -> Shared + Send + Sync>);

impl Watch {
    /// Watchers that `make` makes.
    pub fn new(make: impl Fn(std::time::Instant) -> Shared + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    pub(crate) fn watcher(&self, origin: std::time::Instant) -> Shared {
        self.0(origin)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
