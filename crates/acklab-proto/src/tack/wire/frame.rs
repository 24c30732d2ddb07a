//! Control frames: everything in a packet but DATA.

use super::error::DecodeError;
use super::handshake::{Accept, Hello};
use super::packet::Space;
use super::reader::Reader;
use super::report::{Iack, Sync, Tack};
use super::varint;
use alloc::vec::Vec;

pub(super) const PADDING: u8 = 0x00;
pub(super) const PING: u8 = 0x01;
pub(super) const HELLO: u8 = 0x02;
pub(super) const ACCEPT: u8 = 0x03;
pub(super) const TACK: u8 = 0x04;
pub(super) const IACK: u8 = 0x05;
pub(super) const SYNC: u8 = 0x06;
pub(super) const CLOSE: u8 = 0x07;
pub(super) const RESET: u8 = 0x08;
/// DATA's types: the low four bits are its flags.
pub(super) const DATA: u8 = 0x10;
pub(super) const DATA_FLAGS: u8 = 0x07;

/// The connection is over, and the peer may forget it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Close {
    /// Everything of the peer's stream below this offset has arrived, its end included.
    pub cumulative: u64,
}

/// Why a connection was broken off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ResetCode {
    /// The application said so.
    Aborted,
    /// There is no such connection.
    Unknown,
    /// The peer claimed what cannot be: it acknowledged what was never sent, or a packet number that
    /// was skipped.
    Violation,
    /// A code that this version does not know.
    Other(u64),
}

impl ResetCode {
    const fn code(self) -> u64 {
        match self {
            Self::Aborted => 0,
            Self::Unknown => 1,
            Self::Violation => 2,
            Self::Other(code) => code,
        }
    }

    pub(super) const fn from_code(code: u64) -> Self {
        match code {
            0 => Self::Aborted,
            1 => Self::Unknown,
            2 => Self::Violation,
            other => Self::Other(other),
        }
    }
}

/// Breaks the connection off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reset {
    /// Why.
    pub code: ResetCode,
}

/// One control frame.
#[derive(Clone, Copy, Debug)]
pub enum Frame<'a> {
    /// Asks for a TACK at once: a window probe, or to keep the connection alive.
    Ping,
    /// Opens a connection.
    Hello(Hello),
    /// Answers a HELLO.
    Accept(Accept),
    /// The tamed acknowledgement.
    Tack(Tack<'a>),
    /// The instant acknowledgement.
    Iack(Iack),
    /// Minimum RTT and TACK interval, from the sending half.
    Sync(Sync),
    /// The connection is over.
    Close(Close),
    /// The connection is broken off.
    Reset(Reset),
}

impl<'a> Frame<'a> {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(self.kind());
        match self {
            Self::Ping => {}
            Self::Hello(f) => f.put(out),
            Self::Accept(f) => f.put(out),
            Self::Tack(f) => f.put(out),
            Self::Iack(f) => f.put(out),
            Self::Sync(f) => f.put(out),
            Self::Close(f) => varint::put(out, f.cumulative),
            Self::Reset(f) => varint::put(out, f.code.code()),
        }
    }

    /// Appends the type and head of a TACK; its two lists follow.
    pub fn put_tack_head(head: &super::TackHead, out: &mut Vec<u8>) {
        out.push(TACK);
        head.put(out);
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::Ping => PING,
            Self::Hello(_) => HELLO,
            Self::Accept(_) => ACCEPT,
            Self::Tack(_) => TACK,
            Self::Iack(_) => IACK,
            Self::Sync(_) => SYNC,
            Self::Close(_) => CLOSE,
            Self::Reset(_) => RESET,
        }
    }

    fn take(kind: u8, r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(match kind {
            PING => Self::Ping,
            HELLO => Self::Hello(Hello::take(r)?),
            ACCEPT => Self::Accept(Accept::take(r)?),
            TACK => Self::Tack(Tack::take(r)?),
            IACK => Self::Iack(Iack::take(r)?),
            SYNC => Self::Sync(Sync::take(r)?),
            CLOSE => Self::Close(Close {
                cumulative: r.varint()?,
            }),
            RESET => Self::Reset(Reset {
                code: ResetCode::from_code(r.varint()?),
            }),
            _ => return Err(DecodeError::UnknownFrame { kind }),
        })
    }

    /// Whether it may stand in a packet of that space: a PING must be answered, so it has a PKT.SEQ,
    /// and what tells of arrivals has none.
    const fn belongs_to(&self, space: Space) -> bool {
        match self {
            Self::Ping => matches!(space, Space::Data),
            _ => matches!(space, Space::Feedback),
        }
    }
}

/// The control frames of a packet, in order.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    r: Reader<'a>,
}

impl<'a> Frames<'a> {
    /// The frames in `control`, which [`decode`](super::decode) has read without a mistake or this
    /// end has written. From a mistake on there are none.
    pub const fn new(control: &'a [u8]) -> Self {
        Self {
            r: Reader::new(control),
        }
    }

    /// Walks over control frames up to the first DATA frame or the end; returns where that is and
    /// how many there were.
    pub(super) fn measure(bytes: &'a [u8], space: Space) -> Result<(usize, usize), DecodeError> {
        let mut r = Reader::new(bytes);
        let mut count = 0;
        while let Some(&kind) = r.rest().first() {
            if kind & !DATA_FLAGS == DATA {
                break;
            }
            r.byte()?;
            if kind == PADDING {
                continue;
            }
            let frame = Frame::take(kind, &mut r)?;
            if !frame.belongs_to(space) {
                return Err(DecodeError::Misplaced { kind });
            }
            count += 1;
        }
        Ok((bytes.len() - r.rest().len(), count))
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        loop {
            let kind = self.r.byte().ok()?;
            if kind != PADDING {
                let frame = Frame::take(kind, &mut self.r).ok();
                if frame.is_none() {
                    self.r = Reader::new(&[]);
                }
                return frame;
            }
        }
    }
}
