//! TCP (RFC 9293) as a pure state machine.

pub mod config;
pub mod receiver;

pub use config::{Profile, TcpConfig};
