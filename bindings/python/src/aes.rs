// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Poly1305-AES (Bernstein 2005): keys, key files, and partial evaluations.

use crate::aead::{TAG, random_key};
use crate::buffers::{Buffer, Span, elements, fixed, new_bytes, with_room_for};
use crate::errors::{invalid_signature, key_file_error, not_copied, os_error};
use crate::files::lent;
use crate::threads::{MAC_BYTES, detached};
use hornet::sys;
use hornet_key_file::KeyFile as File;
use hornet_key_file::Purpose;
use hornet_manifest::holes::Extents;
use pyo3::exceptions::{PyBufferError, PyEOFError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::cell::RefCell;
use std::io;
use std::mem;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// How much of a file is read at once, which fits in L2.
const FILE_CHUNK_BYTES: usize = 128 << 10;
const PAGE_BYTES: usize = 4 << 10;

thread_local! {
    /// Where files are read to.
    static SPACE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns a chunk that begins at a page, allocated at first use. To 16 bytes behind a page's start, where `malloc` may
/// put it, the kernel copies at a fifth of the speed on Zen 3.
fn aligned(space: &mut Vec<u8>) -> &mut [u8] {
    space.resize(FILE_CHUNK_BYTES + PAGE_BYTES, 0);
    let start = space.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
    &mut space[start..][..FILE_CHUNK_BYTES]
}

const NOT_CLAMPED: &str = "r, the second half of the key, is not clamped: are the halves swapped?";

fn nonce_of(nonce: Span) -> PyResult<[u8; 16]> {
    fixed(nonce, "Nonce must be 16 bytes")
}

/// Computes a tag under a key whose r is clamped.
fn tag_of<'py>(
    py: Python<'py>,
    key: &[u8; 32],
    nonce: &[u8; 16],
    data: Span,
) -> PyResult<Bound<'py, PyBytes>> {
    let (bytes, tag) = new_bytes(py, TAG)?;
    let clamped = detached(py, data.len() >= MAC_BYTES, || {
        // SAFETY: the caller holds the data, and the tag has 16 bytes.
        unsafe {
            sys::hornet_poly1305_aes(
                tag.at(),
                data.at().cast(),
                data.len(),
                nonce.as_ptr(),
                key.as_ptr(),
            )
        }
    });
    if clamped {
        Ok(bytes)
    } else {
        Err(PyValueError::new_err(NOT_CLAMPED))
    }
}

fn verify_tag(
    py: Python<'_>,
    key: &[u8; 32],
    nonce: &[u8; 16],
    data: Span,
    tag: Span,
) -> PyResult<()> {
    let valid = tag.len() == TAG
        && detached(py, data.len() >= MAC_BYTES, || {
            // SAFETY: data and tag are held by the caller.
            unsafe {
                sys::hornet_poly1305_aes_verify(
                    tag.at(),
                    data.at().cast(),
                    data.len(),
                    nonce.as_ptr(),
                    key.as_ptr(),
                )
            }
        });
    if valid {
        Ok(())
    } else {
        Err(invalid_signature(py))
    }
}

/// Poly1305-AES (Bernstein 2005) under a key of 32 bytes, k and then r: many messages, each with its own nonce.
///
/// Never use a nonce for two messages: that lets anyone forge others. KeyFile counts nonces. The key is copied, and the
/// copy is wiped when the object is deleted.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct Poly1305Aes(Zeroizing<[u8; 32]>);

#[pymethods]
impl Poly1305Aes {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut of_key = Buffer::new();
        let key = Zeroizing::new(fixed(
            of_key.read(key)?,
            "A Poly1305-AES key must be 32 bytes",
        )?);
        // SAFETY: r has 16 bytes.
        if unsafe { sys::hornet_poly1305_r_is_clamped(key[16..].as_ptr()) } {
            Ok(Self(key))
        } else {
            Err(PyValueError::new_err(NOT_CLAMPED))
        }
    }

    /// Return a new key of 32 bytes: random bytes of the operating system, with r clamped.
    #[staticmethod]
    fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        let bytes = random_key(py)?;
        let mut key = Zeroizing::new([0; 32]);
        key.copy_from_slice(bytes.as_bytes());
        // SAFETY: r has 16 bytes.
        unsafe { sys::hornet_poly1305_clamp(key[16..].as_mut_ptr()) };
        Ok(PyBytes::new(py, &*key))
    }

    /// Return the tag of data, 16 bytes, under the nonce, 16 bytes that no other message has.
    fn mac<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (mut of_nonce, mut of_data) = (Buffer::new(), Buffer::new());
        let nonce = nonce_of(of_nonce.read(nonce)?)?;
        tag_of(py, &self.0, &nonce, of_data.read(data)?)
    }

    /// Raise InvalidSignature unless tag is that of data under the nonce. Compares in constant time.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (mut of_nonce, mut of_data, mut of_tag) = (Buffer::new(), Buffer::new(), Buffer::new());
        let nonce = nonce_of(of_nonce.read(nonce)?)?;
        verify_tag(py, &self.0, &nonce, of_data.read(data)?, of_tag.read(tag)?)
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Returns the error with the name of the element of a list that it is about, unless it is one of the caller's own.
fn of_element(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let class = error.get_type(py);
    let known = [
        py.get_type::<PyTypeError>(),
        py.get_type::<PyValueError>(),
        py.get_type::<PyBufferError>(),
    ];
    if known.iter().any(|known| class.is(known)) {
        PyErr::from_type(class, format!("{name}: {}", error.value(py)))
    } else {
        error
    }
}

/// A Poly1305-AES key on disk, with the count of its nonces, which are reserved there before they are used.
///
/// It is the file of `hornet keygen`. Threads, processes and copies of the file may use it at the same time. After a fork,
/// only the process that opened it makes tags and reserves nonces: another gets RuntimeError, and opens the file itself.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct KeyFile(File);

impl KeyFile {
    pub(crate) fn file(&self) -> &File {
        &self.0
    }

    fn reserved(&self, py: Python<'_>, count: u64) -> PyResult<hornet_key_file::Nonces> {
        py.detach(|| self.0.reserve(count))
            .map_err(|error| key_file_error(&error))
    }

    /// Returns the next nonce, and the tag of the data under it.
    fn mac_with<'py>(
        &self,
        py: Python<'py>,
        nonces: &mut hornet_key_file::Nonces,
        data: Span,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let nonce = next_of(nonces)?;
        let tag = tag_of(py, self.0.key().as_bytes(), &nonce, data)?;
        Ok((PyBytes::new(py, &nonce), tag))
    }
}

/// Returns the next of some nonces, of which there are enough.
fn next_of(nonces: &mut hornet_key_file::Nonces) -> PyResult<[u8; 16]> {
    match nonces.next_for(Purpose::MESSAGE) {
        Some(Ok(unused)) => Ok(*unused.nonce().as_bytes()),
        Some(Err(error)) => Err(key_file_error(&error)),
        None => Err(PyValueError::new_err("fewer nonces than tags")),
    }
}

#[pymethods]
impl KeyFile {
    /// Open a key file. Raises OSError if it is not one, is damaged, or others may read it.
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self(
            File::open(&path).map_err(|error| key_file_error(&error))?,
        ))
    }

    /// Make a new key file. Raises OSError if there is a file of that name.
    #[staticmethod]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn create(path: PathBuf) -> PyResult<Self> {
        Ok(Self(
            File::create(&path).map_err(|error| key_file_error(&error))?,
        ))
    }

    /// Return whether the file at a path is the key file, as it was when it was opened or as it is now.
    fn is_at(&self, path: PathBuf) -> bool {
        std::fs::metadata(path).is_ok_and(|found| self.0.is(&found))
    }

    /// Return a nonce that nobody has used, and the tag of data under it: 16 bytes each.
    ///
    /// Each call writes the file and waits for the disk; mac_many does so once.
    fn mac<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let mut of_data = Buffer::new();
        let data = of_data.read(data)?;
        let mut nonces = self.reserved(py, 1)?;
        self.mac_with(py, &mut nonces, data)
    }

    /// Return a nonce and a tag for each of the messages.
    fn mac_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
        // What is no message is found before nonces are reserved.
        let messages = elements(messages)?;
        for (i, message) in messages.iter().enumerate() {
            Buffer::new()
                .read(message)
                .map_err(|error| of_element(py, &format!("message {i}"), error))?;
        }
        let mut nonces = self.reserved(py, messages.len() as u64)?;
        messages
            .iter()
            .map(|message| {
                let mut of_data = Buffer::new();
                let data = of_data.read(message)?;
                self.mac_with(py, &mut nonces, data)
            })
            .collect()
    }

    /// Raise InvalidSignature unless tag is that of data under the nonce. Uses no nonce.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (mut of_nonce, mut of_data, mut of_tag) = (Buffer::new(), Buffer::new(), Buffer::new());
        let nonce = nonce_of(of_nonce.read(nonce)?)?;
        let (data, tag) = (of_data.read(data)?, of_tag.read(tag)?);
        verify_tag(py, self.0.key().as_bytes(), &nonce, data, tag)
    }

    /// Reserve this number of nonces, durably, and return them. Raises OSError if that is not possible, and RuntimeError if
    /// another process opened the file, of which this one is a fork.
    fn reserve(&self, py: Python<'_>, count: u64) -> PyResult<Nonces> {
        Ok(Nonces(Mutex::new(Some(self.reserved(py, count)?))))
    }

    /// Return 32 bytes for another use than messages, such as the key of a cipher: the same each time for a number from 0
    /// to 255. They reveal nothing about the key or about what other numbers give.
    fn derive<'py>(&self, py: Python<'py>, number: u8) -> Bound<'py, PyByteArray> {
        PyByteArray::new(py, &*self.0.derive(number))
    }

    /// Return r, 16 bytes, for who evaluates messages elsewhere. SECRET: who has r and tags can forge.
    fn r<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        PyByteArray::new(py, &self.0.key().as_bytes()[16..])
    }

    /// Return the Evaluation under the key's r, which stays in it: with verify_partial and finish_many, messages are
    /// evaluated in parts, in any order.
    fn evaluation(&self) -> Evaluation {
        let mut r = Zeroizing::new([0; 16]);
        r.copy_from_slice(&self.0.key().as_bytes()[16..]);
        Evaluation(r)
    }

    /// Return a nonce that nobody has used and a tag for each of the messages, given by their partial evaluations.
    ///
    /// All nonces are reserved at once, with one wait for the disk.
    fn finish_many<'py>(
        &self,
        py: Python<'py>,
        partials: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
        // What is no partial evaluation is found before nonces are reserved.
        let values = elements(partials)?
            .iter()
            .enumerate()
            .map(|(i, partial)| {
                partial_of(partial).map_err(|error| of_element(py, &format!("partial {i}"), error))
            })
            .collect::<PyResult<Vec<_>>>()?;
        let mut nonces = self.reserved(py, values.len() as u64)?;
        values
            .iter()
            .map(|partial| {
                let nonce = next_of(&mut nonces)?;
                let tag = tag_of_partial(self.0.key().as_bytes(), &nonce, partial);
                Ok((PyBytes::new(py, &nonce), PyBytes::new(py, &tag)))
            })
            .collect()
    }

    /// Raise InvalidSignature unless tag is that of the message that partial is the value of, under the nonce.
    fn verify_partial(
        &self,
        py: Python<'_>,
        nonce: &Bound<'_, PyAny>,
        partial: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (mut of_nonce, mut of_tag) = (Buffer::new(), Buffer::new());
        let nonce = nonce_of(of_nonce.read(nonce)?)?;
        let (partial, tag) = (partial_of(partial)?, of_tag.read(tag)?);
        let pad = pad_of(self.0.key().as_bytes(), &nonce);
        let valid = tag.len() == TAG
            // SAFETY: the tag and the pad have 16 bytes.
            && unsafe {
                sys::hornet_poly1305_partial_verify(tag.at(), &raw const partial, pad.as_ptr())
            };
        if valid {
            Ok(())
        } else {
            Err(invalid_signature(py))
        }
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Nonces that a key file has reserved, for one manifest, which the process that reserved them writes.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct Nonces(Mutex<Option<hornet_key_file::Nonces>>);

impl Nonces {
    /// Returns the nonces, which can be had once.
    pub(crate) fn take(&self) -> PyResult<hornet_key_file::Nonces> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take()
            .ok_or_else(|| PyValueError::new_err("these nonces have been used"))
    }
}

#[pymethods]
impl Nonces {
    /// Return the number of nonces that are left.
    fn __len__(&self) -> usize {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map_or(0, ExactSizeIterator::len)
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Returns the tag of a message that is given by its partial evaluation.
pub(crate) fn tag_of_partial(
    key: &[u8; 32],
    nonce: &[u8; 16],
    partial: &sys::hornet_poly1305_partial,
) -> [u8; TAG] {
    let pad = pad_of(key, nonce);
    let mut tag = [0; TAG];
    // SAFETY: the tag and the pad have 16 bytes.
    unsafe { sys::hornet_poly1305_partial_tag(tag.as_mut_ptr(), partial, pad.as_ptr()) };
    tag
}

/// Returns what AES makes of a nonce: the tag of an empty message.
fn pad_of(key: &[u8; 32], nonce: &[u8; 16]) -> Zeroizing<[u8; 16]> {
    let mut pad = Zeroizing::new([0; 16]);
    // SAFETY: the pad has 16 bytes, and there is no message.
    let clamped = unsafe {
        sys::hornet_poly1305_aes(
            pad.as_mut_ptr(),
            std::ptr::null(),
            0,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    assert!(clamped);
    pad
}

type Words = [u64; 4];

fn partial_of(object: &Bound<'_, PyAny>) -> PyResult<sys::hornet_poly1305_partial> {
    let mut buffer = Buffer::new();
    let bytes = fixed(buffer.read(object)?, "a partial evaluation has 32 bytes")?;
    partial_from(&bytes)
}

/// Returns a partial evaluation from its bytes, or `ValueError` if no message has it.
pub(crate) fn partial_from(bytes: &[u8; 32]) -> PyResult<sys::hornet_poly1305_partial> {
    let mut opaque: Words = [0; 4];
    for (word, bytes) in opaque.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    // The library relies on the third word of a value being at most 4.
    if opaque[2] > 4 {
        return Err(PyValueError::new_err(
            "these 32 bytes are not a partial evaluation",
        ));
    }
    Ok(sys::hornet_poly1305_partial { opaque })
}

fn bytes_of<'py>(py: Python<'py>, partial: &sys::hornet_poly1305_partial) -> Bound<'py, PyBytes> {
    let mut bytes = Zeroizing::new([0; 32]);
    for (word, bytes) in partial.opaque.iter().zip(bytes.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    PyBytes::new(py, &*bytes)
}

/// Partial evaluations: the values of the polynomial over segments of a message, which combine into that of the whole
/// (Bernstein 2005, section 1).
///
/// Under r, 16 bytes, clamped. Each is a `bytes` of 32, the same on every machine, and SECRET: with its segment it
/// reveals r. Only the last segment of a message may end within a block of 16 bytes.
///
/// There is no method that replaces a segment: an old value that is computed from bytes where others may write gives them
/// the tag of a message that they choose. Parts replaces them, by values that were kept, sealed.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct Evaluation(Zeroizing<[u8; 16]>);

impl Evaluation {
    /// Returns the value over a segment of a file.
    fn of_file(
        &self,
        file: &std::fs::File,
        offset: u64,
        length: u64,
    ) -> io::Result<sys::hornet_poly1305_partial> {
        SPACE.with_borrow_mut(|space| self.of_file_through(aligned(space), file, offset, length))
    }

    fn of_file_through(
        &self,
        buffer: &mut [u8],
        file: &std::fs::File,
        offset: u64,
        length: u64,
    ) -> io::Result<sys::hornet_poly1305_partial> {
        let mut whole = sys::hornet_poly1305_partial { opaque: [0; 4] };
        let mut done = 0;
        while done < length {
            let left = usize::try_from(length - done).unwrap_or(usize::MAX);
            let chunk = &mut buffer[..left.min(FILE_CHUNK_BYTES)];
            file.read_exact_at(chunk, offset + done)?;
            let mut partial = sys::hornet_poly1305_partial { opaque: [0; 4] };
            // SAFETY: these are live objects, r is clamped, and all chunks but the last are of whole blocks.
            let joined = unsafe {
                sys::hornet_poly1305_partial_compute(
                    &raw mut partial,
                    chunk.as_ptr().cast(),
                    chunk.len(),
                    self.0.as_ptr(),
                ) && sys::hornet_poly1305_partial_append(
                    &raw mut whole,
                    &raw const partial,
                    self.0.as_ptr(),
                )
            };
            assert!(joined);
            done += chunk.len() as u64;
        }
        Ok(whole)
    }

    /// Returns the values over the segments of a part of a file, of which only the last may be shorter, and how many bytes
    /// of it were read: holes are not. Only the end of the file may be within a block.
    fn of_file_segments(
        &self,
        file: &std::fs::File,
        (offset, length): (u64, u64),
        segment_bytes: u64,
        room: PartialVec,
    ) -> io::Result<(PartialVec, u64)> {
        SPACE.with_borrow_mut(|space| {
            let buffer = aligned(space);
            let mut values = Values::new(self, segment_bytes, room);
            let mut read = 0;
            for extent in Extents::of_part(file, offset, offset + length)? {
                let extent = extent?;
                if extent.is_hole {
                    values.zeros(extent.len_bytes());
                    continue;
                }
                let mut at = extent.start;
                while at < extent.end {
                    let left = usize::try_from(extent.end - at).unwrap_or(usize::MAX);
                    let chunk = &mut buffer[..left.min(FILE_CHUNK_BYTES)];
                    file.read_exact_at(chunk, at)?;
                    values.push(chunk.as_ptr(), chunk.len());
                    at += chunk.len() as u64;
                }
                read += extent.len_bytes();
            }
            Ok((values.finish(), read))
        })
    }

    /// Returns the value over two segments, one after the other.
    fn joined(
        &self,
        mut left: sys::hornet_poly1305_partial,
        right: &sys::hornet_poly1305_partial,
    ) -> PyResult<sys::hornet_poly1305_partial> {
        // SAFETY: these are live objects.
        if unsafe { sys::hornet_poly1305_partial_append(&raw mut left, right, self.0.as_ptr()) } {
            return Ok(left);
        }
        let (left, right) = (len_of(&left), len_of(right));
        Err(if left.checked_add(right).is_none() {
            PyOverflowError::new_err("both segments together have more than 2**64 - 1 bytes")
        } else {
            PyValueError::new_err(format!(
                "the left segment has {left} bytes, and so ends within a block of 16"
            ))
        })
    }
}

#[pymethods]
impl Evaluation {
    #[new]
    fn new(r: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut of_r = Buffer::new();
        let r = Zeroizing::new(fixed(of_r.read(r)?, "r must be 16 bytes")?);
        // SAFETY: r has 16 bytes.
        if unsafe { sys::hornet_poly1305_r_is_clamped(r.as_ptr()) } {
            Ok(Self(r))
        } else {
            Err(PyValueError::new_err("r is not clamped"))
        }
    }

    /// Return the value over a segment.
    fn compute<'py>(
        &self,
        py: Python<'py>,
        segment: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_segment = Buffer::new();
        let segment = of_segment.read(segment)?;
        let mut partial = sys::hornet_poly1305_partial { opaque: [0; 4] };
        let clamped = detached(py, segment.len() >= MAC_BYTES, || {
            // SAFETY: the segment is held.
            unsafe {
                sys::hornet_poly1305_partial_compute(
                    &raw mut partial,
                    segment.at().cast(),
                    segment.len(),
                    self.0.as_ptr(),
                )
            }
        });
        assert!(clamped);
        Ok(bytes_of(py, &partial))
    }

    /// Return the value over a segment of this number of zeros, up to 2**64 - 1, such as a hole of a file. No bytes are
    /// read: the time grows with the logarithm of the length.
    fn zeros<'py>(&self, py: Python<'py>, length: u64) -> Bound<'py, PyBytes> {
        let mut partial = sys::hornet_poly1305_partial { opaque: [0; 4] };
        // SAFETY: the value is a live object, and r has 16 bytes.
        let clamped = unsafe {
            sys::hornet_poly1305_partial_zeros(&raw mut partial, length, self.0.as_ptr())
        };
        assert!(clamped);
        bytes_of(py, &partial)
    }

    /// Return the value over a segment of a file: length bytes from offset on, read through a descriptor, whose position
    /// stays as it is. Raises EOFError if the file ends before, and OSError if it cannot be read.
    fn compute_file<'py>(
        &self,
        py: Python<'py>,
        descriptor: i32,
        offset: u64,
        length: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let file = lent(descriptor)?;
        match py.detach(|| self.of_file(&file, offset, length)) {
            Ok(whole) => Ok(bytes_of(py, &whole)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(PyEOFError::new_err(
                format!("the file ends within the {length} bytes from {offset} on"),
            )),
            Err(error) => Err(os_error(&error)),
        }
    }

    /// Return the values over the segments of a part of a file, 32 bytes each, and how many bytes were read: length bytes
    /// from offset on, in segments of segment_bytes, or in one if that is 0. Holes of at least 64 KiB are not read. The
    /// position of the descriptor may be another one afterwards. Raises EOFError and OSError as compute_file does.
    fn compute_file_segments<'py>(
        &self,
        py: Python<'py>,
        descriptor: i32,
        offset: u64,
        length: u64,
        segment_bytes: u64,
    ) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let file = lent(descriptor)?;
        for (what, number) in [("offset", offset), ("segment_bytes", segment_bytes)] {
            if number % 16 != 0 {
                let text = format!("{what} must be a multiple of 16, not {number}");
                return Err(PyValueError::new_err(text));
            }
        }
        let within = || format!("the file ends within the {length} bytes from {offset} on");
        if offset.checked_add(length).is_none() {
            return Err(PyEOFError::new_err(within()));
        }
        // What is behind its end is not evaluated.
        let most = length.min(file.metadata().map_or(0, |metadata| metadata.len()));
        let room = room_for_values(most, segment_bytes)?;
        match py.detach(|| self.of_file_segments(&file, (offset, length), segment_bytes, room)) {
            Ok((values, read)) => Ok((bytes_of_all(py, &values.0)?, read)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(PyEOFError::new_err(within()))
            }
            Err(error) => Err(os_error(&error)),
        }
    }

    /// Return whether length bytes of a file from offset on, a multiple of 16, are one hole, of which compute_file_segments
    /// reads nothing. Raises OSError, and EOFError as compute_file does.
    #[staticmethod]
    fn is_hole(py: Python<'_>, descriptor: i32, offset: u64, length: u64) -> PyResult<bool> {
        let file = lent(descriptor)?;
        let end = offset.checked_add(length).filter(|_| offset % 16 == 0);
        let end = end.ok_or_else(|| {
            PyValueError::new_err(format!(
                "no part of a file: {length} bytes from {offset} on"
            ))
        })?;
        let first = py.detach(|| Extents::of_part(&*file, offset, end)?.next().transpose());
        match first {
            Ok(first) => Ok(first.is_some_and(|first| first.is_hole && first.end == end)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(PyEOFError::new_err(error.to_string()))
            }
            Err(error) => Err(os_error(&error)),
        }
    }

    /// Return the values over all segments of a message, 32 bytes each: segments of segment_bytes, of which the last may
    /// be shorter. Raises ValueError if that is 0 or no multiple of 16.
    fn compute_segments<'py>(
        &self,
        py: Python<'py>,
        message: &Bound<'py, PyAny>,
        segment_bytes: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_message = Buffer::new();
        let message = of_message.read(message)?;
        if segment_bytes == 0 || segment_bytes % 16 != 0 {
            let text = format!("segment_bytes must be a multiple of 16, not {segment_bytes}");
            return Err(PyValueError::new_err(text));
        }
        let room = room_for_values(message.len() as u64, segment_bytes)?;
        let values = detached(py, message.len() >= MAC_BYTES, || {
            let mut values = Values::new(self, segment_bytes, room);
            values.push(message.at(), message.len());
            values.finish_or_none()
        });
        bytes_of_all(py, &values.0)
    }

    /// Return the value over left's segment followed by right's. Raises ValueError if left's ends within a block, and
    /// OverflowError if both have more than 2**64 - 1 bytes.
    fn append<'py>(
        &self,
        py: Python<'py>,
        left: &Bound<'py, PyAny>,
        right: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let whole = self.joined(partial_of(left)?, &partial_of(right)?)?;
        Ok(bytes_of(py, &whole))
    }

    /// Return the value over all segments of a message, given by their values, 32 bytes each, in order. Neighbours are
    /// joined, then neighbours of these, and so on. Raises ValueError and OverflowError as append does.
    fn join<'py>(
        &self,
        py: Python<'py>,
        partials: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_partials = Buffer::new();
        let span = of_partials.read(partials)?;
        if span.len() % 32 != 0 {
            return Err(PyValueError::new_err(
                "partial evaluations have 32 bytes each",
            ));
        }
        let mut count = span.len() / 32;
        let mut values = PartialVec(with_room_for(count)?);
        for i in 0..count {
            values.0.push(partial_from(&span.part(32 * i, 32).read())?);
        }
        while count > 1 {
            for i in 0..count / 2 {
                values.0[i] = self.joined(values.0[2 * i], &values.0[2 * i + 1])?;
            }
            if count % 2 == 1 {
                values.0[count / 2] = values.0[count - 1];
            }
            count = count.div_ceil(2);
        }
        let empty = sys::hornet_poly1305_partial { opaque: [0; 4] };
        Ok(bytes_of(py, values.0.first().unwrap_or(&empty)))
    }

    /// Return the tag of the message that partial is the value of, under a pad of 16 bytes, used once.
    #[staticmethod]
    fn tag<'py>(
        py: Python<'py>,
        partial: &Bound<'py, PyAny>,
        pad: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_pad = Buffer::new();
        let (partial, pad) = (partial_of(partial)?, of_pad.read(pad)?);
        let pad = Zeroizing::new(fixed::<16>(pad, "the pad must be 16 bytes")?);
        let (bytes, tag) = new_bytes(py, TAG)?;
        // SAFETY: the tag has 16 bytes.
        unsafe { sys::hornet_poly1305_partial_tag(tag.at(), &raw const partial, pad.as_ptr()) };
        Ok(bytes)
    }

    /// Return the length of a partial evaluation's segment, in bytes.
    #[staticmethod]
    fn len_bytes(partial: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(len_of(&partial_of(partial)?))
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Returns room for the values of the segments of this number of bytes.
///
/// # Errors
///
/// `MemoryError`.
fn room_for_values(len_bytes: u64, segment_bytes: u64) -> PyResult<PartialVec> {
    let count = len_bytes.checked_div(segment_bytes).unwrap_or(0) + 1;
    with_room_for(usize::try_from(count).unwrap_or(usize::MAX)).map(PartialVec)
}

/// Values in memory that does not grow, and is wiped when they are dropped.
#[derive(Default)]
struct PartialVec(Vec<sys::hornet_poly1305_partial>);

impl Drop for PartialVec {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(wipe);
    }
}

fn wipe(partial: &mut sys::hornet_poly1305_partial) {
    partial.opaque.zeroize();
}

/// The values over the segments of what is pushed, piece by piece.
struct Values<'e> {
    evaluation: &'e Evaluation,
    /// 0 if all is one segment.
    segment_bytes: u64,
    /// There is room for all.
    done: PartialVec,
    /// The value over what has come of the next segment.
    next: sys::hornet_poly1305_partial,
    /// The value over this many zeros: holes have many segments of one length.
    zeros: (u64, sys::hornet_poly1305_partial),
}

impl<'e> Values<'e> {
    const EMPTY: sys::hornet_poly1305_partial = sys::hornet_poly1305_partial { opaque: [0; 4] };

    fn new(evaluation: &'e Evaluation, segment_bytes: u64, room: PartialVec) -> Self {
        Self {
            evaluation,
            segment_bytes,
            done: room,
            next: Self::EMPTY,
            zeros: (0, Self::EMPTY),
        }
    }

    /// Returns how much of this many bytes belongs to the next segment.
    fn room(&self, more: u64) -> u64 {
        match self.segment_bytes {
            0 => more,
            segment_bytes => more.min(segment_bytes - len_of(&self.next)),
        }
    }

    /// Appends to the next segment, which must have room.
    fn append(&mut self, value: &sys::hornet_poly1305_partial) {
        let r = self.evaluation.0.as_ptr();
        // SAFETY: these are live objects, r is clamped, and what comes before ends with a block.
        let joined = unsafe { sys::hornet_poly1305_partial_append(&raw mut self.next, value, r) };
        assert!(joined);
        if len_of(&self.next) == self.segment_bytes {
            self.done.0.push(self.next);
            self.next = Self::EMPTY;
        }
    }

    /// Appends bytes. Only the last may end within a block.
    fn push(&mut self, mut at: *const u8, mut left: usize) {
        let r = self.evaluation.0.as_ptr();
        let whole = usize::try_from(self.segment_bytes).unwrap_or(0);
        while left > 0 {
            // Some whole segments at once.
            let count = left.checked_div(whole).unwrap_or(0);
            let len;
            if count > 1 && len_of(&self.next) == 0 {
                len = count * whole;
                let first = self.done.0.len();
                self.done.0.resize(first + count, Self::EMPTY);
                let values = self.done.0[first..].as_mut_ptr();
                // SAFETY: there is room for the values, and the caller holds the bytes.
                unsafe {
                    sys::hornet_poly1305_partial_segments(values, whole, at.cast(), len, r);
                }
            } else {
                #[expect(clippy::cast_possible_truncation, reason = "at most `left`")]
                let room = self.room(left as u64) as usize;
                len = room;
                let mut value = Self::EMPTY;
                // SAFETY: as above.
                unsafe {
                    sys::hornet_poly1305_partial_compute(&raw mut value, at.cast(), len, r);
                }
                self.append(&value);
                wipe(&mut value);
            }
            at = at.wrapping_add(len);
            left -= len;
        }
    }

    fn zeros(&mut self, mut left: u64) {
        while left > 0 {
            let len = self.room(left);
            if self.zeros.0 != len {
                self.zeros.0 = len;
                let r = self.evaluation.0.as_ptr();
                // SAFETY: this is a live object, and r is clamped.
                unsafe {
                    sys::hornet_poly1305_partial_zeros(&raw mut self.zeros.1, len, r);
                }
            }
            let mut value = self.zeros.1;
            self.append(&value);
            wipe(&mut value);
            left -= len;
        }
    }

    /// Returns the values, of no bytes none.
    fn finish_or_none(mut self) -> PartialVec {
        if len_of(&self.next) > 0 {
            self.done.0.push(self.next);
        }
        mem::take(&mut self.done)
    }

    /// Returns the values, of no bytes one.
    fn finish(self) -> PartialVec {
        let mut values = self.finish_or_none();
        if values.0.is_empty() {
            values.0.push(Self::EMPTY);
        }
        values
    }
}

impl Drop for Values<'_> {
    fn drop(&mut self) {
        wipe(&mut self.next);
        wipe(&mut self.zeros.1);
    }
}

/// Returns the bytes of many.
fn bytes_of_all<'py>(
    py: Python<'py>,
    partials: &[sys::hornet_poly1305_partial],
) -> PyResult<Bound<'py, PyBytes>> {
    let (bytes, span) = new_bytes(py, 32 * partials.len())?;
    for (i, partial) in partials.iter().enumerate() {
        let to = span.part(32 * i, 32).at();
        for (j, word) in partial.opaque.iter().enumerate() {
            // SAFETY: this part has 32 bytes, which nobody else has yet.
            unsafe { std::ptr::copy_nonoverlapping(word.to_le_bytes().as_ptr(), to.add(8 * j), 8) };
        }
    }
    Ok(bytes)
}

fn len_of(partial: &sys::hornet_poly1305_partial) -> u64 {
    // SAFETY: it is a live object.
    unsafe { sys::hornet_poly1305_partial_len_bytes(&raw const *partial) }
}
