//! The building blocks that a scenario can name: controllers, ACK policies, filters, queues, parts of radio channels.

use acklab_sim::catalogue::{Block, Parameter, catalogue as blocks_of};
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
    let blocks = blocks_of(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))?;
    let list = PyList::empty(py);
    for b in &blocks {
        list.append(block(py, b)?)?;
    }
    Ok(list)
}

fn block<'py>(py: Python<'py>, b: &Block) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", b.name)?;
    d.set_item("aliases", b.aliases.to_vec())?;
    d.set_item("summary", b.summary)?;
    d.set_item("source", b.source)?;
    if let Some(queue) = &b.queue {
        d.set_item("queue", param(py, queue)?)?;
    }
    let params = PyList::empty(py);
    for p in &b.params {
        params.append(param(py, p)?)?;
    }
    d.set_item("params", params)?;
    if !b.elsewhere.is_empty() {
        d.set_item("elsewhere", elsewhere(py, b)?)?;
    }
    Ok(d)
}

fn elsewhere<'py>(py: Python<'py>, b: &Block) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for e in &b.elsewhere {
        let params = PyList::empty(py);
        for p in &e.params {
            params.append(param(py, p)?)?;
        }
        let d = PyDict::new(py);
        d.set_item("name", &e.name)?;
        d.set_item("hint", e.hint)?;
        d.set_item("params", params)?;
        list.append(d)?;
    }
    Ok(list)
}

fn param<'py>(py: Python<'py>, p: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &p.name)?;
    d.set_item("doc", p.doc)?;
    d.set_item("accepts", &p.accepts)?;
    d.set_item("default", &p.default)?;
    Ok(d)
}
