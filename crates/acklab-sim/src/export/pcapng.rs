//! A packet capture per tap point, as Wireshark reads it.
//!
//! Format: draft-ietf-opsawg-pcapng. One interface per point that was watched, time stamps in
//! nanoseconds since the start of the run, link type raw IP.
//!
//! At a host a packet is captured when the transport hands it over (outbound) and when it arrives
//! (inbound), as tcpdump would. At a link it is captured once: when its transmission begins, or
//! where it is dropped before that, with the reason as a comment. A packet that is lost behind the
//! transmitter has the comment on its transmission.

use super::wire::{Wire, address};
use crate::plan::{FlowPlan, Plan, TransportPlan};
use crate::record::packets::{PacketEvent, PacketRecord, Packets, TapPoint};
use acklab_path::packet::DropReason;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::time::Duration;

/// The captured part of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Snap {
    /// Headers of IP and of the transport, of TACK with its control frames; the length on the wire is
    /// noted.
    #[default]
    Headers,
    /// Everything. Payloads are zeros.
    Whole,
}

/// `if_tsresol`: the negative power of ten.
const NANOSECONDS: u8 = 9;
/// `epb_flags`, bits 0 and 1.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// Writes what `packets` recorded of a run of `plan` to `out`, and says how many packets that is.
/// `application` names the program that made the capture.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write<W: Write>(
    out: W,
    plan: &Plan,
    packets: &Packets,
    snap: Snap,
    application: &str,
) -> io::Result<u64> {
    let points = interfaces(packets);
    let mut file =
        PcapNgWriter::with_section_header(out, section(plan, application)).map_err(failure)?;
    for point in points.keys() {
        file.write_pcapng_block(interface(plan, *point, snap))
            .map_err(failure)?;
    }
    let lost = lost_in_flight(packets);
    let mut wire = Wire::new();
    let mut written = 0;
    for record in packets.iter().filter(is_captured) {
        let (bytes, headers) = wire.packet(plan, &record)?;
        let block = EnhancedPacketBlock {
            interface_id: points[&record.point],
            timestamp: Duration::from_nanos(record.at.as_nanos()),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(match snap {
                Snap::Headers => &bytes[..headers],
                Snap::Whole => bytes,
            }),
            options: options(&record, &lost),
        };
        file.write_pcapng_block(block).map_err(failure)?;
        written += 1;
    }
    Ok(written)
}

/// The number of each point's interface.
fn interfaces(packets: &Packets) -> BTreeMap<TapPoint, u32> {
    let mut points: BTreeMap<_, _> = packets.iter().map(|r| (r.point, 0)).collect();
    for (n, number) in points.values_mut().enumerate() {
        *number = n as u32;
    }
    points
}

/// Packets that were lost on a link after their transmission, by number and place.
fn lost_in_flight(packets: &Packets) -> HashSet<(u32, TapPoint)> {
    let lost = packets.iter().filter(happened_in_flight);
    lost.map(|r| (r.packet, r.point)).collect()
}

fn happened_in_flight(record: &PacketRecord<'_>) -> bool {
    record.what == PacketEvent::Dropped && record.reason == Some(DropReason::RandomLoss)
}

fn is_captured(record: &PacketRecord<'_>) -> bool {
    match record.point {
        TapPoint::Host(_) => matches!(record.what, PacketEvent::Sent | PacketEvent::Delivered),
        TapPoint::Link(_) => match record.what {
            PacketEvent::Left => true,
            PacketEvent::Dropped => !happened_in_flight(record),
            _ => false,
        },
    }
}

fn options(
    record: &PacketRecord<'_>,
    lost: &HashSet<(u32, TapPoint)>,
) -> Vec<EnhancedPacketOption<'static>> {
    let comment = |text: &str| vec![EnhancedPacketOption::Comment(Cow::Owned(text.to_owned()))];
    match (record.what, record.reason) {
        (PacketEvent::Sent, _) => vec![EnhancedPacketOption::Flags(OUTBOUND)],
        (PacketEvent::Delivered, _) => vec![EnhancedPacketOption::Flags(INBOUND)],
        (PacketEvent::Dropped, Some(reason)) => comment(&format!("dropped: {}", reason.name())),
        _ if lost.contains(&(record.packet, record.point)) => comment("lost after transmission"),
        _ => Vec::new(),
    }
}

fn section(plan: &Plan, application: &str) -> SectionHeaderBlock<'static> {
    let ends = plan.nodes.iter().enumerate();
    let names: Vec<_> = ends.map(|(i, n)| format!("{} = {n}", address(i))).collect();
    let comment = format!("scenario {}; {}", plan.name, names.join(", "));
    SectionHeaderBlock {
        // The same bytes on every machine.
        endianness: Endianness::Little,
        options: vec![
            SectionHeaderOption::Comment(Cow::Owned(comment)),
            SectionHeaderOption::UserApplication(Cow::Owned(application.to_owned())),
        ],
        ..SectionHeaderBlock::default()
    }
}

fn interface(plan: &Plan, point: TapPoint, snap: Snap) -> InterfaceDescriptionBlock<'static> {
    let mut options = vec![InterfaceDescriptionOption::IfTsResol(NANOSECONDS)];
    let (name, what) = match point {
        TapPoint::Host(host) => {
            let flow = &plan.flows[(host / 2) as usize];
            let node = if host % 2 == 0 { flow.src } else { flow.dst };
            let name = format!("{}@{}", flow.name, plan.nodes[node]);
            (name, "the transport of a flow at a node")
        }
        TapPoint::Link(link) => (plan.links[link as usize].name.clone(), "a link"),
    };
    options.push(InterfaceDescriptionOption::IfName(Cow::Owned(name)));
    options.push(InterfaceDescriptionOption::IfDescription(what.into()));
    InterfaceDescriptionBlock {
        linktype: DataLink::RAW,
        snaplen: match snap {
            // The longest headers of IPv4 and TCP. TACK's control frames can fill a packet.
            Snap::Headers if !plan.flows.iter().any(speaks_tack) => 120,
            Snap::Headers | Snap::Whole => 0,
        },
        options,
    }
}

fn speaks_tack(flow: &FlowPlan) -> bool {
    matches!(flow.transport, TransportPlan::Tack(_))
}

fn failure(e: PcapError) -> io::Error {
    match e {
        PcapError::IoError(e) => e,
        other => io::Error::other(other),
    }
}
