// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20 and XChaCha20 alone, and the masks of QUIC's headers.

use crate::buffers::{Buffer, Span, elements, fixed, new_bytes, with_room_for};
use crate::errors::{already_finalized, not_copied};
use crate::threads::{AEAD_BYTES, MESSAGES, detached};
use hornet::chacha20::{ChaCha20Stream, hchacha20};
use hornet::sys;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

const KEY: &str = "A ChaCha20 key is 32 bytes long";
const SAMPLE: usize = 16;
const MASK: usize = 5;

fn key_of(key: &Bound<'_, PyAny>) -> PyResult<Zeroizing<[u8; 32]>> {
    let mut of_key = Buffer::new();
    Ok(Zeroizing::new(fixed(of_key.read(key)?, KEY)?))
}

fn too_long<E>(_: E) -> PyErr {
    PyOverflowError::new_err("the keystream has 2**38 bytes")
}

/// ChaCha20 (RFC 8439, section 2.4) alone: an encryptor, and as such a decryptor, like those of cryptography's Cipher.
///
/// The nonce has 12 bytes, and the first block of the keystream is number `counter`; or it has 16 bytes, as for
/// cryptography's algorithms.ChaCha20, of which the first 4 are the counter; or 24 bytes, for XChaCha20.
///
/// It does not authenticate: who changes a bit of the ciphertext changes that bit of the message. Two messages under one key
/// and nonce reveal both.
#[pyclass(module = "hornet_poly1305")]
pub(crate) struct ChaCha20 {
    stream: Box<ChaCha20Stream>,
    live: bool,
}

impl ChaCha20 {
    fn live(&mut self, py: Python<'_>) -> PyResult<&mut ChaCha20Stream> {
        if self.live {
            Ok(&mut self.stream)
        } else {
            Err(already_finalized(py))
        }
    }

    fn apply(&mut self, py: Python<'_>, data: Span, out: Span) -> PyResult<()> {
        let stream = self.live(py)?;
        let applied = detached(py, data.len() >= AEAD_BYTES, || {
            // SAFETY: the spans are held by the caller; the output is the input or overlaps nothing.
            unsafe { stream.apply_raw(out.at(), data.at(), data.len()) }
        });
        applied.map_err(too_long)
    }
}

#[pymethods]
impl ChaCha20 {
    #[new]
    #[pyo3(signature = (key, nonce, counter = 0))]
    fn new(key: &Bound<'_, PyAny>, nonce: &Bound<'_, PyAny>, counter: u32) -> PyResult<Self> {
        let mut of_nonce = Buffer::new();
        let key = key_of(key)?;
        let nonce = of_nonce.read(nonce)?;
        let mut stream = match nonce.len() {
            12 => Box::new(ChaCha20Stream::new(&key, &nonce.read())),
            16 if counter == 0 => Box::new(ChaCha20Stream::new(&key, &nonce.part(4, 12).read())),
            16 => {
                return Err(PyValueError::new_err(
                    "a nonce of 16 bytes begins with the counter",
                ));
            }
            24 => {
                let mut rest = [0; 12];
                rest[4..].copy_from_slice(&nonce.part(16, 8).read::<8>());
                let subkey = Zeroizing::new(hchacha20(&key, &nonce.read()));
                Box::new(ChaCha20Stream::new(&subkey, &rest))
            }
            other => {
                return Err(PyValueError::new_err(format!(
                    "A ChaCha20 nonce is 12, 16 or 24 bytes long, not {other}"
                )));
            }
        };
        let counter = if nonce.len() == 16 {
            u32::from_le_bytes(nonce.read())
        } else {
            counter
        };
        stream
            .set_position(64 * u64::from(counter))
            .map_err(too_long)?;
        Ok(Self { stream, live: true })
    }

    /// Return data xor the keystream from the position on, which then is behind it.
    ///
    /// Raises OverflowError if the keystream, 2**38 bytes from block 0 on, ends before the data; then nothing changes.
    fn update<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut of_data = Buffer::new();
        let data = of_data.read(data)?;
        self.live(py)?;
        let (bytes, out) = new_bytes(py, data.len())?;
        self.apply(py, data, out)?;
        Ok(bytes)
    }

    /// Write the same to buf, which may be longer, and return the number of bytes. buf must begin where data begins, or not
    /// overlap it.
    fn update_into<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        buf: &Bound<'py, PyAny>,
    ) -> PyResult<usize> {
        let (mut of_data, mut of_out) = (Buffer::new(), Buffer::new());
        let data = of_data.read(data)?;
        let out = of_out.write_part(buf)?;
        if out.len() < data.len() {
            return Err(PyValueError::new_err(format!(
                "buffer must be at least {} bytes, not {}",
                data.len(),
                out.len()
            )));
        }
        let out = out.part(0, data.len());
        if out.overlaps(data) && out.at() != data.at() {
            return Err(PyValueError::new_err(
                "buffer must begin where data begins, or not overlap it",
            ));
        }
        self.apply(py, data, out)?;
        Ok(data.len())
    }

    /// Set the position in the keystream, in bytes from block 0 on: forward or back, up to 2**38.
    fn seek(&mut self, py: Python<'_>, position: u64) -> PyResult<()> {
        self.live(py)?.set_position(position).map_err(too_long)
    }

    /// Return the position.
    fn tell(&mut self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.live(py)?.position())
    }

    /// End the message, wipe its secrets and return b"". The other methods then raise AlreadyFinalized.
    fn finalize<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.live(py)?;
        self.live = false;
        *self.stream = ChaCha20Stream::new(&[0; 32], &[0; 12]);
        Ok(PyBytes::new(py, b""))
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Return the masks of QUIC's header protection (RFC 9001, section 5.4.4) for many packets under one key: 5 bytes for each
/// sample of 16 bytes.
///
/// samples is one object with the bytes of all, or a list of objects with 16 bytes each.
#[pyfunction]
pub(crate) fn header_masks<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    samples: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut of_all = Buffer::new();
    let key = key_of(key)?;
    let mut copies = Vec::new();
    let all = match of_all.read(samples) {
        Ok(all) => all,
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
            let objects = elements(samples)?;
            copies = with_room_for(SAMPLE * objects.len())?;
            for (i, object) in objects.iter().enumerate() {
                let mut of_sample = Buffer::new();
                let what = format!("sample {i} must be {SAMPLE} bytes");
                let sample = fixed::<SAMPLE>(of_sample.read(object)?, &what)?;
                copies.extend_from_slice(&sample);
            }
            Span::new(copies.as_mut_ptr(), copies.len())
        }
        Err(error) => return Err(error),
    };
    if all.len() % SAMPLE != 0 {
        return Err(PyValueError::new_err(format!(
            "samples must be a multiple of {SAMPLE} bytes, not {}",
            all.len()
        )));
    }
    let count = all.len() / SAMPLE;
    let (bytes, masks) = new_bytes(py, MASK * count)?;
    detached(py, count >= MESSAGES, || {
        let mut samples = [std::ptr::null::<u8>(); 64];
        let mut first = 0;
        while first < count {
            let n = samples.len().min(count - first);
            for (i, sample) in samples[..n].iter_mut().enumerate() {
                *sample = all.part(SAMPLE * (first + i), SAMPLE).at();
            }
            // SAFETY: there are n samples of 16 bytes, which are held, and room for as many masks.
            unsafe {
                sys::hornet_chacha20_header_masks(
                    masks.part(MASK * first, MASK * n).at().cast(),
                    samples.as_ptr(),
                    key.as_ptr(),
                    n,
                );
            }
            first += n;
        }
    });
    drop(copies);
    Ok(bytes)
}
