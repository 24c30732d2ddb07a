//! Two connections back to back: packet timelines for handshake, loss, recovery and closing.

mod asked;
mod back_off;
mod closing;
mod crossing;
mod handshake;
mod marks;
mod recovery;
mod robustness;
mod thinned_sack;
mod window_updates;
mod without_sack;
mod world;
