//! Recordings that links follow: read, checked, and named for a result folder.

use super::super::diagnostics::Report;
use super::super::path::Path;
use super::super::registries::Files;
use super::topology::Net;
use crate::plan::TracePlan;
use acklab_path::link::trace::Trace;
use std::collections::{HashMap, HashSet};
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
            let hint =
                "names of files count from the scenario's folder; a trace is a regular file of \
                        64 MiB at most"
                    .to_string();
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
    let mut names = Names::default();
    for plan in net.links.iter_mut().filter_map(|l| l.plan.trace.as_mut()) {
        plan.file = names.kept(&plan.file);
    }
}

/// The names of files in a result folder.
#[derive(Default)]
struct Names {
    /// By the name that the scenario has.
    kept: HashMap<String, String>,
    taken: HashSet<String>,
    /// By own name, the number that the next other file of that name is tried with.
    next: HashMap<String, usize>,
}

impl Names {
    fn kept(&mut self, written: &str) -> String {
        if let Some(known) = self.kept.get(written) {
            return known.clone();
        }
        let free = self.free(written);
        self.taken.insert(free.clone());
        self.kept.insert(written.to_string(), free.clone());
        free
    }

    fn free(&mut self, written: &str) -> String {
        let own = written.rsplit(['/', '\\']).next().unwrap_or(written);
        let next = self.next.entry(own.to_string()).or_insert(1);
        loop {
            let name = match *next {
                1 => format!("{FOLDER}/{own}"),
                n => format!("{FOLDER}/{n}-{own}"),
            };
            *next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}
