//! 802.11 above the PHY: frames, aggregation, block ack, and queues per station.
//!
//! A [`TxQueue`] holds the packets that a station sends under one access category; a
//! [`Recipient`] holds what it hears from another under one TID. The medium between them asks the queue whom to serve
//! ([`TxQueue::select`]) and with what ([`TxQueue::build`]), decides which MPDUs arrive, moves the
//! packets of those that do ([`TxQueue::hand_over`] to [`Recipient::on_mpdu`]), and tells the queue
//! what was answered ([`TxQueue::on_response`]).
//!
//! Clauses are those of IEEE Std 802.11-2016. (In the 2020 edition block ack is 10.25, A-MSDU
//! operation 10.11, A-MPDU operation 10.12.)

pub mod bitmap;
mod originator;
pub mod psdu;
pub mod queue;
pub mod recipient;
pub mod sizes;
pub mod triggers;

pub use bitmap::Bitmap;
pub use originator::BarReason;
pub use psdu::{Content, MpduRef, Outcome, Psdu};
pub use queue::{Aql, Config, Counts, Kind, StationsConfig, TxQueue, TxStats};
pub use recipient::{Recipient, Verdict};
pub use sizes::Limits;

/// Another station on the medium, as a queue numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct PeerId(pub u16);
