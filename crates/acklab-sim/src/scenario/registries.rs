//! Where what a scenario names comes from: transports, controllers, ACK policies, ACK filters, queue
//! disciplines, files; and whether it is still wanted.

use acklab_proto::registry::Entry;
use acklab_proto::transport::registry::{Protocol, TRANSPORTS};
use acklab_proto::{ack, cc};
use std::sync::atomic::AtomicBool;

/// Reads a file that a scenario names, or says why it cannot be read. Relative names count from the
/// scenario's folder.
pub type Files<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// Bytes of the longest scenario, and of the longest trace. The resolved form of the largest scenario, with
/// 10,000 flows, 10,000 links and every key, takes half of it.
pub const MOST_BYTES: u64 = 64 << 20;

/// The surroundings of a text that is loaded.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The congestion controllers that it can name.
    pub controllers: &'static [Entry<cc::Build>],
    /// The files that it can name.
    pub files: &'a Files<'a>,
    /// Looked at again and again: once true, loading ends with [`super::NotLoaded::Stopped`].
    pub stop: &'a AtomicBool,
}

impl Default for Around<'_> {
    /// The built-in controllers, no files, and nobody who stops it.
    fn default() -> Self {
        Self {
            controllers: cc::registry::CONTROLLERS,
            files: &no_files,
            stop: &NEVER,
        }
    }
}

/// The stop flag where nobody can set one.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// The building blocks that a scenario can name, and the files around it.
#[derive(Clone, Copy)]
pub(crate) struct Registries<'a> {
    pub(crate) files: &'a Files<'a>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) transport: &'static [Entry<Protocol>],
    pub(crate) cc: &'static [Entry<cc::Build>],
    pub(crate) ack: &'static [Entry<ack::Build>],
    pub(crate) filter: &'static [Entry<acklab_path::ack_filter::Build>],
    pub(crate) qdisc: &'static [Entry<acklab_path::qdisc::registry::Build>],
}

/// The folder of a text that has none: text that is not in a folder.
pub(crate) fn no_files(_: &str) -> Result<String, String> {
    Err("this scenario is not in a folder".to_string())
}

impl<'a> Registries<'a> {
    /// All that there is.
    pub(crate) fn builtin() -> Self {
        Self::with(&Around::default())
    }

    /// All that there is, with the controllers and files of `around`.
    pub(crate) fn with(around: &Around<'a>) -> Self {
        Self {
            files: around.files,
            stop: around.stop,
            transport: TRANSPORTS,
            cc: around.controllers,
            ack: ack::registry::POLICIES,
            filter: acklab_path::ack_filter::registry::FILTERS,
            qdisc: acklab_path::qdisc::registry::DISCIPLINES,
        }
    }
}
