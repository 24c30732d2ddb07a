//! Captures on disk.

use acklab_sim::export::monitor::{self, Channel};
use acklab_sim::export::pcapng::{self, Snap};
use acklab_sim::plan::Plan;
use acklab_sim::record::Sightings;
use acklab_sim::record::packets::Packets;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const APPLICATION: &str = concat!("acklab ", env!("CARGO_PKG_VERSION"));

/// Writes `packets` of a run of `plan` to the file `path`; how many packets there are in it.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write(path: &Path, plan: &Plan, packets: &Packets, snap: Snap) -> io::Result<u64> {
    to_file(path, |out| {
        pcapng::write(out, plan, packets, snap, APPLICATION)
    })
}

/// Writes what was seen on the radio channel number `medium` of `plan` to the file `path`; how many
/// frames there are in it.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_monitor(
    path: &Path,
    plan: &Plan,
    medium: u32,
    seen: &Sightings,
) -> io::Result<u64> {
    let channel = Channel::of(plan, medium as usize);
    to_file(path, |out| {
        monitor::write(out, &channel, seen.on(medium), APPLICATION)
    })
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a recorder's sink: captures can be larger than what Python should hold"
)]
fn to_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> io::Result<u64>,
) -> io::Result<u64> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let written = fill(&mut out)?;
    out.flush()?;
    Ok(written)
}
