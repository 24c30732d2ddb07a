//! The send buffer: how much the application may hand over, when a writer that had to wait is woken,
//! and where its writes end (PSH).
//!
//! Linux (6.18) counts memory, not payload: a writer fills the buffer up (`tcp_sendmsg_locked`,
//! `sk_stream_memory_free`), marks the last segment with PSH before it sleeps (`tcp_push`), and is
//! woken when a third of the buffer is free (`sk_stream_write_space`). A bulk flow therefore sends
//! PSH once per third of its buffer, and a receiver whose application reads at once acknowledges
//! that segment without delay. The buffer follows the window, but only when the window was not
//! filled (`tcp_should_expand_sndbuf`): because the writer was late, or because an ACK released more
//! than one segment, after the first of which it is not filled yet.

use super::Sender;
use crate::tcp::config::TcpConfig;
use alloc::collections::VecDeque;

/// Memory around the payload of a segment in the send queue: an empty buffer with room for headers
/// (measured: 2280 bytes for 1448).
const OVERHEAD: u64 = 832;
/// Headers and `skb_shared_info` beside a segment, as the size of the buffer is reckoned.
const HEADROOM: u64 = 256 + 320;
/// `struct sk_buff`.
const SKB: u64 = 256;
/// Timestamps come out of the segment size that the peer announced (`mss_clamp`).
const TIMESTAMPS_LEN: u64 = 12;

/// State of the send buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct SendBuffer {
    /// `sk_sndbuf`: with overhead for Linux, payload otherwise.
    limit: u64,
    /// Offsets behind the last byte of each write, as far as they may be sent (again).
    ends: VecDeque<u64>,
    /// How many of these lie at or below the segment asked about last.
    passed: usize,
    /// The last write had more than fitted: the flow is not application-limited, even if what
    /// is queued was all sent (`tcp_rate_check_app_limited` asks only a writer that comes anew).
    pub short_of_room: bool,
    /// That writer was not woken yet.
    asleep: bool,
    /// How often a waiting writer may have found room.
    chances: u64,
}

impl SendBuffer {
    /// A writer that waits may find room now.
    pub fn offer(&mut self) {
        self.chances += u64::from(self.asleep);
    }

    /// How often that was so.
    pub fn chances(&self) -> u64 {
        self.chances
    }

    /// Everything below `una` is acknowledged.
    pub fn on_acked(&mut self, una: u64) {
        while self.ends.front().is_some_and(|e| *e <= una) {
            self.ends.pop_front();
            self.passed = self.passed.saturating_sub(1);
        }
    }

    /// Whether a write ended in the segment `start..end`. Segments come one after the other, but for
    /// repairs: from the place of the last one it is a step or none.
    pub fn ends_in(&mut self, start: u64, end: u64) -> bool {
        let mut i = self.passed.min(self.ends.len());
        while i > 0 && self.ends[i - 1] > start {
            i -= 1;
        }
        while self.ends.get(i).is_some_and(|e| *e <= start) {
            i += 1;
        }
        self.passed = i;
        self.ends.get(i).is_some_and(|e| *e <= end)
    }
}

impl Sender {
    /// The application offers `bytes` more; returns how many the send buffer took.
    pub fn write(&mut self, cfg: &TcpConfig, bytes: u64) -> u64 {
        debug_assert!(!self.fin_queued, "write after close");
        if self.buffer.limit == 0 {
            self.expand_buffer(cfg);
        }
        let taken = self.buffer_room(cfg).min(bytes);
        if taken > 0 {
            // Appended to, the last segment does not end a write any more.
            let partial = self.app_end > self.nxt
                && !(self.app_end - self.nxt).is_multiple_of(u64::from(self.mss));
            if partial && self.buffer.ends.back() == Some(&self.app_end) {
                self.buffer.ends.pop_back();
            }
            self.app_end += taken;
            self.mark_push(cfg);
        }
        self.buffer.short_of_room = taken < bytes;
        self.buffer.asleep = taken < bytes;
        taken
    }

    /// Whether a writer that waits is woken (`tcp_check_space`): asked after each ACK, and after each
    /// new segment.
    pub fn wakes_writer(&mut self, cfg: &TcpConfig) -> bool {
        if !self.buffer.asleep {
            return false;
        }
        if !cfg.dialect().send_buffer_of_memory {
            self.buffer.asleep = false;
            return true;
        }
        // An ACK is asked about before what it lets go has left. Linux asks after the first new
        // segment (`tcp_event_new_data_sent`), before which lost ones go, and at the end.
        let lost = self
            .board
            .lost
            .bytes
            .saturating_sub(self.board.retrans.bytes);
        let unsent = self.app_end.saturating_sub(self.nxt);
        let first = unsent.min(u64::from(self.mss));
        if self.board.inflight() + lost + first < self.cwnd() {
            self.expand_buffer(cfg);
        }
        let queued = self.queued_memory();
        let free = self.buffer.limit.saturating_sub(queued);
        self.buffer.asleep = free < queued / 2;
        !self.buffer.asleep
    }

    /// Payload that the send buffer can still take. Linux takes a whole segment as long as
    /// anything is free.
    fn buffer_room(&self, cfg: &TcpConfig) -> u64 {
        let held = self.backlog();
        if !cfg.dialect().send_buffer_of_memory {
            return self.buffer.limit.saturating_sub(held);
        }
        let mss = u64::from(self.mss);
        let merged = self.board.merged * OVERHEAD;
        let segments = (self.buffer.limit + merged).div_ceil(mss + OVERHEAD);
        (segments * mss).saturating_sub(held)
    }

    /// `sk_wmem_queued`, as if all but the last segment were full. What has moved into a neighbour's
    /// buffer has left its own; of short segments more may have moved than full ones would be.
    fn queued_memory(&self) -> u64 {
        let held = self.backlog();
        let full = held.div_ceil(u64::from(self.mss));
        let buffers = full.saturating_sub(self.board.merged);
        held + buffers * OVERHEAD
    }

    /// `tcp_sndbuf_expand`: twice the window or what the controller asks for, with the overhead.
    fn expand_buffer(&mut self, cfg: &TcpConfig) {
        if !cfg.dialect().send_buffer_of_memory {
            self.buffer.limit = cfg.send_buffer.max;
            return;
        }
        let options = if self.timestamps { TIMESTAMPS_LEN } else { 0 };
        let segment = u64::from(self.mss) + options + HEADROOM;
        let memory = segment.next_power_of_two() + SKB;
        let segments = self
            .cwnd_segments()
            .max(cfg.initial_window)
            .max(self.dup_thresh + 1);
        let wanted = self.cc.buffered_windows() * u64::from(segments) * memory;
        self.buffer.limit = self.buffer.limit.max(wanted.min(cfg.send_buffer.max));
    }

    /// A write ended at `app_end`. A long one pushes on its way, whenever half the largest window
    /// was written without (`forced_push`).
    fn mark_push(&mut self, cfg: &TcpConfig) {
        if !cfg.dialect().forced_push {
            return; // the last segment of all says so by itself
        }
        let mss = u64::from(self.mss);
        let stretch = (self.max_window / 2 / mss + 1) * mss;
        let mut last = self.buffer.ends.back().copied().unwrap_or(self.una.max(1));
        while self.app_end - last > stretch {
            last += stretch;
            self.buffer.ends.push_back(last);
        }
        self.buffer.ends.push_back(self.app_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::CcInit;
    use crate::stats::Stats;
    use crate::tcp::Profile;
    use crate::tcp::config::CcChoice;
    use crate::tcp::scoreboard::Record;
    use acklab_units::Instant;

    const MSS: u64 = 1448;

    fn sender(cfg: &TcpConfig) -> Sender {
        controlled(cfg, "newreno", 10)
    }

    fn controlled(cfg: &TcpConfig, cc: &str, window: u64) -> Sender {
        let cc = CcChoice::named(cc).unwrap().build(CcInit {
            mss: cfg.segment,
            initial_cwnd: window * u64::from(cfg.segment),
            seed: 1,
            kernel_units: false,
        });
        let mut s = Sender::new(cfg, cc);
        s.set_window(1 << 20);
        s
    }

    /// Linux 6.18 lets a new connection write 21 segments (46080 bytes of 2280 each).
    #[test]
    fn a_new_connection_takes_21_segments_and_pushes_the_last() {
        let cfg = TcpConfig::new(Profile::Linux);
        let mut s = sender(&cfg);
        assert_eq!(s.write(&cfg, u64::MAX), 21 * MSS);
        assert_eq!(s.write(&cfg, u64::MAX), 0);
        let mut pushed = |n: u64| s.buffer.ends_in(1 + n * MSS, 1 + (n + 1) * MSS);
        assert!((0..20).all(|n| !pushed(n)) && pushed(20));
    }

    /// It goes on when a third is free, seven segments later, until the buffer is full again.
    #[test]
    fn a_writer_sleeps_until_a_third_is_free() {
        let cfg = TcpConfig::new(Profile::Linux);
        let mut s = sender(&cfg);
        s.write(&cfg, u64::MAX);
        s.nxt = 1 + 10 * MSS;
        let woken = (1..21).find(|n| {
            s.una = 1 + n * MSS;
            s.wakes_writer(&cfg)
        });
        assert_eq!(woken, Some(8));
        s.buffer.on_acked(s.una);
        assert_eq!(s.write(&cfg, u64::MAX), 8 * MSS);
        assert_eq!(s.buffer.ends, [1 + 21 * MSS, 1 + 29 * MSS]);
    }

    /// The segments up to `n` are under way.
    fn send_up_to(s: &mut Sender, n: u64) {
        for i in 0..n {
            s.board
                .push(Record::new(1 + i * MSS, MSS as u32, Instant::ZERO));
        }
        s.nxt = 1 + n * MSS;
    }

    /// Of eight in a row seven move into the buffer of the first, and 832 bytes of each come free.
    #[test]
    fn sacked_neighbours_make_room() {
        let cfg = TcpConfig::new(Profile::Linux);
        let mut s = sender(&cfg);
        s.write(&cfg, u64::MAX);
        send_up_to(&mut s, 21);
        s.una = 1 + 5 * MSS;
        s.board.ack_to(s.una, |_| {});
        let mut woken = |n: u64| {
            s.board.sack(&[(1 + 6 * MSS, 1 + (6 + n) * MSS)], |_| {});
            s.wakes_writer(&cfg)
        };
        assert!(!woken(7) && woken(8));
        assert_eq!(s.write(&cfg, u64::MAX), 7 * MSS);
    }

    /// Ten segments of 100 bytes would fit one full one, but eight of them have moved.
    #[test]
    fn short_neighbours_never_take_less_than_their_payload() {
        let cfg = TcpConfig::new(Profile::Linux);
        let mut s = sender(&cfg);
        s.una = 1;
        s.write(&cfg, 1000);
        for i in 0..10 {
            s.board.push(Record::new(1 + i * 100, 100, Instant::ZERO));
        }
        s.nxt = 1001;
        s.board.sack(&[(101, 1001)], |_| {});
        assert_eq!(s.board.merged, 8);
        assert_eq!(s.queued_memory(), 1000);
    }

    /// One segment fills the window again; after the first of two it is not filled.
    #[test]
    fn the_buffer_follows_a_window_that_two_segments_fill() {
        let cfg = TcpConfig::new(Profile::Linux);
        let grown = |cc, under_way| {
            let mut s = controlled(&cfg, cc, 20);
            s.buffer.limit = 20 * 2304;
            s.write(&cfg, u64::MAX);
            send_up_to(&mut s, under_way);
            s.wakes_writer(&cfg);
            s.buffer.limit / (20 * 2304)
        };
        assert_eq!((grown("newreno", 19), grown("newreno", 18)), (1, 2));
        assert_eq!((grown("bbr1", 19), grown("bbr1", 18)), (1, 3));
    }

    #[test]
    fn a_write_ends_in_the_segment_that_holds_its_last_byte_unless_that_is_appended_to() {
        let cfg = TcpConfig::new(Profile::Linux);
        let mut s = sender(&cfg);
        s.nxt = 1;
        s.write(&cfg, 2000);
        assert!(!s.buffer.ends_in(1, 1449) && s.buffer.ends_in(1449, 2897));
        s.write(&cfg, 2000);
        assert_eq!(s.buffer.ends, [4001]);
        s.nxt = 4001;
        s.write(&cfg, 2000);
        assert_eq!(s.buffer.ends, [4001, 6001]);
        s.buffer.on_acked(4001);
        assert_eq!(s.buffer.ends, [6001]);
    }

    /// All that was queued is on its way and the window is not full: the flow is limited by its
    /// application only if that has nothing more to write.
    #[test]
    fn a_sleeping_writer_does_not_make_the_flow_application_limited() {
        let cfg = TcpConfig::new(Profile::Linux);
        let limited = |bytes| {
            let mut s = sender(&cfg);
            (s.una, s.nxt) = (1, 1);
            s.buffer.limit = 4 * 2280;
            s.write(&cfg, bytes);
            let mut sent = 0;
            while s
                .poll_transmit(Instant::ZERO, &cfg, &mut Stats::default())
                .is_some()
            {
                sent += 1;
            }
            assert_eq!(sent, 4);
            s.rates.is_app_limited()
        };
        assert!(limited(4 * MSS) && !limited(5 * MSS));
    }

    #[test]
    fn a_long_write_pushes_every_half_window() {
        let mut cfg = TcpConfig::new(Profile::Linux);
        cfg.initial_window = 100;
        let mut s = sender(&cfg);
        s.set_window(64_512);
        s.write(&cfg, 60 * MSS);
        assert_eq!(s.buffer.ends, [1 + 23 * MSS, 1 + 46 * MSS, 1 + 60 * MSS]);
    }
}
