//! Virtual time: the event engine, topologies, applications, scenarios and recording.

#![forbid(unsafe_code)]

pub mod app;
pub mod catalogue;
pub mod columns;
pub mod engine;
pub mod export;
pub mod network;
pub mod plan;
pub mod record;
pub mod scenario;
