//! TCP (RFC 9293) as a pure state machine.

pub mod config;
pub mod pacing;
pub mod prr;
pub mod rack;
pub mod rate;
pub mod rtt;
pub mod scoreboard;
pub mod stats;

pub use config::{Profile, TcpConfig};
