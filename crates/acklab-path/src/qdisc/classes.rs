//! The counters of each part of a discipline, as `tc -s` prints it: CAKE and its tins, classes of HTB, CoDel and
//! FQ-CoDel.

use super::Stats;
use super::cake::stats::{TinRow, WholeRow};
use super::shape::htb::stats::ClassRow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The counters of one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Of a whole CAKE (`tc -s qdisc show`).
    Whole(WholeRow),
    /// Of a tin of CAKE (`tc -s qdisc show`).
    Tin(TinRow),
    /// Of a class of HTB, or a queue of a queue tree (`tc -s class show`).
    Class(ClassRow),
    /// Of a CoDel or an FQ-CoDel (`tc -s qdisc show`).
    Queue(QueueRow),
}

/// What CoDel and FQ-CoDel count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueRow {
    /// What every discipline counts.
    pub stats: Stats,
    /// `Sent ... bytes`: bytes of the packets that left.
    pub sent: u64,
    /// `drop_overlimit`: packets that had to go because too many waited.
    pub overlimit: u64,
}

/// One part of a discipline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its name, of a whole CAKE `cake`; behind the names of the classes in which its discipline stands: `bulk/Best Effort`.
    pub name: String,
    /// Its counters.
    pub counts: Counts,
}

impl Row {
    /// The one row of a discipline that has no parts.
    pub(super) fn of_queue(name: &str, stats: Stats, sent: u64, overlimit: u64) -> Vec<Self> {
        let row = QueueRow {
            stats,
            sent,
            overlimit,
        };
        alloc::vec![Self {
            name: name.into(),
            counts: Counts::Queue(row),
        }]
    }

    /// The same, of a discipline that stands in a class called `outer`.
    #[must_use]
    pub fn inside(self, outer: &str) -> Self {
        Self {
            name: format!("{outer}/{}", self.name),
            ..self
        }
    }
}
