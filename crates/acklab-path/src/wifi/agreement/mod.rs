//! Block ack agreements: how an originator and a recipient come to one (IEEE 802.11-2020, 10.25.2).
//!
//! Before A-MPDUs go to a station, it is asked for an agreement with an ADDBA Request, which it acknowledges,
//! and answers it with an ADDBA Response, which is acknowledged, too. Packets for that station wait for
//! the response, and if none comes in time go in single MPDUs for a while. When an agreement is asked for,
//! how long is waited and when it is tried again is that of ns-3's `HtFrameExchangeManager`, `QosTxop` and
//! `BlockAckManager` unless said otherwise. Agreements do not end (no DELBA), and nobody refuses one.

mod action;
mod config;
mod originator;

pub use action::{ACTION, Action, Kind};
pub use config::AddbaConfig;
pub use originator::{Agreement, AgreementStats, Allowed};
