//! The ACK policies that a scenario can name.

use super::Build;
use crate::registry::Entry;

/// Every policy, in the order in which `acklab list ack` shows them.
pub static POLICIES: &[Entry<Build>] = &[];
