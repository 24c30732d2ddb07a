//! 802.11: what a shared radio channel does to packets.

pub mod agreement;
pub mod contention;
pub mod mac;
pub mod medium;
pub mod neighbour;
pub mod phy;
pub mod propagation;
pub mod rate;
