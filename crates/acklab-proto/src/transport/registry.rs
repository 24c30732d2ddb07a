//! The transports that a scenario can name.

use crate::cbr;
use crate::registry::Entry;
use crate::rtp;
use crate::tack;

/// Which protocol both ends of a flow speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Protocol {
    /// TCP. A flow's `cc`, `ack` and `tcp` belong to it.
    Tcp,
    /// A constant rate over UDP.
    Cbr,
    /// TACK. A flow's `cc` belongs to it, too.
    Tack,
    /// RTP over UDP.
    Rtp,
}

/// Every transport, in the order in which `acklab list transport` shows them.
pub static TRANSPORTS: &[Entry<Protocol>] = &[
    Entry {
        name: "tcp",
        aliases: &[],
        summary: "TCP; the flow's `cc`, `ack` and `tcp` say which.",
        source: "RFC 9293",
        params: &[],
        build: Protocol::Tcp,
    },
    cbr::ENTRY,
    tack::ENTRY,
    rtp::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Params;

    #[test]
    fn every_default_fits_its_own_parameter() {
        for entry in TRANSPORTS {
            for p in entry.params {
                let mut params = Params::defaults(entry.params);
                params.set(entry.params, p.name, p.default).unwrap();
            }
        }
    }
}
