//! The transports of [`acklab_proto`] on real networks: driven by a wall clock, over UDP sockets,
//! encrypted.
//!
//! This is the only crate of the workspace with clocks and sockets.

pub mod buffer;
mod clock;
mod config;
mod connection;
mod driver;
mod endpoint;
mod error;
pub mod handshake;
mod id;
pub mod keys;
pub mod protect;
#[cfg(feature = "record")]
pub mod recording;
#[cfg(feature = "relay")]
pub mod relay;
pub mod session;

pub use config::Config;
pub use connection::Connection;
pub use endpoint::Endpoint;
pub use error::Ended;
pub use id::Id;
pub use keys::{BadKey, Identity, Keypair, Peer, PublicKey, SharedKey};
pub use session::mtu::BASE as BASE_MTU;
pub use session::{Report, Watch, Wire};
