//! Which station has which address: ARP (RFC 826) between an access point and its stations.
//!
//! A packet for a neighbour whose link address is not known waits until that one has said it. The
//! question goes to everybody. A station sends it to its access point, which sends it on; what the
//! access point itself asks or sends on is a group-addressed frame, which nobody acknowledges and
//! which is not repeated when it collides (10.3.2.14, 10.3.6). How long is waited and how often it is asked
//! again is that of ns-3's `ArpCache` and `ArpL3Protocol` unless said otherwise.

mod cache;
mod config;
mod message;

pub use cache::{Cache, Fate};
pub use config::ArpConfig;
pub use message::{ARP, Kind, Message};
