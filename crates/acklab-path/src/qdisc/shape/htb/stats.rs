//! The counters of HTB that `tc -s class show` prints.

use crate::qdisc::Stats;
use acklab_units::Rate;

/// Counters of one class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    pub packets: u64,
    pub bytes: u64,
    pub overlimits: u64,
    pub lended: u64,
    pub borrowed: u64,
}

impl Counters {
    /// A packet of `size` bytes left through the class: on its own tokens; or else on those of a class above.
    /// That `shut` its ceiling (`htb_change_class_mode`).
    #[inline]
    pub fn on_sent(&mut self, size: u64, lends: bool, borrows: bool, shut: bool) {
        self.packets += 1;
        self.bytes += size;
        self.lended += u64::from(lends);
        self.borrowed += u64::from(borrows);
        self.overlimits += u64::from(shut);
    }
}

/// One class as `tc -s class show` prints it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassRow {
    /// `level`: 0 of leaves, more of the classes above them.
    pub level: u8,
    /// `prio` and `quantum`; `None` of classes in which no packets wait.
    pub turn: Option<(u8, u32)>,
    /// `rate` of its own.
    pub rate: Rate,
    /// `ceil`.
    pub ceil: Rate,
    /// `Sent ... pkt`: packets that left through it.
    pub packets: u64,
    /// `Sent ... bytes`, as it counts them: with what `overhead` adds.
    pub bytes: u64,
    /// `dropped`: packets that its discipline refused; none of classes in which no packets wait.
    pub dropped: u64,
    /// `overlimits`: times that it came into the mode in which it may not send.
    pub overlimits: u64,
    /// `backlog` in bytes, and in packets.
    pub backlog: (u64, u32),
    /// `lended`: packets that left on its own tokens, those of classes below included.
    pub lended: u64,
    /// `borrowed`: packets that left through it on the tokens of a class above.
    pub borrowed: u64,
}

impl ClassRow {
    /// The row of a class that has counted so much, over a queue with these counters.
    pub(super) fn new(of: &super::Class, turn: Option<(u8, u32)>, queue: Stats) -> Self {
        let (rate, ceil) = of.rates();
        let Counters {
            packets,
            bytes,
            overlimits,
            lended,
            borrowed,
        } = of.counters;
        Self {
            level: of.level as u8,
            turn,
            rate,
            ceil,
            packets,
            bytes,
            dropped: queue.refused,
            overlimits,
            backlog: (queue.bytes, queue.packets),
            lended,
            borrowed,
        }
    }
}
