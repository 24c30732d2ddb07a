//! Shapers: disciplines that hold packets back, over other disciplines in which the packets wait.

pub(crate) mod bucket;
pub(crate) mod framing;
pub mod htb;
pub mod queue_tree;
pub mod tbf;

use acklab_proto::registry::Params;
use framing::Framing;

/// What a TBF or a tree with these parameters counts for an IP packet of a size, in bytes.
pub fn bytes_of(values: &Params) -> impl Fn(u32) -> u64 + use<> {
    let framing = Framing::from_values(values);
    move |size| framing.bytes(size)
}
