// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Exceptions: those of `hornet_poly1305/_exceptions.py`, which are those of cryptography where it is installed, and those
//! of the operating system and of key files.

use hornet_key_file::Problem;
use hornet_manifest::parts;
use pyo3::PyErrArguments;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::io;

/// Returns an exception of the module as it is now: one that was imported anew may have other classes.
fn exception(
    py: Python<'_>,
    class: &Bound<'_, PyString>,
    arguments: impl PyErrArguments + 'static,
) -> PyErr {
    let name = intern!(py, "hornet_poly1305._exceptions");
    // SAFETY: the name is a string. An import would take a microsecond.
    let module =
        unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyImport_GetModule(name.as_ptr())) };
    let module = if let Some(module) = module {
        Ok(module)
    } else {
        drop(PyErr::take(py));
        py.import(name).map(Bound::into_any)
    };
    let class = module.and_then(|module| module.getattr(class)?.cast_into().map_err(PyErr::from));
    match class {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(error) => error,
    }
}

/// What is raised if a ciphertext is not authentic.
#[cold]
pub(crate) fn invalid_tag(py: Python<'_>) -> PyErr {
    exception(py, intern!(py, "InvalidTag"), ())
}

/// What is raised if the header of an age file was changed.
#[cold]
pub(crate) fn header_error(py: Python<'_>, text: String) -> PyErr {
    exception(py, intern!(py, "InvalidTag"), text)
}

/// What is raised if a chunk does not open: `ChunkError` or a subclass.
#[cold]
pub(crate) fn chunk_error(py: Python<'_>, class: &str, text: String, chunk: u64) -> PyErr {
    exception(py, &PyString::new(py, class), (text, chunk))
}

/// What is raised if a message does not have the tag.
#[cold]
pub(crate) fn invalid_signature(py: Python<'_>) -> PyErr {
    let text = "Value did not match computed tag.";
    exception(py, intern!(py, "InvalidSignature"), text)
}

/// What is raised after the end of a message in pieces.
#[cold]
pub(crate) fn already_finalized(py: Python<'_>) -> PyErr {
    let text = "Context was already finalized.";
    exception(py, intern!(py, "AlreadyFinalized"), text)
}

/// `OSError`, or what Python makes of it by its number, such as `FileNotFoundError`.
#[cold]
pub(crate) fn os_error(error: &io::Error) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let suffix = format!(" (os error {number})");
            let text = text.strip_suffix(&suffix).unwrap_or(&text).to_owned();
            PyOSError::new_err((number, text))
        }
        None => PyOSError::new_err(text),
    }
}

/// `RuntimeError` after `fork`, and `OSError` for what else is wrong with a key file.
#[cold]
pub(crate) fn key_file_error(error: &hornet_key_file::Error) -> PyErr {
    match error.problem() {
        Problem::OtherProcess => PyRuntimeError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// `ValueError` if a manifest or its parts are refused, and `OSError` if they cannot be read or written.
#[cold]
pub(crate) fn parts_error(error: &parts::Error) -> PyErr {
    let text = error.to_string();
    match error.problem() {
        _ if error.is_refusal() => PyValueError::new_err(text),
        parts::Problem::File(Problem::Io(_, cause)) if cause.kind() == io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(text)
        }
        _ => PyOSError::new_err(text),
    }
}

/// What `__reduce__` raises, which `copy` and `pickle` call, whatever the protocol. Without one, protocols 0 and 1 make a
/// pickle of any object.
#[cold]
pub(crate) fn not_copied<T>(object: &Bound<'_, T>) -> PyResult<()> {
    let name = object.as_any().get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{name} cannot be copied or pickled: it has a key or nonces, which a copy would use a second time"
    )))
}
