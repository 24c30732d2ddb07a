//! The send buffer: how much the application may hand over, when a writer that had to wait is woken,
//! and where its writes end (PSH).
//!
//! Linux (6.18) counts memory, not payload: a writer fills the buffer up (`tcp_sendmsg_locked`,
//! `sk_stream_memory_free`), marks the last segment with PSH before it sleeps (`tcp_push`), and is
//! woken when a third of the buffer is free (`sk_stream_write_space`). A bulk flow therefore sends
//! PSH once per third of its buffer, and a receiver whose application reads at once acknowledges
//! that segment without delay. The buffer follows the window, but only when the window was not
//! filled (`tcp_should_expand_sndbuf`): because the writer was late, or because an ACK released more
//! than the device may hold, which is what makes the buffer grow in slow start.

use super::Sender;
use super::transmit::PACING_SHIFT_PER_SECOND;
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
}

impl SendBuffer {
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

    /// An ACK may have made room: whether a writer that waits is woken (`tcp_check_space`).
    pub fn wakes_writer(&mut self, cfg: &TcpConfig) -> bool {
        if !self.buffer.asleep {
            return false;
        }
        if !cfg.dialect().send_buffer_of_memory {
            self.buffer.asleep = false;
            return true;
        }
        // Queued data were sent before that, here they are about to be: as much as the device may
        // hold, which takes it at once.
        let unsent = self.app_end.saturating_sub(self.nxt);
        let sent = unsent.min(self.device_segments(cfg) * u64::from(self.mss));
        if self.board.inflight() + sent < self.cwnd() {
            self.expand_buffer(cfg);
        }
        let queued = self.queued_memory();
        let free = self.buffer.limit.saturating_sub(queued);
        self.buffer.asleep = free < queued / 2;
        !self.buffer.asleep
    }

    /// How many full segments the device may hold before the next must wait for it: a millisecond's
    /// worth or two segments, then one more (`tcp_small_queue_check`; two are exactly the limit).
    fn device_segments(&self, cfg: &TcpConfig) -> u64 {
        let memory = u64::from(self.mss) + OVERHEAD;
        let rate = self.socket_rate(cfg).map_or(0, |r| r.as_bps() / 8);
        let limit = (rate / PACING_SHIFT_PER_SECOND).max(2 * memory);
        (limit - 1) / memory + 1
    }

    /// Payload that the send buffer can still take. Linux takes a whole segment as long as
    /// anything is free.
    fn buffer_room(&self, cfg: &TcpConfig) -> u64 {
        let held = self.backlog();
        if !cfg.dialect().send_buffer_of_memory {
            return self.buffer.limit.saturating_sub(held);
        }
        let mss = u64::from(self.mss);
        let segments = self.buffer.limit.div_ceil(mss + OVERHEAD);
        (segments * mss).saturating_sub(held)
    }

    /// `sk_wmem_queued`, as if all but the last segment were full.
    fn queued_memory(&self) -> u64 {
        let held = self.backlog();
        held + held.div_ceil(u64::from(self.mss)) * OVERHEAD
    }

    /// `tcp_sndbuf_expand`: twice the window, with the overhead.
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
        let wanted = 2 * u64::from(segments) * memory;
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
    use acklab_units::Instant;

    const MSS: u64 = 1448;

    fn sender(cfg: &TcpConfig) -> Sender {
        let cc = CcChoice::named("newreno").unwrap().build(CcInit {
            mss: cfg.segment,
            initial_cwnd: 10 * u64::from(cfg.segment),
            seed: 1,
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
