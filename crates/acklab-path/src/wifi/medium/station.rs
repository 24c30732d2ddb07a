//! A station: four access categories that contend, and its ports to other stations.

use super::delivery::Reading;
use super::exchange::Step;
use super::sending::Sending;
use super::{EdcaConfig, PortConfig, PortId, StationId};
use crate::packet::PacketId;
use crate::wifi::contention::Contender;
use crate::wifi::mac::{Psdu, Recipient, TxQueue};
use crate::wifi::rate::RateControl;
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// One access category of a station (10.23.2): an enhanced distributed channel access function.
#[derive(Debug)]
pub(super) struct Edcaf {
    pub contender: Contender,
    pub config: EdcaConfig,
    /// Contention window: a backoff is drawn from 0 to this.
    pub cw: u16,
    /// Failures in a row (QSRC).
    pub failures: u8,
    /// When it began to wait for the medium.
    pub wants_since: Instant,
    pub queue: TxQueue,
    /// It has stations to call for what they have (OFDMA).
    pub calls: bool,
    /// Until then it leaves contention to Trigger frames (MU EDCA timer, 26.2.7).
    pub rests: bool,
    /// The calendar has an entry for when the discipline above the queue has something.
    pub awaited: Option<Instant>,
}

impl Edcaf {
    /// Whether there is something to contend for.
    pub fn wants(&self) -> bool {
        (self.queue.has_frames() || self.calls) && !self.rests
    }

    /// The window after a transmission that was answered (10.23.2.2).
    pub fn on_success(&mut self) {
        self.cw = self.config.cw_min;
        self.failures = 0;
    }

    /// The window after one that was not (10.23.2.2): doubled up to `limit` times in a row (QSRC), and
    /// then it begins anew.
    pub fn on_failure(&mut self, limit: u8) {
        if self.failures < limit {
            self.failures += 1;
            let doubled = self.cw.saturating_mul(2).saturating_add(1);
            self.cw = doubled.min(self.config.cw_max);
        } else {
            self.on_success();
        }
    }
}

/// A frame exchange sequence (10.23.2.9), under way from the station that won the medium.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// Access category under which the medium was won, by its number.
    pub category: u8,
    /// The way that the data take which are sent, announced or awaited now.
    pub port: PortId,
    /// The step that follows the SIFS.
    pub next: Step,
    /// Tells this exchange from others.
    pub number: u32,
    /// The data were announced and the announcement was not answered yet.
    pub announced: bool,
    /// The holder has granted the reverse direction.
    pub reversed: bool,
    /// End of the transmission opportunity.
    pub until: Instant,
}

/// A station.
#[derive(Debug)]
pub(super) struct Station {
    /// The most urgent first.
    pub categories: Vec<Edcaf>,
    pub exchange: Option<Exchange>,
    /// It sends, or has sent and awaits the answer, in a reverse direction that was granted to it.
    pub in_reverse: bool,
    /// The data that it sends say that it has more for the same station.
    pub promises_more: bool,
    /// ACKs in the answer that it sends.
    pub aboard: Vec<PacketId>,
    /// The PSDU that it sends as data: as holder, or in a reverse direction that was granted to it.
    pub psdu: Psdu,
    /// The part that its receiver has read.
    pub reading: Reading,
}

impl Station {
    /// Whether a frame exchange keeps it from beginning or joining another.
    pub fn is_occupied(&self) -> bool {
        self.exchange.is_some() || self.in_reverse
    }
}

/// A way from one station to another.
#[derive(Debug)]
pub(super) struct Port {
    pub from: StationId,
    pub to: StationId,
    /// Number of this port among those of `from`.
    pub peer: u16,
    /// The way back, if there is one.
    pub back: Option<PortId>,
    pub config: PortConfig,
    pub rate: RateControl,
    /// In the mode that was chosen last.
    pub sending: Sending,
    /// By access category, at the far end.
    pub recipients: Vec<Recipient>,
    /// The other side has promised more data under that access category, and the answers to them carry
    /// ACKs.
    pub promised: Option<u8>,
    /// By access category: the calendar has an entry for the end of patience with what is kept back here.
    pub reminded: Vec<bool>,
    /// Spent on this port's data.
    pub airtime: Span,
}
