//! The queue disciplines that a scenario can name, and what each is given where it is to stand.

use super::shape::{htb, queue_tree, tbf};
use super::{Limit, QueueDisc};
use super::{cake, codel, fq_codel, head_drop, pfifo, pie, red};
use acklab_proto::registry::{Entry, Params, find};
use acklab_proto::rng::{self, Rng};
use acklab_units::{self as units, Rate};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The surroundings that a discipline needs beside its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    /// How much may wait; of a kind that [`Build::counts`] allows.
    pub limit: Limit,
    /// The rate of the line behind it; `None` = nobody knows, or without limit.
    pub rate: Option<Rate>,
    /// Bytes of the largest packets that are expected.
    pub packet: u32,
    seed: u64,
    path: String,
}

impl Room {
    /// At `path`, for example `link/bottleneck/qdisc`, of a run with the root seed `seed`. Packets may
    /// be as long as on Ethernet, and the line's rate is not known.
    pub fn new(limit: Limit, seed: u64, path: impl Into<String>) -> Self {
        Self {
            limit,
            rate: None,
            packet: 1500,
            seed,
            path: path.into(),
        }
    }

    /// The same in front of a line of that rate, for packets of up to so many bytes.
    #[must_use]
    pub fn before(self, rate: Option<Rate>, packet: Option<u32>) -> Self {
        Self {
            rate,
            packet: packet.unwrap_or(self.packet),
            ..self
        }
    }

    /// A stream of random numbers of its own. Nobody else draws from it, and whoever is added or left
    /// out elsewhere does not move it.
    pub fn rng(&self) -> Rng {
        rng::stream(self.seed, &self.path)
    }

    /// For a discipline inside this one, called `name` there.
    #[must_use]
    pub fn inside(&self, name: &str, limit: Limit) -> Self {
        Self {
            limit,
            path: format!("{}/{name}", self.path),
            ..self.clone()
        }
    }

    /// Makes the discipline that `params` have in `key`, or `default` with its limit if they have none.
    ///
    /// # Panics
    /// If there is no discipline of that name: whoever reads `params` keeps that away.
    pub fn child(
        &self,
        params: &Params,
        key: &str,
        default: (&str, Option<units::Limit>),
    ) -> Box<dyn QueueDisc> {
        let block = params.block(key);
        let (name, limit) = block.map_or(default, |b| (b.name, b.limit));
        let entry = find(DISCIPLINES, name)
            .unwrap_or_else(|| panic!("{}: no discipline {name:?}", self.path));
        let limit = match limit {
            None => entry.build.limit,
            Some(units::Limit::Packets(n)) => Limit::Packets(n),
            Some(units::Limit::Bytes(n)) => Limit::Bytes(n.0),
            Some(units::Limit::MicroBdp(_)) => panic!("{}: a limit by rate", self.path),
        };
        let defaults;
        let params = match block {
            Some(block) => &block.params,
            None => {
                defaults = Params::defaults(entry.params);
                &defaults
            }
        };
        (entry.build.make)(params, self.inside(key, limit))
    }

    /// The limit of a discipline that counts packets.
    ///
    /// # Panics
    /// If it is in bytes: [`Counts::Packets`] keeps that away.
    pub fn packets(&self) -> u32 {
        match self.limit {
            Limit::Packets(most) => most,
            Limit::Bytes(_) => panic!("{} counts packets", self.path),
        }
    }
}

/// The units in which the limit of a discipline may be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Packets or bytes, as the user likes.
    Either,
    /// Nothing: packets wait in the disciplines inside, each with a limit of its own.
    Inside,
    /// Memory, by a parameter of its own.
    Memory,
}

impl Counts {
    /// Whether the discipline has a limit of its own, beside its parameters.
    pub const fn has_limit(self) -> bool {
        !matches!(self, Self::Inside | Self::Memory)
    }
}

/// How the registry makes a discipline.
#[derive(Debug)]
pub struct Build {
    /// How much may wait if nothing else is said.
    pub limit: Limit,
    /// The further parameters.
    pub counts: Counts,
    /// The mistake in parameters that are each right by themselves.
    pub check: fn(&Params) -> Option<Mistake>,
    /// Makes one.
    pub make: fn(&Params, Room) -> Box<dyn QueueDisc>,
}

/// Parameters that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Where, from the discipline inwards.
    pub at: Vec<At>,
    /// The mistake.
    pub message: String,
    /// A value that would be right.
    pub hint: String,
}

/// A step to a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// The parameter of that name.
    Key(&'static str),
    /// The table of that number, from 0.
    Index(usize),
}

impl Mistake {
    /// In the parameter of that name.
    pub fn in_key(key: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            at: [At::Key(key)].into(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// The limit of a discipline that has none of its own ([`Counts::has_limit`]).
pub const INSIDE: Limit = Limit::Packets(u32::MAX);

/// Of a discipline whose parameters cannot contradict each other.
pub fn any_params(_: &Params) -> Option<Mistake> {
    None
}

/// Every discipline, in the order in which `acklab list qdisc` shows them.
pub static DISCIPLINES: &[Entry<Build>] = &[
    pfifo::ENTRY,
    pfifo::IN_BYTES,
    head_drop::ENTRY,
    codel::ENTRY,
    fq_codel::ENTRY,
    cake::ENTRY,
    pie::ENTRY,
    red::ENTRY,
    tbf::ENTRY,
    htb::ENTRY,
    queue_tree::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_builds_from_its_defaults() {
        for entry in DISCIPLINES {
            let room = Room::new(entry.build.limit, 1, "link/a->b/qdisc");
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

    #[test]
    fn every_default_limit_is_of_a_kind_that_is_counted() {
        for entry in DISCIPLINES {
            let fits = match entry.build.counts {
                Counts::Packets => matches!(entry.build.limit, Limit::Packets(_)),
                Counts::Bytes => matches!(entry.build.limit, Limit::Bytes(_)),
                Counts::Either | Counts::Inside | Counts::Memory => true,
            };
            assert!(fits, "{}", entry.name);
        }
    }

    /// Its path is part of the file format, like a seed.
    #[test]
    fn each_place_has_a_stream_of_its_own() {
        let room = Room::new(Limit::Packets(1), 7, "link/a->b/qdisc");
        let child = room.inside("bulk", Limit::Bytes(3000));
        assert_eq!(room.rng(), rng::stream(7, "link/a->b/qdisc"));
        assert_eq!(child.rng(), rng::stream(7, "link/a->b/qdisc/bulk"));
        assert_eq!((room.packets(), child.limit), (1, Limit::Bytes(3000)));
    }
}
