//! Captures on disk.

use acklab_sim::export::pcapng::{self, Snap};
use acklab_sim::plan::Plan;
use acklab_sim::record::packets::Packets;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `packets` of a run of `plan` to the file `path`; how many packets there are in it.
///
/// # Errors
/// If the file cannot be written.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a recorder's sink: captures can be larger than what Python should hold"
)]
pub(crate) fn write(path: &Path, plan: &Plan, packets: &Packets, snap: Snap) -> io::Result<u64> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let application = concat!("acklab ", env!("CARGO_PKG_VERSION"));
    let written = pcapng::write(&mut out, plan, packets, snap, application)?;
    out.flush()?;
    Ok(written)
}
