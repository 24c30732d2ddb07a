//! The controllers that a scenario can name.

use super::Build;
use crate::registry::Entry;

/// Every controller, in the order in which `acklab list cc` shows them.
pub static CONTROLLERS: &[Entry<Build>] = &[
    // loss- and delay-based
    // BBR
    super::bbr1::ENTRY,
    super::bbr2::ENTRY,
    super::bbr3::ENTRY,
];
