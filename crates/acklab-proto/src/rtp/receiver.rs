//! The receiver's state of a flow of RTP: which packets arrived, and when to report.

use super::Config;
use crate::datagram::Opaque;
use crate::stats::Stats;
use acklab_units::Instant;
use alloc::collections::VecDeque;

/// Counts what arrives; losses are those of RFC 3550, appendix A.3, as
/// [`Cbr`](crate::cbr::Cbr)'s receiver counts them. The first report is due an interval after the first
/// packet.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    /// One more than the highest number that arrived.
    expected: u64,
    next_report: Option<Instant>,
    /// Numbers of packets that the application has not taken.
    arrived: VecDeque<u64>,
    /// Payload bytes that were not yet reported to the application.
    news: u64,
    /// Payload bytes that the application has not read.
    readable: u64,
}

impl Receiver {
    pub(super) fn on_data(
        &mut self,
        now: Instant,
        it: &Opaque,
        config: &Config,
        stats: &mut Stats,
    ) {
        stats.data_segs_in += 1;
        stats.bytes_received += u64::from(it.len);
        stats.out_of_order_in += u64::from(it.number < self.expected);
        self.expected = self.expected.max(it.number.saturating_add(1));
        stats.lost_segs = self.expected.saturating_sub(stats.data_segs_in);
        self.news += u64::from(it.len);
        self.readable += u64::from(it.len);
        self.arrived.push_back(it.number);
        if self.next_report.is_none() {
            self.next_report = config.report.map(|every| now.saturating_add(every));
        }
    }

    pub(super) const fn next_report(&self) -> Option<Instant> {
        self.next_report
    }

    /// Whether a report is to leave now; it then counts as sent.
    pub(super) fn take_due(&mut self, now: Instant, config: &Config) -> bool {
        let due = self.next_report.is_some_and(|at| at <= now);
        if due {
            self.next_report = config.report.map(|every| now.saturating_add(every));
        }
        due
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

    pub(super) fn next_number(&mut self) -> Option<u64> {
        self.arrived.pop_front()
    }
}
