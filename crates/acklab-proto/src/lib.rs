//! Transport endpoints without input or output.
//!
//! Everything here is a pure state machine: time enters as an argument, segments leave through
//! `poll_transmit`, and nothing opens a socket, reads a clock or touches a file. The crate is
//! `no_std`, which is the mechanical proof. The simulator, the socket driver and the tests are
//! three callers of the same methods.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ack;
pub mod cbr;
pub mod cc;
pub mod codec;
pub mod datagram;
pub mod endpoint;
pub mod pacing;
pub mod rate;
pub mod registry;
pub mod rng;
pub mod rtp;
pub mod rtt;
pub mod segment;
pub mod stats;
pub mod tack;
pub mod tcp;
pub mod transport;
