// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The classes for encryption: pyca's `ChaCha20Poly1305`, and the same with nonces of 24 bytes.

use crate::buffers::{Buffer, Span, fixed, new_bytes};
use crate::errors::{invalid_tag, not_copied};
use crate::threads::{AEAD_BYTES, detached};
use hornet::sys;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

pub(crate) const TAG: usize = 16;

/// What the two algorithms differ in.
trait Algorithm {
    const NAME: &str;
    const NONCE: usize;
    const SEAL: Seal;
    const OPEN: Open;
}

type Seal = unsafe extern "C" fn(
    *mut std::ffi::c_void,
    *mut u8,
    *const std::ffi::c_void,
    usize,
    *const std::ffi::c_void,
    usize,
    *const u8,
    *const u8,
) -> bool;
type Open = unsafe extern "C" fn(
    *mut std::ffi::c_void,
    *const std::ffi::c_void,
    usize,
    *const u8,
    *const std::ffi::c_void,
    usize,
    *const u8,
    *const u8,
) -> bool;

struct Rfc8439;
struct XChaCha;

impl Algorithm for Rfc8439 {
    const NAME: &str = "ChaCha20Poly1305";
    const NONCE: usize = 12;
    const SEAL: Seal = sys::hornet_chacha20_poly1305_seal;
    const OPEN: Open = sys::hornet_chacha20_poly1305_open;
}

impl Algorithm for XChaCha {
    const NAME: &str = "XChaCha20Poly1305";
    const NONCE: usize = 24;
    const SEAL: Seal = sys::hornet_xchacha20_poly1305_seal;
    const OPEN: Open = sys::hornet_xchacha20_poly1305_open;
}

type Key = Zeroizing<[u8; 32]>;

fn new_key<A: Algorithm>(key: &Bound<'_, PyAny>) -> PyResult<Key> {
    let mut buffer = Buffer::new();
    let key = buffer.read(key)?;
    Ok(Zeroizing::new(fixed(
        key,
        &format!("{} key must be 32 bytes", A::NAME),
    )?))
}

/// The arguments of a call, whose buffers are held.
struct Call {
    nonce: Span,
    data: Span,
    aad: Span,
}

impl Call {
    /// # Errors
    ///
    /// Those of pyca: `ValueError` for the nonce, `OverflowError` for data and associated data from 2^31 bytes on.
    fn new<'py, A: Algorithm>(
        buffers: &mut [Buffer<'py>; 3],
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        aad: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let [of_nonce, of_data, of_aad] = buffers;
        let nonce = of_nonce.read(nonce)?;
        let data = of_data.read(data)?;
        let aad = aad.map_or(Ok(Span::EMPTY), |aad| of_aad.read(aad))?;
        if nonce.len() != A::NONCE {
            return Err(PyValueError::new_err(format!(
                "Nonce must be {} bytes, not {}",
                A::NONCE,
                nonce.len()
            )));
        }
        if data.len().max(aad.len()) > i32::MAX as usize {
            return Err(PyOverflowError::new_err(
                "Data or associated data too long. Max 2**31 - 1 bytes",
            ));
        }
        Ok(Self { nonce, data, aad })
    }

    /// Returns whether the call lets other threads run.
    fn is_long(&self) -> bool {
        self.data.len() + self.aad.len() >= AEAD_BYTES
    }

    /// Returns the output of a call, of `len` bytes.
    fn output<'py>(
        &self,
        of_out: &mut Buffer<'py>,
        buf: &Bound<'py, PyAny>,
        len: usize,
    ) -> PyResult<Span> {
        let out = if self.is_long() {
            of_out.write(buf)
        } else {
            of_out.write_now(buf)
        }?;
        self.check_output(out, len)?;
        Ok(out)
    }

    /// Checks the output of a call: it must begin where the data begin, or overlap no input.
    fn check_output(&self, out: Span, len: usize) -> PyResult<()> {
        if out.len() != len {
            return Err(PyValueError::new_err(format!(
                "buffer must be {len} bytes, not {}",
                out.len()
            )));
        }
        let in_place = out.at() == self.data.at() && out.len() != 0;
        if out.overlaps(self.data) && !in_place {
            return Err(PyValueError::new_err(
                "buffer must begin where data begins, or not overlap it",
            ));
        }
        if out.overlaps(self.aad) || out.overlaps(self.nonce) {
            return Err(PyValueError::new_err(
                "buffer must not overlap nonce or associated data",
            ));
        }
        Ok(())
    }

    /// Encrypts to `out`, which has the length of the data and 16 bytes more.
    fn seal<A: Algorithm>(&self, py: Python<'_>, key: &Key, out: Span) {
        let Self { nonce, data, aad } = *self;
        detached(py, self.is_long(), || {
            // SAFETY: the spans are held by the caller; the output is the input or overlaps nothing.
            let sealed = unsafe {
                (A::SEAL)(
                    out.at().cast(),
                    out.at().add(data.len()),
                    data.at().cast(),
                    data.len(),
                    aad.at().cast(),
                    aad.len(),
                    nonce.at(),
                    key.as_ptr(),
                )
            };
            assert!(sealed, "the length was checked");
        });
    }

    /// Decrypts to `out`, which has 16 bytes less than the data, and returns whether these are authentic. If not, the
    /// output is zeros.
    fn open<A: Algorithm>(&self, py: Python<'_>, key: &Key, out: Span) -> bool {
        let Self { nonce, data, aad } = *self;
        detached(py, self.is_long(), || {
            // SAFETY: as above; the data have at least 16 bytes.
            unsafe {
                (A::OPEN)(
                    out.at().cast(),
                    data.at().cast(),
                    data.len() - TAG,
                    data.at().add(data.len() - TAG),
                    aad.at().cast(),
                    aad.len(),
                    nonce.at(),
                    key.as_ptr(),
                )
            }
        })
    }
}

fn encrypt<'py, A: Algorithm>(
    py: Python<'py>,
    key: &Key,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut buffers = [const { Buffer::new() }; 3];
    let call = Call::new::<A>(&mut buffers, nonce, data, aad)?;
    let (bytes, out) = new_bytes(py, call.data.len() + TAG)?;
    call.seal::<A>(py, key, out);
    Ok(bytes)
}

fn encrypt_into<'py, A: Algorithm>(
    py: Python<'py>,
    key: &Key,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
    buf: &Bound<'py, PyAny>,
) -> PyResult<usize> {
    let (mut buffers, mut of_out) = ([const { Buffer::new() }; 3], Buffer::new());
    let call = Call::new::<A>(&mut buffers, nonce, data, aad)?;
    let out = call.output(&mut of_out, buf, call.data.len() + TAG)?;
    call.seal::<A>(py, key, out);
    Ok(out.len())
}

fn decrypt<'py, A: Algorithm>(
    py: Python<'py>,
    key: &Key,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut buffers = [const { Buffer::new() }; 3];
    let call = Call::new::<A>(&mut buffers, nonce, data, aad)?;
    let len = call
        .data
        .len()
        .checked_sub(TAG)
        .ok_or_else(|| invalid_tag(py))?;
    let (bytes, out) = new_bytes(py, len)?;
    if call.open::<A>(py, key, out) {
        Ok(bytes)
    } else {
        Err(invalid_tag(py))
    }
}

fn decrypt_into<'py, A: Algorithm>(
    py: Python<'py>,
    key: &Key,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    aad: Option<&Bound<'py, PyAny>>,
    buf: &Bound<'py, PyAny>,
) -> PyResult<usize> {
    let (mut buffers, mut of_out) = ([const { Buffer::new() }; 3], Buffer::new());
    let call = Call::new::<A>(&mut buffers, nonce, data, aad)?;
    let len = call
        .data
        .len()
        .checked_sub(TAG)
        .ok_or_else(|| invalid_tag(py))?;
    let out = call.output(&mut of_out, buf, len)?;
    if call.open::<A>(py, key, out) {
        Ok(len)
    } else {
        Err(invalid_tag(py))
    }
}

/// Returns 32 random bytes of the operating system.
pub(crate) fn random_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    let mut key = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *key)
        .map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &*key))
}

/// Defines a class: the same text for both algorithms, because `#[pyclass]` takes no type parameters.
macro_rules! class {
    ($name:ident, $algorithm:ty, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(frozen, module = "hornet_poly1305")]
        pub(crate) struct $name(Key);

        #[pymethods]
        impl $name {
            #[new]
            fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
                Ok(Self(new_key::<$algorithm>(key)?))
            }

            /// Return a new key: 32 random bytes of the operating system.
            #[staticmethod]
            fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
                random_key(py)
            }

            /// Encrypt data and return the ciphertext, followed by the tag of 16 bytes, which authenticates it and
            /// associated_data.
            ///
            /// Never use a nonce twice under a key. Raises ValueError if the nonce has another length, and OverflowError
            /// if data or associated_data have 2**31 bytes or more.
            fn encrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                encrypt::<$algorithm>(py, &self.0, nonce, data, associated_data)
            }

            /// Decrypt what encrypt returned, and return the data. Raises InvalidTag if they are not authentic.
            fn decrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                decrypt::<$algorithm>(py, &self.0, nonce, data, associated_data)
            }

            /// Encrypt data to buf, which must have 16 bytes more, and return that length.
            ///
            /// Data may be the beginning of buf: then they are encrypted in place. Otherwise buf must not overlap an
            /// argument (ValueError).
            fn encrypt_into<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                encrypt_into::<$algorithm>(py, &self.0, nonce, data, associated_data, buf)
            }

            /// Decrypt to buf, which must have 16 bytes less than data, and return that length.
            ///
            /// Buf may be the beginning of data: then they are decrypted in place. Otherwise it must not overlap an
            /// argument (ValueError). Raises InvalidTag if the data are not authentic; buf is all zeros then.
            fn decrypt_into<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
                buf: &Bound<'py, PyAny>,
            ) -> PyResult<usize> {
                decrypt_into::<$algorithm>(py, &self.0, nonce, data, associated_data, buf)
            }

            fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
                not_copied(object)
            }
        }
    };
}

class!(
    ChaCha20Poly1305,
    Rfc8439,
    "ChaCha20-Poly1305 (RFC 8439) under a key of 32 bytes, with nonces of 12 bytes.\n\nThe class has the methods of \
     cryptography's. The key is copied, and the copy is wiped when the object is deleted."
);
class!(
    XChaCha20Poly1305,
    XChaCha,
    "XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) under a key of 32 bytes, with nonces of 24 bytes, which may be \
     drawn at random.\n\nThe class has the methods of ChaCha20Poly1305."
);
