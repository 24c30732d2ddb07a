//! The physical layer: which rates there are, how long a PPDU is in the air, and the gaps between.
//!
//! Clauses are those of IEEE 802.11-2020 and, for HE, of IEEE 802.11ax-2021. A [`Mode`] is a value:
//! a format, an MCS, streams, a width and a guard interval, and one that exists is possible. A
//! [`Phy`] is what all stations of a channel agree on: band, slot, basic rates and rules of
//! duration.

mod band;
mod coding;
pub mod errors;
mod format;
mod mode;
mod mode_error;
mod multi_user;
mod ppdu;
mod preamble;
mod response;
mod ru;
mod ru_plan;
mod rules;
mod timing;

#[cfg(test)]
mod tests;

pub use band::Band;
pub use coding::{CodeRate, Modulation};
pub use errors::ErrorModel;
pub use format::{Format, Guard, Width};
pub use mode::Mode;
pub use mode_error::ModeError;
pub use multi_user::{SharedData, SigBMcs, SigBUsers, TriggerCycle};
pub use ppdu::PpduTiming;
pub use response::BasicRates;
pub use ru::Ru;
pub use ru_plan::{NoPlan, RuPlan};
pub use rules::{HeCoding, HeLtf, HePadding, PpduRules, ShortGi};
pub use timing::{Phy, PhyConfig};
