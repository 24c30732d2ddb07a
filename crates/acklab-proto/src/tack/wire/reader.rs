//! Takes bytes off the front of a slice.

use super::error::DecodeError;
use super::varint;

/// The bytes left to read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let (head, tail) = self
            .rest
            .split_at_checked(n)
            .ok_or(DecodeError::Truncated {
                given: self.rest.len(),
                needed: n,
            })?;
        self.rest = tail;
        Ok(head)
    }

    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.bytes(1)?[0])
    }

    /// A big-endian number of `n` bytes, at most eight.
    pub fn number(&mut self, n: usize) -> Result<u64, DecodeError> {
        let bytes = self.bytes(n)?;
        Ok(bytes.iter().fold(0, |v, &b| v << 8 | u64::from(b)))
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(self.number(4)? as u32)
    }

    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        varint::take(self)
    }

    /// A variable-length number that must be at most `most`.
    pub fn at_most(&mut self, most: u64, field: &'static str) -> Result<u64, DecodeError> {
        let value = self.varint()?;
        if value > most {
            return Err(DecodeError::OutOfRange { field, value });
        }
        Ok(value)
    }
}
