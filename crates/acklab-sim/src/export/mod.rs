//! Recordings in the formats of other tools.

pub mod dissector;
pub mod frames;
pub mod monitor;
pub mod pcapng;
mod wire;
