//! The queue disciplines that a scenario can name. Drop-tail is not among them: it is what a link has
//! without one, and has a way of its own there.

use super::QueueDisc;
use super::{codel, fq_codel};
use acklab_proto::registry::{Entry, Params};
use alloc::boxed::Box;

/// What a discipline is made of beside its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Packets that may wait.
    pub limit: u32,
    /// What the hash of flows begins with.
    pub perturbation: u32,
}

/// How the registry makes a discipline.
#[derive(Debug)]
pub struct Build {
    /// Packets that may wait if nothing else is said.
    pub limit: u32,
    /// Makes one.
    pub make: fn(&Params, Room) -> Box<dyn QueueDisc>,
}

/// Every discipline, in the order in which `acklab list qdisc` shows them.
pub static DISCIPLINES: &[Entry<Build>] = &[codel::ENTRY, fq_codel::ENTRY];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_builds_from_its_defaults() {
        for entry in DISCIPLINES {
            let room = Room {
                limit: entry.build.limit,
                perturbation: 0,
            };
            let queue = (entry.build.make)(&Params::defaults(entry.params), room);
            assert_eq!(queue.stats(), Default::default(), "{}", entry.name);
        }
    }

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in DISCIPLINES {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }
}
