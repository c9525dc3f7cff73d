// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Poly1305 under one-time keys: `mac`, `verify`, and pyca's class.

use crate::aead::TAG;
use crate::buffers::{Buffer, Span, fixed, new_bytes};
use crate::errors::{already_finalized, invalid_signature, not_copied};
use crate::threads::{MAC_BYTES, detached};
use hornet::sys;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

const KEY: &str = "A poly1305 key is 32 bytes long";

/// Computes the tag of a message.
fn tag_of(py: Python<'_>, key: &Bound<'_, PyAny>, data: Span, tag: *mut u8) -> PyResult<()> {
    let mut of_key = Buffer::new();
    let key = Zeroizing::new(fixed::<32>(of_key.read(key)?, KEY)?);
    let tag = Span::new(tag, TAG);
    detached(py, data.len() >= MAC_BYTES, || {
        // SAFETY: the caller holds the data, and the tag has 16 bytes.
        unsafe { sys::hornet_poly1305(tag.at(), data.at().cast(), data.len(), key.as_ptr()) }
    });
    Ok(())
}

/// Return the tag of data: 16 bytes, Poly1305 (RFC 8439, section 2.5) under a key of 32 bytes.
///
/// Never use a key for two messages: two tags under one key let anyone forge others.
#[pyfunction]
pub(crate) fn mac<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut of_data = Buffer::new();
    let data = of_data.read(data)?;
    let (bytes, tag) = new_bytes(py, TAG)?;
    tag_of(py, key, data, tag.at())?;
    Ok(bytes)
}

/// Raise InvalidSignature unless tag is that of data under the key. Compares in constant time.
#[pyfunction]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    tag: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let (mut of_key, mut of_data, mut of_tag) = (Buffer::new(), Buffer::new(), Buffer::new());
    let key = Zeroizing::new(fixed::<32>(of_key.read(key)?, KEY)?);
    let (data, tag) = (of_data.read(data)?, of_tag.read(tag)?);
    let valid = tag.len() == TAG
        && detached(py, data.len() >= MAC_BYTES, || {
            // SAFETY: data and tag are held.
            unsafe {
                sys::hornet_poly1305_verify(tag.at(), data.at().cast(), data.len(), key.as_ptr())
            }
        });
    if valid {
        Ok(())
    } else {
        Err(invalid_signature(py))
    }
}

/// The state of a message in pieces, which is wiped when it ends or is dropped.
pub(crate) struct State(sys::hornet_poly1305_state);

// SAFETY: it is numbers.
unsafe impl Send for State {}
// SAFETY: as above; it changes only through `&mut`.
unsafe impl Sync for State {}

impl State {
    /// Returns a state that has ended.
    pub(crate) const fn ended() -> Self {
        Self(sys::hornet_poly1305_state { opaque: [0; 112] })
    }

    pub(crate) fn of(&mut self) -> *mut sys::hornet_poly1305_state {
        &raw mut self.0
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: the state is writable.
        unsafe { sys::hornet_wipe(self.of().cast(), size_of::<Self>()) };
    }
}

/// A message in pieces. `live` is false after its end.
struct Message {
    state: Box<State>,
    live: bool,
}

impl Message {
    fn update(&mut self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut of_data = Buffer::new();
        let data = of_data.read(data)?;
        if !self.live {
            return Err(already_finalized(py));
        }
        let state = &mut self.state;
        detached(py, data.len() >= MAC_BYTES, || {
            // SAFETY: the data are held, and the state is this thread's.
            unsafe { sys::hornet_poly1305_update(state.of(), data.at().cast(), data.len()) };
        });
        Ok(())
    }

    fn finalize<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if !self.live {
            return Err(already_finalized(py));
        }
        let (bytes, tag) = new_bytes(py, TAG)?;
        self.live = false;
        // SAFETY: the tag has 16 bytes.
        unsafe { sys::hornet_poly1305_final(self.state.of(), tag.at()) };
        Ok(bytes)
    }

    fn verify(&mut self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut of_tag = Buffer::new();
        let tag = of_tag.read(tag)?;
        if !self.live {
            return Err(already_finalized(py));
        }
        self.live = false;
        // A tag of another length ends the message too.
        let compared = if tag.len() == TAG {
            tag.read()
        } else {
            [0; TAG]
        };
        // SAFETY: the tag has 16 bytes.
        let valid =
            unsafe { sys::hornet_poly1305_final_verify(self.state.of(), compared.as_ptr()) };
        if valid && tag.len() == TAG {
            Ok(())
        } else {
            Err(invalid_signature(py))
        }
    }
}

/// Poly1305 (RFC 8439, section 2.5) under a key of 32 bytes, for one message in pieces: cryptography's class.
///
/// Never use a key for two messages. An object cannot be copied or pickled.
#[pyclass(module = "hornet_poly1305")]
pub(crate) struct Poly1305(Message);

#[pymethods]
impl Poly1305 {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut of_key = Buffer::new();
        let key = Zeroizing::new(fixed::<32>(of_key.read(key)?, KEY)?);
        let mut state = Box::new(State::ended());
        // SAFETY: the key has 32 bytes.
        unsafe { sys::hornet_poly1305_init(state.of(), key.as_ptr()) };
        Ok(Self(Message { state, live: true }))
    }

    /// Return the tag of data under a key of 32 bytes.
    #[staticmethod]
    fn generate_tag<'py>(
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        mac(py, key, data)
    }

    /// Raise InvalidSignature unless tag is that of data under the key.
    #[staticmethod]
    fn verify_tag<'py>(
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        verify(py, key, data, tag)
    }

    /// Append data to the message. Raises AlreadyFinalized after its end, as the other methods do.
    fn update(&mut self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.update(py, data)
    }

    /// End the message and return its tag.
    fn finalize<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.0.finalize(py)
    }

    /// End the message, and raise InvalidSignature unless tag is its tag.
    fn verify(&mut self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.verify(py, tag)
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}
