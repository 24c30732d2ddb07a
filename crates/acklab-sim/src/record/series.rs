//! Time series as columns.

use crate::transport::{Counters, Snapshot};
use acklab_path::link::LinkStats;
use acklab_units::{Instant, Span};

/// The time series of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Samples of the flows' senders.
    pub flows: FlowSeries,
    /// Samples of the links.
    pub links: LinkSeries,
}

/// Samples of the flows' senders, by time, then by flow. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// Time in nanoseconds.
    pub time_ns: Vec<u64>,
    /// Number of the flow in the plan.
    pub flow: Vec<u32>,
    /// Congestion window in bytes.
    pub cwnd: Vec<u64>,
    /// Slow-start threshold in bytes; `u64::MAX` = none.
    pub ssthresh: Vec<u64>,
    /// Bytes in flight.
    pub inflight: Vec<u64>,
    /// Smoothed RTT in nanoseconds; zero before the first sample.
    pub srtt_ns: Vec<u64>,
    /// Latest RTT sample in nanoseconds; zero before the first.
    pub rtt_ns: Vec<u64>,
    /// Payload bytes acknowledged since the start.
    pub acked_bytes: Vec<u64>,
    /// Segments retransmitted since the start.
    pub retrans: Vec<u64>,
    /// Pacing rate in bit/s; zero = not paced.
    pub pacing_bps: Vec<u64>,
    /// Latest delivery rate in bit/s; zero = none.
    pub delivery_bps: Vec<u64>,
    /// Bytes that the receiving application read since the flow's sample before.
    pub read_bytes: Vec<u64>,
    /// Bytes of IP packets that the sender sent since then.
    pub sent_bytes: Vec<u64>,
    /// Nanoseconds since then; zero in the flow's first sample.
    pub interval_ns: Vec<u64>,
    /// One-way delay in nanoseconds of the data packet that arrived last; zero before the first and
    /// unless recorded.
    pub owd_ns: Vec<u64>,
    /// Jitter estimate in nanoseconds; likewise.
    pub jitter_ns: Vec<f64>,
    /// Index into [`FlowSeries::states`].
    pub state: Vec<u16>,
    /// Names of the controllers' states, in order of appearance.
    pub states: Vec<&'static str>,
}

/// Samples of the links, by time, then by link. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSeries {
    /// Time in nanoseconds.
    pub time_ns: Vec<u64>,
    /// Number of the link in the plan.
    pub link: Vec<u32>,
    /// Packets waiting, the one in service not counted.
    pub packets: Vec<u32>,
    /// Bytes waiting.
    pub bytes: Vec<u64>,
    /// Packets dropped since the start, for whatever reason.
    pub drops: Vec<u64>,
    /// Packets marked with CE since the start.
    pub marks: Vec<u64>,
    /// Time in nanoseconds that the packet which left last had waited; `None` before the first and
    /// unless recorded.
    pub sojourn_ns: Vec<Option<u64>>,
    /// Acknowledgements in the filter.
    pub held: Vec<u32>,
}

/// What passed between two samples of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    pub(super) read_bytes: u64,
    pub(super) sent_bytes: u64,
    pub(super) interval: Span,
}

impl FlowSeries {
    pub(super) fn push(&mut self, now: Instant, flow: u32, at: &Snapshot, so_far: &Counters) {
        self.time_ns.push(now.as_nanos());
        self.flow.push(flow);
        self.cwnd.push(at.cwnd);
        self.ssthresh.push(at.ssthresh);
        self.inflight.push(at.inflight);
        self.srtt_ns.push(at.srtt.as_nanos());
        self.rtt_ns.push(at.rtt.as_nanos());
        self.acked_bytes.push(so_far.acked_bytes);
        self.retrans.push(so_far.retrans.total());
        self.pacing_bps
            .push(at.pacing_rate.map_or(0, |r| r.as_bps()));
        self.delivery_bps
            .push(at.delivery_rate.map_or(0, |r| r.as_bps()));
        let state = self.state_id(at.state);
        self.state.push(state);
    }

    /// The rest of the sample pushed last.
    pub(super) fn push_passed(&mut self, passed: Passed, delay: Option<(u64, f64)>) {
        self.read_bytes.push(passed.read_bytes);
        self.sent_bytes.push(passed.sent_bytes);
        self.interval_ns.push(passed.interval.as_nanos());
        let (owd, jitter) = delay.unwrap_or_default();
        self.owd_ns.push(owd);
        self.jitter_ns.push(jitter);
    }

    fn state_id(&mut self, name: &'static str) -> u16 {
        let known = self.states.iter().position(|s| *s == name);
        known.unwrap_or_else(|| {
            self.states.push(name);
            self.states.len() - 1
        }) as u16
    }
}

impl LinkSeries {
    pub(super) fn push(
        &mut self,
        now: Instant,
        link: u32,
        (packets, bytes): (u32, u64),
        stats: &LinkStats,
        (sojourn, held): (Option<Span>, u32),
    ) {
        self.time_ns.push(now.as_nanos());
        self.link.push(link);
        self.packets.push(packets);
        self.bytes.push(bytes);
        self.drops.push(stats.dropped());
        self.marks.push(stats.marked);
        self.sojourn_ns.push(sojourn.map(Span::as_nanos));
        self.held.push(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_names_are_stored_once() {
        let mut s = FlowSeries::default();
        for state in ["slow_start", "PROBE_BW_UP", "slow_start"] {
            let snapshot = Snapshot {
                state,
                ..Snapshot::default()
            };
            s.push(Instant::ZERO, 0, &snapshot, &Counters::default());
        }
        assert_eq!(s.state, [0, 1, 0]);
        assert_eq!(s.states, ["slow_start", "PROBE_BW_UP"]);
    }
}
