//! Mistakes, as exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

create_exception!(
    acklab._core,
    InvalidScenario,
    PyValueError,
    "The scenario has mistakes; the text lists them with hints."
);
create_exception!(
    acklab._core,
    ControllerRaised,
    PyRuntimeError,
    "A controller written in Python raised; its exception is the cause."
);
create_exception!(
    acklab._core,
    InternalError,
    PyRuntimeError,
    "The core panicked: a bug."
);
