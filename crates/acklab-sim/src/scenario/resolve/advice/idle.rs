//! Settings of TACK that have no effect because of another: one table.
//!
//! Each row was found in the code and proved by runs: `tests/test_tack_idle.py` compares all packets of
//! two runs that differ in the setting alone, with the other setting and without it.

use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::flow::DraftFlow;
use crate::plan::TackPlan;
use acklab_proto::registry::Value;

/// Another setting, and the values of it with which the first one has an effect.
type Needs = (&'static str, &'static [&'static str]);

/// A setting of the transport that has no effect where none of the others has such a value.
struct Idle {
    key: &'static str,
    needs: &'static [Needs],
    /// What is so instead.
    because: &'static str,
}

const NO_BW: &str = "nothing reads bw then but the table `reports`";

const IDLE: &[Idle] = &[
    Idle {
        key: "q",
        needs: &[("blocks", &["adaptive"])],
        because: "the lists have as many blocks as fit, or one",
    },
    Idle {
        key: "iack_copies",
        needs: &[("iack", &["true"])],
        because: "no IACK of a loss leaves",
    },
    Idle {
        key: "settle",
        needs: &[
            ("iack", &["true"]),
            ("unacked", &["reported"]),
            ("start_up", &["per-packet", "byte-counting"]),
        ],
        because: "each TACK lists a gap however long it has lasted",
    },
    Idle {
        key: "unacked",
        needs: &[("settle", &["once-reordered", "always"])],
        because: "each gap is reported as soon as it shows, so no TACK knows of another",
    },
    Idle {
        key: "owd",
        needs: &[("timing", &["advanced"])],
        because: "the newest packet is timed, and no delays are compared",
    },
    Idle {
        key: "owd_gain",
        needs: &[("timing", &["advanced"])],
        because: "the newest packet is timed, and no delays are compared",
    },
    Idle {
        key: "owd_gain",
        needs: &[("owd", &["smoothed"])],
        because: "delays are compared as measured",
    },
    Idle {
        key: "start_up_packets",
        needs: &[("start_up", &["per-packet", "byte-counting"])],
        because: "there is no start-up",
    },
    Idle {
        key: "theta",
        needs: &[
            ("blocks", &["adaptive"]),
            ("start_up", &["per-packet", "byte-counting"]),
        ],
        because: NO_BW,
    },
    Idle {
        key: "theta_unit",
        needs: &[
            ("blocks", &["adaptive"]),
            ("start_up", &["per-packet", "byte-counting"]),
        ],
        because: NO_BW,
    },
];

/// A setting of the transport that has no effect under some controllers.
struct Deaf {
    key: &'static str,
    controllers: &'static [&'static str],
    because: &'static str,
    right: &'static str,
}

const DEAF: &[Deaf] = &[
    Deaf {
        key: "rate_samples",
        controllers: &["newreno", "linuxreno", "cubic", "vegas", "fixed", "rate"],
        because: "which takes no samples of the delivery rate",
        right: "write cc = \"bbr1\" or another BBR",
    },
    Deaf {
        key: "undo",
        controllers: &["bbr-tack", "fixed", "rate"],
        because: "which reduces nothing when packets are lost",
        right: "write a controller that does, such as \"cubic\"",
    },
    Deaf {
        key: "initial_window",
        controllers: &["fixed", "rate"],
        because: "which begins with its own window or rate",
        right: "write the controller's `window` or `rate`",
    },
];

/// Warns of what a flow's settings leave without effect.
pub(super) fn give(plan: &TackPlan, flow: &DraftFlow, report: &mut Report<'_>) {
    let at = flow.path.key("transport");
    for idle in IDLE {
        let key = at.key(idle.key);
        if report.has(&key) && !idle.needs.iter().any(|n| has_effect(plan, n)) {
            let others: Vec<String> = idle.needs.iter().map(|n| written(plan, n.0)).collect();
            let message = format!(
                "`{}` has no effect with {}: {}",
                idle.key,
                others.join(" and "),
                idle.because
            );
            report.warn(&key, message, right(idle));
        }
    }
    for deaf in DEAF {
        let (key, cc) = (at.key(deaf.key), plan.cc.entry.name);
        if report.has(&key) && deaf.controllers.contains(&cc) {
            let message = format!(
                "`{}` has no effect with cc = \"{cc}\", {}",
                deaf.key, deaf.because
            );
            let hint = format!("{}, or leave `{}` out", deaf.right, deaf.key);
            report.warn(&key, message, hint);
        }
    }
    delayed(plan, &at, report);
    another_eq_3(plan, flow, report);
    paced(plan, flow, report);
}

fn word(plan: &TackPlan, key: &str) -> String {
    match plan.params.value(key) {
        Value::Bool(b) => b.to_string(),
        _ => plan.params.choice(key).to_string(),
    }
}

fn has_effect(plan: &TackPlan, (key, values): &Needs) -> bool {
    values.contains(&word(plan, key).as_str())
}

/// `key = value`, as a scenario has it.
fn written(plan: &TackPlan, key: &str) -> String {
    match plan.params.value(key) {
        Value::Bool(b) => format!("{key} = {b}"),
        _ => format!("{key} = \"{}\"", word(plan, key)),
    }
}

fn right(idle: &Idle) -> String {
    let one = |(key, values): &Needs| match values[0] {
        "true" => format!("{key} = true"),
        value => format!("{key} = \"{value}\""),
    };
    let all: Vec<String> = idle.needs.iter().map(one).collect();
    format!("write {}, or leave `{}` out", all.join(" or "), idle.key)
}

/// With thin = "interval" the interval ends the wait where it is shorter, and it is never longer than its
/// longest.
fn delayed(plan: &TackPlan, at: &Path, report: &mut Report<'_>) {
    let (key, taming) = (at.key("delayed"), &plan.config.taming);
    let interval = plan.params.choice("thin") == "interval";
    if report.has(&key) && interval && taming.longest <= taming.delayed {
        let message = format!(
            "`delayed` has no effect with thin = \"interval\": the interval between two TACKs ends the \
             wait, and it is never longer than {} (`interval.longest`)",
            taming.longest
        );
        let hint = format!(
            "write thin = \"timer\", or less than \"{}\"",
            taming.longest
        );
        report.warn(&key, message, hint);
    }
}

/// bbr-tack counts intervals of Eq. 3, and has beta and L of its own.
fn another_eq_3(plan: &TackPlan, flow: &DraftFlow, report: &mut Report<'_>) {
    if plan.cc.entry.name != "bbr-tack" {
        return;
    }
    for key in ["beta", "l"] {
        let (ours, theirs) = (plan.params.int(key), plan.cc.params.int(key));
        if ours == theirs {
            continue;
        }
        let transport = flow.path.key("transport").key(key);
        let controller = flow.path.key("cc").key(key);
        let at = match (report.has(&transport), report.has(&controller)) {
            (true, _) => transport,
            (_, true) => controller,
            _ => flow.path.key("transport"),
        };
        let message = format!(
            "the transport has {key} = {ours} and bbr-tack {key} = {theirs}: the controller's interval is \
             not the one between two TACKs"
        );
        let hint = format!("write cc = {{ name = \"bbr-tack\", {key} = {ours} }}");
        report.warn(&at, message, hint);
    }
}

/// TACK paces each packet and tells the controller.
fn paced(plan: &TackPlan, flow: &DraftFlow, report: &mut Report<'_>) {
    let key = flow.path.key("cc").key("paced");
    if report.has(&key) && plan.cc.entry.name == "cubic" && !plan.cc.params.bool("paced") {
        let message = "`paced` has no effect under TACK, which paces each packet".to_string();
        let hint = "write paced = true, or leave it out".to_string();
        report.warn(&key, message, hint);
    }
}
