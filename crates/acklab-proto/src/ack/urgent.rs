//! Arrivals that may not wait: what the RFCs want acknowledged at once.

use super::{AckReason, Arrival};
use crate::registry::{Kind, Param, Params, Value};

/// Parameter `out_of_order`, common to the counting and the periodic policies.
pub(super) const OUT_OF_ORDER: Param = Param {
    name: "out_of_order",
    doc: "Out-of-order data, filled gaps and duplicates: \"immediate\" acknowledges each at once \
          (RFC 5681 section 4.2), \"thin\" treats them like any other segment.",
    kind: Kind::Choice(&["immediate", "thin"]),
    default: Value::Choice("immediate"),
};

/// Parameter `push`, common to the counting and the periodic policies.
pub(super) const PUSH: Param = Param {
    name: "push",
    doc: "Acknowledge a segment with PSH or FIN at once; no RFC asks for it.",
    kind: Kind::Bool,
    default: Value::Bool(false),
};

/// Which arrivals a policy lets jump the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Urgent {
    /// Out-of-order data, a gap filled in full or in part, duplicates.
    pub(super) out_of_order: bool,
    /// PSH or FIN.
    pub(super) push: bool,
}

impl Urgent {
    /// The rules as the parameters [`OUT_OF_ORDER`] and [`PUSH`] have them.
    pub(super) fn from_params(params: &Params) -> Self {
        Self {
            out_of_order: params.choice(OUT_OF_ORDER.name) == "immediate",
            push: params.bool(PUSH.name),
        }
    }

    /// Why `arrival` must be acknowledged now, if it must.
    ///
    /// A changed ECN echo never waits: the sender learns of congestion by it (RFC 3168 section
    /// 6.1.3), and a counter cannot make up for it later.
    pub(super) fn reason(self, arrival: &Arrival) -> Option<AckReason> {
        if arrival.ecn_change {
            Some(AckReason::Ecn)
        } else if self.out_of_order && is_out_of_order(arrival) {
            Some(AckReason::OutOfOrder)
        } else if self.push && arrival.push {
            Some(AckReason::Push)
        } else {
            None
        }
    }
}

/// RFC 5681 section 4.2: data above a gap, data that fills a gap in full or in part, and (RFC 9293
/// section 3.10.7.4) what had been received before.
pub(super) fn is_out_of_order(arrival: &Arrival) -> bool {
    arrival.duplicate || !arrival.in_order || arrival.had_gap
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::testing::{What, arrival};

    const STRICT: Urgent = Urgent {
        out_of_order: true,
        push: true,
    };

    #[test]
    fn each_kind_of_arrival_has_its_reason() {
        let table = [
            (What::Full, None),
            (What::Small(10), None),
            (What::Early, Some(AckReason::OutOfOrder)),
            (What::PartFill, Some(AckReason::OutOfOrder)),
            (What::Fill, Some(AckReason::OutOfOrder)),
            (What::Duplicate, Some(AckReason::OutOfOrder)),
            (What::Push(100), Some(AckReason::Push)),
            (What::Ecn, Some(AckReason::Ecn)),
        ];
        for (what, reason) in table {
            assert_eq!(STRICT.reason(&arrival(what)), reason, "{what:?}");
        }
    }

    #[test]
    fn lenient_rules_keep_only_ecn() {
        let lenient = Urgent {
            out_of_order: false,
            push: false,
        };
        for what in [What::Early, What::Fill, What::Duplicate, What::Push(1)] {
            assert_eq!(lenient.reason(&arrival(what)), None, "{what:?}");
        }
        assert_eq!(lenient.reason(&arrival(What::Ecn)), Some(AckReason::Ecn));
    }
}
