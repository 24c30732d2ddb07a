//! The mistakes in a scenario: what, where, and a value that would be right.

use super::doc::Node;
use super::path::Path;
use super::steps;
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name in place of the file where a value was set from outside.
pub(crate) const OUTSIDE: &str = "--set";

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Severity {
    /// The scenario cannot be run.
    Error,
    /// It can be run, but will hardly show what was meant.
    Warning,
}

/// One mistake, or what looks like one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file, or what the caller said the text is.
    pub origin: String,
    /// The line, counted from 1; `None` in JSON and for values that were set from outside.
    pub line: Option<usize>,
    /// The dotted key, such as `topology.bottleneck.delay`; empty for mistakes of the whole text.
    pub key: String,
    /// The value, as it was written (shortened), if there is one.
    pub value: Option<String>,
    /// Keys and values set from outside without which it would not be wrong.
    pub because: Vec<String>,
    /// The mistake.
    pub message: String,
    /// A value that would be right.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A mistake of the language, below keys and values.
    pub(crate) fn syntax(origin: &str, line: Option<usize>, message: String) -> Self {
        Self {
            severity: Severity::Error,
            origin: origin.to_string(),
            line,
            key: String::new(),
            value: None,
            because: Vec::new(),
            message,
            hint: None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{word}: {}\n  in {}", self.message, self.origin)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        for set in &self.because {
            write!(f, "\n  because of {OUTSIDE}: {set}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  help: {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong, or looks wrong, with a scenario, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Sorts by line; what has no line comes last, in the order of discovery.
    pub(crate) fn new(mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| d.line.unwrap_or(usize::MAX));
        Self(list)
    }

    /// Each changed by `f`.
    pub(crate) fn map(self, f: impl FnMut(Diagnostic) -> Diagnostic) -> Self {
        Self(self.0.into_iter().map(f).collect())
    }

    /// The mistakes.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    /// One block per mistake, with an empty line between blocks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            let gap = if i > 0 { "\n\n" } else { "" };
            write!(f, "{gap}{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// More mistakes than this are not looked for, and more warnings not kept: who wrote so many wrote one of
/// them many times.
pub(crate) const MOST: usize = 100;

/// Collects mistakes and finds their lines and values in the text as the user wrote it.
pub(crate) struct Report<'a> {
    origin: &'a str,
    doc: &'a Node,
    stop: &'a AtomicBool,
    found: Kept,
    warnings: Kept,
    /// Where mistakes were found, and everything around those places.
    around: HashSet<Path>,
    /// Where mistakes were found, and the table or list around each that is written.
    spoilt: HashSet<Path>,
}

/// Diagnostics in the order of discovery, each once, and not too many.
#[derive(Default)]
struct Kept {
    list: Vec<Diagnostic>,
    known: HashSet<Diagnostic>,
    /// There were more.
    more: bool,
}

impl Kept {
    /// Whether it is new and was kept.
    fn keep(&mut self, diagnostic: Diagnostic) -> bool {
        steps::count(1);
        if self.is_full() {
            self.more |= !self.known.contains(&diagnostic);
            return false;
        }
        let new = self.known.insert(diagnostic.clone());
        if new {
            self.list.push(diagnostic);
        }
        new
    }

    fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// In the order of the text. That there were more is said at the end.
    fn told(&self, more: &Diagnostic) -> Diagnostics {
        let mut list = self.list.clone();
        list.extend(self.more.then(|| more.clone()));
        Diagnostics::new(list)
    }
}

impl<'a> Report<'a> {
    /// No mistakes yet.
    pub(crate) fn new(origin: &'a str, doc: &'a Node, stop: &'a AtomicBool) -> Self {
        Self {
            origin,
            doc,
            stop,
            found: Kept::default(),
            warnings: Kept::default(),
            around: HashSet::new(),
            spoilt: HashSet::new(),
        }
    }

    /// A flag that becomes true when the caller no longer wants an answer.
    pub(crate) fn stop(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Whether to look for more mistakes: nobody has stopped it, and there are not too many already. Loops
    /// over what users write lists of ask it in each round.
    pub(crate) fn goes_on(&self) -> bool {
        !self.found.more && !self.stop.load(Ordering::Relaxed)
    }

    /// The file, or what the caller said the text is.
    pub(crate) fn origin(&self) -> &'a str {
        self.origin
    }

    /// A mistake at `path`. The same mistake at the same place counts once.
    pub(crate) fn error(
        &mut self,
        path: &Path,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let diagnostic = self.diagnostic(Severity::Error, path, message.into(), hint.into());
        if !self.found.keep(diagnostic) {
            return;
        }
        self.spoilt.insert(path.clone());
        if let Some(parent) = path.parent().filter(|_| self.has(path)) {
            self.spoilt.insert(parent);
        }
        let mut here = Some(path.clone());
        while let Some(place) = here {
            here = place.parent();
            self.around.insert(place);
        }
    }

    /// Something at `path` that can be run and will hardly do what was meant.
    pub(crate) fn warn(&mut self, path: &Path, message: String, hint: String) {
        let diagnostic = self.diagnostic(Severity::Warning, path, message, Some(hint));
        self.warnings.keep(diagnostic);
    }

    /// The warnings so far, each once, in the order of the text.
    pub(crate) fn warnings(&self) -> Diagnostics {
        self.warnings.told(&self.more(Severity::Warning))
    }

    /// The line in place of those that are left out.
    fn more(&self, severity: Severity) -> Diagnostic {
        let word = match severity {
            Severity::Error => "mistakes",
            Severity::Warning => "warnings",
        };
        let message = format!("there are more than these {MOST} {word}");
        Diagnostic {
            severity,
            hint: Some("mend those above first: one mistake often causes several".to_string()),
            ..Diagnostic::syntax(self.origin, None, message)
        }
    }

    fn diagnostic(
        &self,
        severity: Severity,
        path: &Path,
        message: String,
        hint: Option<String>,
    ) -> Diagnostic {
        let outside = self.doc.is_from_outside(path);
        let [message, key] = [message, path.to_string()].map(|t| clipped(t, LONGEST));
        let origin = if outside { OUTSIDE } else { self.origin };
        let line = self.doc.line_of(path).filter(|_| !outside);
        Diagnostic {
            severity,
            origin: origin.to_string(),
            line,
            key,
            value: self.value(path),
            because: Vec::new(),
            message,
            hint: hint.map(|h| clipped(h, LONGEST_HINT)),
        }
    }

    /// `key` is missing in the table at `path`, unless something else is wrong in that table: then
    /// that is probably the same mistake.
    pub(crate) fn missing(&mut self, path: &Path, key: &str, hint: &str) {
        if !self.spoilt(path) {
            let message = format!("`{key}` is missing");
            self.error(&path.key(key), message, Some(hint.to_string()));
        }
    }

    /// Whether a mistake was found in `path` itself or in something written directly in it.
    pub(crate) fn spoilt(&self, path: &Path) -> bool {
        self.spoilt.contains(path)
    }

    /// Whether a mistake was found anywhere within `path`.
    pub(crate) fn any_within(&self, path: &Path) -> bool {
        self.around.contains(path)
    }

    /// Whether the text has something at `path`.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.doc.at(path).is_some()
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.found.list.is_empty()
    }

    /// The mistakes.
    pub(crate) fn finish(self) -> Diagnostics {
        self.found.told(&self.more(Severity::Error))
    }

    /// The text at `path`. Sections, and the whole scenario, would only repeat the text.
    fn value(&self, path: &Path) -> Option<String> {
        let node = self.doc.at(path)?;
        (!path.0.is_empty() && !node.is_section()).then(|| node.to_string())
    }
}

/// The longest message and key; what is longer quotes a name of hundreds of letters.
const LONGEST: usize = 400;
/// The longest hint, which may list names.
const LONGEST_HINT: usize = 1500;

/// The first `most` letters of `text`, which else would fill a screen.
pub(crate) fn clipped(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// "did you mean `delay`?" if one of `known` is close to `word`, else the list introduced by
/// `otherwise`.
pub(crate) fn suggest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> Option<String> {
    /// Keeps the list of what exists readable.
    const LISTED: usize = 40;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = near_miss(word, &known) {
        return Some(format!("did you mean `{near}`?"));
    }
    let listed = known.iter().take(LISTED).map(|k| format!("`{k}`"));
    let listed: Vec<String> = listed.collect();
    let more = if known.len() > LISTED { ", …" } else { "" };
    (!known.is_empty()).then(|| format!("{otherwise} {}{more}", listed.join(", ")))
}

/// The closest of `known` that a slip of the fingers could have turned into `word`.
fn near_miss<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Longer words are not typing mistakes; the distance takes quadratic time.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    /// Of so many names the first are looked at: each takes a distance.
    const MOST_NAMES: usize = 10_000;
    let word = word.to_lowercase().replace('-', "_");
    let distance =
        |k: &str| strsim::damerau_levenshtein(&word, &k.to_lowercase().replace('-', "_"));
    let looked_at = known.iter().take(MOST_NAMES);
    steps::count(known.len().min(MOST_NAMES));
    let (d, near) = looked_at.map(|k| (distance(k), *k)).min()?;
    let slip = d <= 1 + word.chars().count().min(near.len()) / 4;
    // Of two letters one is half of the word, and another number is no slip: 5 MHz is not 20 MHz.
    let whole = 2 * d >= word.chars().count().max(near.len());
    let other = [&word, near].map(digits);
    let numbers = other.iter().all(|n| !n.is_empty()) && other[0] != other[1];
    (slip && !(d > 0 && whole) && !numbers).then_some(near)
}

fn digits(word: &str) -> String {
    word.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::super::registries::NEVER;
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["rate", "delay", "queue", "ack_filter"];
        assert_eq!(near_miss("dealy", &known), Some("delay"));
        assert_eq!(near_miss("ack-filter", &known), Some("ack_filter"));
        assert_eq!(near_miss("Queue", &known), Some("queue"));
        assert_eq!(near_miss("bandwidth", &known), None);
        let known = ["a", "sta0", "sta17", "20 MHz", "bbr3"];
        for word in ["ap", "x", "sta7", "5 MHz", "bbr4"] {
            assert_eq!(near_miss(word, &known), None, "{word}");
        }
        for (word, near) in [("sat0", "sta0"), ("20MHz", "20 MHz"), ("bbrv3", "bbr3")] {
            assert_eq!(near_miss(word, &known), Some(near));
        }
    }

    #[test]
    fn the_same_mistake_counts_once() {
        let doc = Node::new(super::super::doc::Value::Null);
        let mut report = Report::new("t", &doc, &NEVER);
        report.error(&Path::root().key("a"), "x", None);
        report.error(&Path::root().key("a"), "x", None);
        assert_eq!(report.finish().iter().count(), 1);
    }
}
