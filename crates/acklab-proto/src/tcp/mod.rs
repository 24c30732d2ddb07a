//! TCP (RFC 9293) as a pure state machine.

pub mod config;
pub mod connection;
pub mod half;
pub mod ns3;
pub mod pacing;
pub mod prr;
pub mod rack;
pub mod rate;
pub mod receiver;
pub mod rtt;
pub mod scoreboard;
pub mod sender;
pub mod stats;

pub use config::{Profile, TcpConfig};
pub use connection::{Connection, Role, State};
pub use stats::{RetransmitCause, Snapshot, Stats};
