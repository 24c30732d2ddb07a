//! The strength of a signal at another place: positions, path loss, shadowing, fading.
//!
//! Powers are in dBm, losses and gains in dB, distances in metres. This is where floating point is
//! at home; time leaves it through [`Channel::delay`] only.

mod channel;
mod fading;
mod motion;
mod path_loss;
mod radio;
pub mod registry;

pub use channel::{Channel, ChannelConfig, ChannelStreams, split_db};
pub use fading::Fading;
pub use motion::{Motion, Position, PositionError};
pub use path_loss::{PathLoss, Tgn};
pub use radio::{Radio, add_dbm};
