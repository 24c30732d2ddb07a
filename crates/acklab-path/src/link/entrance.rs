//! Where packets enter a link that loses them there or stands still now and then.
//!
//! The fate of a packet that meets a pause is known then, although it comes at the end of the
//! pause. The driver learns it at once, with the instant; the counters count it at that instant,
//! which may lie behind the end of a run.

use super::{Link, LinkDriver, LinkStats};
use crate::impair::{Entry, ImpairConfig, LinkStreams};
use crate::packet::{DropReason, Packet};
use acklab_units::Instant;
use alloc::collections::VecDeque;

/// The near end of a link at which something can happen to packets.
#[derive(Debug)]
pub(super) struct Entrance {
    entry: Entry,
    /// When somebody last looked at the link.
    now: Instant,
    /// Drops that happen after that, in their order.
    ahead: VecDeque<(Instant, DropReason)>,
}

impl Entrance {
    /// The impairments of `config`; `None` if nothing ever happens.
    pub fn new(config: &ImpairConfig, streams: &LinkStreams) -> Option<Self> {
        Some(Self {
            entry: Entry::new(config, streams)?,
            now: Instant::ZERO,
            ahead: VecDeque::new(),
        })
    }

    /// When a packet that arrives at `now` gets in, and never if it is lost.
    pub fn admits(&mut self, now: Instant, stats: &mut LinkStats) -> Option<Instant> {
        self.look(now, stats);
        self.entry.admits(now)
    }

    /// Somebody looks at the link: what was to be dropped by `now` is.
    pub fn look(&mut self, now: Instant, stats: &mut LinkStats) {
        self.now = self.now.max(now);
        while let Some((at, reason)) = self.ahead.front()
            && *at <= self.now
        {
            stats.on_dropped(*reason);
            self.ahead.pop_front();
        }
    }

    /// Whether something that happens `at` is yet to come; then it is counted when it comes.
    pub fn postpones(&mut self, at: Instant, reason: DropReason) -> bool {
        if at <= self.now {
            return false;
        }
        debug_assert!(
            self.ahead.back().is_none_or(|last| last.0 <= at),
            "drops are told in their order"
        );
        self.ahead.push_back((at, reason));
        true
    }

    /// Packets that are to be dropped.
    pub fn doomed(&self) -> u64 {
        self.ahead.len() as u64
    }
}

/// Counts a drop that happens `at`, now or when the time has come.
#[cold]
pub(super) fn count_drop(
    entrance: Option<&mut Entrance>,
    stats: &mut LinkStats,
    at: Instant,
    reason: DropReason,
) {
    if !entrance.is_some_and(|e| e.postpones(at, reason)) {
        stats.on_dropped(reason);
    }
}

impl Link {
    /// Packets that met a pause and will be dropped at its end: inside of the link, and no longer in its
    /// driver's store.
    pub fn doomed(&self) -> u64 {
        self.entrance.as_ref().map_or(0, |e| e.doomed())
    }

    /// Counts what was decided in advance and has happened by `now`.
    #[inline]
    pub(super) fn look(&mut self, now: Instant) {
        if let Some(entrance) = &mut self.entrance {
            entrance.look(now, &mut self.stats);
        }
    }

    #[cold]
    pub(super) fn drop<D: LinkDriver>(
        &mut self,
        now: Instant,
        packet: Packet,
        reason: DropReason,
        driver: &mut D,
    ) {
        count_drop(self.entrance.as_deref_mut(), &mut self.stats, now, reason);
        driver.on_drop(now, packet, reason);
    }
}
