//! Where the names of controllers, ACK policies and ACK filters come from.

use acklab_proto::registry::Entry;
use acklab_proto::{ack, cc};

/// The building blocks that a scenario can name.
#[derive(Clone, Copy)]
pub(crate) struct Registries {
    pub(crate) cc: &'static [Entry<cc::Build>],
    pub(crate) ack: &'static [Entry<ack::Build>],
    pub(crate) filter: &'static [Entry<acklab_path::ack_filter::Build>],
}

impl Registries {
    /// All that there is.
    pub(crate) fn builtin() -> Self {
        Self {
            cc: cc::registry::CONTROLLERS,
            ack: ack::registry::POLICIES,
            filter: acklab_path::ack_filter::registry::FILTERS,
        }
    }
}
