//! 802.11 frames as bytes (IEEE 802.11-2020, 9.3).

use super::Channel;
use super::addba;
use super::arp::{self, EVERYBODY};
use crate::record::{Content, Mpdu, Sighting};
use acklab_path::wifi::mac::Bitmap;
use acklab_path::wifi::mac::sizes::{AMSDU_SUBFRAME_HEADER, FCS, QOS_DATA_HEADER, msdu, padded};
use acklab_path::wifi::mac::triggers::TriggerKind;
use acklab_path::wifi::medium::{Ppdu, PpduKind, StationId};
use acklab_path::wifi::neighbour::ARP;

/// First octet of Frame Control: version 0, type, subtype (9.2.4.1.3).
const BLOCK_ACK_REQ: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const TRIGGER: u8 = 0x24;
const QOS_NULL: u8 = 0xc8;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
/// Second octet.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
pub(super) const RETRY: u8 = 0x08;
/// Followed by HT Control (+HTC).
const ORDER: u8 = 0x80;
/// LLC and SNAP with IEEE 802's first EtherType for local experiments: contents are not simulated.
const LLC_SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 0x88, 0xb5];

/// A frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    /// The captured part: of data headers, otherwise all of it.
    pub bytes: Vec<u8>,
    /// Its bytes on the air.
    pub length: u32,
    /// Its receiver could not read it for another's sake.
    pub spoilt: bool,
}

impl Frame {
    /// Of `bytes` without FCS (9.2.4.8); what the receiver could not read has a wrong one.
    fn whole(mut bytes: Vec<u8>, garbled: bool) -> Self {
        let fcs = crc32fast::hash(&bytes);
        bytes.extend(if garbled { !fcs } else { fcs }.to_le_bytes());
        let length = bytes.len() as u32;
        Self {
            bytes,
            length,
            spoilt: false,
        }
    }
}

/// The locally administered address of a station.
pub(super) fn address(station: StationId) -> [u8; 6] {
    let [high, low] = station.0.to_be_bytes();
    [2, 0, 0, 0, high, low]
}

/// The frames of a PPDU.
pub(super) fn of(channel: &Channel, sighting: &Sighting) -> Vec<Frame> {
    let ppdu = &sighting.ppdu;
    match &sighting.content {
        Content::Mpdus(all) => all.iter().map(|m| data(channel, ppdu, m)).collect(),
        Content::Request(start) => {
            let mut bytes = start_of(BLOCK_ACK_REQ, ppdu, true);
            bytes.extend(block_ack_control(channel, ppdu));
            bytes.extend(u16::to_le_bytes(start << 4));
            vec![Frame::whole(bytes, ppdu.garbled)]
        }
        Content::BlockAck(start, bitmap) => {
            let bytes = block_ack(channel, ppdu, *start, *bitmap);
            vec![Frame::whole(bytes, ppdu.garbled)]
        }
        Content::Action(action, window) => {
            let bytes = addba::frame(channel, ppdu, *action, *window);
            vec![Frame::whole(bytes, ppdu.garbled)]
        }
        // Of a frame for several stations one is captured.
        Content::Trigger(_) if ppdu.user > 0 => Vec::new(),
        Content::Control if ppdu.kind == PpduKind::MultiBlockAck && ppdu.user > 0 => Vec::new(),
        Content::Trigger(kind) => vec![trigger(ppdu, *kind)],
        Content::Control if ppdu.kind == PpduKind::MultiBlockAck => vec![multi_block_ack(ppdu)],
        Content::Control if ppdu.kind == PpduKind::BufferStatus => {
            vec![buffer_status(channel, ppdu)]
        }
        Content::Control => {
            let (kind, both) = match ppdu.kind {
                PpduKind::Rts => (RTS, true),
                PpduKind::Cts | PpduKind::CtsToSelf => (CTS, false),
                _ => (ACK, false),
            };
            let mut bytes = start_of(kind, ppdu, both);
            bytes.resize((ppdu.bytes - FCS) as usize, 0);
            vec![Frame::whole(bytes, ppdu.garbled)]
        }
    }
}

/// A Trigger frame for everybody (9.3.1.22). Its User Info fields are not simulated: in their place is padding, which
/// begins with AID12 4095.
fn trigger(ppdu: &Ppdu, kind: TriggerKind) -> Frame {
    let mut bytes = start_of(TRIGGER, ppdu, true);
    bytes[4..10].copy_from_slice(&EVERYBODY);
    bytes.push(match kind {
        TriggerKind::Basic => 0,
        TriggerKind::BlockAcks => 2,
        TriggerKind::BufferStatus => 4,
    });
    bytes.extend([0; 7]);
    bytes.resize((ppdu.bytes - FCS) as usize, 0xff);
    Frame::whole(bytes, ppdu.garbled)
}

/// A Multi-STA BlockAck (9.3.1.8.6), BA Type 11; what it says of each station is not in the capture.
fn multi_block_ack(ppdu: &Ppdu) -> Frame {
    let mut bytes = start_of(BLOCK_ACK, ppdu, true);
    bytes[4..10].copy_from_slice(&EVERYBODY);
    bytes.extend(u16::to_le_bytes(11 << 1));
    bytes.resize((ppdu.bytes - FCS) as usize, 0);
    Frame::whole(bytes, ppdu.garbled)
}

/// A QoS Null frame to the access point; the HT Control field with the report is zero.
fn buffer_status(channel: &Channel, ppdu: &Ppdu) -> Frame {
    let mut bytes = start_of(QOS_NULL, ppdu, true);
    bytes[1] = TO_DS | ORDER;
    bytes.extend(address(ppdu.to));
    bytes.extend([0, 0, tid(channel, ppdu), 0]);
    bytes.extend([0; 4]);
    Frame::whole(bytes, ppdu.garbled)
}

/// Frame Control, Duration, receiver, and the sender if there are `both`.
pub(super) fn start_of(kind: u8, ppdu: &Ppdu, both: bool) -> Vec<u8> {
    let mut bytes = vec![kind, 0];
    bytes.extend(duration(ppdu).to_le_bytes());
    bytes.extend(address(match ppdu.kind {
        PpduKind::CtsToSelf => ppdu.from,
        _ => ppdu.to,
    }));
    if both {
        bytes.extend(address(ppdu.from));
    }
    bytes
}

/// Microseconds that the exchange goes on, rounded up (9.2.5.1).
fn duration(ppdu: &Ppdu) -> u16 {
    let nanos = ppdu.nav.saturating_since(ppdu.end).as_nanos();
    nanos.div_ceil(1000).min(32_767) as u16
}

/// Compressed (9.3.1.8.1), and the TID.
fn block_ack_control(channel: &Channel, ppdu: &Ppdu) -> [u8; 2] {
    u16::to_le_bytes(2 << 1 | u16::from(tid(channel, ppdu)) << 12)
}

/// With a bitmap of 8 bytes or, told by the fragment number 4, of 32 (9.3.1.9.3), and what else it
/// carries.
fn block_ack(channel: &Channel, ppdu: &Ppdu, start: u16, bitmap: Bitmap) -> Vec<u8> {
    const SHORT: u32 = 24 + 8;
    const LONG: u32 = 24 + 32;
    let mut bytes = start_of(BLOCK_ACK, ppdu, true);
    bytes.extend(block_ack_control(channel, ppdu));
    let long = ppdu.bytes >= LONG && (ppdu.carried == 0 || bitmap.0[1..].iter().any(|w| *w > 0));
    let (fragment, words) = if long { (4, 4) } else { (0, 1) };
    bytes.extend(u16::to_le_bytes(start << 4 | fragment));
    bytes.extend(bitmap.0[..words].iter().flat_map(|w| w.to_le_bytes()));
    debug_assert!(ppdu.bytes >= SHORT);
    bytes.resize((ppdu.bytes - FCS) as usize, 0);
    bytes
}

pub(super) fn tid(channel: &Channel, ppdu: &Ppdu) -> u8 {
    let tid = channel.tids.get(usize::from(ppdu.category));
    tid.copied().unwrap_or(0)
}

/// A data frame: header and the beginning of its body, or all subframe headers of an A-MSDU.
fn data(channel: &Channel, ppdu: &Ppdu, mpdu: &Mpdu) -> Frame {
    let body_with_qos = mpdu.bytes.saturating_sub(QOS_DATA_HEADER + FCS);
    let with_qos = QOS_DATA_HEADER + msdu(ARP) + FCS;
    let qos = match mpdu.arp {
        // A group-addressed frame has the header of the data, whatever its mode.
        Some(_) => mpdu.bytes == with_qos,
        None => !ppdu.mode.format().is_legacy() || mpdu.msdus > 1,
    };
    let (ap, retry) = (channel.access_point, if mpdu.retry { RETRY } else { 0 });
    let (from, to) = (address(ppdu.from), address(ppdu.to));
    let to = if ppdu.kind == PpduKind::Group {
        EVERYBODY
    } else {
        to
    };
    let network = address(ap.unwrap_or(StationId(0)));
    let (way, third) = match ap {
        Some(ap) if ppdu.kind != PpduKind::Group && ap == ppdu.to => (TO_DS, network),
        Some(ap) if ap == ppdu.from => (FROM_DS, from),
        _ => (0, network),
    };
    let mut bytes = vec![if qos { QOS_DATA } else { DATA }, way | retry];
    bytes.extend(duration(ppdu).to_le_bytes());
    bytes.extend(to);
    bytes.extend(from);
    bytes.extend(mpdu.arp.map_or(third, |kind| arp::third(kind, ppdu)));
    bytes.extend(u16::to_le_bytes(mpdu.seq << 4));
    if qos {
        bytes.extend([tid(channel, ppdu) | u8::from(mpdu.msdus > 1) << 7, 0]);
    }
    if let Some(kind) = mpdu.arp {
        bytes.extend(arp::body(kind, ppdu));
    } else if mpdu.msdus > 1 {
        amsdu(&mut bytes, from, to, body_with_qos, u32::from(mpdu.msdus));
    } else {
        bytes.extend(LLC_SNAP);
    }
    let length = mpdu.bytes.max(bytes.len() as u32 + FCS);
    Frame {
        bytes,
        length,
        spoilt: mpdu.spoilt,
    }
}

/// Subframes: the PPDU tells only of them together. If they can be equally long they are;
/// otherwise the last takes the rest.
fn amsdu(bytes: &mut Vec<u8>, from: [u8; 6], to: [u8; 6], body: u32, msdus: u32) {
    let step = equal_steps(body, msdus).unwrap_or((body / msdus) & !3);
    let last = body.saturating_sub(step * (msdus - 1));
    let usual = if padded(last) == step { last } else { step };
    for i in 1..=msdus {
        let begin = bytes.len();
        let (subframe, end) = match i == msdus {
            true => (last, last),
            false => (usual, step),
        };
        bytes.extend(to);
        bytes.extend(from);
        let length = subframe.saturating_sub(AMSDU_SUBFRAME_HEADER);
        bytes.extend(u16::to_be_bytes(length as u16));
        bytes.extend(LLC_SNAP);
        bytes.resize(begin + end as usize, 0);
    }
}

/// From one subframe to the next if all are equally long: all but the last are padded.
fn equal_steps(body: u32, msdus: u32) -> Option<u32> {
    let step = padded(body / msdus);
    let last = body.checked_sub(step * (msdus - 1))?;
    (padded(last) == step).then_some(step)
}
