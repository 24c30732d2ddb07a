//! Expectations: what a run of a scenario must keep to, independent of how it is run.

use acklab_units::{Bytes, Rate, Span};
use std::fmt;

/// All expectations of a scenario. Empty if it has none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expectations(pub Vec<Expectation>);

/// A bound on one metric of one subject.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// Of what.
    pub subject: Subject,
    /// Which quantity.
    pub metric: Metric,
    /// Not less than this, in the metric's unit.
    pub min: Option<f64>,
    /// Not more than this, in the metric's unit.
    pub max: Option<f64>,
}

/// The metric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// All flows together.
    Total,
    /// The flow of this name.
    Flow(String),
    /// The direction of a link of this name.
    Link(String),
}

/// A measured quantity; the doc comment gives the unit of its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Metric {
    /// Payload that the receiving application read from `measure_from` to `stop`, bit/s.
    Goodput,
    /// Jain's index of the flows' goodputs, 0 to 1.
    Jain,
    /// Retransmitted segments, whole run.
    Retransmissions,
    /// Retransmission timeouts, whole run.
    Timeouts,
    /// Payload that the receiving application read, whole run, bytes.
    Delivered,
    /// Mean of the RTT, sampled every 100 ms from `warmup` on, seconds.
    Rtt,
    /// 95th percentile of the one-way delay of packets that arrived after the warm-up, seconds.
    Delay,
    /// Pure ACKs that reached the sender, whole run.
    Acks,
    /// Data segments sent per pure ACK that reached the sender, whole run.
    SegmentsPerAck,
    /// Window reductions in answer to an ECN echo, whole run.
    EcnReductions,
    /// From the flow's start until all its data was received, seconds.
    Completion,
    /// Exchanges of a request-response application that completed.
    Exchanges,
    /// Part of the run in which the transmitter was busy, 0 to 1.
    Utilisation,
    /// Packets that did not fit into the queue, whole run.
    Drops,
    /// Packets lost at random, whole run.
    Losses,
    /// Packets marked with CE, whole run.
    Marks,
    /// ACKs that the filter dropped, whole run.
    AcksThinned,
}

impl Metric {
    /// The key in a scenario.
    pub fn key(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Jain => "jain",
            Self::Retransmissions => "retransmissions",
            Self::Timeouts => "timeouts",
            Self::Delivered => "delivered",
            Self::Rtt => "rtt",
            Self::Delay => "delay",
            Self::Acks => "acks",
            Self::SegmentsPerAck => "segments_per_ack",
            Self::EcnReductions => "ecn_reductions",
            Self::Completion => "completion",
            Self::Exchanges => "exchanges",
            Self::Utilisation => "utilisation",
            Self::Drops => "drops",
            Self::Losses => "losses",
            Self::Marks => "marks",
            Self::AcksThinned => "acks_thinned",
        }
    }

    /// Which statistic of a flow's samples it is, as it stands after the key in a message.
    fn statistic(self) -> &'static str {
        match self {
            Self::Rtt => " (mean)",
            Self::Delay => " (95th percentile)",
            _ => "",
        }
    }

    /// `value` with its unit, for people.
    pub fn show(self, value: f64) -> String {
        if value.is_nan() {
            return "unknown: there was nothing to measure".to_string();
        }
        match self {
            Self::Goodput => Rate::from_bps(value.round() as u64).to_string(),
            Self::Delivered => Bytes(value.round() as u64).to_string(),
            Self::Rtt | Self::Delay | Self::Completion => Span::from_secs_f64(value).to_string(),
            _ => value.to_string(),
        }
    }
}

impl Expectation {
    /// Whether `value`, in the metric's unit, keeps to the bounds. A value that could not be
    /// measured (not a number) does not.
    pub fn holds(&self, value: f64) -> bool {
        !value.is_nan()
            && self.min.is_none_or(|m| value >= m)
            && self.max.is_none_or(|m| value <= m)
    }

    /// The mistake in `value`; `None` if nothing is.
    pub fn violation(&self, value: f64) -> Option<String> {
        (!self.holds(value)).then(|| format!("{self}, but is {}", self.beside(value)))
    }

    /// `value` in the unit of the bound that it is outside of.
    fn beside(&self, value: f64) -> String {
        let bound = self.min.filter(|m| value < *m).or(self.max);
        let shown = self.metric.show(value);
        let Some(bound) = bound.filter(|_| !value.is_nan()) else {
            return shown;
        };
        let bound = self.metric.show(bound);
        let unit = bound.split(' ').nth(1).unwrap_or_default();
        let scale = match unit {
            "kbit/s" => 1e3,
            "Mbit/s" => 1e6,
            "Gbit/s" => 1e9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            _ => return shown,
        };
        let value = match self.metric {
            Metric::Goodput => value.round() / scale,
            // To the nanosecond, as a time is written.
            _ => (value * 1e9).round() / (scale * 1e9).round(),
        };
        format!("{value} {unit}")
    }
}

impl fmt::Display for Expectation {
    /// `flow f0: goodput should be at least 9 Mbit/s and at most 10 Mbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Total => f.write_str("all flows")?,
            Subject::Flow(name) => write!(f, "flow {name}")?,
            Subject::Link(name) => write!(f, "link {name}")?,
        }
        let of = self.metric.statistic();
        write!(f, ": {}{of} should be", self.metric.key())?;
        if let Some(min) = self.min {
            write!(f, " at least {}", self.metric.show(min))?;
        }
        if let Some(max) = self.max {
            let and = if self.min.is_some() { " and" } else { "" };
            write!(f, "{and} at most {}", self.metric.show(max))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_of_samples_is_named() {
        let e = Expectation {
            subject: Subject::Flow("f0".to_string()),
            metric: Metric::Delay,
            min: None,
            max: Some(0.05),
        };
        let said = "flow f0: delay (95th percentile) should be at most 50 ms";
        assert_eq!(e.to_string(), said);
    }

    #[test]
    fn bounds_are_inclusive_and_violations_say_all() {
        let e = Expectation {
            subject: Subject::Flow("f0".to_string()),
            metric: Metric::Goodput,
            min: Some(9e6),
            max: Some(1e7),
        };
        assert!(e.holds(9e6) && e.holds(1e7) && !e.holds(f64::NAN));
        assert_eq!(
            e.violation(8.5e6).unwrap(),
            "flow f0: goodput should be at least 9 Mbit/s and at most 10 Mbit/s, but is 8.5 Mbit/s"
        );
        // In the unit of the bound, however many digits that takes.
        let said = e.violation(8_409_491.0).unwrap();
        assert!(said.ends_with("but is 8.409491 Mbit/s"), "{said}");
        let said = e.violation(f64::NAN).unwrap();
        assert!(said.ends_with("nothing to measure"), "{said}");
    }
}
