//! TACK on real networks: endpoints, connections, keys, and the relay for tests.
//!
//! Failures are Python's `OSError`s with the text of `acklab_live`.

mod connection;
mod endpoint;
mod record;
mod relay;
mod report;

pub(crate) use connection::TackConnection;
pub(crate) use endpoint::{TackEndpoint, live_settings};
pub(crate) use record::TackRecord;
pub(crate) use relay::TackRelay;

use acklab_live::{Identity, Keypair, Peer, PublicKey, SharedKey};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::net::IpAddr;

/// An address as Python has it: host and port.
type Address = (IpAddr, u16);

/// A new key pair: its private and its public half.
#[pyfunction]
pub(crate) fn tack_keypair() -> ([u8; 32], [u8; 32]) {
    let pair = Keypair::generate();
    (*pair.private(), pair.public().0)
}

/// A key as Python hands it over: private and public half, `("public", key)` or `("shared", key)`.
#[derive(FromPyObject)]
pub(crate) enum Key {
    Pair([u8; 32], [u8; 32]),
    One(String, [u8; 32]),
}

impl Key {
    /// By what a server proves who it is.
    fn identity(self) -> PyResult<Identity> {
        match self {
            Self::Pair(private, public) => {
                let pair = Keypair::from_parts(PublicKey(public), private);
                Ok(Identity::Keys(pair))
            }
            Self::One(kind, key) if kind == "shared" => Ok(Identity::Shared(SharedKey::new(key))),
            Self::One(..) => Err(PyValueError::new_err(
                "a server needs a key pair or a shared key",
            )),
        }
    }

    /// Proof that a client demands of the server.
    fn peer(self) -> Peer {
        match self {
            Self::Pair(_, public) => Peer::Pinned(PublicKey(public)),
            Self::One(kind, key) if kind == "shared" => Peer::Shared(SharedKey::new(key)),
            Self::One(_, key) => Peer::Pinned(PublicKey(key)),
        }
    }
}
