//! Columns for Python: numpy arrays of numbers, lists of words.

use acklab_sim::columns::{Column, Numbers, Table};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Makes an array, so that numpy's C interface is known from then on. It is found by running Python,
/// in which a signal may be heard; the numpy crate panics then.
#[pyfunction]
pub(crate) fn meet_numpy(py: Python<'_>) {
    drop(PyArray1::<f64>::zeros(py, 0, false));
}

/// A dictionary of the columns: numbers as an array, words as a list, words of a vocabulary as the
/// words and an array of indices (-1 = none), lists as an array of their ends and one of all numbers.
pub(crate) fn table<'py>(py: Python<'py>, table: Table<'_>) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.into_columns() {
        match column {
            Column::Numbers(n) => columns.set_item(name, numbers(py, n))?,
            Column::Words(words) => columns.set_item(name, PyList::new(py, words)?)?,
            Column::Texts(texts) => columns.set_item(name, PyList::new(py, texts)?)?,
            Column::Coded { words, codes } => {
                let codes = PyArray1::from_vec(py, codes);
                columns.set_item(name, (PyList::new(py, words)?, codes))?;
            }
            Column::Lists { flat, ends } => {
                columns.set_item(name, (PyArray1::from_vec(py, ends), numbers(py, flat)))?;
            }
        }
    }
    Ok(columns)
}

fn numbers(py: Python<'_>, numbers: Numbers) -> Bound<'_, PyAny> {
    match numbers {
        Numbers::Bool(v) => PyArray1::from_vec(py, v).into_any(),
        Numbers::U8(v) => PyArray1::from_vec(py, v).into_any(),
        Numbers::U16(v) => PyArray1::from_vec(py, v).into_any(),
        Numbers::U32(v) => PyArray1::from_vec(py, v).into_any(),
        Numbers::U64(v) => PyArray1::from_vec(py, v).into_any(),
        Numbers::F64(v) => PyArray1::from_vec(py, v).into_any(),
    }
}
