//! Virtual time: the event engine, topologies, applications, scenarios and recording.

#![forbid(unsafe_code)]

pub mod plan;
pub mod scenario;
