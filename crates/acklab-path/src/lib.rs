//! The path between two endpoints: queues, ACK filters, links and impairments.
//!
//! Pure state machines without a clock: the same code runs in virtual and in wall time. Packets
//! are small descriptors; what is in them stays with the driver, which lends them out through
//! [`PacketStore`](packet::PacketStore).

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ack_filter;
pub mod impair;
pub mod link;
pub mod packet;
pub mod qdisc;
pub mod wifi;
