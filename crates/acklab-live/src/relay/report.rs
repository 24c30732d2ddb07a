//! Account of a relay: packets, links, and how late it was.

use super::lateness::Lateness;
use super::path::{Balance, Way};
use acklab_path::link::LinkStats;
use acklab_units::{Instant, Span};

/// The account of a relay from its start to the moment of asking.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How long it has run.
    pub lasted: Span,
    /// Where the packets are that entered the path.
    pub balance: Balance,
    /// Datagrams that left the path and that the kernel did not take: its buffers were full, or there is no
    /// way to the address.
    pub unsent: u64,
    /// Datagrams that did not enter: there were too many clients, they came from a stranger, or they were
    /// longer than an IPv4 packet can be.
    pub turned_away: u64,
    /// Datagrams that the kernel dropped because the relay did not receive them in time. They are in no
    /// other number here.
    pub missed: u64,
    /// Clients that there have been.
    pub sessions: u64,
    /// Name and counters of each link.
    pub links: Vec<(String, LinkStats)>,
    /// How long after their arrival at a socket datagrams entered the path. It is more than nothing
    /// only if the path had gone beyond that instant.
    pub entered_late: Lateness,
    /// How long after they were due datagrams left.
    pub left_late: Lateness,
    /// Datagrams that entered, in order, if they were asked for. The same entries in a
    /// [`Path`](super::Path) of the same plan and seed give the same drops and delays.
    pub entries: Vec<Entered>,
}

/// A datagram that entered the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entered {
    /// When, since the relay's start.
    pub at: Instant,
    /// Its flow.
    pub flow: u32,
    /// Which way it went.
    pub way: Way,
    /// Bytes of the IP packet.
    pub size: u32,
}
