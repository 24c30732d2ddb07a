//! What a radio in monitor mode would have captured of a radio channel: pcapng with radiotap
//! headers, as Wireshark reads it.
//!
//! One block for each MPDU and control frame, in the order in which their PPDUs began; those of an
//! A-MPDU share time stamp and number. Frames carry no FCS. Stations have locally administered
//! addresses made of their numbers. What could not be read by its receiver is captured as if the
//! monitor had stood next to the sender, marked as bad and with a comment.

mod frames;
mod radiotap;
#[cfg(test)]
mod tests;

use acklab_path::wifi::mac::Bitmap;
use acklab_path::wifi::medium::{Frames, Ppdu, StationId};
use acklab_path::wifi::phy::Band;
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
#[derive(Clone, Copy, Debug)]
pub struct Channel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Names of its stations, by number.
    pub stations: &'a [String],
    /// The access point, if it is one's network.
    pub access_point: Option<StationId>,
    /// Where it is.
    pub band: Band,
    /// Traffic identifier of each access category, by number.
    pub tids: &'a [u8],
}

/// An MPDU with data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mpdu {
    /// Sequence number.
    pub seq: u16,
    /// Bytes with header and FCS.
    pub bytes: u32,
    /// MSDUs in it.
    pub msdus: u16,
    /// It was sent before.
    pub retry: bool,
}

/// What is in a PPDU: [`Frames`] to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// MPDUs.
    Mpdus(Vec<Mpdu>),
    /// A BlockAckReq from that number on.
    Request(u16),
    /// A Block Ack.
    BlockAck(u16, Bitmap),
    /// RTS, CTS or ACK.
    Control,
}

impl From<Frames<'_>> for Content {
    fn from(frames: Frames<'_>) -> Self {
        match frames {
            Frames::Mpdus(all) => {
                let keep = |m: &acklab_path::wifi::mac::MpduRef| Mpdu {
                    seq: m.seq,
                    bytes: m.bytes,
                    msdus: m.msdus,
                    retry: m.retries > 0,
                };
                Self::Mpdus(all.iter().map(keep).collect())
            }
            Frames::Request(start) => Self::Request(start),
            Frames::BlockAck(start, bitmap) => Self::BlockAck(start, bitmap),
            Frames::Control => Self::Control,
        }
    }
}

/// A PPDU that was on the air.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The PPDU.
    pub ppdu: Ppdu,
    /// What was in it.
    pub content: Content,
}

/// Writes `sightings` on `channel` to `out`, and says how many frames that is. `application` names
/// the program that made the capture.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write<W: Write>(
    out: W,
    channel: &Channel<'_>,
    sightings: &[Sighting],
    application: &str,
) -> io::Result<u64> {
    let section = section(channel, application);
    let mut file = PcapNgWriter::with_section_header(out, section).map_err(failure)?;
    file.write_pcapng_block(interface(channel))
        .map_err(failure)?;
    let mut order: Vec<_> = (0u32..).zip(sightings).collect();
    // They are told of at their ends.
    order.sort_by_key(|(n, s)| (s.ppdu.start, *n));
    let (mut bytes, mut written) = (Vec::new(), 0);
    for (number, sighting) in order {
        let all = frames::of(channel, sighting);
        for (i, frame) in all.iter().enumerate() {
            let place = radiotap::Place {
                number,
                aggregated: sighting.is_ampdu(),
                last: i + 1 == all.len(),
            };
            bytes.clear();
            radiotap::header(&mut bytes, channel.band, &sighting.ppdu, place);
            let original = bytes.len() as u32 + frame.length;
            bytes.extend(&frame.bytes);
            let block = EnhancedPacketBlock {
                interface_id: 0,
                timestamp: Duration::from_nanos(sighting.ppdu.start.as_nanos()),
                original_len: original,
                data: Cow::Borrowed(&bytes),
                options: comments(sighting),
            };
            file.write_pcapng_block(block).map_err(failure)?;
            written += 1;
        }
    }
    Ok(written)
}

impl Sighting {
    fn is_ampdu(&self) -> bool {
        match &self.content {
            Content::Mpdus(all) => all.len() > 1 || all.iter().any(|m| m.bytes < self.ppdu.bytes),
            _ => false,
        }
    }
}

fn comments(sighting: &Sighting) -> Vec<EnhancedPacketOption<'static>> {
    let comment = |text: String| EnhancedPacketOption::Comment(Cow::Owned(text));
    let mut all = Vec::new();
    if sighting.ppdu.garbled {
        all.push(comment("its receiver could not read it".to_owned()));
    }
    if sighting.ppdu.carried > 0 {
        let n = sighting.ppdu.carried;
        all.push(comment(format!("carries {n} transport ACKs")));
    }
    all
}

fn section(channel: &Channel<'_>, application: &str) -> SectionHeaderBlock<'static> {
    let name = |(i, n): (u16, &String)| {
        let address = frames::address(StationId(i)).map(|b| format!("{b:02x}"));
        format!("{} = {n}", address.join(":"))
    };
    let names: Vec<_> = (0..).zip(channel.stations).map(name).collect();
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

fn interface(channel: &Channel<'_>) -> InterfaceDescriptionBlock<'static> {
    InterfaceDescriptionBlock {
        linktype: DataLink::IEEE802_11_RADIOTAP,
        snaplen: 0,
        options: vec![
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            InterfaceDescriptionOption::IfName(Cow::Owned(channel.name.to_owned())),
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
