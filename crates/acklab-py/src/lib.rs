//! The one doorway between Python and the core: `acklab._core`.
//!
//! Thin on purpose. Scenarios go in as text, results come out as numpy columns; everything else
//! is Python's. Runs happen on threads of their own with the interpreter released.

mod away;
mod captures;
mod catalogue;
mod controller;
mod ending;
mod facts;
mod loading;
mod mistakes;
mod pool;
mod run;
mod saturation;
mod scenario;
mod table;
mod tack;

use pyo3::prelude::*;

/// Packs what a run allocates closely: with 10,000 flows a packet costs a quarter less than with
/// glibc's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled core of acklab.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::catalogue::{catalogue, schema};
    #[pymodule_export]
    use crate::ending::{finished, last_words, listen, swapping, unfinished};
    #[pymodule_export]
    use crate::facts::{
        Ack, CcInit, EcnEcho, IdleRestart, Loss, RecoveryExit, Rto, SegmentLost, Sent, Spurious,
    };
    #[pymodule_export]
    use crate::mistakes::{ControllerRaised, InternalError, InvalidScenario};
    #[pymodule_export]
    use crate::run::{Run, run_many, run_stream};
    #[pymodule_export]
    use crate::saturation::saturate;
    #[pymodule_export]
    use crate::scenario::{Scenario, load};
    #[pymodule_export]
    use crate::table::meet_numpy;
    #[pymodule_export]
    use crate::tack::{TackConnection, TackEndpoint, TackRecord, TackRelay, tack_keypair};

    /// Version of the core.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The commit that was compiled, with `+modified` if the code was not quite that; "" if unknown.
    #[pyfunction]
    fn commit() -> &'static str {
        env!("ACKLAB_COMMIT")
    }

    /// Wireshark's dissector for TACK, in Lua.
    #[pyfunction]
    fn dissector() -> String {
        acklab_sim::export::dissector::tack_lua()
    }
}
