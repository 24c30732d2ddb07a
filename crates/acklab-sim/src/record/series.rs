//! Time series.

use super::log::Log;
use acklab_path::link::LinkStats;
use acklab_units::{Instant, Rate, Span};

/// The time series of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Samples of the flows' senders.
    pub flows: FlowSeries,
    /// Samples of the links.
    pub links: LinkSeries,
}

/// A flow as it is at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// Bytes of IP packets that the sender has sent since the start.
    pub sent_bytes: u64,
    /// Bytes that the receiving application has read since the start.
    pub read_bytes: u64,
    /// Payload bytes acknowledged since the start.
    pub acked_bytes: u64,
    /// Segments retransmitted since the start.
    pub retrans: u64,
    /// Congestion window in bytes.
    pub cwnd: u64,
    /// Slow-start threshold in bytes; `u64::MAX` = none.
    pub ssthresh: u64,
    /// Bytes in flight.
    pub inflight: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// Latest RTT sample; zero before the first.
    pub rtt: Span,
    /// Pacing rate; `None` = not paced.
    pub pacing: Option<Rate>,
    /// Latest delivery rate; `None` before the first.
    pub delivery: Option<Rate>,
    /// One-way delay in nanoseconds of the data packet that arrived last, and the jitter estimate;
    /// `None` before the first and unless recorded.
    pub delay: Option<(u64, f64)>,
    /// Number of the flow in the plan.
    pub flow: u32,
    /// The controller's state: place in [`FlowSeries::states`].
    pub state: u16,
}

/// Samples of the flows, by time, then by flow. A sample that is like the one before it of the same
/// flow is kept as such: where there are many flows, most are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    distinct: Log<FlowSample>,
    /// Of each sample, its place among the distinct ones.
    samples: Log<u32>,
    /// When samples were taken, and how many there were then.
    ticks: Log<(Instant, usize)>,
    /// Of each flow, the place of its latest sample.
    latest: Vec<Option<u32>>,
    states: Vec<&'static str>,
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

/// The counts between a sample and the one before it of the same flow; nothing at the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Bytes that the receiving application read.
    pub read_bytes: u64,
    /// Bytes of IP packets that the sender sent.
    pub sent_bytes: u64,
    /// The time between them.
    pub interval: Span,
}

impl FlowSeries {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of the controllers' states, in order of appearance.
    pub fn states(&self) -> &[&'static str] {
        &self.states
    }

    /// The samples.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &FlowSample> + Clone {
        self.samples.iter().map(|i| &self.distinct[*i as usize])
    }

    /// When each sample was taken.
    pub fn times(&self) -> impl ExactSizeIterator<Item = Instant> + Clone {
        let mut ticks = self.ticks.iter();
        let (mut tick, mut taken) = (Instant::ZERO, 0);
        (0..self.len()).map(move |i| {
            while i >= taken
                && let Some(next) = ticks.next()
            {
                (tick, taken) = *next;
            }
            tick
        })
    }

    /// The counts before each sample.
    pub fn passed(&self) -> impl ExactSizeIterator<Item = Passed> {
        let mut before: Vec<Option<(Instant, &FlowSample)>> = vec![None; self.latest.len()];
        self.times().zip(self.iter()).map(move |(at, is)| {
            let before = before[is.flow as usize].replace((at, is));
            before.map_or_else(Passed::default, |(then, was)| Passed {
                read_bytes: is.read_bytes - was.read_bytes,
                sent_bytes: is.sent_bytes - was.sent_bytes,
                interval: at - then,
            })
        })
    }

    /// Closes the samples of the instant `now`.
    pub fn close(&mut self, now: Instant) {
        self.ticks.push((now, self.samples.len()));
    }

    /// Takes a sample of a flow that has not changed since the last; says whether there is one.
    #[inline]
    pub fn repeat(&mut self, flow: usize) -> bool {
        let Some(&Some(latest)) = self.latest.get(flow) else {
            return false;
        };
        self.samples.push(latest);
        true
    }

    /// Takes a sample of a flow whose controller is in the state of that name.
    pub fn push(&mut self, sample: FlowSample, state: &'static str) {
        let flow = sample.flow as usize;
        if flow >= self.latest.len() {
            self.latest.resize(flow + 1, None);
        }
        let sample = FlowSample {
            state: self.state_id(state),
            ..sample
        };
        if self.latest[flow].is_none_or(|i| self.distinct[i as usize] != sample) {
            self.latest[flow] = Some(self.distinct.len() as u32);
            self.distinct.push(sample);
        }
        self.repeat(flow);
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

    const STATES: [&str; 3] = ["slow_start", "PROBE_BW_UP", "slow_start"];

    #[test]
    fn state_names_are_stored_once() {
        let mut s = FlowSeries::default();
        for state in STATES {
            s.push(FlowSample::default(), state);
        }
        assert!(s.iter().map(|f| f.state).eq([0, 1, 0]));
        assert_eq!(s.states(), &STATES[..2]);
    }

    #[test]
    fn what_passed_is_told_of_each_flow_by_itself() {
        let mut s = FlowSeries::default();
        let sample = |flow, read_bytes| FlowSample {
            flow,
            read_bytes,
            ..FlowSample::default()
        };
        let at = |ms| Instant::ZERO + Span::from_millis(ms);
        assert!(!s.repeat(1));
        s.push(sample(1, 10), "a");
        s.close(at(1));
        s.push(sample(0, 500), "a");
        assert!(s.repeat(1));
        s.close(at(2));
        s.push(sample(0, 500), "a");
        s.push(sample(1, 70), "a");
        s.close(at(5));
        let told: Vec<_> = (s.times().zip(s.iter()).zip(s.passed()))
            .map(|((at, is), passed)| (at, is.flow, passed.read_bytes, passed.interval))
            .collect();
        let ms = Span::from_millis;
        let expected = [
            (at(1), 1, 0, ms(0)),
            (at(2), 0, 0, ms(0)),
            (at(2), 1, 0, ms(1)),
            (at(5), 0, 0, ms(3)),
            (at(5), 1, 60, ms(3)),
        ];
        assert_eq!(told, expected);
        assert_eq!((s.len(), s.distinct.len()), (5, 3));
    }
}
