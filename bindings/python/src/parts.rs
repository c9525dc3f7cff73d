// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A manifest and its parts: the values of the segments of its files, which their owner kept sealed.

use crate::aes::KeyFile;
use crate::errors::{invalid_signature, not_copied, parts_error};
use hornet::aes::{Key, Partial, SealedParts};
use hornet_manifest::parts::{Entry, Lock, Opened, Place, SegmentBytes};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// How long a lock that another process has is not tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// Returns the length of segments, or `ValueError` if it is not allowed.
pub(crate) fn segment_length(segment_bytes: u64) -> PyResult<SegmentBytes> {
    SegmentBytes::new(segment_bytes).ok_or_else(|| {
        let (min, max) = (SegmentBytes::MIN, SegmentBytes::MAX);
        PyValueError::new_err(format!(
            "a segment must be a power of two from {min} to {max} bytes, not {segment_bytes}"
        ))
    })
}

/// A manifest and its parts file, opened together: both were verified, and belong together.
///
/// The values of segments stay in it. Files are numbered from 0 in the order of the manifest's lines.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct OpenedParts {
    key_file: Py<KeyFile>,
    opened: Opened,
}

impl OpenedParts {
    pub(crate) fn opened(&self) -> &Opened {
        &self.opened
    }

    pub(crate) fn key(&self) -> &Key {
        self.key_file.get().file().key()
    }

    /// Returns what is kept of a file, which one page of the index has.
    pub(crate) fn entry(&self, index: usize) -> PyResult<Entry> {
        let Opened {
            manifest, parts, ..
        } = &self.opened;
        if index >= manifest.files.len() {
            return Err(PyIndexError::new_err(format!("no file {index}")));
        }
        let entry = parts.entry(&manifest.files, index);
        entry.map_err(|error| parts_error(&error))
    }

    /// Returns the values of `count` segments of a file, from `first` on.
    pub(crate) fn values(&self, index: usize, first: u64, count: u64) -> PyResult<SealedParts> {
        let entry = self.entry(index)?;
        let segments = entry.segments();
        let end = first.checked_add(count).filter(|end| *end <= segments);
        let end = end.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "the file has {segments} segments, and not {count} from {first} on"
            ))
        })?;
        let values = self.opened.parts.values(&entry, first..end);
        values.map_err(|error| parts_error(&error))
    }
}

/// What is kept of a file: its length, the pin of its version, if there is one, and, if it was tagged as a file, its number
/// and the nanoseconds of its modification and change times.
type Kept<'py> = (u64, Option<Bound<'py, PyBytes>>, Option<(u64, i128, i128)>);

#[pymethods]
impl OpenedParts {
    /// Open both files. Raises OSError if one cannot be read, and ValueError, with the file and the place, if one was
    /// changed or made with another key, or if they do not belong together.
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn new(
        py: Python<'_>,
        key_file: Py<KeyFile>,
        manifest: PathBuf,
        parts: PathBuf,
    ) -> PyResult<Self> {
        let key = key_file.get().file().key();
        let opened = py.detach(|| Place::new(&manifest, &parts)?.open(key));
        let opened = opened.map_err(|error| parts_error(&error))?;
        Ok(Self { key_file, opened })
    }

    /// Return the number of files.
    fn __len__(&self) -> usize {
        self.opened.manifest.files.len()
    }

    /// The text of the manifest.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.opened.text)
    }

    /// The length of every segment but the last of a file.
    #[getter]
    fn segment_bytes(&self) -> u64 {
        self.opened.parts.segment_bytes().get()
    }

    /// Return the number of the file with this path. Raises KeyError if the manifest has none.
    fn find(&self, path: &[u8]) -> PyResult<usize> {
        let found = self
            .opened
            .manifest
            .find(Path::new(OsStr::from_bytes(path)));
        found.ok_or_else(|| PyKeyError::new_err(crate::manifest::escaped(path)))
    }

    /// Return the path of a file.
    fn path<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let line = self.opened.manifest.files.get(index);
        let line = line.ok_or_else(|| PyIndexError::new_err(format!("no file {index}")))?;
        Ok(PyBytes::new(py, line.path.as_os_str().as_bytes()))
    }

    /// Return what is kept of a file besides values: its length, the pin of its version or None, and None or the number of
    /// the file, and its modification and change times in nanoseconds.
    fn kept<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Kept<'py>> {
        let entry = self.entry(index)?;
        let pin = entry.pin.map(|pin| PyBytes::new(py, &pin));
        Ok((entry.len_bytes, pin, entry.stamp.map(numbers)))
    }

    /// Raise InvalidSignature unless this is the content of a segment of a file, whole.
    fn verify_segment(
        &self,
        py: Python<'_>,
        index: usize,
        segment: u64,
        content: &Bound<'_, PyBytes>,
    ) -> PyResult<()> {
        let old = self.values(index, segment, 1)?;
        let content = content.as_bytes();
        let key = self.key();
        py.detach(|| key.verify_segment(&old[0], content))
            .map_err(|_| invalid_signature(py))
    }

    /// Return the numbers of the segments, from first on, whose values, 32 bytes each, are not those that were kept.
    fn differing(&self, index: usize, first: u64, values: &[u8]) -> PyResult<Vec<u64>> {
        let new = partials(values)?;
        let old = self.values(index, first, new.len() as u64)?;
        let key = self.key();
        let pairs = (first..).zip(old.iter().zip(&new));
        let differing = pairs.filter(|(_, (old, new))| key.verify_evaluated(old, new).is_err());
        Ok(differing.map(|(segment, _)| segment).collect())
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

pub(crate) fn numbers(stamp: hornet_manifest::parts::Stamp) -> (u64, i128, i128) {
    let nanoseconds =
        |(seconds, more): (i64, u32)| i128::from(seconds) * 1_000_000_000 + i128::from(more);
    (
        stamp.inode,
        nanoseconds(stamp.modified),
        nanoseconds(stamp.changed),
    )
}

/// Returns partial evaluations from their bytes, 32 each.
pub(crate) fn partials(bytes: &[u8]) -> PyResult<Vec<Partial>> {
    let wrong = || PyValueError::new_err("partial evaluations have 32 bytes each");
    if bytes.len() % Partial::SEALED_BYTES != 0 {
        return Err(wrong());
    }
    let each = bytes.chunks_exact(Partial::SEALED_BYTES);
    each.map(|bytes| {
        let partial = bytes.first_chunk().and_then(Partial::from_bytes);
        partial.ok_or_else(|| PyValueError::new_err("these 32 bytes are not a partial evaluation"))
    })
    .collect()
}

/// The sole right to replace a manifest and its parts, until it is released. Waits until no other process has it. What a
/// replacement that was cut short has left is completed or removed.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct PartsLock(Mutex<Option<Lock<'static>>>);

impl PartsLock {
    /// Calls a function with the lock, without the GIL.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&Lock<'static>) -> Result<T, hornet_manifest::parts::Error> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.as_ref().map(call)
        })
        .ok_or_else(|| PyRuntimeError::new_err("the lock was released"))?
        .map_err(|error| parts_error(&error))
    }
}

#[pymethods]
impl PartsLock {
    /// Lock them. Raises OSError if that is not possible.
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn new(py: Python<'_>, manifest: PathBuf, parts: PathBuf) -> PyResult<Self> {
        loop {
            match py.detach(|| Place::new(&manifest, &parts)?.try_into_lock()) {
                Ok(lock) => return Ok(Self(Mutex::new(Some(lock)))),
                // Python's signals, such as Ctrl-C, end the waiting.
                Err(error) if error.is_locked() => {
                    py.check_signals()?;
                    py.detach(|| sleep(PAUSE));
                }
                Err(error) => return Err(parts_error(&error)),
            }
        }
    }

    /// Raise OSError if they could not be written.
    fn attempt(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Lock::attempt)
    }

    /// Open both, as OpenedParts does.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn open(&self, py: Python<'_>, key_file: Py<KeyFile>) -> PyResult<OpenedParts> {
        let key = key_file.get().file().key();
        let opened = self.with(py, |lock| lock.open(key))?;
        Ok(OpenedParts {
            key_file: key_file.clone_ref(py),
            opened,
        })
    }

    /// Let others have the lock. It may be released twice.
    fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}
