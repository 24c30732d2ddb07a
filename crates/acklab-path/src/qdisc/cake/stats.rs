//! The counters of CAKE that `tc -s qdisc show` prints.

use super::ewma;
use super::hash::Ways;
use super::tins::Share;
use acklab_units::{Rate, Span};

/// Counters of one tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    pub packets: u64,
    pub bytes: u64,
    pub drops: u64,
    pub marks: u64,
    pub ack_drops: u64,
    pub sparse: u32,
    pub bulk: u32,
    pub decaying: u32,
    pub unresponsive: u32,
    pub longest: u32,
    pub ways: Ways,
    peak: u64,
    average: u64,
    base: u64,
}

impl Counters {
    /// A packet left after that time.
    pub fn on_delay(&mut self, delay: Span) {
        let delay = delay.as_nanos();
        self.average = ewma(self.average, delay, 8);
        self.peak = ewma(self.peak, delay, if delay > self.peak { 2 } else { 8 });
        self.base = ewma(self.base, delay, if delay < self.base { 2 } else { 8 });
    }

    /// The row of a tin.
    pub fn row(&self, name: &'static str, share: &Share, backlog: u64) -> TinRow {
        TinRow {
            name,
            threshold: share.threshold,
            target: share.times.target,
            interval: share.times.interval,
            peak_delay: Span::from_nanos(self.peak),
            average_delay: Span::from_nanos(self.average),
            sparse_delay: Span::from_nanos(self.base),
            backlog,
            packets: self.packets,
            bytes: self.bytes,
            way_hits: self.ways.hits,
            way_misses: self.ways.misses,
            way_collisions: self.ways.collisions,
            drops: self.drops,
            marks: self.marks,
            ack_drops: self.ack_drops,
            sparse_flows: self.sparse + self.decaying,
            bulk_flows: self.bulk,
            unresponsive_flows: self.unresponsive,
            longest: self.longest,
            quantum: share.flow_quantum,
        }
    }
}

/// One tin as `tc -s` shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TinRow {
    /// Its name in the mode (`Bulk`, `Best Effort`, `Tin 3`).
    pub name: &'static str,
    /// `thresh`: up to this rate it goes first; `None` without a shaper.
    pub threshold: Option<Rate>,
    /// `target` of its control law.
    pub target: Span,
    /// `interval` of its control law.
    pub interval: Span,
    /// `pk_delay`: a mean of waiting times that rises fast.
    pub peak_delay: Span,
    /// `av_delay`: their mean.
    pub average_delay: Span,
    /// `sp_delay`: a mean that falls fast.
    pub sparse_delay: Span,
    /// `backlog` in bytes.
    pub backlog: u64,
    /// `pkts` that arrived.
    pub packets: u64,
    /// `bytes` that arrived, those of dropped ACKs not counted.
    pub bytes: u64,
    /// `way_inds`: packets whose flow has another queue than its first choice.
    pub way_hits: u64,
    /// `way_miss`: packets that took a free queue.
    pub way_misses: u64,
    /// `way_cols`: packets that had to share one.
    pub way_collisions: u64,
    /// `drops`, by the control laws and for want of memory.
    pub drops: u64,
    /// `marks`, on packets that had one before as well.
    pub marks: u64,
    /// `ack_drop`: packets that an ACK filter took out.
    pub ack_drops: u64,
    /// `sp_flows`, those that decay with them.
    pub sparse_flows: u32,
    /// `bk_flows`.
    pub bulk_flows: u32,
    /// `un_flows`: flows that BLUE drops at random.
    pub unresponsive_flows: u32,
    /// `max_len` of a packet in bytes.
    pub longest: u32,
    /// `quantum` of its flows in bytes.
    pub quantum: u32,
}

/// A CAKE as a whole, as `tc -s` shows it above its tins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeRow {
    /// `Sent ... pkt`: packets that left.
    pub packets: u64,
    /// `Sent ... bytes`: their IP bytes.
    pub bytes: u64,
    /// `dropped`, by the control laws, for want of memory, and by an ACK filter.
    pub dropped: u64,
    /// `overlimits`: times that the shaper held packets back.
    pub overlimits: u64,
    /// `backlog` in bytes, and in packets.
    pub backlog: (u64, u32),
    /// `memory used`: most bytes of memory that packets have taken.
    pub memory_used: u64,
    /// `of`: bytes that they may take.
    pub memory_limit: u64,
    /// `capacity estimate`: the rate of the line, by autorate; else the rate of the shaper, if it has one.
    pub capacity: Option<Rate>,
    /// `min/max network layer size`: bytes of the smallest and the largest IP packet; `None` before the
    /// first.
    pub network_sizes: Option<(u32, u32)>,
    /// `min/max overhead-adjusted size`: smallest and largest number of bytes that one counted for.
    pub adjusted_sizes: Option<(u64, u64)>,
}
