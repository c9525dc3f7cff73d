// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Manifests, as `hornet tag` writes them, and paths as they are written there.

use crate::aes::KeyFile;
use crate::buffers::Buffer;
use crate::errors::not_copied;
use hornet::aes::Nonce;
use hornet_key_file::Nonces;
use hornet_manifest::escape::Escaped;
use hornet_manifest::{Manifest, OpenError, read_text};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Return a path, in bytes, as manifests and messages show it: on one line, without control characters.
#[pyfunction]
pub(crate) fn escaped(path: &[u8]) -> String {
    Escaped::new(Path::new(OsStr::from_bytes(path))).to_string()
}

fn bytes_of<'py>(py: Python<'py>, path: &Path) -> Bound<'py, PyBytes> {
    PyBytes::new(py, path.as_os_str().as_bytes())
}

/// What is no regular file is read into memory, if it is not longer.
const MOST_IN_MEMORY: u64 = 1 << 30;

/// Reads the text of what is no regular file.
fn read_stream(file: &File) -> io::Result<Vec<u8>> {
    let text = read_text(file.take(MOST_IN_MEMORY + 1))?;
    if text.len() as u64 > MOST_IN_MEMORY {
        return Err(io::Error::other("longer than 1 GiB, and no regular file"));
    }
    Ok(text)
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

impl From<(Manifest, Nonce)> for SealedManifest {
    fn from((manifest, nonce): (Manifest, Nonce)) -> Self {
        Self {
            manifest,
            counter: Nonces::counter_of(&nonce),
        }
    }
}

#[pymethods]
impl SealedManifest {
    /// Verify and read a manifest. Raises ValueError, with the reason, if it is malformed or not sealed under the key.
    #[new]
    fn new(text: &Bound<'_, PyAny>, key_file: &KeyFile) -> PyResult<Self> {
        let mut of_text = Buffer::new();
        let text = of_text.read(text)?.to_vec()?; // copied, because others may write to it meanwhile
        Manifest::open_sealed(&text, key_file.file().key())
            .map(Self::from)
            .map_err(|problem| PyValueError::new_err(problem.to_string()))
    }

    /// Verify and read a manifest in a file, whose text is not held in memory. Raises OSError if it cannot be read, and
    /// ValueError as above.
    #[staticmethod]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn open(py: Python<'_>, path: PathBuf, key_file: &KeyFile) -> PyResult<Self> {
        let key = key_file.file().key();
        let opened = py.detach(|| {
            let file = File::open(&path)?;
            if file.metadata()?.is_file() {
                Manifest::open_file(&file, key)
            } else {
                Ok(Manifest::open_sealed(&read_stream(&file)?, key)?)
            }
        });
        opened.map(Self::from).map_err(|error| match error {
            OpenError::Io(error) => PyOSError::new_err(format!("{}: {error}", Escaped::new(&path))),
            OpenError::Refused(problem) => PyValueError::new_err(problem.to_string()),
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

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}
