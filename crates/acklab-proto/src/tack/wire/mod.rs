//! TACK packets as bytes on the wire: acklab's own format, version 1.
//!
//! A packet is a header, control frames, at most one DATA frame with its payload, and room for the
//! tag of an AEAD. `docs/reference/tack-wire.md` has the layout of each. The paper leaves the format
//! open (section 5.4); this one follows two lessons of QUIC (RFC 9000): numbers have 64 bits inside
//! and few on the wire, and lengths are variable-length integers.
//!
//! Data and feedback have number spaces of their own. PKT.SEQ counts what the peer must learn of, so
//! that a gap in it means lost data (section 5.1); feedback has numbers so that the loss rate of the
//! ACK path is counted and not inferred (section 5.4).

mod blocks;
mod error;
mod frame;
mod handshake;
pub mod layout;
#[cfg(test)]
mod layout_tests;
mod number;
mod packet;
#[cfg(test)]
mod properties;
mod reader;
mod report;
mod varint;

pub use blocks::{Acked, Block, ListWriter, Unacked};
pub use error::{DecodeError, EncodeError};
pub use frame::{Close, Frame, Frames, Reset, ResetCode};
pub use handshake::{Accept, Hello, Offer};
pub use number::{expand, number_len, truncate};
pub use packet::{Data, Decoded, Header, Packet, Shape, Space, decode, encode, encode_with};
pub use report::{EcnCounts, Fastest, Iack, Instant as IackReason, Receipt, Sync, Tack, TackHead};

/// Version of the format.
pub const VERSION: u8 = 1;

/// The longest connection id in bytes.
pub const MAX_ID: usize = 16;
