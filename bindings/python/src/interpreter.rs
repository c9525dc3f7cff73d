// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One interpreter for each process: PyO3 keeps classes in static variables, which belong to the interpreter that made
//! them, and dangle once it has ended.

use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};

const NAME: &str = "hornet_poly1305._native";

/// Binds the process to this interpreter, or fails if it is bound to another. The interpreter's own dictionary tells them
/// apart: ids begin anew after `Py_Finalize`.
///
/// # Errors
///
/// `ImportError`.
pub(crate) fn bind(py: Python<'_>) -> PyResult<()> {
    static BOUND: AtomicBool = AtomicBool::new(false);

    // SAFETY: this thread is attached to an interpreter, which has a dictionary or is about to end.
    let dict = unsafe {
        let dict = ffi::PyInterpreterState_GetDict(ffi::PyInterpreterState_Get());
        Bound::from_borrowed_ptr_or_opt(py, dict)
    };
    let dict = dict.ok_or_else(|| PyRuntimeError::new_err("the interpreter has no dictionary"))?;
    let dict = dict.cast_into::<PyDict>()?;
    if dict.contains(NAME)? {
        return Ok(());
    }
    if BOUND.swap(true, Ordering::Relaxed) {
        return Err(PyImportError::new_err(
            "hornet_poly1305 was imported by another interpreter of this process, and serves only that one: \
             use one process for each interpreter (in mod_wsgi, WSGIApplicationGroup %{GLOBAL} or a process group of its own)",
        ));
    }
    dict.set_item(NAME, true)
}
