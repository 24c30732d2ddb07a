//! Receive buffer autotuning: Linux's dynamic right-sizing (`tcp_rcv_space_adjust` and
//! `tcp_rcvbuf_grow` of Linux 6.18) and the slow start of the advertised window
//! (`tcp_grow_window`).
//!
//! Buffers are counted as Linux counts them, with the memory around the payload. That memory is
//! not modelled per packet: a fixed share of the buffer is payload, one half before the first
//! full segment and `recv_share` afterwards. Pruning and collapsing under memory pressure are therefore absent.

use crate::tcp::config::{Buffer, FULL_SEGMENT_SHARE};
use acklab_units::{Instant, Span};

/// Denominator of payload shares.
const SHARE_UNIT: u64 = 256;
/// Payload share of the buffer before anything is known (Linux `TCP_DEFAULT_SCALING_RATIO`).
const INITIAL_SHARE: u64 = 128;
/// Segments shorter than this do not let the window grow.
const GROWTH_MIN_LEN: u32 = 128;
/// Segments that count as read in the RTT before the first measurement (`TCP_INIT_CWND`).
const INITIAL_SPACE: u64 = 10;

/// The limits of an autotuned window.
#[derive(Clone, Copy, Debug)]
pub struct Autotune {
    /// Buffer now, with overhead.
    buffer: u64,
    /// Largest buffer (`tcp_rmem[2]`), with overhead.
    max: u64,
    share: u64,
    /// Payload share once full segments arrive.
    full_share: u64,
    /// Most that is ever advertised with this buffer (`window_clamp`).
    clamp: u64,
    /// Most that is advertised now (`rcv_ssthresh`).
    ssthresh: u64,
    mss: u64,
    /// Bytes that there is room for beside what is read.
    cushion: u64,
    /// Memory of a block above a gap.
    block: u64,
    /// Bytes of neighbouring segments that the reader finds as one packet.
    packet: u64,
    /// Bytes read in the best RTT so far, where and when the running measurement began.
    space: u64,
    space_from: u64,
    space_since: Instant,
    /// A measurement that ends at this instant, with what the reader found there.
    ending: Option<(Instant, Queue)>,
}

impl Autotune {
    /// Limits for `buffer` and segments of `mss` bytes.
    pub fn new(buffer: Buffer, mss: u32) -> Self {
        let mut tune = Self {
            buffer: buffer.initial,
            max: buffer.max.max(buffer.initial),
            share: INITIAL_SHARE,
            full_share: u64::from(FULL_SEGMENT_SHARE),
            clamp: 0,
            ssthresh: 0,
            mss: u64::from(mss),
            cushion: 0,
            block: 0,
            packet: 0,
            space: INITIAL_SPACE * u64::from(mss),
            space_from: 1,
            space_since: Instant::ZERO,
            ending: None,
        };
        // One segment is kept back for the reader (`tcp_init_buffer_space`).
        tune.clamp = tune.full_space();
        if tune.clamp > 2 * tune.mss {
            tune.clamp = (tune.clamp - tune.mss).max(2 * tune.mss);
        }
        tune.ssthresh = tune.clamp;
        tune
    }

    /// The same with room for `segments` more than what is read.
    pub fn with_cushion(self, segments: u32) -> Self {
        let cushion = u64::from(segments) * self.mss;
        Self { cushion, ..self }
    }

    /// The same with blocks of `memory` bytes above a gap, and packets of up to `packet` bytes.
    pub fn with_blocks(self, memory: u32, packet: u64) -> Self {
        let block = u64::from(memory);
        Self {
            block,
            packet,
            ..self
        }
    }

    /// Payload that could lie where so many blocks do.
    pub const fn room_of_blocks(&self, blocks: u64) -> u64 {
        blocks * self.block * self.share / SHARE_UNIT
    }

    /// The same with full segments of another share.
    pub fn with_share(self, share: u32) -> Self {
        let full_share = u64::from(share);
        Self { full_share, ..self }
    }

    /// The handshake ended at `now` having advertised `window` bytes.
    pub fn on_established(&mut self, now: Instant, next: u64, window: u64) {
        self.ssthresh = self.clamp.min(window);
        self.space = self.space.min(self.ssthresh);
        self.begin_measuring(now, next);
    }

    /// Data read from offset `next` on count, from `now` on.
    pub fn begin_measuring(&mut self, now: Instant, next: u64) {
        self.space_from = next;
        self.space_since = now;
        self.ending = None;
    }

    /// Payload that the buffer holds.
    pub const fn full_space(&self) -> u64 {
        self.buffer * self.share / SHARE_UNIT
    }

    /// Payload that the largest buffer holds.
    #[cfg(test)]
    pub const fn max_space(&self) -> u64 {
        self.max * self.full_share / SHARE_UNIT
    }

    /// The largest buffer (`tcp_rmem[2]`); the window scale is chosen from it.
    pub const fn max_buffer(&self) -> u64 {
        self.max
    }

    /// Most that is ever advertised with this buffer.
    pub const fn clamp(&self) -> u64 {
        self.clamp
    }

    /// Most that is advertised now.
    pub const fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// Segments of full size arrive: their share of the memory is known now.
    pub fn on_full_segment(&mut self) {
        if self.share != self.full_share {
            self.share = self.full_share;
            self.clamp = self.full_space();
        }
    }

    /// A segment with `len` new bytes arrived and `free` bytes of payload still fit. Says whether
    /// the advertised window may now be larger.
    #[inline]
    pub fn on_segment(&mut self, len: u32, free: u64) -> bool {
        let room = self.clamp.min(free).saturating_sub(self.ssthresh);
        if room == 0 || len < GROWTH_MIN_LEN {
            return false;
        }
        let step = 2 * self.mss.max(u64::from(len));
        self.ssthresh += room.min(step);
        true
    }

    /// The application reads. Once per RTT the buffer is sized for twice what it read, and more while
    /// that grows, so that the sender's slow start finds room.
    ///
    /// The kernel measures after each packet that it copies, and takes off what waits behind it
    /// (`tcp_recvmsg_locked`). The measurement therefore ends with the first packet of the queue, and the
    /// rest counts in the next one. The queue has all segments that arrive at an instant, because the reader
    /// runs after them. So a measurement takes effect afterwards ([`settle`](Self::settle)).
    pub fn on_read(&mut self, now: Instant, queue: Queue, rtt: Option<Span>) {
        self.settle(now);
        if let Some((_, found)) = &mut self.ending {
            // A neighbour that arrived at the same instant may be in the first packet, too.
            let joins = queue.from == found.read && queue.read - found.from <= self.packet;
            *found = Queue {
                from: found.from,
                read: if joins { queue.read } else { found.read },
                ..queue
            };
            return;
        }
        let Some(rtt) = rtt else { return };
        if now.saturating_since(self.space_since) >= rtt {
            self.ending = Some((now, queue));
        }
    }

    /// Finishes a measurement that ended before `now`.
    #[inline]
    pub fn settle(&mut self, now: Instant) {
        if let Some((at, queue)) = self.ending
            && at < now
        {
            self.ending = None;
            self.measure(at, queue);
        }
    }

    fn measure(&mut self, at: Instant, queue: Queue) {
        let waiting = queue.next.saturating_sub(queue.read);
        let copied = (queue.read - self.space_from).saturating_sub(waiting);
        if copied > self.space {
            let old = core::mem::replace(&mut self.space, copied);
            let wanted = 2 * copied + self.cushion;
            self.resize(
                wanted + slow_start_room(wanted, copied, old) + self.room_above(queue.span),
            );
        }
        self.space_from = queue.read;
        self.space_since = at;
    }

    /// Data arrived above a gap, and what waits reaches over `span` bytes: it needs room beside
    /// what is read per RTT.
    pub fn on_out_of_order(&mut self, span: u64) {
        if self.room_above(span) > 0 {
            self.resize(2 * self.space + span);
        }
    }

    /// Room for what waits above a gap and reaches over `span` bytes: before 6.16, none.
    fn room_above(&self, span: u64) -> u64 {
        if self.cushion > 0 { 0 } else { span }
    }

    fn resize(&mut self, window: u64) {
        let buffer = (window.min(self.max) * SHARE_UNIT / self.share).min(self.max);
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = self.full_space();
        }
    }
}

/// The queue as the reader finds it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue {
    /// Offset at which its first packet begins, or what of it has not been read.
    pub from: u64,
    /// Offset at which its first packet ends, or the read if that ends earlier.
    pub read: u64,
    /// The offset expected next.
    pub next: u64,
    /// Bytes from the in-order edge to the highest one received.
    pub span: u64,
}

/// Room beside `wanted` for a sender that goes on growing as it did from `old` to `copied` bytes per
/// RTT. The measurement is one RTT late, so growth counts twice.
fn slow_start_room(wanted: u64, copied: u64, old: u64) -> u64 {
    let growth = u128::from(wanted) * u128::from(copied - old) / u128::from(old.max(1));
    u64::try_from(2 * growth).unwrap_or(u64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linux() -> Autotune {
        Autotune::new(
            Buffer {
                initial: 131_072,
                max: 6 << 20,
            },
            1448,
        )
    }

    fn all_read(read: u64) -> Queue {
        Queue {
            read,
            next: read,
            ..Queue::default()
        }
    }

    /// Reads at `now`, and finishes the measurement if one ended.
    fn read(t: &mut Autotune, now: Instant, queue: Queue, rtt: Option<Span>) {
        t.on_read(now, queue, rtt);
        t.settle(now + Span::from_nanos(1));
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn starts_near_64_kib_and_knows_full_segments_take_less() {
        let mut t = linux();
        t.on_established(at(0), 1, 64_240);
        assert_eq!((t.clamp(), t.ssthresh()), (65_536 - 1448, 65_536 - 1448));
        t.on_full_segment();
        assert_eq!(t.clamp(), 81_920);
    }

    #[test]
    fn the_window_grows_by_two_segments_per_segment() {
        let mut t = linux();
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        let before = t.ssthresh();
        assert!(!t.on_segment(100, 80_000));
        assert!(t.on_segment(1448, 80_000));
        assert_eq!(t.ssthresh(), before + 2 * 1448);
        while t.on_segment(1448, 80_000) {}
        assert_eq!(t.ssthresh(), 80_000);
    }

    /// The data read double every RTT: the limit stays at least twice ahead until the maximum.
    #[test]
    fn stays_ahead_of_slow_start() {
        let mut t = linux();
        let rtt = Some(Span::from_millis(48));
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        let (mut read, mut flight) = (1, 14_480);
        for round in 1..9 {
            read += flight;
            self::read(&mut t, at(48 * round), all_read(read), rtt);
            flight *= 2;
            assert!(t.clamp() >= flight.min(t.max_space()), "round {round}");
        }
        assert_eq!(t.clamp(), t.max_space());
    }

    /// The limit is where the window ends to grow, by two segments for each that arrives: the larger
    /// it is, the longer Linux acknowledges segment by segment.
    #[test]
    fn a_cushion_is_room_beside_what_is_read_and_grows_with_it() {
        let limit = |segments| {
            let mut t = linux().with_cushion(segments);
            t.on_established(at(0), 1, 64_240);
            t.on_full_segment();
            read(
                &mut t,
                at(10),
                all_read(1 + 57_920),
                Some(Span::from_millis(10)),
            );
            t.clamp()
        };
        // The data read grew from 10 segments to 40, so that room for growth is six times the rest.
        let payload = |segments: u64| {
            let buffer = 7 * segments * 1448 * SHARE_UNIT / 160;
            buffer * 160 / SHARE_UNIT
        };
        assert_eq!((limit(0), limit(16)), (payload(80), payload(96)));
    }

    #[test]
    fn measures_once_per_rtt_and_never_without_one() {
        let mut t = linux();
        t.on_established(at(0), 1, 64_240);
        read(&mut t, at(1000), all_read(1_000_000), None);
        read(
            &mut t,
            at(9),
            all_read(1_000_000),
            Some(Span::from_millis(10)),
        );
        assert_eq!(t.clamp(), 65_536 - 1448);
        read(
            &mut t,
            at(10),
            all_read(1_000_000),
            Some(Span::from_millis(10)),
        );
        assert!(t.clamp() > 2_000_000);
    }

    /// The limits after segments `arrivals` were read at one instant, at which a measurement ended, and
    /// `last` in the next RTT.
    fn after_an_instant(mut t: Autotune, arrivals: &[u64], last: u64) -> u64 {
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        let rtt = Some(Span::from_millis(10));
        let mut from = 1;
        for n in arrivals {
            let read = 1 + n * 1448;
            let queue = Queue {
                from,
                ..all_read(read)
            };
            t.on_read(at(10), queue, rtt);
            assert_eq!(t.clamp(), 81_920, "nothing changes at this instant");
            from = read;
        }
        read(&mut t, at(20), all_read(1 + last * 1448), rtt);
        t.clamp()
    }

    /// The limit for a reader of `old`, then of `new` segments in an RTT.
    fn limit(old: u64, new: u64) -> u64 {
        let wanted = 2 * new * 1448;
        let window = wanted + 2 * (wanted * (new - old) / old);
        let buffer = window * SHARE_UNIT / 160;
        buffer * 160 / SHARE_UNIT
    }

    /// A measurement ends with the first packet of the queue: what waits behind it counts in the next one,
    /// and does not count in this.
    #[test]
    fn a_measurement_ends_with_the_first_packet_of_the_queue() {
        let one = |arrivals: &[u64]| after_an_instant(linux(), arrivals, 40);
        assert_eq!(one(&[11]), limit(11, 29));
        // Ten segments, which is what counts as read in the RTT before.
        assert_eq!(one(&[11, 12]), limit(10, 29));
    }

    /// Two segments that arrive at one instant are one packet, if that has room.
    #[test]
    fn neighbours_of_one_instant_may_be_one_packet() {
        let pairs = || linux().with_blocks(4352, 2 * 1448);
        assert_eq!(after_an_instant(pairs(), &[10, 11], 40), limit(10, 30));
        assert_eq!(after_an_instant(pairs(), &[11], 40), limit(11, 29));
        let mut t = pairs();
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        let rtt = Some(Span::from_millis(10));
        let from = 1 + 10 * 1448;
        for (from, n) in [(from, 11), (from + 1448, 12)] {
            let queue = Queue {
                from,
                ..all_read(1 + n * 1448)
            };
            t.on_read(at(10), queue, rtt);
        }
        read(&mut t, at(20), all_read(1 + 40 * 1448), rtt);
        assert_eq!(t.clamp(), limit(12, 28));
    }

    #[test]
    fn an_unread_queue_does_not_count_as_demand() {
        let mut t = linux();
        t.on_established(at(0), 1, 64_240);
        let queue = Queue {
            from: 1,
            read: 100_001,
            next: 190_001,
            span: 0,
        };
        read(&mut t, at(10), queue, Some(Span::from_millis(10)));
        assert_eq!(t.clamp(), 65_536 - 1448);
    }

    #[test]
    fn what_waits_above_a_gap_gets_room_of_its_own() {
        let mut t = linux();
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        t.on_out_of_order(40_000);
        assert_eq!(t.clamp(), 81_920);
        t.on_out_of_order(100_000);
        assert_eq!(t.clamp(), 2 * 14_480 + 100_000);
    }

    /// So it is before 6.16, which has the cushion.
    #[test]
    fn with_a_cushion_what_waits_above_a_gap_has_no_room_of_its_own() {
        let mut t = linux().with_cushion(16);
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        let before = t.clamp();
        t.on_out_of_order(100_000);
        assert_eq!(t.clamp(), before);
    }

    /// 1448 of 2280 bytes are 162 of 256.
    #[test]
    fn a_share_says_how_much_the_buffer_holds() {
        let mut t = linux().with_share(162);
        t.on_established(at(0), 1, 64_240);
        t.on_full_segment();
        assert_eq!(t.clamp(), 131_072 * 162 / 256);
    }

    #[test]
    fn a_locked_buffer_does_not_grow() {
        let mut t = Autotune::new(
            Buffer {
                initial: 200_000,
                max: 200_000,
            },
            1448,
        );
        t.on_established(at(0), 1, 64_240);
        read(
            &mut t,
            at(50),
            all_read(10_000_000),
            Some(Span::from_millis(50)),
        );
        assert_eq!(t.clamp(), 100_000 - 1448);
    }
}
