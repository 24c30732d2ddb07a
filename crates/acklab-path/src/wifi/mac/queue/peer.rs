//! The state of a queue for one peer.

use crate::qdisc::slab::{List, Slab, Waiting};
use crate::wifi::agreement::Allowed;
use crate::wifi::mac::originator::Originator;
use crate::wifi::mac::sizes::Limits;
use acklab_units::Instant;

/// Numbered MPDUs and what waits behind them.
#[derive(Debug)]
pub(super) struct Peer {
    pub originator: Originator,
    /// Packets that have no number yet.
    pub waiting: List,
    /// How many.
    pub waiting_packets: u32,
    /// Bytes of IP packets that wait here or are in MPDUs.
    pub below: u64,
    /// Since when the first of those packets waits that are kept back for answers to take along,
    /// while there is nothing else.
    pub kept: Option<Instant>,
    /// The sizes allowed at the last build.
    pub limits: Limits,
    /// The sizes that may be sent while there is no agreement.
    pub allowed: Allowed,
}

impl Default for Peer {
    fn default() -> Self {
        Self {
            originator: Originator::default(),
            waiting: List::default(),
            waiting_packets: 0,
            below: 0,
            kept: None,
            limits: Limits::SINGLE,
            allowed: Allowed::Everything,
        }
    }
}

impl Peer {
    /// Whether there is a block ack agreement.
    #[inline]
    pub fn agreement(&self) -> bool {
        self.limits.ampdu > 0
    }

    /// MPDUs that may be unacknowledged at once.
    #[inline]
    pub fn window(&self) -> u16 {
        if self.agreement() {
            self.limits.window
        } else {
            1
        }
    }

    /// A packet waits for its number.
    #[inline]
    pub fn push(&mut self, slab: &mut Slab, waiting: Waiting) {
        self.waiting_packets += 1;
        self.below += u64::from(waiting.packet.size);
        slab.push(&mut self.waiting, waiting);
    }

    /// Whether there is neither an MPDU nor a packet.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.originator.first_pending().is_none()
    }

    /// Whether there is an MPDU to be sent again, or a BlockAckReq.
    #[inline]
    pub fn has_repeats(&self) -> bool {
        self.originator.bar().is_some() || self.originator.first_pending().is_some()
    }

    /// When the oldest packet arrived.
    #[inline]
    fn oldest(&self, slab: &Slab) -> Option<Instant> {
        match self.originator.first_pending() {
            Some(seq) => Some(self.originator.slot(seq).oldest),
            None => slab.front(&self.waiting).map(|w| w.since),
        }
    }

    /// Its place among those that contend; `None` = it has nothing, or keeps it back.
    #[inline]
    pub fn due(&self, slab: &Slab) -> Option<u64> {
        match self.kept {
            None => self.key(slab),
            Some(_) => None,
        }
    }

    /// Its place in the order of a shared queue: control frames before data, as in ns-3's
    /// `FcfsWifiQueueScheduler`, and what is older before what is younger.
    #[inline]
    pub fn key(&self, slab: &Slab) -> Option<u64> {
        if self.originator.bar().is_some() {
            return Some(0);
        }
        if self.allowed == Allowed::Nothing {
            return None;
        }
        self.oldest(slab).map(Self::key_of)
    }

    /// The key of a peer whose oldest packet arrived `at`, and which has nothing to ask.
    #[inline]
    pub fn key_of(at: Instant) -> u64 {
        at.as_nanos().saturating_add(1)
    }
}
