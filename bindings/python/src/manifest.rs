// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Manifests, as `hornet tag` writes them, and paths as they are written there.

use crate::aes::KeyFile;
use crate::buffers::Buffer;
use hornet_key_file::Nonces;
use hornet_manifest::escape::Escaped;
use hornet_manifest::{Manifest, Problem};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Return a path, in bytes, as manifests and messages show it: on one line, without control characters.
#[pyfunction]
pub(crate) fn escaped(path: &[u8]) -> String {
    Escaped::new(Path::new(OsStr::from_bytes(path))).to_string()
}

fn bytes_of<'py>(py: Python<'py>, path: &Path) -> Bound<'py, PyBytes> {
    PyBytes::new(py, path.as_os_str().as_bytes())
}

/// A line of a file: nonce, tag and path.
type Line<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// A manifest whose seal matches, read from its text. Paths are bytes.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct SealedManifest {
    manifest: Manifest,
    counter: u64,
}

#[pymethods]
impl SealedManifest {
    /// Verify and read a manifest. Raises ValueError, with the reason, if it is malformed or not sealed under the key.
    #[new]
    fn new(text: &Bound<'_, PyAny>, key_file: &KeyFile) -> PyResult<Self> {
        let mut of_text = Buffer::new();
        let span = of_text.read(text)?;
        let mut text = vec![0; span.len()];
        // SAFETY: the span has these bytes, and is copied because others may write to it meanwhile.
        unsafe { std::ptr::copy_nonoverlapping(span.at(), text.as_mut_ptr(), span.len()) };
        let (manifest, nonce) = Manifest::open_sealed(&text, key_file.file().key())
            .map_err(|problem: Problem| PyValueError::new_err(problem.to_string()))?;
        Ok(Self {
            manifest,
            counter: Nonces::counter_of(&nonce),
        })
    }

    /// Return the number of files.
    fn __len__(&self) -> usize {
        self.manifest.files.len()
    }

    /// Return the nonce, the tag and the path of a file.
    fn line<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Line<'py>> {
        let line = self.manifest.files.get(index);
        let line = line.ok_or_else(|| PyIndexError::new_err("no file of this index"))?;
        Ok((
            PyBytes::new(py, &line.nonce),
            PyBytes::new(py, line.tag.as_bytes()),
            bytes_of(py, &line.path),
        ))
    }

    /// The paths that were given to be tagged.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let paths = self.manifest.arguments.iter();
        paths.map(|path| bytes_of(py, path)).collect()
    }

    /// The patterns of what was left out.
    #[getter]
    fn exclude(&self) -> &[String] {
        &self.manifest.exclude
    }

    /// The paths that could not be read.
    #[getter]
    fn unread<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let paths = self.manifest.unread.iter();
        paths.map(|path| bytes_of(py, path)).collect()
    }

    /// What has no tag: paths and kinds.
    #[getter]
    fn others<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, &'static str)> {
        let others = self.manifest.others.iter();
        others
            .map(|other| (bytes_of(py, &other.path), other.kind.word()))
            .collect()
    }

    /// Whether symbolic links were followed.
    #[getter]
    fn follow_symlinks(&self) -> bool {
        self.manifest.follow_symlinks
    }

    /// When it was sealed, in UTC.
    #[getter]
    fn sealed(&self) -> String {
        self.manifest.sealed.to_string()
    }

    /// The nonce counter of its seal.
    #[getter]
    fn counter(&self) -> u64 {
        self.counter
    }
}
