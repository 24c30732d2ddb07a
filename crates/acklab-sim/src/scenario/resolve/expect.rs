//! Expectations: bounds in base units, subjects checked against the network.

use super::super::diagnostics::{Report, suggest};
use super::super::expect::{Expectation, Expectations, Metric, Subject};
use super::super::path::Path;
use super::super::spec::{Bounds, FlowExpect, LinkExpect, Qty, Spec};
use super::super::steps;
use super::flow::Group;
use super::topology::Net;
use acklab_units::{Bytes, Rate, Span};
use std::collections::HashMap;

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
        delays: spec.record.delays.unwrap_or(false),
        report,
    };
    all.total(spec, &path);
    let places = Places::of(groups, net);
    for (name, flow) in &spec.expect.flow {
        if !all.report.goes_on() {
            break;
        }
        let at = path.key("flow").key(name);
        for subject in flows_called(name, (groups, &places), sound, &at, all.report) {
            all.flow(&subject, flow, &at);
        }
    }
    for (name, link) in &spec.expect.link {
        if !all.report.goes_on() {
            break;
        }
        let at = path.key("link").key(name);
        if places.links.contains_key(name.as_str()) {
            all.link(&Subject::Link(name.clone()), link, &at);
        } else if sound {
            let names = net.links.iter().map(|l| l.plan.name.as_str());
            let hint = suggest(name, names, "the links are");
            all.report
                .error(&at, format!("there is no link called `{name}`"), hint);
        }
    }
    let mut list = all.list;
    list.sort_by_cached_key(|e| places.of_subject(&e.subject));
    Expectations(list)
}

/// Where flows and links of a name come in the plan; of several the first.
struct Places<'a> {
    /// Numbers of the groups of a name.
    groups: HashMap<&'a str, Vec<usize>>,
    /// Number of a flow, and of its group.
    flows: HashMap<&'a str, (usize, usize)>,
    links: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn of(groups: &'a [Group], net: &'a Net) -> Self {
        let mut of_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let (mut flows, mut links) = (HashMap::new(), HashMap::new());
        let mut n = 0;
        for (g, group) in groups.iter().enumerate() {
            of_name.entry(&group.name).or_default().push(g);
            steps::count(group.members.len());
            for member in &group.members {
                flows.entry(member.plan.name.as_str()).or_insert((n, g));
                n += 1;
            }
        }
        for (i, link) in net.links.iter().enumerate() {
            links.entry(link.plan.name.as_str()).or_insert(i);
        }
        Self {
            groups: of_name,
            flows,
            links,
        }
    }

    /// The order of the plan, so that a scenario and its resolved form agree.
    fn of_subject(&self, subject: &Subject) -> (u8, usize) {
        match subject {
            Subject::Total => (0, 0),
            Subject::Flow(name) => (1, self.flows.get(name.as_str()).map_or(0, |f| f.0)),
            Subject::Link(name) => (2, self.links.get(name.as_str()).copied().unwrap_or(0)),
        }
    }
}

/// The flows that `name` means: one, or all of a group.
fn flows_called(
    name: &str,
    (groups, places): (&[Group], &Places<'_>),
    sound: bool,
    path: &Path,
    report: &mut Report<'_>,
) -> Vec<Subject> {
    let of_groups = places.groups.get(name).map_or(&[][..], Vec::as_slice);
    let members = of_groups.iter().flat_map(|g| &groups[*g].members);
    steps::count(1);
    let mut subjects: Vec<Subject> = members
        .map(|m| Subject::Flow(m.plan.name.clone()))
        .collect();
    let one = places.flows.get(name);
    if one.is_some_and(|(_, group)| !of_groups.contains(group)) {
        subjects.push(Subject::Flow(name.to_string()));
    }
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
    /// Whether one-way delays are recorded.
    delays: bool,
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
        if e.delay.is_some() && !self.delays {
            let hint = "write delays = true in [record]".to_string();
            let message = "the run does not record one-way delays";
            self.report.error(&path.key("delay"), message, hint);
        }
        self.add(subject, Metric::Delay, e.delay, path);
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
                .error(&at, "no value can be within these bounds", hint);
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
