//! Packet timelines, one file per group of rules, and properties of arbitrary arrivals.

mod acks;
mod arrivals;
mod delivery;
mod echoes;
mod fixture;
mod properties;
mod sack;
mod windows;
