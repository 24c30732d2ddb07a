//! Columns for Python: numpy arrays of numbers, lists of words.

use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A table under construction.
pub(crate) struct Table<'py>(Bound<'py, PyDict>);

/// Makes an array, so that numpy's C interface is known from then on. It is found by running Python,
/// in which a signal may be heard; the numpy crate panics then.
#[pyfunction]
pub(crate) fn meet_numpy(py: Python<'_>) {
    drop(PyArray1::<f64>::zeros(py, 0, false));
}

impl<'py> Table<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    pub(crate) fn numbers<T: Element>(
        &self,
        name: &str,
        values: impl Iterator<Item = T>,
    ) -> PyResult<&Self> {
        let column = PyArray1::from_vec(self.0.py(), values.collect());
        self.0.set_item(name, column)?;
        Ok(self)
    }

    pub(crate) fn words<'a>(
        &self,
        name: &str,
        values: impl Iterator<Item = &'a str>,
    ) -> PyResult<&Self> {
        let column = PyList::new(self.0.py(), values.collect::<Vec<_>>())?;
        self.0.set_item(name, column)?;
        Ok(self)
    }

    /// Words from a small vocabulary, of which some may be missing: the words once, and a column
    /// of indices into them. In Python it becomes a column of strings.
    pub(crate) fn coded<'a>(
        &self,
        name: &str,
        values: impl Iterator<Item = Option<&'a str>>,
    ) -> PyResult<&Self> {
        let mut vocabulary: Vec<&str> = Vec::new();
        let codes = values.map(|word| {
            let Some(word) = word else { return -1 };
            let known = vocabulary.iter().position(|w| *w == word);
            known.unwrap_or_else(|| {
                vocabulary.push(word);
                vocabulary.len() - 1
            }) as i32
        });
        let codes = PyArray1::from_vec(self.0.py(), codes.collect());
        let words = PyList::new(self.0.py(), vocabulary)?;
        self.0.set_item(name, (words, codes))?;
        Ok(self)
    }

    /// Lists of numbers, one behind the other, and where each ends.
    pub(crate) fn lists<T: Element>(
        &self,
        name: &str,
        flat: Vec<T>,
        ends: Vec<i64>,
    ) -> PyResult<&Self> {
        let py = self.0.py();
        let column = (PyArray1::from_vec(py, ends), PyArray1::from_vec(py, flat));
        self.0.set_item(name, column)?;
        Ok(self)
    }

    pub(crate) fn finish(self) -> Bound<'py, PyDict> {
        self.0
    }
}
