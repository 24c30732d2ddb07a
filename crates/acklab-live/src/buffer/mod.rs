//! Common state of application and driver: the bytes of both directions, and how it ended.

mod chunks;
mod shared;

pub use chunks::Chunks;
pub use shared::{Bell, RecvHalf, SendHalf, Shared};
