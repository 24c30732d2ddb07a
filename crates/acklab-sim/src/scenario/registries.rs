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
        Self::with(cc::registry::CONTROLLERS)
    }

    /// All that there is, with other controllers.
    pub(crate) fn with(controllers: &'static [Entry<cc::Build>]) -> Self {
        Self {
            cc: controllers,
            ack: ack::registry::POLICIES,
            filter: acklab_path::ack_filter::registry::FILTERS,
        }
    }
}
