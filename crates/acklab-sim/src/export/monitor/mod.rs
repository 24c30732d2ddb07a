//! The capture of a radio channel by a radio in monitor mode: pcapng with radiotap
//! headers, as Wireshark reads it.
//!
//! One block for each MPDU and control frame, in the order in which their PPDUs began; those of an
//! A-MPDU share time stamp and number. Control frames are whole, with their FCS; of data there are
//! headers, of ARP packets, each alone in its MPDU, all, with the length on the air, and no FCS was captured. Stations have locally administered
//! addresses made of their numbers. A frame that its receiver could not read is captured as if the
//! monitor had stood next to the sender, marked as bad and with a comment.

mod addba;
mod arp;
mod frames;
mod radiotap;
#[cfg(test)]
mod tests;

use crate::plan::Plan;
use crate::record::{Content, Sighting};
use acklab_path::wifi::medium::{AccessCategory, StationId};
use acklab_path::wifi::phy::Phy;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// `if_tsresol`: the negative power of ten.
const NANOSECONDS: u8 = 9;

/// A radio channel as its captures show it.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Names of its stations, by number.
    pub stations: Vec<String>,
    /// The access point, if it is one's network.
    pub access_point: Option<StationId>,
    /// Where it is, and how long its preambles last.
    pub phy: Phy,
    /// Traffic identifier of each access category, by number.
    pub tids: Vec<u8>,
}

impl Channel {
    /// The radio channel number `medium` of `plan`, whose first station is the access point.
    pub fn of(plan: &Plan, medium: usize) -> Self {
        let it = &plan.media[medium];
        Self {
            name: it.name.clone(),
            stations: it.nodes.iter().map(|n| plan.nodes[*n].clone()).collect(),
            access_point: Some(StationId(0)),
            phy: it.config.phy,
            tids: it.access.iter().map(|c| tid(*c)).collect(),
        }
    }
}

/// The lower of the two user priorities that are of a category (table 10-1).
const fn tid(category: AccessCategory) -> u8 {
    match category {
        AccessCategory::Background => 1,
        AccessCategory::BestEffort => 0,
        AccessCategory::Video => 4,
        AccessCategory::Voice => 6,
    }
}

/// Writes `sightings` on `channel`, given in the order in which they began, to `out`, and says how
/// many frames that is. `application` names the program that made the capture.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write<W: Write>(
    out: W,
    channel: &Channel,
    sightings: impl IntoIterator<Item = Sighting>,
    application: &str,
) -> io::Result<u64> {
    let section = section(channel, application);
    let mut file = PcapNgWriter::with_section_header(out, section).map_err(failure)?;
    file.write_pcapng_block(interface(channel))
        .map_err(failure)?;
    let (mut bytes, mut written) = (Vec::new(), 0);
    for (number, sighting) in (0u32..).zip(sightings) {
        let all = frames::of(channel, &sighting);
        for (i, frame) in all.iter().enumerate() {
            let place = radiotap::Place {
                number,
                aggregated: is_ampdu(&sighting),
                last: i + 1 == all.len(),
                failed: sighting.ppdu.garbled || frame.spoilt,
            };
            bytes.clear();
            radiotap::header(&mut bytes, &channel.phy, &sighting.ppdu, place);
            let original = bytes.len() as u32 + frame.length;
            bytes.extend(&frame.bytes);
            let block = EnhancedPacketBlock {
                interface_id: 0,
                timestamp: Duration::from_nanos(sighting.ppdu.start.as_nanos()),
                original_len: original,
                data: Cow::Borrowed(&bytes),
                options: comments(&sighting),
            };
            file.write_pcapng_block(block).map_err(failure)?;
            written += 1;
        }
    }
    Ok(written)
}

fn is_ampdu(sighting: &Sighting) -> bool {
    match &sighting.content {
        Content::Mpdus(all) => all.len() > 1 || all.iter().any(|m| m.bytes < sighting.ppdu.bytes),
        _ => false,
    }
}

fn comments(sighting: &Sighting) -> Vec<EnhancedPacketOption<'static>> {
    let comment = |text: String| EnhancedPacketOption::Comment(Cow::Owned(text));
    let mut all = Vec::new();
    if sighting.ppdu.garbled {
        all.push(comment(
            "its receiver could not read it for another's sake".to_owned(),
        ));
    } else if sighting.ppdu.mpdus_spoilt > 0 {
        let (n, all_of) = (sighting.ppdu.mpdus_spoilt, sighting.ppdu.mpdus);
        all.push(comment(format!(
            "its receiver could not read {n} of its {all_of} MPDUs for another's sake"
        )));
    }
    if sighting.ppdu.lost {
        all.push(comment(
            "its receiver could read nothing of it: bit errors".to_owned(),
        ));
    }
    if sighting.ppdu.carried > 0 {
        let n = sighting.ppdu.carried;
        all.push(comment(format!("carries {n} transport ACKs")));
    }
    all
}

fn section(channel: &Channel, application: &str) -> SectionHeaderBlock<'static> {
    let name = |(i, n): (u16, &String)| {
        let address = frames::address(StationId(i)).map(|b| format!("{b:02x}"));
        format!("{} = {n}", address.join(":"))
    };
    let names: Vec<_> = (0..).zip(&channel.stations).map(name).collect();
    let comment = format!("channel {}; {}", channel.name, names.join(", "));
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

fn interface(channel: &Channel) -> InterfaceDescriptionBlock<'static> {
    InterfaceDescriptionBlock {
        linktype: DataLink::IEEE802_11_RADIOTAP,
        snaplen: 0,
        options: vec![
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            InterfaceDescriptionOption::IfName(Cow::Owned(channel.name.clone())),
            InterfaceDescriptionOption::IfDescription("a radio channel".into()),
        ],
    }
}

fn failure(e: PcapError) -> io::Error {
    match e {
        PcapError::IoError(e) => e,
        other => io::Error::other(other),
    }
}
