//! TACK: a transport that tames its acknowledgements (Li et al., SIGCOMM 2020).
//!
//! "TACK abandons the legacy received-packet-driven ACK. Instead, it balances byte-counting ACK and
//! periodic ACK so as to achieve a controlled ACK frequency" (TACK paper, abstract). Instant ACKs
//! report events, and the receiver does what a sender cannot do with few acknowledgements: it finds
//! losses, times round trips and measures the delivery rate.
//!
//! An endpoint has two halves, as TCP's here: [`receiver`] decides when to acknowledge and what to
//! say, [`sender`] keeps what is under way. [`frequency`] has the equations, [`wire`] the packets,
//! [`config`] every choice that the paper leaves open.

pub mod config;
pub mod endpoint;
pub mod frequency;
mod params;
pub mod receiver;
pub mod sender;
pub mod wire;

pub use config::TackConfig;
pub use endpoint::TackEndpoint;
pub use params::{ENTRY, PARAMS};
