//! The ACK filters that a scenario can name.

use super::{Build, aggregate, android, cake, tac};
use acklab_proto::registry::Entry;

/// Every filter, in the order in which `acklab list filter` shows them.
pub static FILTERS: &[Entry<Build>] = &[
    aggregate::ENTRY,
    android::ENTRY,
    android::replace::ENTRY,
    cake::ENTRY,
    tac::ENTRY,
    tac::PAPER,
];

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_proto::registry::Params;

    #[test]
    fn every_entry_builds_from_its_defaults() {
        for entry in FILTERS {
            let filter = (entry.build)(&Params::defaults(entry.params));
            assert_eq!(filter.next_wakeup(), None, "{}", entry.name);
            assert_eq!(filter.stats(), Default::default(), "{}", entry.name);
        }
    }

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in FILTERS {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }
}
