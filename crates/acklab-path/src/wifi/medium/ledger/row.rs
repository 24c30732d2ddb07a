//! A station's account of the silence that it hears.

use super::clock::Reading;
use crate::wifi::contention::GroundId;
use acklab_units::Span;

/// A station's row: what it does not send and does not hear, up to `read` and in each SIFS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub ground: GroundId,
    /// SIFS in which it is: of its own exchange, of one that it answers.
    pub gaps: u8,
    /// It waits for its turn.
    pub contends: bool,
    /// An exchange is its own, or has been granted to it: no reservation keeps it waiting.
    pub engaged: bool,
    /// It is among those that the reservations of this silence do not bind.
    pub unbound: bool,
    pub read: Reading,
    /// In a SIFS: up to where that is booked.
    pub gap: Reading,
    pub reserved: Span,
    pub sifs: Span,
    pub contention: Span,
    pub idle: Span,
}

impl Row {
    /// Books the silence up to `read`.
    #[inline]
    pub fn settle(&mut self, read: Reading) {
        if self.gaps > 0 {
            self.settle_gap(read);
        }
        let silent = read.silent - self.read.silent;
        let reserved = read.reserved - self.read.reserved;
        self.read = read;
        if self.engaged {
            self.contention += silent;
        } else {
            let kept = if self.unbound { Span::ZERO } else { reserved };
            self.reserved += kept;
            let free = if self.contends {
                &mut self.contention
            } else {
                &mut self.idle
            };
            *free += silent - kept;
        }
    }

    /// Books the SIFS up to `read`; what was before it is booked later as if it followed.
    #[inline]
    pub fn settle_gap(&mut self, read: Reading) {
        let silent = read.silent - self.gap.silent;
        self.sifs += silent;
        self.read.silent += silent;
        self.read.reserved += read.reserved - self.gap.reserved;
        self.gap = read;
    }
}
