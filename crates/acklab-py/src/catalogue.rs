//! What a scenario can name: controllers, ACK policies, filters, queues, parts of radio channels.

use acklab_proto::registry::{Entry, Kind, Param, Value};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The JSON Schema of the scenario language.
#[pyfunction]
pub(crate) fn schema() -> String {
    acklab_sim::scenario::schema_text()
}

/// The building blocks of one kind (`transport`, `cc`, `ack`, `filter`, `qdisc`, `rate-control`, `station-queue`,
/// `path-loss`, `fading`), in the order of their registry.
#[pyfunction]
pub(crate) fn catalogue<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyList>> {
    match kind {
        "transport" => entries(py, acklab_proto::transport::registry::TRANSPORTS),
        "cc" => entries(py, acklab_proto::cc::registry::CONTROLLERS),
        "ack" => entries(py, acklab_proto::ack::registry::POLICIES),
        "filter" => entries(py, acklab_path::ack_filter::registry::FILTERS),
        "qdisc" => entries(py, acklab_path::qdisc::registry::DISCIPLINES),
        "rate-control" => entries(py, acklab_path::wifi::rate::registry::CONTROLS),
        "station-queue" => entries(py, acklab_path::wifi::mac::queue::registry::QUEUES),
        "path-loss" => entries(py, acklab_path::wifi::propagation::registry::PATH_LOSSES),
        "fading" => entries(py, acklab_path::wifi::propagation::registry::FADINGS),
        _ => Err(PyKeyError::new_err(kind.to_owned())),
    }
}

fn entries<'py, B>(py: Python<'py>, entries: &'static [Entry<B>]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for e in entries {
        let d = PyDict::new(py);
        d.set_item("name", e.name)?;
        d.set_item("aliases", e.aliases.to_vec())?;
        d.set_item("summary", e.summary)?;
        d.set_item("source", e.source)?;
        let params = PyList::empty(py);
        for p in e.params {
            params.append(param(py, p, "")?)?;
            if let Kind::Tables(inner) = p.kind {
                for key in inner {
                    params.append(param(py, key, &format!("{}.", p.name))?)?;
                }
            }
        }
        d.set_item("params", params)?;
        list.append(d)?;
    }
    Ok(list)
}

/// `outer` is in front of the name: keys of tables in a list stand behind the list's name.
fn param<'py>(py: Python<'py>, p: &Param, outer: &str) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", format!("{outer}{}", p.name))?;
    d.set_item("doc", p.doc)?;
    d.set_item("accepts", p.kind.describe())?;
    d.set_item("default", spell(p))?;
    Ok(d)
}

/// What stands for the default of what has to be written.
const NEEDED: &str = "(needed)";

fn spell(p: &Param) -> String {
    match p.default {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => x.to_string(),
        Value::Span(s) => s.to_string(),
        Value::Rate(r) if r.is_unlimited() => NEEDED.to_owned(),
        Value::Rate(r) => r.to_string(),
        Value::Size(s) => s.to_string(),
        Value::Choice(c) => c.to_owned(),
        Value::Auto if matches!(p.kind, Kind::Tables(_)) => NEEDED.to_owned(),
        Value::Auto if p.kind.is_nested() => "none".to_owned(),
        Value::Auto if matches!(p.kind, Kind::OptSpan(..) | Kind::OptRate) => "none".to_owned(),
        Value::Auto => "automatic".to_owned(),
    }
}
