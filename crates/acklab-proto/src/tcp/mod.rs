//! TCP (RFC 9293) as a pure state machine.

mod asking;
pub mod config;
pub mod connection;
pub mod dialect;
pub mod half;
pub mod ns3;
pub mod prr;
pub mod rack;
pub mod receiver;
pub mod scoreboard;
pub mod sender;

pub use config::{Profile, TcpConfig};
pub use connection::{Connection, Role, State};
