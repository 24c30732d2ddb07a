//! Two connections back to back: packet timelines for handshake, loss, recovery and closing.

mod closing;
mod handshake;
mod marks;
mod recovery;
mod robustness;
mod world;
