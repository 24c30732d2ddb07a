//! TACK and IACK: what the receiving half tells the sending half, and SYNC, which goes the other
//! way.

use super::blocks::{Acked, ListWriter, Unacked};
use super::error::DecodeError;
use super::reader::Reader;
use super::varint;
use alloc::vec::Vec;

/// Common part of all reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Receipt {
    /// Everything below this stream offset has arrived.
    pub cumulative: u64,
    /// Bytes that may be sent from there on (the paper's AWND).
    pub window: u64,
    /// Largest PKT.SEQ that has arrived; of no meaning while `packets` is zero.
    pub largest: u64,
    /// Packets with a PKT.SEQ that have arrived, each counted once.
    pub packets: u64,
    /// Running number of the latest SYNC that has arrived; zero = none.
    pub sync: u64,
}

/// Packets that have arrived with each ECN codepoint (RFC 9000 section 19.3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EcnCounts {
    /// With ECT(0).
    pub ect0: u64,
    /// With ECT(1).
    pub ect1: u64,
    /// With CE.
    pub ce: u64,
}

/// The packet of the interval that was under way for the shortest time.
///
/// "Based on the TACK delay and the departure timestamp corresponding to the packet that achieves the
/// minimum OWD, the sender calculates the RTT of this packet as a minimum RTT sample" (TACK paper,
/// section 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fastest {
    /// Its departure time stamp, microseconds of the data sender's clock.
    pub stamp: u32,
    /// Time between its arrival and the departure of the TACK, microseconds.
    pub hold: u32,
}

/// A TACK without its lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TackHead {
    /// Report of the arrivals.
    pub receipt: Receipt,
    /// Everything missing with a PKT.SEQ up to here was reported as lost; at most `largest`.
    pub settled: u64,
    /// Delivery rate, bytes per second; zero = no sample.
    pub rate: u64,
    /// Time over which it was measured, microseconds.
    pub interval: u32,
    /// The application limited the sender while it was measured.
    pub app_limited: bool,
    /// Time between the arrival of `largest` and the departure of this, microseconds.
    pub hold: u32,
    /// The fastest packet of the interval.
    pub fastest: Option<Fastest>,
    /// Packets of the interval that should have arrived.
    pub expected: u64,
    /// Of these, lost.
    pub lost: u64,
    /// Marks, if the ends count them.
    pub ecn: Option<EcnCounts>,
}

/// A TACK as read.
#[derive(Clone, Copy, Debug)]
pub struct Tack<'a> {
    /// Everything but the lists.
    pub head: TackHead,
    /// Blocks that have arrived above the cumulative point, the largest first.
    pub acked: Acked<'a>,
    /// Gaps that were reported as lost, the smallest first.
    pub unacked: Unacked<'a>,
}

/// The instant event behind an IACK (TACK paper, section 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instant {
    /// Packets were lost: those strictly between the two numbers.
    Loss {
        /// "The second largest PKT.SEQ of the received packets."
        second: u64,
        /// "The largest PKT.SEQ."
        largest: u64,
    },
    /// "An abrupt change of receive buffer" (section 5.3).
    Window,
    /// The handshake is complete at the active end; the time since the ACCEPT came, microseconds.
    Confirm {
        /// Stamp of that ACCEPT.
        echo: u32,
        /// Time since then, microseconds.
        hold: u32,
    },
    /// The first congestion mark after packets without.
    Mark(EcnCounts),
}

/// An instant ACK of the receiving half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iack {
    /// Report of the arrivals.
    pub receipt: Receipt,
    /// Why it was sent.
    pub reason: Instant,
}

/// "The sender might send an IACK to sync an updated RTT_min with the receiver for adjusting TACK
/// interval" (TACK paper, section 4.4). It also carries the loss rate of the ACK path, which the
/// receiver needs for Eq. 6 and only the sender can count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sync {
    /// Running number, from one.
    pub number: u64,
    /// Minimum RTT, microseconds.
    pub rtt_min: u32,
    /// Interval between two TACKs, microseconds; zero = the receiver computes it.
    pub interval: u32,
    /// Loss rate of the ACK path, parts per million.
    pub ack_loss_ppm: u32,
}

const HAS_ECN: u8 = 1;
const HAS_FASTEST: u8 = 1 << 1;
const APP_LIMITED: u8 = 1 << 2;
const MICROS: u64 = u32::MAX as u64;
const MILLION: u64 = 1_000_000;

impl Receipt {
    fn put(&self, out: &mut Vec<u8>) {
        for v in [
            self.cumulative,
            self.window,
            self.largest,
            self.packets,
            self.sync,
        ] {
            varint::put(out, v);
        }
    }

    fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            cumulative: r.varint()?,
            window: r.at_most(1 << 40, "window")?,
            largest: r.varint()?,
            packets: r.varint()?,
            sync: r.varint()?,
        })
    }
}

impl EcnCounts {
    fn put(&self, out: &mut Vec<u8>) {
        for v in [self.ect0, self.ect1, self.ce] {
            varint::put(out, v);
        }
    }

    fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            ect0: r.varint()?,
            ect1: r.varint()?,
            ce: r.varint()?,
        })
    }
}

impl TackHead {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let flag = |on: bool, bit| if on { bit } else { 0 };
        out.push(
            flag(self.ecn.is_some(), HAS_ECN)
                | flag(self.fastest.is_some(), HAS_FASTEST)
                | flag(self.app_limited, APP_LIMITED),
        );
        self.receipt.put(out);
        varint::put(out, self.receipt.largest.saturating_sub(self.settled));
        varint::put(out, self.rate);
        varint::put(out, u64::from(self.interval));
        varint::put(out, u64::from(self.hold));
        if let Some(f) = self.fastest {
            out.extend_from_slice(&f.stamp.to_be_bytes());
            varint::put(out, u64::from(f.hold));
        }
        varint::put(out, self.expected);
        varint::put(out, self.lost);
        if let Some(e) = self.ecn {
            e.put(out);
        }
    }

    fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let flags = r.byte()?;
        if flags & !(HAS_ECN | HAS_FASTEST | APP_LIMITED) != 0 {
            return Err(DecodeError::Reserved { byte: flags });
        }
        let receipt = Receipt::take(r)?;
        let behind = r.at_most(receipt.largest, "settled number")?;
        let rate = r.varint()?;
        let interval = r.at_most(MICROS, "interval")? as u32;
        let hold = r.at_most(MICROS, "hold time")? as u32;
        let fastest = if flags & HAS_FASTEST != 0 {
            Some(Fastest {
                stamp: r.u32()?,
                hold: r.at_most(MICROS, "hold time")? as u32,
            })
        } else {
            None
        };
        let expected = r.varint()?;
        let lost = r.at_most(expected, "lost packets")?;
        let ecn = if flags & HAS_ECN != 0 {
            Some(EcnCounts::take(r)?)
        } else {
            None
        };
        Ok(Self {
            receipt,
            settled: receipt.largest - behind,
            rate,
            interval,
            app_limited: flags & APP_LIMITED != 0,
            hold,
            fastest,
            expected,
            lost,
            ecn,
        })
    }

    /// Loss rate of the data path in the interval, parts per million.
    pub fn loss_ppm(&self) -> u32 {
        let ppm = u128::from(self.lost) * u128::from(MILLION);
        ppm.checked_div(u128::from(self.expected)).unwrap_or(0) as u32
    }
}

impl<'a> Tack<'a> {
    pub(super) fn take(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let head = TackHead::take(r)?;
        let cumulative = head.receipt.cumulative;
        Ok(Self {
            head,
            acked: Acked::take(r, cumulative)?,
            unacked: Unacked::take(r, cumulative)?,
        })
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.head.put(out);
        let cumulative = self.head.receipt.cumulative;
        let mut list = ListWriter::acked(out, cumulative, usize::MAX / 2);
        self.acked.for_each(|b| {
            list.push(b);
        });
        let mut list = ListWriter::unacked(out, cumulative, usize::MAX / 2);
        self.unacked.for_each(|b| {
            list.push(b);
        });
    }
}

impl Iack {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let code = match self.reason {
            Instant::Loss { .. } => 1,
            Instant::Window => 2,
            Instant::Confirm { .. } => 3,
            Instant::Mark(_) => 4,
        };
        out.push(code);
        self.receipt.put(out);
        match self.reason {
            Instant::Loss { second, largest } => {
                varint::put(out, largest);
                varint::put(out, largest - second);
            }
            Instant::Window => {}
            Instant::Confirm { echo, hold } => {
                out.extend_from_slice(&echo.to_be_bytes());
                varint::put(out, u64::from(hold));
            }
            Instant::Mark(counts) => counts.put(out),
        }
    }

    pub(super) fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let code = r.byte()?;
        let receipt = Receipt::take(r)?;
        let reason = match code {
            1 => {
                let largest = r.varint()?;
                let span = r.at_most(largest, "range of lost packets")?;
                if span < 2 {
                    // Nothing lies between neighbours.
                    return Err(DecodeError::OutOfRange {
                        field: "range of lost packets",
                        value: span,
                    });
                }
                Instant::Loss {
                    second: largest - span,
                    largest,
                }
            }
            2 => Instant::Window,
            3 => Instant::Confirm {
                echo: r.u32()?,
                hold: r.at_most(MICROS, "hold time")? as u32,
            },
            4 => Instant::Mark(EcnCounts::take(r)?),
            _ => {
                return Err(DecodeError::OutOfRange {
                    field: "reason of an IACK",
                    value: u64::from(code),
                });
            }
        };
        Ok(Self { receipt, reason })
    }
}

impl Sync {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        varint::put(out, self.number);
        for v in [self.rtt_min, self.interval, self.ack_loss_ppm] {
            varint::put(out, u64::from(v));
        }
    }

    pub(super) fn take(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            number: r.varint()?,
            rtt_min: r.at_most(MICROS, "minimum RTT")? as u32,
            interval: r.at_most(MICROS, "interval")? as u32,
            ack_loss_ppm: r.at_most(MILLION, "loss rate of the ACK path")? as u32,
        })
    }
}
