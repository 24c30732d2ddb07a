//! The counters of each part of a discipline, as `tc -s` prints it: CAKE and its tins, classes of HTB.

use super::cake::stats::{TinRow, WholeRow};
use super::shape::htb::stats::ClassRow;
use alloc::format;
use alloc::string::String;

/// The counters of one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Of a whole CAKE (`tc -s qdisc show`).
    Whole(WholeRow),
    /// Of a tin of CAKE (`tc -s qdisc show`).
    Tin(TinRow),
    /// Of a class of HTB, or a queue of a queue tree (`tc -s class show`).
    Class(ClassRow),
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
    /// The same, of a discipline that stands in a class called `outer`.
    #[must_use]
    pub fn inside(self, outer: &str) -> Self {
        Self {
            name: format!("{outer}/{}", self.name),
            ..self
        }
    }
}
