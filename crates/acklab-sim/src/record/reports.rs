//! The reports of TACK's receivers, with their state at that time.

use super::acks::Ends;
use super::tamed;
use acklab_path::packet::Packet;
use acklab_proto::ack::AckReason;
use acklab_proto::tack::wire::TackHead;
use acklab_proto::tack::wire::{Block, Frame, Frames, IackReason, Packet as TackPacket, Receipt};
use acklab_proto::transport::{Estimates, Transport};
use acklab_units::Instant;

/// A packet of TACKs and IACKs as its sender, the receiver of a flow's data, sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRecord {
    /// When.
    pub at: Instant,
    /// Number of the flow in the plan.
    pub flow: u32,
    /// The number of the packet among those of feedback.
    pub number: u64,
    /// Why it was sent.
    pub reason: Option<AckReason>,
    /// The data that it reports as arrived; of several frames the last.
    pub receipt: Receipt,
    /// The TACK's content, if there is one in it.
    pub tack: Option<TackHead>,
    /// Its acked list, the largest offsets first.
    pub acked: Vec<Block>,
    /// Its unacked list, the smallest offsets first.
    pub unacked: Vec<Block>,
    /// PKT.SEQ before and behind what each loss IACK calls lost.
    pub losses: Vec<(u64, u64)>,
    /// The receiver's state once it had left.
    pub estimates: Estimates,
}

/// Keeps the records.
#[derive(Debug)]
pub(super) struct ReportLog {
    ends: Vec<Ends>,
    records: Vec<ReportRecord>,
    /// The host whose packet was the last record, until its estimates are known.
    open: Option<usize>,
}

impl ReportLog {
    pub(super) fn new(ends: Vec<Ends>) -> Self {
        Self {
            ends,
            records: Vec::new(),
            open: None,
        }
    }

    /// A host sent `packet`, whose content is `tack` with `control`; `due` is why a TACK was.
    pub(super) fn on_sent(
        &mut self,
        at: Instant,
        packet: Packet,
        (tack, control): (&TackPacket, &[u8]),
        due: Option<AckReason>,
    ) {
        let host = packet.flow.0 as usize;
        if packet.flow.0 != self.ends[host / 2].receiver() {
            return;
        }
        let Some((_, why)) = tamed::told(control) else {
            return;
        };
        let mut record = ReportRecord {
            at,
            flow: packet.flow.0 / 2,
            number: tack.header.number,
            reason: why.or(due),
            receipt: Receipt::default(),
            tack: None,
            acked: Vec::new(),
            unacked: Vec::new(),
            losses: Vec::new(),
            estimates: Estimates::default(),
        };
        for frame in Frames::new(control) {
            match frame {
                Frame::Tack(tack) => {
                    record.receipt = tack.head.receipt;
                    record.tack = Some(tack.head);
                    record.acked.extend(tack.acked);
                    record.unacked.extend(tack.unacked);
                }
                Frame::Iack(iack) => {
                    record.receipt = iack.receipt;
                    if let IackReason::Loss { second, largest } = iack.reason {
                        record.losses.push((second, largest));
                    }
                }
                _ => {}
            }
        }
        self.records.push(record);
        self.open = Some(host);
    }

    /// The transport of `host` has sent something.
    pub(super) fn on_transport(&mut self, host: usize, is: &impl Transport) {
        if self.open != Some(host) {
            return;
        }
        self.open = None;
        if let (Some(record), Some(known)) = (self.records.last_mut(), is.estimates()) {
            record.estimates = known;
        }
    }

    /// The records, by time.
    pub(super) fn finish(self) -> Vec<ReportRecord> {
        self.records
    }
}
