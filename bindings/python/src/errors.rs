// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The exceptions of `hornet_poly1305/_exceptions.py`: those of cryptography, where it is installed.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

fn exception(py: Python<'_>, of: &PyOnceLock<Py<PyType>>, name: &str, text: Option<&str>) -> PyErr {
    match of.import(py, "hornet_poly1305._exceptions", name) {
        Ok(class) => PyErr::from_type(
            class.clone(),
            text.map(str::to_owned).map_or_else(
                || py.None(),
                |text| pyo3::types::PyString::new(py, &text).into_any().unbind(),
            ),
        ),
        Err(error) => error,
    }
}

/// What is raised if a ciphertext is not authentic.
#[cold]
pub(crate) fn invalid_tag(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "InvalidTag", None)
}

/// What is raised if a message does not have the tag.
#[cold]
pub(crate) fn invalid_signature(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(
        py,
        &CLASS,
        "InvalidSignature",
        Some("Value did not match computed tag."),
    )
}

/// What is raised after the end of a message in pieces.
#[cold]
pub(crate) fn already_finalized(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(
        py,
        &CLASS,
        "AlreadyFinalized",
        Some("Context was already finalized."),
    )
}
