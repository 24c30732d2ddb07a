//! 802.11: what a shared radio channel does to packets.

pub mod mac;
