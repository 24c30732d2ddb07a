//! Building blocks of a channel that are chosen by name.

use super::super::super::choice;
use super::super::super::diagnostics::Report;
use super::super::super::path::Path;
use super::super::super::spec::Choice;
use acklab_proto::registry::{Entry, Params, Value};
use std::fmt;

/// A building block by name with its parameters.
pub(crate) struct Chosen<B: 'static> {
    entry: &'static Entry<B>,
    params: Params,
}

impl<B> Chosen<B> {
    /// The entry that `choice` names; without one, or if there is none of that name, the first of `entries`.
    pub(super) fn read(
        entries: &'static [Entry<B>],
        what: &str,
        choice: Option<&Choice>,
        path: &Path,
        report: &mut Report<'_>,
    ) -> Self {
        Self::read_or(entries, &[], what, choice, path, report)
    }

    /// The same where `more` words have a meaning too, which the caller has looked for.
    pub(super) fn read_or(
        entries: &'static [Entry<B>],
        more: &[&'static str],
        what: &str,
        choice: Option<&Choice>,
        path: &Path,
        report: &mut Report<'_>,
    ) -> Self {
        let found = choice.and_then(|c| choice::choose_or(entries, more, what, c, path, report));
        let (entry, params) = found.unwrap_or_else(|| {
            let entry = &entries[0];
            (entry, Params::defaults(entry.params))
        });
        Self { entry, params }
    }

    /// Another default of a parameter that `choice` does not name, if there is such a parameter.
    pub(super) fn default(&mut self, choice: Option<&Choice>, name: &str, value: Value) {
        let written = choice.is_some_and(|c| c.params.iter().any(|(key, _)| key == name));
        if !written && self.entry.params.iter().any(|p| p.name == name) {
            let set = self.params.set(self.entry.params, name, value);
            debug_assert!(set.is_ok(), "{name}: {set:?}");
        }
    }

    /// Reports a time that is longer than another which cannot be shorter.
    pub(super) fn in_order(
        &self,
        (shorter, longer): (&str, &str),
        path: &Path,
        report: &mut Report<'_>,
    ) {
        let (Some(low), Some(high)) = (self.params.span(shorter), self.params.span(longer)) else {
            return;
        };
        if low > high {
            let message = format!("`{shorter}` is longer than `{longer}`, which is \"{high}\"");
            let hint = format!("write \"{high}\" at most, or a longer `{longer}`");
            let at = [shorter, longer].map(|key| path.key(key));
            let written = at.iter().find(|at| report.has(at)).unwrap_or(path).clone();
            report.error(&written, message, hint);
        }
    }

    /// Its entry, and its parameters.
    pub(super) fn parts(&self) -> (&'static Entry<B>, Params) {
        (self.entry, self.params.clone())
    }

    pub(crate) fn entry(&self) -> &'static Entry<B> {
        self.entry
    }

    pub(crate) fn params_mut(&mut self) -> &mut Params {
        &mut self.params
    }

    pub(super) fn name(&self) -> &'static str {
        self.entry.name
    }

    /// As TOML.
    pub(crate) fn text(&self) -> String {
        choice::inline_table(self.entry.name, self.entry.params, &self.params)
    }
}

impl<T> Chosen<fn(&Params) -> T> {
    /// The choice.
    pub(crate) fn build(&self) -> T {
        (self.entry.build)(&self.params)
    }
}

impl<B> Clone for Chosen<B> {
    fn clone(&self) -> Self {
        Self {
            entry: self.entry,
            params: self.params.clone(),
        }
    }
}

impl<B> PartialEq for Chosen<B> {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.params == other.params
    }
}

impl<B> fmt::Debug for Chosen<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
