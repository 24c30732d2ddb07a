//! Expectations: bounds on the metrics of a run.

use super::Qty;
use acklab_units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Bounds of one metric, both inclusive.
#[derive(Deserialize, JsonSchema, Clone, Copy, Debug)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{T}Bounds", extend("minProperties" = 1))]
pub(crate) struct Bounds<T> {
    /// Not less than this.
    pub(crate) min: Option<T>,
    /// Not more than this.
    pub(crate) max: Option<T>,
}

/// Bounds that a run must keep.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpectSpec {
    /// Jain's fairness index of the flows' goodputs, 0 to 1.
    pub(crate) jain: Option<Bounds<f64>>,
    /// Sum of the flows' goodputs.
    pub(crate) goodput: Option<Bounds<Qty<Rate>>>,
    /// Sum of the flows' retransmitted segments.
    pub(crate) retransmissions: Option<Bounds<u64>>,
    /// Sum of the flows' retransmission timeouts.
    pub(crate) timeouts: Option<Bounds<u64>>,
    /// By name of the flow; the name of a flow with `count` means each of its flows.
    pub(crate) flow: BTreeMap<String, FlowExpect>,
    /// By name of the direction of a link, such as "left->right".
    pub(crate) link: BTreeMap<String, LinkExpect>,
}

/// Bounds for one flow.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FlowExpect {
    /// Payload that the receiving application read in the measured interval, per time.
    pub(crate) goodput: Option<Bounds<Qty<Rate>>>,
    /// Payload that the receiving application read, whole run.
    pub(crate) delivered: Option<Bounds<Qty<Bytes>>>,
    /// Retransmitted segments, whole run.
    pub(crate) retransmissions: Option<Bounds<u64>>,
    /// Retransmission timeouts, whole run.
    pub(crate) timeouts: Option<Bounds<u64>>,
    /// Mean of the RTT, sampled every 100 ms after the warm-up.
    pub(crate) rtt: Option<Bounds<Qty<Span>>>,
    /// 95th percentile of the one-way delay after the warm-up; needs `delays = true` in `[record]`.
    pub(crate) delay: Option<Bounds<Qty<Span>>>,
    /// Pure ACKs that reached the sender, whole run.
    pub(crate) acks: Option<Bounds<u64>>,
    /// Data segments sent per pure ACK that reached the sender, whole run.
    pub(crate) segments_per_ack: Option<Bounds<f64>>,
    /// Window reductions in answer to an ECN echo, whole run.
    pub(crate) ecn_reductions: Option<Bounds<u64>>,
    /// From the flow's start until all its data was received. A flow that does not end breaks any
    /// bound.
    pub(crate) completion: Option<Bounds<Qty<Span>>>,
    /// Request-response: exchanges completed, whole run.
    pub(crate) exchanges: Option<Bounds<u64>>,
}

/// Bounds for one direction of a link, over the whole run.
#[derive(Deserialize, JsonSchema, Default, Debug)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LinkExpect {
    /// Part of the run in which the transmitter was busy, 0 to 1.
    pub(crate) utilisation: Option<Bounds<f64>>,
    /// Packets that the queue dropped because they did not fit; what a control law drops early does not count.
    pub(crate) drops: Option<Bounds<u64>>,
    /// Packets lost at random.
    pub(crate) losses: Option<Bounds<u64>>,
    /// Packets marked with CE, by the queue or at random.
    pub(crate) marks: Option<Bounds<u64>>,
    /// ACKs that the filter dropped.
    pub(crate) acks_thinned: Option<Bounds<u64>>,
}
