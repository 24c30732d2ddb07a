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
    use super::super::Verdict;
    use super::super::testing::{ack, at, packet};
    use super::*;
    use acklab_proto::registry::{Params, Value};
    use std::vec::Vec;

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

    /// Live traffic numbers its flows as it likes: neither the largest number nor how many there have
    /// been counts, in any filter.
    #[test]
    fn memory_does_not_follow_from_flow_numbers() {
        for entry in FILTERS {
            let mut params = Params::defaults(entry.params);
            // A few where the filter has a table for all.
            let _ = params.set(entry.params, "flows", Value::Int(64));
            let mut filter = (entry.build)(&params);
            let mut out = Vec::new();
            for i in 0..20_000u32 {
                let flow = u32::MAX - i.wrapping_mul(0x10_0001);
                let now = at(u64::from(i) * 100);
                while let Some(t) = filter.next_wakeup().filter(|t| *t <= now) {
                    filter.on_wakeup(t, &mut out);
                }
                filter.on_packet(now, packet(i, flow), &ack(i), &mut out);
                for verdict in out.drain(..) {
                    if let Verdict::Forward(p, _) = verdict {
                        filter.on_left_queue(p.id, p.flow);
                    }
                }
            }
            assert!(filter.rows() <= 64, "{}: {}", entry.name, filter.rows());
        }
    }
}
