//! The way of a data segment through the receiver: placed, measured, reported, acknowledged.

use super::compression::Urgency;
use super::reassembly::Placed;
use super::sack_blocks::Noted;
use super::{Data, Extent, Outcome, Receiver, Verdict};
use crate::ack::{AckDecision, AckReason, Arrival};
use acklab_units::Instant;

impl Receiver {
    /// The part of `data` that may be kept: below the window's edge and not beyond a FIN.
    fn trimmed(&mut self, data: &Data) -> Extent {
        let whole = data.extent();
        let end = whole.end.min(self.window.edge());
        if data.fin && end == whole.end && self.fin_at.is_none() {
            self.fin_at = Some(end - 1);
        }
        Extent {
            start: whole.start,
            end: self.fin_at.map_or(end, |fin| end.min(fin + 1)),
        }
    }

    /// A segment that reaches beyond what is in order and begins within the window.
    #[inline(always)]
    pub(super) fn accept(&mut self, now: Instant, data: &Data) -> Outcome {
        let segment = self.trimmed(data);
        let before = self.stream.next();
        let had_gap = self.stream.has_gap();
        self.timestamps
            .record(data.offset, data.ts_val, self.last_ack);
        let held = if had_gap { self.occupancy().held } else { 0 };
        let placed = self.stream.place(segment);
        if placed.advanced > 0 {
            self.queue(before, segment, &placed, held);
        }
        self.measure(now, data, segment, &placed);
        self.update_sack(&placed, segment);
        let window_grew = placed.fresh > 0 && self.size_window(now, data.len, &placed, held);
        if window_grew {
            self.policy.on_window_grown();
        }
        self.decide(now, data, &placed, had_gap);
        let fin_reached = placed.advanced > 0 && self.fin_reached();
        if fin_reached {
            self.pending = Some(AckReason::Control);
        }
        Outcome {
            verdict: verdict_of(&placed),
            newly_readable: placed.advanced - u64::from(fin_reached),
            fresh: placed.fresh,
            taken: self.payload_above(before, segment),
            fin_reached,
            window_grew,
        }
    }

    /// In-order data from `before` on wait for the reader. `held` is the room that all above the gap took.
    fn queue(&mut self, before: u64, segment: Extent, placed: &Placed, held: u64) {
        if before == self.read_to {
            let whole = before + self.packet.min(placed.advanced);
            self.head_end = match self.stream.per_block() {
                0 => whole,
                _ => segment.end + placed.beside,
            };
        }
        if held > 0 {
            let freed = held.saturating_sub(self.occupancy().held);
            // What goes into the block of the segment leaves its own.
            let own = self
                .window
                .room_of(placed.beside, u64::from(placed.beside > 0));
            let room = (freed + placed.fresh).saturating_sub(own);
            self.unread_excess += room as i64 - placed.advanced as i64;
        }
    }

    /// The payload of `segment` above `before`.
    fn payload_above(&self, before: u64, segment: Extent) -> Extent {
        Extent {
            start: segment.start.max(before),
            end: self.fin_at.map_or(segment.end, |f| segment.end.min(f)),
        }
    }

    /// Nothing in it is new: the ACK was lost, or the retransmission was not needed. RFC 9293
    /// wants an answer whatever the policy says, or the sender may never learn.
    #[cold]
    pub(super) fn on_old_data(&mut self, now: Instant, data: &Data) -> Outcome {
        let placed = self.stream.place(data.extent());
        self.update_sack(&placed, data.extent());
        let had_gap = self.stream.has_gap();
        let arrival = self.arrival(now, data, &placed, had_gap);
        let reason = match self.policy.on_data(&arrival) {
            AckDecision::Now(reason) => reason,
            AckDecision::At(_) | AckDecision::Hold => AckReason::OutOfOrder,
        };
        self.pending.get_or_insert(reason);
        Outcome {
            verdict: Verdict::Duplicate,
            ..Outcome::default()
        }
    }

    /// An unacceptable segment: answered at once, otherwise without effect. Repeated data are
    /// reported, as RFC 2883 asks.
    #[cold]
    pub(super) fn refuse(&mut self, segment: Extent, verdict: Verdict) -> Outcome {
        let old = Extent {
            start: segment.start,
            end: segment.end.min(self.stream.next()),
        };
        if self.reports_duplicates() && !old.is_empty() {
            self.sack.note_duplicate(old);
        }
        let reason = self.answer_reason();
        self.pending.get_or_insert(reason);
        Outcome {
            verdict,
            ..Outcome::default()
        }
    }

    #[inline(always)]
    fn arrival(&self, now: Instant, data: &Data, placed: &Placed, had_gap: bool) -> Arrival {
        let moves_unread = self.window.can_move(self.occupancy());
        Arrival {
            now,
            len: data.len,
            in_order: placed.advanced > 0,
            had_gap,
            has_gap: self.stream.has_gap(),
            duplicate: placed.fresh == 0,
            push: data.push || data.fin,
            ecn_change: false,
            unacked: self.stream.next() - self.last_ack,
            rcv_mss: self.rcv_mss.bytes(),
            window_can_move: moves_unread || self.window_can_move(placed.advanced),
            moves_unread,
            rtt: self.rtt.best_known(),
            start: data.offset,
            next: self.stream.next(),
            ask: data.ask,
        }
    }

    /// Whether the window could stay as large as it was. Data that have just arrived count as read: a
    /// reader that keeps up takes them, and acknowledges then (Linux `tcp_cleanup_rbuf`).
    fn window_can_move(&self, just_arrived: u64) -> bool {
        let mut occupancy = self.occupancy();
        occupancy.unread = self.readable().saturating_sub(just_arrived);
        self.window.can_move(occupancy)
    }

    fn decide(&mut self, now: Instant, data: &Data, placed: &Placed, had_gap: bool) {
        let arrival = Arrival {
            ecn_change: self.ecn.on_data(data.ecn, data.cwr),
            ..self.arrival(now, data, placed, had_gap)
        };
        let AckDecision::Now(reason) = self.policy.on_data(&arrival) else {
            return;
        };
        if !self.may_wait(&arrival, reason) {
            self.pending.get_or_insert(reason);
            if precedes_reader(&arrival, reason) {
                self.unread_at_ack = self.occupancy().unread;
            }
        } else if self.policy.reader_acknowledges() && arrival.unacked > u64::from(arrival.rcv_mss)
        {
            self.pending.get_or_insert(AckReason::ByteCount);
        }
    }

    /// Whether SACK compression holds back the ACK that the policy wants.
    fn may_wait(&mut self, arrival: &Arrival, reason: AckReason) -> bool {
        if reason != AckReason::OutOfOrder || !arrival.has_gap {
            return false;
        }
        let rtt = self.rtt.shortest();
        let next = self.stream.next();
        let urgency = self.compression.on_out_of_order(arrival.now, next, rtt);
        if urgency == Urgency::Now {
            return false;
        }
        if let Some(at) = self.policy.idle_timer().filter(|at| *at > arrival.now) {
            self.compression.end_by(at);
        }
        true
    }

    fn measure(&mut self, now: Instant, data: &Data, segment: Extent, placed: &Placed) {
        if let Some(reply) = data.reply {
            let full_sized = data.len >= self.rcv_mss.bytes();
            let drained = self.readable() <= placed.advanced;
            self.rtt.on_reply(reply, full_sized, drained);
        }
        if placed.advanced > 0 {
            // Linux does so before it takes what waited above the gap (`tcp_event_data_recv`).
            self.rtt.on_edge(now, segment.end, self.window.advertised());
        }
        let grew = self.rcv_mss.on_segment(data.len, data.push || data.fin);
        if let (true, Some(tune)) = (grew, self.window.autotune()) {
            tune.on_full_segment();
        }
    }

    /// Lets the window follow what arrives. Says whether its limit grew. Without SACK it stays while
    /// data arrives above a gap: an ACK that moves it would not count as a duplicate (Linux
    /// `tcp_data_queue_ofo`).
    /// It has the room that there was before, less its own if it is in order: Linux charges a block, and
    /// frees what a gap held back, afterwards.
    fn size_window(&mut self, now: Instant, len: u32, placed: &Placed, held: u64) -> bool {
        if let Some(tune) = self.window.autotune() {
            tune.settle(now);
        }
        let span = self.stream.span();
        if let (Some(_), Some(tune)) = (placed.island, self.window.autotune()) {
            tune.on_out_of_order(span);
            if self.sack_room == 0 {
                return false;
            }
        }
        let mut occupancy = self.occupancy();
        if held > 0 && placed.island.is_none() {
            occupancy.held = held;
            occupancy.unread = self.readable().saturating_sub(placed.advanced) + placed.fresh;
        } else if self.stream.per_block() > 0 {
            occupancy.held = held;
        }
        self.window.on_segment(len, occupancy)
    }

    fn reports_duplicates(&self) -> bool {
        self.dsack && self.sack_room > 0
    }

    fn update_sack(&mut self, placed: &Placed, segment: Extent) {
        if self.sack_room == 0 {
            return;
        }
        if placed.advanced > 0 {
            self.sack.on_advance(self.stream.next());
        }
        if let (true, Some(part)) = (self.dsack, placed.duplicate) {
            self.sack.note_duplicate(part);
        }
        let Some(island) = placed.island else { return };
        match fresh_part(placed, segment).filter(|_| self.blocks_by_segment) {
            Some(part) if part.is_empty() => {}
            Some(part) => self.sack.note_segment(part),
            None => self.report(island),
        }
    }

    /// Puts `island` first. If that leaves blocks behind which a held ACK should have shown, the
    /// ACK leaves. (Linux sends it just before it takes in the segment; here it already shows it.)
    #[cold]
    fn report(&mut self, island: Extent) {
        let noted = self.sack.note_island(island);
        if noted == Noted::Far && self.compression.held() > 0 {
            self.pending.get_or_insert(AckReason::OutOfOrder);
        }
    }
}

/// Whether an ACK for `reason` leaves before the application reads. One that waits for what the reader
/// drains leaves after it.
const fn precedes_reader(arrival: &Arrival, reason: AckReason) -> bool {
    match reason {
        AckReason::Push => false,
        AckReason::ByteCount => arrival.moves_unread,
        _ => true,
    }
}

/// The new part of `segment`, if that is one piece at either end.
fn fresh_part(placed: &Placed, segment: Extent) -> Option<Extent> {
    let Some(old) = placed.duplicate else {
        return Some(segment);
    };
    let part = if old.start <= segment.start {
        Extent {
            start: old.end,
            ..segment
        }
    } else {
        Extent {
            end: old.start,
            ..segment
        }
    };
    (part.len() == placed.fresh).then_some(part)
}

const fn verdict_of(placed: &Placed) -> Verdict {
    if placed.fresh == 0 {
        Verdict::Duplicate
    } else {
        Verdict::Accepted
    }
}
