//! Expectations: bounds in base units, subjects checked against the network.

use super::super::diagnostics::{Report, suggest};
use super::super::expect::{Expectation, Expectations, Metric, Subject};
use super::super::path::Path;
use super::super::spec::{Bounds, FlowExpect, LinkExpect, Qty, Spec};
use super::flow::Group;
use super::topology::Net;
use acklab_units::{Bytes, Rate, Span};

/// A value in the unit of its metric.
trait InUnit: Copy {
    fn in_unit(self) -> f64;
}

impl InUnit for f64 {
    fn in_unit(self) -> f64 {
        self
    }
}

impl InUnit for u64 {
    fn in_unit(self) -> f64 {
        self as f64
    }
}

impl InUnit for Qty<Rate> {
    fn in_unit(self) -> f64 {
        self.0.as_bps() as f64
    }
}

impl InUnit for Qty<Bytes> {
    fn in_unit(self) -> f64 {
        self.0.0 as f64
    }
}

impl InUnit for Qty<Span> {
    fn in_unit(self) -> f64 {
        self.0.as_secs_f64()
    }
}

/// All expectations, in the order total, flows, links.
pub(crate) fn resolve(
    spec: &Spec,
    groups: &[Group],
    net: &Net,
    report: &mut Report<'_>,
) -> Expectations {
    let sound = report.is_clean();
    let path = Path::root().key("expect");
    let mut all = Collector {
        list: Vec::new(),
        report,
    };
    all.total(spec, &path);
    for (name, flow) in &spec.expect.flow {
        let at = path.key("flow").key(name);
        for subject in flows_called(name, groups, sound, &at, all.report) {
            all.flow(&subject, flow, &at);
        }
    }
    for (name, link) in &spec.expect.link {
        let at = path.key("link").key(name);
        let mut names = net.links.iter().map(|l| l.plan.name.as_str());
        if names.any(|n| n == name) {
            all.link(&Subject::Link(name.clone()), link, &at);
        } else if sound {
            let names = net.links.iter().map(|l| l.plan.name.as_str());
            let hint = suggest(name, names, "the links are");
            all.report
                .error(&at, format!("there is no link called `{name}`"), hint);
        }
    }
    let mut list = all.list;
    list.sort_by_cached_key(|e| place(&e.subject, groups, net));
    Expectations(list)
}

/// The order of the plan, so that a scenario and its resolved form agree.
fn place(subject: &Subject, groups: &[Group], net: &Net) -> (u8, usize) {
    let mut flows = groups.iter().flat_map(|g| &g.members);
    let mut links = net.links.iter();
    match subject {
        Subject::Total => (0, 0),
        Subject::Flow(name) => (1, flows.position(|f| f.plan.name == *name).unwrap_or(0)),
        Subject::Link(name) => (2, links.position(|l| l.plan.name == *name).unwrap_or(0)),
    }
}

/// The flows that `name` means: one, or all of a group.
fn flows_called(
    name: &str,
    groups: &[Group],
    sound: bool,
    path: &Path,
    report: &mut Report<'_>,
) -> Vec<Subject> {
    let members = groups
        .iter()
        .flat_map(|g| g.members.iter().map(move |m| (g, m.plan.name.as_str())))
        .filter(|(g, member)| g.name == name || *member == name);
    let subjects: Vec<Subject> = members.map(|(_, m)| Subject::Flow(m.to_string())).collect();
    // If something else is wrong, the flow may exist and only have been left out.
    if subjects.is_empty() && sound {
        let hint = suggest(
            name,
            groups.iter().map(|g| g.name.as_str()),
            "the flows are",
        );
        report.error(path, format!("there is no flow called `{name}`"), hint);
    }
    subjects
}

struct Collector<'a, 'r> {
    list: Vec<Expectation>,
    report: &'a mut Report<'r>,
}

impl Collector<'_, '_> {
    fn total(&mut self, spec: &Spec, path: &Path) {
        let e = &spec.expect;
        self.add(&Subject::Total, Metric::Jain, e.jain, path);
        self.add(&Subject::Total, Metric::Goodput, e.goodput, path);
        self.add(
            &Subject::Total,
            Metric::Retransmissions,
            e.retransmissions,
            path,
        );
        self.add(&Subject::Total, Metric::Timeouts, e.timeouts, path);
    }

    fn flow(&mut self, subject: &Subject, e: &FlowExpect, path: &Path) {
        self.add(subject, Metric::Goodput, e.goodput, path);
        self.add(subject, Metric::Delivered, e.delivered, path);
        self.add(subject, Metric::Retransmissions, e.retransmissions, path);
        self.add(subject, Metric::Timeouts, e.timeouts, path);
        self.add(subject, Metric::Rtt, e.rtt, path);
        self.add(subject, Metric::Acks, e.acks, path);
        self.add(subject, Metric::SegmentsPerAck, e.segments_per_ack, path);
        self.add(subject, Metric::EcnReductions, e.ecn_reductions, path);
        self.add(subject, Metric::Completion, e.completion, path);
        self.add(subject, Metric::Exchanges, e.exchanges, path);
    }

    fn link(&mut self, subject: &Subject, e: &LinkExpect, path: &Path) {
        self.add(subject, Metric::Utilisation, e.utilisation, path);
        self.add(subject, Metric::Drops, e.drops, path);
        self.add(subject, Metric::Losses, e.losses, path);
        self.add(subject, Metric::Marks, e.marks, path);
        self.add(subject, Metric::AcksThinned, e.acks_thinned, path);
    }

    fn add<T: InUnit>(
        &mut self,
        subject: &Subject,
        metric: Metric,
        bounds: Option<Bounds<T>>,
        path: &Path,
    ) {
        let Some(bounds) = bounds else { return };
        let (min, max) = (bounds.min.map(T::in_unit), bounds.max.map(T::in_unit));
        let at = path.key(metric.key());
        if min.is_none() && max.is_none() {
            let hint = "write { min = ..., max = ... }, or one of them".to_string();
            self.report.missing(&at, "min", &hint);
        }
        if min.zip(max).is_some_and(|(lo, hi)| lo > hi) {
            let hint = "`min` must not be larger than `max`".to_string();
            self.report
                .error(&at, "no value can keep to these bounds", hint);
        }
        if matches!(metric, Metric::Jain | Metric::Utilisation) {
            self.part_of_one(min, max, &at);
        }
        self.list.push(Expectation {
            subject: subject.clone(),
            metric,
            min,
            max,
        });
    }

    fn part_of_one(&mut self, min: Option<f64>, max: Option<f64>, path: &Path) {
        for (key, value) in [("min", min), ("max", max)] {
            if value.is_some_and(|v| !(0.0..=1.0).contains(&v)) {
                let hint = "write a number from 0 to 1".to_string();
                self.report.error(&path.key(key), "out of range", hint);
            }
        }
    }
}
