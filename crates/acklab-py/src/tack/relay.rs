//! The relay: the network of a scenario between UDP sockets, in real time.

use super::Address;
use crate::scenario::Scenario;
use acklab_live::relay::{DoorConfig, Lateness, Relay, RelayConfig, Report};
use acklab_units::Span;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// A relay that runs until it is stopped.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct TackRelay {
    relay: Mutex<Option<Relay>>,
    doors: Vec<SocketAddr>,
}

#[pymethods]
impl TackRelay {
    /// A relay over the network of a scenario. Each door has an address to listen at, the server behind
    /// it, and the number of the flow whose way it is. It stops sleeping `spin` seconds before
    /// anything is due.
    #[new]
    #[pyo3(signature = (scenario, doors, seed, spin=None))]
    fn new(
        scenario: PyRef<'_, Scenario>,
        doors: Vec<(Address, Address, usize)>,
        seed: u64,
        spin: Option<f64>,
    ) -> PyResult<Self> {
        let mut config = RelayConfig {
            seed,
            ..RelayConfig::default()
        };
        config.doors = doors
            .into_iter()
            .map(|(listen, server, flow)| DoorConfig {
                listen: listen.into(),
                server: server.into(),
                flow,
            })
            .collect();
        if let Some(seconds) = spin {
            config.spin = Span::from_secs_f64(seconds);
        }
        let relay = Relay::start(&scenario.loaded.plan, &config);
        let relay = relay.map_err(|e| PyOSError::new_err(e.to_string()))?;
        Ok(Self {
            doors: relay.doors().to_vec(),
            relay: Mutex::new(Some(relay)),
        })
    }

    /// Where each door listens: host and port.
    #[getter]
    fn doors(&self) -> Vec<(String, u16)> {
        let doors = self.doors.iter();
        doors.map(|d| (d.ip().to_string(), d.port())).collect()
    }

    /// Ends it; what it did.
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let relay = self
            .relay
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let relay = relay.ok_or_else(|| PyRuntimeError::new_err("the relay was stopped before"))?;
        let report = py.detach(|| relay.stop());
        dict(py, &report.map_err(|e| PyOSError::new_err(e.to_string()))?)
    }
}

fn dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    let b = &report.balance;
    let counts = [
        ("entered", b.entered),
        ("copied", b.copied),
        ("crossed", b.crossed),
        ("dropped", b.dropped),
        ("orphaned", b.orphaned),
        ("under_way", b.under_way),
        ("unsent", report.unsent),
        ("turned_away", report.turned_away),
        ("missed", report.missed),
        ("sessions", report.sessions),
    ];
    for (name, value) in counts {
        d.set_item(name, value)?;
    }
    let links = PyDict::new(py);
    for (name, stats) in &report.links {
        links.set_item(name, (stats.offered, stats.delivered, stats.dropped()))?;
    }
    d.set_item("links", links)?;
    d.set_item("entered_late_us", late(py, &report.entered_late)?)?;
    d.set_item("left_late_us", late(py, &report.left_late)?)?;
    Ok(d)
}

fn late<'py>(py: Python<'py>, lateness: &Lateness) -> PyResult<Bound<'py, PyDict>> {
    let us = |span: Span| span.as_nanos() as f64 / 1e3;
    let d = PyDict::new(py);
    d.set_item("count", lateness.count())?;
    d.set_item("mean", us(lateness.mean()))?;
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)] {
        d.set_item(name, us(lateness.quantile(share)))?;
    }
    d.set_item("max", us(lateness.max()))?;
    Ok(d)
}
