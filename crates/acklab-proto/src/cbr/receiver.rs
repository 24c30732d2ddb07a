//! The receiver's state of a constant-rate flow: which packets arrived, and when to answer.

use super::Config;
use crate::datagram::Opaque;
use crate::stats::Stats;

/// Counts what arrives.
///
/// Losses are counted as RTP's receivers do it (RFC 3550, appendix A.3): the packets up to the
/// highest number that arrived, less the packets that arrived. A packet that is late makes up for
/// itself; one that arrives twice hides a loss.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Receiver {
    /// One more than the highest number that arrived.
    expected: u64,
    /// Data packets since the last feedback.
    unanswered: u32,
    /// Packets of feedback that are due.
    due: u32,
    /// Payload bytes that were not yet reported to the application.
    news: u64,
    /// Payload bytes that the application has not read.
    readable: u64,
}

impl Receiver {
    pub(super) fn on_data(&mut self, it: &Opaque, config: &Config, stats: &mut Stats) {
        stats.data_segs_in += 1;
        stats.bytes_received += u64::from(it.len);
        stats.out_of_order_in += u64::from(it.number < self.expected);
        self.expected = self.expected.max(it.number.saturating_add(1));
        stats.lost_segs = self.expected.saturating_sub(stats.data_segs_in);
        self.news += u64::from(it.len);
        self.readable += u64::from(it.len);
        self.unanswered += 1;
        if config.every > 0 && self.unanswered >= config.every {
            self.unanswered = 0;
            self.due += 1;
        }
    }

    /// Whether a packet of feedback is to leave now; it then counts as sent.
    pub(super) fn take_due(&mut self) -> bool {
        let any = self.due > 0;
        self.due -= u32::from(any);
        any
    }

    /// Bytes that arrived since this was last asked.
    pub(super) fn take_news(&mut self) -> Option<u64> {
        let bytes = core::mem::take(&mut self.news);
        (bytes > 0).then_some(bytes)
    }

    pub(super) fn read(&mut self, max: u64) -> u64 {
        let taken = self.readable.min(max);
        self.readable -= taken;
        taken
    }
}
