//! Flows: names, ends, controllers, ACK policies.

use super::super::choice::choose;
use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Registries;
use super::super::spec::{Choice, FlowSpec, NodeSpec, Spec};
use super::super::steps;
use super::topology::{Net, incomplete};
use super::{Clock, app, not_too_long, request, tcp};
use crate::plan::{AppPlan, FlowPlan, TackPlan, TcpPlan, TransportPlan};
use acklab_path::wifi::medium::AccessCategory;
use acklab_proto::datagram::Dscp;
use acklab_proto::registry::{Param, Params, Value};
use acklab_proto::tack::TackConfig;
use acklab_proto::tcp::TcpConfig;
use acklab_proto::tcp::config::{AckChoice, CcChoice};
use acklab_proto::transport::registry::Protocol;
use acklab_units::{Instant, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// More flows than this are a slip.
const MOST_FLOWS: usize = 100_000;
/// The default controller.
const DEFAULT_CC: &str = "cubic";
/// The default transport.
const DEFAULT_TRANSPORT: &str = "tcp";

/// One flow whose routes are not known yet.
pub(crate) struct DraftFlow {
    pub(crate) plan: FlowPlan,
    /// Its access category on radio channels, if it has its own.
    pub(crate) category: Option<AccessCategory>,
    /// Where its keys stand.
    pub(crate) path: Path,
}

/// The flows of one `[[flow]]`.
pub(crate) struct Group {
    /// Its name, which with `count` is not the name of any flow.
    pub(crate) name: String,
    pub(crate) members: Vec<DraftFlow>,
}

/// All flows, grouped as written.
pub(crate) fn resolve_all(
    spec: &Spec,
    clock: &Clock,
    reg: Registries<'_>,
    net: &Net,
    report: &mut Report<'_>,
) -> Vec<Group> {
    if spec.flow.is_empty() && report.is_clean() {
        let hint = "write at least one [[flow]]".to_string();
        report.error(&Path::root().key("flow"), "there are no flows", hint);
    }
    if spec.flow.len() > MOST_FLOWS {
        let hint = format!("write {MOST_FLOWS} at most");
        report.error(&Path::root().key("flow"), "too many flows", hint);
    }
    let mut builder = Builder {
        spec,
        clock,
        reg,
        net,
        flows: 0,
        names: HashSet::new(),
        lacks_nodes: None,
        report,
    };
    let mut groups = Vec::new();
    for i in 0..spec.flow.len().min(MOST_FLOWS) {
        if !builder.report.goes_on() {
            break;
        }
        groups.push(builder.group(i));
    }
    groups
}

/// All flows in order.
pub(crate) fn expand(groups: Vec<Group>) -> Vec<DraftFlow> {
    groups.into_iter().flat_map(|g| g.members).collect()
}

struct Builder<'a, 'r> {
    spec: &'a Spec,
    clock: &'a Clock,
    reg: Registries<'a>,
    net: &'a Net,
    /// Flows made so far; the next takes the pair of that number.
    flows: usize,
    /// Their names, and those of flows that cannot be made.
    names: HashSet<String>,
    /// Whether nodes that were meant are not there because of a mistake reported before, once somebody
    /// has asked.
    lacks_nodes: Option<bool>,
    report: &'a mut Report<'r>,
}

impl Builder<'_, '_> {
    fn group(&mut self, i: usize) -> Group {
        let path = Path::root().key("flow").index(i);
        let flow = &self.spec.flow[i];
        let name = flow.name.clone().unwrap_or_else(|| format!("f{i}"));
        if name.is_empty() {
            let hint = "leave it out for \"f0\", \"f1\", ...".to_string();
            self.report
                .error(&path.key("name"), "the name is empty", hint);
        }
        let count = self.count(flow, &path);
        let template = self.template(flow, &path);
        let category = self.category(flow, &path);
        let mut members = Vec::new();
        for k in 0..count {
            let name = flow.count.map_or(name.clone(), |_| format!("{name}-{k}"));
            self.is_new(&name, &path);
            let ends = self.ends(flow, &path);
            self.flows += 1;
            // A mistake in one is a mistake in all.
            let (Some(template), Some((src, dst))) = (&template, ends) else {
                break;
            };
            let plan = FlowPlan {
                name,
                src,
                dst,
                ..template.clone()
            };
            members.push(DraftFlow {
                plan,
                category,
                path: path.clone(),
            });
        }
        Group { name, members }
    }

    fn is_new(&mut self, name: &str, path: &Path) {
        if !self.names.insert(name.to_string()) {
            let message = format!("there is already a flow called `{name}`");
            let hint = "give one of them another `name`".to_string();
            self.report.error(&path.key("name"), message, hint);
        }
    }

    fn category(&mut self, flow: &FlowSpec, path: &Path) -> Option<AccessCategory> {
        let category = flow.category?;
        if self.spec.wifi.is_none() && self.net.wifi.is_empty() {
            let hint = "leave it out, or write a [wifi]".to_string();
            let message = "access categories are for radio channels, and there is none";
            self.report.error(&path.key("category"), message, hint);
        }
        Some(category.into())
    }

    fn count(&mut self, flow: &FlowSpec, path: &Path) -> usize {
        let count = flow.count.map_or(1, |c| c as usize);
        if count == 0 || self.flows + count > MOST_FLOWS {
            let hint = format!("write at least 1; all flows together may be {MOST_FLOWS}");
            self.report.error(&path.key("count"), "out of range", hint);
            return 1;
        }
        count
    }

    /// Everything but name and ends.
    fn template(&mut self, flow: &FlowSpec, path: &Path) -> Option<FlowPlan> {
        let shared = Path::root().key("tcp");
        let own = path.key("tcp");
        let layers = [(&self.spec.tcp, &shared), (&flow.tcp, &own)];
        let tcp = tcp::resolve(&layers, self.report);
        let start = self.start(flow, path);
        let start_jitter = flow.start_jitter.map_or(Span::ZERO, |j| j.0);
        not_too_long(start_jitter, &path.key("start_jitter"), self.report);
        let transport = self.transport(flow, tcp, path);
        let payload = transport.as_ref().map_or(1, TransportPlan::payload);
        let mut app = app::resolve(flow.app.as_ref(), payload, &path.key("app"), self.report);
        let transport = transport?;
        if let AppPlan::Video(video) = &mut app {
            video.packet = (!transport.is_reliable()).then_some(payload);
        }
        self.fits(&transport, flow, &app, path);
        Some(FlowPlan {
            name: String::new(),
            src: 0,
            dst: 0,
            forward: Vec::new(),
            reverse: Vec::new(),
            start,
            start_jitter,
            dscp: flow.dscp.map_or(Dscp::DEFAULT, |d| d.0),
            app,
            transport,
        })
    }

    /// The flow's transport, with its settings; `tcp` are those of TCP.
    fn transport(&mut self, flow: &FlowSpec, tcp: TcpConfig, path: &Path) -> Option<TransportPlan> {
        let plain = plain(DEFAULT_TRANSPORT);
        let choice = flow.transport.as_ref().map_or(&plain, |t| &t.0);
        let at = path.key("transport");
        let chosen = choose(self.reg.transport, "transport", choice, &at, self.report);
        let (entry, params) = chosen?;
        match entry.build {
            Protocol::Tcp => {
                let (cc, ack) = (self.cc(flow, &tcp, path), self.ack(flow, &tcp, path));
                Some(TransportPlan::Tcp(TcpPlan {
                    config: Arc::new(tcp),
                    cc: cc?,
                    ack: ack?,
                }))
            }
            Protocol::Cbr => Some(TransportPlan::Cbr(params)),
            Protocol::Rtp => Some(TransportPlan::Rtp(params)),
            Protocol::Tack => {
                let cc = self.cc(flow, &tcp, path)?;
                let config = Arc::new(TackConfig::from_params(&params));
                let (shortest, longest) = (config.taming.shortest, config.taming.longest);
                if shortest > longest {
                    let message = format!(
                        "`interval.shortest` ({shortest}) is longer than `interval.longest` ({longest})"
                    );
                    let hint = format!("write at most \"{longest}\", or raise `interval.longest`");
                    let key = at.key("interval").key("shortest");
                    self.report.error(&key, message, hint);
                    return None;
                }
                Some(TransportPlan::Tack(TackPlan { config, params, cc }))
            }
        }
    }

    /// Whether what else the flow says goes with its transport.
    fn fits(&mut self, transport: &TransportPlan, flow: &FlowSpec, app: &AppPlan, path: &Path) {
        self.frames_fit(transport, app, path);
        if transport.tcp().is_some() {
            return;
        }
        let name = transport.name();
        let own = path.key("tcp");
        let reliable = transport.is_reliable();
        let keys = [
            ("cc", flow.cc.is_some() && !reliable),
            ("ack", flow.ack.is_some()),
            ("tcp", self.report.has(&own)),
        ];
        for (key, _) in keys.iter().filter(|k| k.1) {
            let message = format!("`{key}` is TCP's, and this flow's transport is \"{name}\"");
            let hint = match (transport, *key) {
                (TransportPlan::Tack(_), "ack") => {
                    "leave it out: TACK acknowledges by the transport's own `beta`, `l` and `interval`; \
                     or write transport = \"tcp\""
                }
                _ => "leave it out, or write transport = \"tcp\"",
            };
            self.report.error(&path.key(key), message, hint.to_string());
        }
        if matches!(app, AppPlan::RequestResponse { .. })
            && matches!(transport, TransportPlan::Cbr(_))
        {
            let message = format!(
                "\"{name}\" repeats nothing: an exchange would wait for ever for what is lost"
            );
            let hint = "write app = \"bulk\" or \"on-off\"".to_string();
            self.report.error(&path.key("app"), message, hint);
        }
    }

    /// RTP carries frames and nothing else, and a constant rate knows no frames.
    fn frames_fit(&mut self, transport: &TransportPlan, app: &AppPlan, path: &Path) {
        let (message, hint) = match (transport, app) {
            (TransportPlan::Rtp(_), AppPlan::Video(_)) => return,
            (TransportPlan::Rtp(_), _) => (
                "\"rtp\" carries the frames of a video",
                "write app = \"video\"",
            ),
            (TransportPlan::Cbr(_), AppPlan::Video(_)) => (
                "\"cbr\" sends at a constant rate and knows no frames",
                "write transport = \"rtp\", \"tcp\" or \"tack\"",
            ),
            _ => return,
        };
        let key = path.key("app");
        self.report.error(&key, message, hint.to_string());
    }

    fn start(&mut self, flow: &FlowSpec, path: &Path) -> Instant {
        let Some(start) = flow.start else {
            return self.clock.start;
        };
        let start = Instant::ZERO.saturating_add(start.0);
        if start >= self.clock.stop && self.spec.duration.is_some() {
            let message = format!("the run ends at {}", self.clock.stop);
            let hint = "write an earlier time; it counts from the start of the run".to_string();
            self.report.error(&path.key("start"), message, hint);
        }
        start
    }

    fn ends(&mut self, flow: &FlowSpec, path: &Path) -> Option<(usize, usize)> {
        let pairs = &self.net.pairs;
        let pair = (!pairs.is_empty()).then(|| pairs[self.flows % pairs.len()]);
        let from = self.end("from", flow.from.as_deref(), pair.map(|p| p.0), path);
        let to = self.end("to", flow.to.as_deref(), pair.map(|p| p.1), path);
        let (from, to) = (from?, to?);
        if from == to {
            let hint = "a flow goes from one node to another".to_string();
            let key = if flow.to.is_some() { "to" } else { "from" };
            self.report
                .error(&path.key(key), "both ends are the same node", hint);
            return None;
        }
        Some((from, to))
    }

    fn end(
        &mut self,
        key: &str,
        name: Option<&str>,
        default: Option<usize>,
        path: &Path,
    ) -> Option<usize> {
        let Some(name) = name else {
            if default.is_none() && !incomplete(self.report) {
                let hint = "only in a preset flows find their ends by themselves";
                self.report.missing(path, key, hint);
            }
            return default;
        };
        if let Some(node) = self.net.node(name) {
            return Some(node);
        }
        if self.lacks_nodes.is_none() {
            self.lacks_nodes = Some(self.find_out_lacks_nodes());
        }
        if self.lacks_nodes == Some(true) {
            return None;
        }
        self.net.expect_node(name, &path.key(key), self.report)
    }

    /// Mistakes of flows do not change it.
    fn find_out_lacks_nodes(&self) -> bool {
        steps::count(self.spec.node.len());
        let [topology, node] = ["topology", "node"].map(|k| Path::root().key(k));
        let wrong = |path: &Path| self.report.any_within(path);
        let preset = match &self.spec.topology {
            Some(t) => {
                t.preset.is_none()
                    || ["pairs", "hops", "stations"]
                        .iter()
                        .any(|k| wrong(&topology.key(k)))
            }
            None => wrong(&topology),
        };
        let nameless = |n: &NodeSpec| n.name.as_deref().is_none_or(str::is_empty);
        preset || self.spec.node.iter().any(nameless) || (self.spec.node.is_empty() && wrong(&node))
    }

    fn cc(&mut self, flow: &FlowSpec, tcp: &TcpConfig, path: &Path) -> Option<CcChoice> {
        let plain = plain(DEFAULT_CC);
        let choice = flow.cc.as_ref().map_or(&plain, |c| &c.0);
        let at = path.key("cc");
        let (entry, mut params) = choose(
            self.reg.cc,
            "congestion controller",
            choice,
            &at,
            self.report,
        )?;
        let preferred = tcp.dialect().cc_params;
        prefer(preferred, entry.params, choice, &mut params);
        Some(CcChoice { entry, params })
    }

    fn ack(&mut self, flow: &FlowSpec, tcp: &TcpConfig, path: &Path) -> Option<AckChoice> {
        let plain = plain(tcp.default_ack_policy());
        let choice = flow.ack.as_ref().map_or(&plain, |a| &a.0);
        let at = path.key("ack");
        let (entry, mut params) = choose(self.reg.ack, "ACK policy", choice, &at, self.report)?;
        let preferred = tcp.dialect().ack_params;
        prefer(preferred, entry.params, choice, &mut params);
        let ack = AckChoice { entry, params };
        request::check(&ack, tcp, &at, self.report);
        Some(ack)
    }
}

fn plain(name: &str) -> Choice {
    Choice::named(name.to_string())
}

/// Defaults of a profile: those of `preferred` that the block knows and the user did not set.
fn prefer(
    preferred: &[(&str, Value)],
    specs: &'static [Param],
    choice: &Choice,
    params: &mut Params,
) {
    for (name, value) in preferred {
        let chosen = choice.params.iter().any(|(key, _)| key == name);
        if !chosen && specs.iter().any(|p| p.name == *name) {
            // A block may have a parameter of that name that takes other values.
            let _ = params.set(specs, name, *value);
        }
    }
}
