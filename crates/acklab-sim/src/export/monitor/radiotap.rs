//! Radiotap headers (radiotap.org: each field by its number, aligned to its size).

use acklab_path::wifi::medium::Ppdu;
use acklab_path::wifi::phy::{Band, Format, Guard, Mode, Phy, Width};

/// Numbers of fields.
const TSFT: u32 = 0;
const FLAGS: u32 = 1;
const RATE: u32 = 2;
const CHANNEL: u32 = 3;
const MCS: u32 = 19;
const AMPDU: u32 = 20;
const VHT: u32 = 21;
const HE: u32 = 23;

/// Where a frame is among those of its PPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Number of the PPDU.
    pub number: u32,
    /// The PPDU is an A-MPDU.
    pub aggregated: bool,
    /// Its last frame.
    pub last: bool,
    /// The frame failed its check.
    pub failed: bool,
}

/// Appends the header of a frame in `ppdu`; `out` is empty. Its time is when the first bit of the PSDU
/// arrives at the MAC.
pub(super) fn header(out: &mut Vec<u8>, phy: &Phy, ppdu: &Ppdu, place: Place) {
    let rate = match ppdu.mode.format() {
        Format::Dsss | Format::HrDsss | Format::Ofdm => RATE,
        Format::Ht => MCS,
        Format::Vht => VHT,
        Format::He => HE,
    };
    let mut present = 1 << TSFT | 1 << FLAGS | 1 << CHANNEL | 1 << rate;
    if place.aggregated {
        present |= 1 << AMPDU;
    }
    out.extend([0, 0, 0, 0]);
    out.extend(u32::to_le_bytes(present));
    let begins = ppdu.start + phy.preamble(ppdu.mode);
    out.extend(u64::to_le_bytes(begins.as_nanos() / 1000));
    out.push(flags(ppdu, place));
    if rate == RATE {
        out.push((ppdu.mode.rate().as_bps() / 500_000) as u8);
    }
    align(out, 2);
    channel(out, phy.band(), ppdu.mode);
    if rate == MCS {
        mcs(out, ppdu.mode);
    }
    if place.aggregated {
        ampdu(out, place);
    }
    match rate {
        VHT => vht(out, ppdu.mode),
        HE => he(out, ppdu.mode),
        _ => {}
    }
    let length = u16::to_le_bytes(out.len() as u16);
    out[2..4].copy_from_slice(&length);
}

fn align(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

/// Short preamble; the FCS is at the end; the frame failed its check.
fn flags(ppdu: &Ppdu, place: Place) -> u8 {
    u8::from(ppdu.mode.has_short_preamble()) << 1 | 1 << 4 | u8::from(place.failed) << 6
}

/// Frequency of a usual channel of the band, and what it is.
fn channel(out: &mut Vec<u8>, band: Band, mode: Mode) {
    let modulation: u16 = if mode.format().is_dsss() { 0x20 } else { 0x40 };
    let (mhz, place): (u16, u16) = match band {
        Band::Ghz2_4 => (2412, 0x80),
        Band::Ghz5 => (5180, 0x100),
        Band::Ghz6 => (5955, 0),
    };
    out.extend(mhz.to_le_bytes());
    out.extend((place | modulation).to_le_bytes());
}

/// 0 for 20 MHz, and so on.
fn width(mode: Mode, numbers: [u8; 4]) -> u8 {
    match mode.width() {
        Width::Mhz20 => numbers[0],
        Width::Mhz40 => numbers[1],
        Width::Mhz80 => numbers[2],
        Width::Mhz160 => numbers[3],
    }
}

fn is_short(mode: Mode) -> u8 {
    u8::from(mode.guard() == Some(Guard::Ns400))
}

/// Known: bandwidth, MCS, guard interval, format (mixed), coding (convolutional), space-time block
/// coding and extension streams (none).
fn mcs(out: &mut Vec<u8>, mode: Mode) {
    out.push(0x7f);
    out.push(width(mode, [0, 1, 0, 0]) | is_short(mode) << 2);
    out.push(mode.mcs());
}

/// The last subframe is known, and this is it or not.
fn ampdu(out: &mut Vec<u8>, place: Place) {
    align(out, 4);
    out.extend(place.number.to_le_bytes());
    let flags = 0x0004 | u16::from(place.last) << 3;
    out.extend(flags.to_le_bytes());
    out.extend([0, 0]);
}

/// Known: space-time block coding (none), guard interval, no extra symbol for LDPC, no beamforming,
/// bandwidth.
fn vht(out: &mut Vec<u8>, mode: Mode) {
    align(out, 2);
    out.extend(u16::to_le_bytes(0x0001 | 0x0004 | 0x0010 | 0x0020 | 0x0040));
    out.push(is_short(mode) << 2);
    out.push(width(mode, [0, 1, 4, 11]));
    out.extend([mode.mcs() << 4 | mode.streams(), 0, 0, 0]);
    // Coding, group, partial AID.
    out.extend([0, 0, 0, 0]);
}

/// A PPDU for one user. Known: MCS, bandwidth; guard interval.
fn he(out: &mut Vec<u8>, mode: Mode) {
    align(out, 2);
    let guard = match mode.guard() {
        Some(Guard::Ns1600) => 1,
        Some(Guard::Ns3200) => 2,
        _ => 0,
    };
    let bandwidth = u16::from(width(mode, [0, 1, 2, 3])) | guard << 4;
    let (mcs, streams) = (u16::from(mode.mcs()) << 8, u16::from(mode.streams()));
    for data in [0x0020 | 0x4000, 0x0002, mcs, 0, bandwidth, streams] {
        out.extend(u16::to_le_bytes(data));
    }
}
