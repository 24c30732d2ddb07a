//! Shapers: disciplines that hold packets back, over other disciplines in which the packets wait.

pub(crate) mod bucket;
pub(crate) mod framing;
pub mod htb;
pub mod queue_tree;
pub mod tbf;
