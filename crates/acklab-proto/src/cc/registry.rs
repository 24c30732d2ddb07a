//! The controllers that a scenario can name.

use super::{Build, cubic, fixed, newreno, rate, vegas};
use crate::registry::Entry;

/// Every controller, in the order in which `acklab list cc` shows them.
pub static CONTROLLERS: &[Entry<Build>] = &[
    // loss- and delay-based
    Entry {
        name: "newreno",
        aliases: &["reno"],
        summary: "Additive increase, halving on loss; Linux's, RFC 3465's and ns-3's way of \
                  counting ACKs.",
        source: "RFC 5681, RFC 6582, RFC 3465; Linux net/ipv4/tcp_cong.c; ns-3.44 \
                 tcp-congestion-ops.cc, tcp-linux-reno.cc",
        params: newreno::PARAMS,
        build: newreno::build,
    },
    Entry {
        name: "linuxreno",
        aliases: &[],
        summary: "Reno that counts segments, in ns-3 as well.",
        source: "Linux net/ipv4/tcp_cong.c; ns-3.44 tcp-linux-reno.cc",
        params: newreno::LINUX_RENO_PARAMS,
        build: newreno::build_linux_reno,
    },
    Entry {
        name: "cubic",
        aliases: &[],
        summary: "Window as a cubic function of the time since the last loss; HyStart or \
                  HyStart++.",
        source: "RFC 9438, RFC 9406; Linux net/ipv4/tcp_cubic.c; ns-3.44 tcp-cubic.cc",
        params: cubic::PARAMS,
        build: cubic::build,
    },
    Entry {
        name: "vegas",
        aliases: &[],
        summary: "Holds a few segments in the queue, judged by the RTT once a round.",
        source: "Brakmo and Peterson 1995; Linux net/ipv4/tcp_vegas.c; ns-3.44 tcp-vegas.cc",
        params: vegas::PARAMS,
        build: vegas::build,
    },
    Entry {
        name: "fixed",
        aliases: &[],
        summary: "A window that never changes.",
        source: "for experiments",
        params: fixed::PARAMS,
        build: fixed::build,
    },
    Entry {
        name: "rate",
        aliases: &[],
        summary: "A pacing rate that never changes.",
        source: "for experiments",
        params: rate::PARAMS,
        build: rate::build,
    },
    // BBR
    super::bbr1::ENTRY,
    super::bbr2::ENTRY,
    super::bbr3::ENTRY,
    super::bbr3::wifi::ENTRY,
    super::bbr_tack::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ack_clock::init;
    use crate::registry::{Params, find};

    #[test]
    fn every_controller_is_made_from_its_defaults() {
        for entry in CONTROLLERS {
            let cc = (entry.build)(&Params::defaults(entry.params), init(10));
            assert!(cc.cwnd() > 0, "{}", entry.name);
            assert!(!cc.state().is_empty(), "{}", entry.name);
        }
    }

    #[test]
    fn names_and_aliases_are_unique() {
        for entry in CONTROLLERS {
            for name in entry.aliases.iter().chain([&entry.name]) {
                assert!(
                    core::ptr::eq(find(CONTROLLERS, name).unwrap(), entry),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn the_thesis_and_kernel_names_resolve() {
        for name in [
            "newreno",
            "reno",
            "linuxreno",
            "cubic",
            "vegas",
            "fixed",
            "rate",
        ] {
            assert!(find(CONTROLLERS, name).is_some(), "{name}");
        }
    }
}
