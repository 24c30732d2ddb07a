//! Congestion controllers written in Python.
//!
//! The registry makes controllers through plain function pointers, which can carry nothing. So a
//! scenario keeps its classes by name ([`Classes`]), the thread that runs it puts them where
//! [`build`] finds them ([`watched`]), and the entry of such a controller has one parameter that is
//! never written: its name is the class's.

use crate::facts;
use acklab_proto::cc::{self, CongestionControl};
use acklab_proto::registry::{Entry, Kind, Param, Params, Value};
use acklab_units::Rate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyAnyMethods;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Python classes by the name that a scenario uses.
pub(crate) type Classes = BTreeMap<String, Py<PyAny>>;

/// The state of a thread while it runs a scenario.
struct Context {
    classes: Arc<Classes>,
    stop: Arc<AtomicBool>,
    raised: Option<PyErr>,
}

thread_local! {
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Runs `action` with `classes` at hand. Raises `stop` if one of them raises, and returns what was
/// raised.
pub(crate) fn watched<T>(
    classes: &Arc<Classes>,
    stop: &Arc<AtomicBool>,
    action: impl FnOnce() -> T,
) -> (T, Option<PyErr>) {
    CONTEXT.set(Some(Context {
        classes: Arc::clone(classes),
        stop: Arc::clone(stop),
        raised: None,
    }));
    let value = action();
    let context = CONTEXT.take();
    (value, context.and_then(|c| c.raised))
}

/// The built-in controllers and those of `classes`. The leak is once per name and process.
pub(crate) fn registry(classes: &Classes) -> &'static [Entry<cc::Build>] {
    static KNOWN: Mutex<BTreeMap<Vec<String>, &'static [Entry<cc::Build>]>> =
        Mutex::new(BTreeMap::new());
    let builtin = cc::registry::CONTROLLERS;
    if classes.is_empty() {
        return builtin;
    }
    let names: Vec<String> = classes.keys().cloned().collect();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(names.clone()).or_insert_with(|| {
        let shadowed = |e: &&Entry<cc::Build>| !classes.contains_key(e.name);
        let builtin = builtin.iter().filter(shadowed).map(copy);
        let entries: Vec<_> = names.iter().map(|n| entry(n)).chain(builtin).collect();
        entries.leak()
    })
}

fn copy(e: &Entry<cc::Build>) -> Entry<cc::Build> {
    Entry { ..*e }
}

fn entry(name: &str) -> Entry<cc::Build> {
    let name: &'static str = word(name);
    let params = Box::leak(Box::new([Param {
        name,
        doc: "Carries the name to the constructor; not to be set.",
        kind: Kind::Rate,
        default: Value::Auto,
    }]));
    Entry {
        name,
        aliases: &[],
        summary: "A controller written in Python.",
        source: "the user",
        params,
        build,
    }
}

fn build(params: &Params, init: cc::CcInit) -> Box<dyn CongestionControl> {
    let class = CONTEXT.with_borrow(|context| {
        let name = params.iter().next()?.0;
        let class = context.as_ref()?.classes.get(name)?;
        Some(Python::attach(|py| class.clone_ref(py)))
    });
    let mut made = Controller::asleep(init);
    match class {
        Some(class) => made.wake(&class, init),
        None => unreachable!("a scenario with Python controllers runs with its classes"),
    }
    Box::new(made)
}

/// A controller whose decisions are made in Python and remembered here until the next fact.
#[derive(Debug)]
struct Controller {
    object: Option<Py<PyAny>>,
    hears: BTreeSet<&'static str>,
    mss: u64,
    cwnd: u64,
    ssthresh: u64,
    pacing_rate: Option<Rate>,
    send_quantum: Option<u64>,
    state: &'static str,
    needs_pacing: bool,
    owns_recovery: bool,
}

const FACTS: [&str; 9] = [
    "on_sent",
    "on_ack",
    "on_loss",
    "on_segment_lost",
    "on_rto",
    "on_ecn",
    "on_spurious",
    "on_recovery_exit",
    "on_idle_restart",
];

impl Controller {
    fn asleep(init: cc::CcInit) -> Self {
        Self {
            object: None,
            hears: BTreeSet::new(),
            mss: u64::from(init.mss),
            cwnd: init.initial_cwnd,
            ssthresh: u64::MAX,
            pacing_rate: None,
            send_quantum: None,
            state: "",
            needs_pacing: false,
            owns_recovery: false,
        }
    }

    fn wake(&mut self, class: &Py<PyAny>, init: cc::CcInit) {
        let woken = Python::attach(|py| {
            let class = class.bind(py);
            let base = py
                .import("acklab.controller")?
                .getattr("CongestionController")?;
            for fact in FACTS {
                if !class.getattr(fact)?.is(&base.getattr(fact)?) {
                    self.hears.insert(fact);
                }
            }
            self.needs_pacing = class.getattr("needs_pacing")?.is_truthy()?;
            self.owns_recovery = class.getattr("owns_recovery")?.is_truthy()?;
            let object = class.call1((facts::CcInit::from(&init),))?;
            self.ask(&object)?;
            self.object = Some(object.unbind());
            Ok(())
        });
        self.note(woken);
    }

    fn tell<F>(&mut self, fact: &'static str, told: impl FnOnce() -> F)
    where
        F: for<'py> IntoPyObject<'py>,
    {
        if !self.hears.contains(fact) {
            return;
        }
        let Some(object) = self.object.take() else {
            return;
        };
        let heard = Python::attach(|py| {
            let bound = object.bind(py);
            bound.call_method1(fact, (told(),))?;
            self.ask(bound)
        });
        if self.note(heard) {
            self.object = Some(object);
        }
    }

    fn ask(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let answer = |question: &str| object.call_method0(question);
        let bytes = |question: &str, at_least: u64, value: Bound<'_, PyAny>| {
            value
                .extract::<u64>()
                .map(|b| b.max(at_least))
                .map_err(|_| refused(question, &value, "a whole number of bytes, zero or more"))
        };
        self.cwnd = bytes("cwnd", self.mss, answer("cwnd")?)?;
        self.ssthresh = match answer("ssthresh")? {
            v if v.is_none() => u64::MAX,
            v => bytes("ssthresh", 0, v)?,
        };
        self.send_quantum = match answer("send_quantum")? {
            v if v.is_none() => None,
            v => Some(bytes("send_quantum", self.mss, v)?),
        };
        self.pacing_rate = match answer("pacing_rate")? {
            v if v.is_none() => None,
            v => match v.extract::<f64>() {
                Ok(bps) if bps.is_finite() && bps > 0.0 => Some(Rate::from_bps(bps.ceil() as u64)),
                _ => return Err(refused("pacing_rate", &v, "bit/s above zero, or None")),
            },
        };
        let state = answer("state")?;
        let state = state
            .extract::<&str>()
            .map_err(|_| refused("state", &state, "a word"))?;
        if state != self.state {
            self.state = word(state);
        }
        Ok(())
    }

    /// Whether it went well; otherwise the run is stopped.
    fn note(&mut self, outcome: PyResult<()>) -> bool {
        let Err(e) = outcome else { return true };
        CONTEXT.with_borrow_mut(|context| {
            if let Some(context) = context {
                context.stop.store(true, Ordering::Relaxed);
                context.raised.get_or_insert(e);
            }
        });
        false
    }
}

fn refused(question: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    let shown = value
        .repr()
        .map_or_else(|_| "something".to_owned(), |r| r.to_string());
    PyValueError::new_err(format!(
        "{question}() returned {shown}; it must be {wanted}"
    ))
}

/// `text` for the rest of the process; the same text is kept once.
fn word(text: &str) -> &'static str {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    words.insert(kept);
    kept
}

impl CongestionControl for Controller {
    fn on_sent(&mut self, sent: &cc::Sent) {
        self.tell("on_sent", || facts::Sent::from(sent));
    }

    fn on_ack(&mut self, ack: &cc::Ack) {
        self.tell("on_ack", || facts::Ack::from(ack));
    }

    fn on_loss(&mut self, loss: &cc::Loss) {
        self.tell("on_loss", || facts::Loss::from(loss));
    }

    fn on_segment_lost(&mut self, lost: &cc::SegmentLost) {
        self.tell("on_segment_lost", || facts::SegmentLost::from(lost));
    }

    fn on_rto(&mut self, rto: &cc::Rto) {
        self.tell("on_rto", || facts::Rto::from(rto));
    }

    fn on_ecn(&mut self, ecn: &cc::EcnEcho) {
        self.tell("on_ecn", || facts::EcnEcho::from(ecn));
    }

    fn on_spurious(&mut self, spurious: &cc::Spurious) {
        self.tell("on_spurious", || facts::Spurious::from(spurious));
    }

    fn on_recovery_exit(&mut self, exit: &cc::RecoveryExit) {
        self.tell("on_recovery_exit", || facts::RecoveryExit::from(exit));
    }

    fn on_idle_restart(&mut self, restart: &cc::IdleRestart) {
        self.tell("on_idle_restart", || facts::IdleRestart::from(restart));
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }

    fn needs_pacing(&self) -> bool {
        self.needs_pacing
    }

    fn send_quantum(&self) -> Option<u64> {
        self.send_quantum
    }

    fn owns_recovery(&self) -> bool {
        self.owns_recovery
    }

    fn state(&self) -> &'static str {
        self.state
    }
}
