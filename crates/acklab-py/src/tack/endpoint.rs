//! Sockets that speak TACK.

use super::connection::TackConnection;
use super::{Address, Key, TackRecord};
use crate::away::{LOOK_EVERY, away};
use crate::scenario::Scenario;
use acklab_live::{Config, Endpoint};
use acklab_proto::tack::TackConfig;
use acklab_sim::plan::TransportPlan;
use acklab_units::Span;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A UDP socket with a thread that drives the connections of TACK on it.
#[pyclass(frozen, module = "acklab._core")]
#[derive(Debug)]
pub(crate) struct TackEndpoint {
    inner: Arc<Endpoint>,
}

#[pymethods]
impl TackEndpoint {
    /// An endpoint at `address`. With a key it lets connections in. `mtu` is the length of IP packets, which
    /// is searched for without it; with a scenario, its flow of that number says how TACK works. With a record, each connection is
    /// recorded.
    #[new]
    #[pyo3(signature = (address, key=None, *, mtu=None, idle=None, patience=None, like=None, record=None))]
    fn new(
        address: Address,
        key: Option<Key>,
        mtu: Option<u32>,
        idle: Option<f64>,
        patience: Option<f64>,
        like: Option<(PyRef<'_, Scenario>, usize)>,
        record: Option<PyRef<'_, TackRecord>>,
    ) -> PyResult<Self> {
        let address = SocketAddr::from(address);
        let mut config = Config::default();
        if let Some(mtu) = mtu {
            config = config.with_mtu(mtu);
        }
        if let Some(seconds) = idle {
            config.idle_timeout = Span::from_secs_f64(seconds);
        }
        if let Some(seconds) = patience {
            config.handshake_timeout = Span::from_secs_f64(seconds);
        }
        if let Some((scenario, flow)) = like {
            config = like_flow(config, &scenario, flow)?;
        }
        config.watch = record.map(|r| r.watch());
        let inner = match key {
            Some(key) => Endpoint::server(address, key.identity()?, config),
            None => Endpoint::client(address, config),
        };
        let inner = inner.map_err(numbered)?;
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Where it is bound: host and port.
    #[getter]
    fn address(&self) -> (String, u16) {
        let at = self.inner.local_addr();
        (at.ip().to_string(), at.port())
    }

    /// Opens a connection to the server at `address`, which must have that key.
    fn connect(&self, py: Python<'_>, address: Address, key: Key) -> PyResult<TackConnection> {
        let (endpoint, peer) = (Arc::clone(&self.inner), key.peer());
        let opened = away(py, move |_| endpoint.connect(address.into(), peer))?;
        Ok(TackConnection::new(opened?))
    }

    /// The next connection that somebody opens; `None` if none comes for `seconds`.
    #[pyo3(signature = (seconds=None))]
    fn accept(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<TackConnection>> {
        let end = seconds.map(|s| now() + Duration::from_secs_f64(s));
        loop {
            let left = end.map_or(LOOK_EVERY, |e| e.saturating_duration_since(now()));
            let patience = left.min(LOOK_EVERY);
            let came = py.detach(|| self.inner.accept_within(patience))?;
            py.check_signals()?;
            match came {
                Some(connection) => return Ok(Some(TackConnection::new(connection))),
                None if left <= LOOK_EVERY && end.is_some() => return Ok(None),
                None => {}
            }
        }
    }

    /// Breaks every connection off.
    fn close(&self) {
        self.inner.close();
    }
}

/// The error with the system's number for it, by which Python chooses its class.
fn numbered(e: io::Error) -> PyErr {
    match e.raw_os_error() {
        Some(number) => PyOSError::new_err((number, e.to_string())),
        None => e.into(),
    }
}

/// `config` with the settings of a flow of a scenario.
fn like_flow(mut config: Config, scenario: &Scenario, flow: usize) -> PyResult<Config> {
    let flows = &scenario.loaded.plan.flows;
    let tack = match flows.get(flow).map(|f| &f.transport) {
        Some(TransportPlan::Tack(tack)) => tack,
        _ => return Err(PyValueError::new_err("the flow does not speak TACK")),
    };
    config.tack = Arc::new(live_settings(&tack.config));
    // Packets have the sizes of those simulated.
    config.search_mtu = None;
    config.controller = tack.cc.clone();
    Ok(config)
}

/// The settings of a flow of a scenario on a real path: ids, tags, bursts, room for lateness, a closer look
/// at the least round trip and questions to a silent peer are those that a driver needs.
pub(crate) fn live_settings(of: &TackConfig) -> TackConfig {
    let own = Config::tack_defaults();
    TackConfig {
        id_len: own.id_len,
        tag_len: own.tag_len,
        keep_alive: own.keep_alive,
        // A driver that wakes late sends what was due meanwhile; one packet at a time it would lose
        // that time.
        pacing_horizon: own.pacing_horizon,
        pacing_burst: own.pacing_burst,
        lateness: own.lateness,
        sync_percent: of.sync_percent.min(own.sync_percent),
        ..of.clone()
    }
}

#[expect(clippy::disallowed_methods, reason = "what is waited for is outside")]
fn now() -> Instant {
    Instant::now()
}
