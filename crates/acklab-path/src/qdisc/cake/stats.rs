//! The counters of CAKE that `tc -s qdisc show` prints.

use super::ewma;
use super::hash::Ways;
use super::tins::Share;
use acklab_units::{Rate, Span};
use alloc::vec::Vec;
use core::fmt;

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

/// All that `tc -s` shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Times that the shaper held a packet back.
    pub overlimits: u64,
    /// Most bytes of memory that packets have taken.
    pub memory_used: u64,
    /// Bytes that they may take.
    pub memory_limit: u64,
    /// The rate of the line, by autorate; else the rate of the shaper.
    pub capacity: Option<Rate>,
    /// Smallest and largest IP packet.
    pub network_sizes: (u32, u32),
    /// Smallest and largest that one counted for.
    pub adjusted_sizes: (u64, u64),
    /// The tins, from the lowest class up.
    pub tins: Vec<TinRow>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, " overlimits {}", self.overlimits)?;
        writeln!(
            f,
            " memory used: {}b of {}b",
            self.memory_used, self.memory_limit
        )?;
        match self.capacity {
            Some(rate) => writeln!(f, " capacity estimate: {rate}")?,
            None => writeln!(f, " capacity estimate: 0bit")?,
        }
        let (least, most) = self.network_sizes;
        writeln!(f, " min/max network layer size: {least:>12} / {most:>7}")?;
        let (least, most) = self.adjusted_sizes;
        writeln!(f, " min/max overhead-adjusted size: {least:>8} / {most:>7}")?;
        writeln!(f)?;
        self.rows(f)
    }
}

/// A line of the table: its name, and the value of a tin.
type Line<'a> = (
    &'a str,
    &'a dyn Fn(&TinRow, &mut fmt::Formatter<'_>) -> fmt::Result,
);

impl Table {
    fn rows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: [Line<'_>; 19] = [
            ("", &|t, f| write!(f, "{:>16}", t.name)),
            ("thresh", &|t, f| match t.threshold {
                Some(rate) => f.pad(&alloc::format!("{:>16}", alloc::format!("{rate}"))),
                None => write!(f, "{:>16}", "0bit"),
            }),
            ("target", &|t, f| span(t.target, f)),
            ("interval", &|t, f| span(t.interval, f)),
            ("pk_delay", &|t, f| span(t.peak_delay, f)),
            ("av_delay", &|t, f| span(t.average_delay, f)),
            ("sp_delay", &|t, f| span(t.sparse_delay, f)),
            ("backlog", &|t, f| write!(f, "{:>15}b", t.backlog)),
            ("pkts", &|t, f| write!(f, "{:>16}", t.packets)),
            ("bytes", &|t, f| write!(f, "{:>16}", t.bytes)),
            ("way_inds", &|t, f| write!(f, "{:>16}", t.way_hits)),
            ("way_miss", &|t, f| write!(f, "{:>16}", t.way_misses)),
            ("way_cols", &|t, f| write!(f, "{:>16}", t.way_collisions)),
            ("drops", &|t, f| write!(f, "{:>16}", t.drops)),
            ("marks", &|t, f| write!(f, "{:>16}", t.marks)),
            ("ack_drop", &|t, f| write!(f, "{:>16}", t.ack_drops)),
            ("sp_flows", &|t, f| write!(f, "{:>16}", t.sparse_flows)),
            ("bk_flows", &|t, f| write!(f, "{:>16}", t.bulk_flows)),
            ("quantum", &|t, f| write!(f, "{:>16}", t.quantum)),
        ];
        for (name, value) in lines {
            write!(f, "  {name:<9}")?;
            for tin in &self.tins {
                value(tin, f)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn span(span: Span, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let us = span.as_micros();
    let text = if us >= 1000 {
        alloc::format!("{}.{}ms", us / 1000, us % 1000 / 100)
    } else {
        alloc::format!("{us}us")
    };
    write!(f, "{text:>16}")
}
