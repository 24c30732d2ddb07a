//! Where what a scenario names comes from: controllers, ACK policies, ACK filters, queue disciplines, files.

use acklab_proto::registry::Entry;
use acklab_proto::{ack, cc};

/// Reads a file that a scenario names, or says why it cannot be read. Relative names count from the
/// scenario's folder.
pub type Files<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// The building blocks that a scenario can name, and the files around it.
#[derive(Clone, Copy)]
pub(crate) struct Registries<'a> {
    pub(crate) files: &'a Files<'a>,
    pub(crate) cc: &'static [Entry<cc::Build>],
    pub(crate) ack: &'static [Entry<ack::Build>],
    pub(crate) filter: &'static [Entry<acklab_path::ack_filter::Build>],
    pub(crate) qdisc: &'static [Entry<acklab_path::qdisc::registry::Build>],
}

/// What stands for files where there are none: text that is not in a folder.
pub(crate) fn no_files(_: &str) -> Result<String, String> {
    Err("this scenario is not in a folder".to_string())
}

impl<'a> Registries<'a> {
    /// All that there is.
    pub(crate) fn builtin() -> Self {
        Self::with(cc::registry::CONTROLLERS, &no_files)
    }

    /// All that there is, with other controllers and with files.
    pub(crate) fn with(controllers: &'static [Entry<cc::Build>], files: &'a Files<'a>) -> Self {
        Self {
            files,
            cc: controllers,
            ack: ack::registry::POLICIES,
            filter: acklab_path::ack_filter::registry::FILTERS,
            qdisc: acklab_path::qdisc::registry::DISCIPLINES,
        }
    }
}
