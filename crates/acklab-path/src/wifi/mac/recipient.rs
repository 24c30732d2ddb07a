//! The receiving side: which MPDUs arrived, and the packets in order.
//!
//! One value for each sender and TID. It keeps the full-state scoreboard (10.24.7.3), from which
//! block acks are made, and the receive reordering buffer (10.24.7.6). Without a block ack
//! agreement it recognises the repetition of the latest MPDU (10.3.2.14) and passes everything on.

use super::bitmap::{Bitmap, advance, distance, is_before};
use crate::packet::Packet;
use alloc::vec::Vec;

/// How the recipient saw an MPDU. It acknowledges each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Its packets were taken.
    New,
    /// It was received before and waits, or has been passed on.
    Duplicate,
    /// It lies before the window: passed on or no longer wanted.
    Old,
}

/// Counters: `taken = released + waiting`, in packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecipientStats {
    /// MPDUs that were new.
    pub mpdus: u64,
    /// MPDUs that were duplicates or old.
    pub repeated: u64,
    /// Packets taken.
    pub taken: u64,
    /// Packets released.
    pub released: u64,
    /// Most MPDUs that waited in the reordering buffer at once.
    pub max_reordering: u16,
}

/// The recipient of what one sender sends under one TID.
#[derive(Debug)]
pub struct Recipient {
    /// MPDUs in the window; 0: no agreement.
    window: u16,
    /// Scoreboard: WinStartR, and what was received from there on.
    score_start: u16,
    score: Bitmap,
    /// Reordering buffer: WinStartB, and what waits from there on.
    start: u16,
    buffered: Bitmap,
    /// Packets that wait, by number of their MPDU modulo the number of slots, a power of two: only
    /// those divide 4096. They keep their memory.
    slots: Vec<Vec<Packet>>,
    /// Packets in order that were not fetched yet.
    ready: Vec<Packet>,
    /// Number of the latest MPDU, without an agreement.
    latest: Option<u16>,
    stats: RecipientStats,
}

impl Recipient {
    /// A recipient with a window of up to 256 MPDUs, or without an agreement (0). The first MPDU
    /// must have the number 0.
    ///
    /// # Panics
    /// On a larger window.
    pub fn new(window: u16) -> Self {
        assert!(window <= Bitmap::SIZE, "no bitmap for {window} MPDUs");
        Self {
            window,
            score_start: 0,
            score: Bitmap::default(),
            start: 0,
            buffered: Bitmap::default(),
            slots: Vec::new(),
            ready: Vec::new(),
            latest: None,
            stats: RecipientStats::default(),
        }
    }

    /// There is an agreement from now on, with a window of up to 256 MPDUs that begins with `start`. What
    /// waits under an older one is waited for no longer.
    ///
    /// # Panics
    /// On a larger window, and on none.
    #[cold]
    pub fn agree(&mut self, start: u16, window: u16) {
        assert!(
            (1..=Bitmap::SIZE).contains(&window),
            "no bitmap for {window} MPDUs"
        );
        for i in self.buffered.iter() {
            self.pass_on(advance(self.start, i));
        }
        self.slots.clear();
        self.window = window;
        (self.score, self.buffered) = (Bitmap::default(), Bitmap::default());
        (self.score_start, self.start) = (start, start);
        self.check();
    }

    /// An MPDU was decoded; it carries `packets`, which are taken only if it is new.
    pub fn on_mpdu(&mut self, seq: u16, packets: impl Iterator<Item = Packet>) -> Verdict {
        let verdict = match self.window {
            0 => self.on_single(seq, packets),
            _ => {
                self.note(seq);
                self.buffer(seq, packets)
            }
        };
        match verdict {
            Verdict::New => self.stats.mpdus += 1,
            Verdict::Duplicate | Verdict::Old => self.stats.repeated += 1,
        }
        self.check();
        verdict
    }

    fn on_single(&mut self, seq: u16, packets: impl Iterator<Item = Packet>) -> Verdict {
        if self.latest.replace(seq) == Some(seq) {
            return Verdict::Duplicate;
        }
        self.take(packets);
        Verdict::New
    }

    fn take(&mut self, packets: impl Iterator<Item = Packet>) {
        // Mostly a single one: cheaper than `extend`, which reckons with many.
        for packet in packets {
            self.ready.push(packet);
            self.stats.taken += 1;
        }
    }

    /// The scoreboard: 10.24.7.3 b).
    #[inline]
    fn note(&mut self, seq: u16) {
        let d = distance(self.score_start, seq);
        if is_before(d) {
            return;
        }
        if d >= self.window {
            self.slide_score(d + 1 - self.window);
        }
        self.score.insert(distance(self.score_start, seq));
    }

    fn slide_score(&mut self, n: u16) {
        self.score.shift(n);
        self.score_start = advance(self.score_start, n);
    }

    /// The reordering buffer: 10.24.7.6.2 a) and b).
    fn buffer(&mut self, seq: u16, packets: impl Iterator<Item = Packet>) -> Verdict {
        let mut d = distance(self.start, seq);
        if is_before(d) {
            return Verdict::Old;
        }
        if d >= self.window {
            self.release_before(advance(self.start, d + 1 - self.window));
            d = self.window - 1;
        }
        if d == 0 {
            self.take(packets);
            self.start = advance(self.start, 1);
            self.buffered.shift(1);
            self.release_in_order();
            return Verdict::New;
        }
        if self.buffered.contains(d) {
            return Verdict::Duplicate;
        }
        self.buffered.insert(d);
        let slot = self.slot(seq);
        slot.extend(packets);
        let taken = slot.len() as u64;
        self.stats.taken += taken;
        self.stats.max_reordering = self.stats.max_reordering.max(self.buffered.len());
        self.release_in_order();
        Verdict::New
    }

    /// Passes on what waits from the start of the window to the first gap.
    #[inline]
    fn release_in_order(&mut self) {
        let mut n = 0;
        while self.buffered.contains(n) {
            self.pass_on(advance(self.start, n));
            n += 1;
        }
        self.buffered.shift(n);
        self.start = advance(self.start, n);
    }

    /// Moves the window to `start` and passes on what waited before it.
    fn release_before(&mut self, start: u16) {
        let n = distance(self.start, start);
        for i in self.buffered.iter().take_while(|i| *i < n) {
            self.pass_on(advance(self.start, i));
        }
        self.buffered.shift(n);
        self.start = start;
    }

    fn pass_on(&mut self, seq: u16) {
        let i = usize::from(seq) & (self.slots.len() - 1);
        self.ready.append(&mut self.slots[i]);
    }

    /// Most recipients never see an MPDU out of order, and there are many of them.
    fn slot(&mut self, seq: u16) -> &mut Vec<Packet> {
        if self.slots.is_empty() {
            let places = usize::from(self.window).next_power_of_two();
            self.slots.resize_with(places, Vec::new);
        }
        let i = usize::from(seq) & (self.slots.len() - 1);
        &mut self.slots[i]
    }

    /// A BlockAckReq came: everything before `start` is no longer waited for (10.24.7.3 c,
    /// 10.24.7.6.2 c).
    pub fn on_bar(&mut self, start: u16) {
        debug_assert!(self.window > 0, "a BlockAckReq without an agreement");
        let d = distance(self.score_start, start);
        if !is_before(d) {
            self.slide_score(d);
        }
        if !is_before(distance(self.start, start)) {
            self.release_before(start);
            self.release_in_order();
        }
        self.check();
    }

    /// Hands out what is in order, at the end of `out`.
    #[inline]
    pub fn release(&mut self, out: &mut impl Extend<Packet>) {
        self.stats.released += self.ready.len() as u64;
        out.extend(self.ready.drain(..));
    }

    /// The content of a Block Ack now: a first number and what was received from there on (10.24.7.5).
    #[inline]
    pub fn block_ack(&self) -> (u16, Bitmap) {
        (self.score_start, self.score)
    }

    /// MPDUs that wait for an earlier one.
    pub fn reordering(&self) -> u16 {
        self.buffered.len()
    }

    /// Counters.
    pub fn stats(&self) -> RecipientStats {
        self.stats
    }

    /// Packets inside: waiting for an earlier MPDU, or in order and not fetched yet.
    pub fn inside(&self) -> u64 {
        let waiting: usize = self.slots.iter().map(Vec::len).sum();
        (waiting + self.ready.len()) as u64
    }

    /// Conservation, and nothing in order waits.
    #[inline]
    fn check(&self) {
        debug_assert_eq!(self.stats.taken, self.stats.released + self.inside());
        debug_assert!(!self.buffered.contains(0), "in order and kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, PacketId};
    use acklab_proto::segment::Ecn;

    fn packet(id: u16) -> Packet {
        Packet {
            id: PacketId(u32::from(id)),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        }
    }

    fn receive(r: &mut Recipient, seqs: impl IntoIterator<Item = u16>) -> Vec<Verdict> {
        let verdict = |s| r.on_mpdu(s, core::iter::once(packet(s)));
        seqs.into_iter().map(verdict).collect()
    }

    fn released(r: &mut Recipient) -> Vec<u32> {
        let mut out = Vec::new();
        r.release(&mut out);
        out.iter().map(|p| p.id.0).collect()
    }

    #[test]
    fn a_gap_holds_back_what_follows() {
        use Verdict::{Duplicate, New, Old};
        let mut r = Recipient::new(64);
        assert_eq!(
            receive(&mut r, [0, 2, 3, 2, 0]),
            [New, New, New, Duplicate, Old]
        );
        assert_eq!(released(&mut r), [0]);
        assert_eq!(r.block_ack(), (0, Bitmap([0b1101, 0, 0, 0])));
        assert_eq!(receive(&mut r, [1]), [New]);
        assert_eq!(released(&mut r), [1, 2, 3]);
    }

    /// 10.24.7.6.2 b): SN beyond the window moves it, and what falls out of it is passed on.
    #[test]
    fn a_number_beyond_the_window_moves_it() {
        let mut r = Recipient::new(64);
        receive(&mut r, [1, 2, 5, 65]);
        assert_eq!(released(&mut r), [1, 2]);
        assert_eq!(r.block_ack().0, 2);
        receive(&mut r, [66]);
        assert_eq!((released(&mut r), r.reordering()), ([].into(), 3));
    }

    #[test]
    fn a_request_ends_the_waiting() {
        let mut r = Recipient::new(64);
        receive(&mut r, [1, 2, 4, 7]);
        r.on_bar(4);
        assert_eq!(released(&mut r), [1, 2, 4]);
        assert_eq!(r.block_ack(), (4, Bitmap([0b1001, 0, 0, 0])));
        r.on_bar(1);
        assert_eq!(r.block_ack().0, 4);
        assert_eq!(receive(&mut r, [3]), [Verdict::Old]);
    }

    #[test]
    fn without_an_agreement_only_the_latest_is_recognised() {
        let mut r = Recipient::new(0);
        let verdicts = receive(&mut r, [0, 0, 1, 3, 3]);
        use Verdict::{Duplicate, New};
        assert_eq!(verdicts, [New, Duplicate, New, New, Duplicate]);
        assert_eq!(released(&mut r), [0, 1, 3]);
    }

    #[test]
    fn numbers_wrap() {
        let mut r = Recipient::new(256);
        receive(&mut r, (0..4090).collect::<Vec<_>>());
        receive(&mut r, [4091, 4095, 0, 3, 4090, 4092, 4093, 4094, 1, 2]);
        let order: Vec<_> = released(&mut r).into_iter().skip(4090).collect();
        assert_eq!(order, [4090, 4091, 4092, 4093, 4094, 4095, 0, 1, 2, 3]);
    }
}
