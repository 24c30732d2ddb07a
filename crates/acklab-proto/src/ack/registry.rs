//! The ACK policies that a scenario can name.

use super::{Build, ack_frequency, byte_counting, delayed, linux, per_packet, periodic, tarr};
use crate::registry::Entry;

/// Every policy, in the order in which `acklab list ack` shows them.
pub static POLICIES: &[Entry<Build>] = &[
    linux::ENTRY,
    delayed::ENTRY,
    per_packet::ENTRY,
    byte_counting::ENTRY,
    periodic::ENTRY,
    tarr::ENTRY,
    ack_frequency::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Params, find};

    #[test]
    fn every_entry_builds_from_its_defaults() {
        for entry in POLICIES {
            let policy = (entry.build)(&Params::defaults(entry.params));
            assert_eq!(policy.next_timeout(), None, "{}", entry.name);
        }
    }

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in POLICIES {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }

    #[test]
    fn names_are_unique_and_profiles_find_theirs() {
        for (i, entry) in POLICIES.iter().enumerate() {
            let found = find(POLICIES, entry.name).unwrap();
            assert!(core::ptr::eq(found, &POLICIES[i]), "{}", entry.name);
        }
        for name in ["linux", "delayed"] {
            assert!(find(POLICIES, name).is_some());
        }
    }
}
