// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Chunks of 64 KiB with a tag each: the payloads of age v1 files, and of Crypt4GH files; and the headers of the first.

use crate::aead::TAG;
use crate::batch::check_apart;
use crate::buffers::{Buffer, Span, elements, fixed, new_bytes, with_room_for};
use crate::errors::{chunk_error, header_error, not_copied};
use crate::threads::{AEAD_BYTES, detached};
use hornet::stream::{self, CHUNK_BYTES, OpenError, SEALED_CHUNK_BYTES};
use hornet::sys;
use hornet_age::{Header, Identity, Malformed, NONCE_BYTES, Recipient};
use pyo3::exceptions::{PyOSError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fmt::Display;
use std::io;
use std::str::FromStr;
use zeroize::Zeroizing;

const KEY: usize = 32;
const NONCE: usize = 12;
/// The length of a whole segment of Crypt4GH: its nonce, text and tag.
const SEALED_SEGMENT: usize = NONCE + CHUNK_BYTES + TAG;

fn too_long<E>(_: E) -> PyErr {
    PyOverflowError::new_err("a text has at most 2**64 chunks")
}

/// The key of one text, 32 bytes: the payload of an age v1 file (c2sp.org/age), which is STREAM with ChaCha20-Poly1305.
///
/// A text is cut into chunks of 65536 bytes, of which the last may be shorter; an empty text is one chunk of 0 bytes. Each is
/// followed by a tag of 16 bytes. Chunks have numbers from 0 on, and are sealed with their number, and whether they are the
/// last. Writer and Reader seal and open a text as a file; seal and open do so with chunks in any order, in any thread.
///
/// ONE KEY, ONE TEXT: never seal two under one key, nor a chunk again after it changed. The key is copied, and the copy is
/// wiped when the object is deleted.
#[pyclass(frozen, module = "hornet_poly1305.stream")]
pub(crate) struct StreamKey(stream::Key);

#[pymethods]
impl StreamKey {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut buffer = Buffer::new();
        let key = fixed(buffer.read(key)?, "a key of a text must be 32 bytes")?;
        Ok(Self(stream::Key::new(&Zeroizing::new(key))))
    }

    /// Return the key of an age file's payload, from the file's key (16 bytes), which its header seals, and the nonce (16
    /// bytes) after the header.
    #[staticmethod]
    fn of_age(file_key: &Bound<'_, PyAny>, nonce: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (mut of_key, mut of_nonce) = (Buffer::new(), Buffer::new());
        let file_key = fixed(of_key.read(file_key)?, "a file's key must be 16 bytes")?;
        let nonce = fixed(of_nonce.read(nonce)?, "nonce must be 16 bytes")?;
        Ok(Self(hornet_age::payload_key(
            &Zeroizing::new(file_key),
            &nonce,
        )))
    }

    /// Seal consecutive chunks, the first of which has the number first, and return them with a tag after each. If last, the
    /// text ends with them; otherwise text must be a multiple of 65536 bytes.
    ///
    /// Raises ValueError if it is not, or if there is no chunk: 0 bytes are one only as the last with the number 0.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        last: bool,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut buffer = Buffer::new();
        let text = buffer.read(text)?;
        let sealed = stream::sealed_bytes(text.len() as u64);
        let sealed = sealed.and_then(|bytes| usize::try_from(bytes).ok());
        let (bytes, sealed) = new_bytes(py, sealed.ok_or_else(|| too_long(()))?)?;
        detached(py, text.len() >= AEAD_BYTES, || {
            // SAFETY: the text is held, and the new bytes have its length and that of all tags.
            unsafe {
                self.0
                    .seal_raw(first, last, sealed.at(), text.at(), text.len())
            }
        })
        .map_err(|error| match error {
            stream::ChunksError::Number => too_long(error),
            _ => PyValueError::new_err(error.to_string()),
        })?;
        Ok(bytes)
    }

    /// Open consecutive chunks with their tags, the first of which has the number first, and return their text. If last, the
    /// last of them must be the end of the text.
    ///
    /// Raises ChunkError with the first chunk that is not authentic; its subclass CutOffError if that is authentic, but not
    /// the end, or if no chunks have this length; its subclass GoesOnError if it is the end.
    fn open<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        last: bool,
        sealed: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut buffer = Buffer::new();
        let sealed = buffer.read(sealed)?;
        let (bytes, text) = new_bytes(py, text_bytes(sealed)?)?;
        self.run(py, first, last, sealed, text)?;
        Ok(bytes)
    }

    /// Open them to buf, which must have at least the length of the text, and return that length. buf must not overlap sealed.
    /// If a chunk is not authentic, as many bytes of buf are zeros.
    fn open_into(
        &self,
        py: Python<'_>,
        first: u64,
        last: bool,
        sealed: &Bound<'_, PyAny>,
        buf: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let (mut buffer, mut of_text) = (Buffer::new(), Buffer::new());
        let sealed = buffer.read(sealed)?;
        let text = room(of_text.write_part(buf)?, sealed, text_bytes(sealed)?)?;
        self.run(py, first, last, sealed, text)?;
        Ok(text.len())
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

impl StreamKey {
    /// Opens chunks to memory that has the length of their text.
    fn run(
        &self,
        py: Python<'_>,
        first: u64,
        last: bool,
        sealed: Span,
        text: Span,
    ) -> PyResult<()> {
        let opened = detached(py, sealed.len() >= AEAD_BYTES, || {
            // SAFETY: both are held by the caller and do not overlap; the text has its length, if there can be such chunks.
            unsafe {
                self.0
                    .open_raw(first, last, text.at(), sealed.at(), sealed.len())
            }
        });
        opened.map_err(|error| match error {
            OpenError::Chunks(stream::ChunksError::Number) => too_long(()),
            OpenError::Chunks(_) => {
                let whole = (sealed.len() / SEALED_CHUNK_BYTES) as u64;
                stream_error(py, OpenError::CutOff(first.saturating_add(whole)))
            }
            error => stream_error(py, error),
        })
    }
}

/// Returns the length of the text of chunks, or 0 if no chunks have this length.
fn text_bytes(sealed: Span) -> PyResult<usize> {
    let text = stream::text_bytes(sealed.len() as u64).unwrap_or(0);
    usize::try_from(text).map_err(too_long)
}

/// Returns the beginning of an output, which must not overlap the input.
fn room(out: Span, sealed: Span, len: usize) -> PyResult<Span> {
    if out.len() < len {
        return Err(PyValueError::new_err(format!(
            "buffer must be at least {len} bytes, not {}",
            out.len()
        )));
    }
    check_apart(out, sealed, "buffer", "sealed")?;
    Ok(out.part(0, len))
}

fn stream_error(py: Python<'_>, error: OpenError) -> PyErr {
    let (class, chunk) = match error {
        OpenError::CutOff(chunk) => ("CutOffError", chunk),
        OpenError::GoesOn(chunk) => ("GoesOnError", chunk),
        OpenError::Changed(chunk) => ("ChunkError", chunk),
        _ => ("ChunkError", 0),
    };
    chunk_error(py, class, error.to_string(), chunk)
}

/// The data keys of a Crypt4GH file (GA4GH, version 1.0), 32 bytes each, of which its header seals one or more.
///
/// A segment is a nonce of 12 bytes, the ciphertext of up to 65536 bytes, and a tag of 16 bytes (ChaCha20-Poly1305). It does
/// not say which one it is. The keys are copied, and the copies are wiped when the object is deleted.
#[pyclass(frozen, module = "hornet_poly1305.stream")]
pub(crate) struct SegmentKeys(Vec<Zeroizing<[u8; KEY]>>);

#[pymethods]
impl SegmentKeys {
    #[new]
    fn new(keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        let objects = elements(keys)?;
        let mut copies = with_room_for(objects.len())?;
        for object in &objects {
            let mut buffer = Buffer::new();
            let key = fixed(buffer.read(object)?, "a data key must be 32 bytes")?;
            copies.push(Zeroizing::new(key));
        }
        if copies.is_empty() {
            return Err(PyValueError::new_err("no data keys"));
        }
        Ok(Self(copies))
    }

    /// Seal segments under the first key, with nonces drawn at random, and return them. All but the last have 65536 bytes.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut buffer = Buffer::new();
        let text = buffer.read(text)?;
        let count = text.len().div_ceil(CHUNK_BYTES);
        let (bytes, sealed) = new_bytes(py, text.len() + count * (NONCE + TAG))?;
        detached(py, text.len() >= AEAD_BYTES, || {
            for index in 0..count {
                let from = index * CHUNK_BYTES;
                let text = text.part(from, CHUNK_BYTES.min(text.len() - from));
                let mut nonce = [0; NONCE];
                getrandom::fill(&mut nonce)?;
                let to = sealed.part(index * SEALED_SEGMENT, text.len() + NONCE + TAG);
                to.part(0, NONCE).copy(Span::new(nonce.as_mut_ptr(), NONCE));
                // SAFETY: the text is held, and there is room for it and a tag; the lengths are small.
                let done = unsafe {
                    sys::hornet_chacha20_poly1305_seal(
                        to.at().add(NONCE).cast(),
                        to.at().add(NONCE + text.len()),
                        text.at().cast(),
                        text.len(),
                        std::ptr::null(),
                        0,
                        nonce.as_ptr(),
                        self.0[0].as_ptr(),
                    )
                };
                assert!(done, "the length is small");
            }
            Ok(())
        })
        .map_err(|error: getrandom::Error| PyOSError::new_err(error.to_string()))?;
        Ok(bytes)
    }

    /// Open consecutive segments, all but the last of which are whole, and return their text. first is the number of the first
    /// of them, for errors only.
    ///
    /// Raises ChunkError with the first segment that is authentic under none of the keys, and its subclass CutOffError if a
    /// segment has no text.
    fn open<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        sealed: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut buffer = Buffer::new();
        let sealed = buffer.read(sealed)?;
        let (bytes, text) = new_bytes(py, segments_bytes(py, first, sealed)?)?;
        self.run(py, first, sealed, text)?;
        Ok(bytes)
    }

    /// Open them to buf, which must have at least the length of the text, and return that length. buf must not overlap sealed.
    /// What is not authentic is zeros in buf, and what follows it is as it was.
    fn open_into(
        &self,
        py: Python<'_>,
        first: u64,
        sealed: &Bound<'_, PyAny>,
        buf: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let (mut buffer, mut of_text) = (Buffer::new(), Buffer::new());
        let sealed = buffer.read(sealed)?;
        let text = room(
            of_text.write_part(buf)?,
            sealed,
            segments_bytes(py, first, sealed)?,
        )?;
        self.run(py, first, sealed, text)?;
        Ok(text.len())
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

impl SegmentKeys {
    /// Opens segments to memory that has the length of their text.
    fn run(&self, py: Python<'_>, first: u64, sealed: Span, text: Span) -> PyResult<()> {
        let count = sealed.len().div_ceil(SEALED_SEGMENT);
        let failed = detached(py, sealed.len() >= AEAD_BYTES, || {
            let mut used = 0;
            (0..count).find(|index| {
                let from = index * SEALED_SEGMENT;
                let sealed = sealed.part(from, SEALED_SEGMENT.min(sealed.len() - from));
                let to = text.part(index * CHUNK_BYTES, sealed.len() - NONCE - TAG);
                // Most files have one key, or long runs under each.
                let opened = (used..self.0.len())
                    .chain(0..used)
                    .find(|&key| open_segment(&self.0[key], sealed, to));
                used = opened.unwrap_or(used);
                opened.is_none()
            })
        });
        let Some(index) = failed else { return Ok(()) };
        let chunk = first.saturating_add(index as u64);
        let text = format!("segment {chunk} is not authentic");
        Err(chunk_error(py, "ChunkError", text, chunk))
    }
}

/// Returns the length of the text of segments.
fn segments_bytes(py: Python<'_>, first: u64, sealed: Span) -> PyResult<usize> {
    let (whole, rest) = (sealed.len() / SEALED_SEGMENT, sealed.len() % SEALED_SEGMENT);
    if rest == 0 {
        return Ok(whole * CHUNK_BYTES);
    }
    let text = rest.checked_sub(NONCE + TAG).filter(|&text| text > 0);
    text.map(|text| whole * CHUNK_BYTES + text).ok_or_else(|| {
        let chunk = first.saturating_add(whole as u64);
        let text = format!("cut off in segment {chunk}");
        chunk_error(py, "CutOffError", text, chunk)
    })
}

/// Opens a segment to memory that has 28 bytes less, and returns whether it is authentic.
fn open_segment(key: &[u8; KEY], sealed: Span, to: Span) -> bool {
    let nonce: [u8; NONCE] = sealed.read();
    // SAFETY: both are held by the caller and do not overlap; the nonce, the text and a tag are in the segment.
    unsafe {
        sys::hornet_chacha20_poly1305_open(
            to.at().cast(),
            sealed.at().add(NONCE).cast(),
            to.len(),
            sealed.at().add(NONCE + to.len()),
            std::ptr::null(),
            0,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    }
}

/// Parses lines, which may be secret.
fn parsed<T>(lines: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<T>>
where
    T: FromStr,
    T::Err: Display,
{
    let numbered = elements(lines)?.into_iter().enumerate();
    let parsed = numbered.map(|(number, line)| {
        let line = Zeroizing::new(line.extract::<String>()?);
        let wrong = |why| PyValueError::new_err(format!("{what} {number}: {why}"));
        line.parse().map_err(wrong)
    });
    parsed.collect()
}

fn not_made(error: hornet_age::Error) -> PyErr {
    match error {
        hornet_age::Error::Random(error) => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

fn malformed(error: &Malformed) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Open the header of an age v1 file, and return the key of its payload, and where that begins. head is the header and the
/// 16 bytes after it; what follows is not read. identities are lines "AGE-SECRET-KEY-1...".
///
/// Raises ValueError if it is no header, if an identity is none, or if the file is for none of them, and InvalidTag if the header
/// was changed. A passphrase takes as much memory as the header says, up to 4 GiB.
#[pyfunction]
#[pyo3(signature = (head, identities, passphrase = None))]
pub(crate) fn open_age_header(
    py: Python<'_>,
    head: &Bound<'_, PyAny>,
    identities: &Bound<'_, PyAny>,
    passphrase: Option<&Bound<'_, PyAny>>,
) -> PyResult<(StreamKey, u64)> {
    let (mut of_head, mut of_passphrase) = (Buffer::new(), Buffer::new());
    let head = of_head.read(head)?.to_vec()?;
    let mut all: Vec<Identity> = parsed(identities, "identity")?;
    if let Some(passphrase) = passphrase {
        let passphrase = of_passphrase.read(passphrase)?.to_vec()?;
        all.push(Identity::passphrase(Zeroizing::new(passphrase)));
    }
    let mut rest = &head[..];
    let header = Header::read(&mut rest).map_err(|error: io::Error| {
        let why = error.get_ref().and_then(|why| why.downcast_ref());
        why.map_or_else(|| PyOSError::new_err(error.to_string()), malformed)
    })?;
    let found = py.detach(|| {
        let mut found = all
            .iter()
            .map(|identity| identity.open(&header).transpose());
        found.find_map(|found| found).transpose()
    });
    let Some(file_key) = found.map_err(|error| malformed(&error))? else {
        let why = if header.is_by_passphrase() {
            "sealed with another passphrase"
        } else {
            "sealed for none of these identities"
        };
        return Err(PyValueError::new_err(why));
    };
    header
        .verify(&file_key)
        .map_err(|error| header_error(py, error.to_string()))?;
    let nonce = rest.first_chunk::<NONCE_BYTES>();
    let nonce = nonce.ok_or_else(|| PyValueError::new_err("cut off after the header"))?;
    let key = StreamKey(hornet_age::payload_key(&file_key, nonce));
    Ok((key, header.len_bytes() + NONCE_BYTES as u64))
}

/// Make the header of a new age v1 file, and return it with the 16 bytes that follow, and the key of the payload. recipients
/// are "age1...". Raises ValueError if one is none, if there are none, or more than a header of 16 MiB
/// has room for.
#[pyfunction]
pub(crate) fn new_age_header<'py>(
    py: Python<'py>,
    recipients: &Bound<'py, PyAny>,
) -> PyResult<(StreamKey, Bound<'py, PyBytes>)> {
    let (file_key, nonce) = (
        hornet_age::new_file_key().map_err(not_made)?,
        hornet_age::new_nonce().map_err(not_made)?,
    );
    let to: Vec<Recipient> = parsed(recipients, "recipient")?;
    if to.is_empty() {
        return Err(PyValueError::new_err("no recipients"));
    }
    let stanzas = hornet_age::seal_to(&to, &file_key).map_err(not_made)?;
    let header = hornet_age::written(&stanzas, &file_key);
    let header = header.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let head = [&header[..], &nonce].concat();
    let key = StreamKey(hornet_age::payload_key(&file_key, &nonce));
    Ok((key, PyBytes::new(py, &head)))
}

/// Make an identity of age, and return it, which is secret, and its recipient.
#[pyfunction]
pub(crate) fn new_age_identity() -> PyResult<(String, String)> {
    let (identity, recipient) = hornet_age::new_identity().map_err(not_made)?;
    Ok((identity.to_string(), recipient))
}
