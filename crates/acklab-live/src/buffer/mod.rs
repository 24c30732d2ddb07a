//! What application and driver share of a connection: the bytes of both directions, and how it ended.

mod chunks;
mod shared;

pub use chunks::Chunks;
pub use shared::{Bell, RecvHalf, SendHalf, Shared};
