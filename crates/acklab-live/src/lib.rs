//! The transports of [`acklab_proto`] on real networks: driven by a wall clock, over UDP sockets,
//! encrypted.
//!
//! This is the only crate of the workspace with clocks and sockets.

#[cfg(feature = "relay")]
pub mod relay;
