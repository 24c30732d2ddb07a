//! Recordings that links follow: read, checked, and named for a result folder.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Files;
use super::topology::Net;
use crate::plan::TracePlan;
use acklab_path::link::trace::Trace;
use std::sync::Arc;

/// Where traces stand beside a resolved scenario.
const FOLDER: &str = "traces";

/// The trace in the file `name`, which stands at `path`.
pub(super) fn read(
    name: &str,
    files: &Files<'_>,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<TracePlan> {
    let text = match files(name) {
        Ok(text) => text,
        Err(why) => {
            let hint = "names of files count from the scenario's folder".to_string();
            report.error(path, format!("cannot read the trace: {why}"), hint);
            return None;
        }
    };
    match text.parse::<Trace>() {
        Ok(trace) => Some(TracePlan {
            file: name.to_string(),
            trace: Arc::new(trace),
        }),
        Err(why) => {
            let hint = "mahimahi's format: one whole number of milliseconds per line, ascending; \
                        each is a chance to deliver 1504 bytes";
            report.error(path, why.to_string(), hint.to_string());
            None
        }
    }
}

/// Gives each file the name under which a result folder keeps it: its own, in a folder for traces,
/// with a number if another file has the same.
pub(super) fn name(net: &mut Net) {
    let mut named: Vec<(String, String)> = Vec::new();
    for plan in net.links.iter_mut().filter_map(|l| l.plan.trace.as_mut()) {
        let known = named.iter().find(|(written, _)| *written == plan.file);
        let kept = match known {
            Some((_, kept)) => kept.clone(),
            None => free_name(&plan.file, &named),
        };
        if known.is_none() {
            named.push((plan.file.clone(), kept.clone()));
        }
        plan.file = kept;
    }
}

fn free_name(written: &str, named: &[(String, String)]) -> String {
    let own = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let numbered = (2..).map(|n| format!("{FOLDER}/{n}-{own}"));
    std::iter::once(format!("{FOLDER}/{own}"))
        .chain(numbered)
        .find(|name| named.iter().all(|(_, kept)| kept != name))
        .expect("numbers do not end")
}
