//! HELLO and ACCEPT: what the two ends agree on, and the first round-trip time.
//!
//! "The initial RTT can be computed during handshakes (Figure 4 (a))" (TACK paper, section 4.3).

use super::error::DecodeError;
use super::reader::Reader;
use super::varint;
use alloc::vec::Vec;

/// Offer of an end. Each end takes the more careful of the two where both must do the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// PKT.SEQ of the first data packet: not zero, so that nobody off the path can guess it.
    pub first_number: u64,
    /// Bytes that may be sent before the first window update.
    pub window: u64,
    /// Payload bytes of the largest DATA frame that this end takes.
    pub mss: u16,
    /// beta: TACKs per minimum RTT (Eq. 3).
    pub beta: u8,
    /// L: full-sized packets per TACK (Eq. 3).
    pub packets: u8,
    /// Shortest interval between two TACKs, microseconds.
    pub shortest: u32,
    /// Longest interval between two TACKs, microseconds.
    pub longest: u32,
    /// ECN marks are counted and echoed.
    pub ecn: bool,
}

/// Opens a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The active end's offer.
    pub offer: Offer,
    /// When it left, microseconds of the sender's clock.
    pub stamp: u32,
}

/// Answers a HELLO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accept {
    /// The passive end's offer.
    pub offer: Offer,
    /// When it left, microseconds of the sender's clock.
    pub stamp: u32,
    /// The stamp of the HELLO that it answers.
    pub echo: u32,
    /// Time between the two, microseconds.
    pub hold: u32,
}

const ECN: u8 = 1;

impl Offer {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(if self.ecn { ECN } else { 0 });
        varint::put(out, self.first_number);
        varint::put(out, self.window);
        varint::put(out, u64::from(self.mss));
        out.push(self.beta);
        out.push(self.packets);
        varint::put(out, u64::from(self.shortest));
        varint::put(out, u64::from(self.longest));
    }

    fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let flags = r.byte()?;
        if flags & !ECN != 0 {
            return Err(DecodeError::Reserved { byte: flags });
        }
        let offer = Self {
            ecn: flags & ECN != 0,
            // Numbers must be able to grow for as long as a connection can last.
            first_number: r.at_most(u64::from(u32::MAX), "first number")?,
            window: r.at_most(1 << 40, "window")?,
            mss: r.at_most(u64::from(u16::MAX), "largest payload")? as u16,
            beta: r.byte()?,
            packets: r.byte()?,
            shortest: r.at_most(10_000_000, "shortest interval")? as u32,
            longest: r.at_most(10_000_000, "longest interval")? as u32,
        };
        let zero = |field| Err(DecodeError::OutOfRange { field, value: 0 });
        if offer.mss == 0 {
            return zero("largest payload");
        }
        if offer.beta == 0 {
            return zero("beta");
        }
        if offer.packets == 0 {
            return zero("L");
        }
        Ok(offer)
    }
}

impl Hello {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.offer.put(out);
        out.extend_from_slice(&self.stamp.to_be_bytes());
    }

    pub(super) fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            offer: Offer::take(r)?,
            stamp: r.u32()?,
        })
    }
}

impl Accept {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.offer.put(out);
        for word in [self.stamp, self.echo, self.hold] {
            out.extend_from_slice(&word.to_be_bytes());
        }
    }

    pub(super) fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            offer: Offer::take(r)?,
            stamp: r.u32()?,
            echo: r.u32()?,
            hold: r.u32()?,
        })
    }
}
