//! The transports of [`acklab_proto`] on real networks: driven by a wall clock, over UDP sockets,
//! encrypted.
//!
//! This is the only crate of the workspace with clocks and sockets.

pub mod handshake;
mod id;
pub mod keys;
pub mod protect;
#[cfg(feature = "relay")]
pub mod relay;

pub use id::Id;
pub use keys::{BadKey, Identity, Keypair, Peer, PublicKey, SharedKey};
