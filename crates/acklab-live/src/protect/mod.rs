//! Packets that only the two ends can read and make.

mod aead;
mod packet;
mod replay;

pub use aead::{Cipher, Secret, TAG};
pub use packet::{Opener, Outer, PATH_FIRST, Refused, Sealer, Space};
