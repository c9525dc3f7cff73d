// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The memory of Python objects, as addresses and lengths.
//!
//! A program may write to a bytearray or an array while another thread authenticates it: with the GIL released, or
//! without a GIL at all. To a Rust reference that would be undefined behaviour, so none is made: addresses go to the
//! C library, for which such a message is torn data. An exported buffer is neither freed nor resized while it is held.

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
#[cfg(not(Py_GIL_DISABLED))]
use pyo3::types::{PyByteArray, PyByteArrayMethods};
use pyo3::types::{PyBytes, PyList, PyString};
use pyo3::{PyErr, ffi};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

/// Some bytes in memory. It keeps nothing alive.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    at: *mut u8,
    len: usize,
}

// SAFETY: an address may be sent anywhere; who uses it must keep the memory alive.
unsafe impl Send for Span {}
// SAFETY: as above.
unsafe impl Sync for Span {}

impl Span {
    pub(crate) const fn new(at: *mut u8, len: usize) -> Self {
        Self { at, len }
    }

    // Closures capture a span by its methods, and an address alone by its field, which may not be sent.

    pub(crate) const fn at(self) -> *mut u8 {
        self.at
    }

    pub(crate) const fn len(self) -> usize {
        self.len
    }

    pub(crate) const EMPTY: Self = Self::new(ptr::null_mut(), 0);

    /// Returns the part from `start` on, of `len` bytes, which must be within the span.
    pub(crate) fn part(self, start: usize, len: usize) -> Self {
        debug_assert!(start <= self.len() && len <= self.len() - start);
        Self::new(self.at().wrapping_add(start), len)
    }

    /// Returns whether the two have a byte in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        let (a, b) = (self.at() as usize, other.at() as usize);
        self.len() != 0 && other.len() != 0 && a < b + other.len() && b < a + self.len()
    }

    /// Copies bytes of another span, which has the same length and does not overlap this one.
    pub(crate) fn copy(self, from: Self) {
        assert!(self.len() == from.len());
        if self.len() != 0 {
            // SAFETY: both have as many bytes.
            unsafe { ptr::copy_nonoverlapping(from.at(), self.at(), self.len()) };
        }
    }

    /// Returns the bytes, read once.
    pub(crate) fn read<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        assert!(N <= self.len());
        // SAFETY: the span has N bytes.
        unsafe { ptr::copy_nonoverlapping(self.at(), bytes.as_mut_ptr(), N) };
        bytes
    }
}

impl Span {
    /// Returns a copy of the bytes.
    ///
    /// # Errors
    ///
    /// `MemoryError`.
    pub(crate) fn to_vec(self) -> PyResult<Vec<u8>> {
        let mut bytes = with_room_for(self.len())?;
        // SAFETY: there is room for these bytes, which the span has.
        unsafe {
            ptr::copy_nonoverlapping(self.at(), bytes.as_mut_ptr(), self.len());
            bytes.set_len(self.len());
        }
        Ok(bytes)
    }
}

/// Returns an empty vector with room for that many elements.
///
/// # Errors
///
/// `MemoryError`.
pub(crate) fn with_room_for<T>(count: usize) -> PyResult<Vec<T>> {
    let mut vector = Vec::new();
    let reserved = vector.try_reserve_exact(count);
    reserved.map_err(|_| PyMemoryError::new_err(()))?;
    Ok(vector)
}

/// Returns the elements of an iterable other than a string, as Python's `list` has them. PyO3's conversion to `Vec` panics
/// or aborts if `__len__` says too much.
///
/// # Errors
///
/// `TypeError`, `MemoryError`, and what the iterator raises.
pub(crate) fn elements<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyString>() {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a list is needed, not {kind}"
        )));
    }
    let list = object.py().get_type::<PyList>().call1((object,))?;
    Ok(list.cast_into::<PyList>()?.iter().collect())
}

/// The memory of a Python object, held until it is dropped. It must stay where it is once it has been filled, which
/// the lifetime of `fill`'s borrow ensures: objects that export memory may keep the address of the view.
pub(crate) struct Buffer<'py> {
    view: MaybeUninit<ffi::Py_buffer>,
    held: bool,
    of: PhantomData<Bound<'py, PyAny>>,
}

impl<'py> Buffer<'py> {
    pub(crate) const fn new() -> Self {
        Self {
            view: MaybeUninit::uninit(),
            held: false,
            of: PhantomData,
        }
    }

    fn fill(&mut self, object: &Bound<'py, PyAny>, flags: c_int) -> PyResult<&ffi::Py_buffer> {
        assert!(!self.held);
        // SAFETY: the object is alive, and the view is filled if the call succeeds.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), self.view.as_mut_ptr(), flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        self.held = true;
        // SAFETY: as above.
        Ok(unsafe { self.view.assume_init_ref() })
    }

    /// Returns the bytes of an object: of `bytes`, or of any other whose memory is contiguous.
    ///
    /// # Errors
    ///
    /// `TypeError` if it has no buffer, `BufferError` if that is not contiguous.
    pub(crate) fn read(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Span> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            let bytes = bytes.as_bytes(); // which never change; who calls holds the object, as an argument
            return Ok(Span::new(bytes.as_ptr().cast_mut(), bytes.len()));
        }
        match self.fill(object, ffi::PyBUF_SIMPLE) {
            Ok(view) => span(view),
            Err(error) => Err(refused(object, error, false)),
        }
    }

    /// The same, for writing.
    ///
    /// # Errors
    ///
    /// `TypeError` if the object has no buffer or a read-only one, `BufferError` if it is not contiguous.
    pub(crate) fn write(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Span> {
        match self.fill(object, ffi::PyBUF_WRITABLE) {
            Ok(view) => span(view),
            Err(error) => Err(refused(object, error, true)),
        }
    }

    /// The same for a call that may write a part of the memory: its elements must be bytes, and not addresses of objects.
    ///
    /// # Errors
    ///
    /// The same, and `TypeError` for other elements.
    pub(crate) fn write_part(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Span> {
        match self.fill(object, ffi::PyBUF_WRITABLE) {
            Ok(view) if view.itemsize == 1 => span(view),
            Ok(_) => Err(PyTypeError::new_err("Buffer does not consist of bytes.")),
            Err(error) => Err(refused(object, error, true)),
        }
    }

    /// The same for a call that neither runs Python nor gives up the GIL before it has written: then a bytearray needs no
    /// export to stay as it is.
    pub(crate) fn write_now(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Span> {
        #[cfg(not(Py_GIL_DISABLED))]
        if let Ok(array) = object.cast_exact::<PyByteArray>()
            && !array.is_empty()
        {
            return Ok(Span::new(array.data(), array.len()));
        }
        self.write(object)
    }

    /// The same for a call that gives up the GIL only if the object has `long` bytes or more.
    pub(crate) fn write_short(
        &mut self,
        object: &Bound<'py, PyAny>,
        long: usize,
    ) -> PyResult<Span> {
        let span = self.write_now(object)?;
        if self.held || span.len() < long {
            Ok(span)
        } else {
            self.write(object)
        }
    }

    /// Returns an array of 64-bit integers.
    ///
    /// # Errors
    ///
    /// `TypeError` unless it is C-contiguous and its elements are signed integers of 8 bytes.
    pub(crate) fn int64(&mut self, name: &str, object: &Bound<'py, PyAny>) -> PyResult<Span> {
        let wrong =
            || PyTypeError::new_err(format!("{name} must be a C-contiguous array of int64"));
        let view = match self.fill(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT) {
            Ok(view) => view,
            Err(error) if is_refusal(object.py(), &error) => return Err(wrong()),
            Err(error) => return Err(error),
        };
        // SAFETY: with PyBUF_FORMAT, the format is null, which stands for bytes, or a string.
        let format =
            (!view.format.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(view.format) });
        let format = format.map_or(&b"B"[..], std::ffi::CStr::to_bytes);
        let known = matches!(
            format,
            b"q" | b"l" | b"=q" | b"<q" | b"@q" | b"@l" | b"<l" | b"=l"
        );
        if view.itemsize != 8
            || view.ndim != 1
            || !known
            || cfg!(target_endian = "big") && format[0] == b'<'
        {
            return Err(wrong());
        }
        span(view)
    }

    /// Returns an object of two dimensions, and the number of its rows.
    ///
    /// # Errors
    ///
    /// `TypeError` if it has no buffer, `BufferError` if that is not contiguous, `ValueError` if it has not two dimensions.
    pub(crate) fn rows(
        &mut self,
        name: &str,
        object: &Bound<'py, PyAny>,
    ) -> PyResult<(Span, usize)> {
        let view = match self.fill(object, ffi::PyBUF_ND) {
            Ok(view) => view,
            Err(error) => return Err(refused(object, error, false)),
        };
        if view.ndim != 2 {
            return Err(PyValueError::new_err(format!(
                "{name} must have 2 dimensions, not {}",
                view.ndim
            )));
        }
        // SAFETY: with PyBUF_ND, the shape has ndim numbers.
        let count = unsafe { *view.shape };
        let count = usize::try_from(count)
            .map_err(|_| PyValueError::new_err(format!("{name} has a negative shape")))?;
        Ok((span(view)?, count))
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        if self.held {
            // SAFETY: the view was filled, and is released once. Buffers live on the stack of a function that Python
            // called, so that this thread is attached.
            unsafe { ffi::PyBuffer_Release(self.view.as_mut_ptr()) };
        }
    }
}

/// Whether an object raised this because it has no such buffer, and not, say, because it was interrupted.
fn is_refusal(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyValueError>(py)
}

/// Returns what pyca raises for an object that refused its buffer: `BufferError` if it is not contiguous, else `TypeError`.
/// Objects differ: for the first, NumPy's arrays raise `ValueError`, and so does a released memoryview.
#[cold]
fn refused(object: &Bound<'_, PyAny>, error: PyErr, writable: bool) -> PyErr {
    let py = object.py();
    if !is_refusal(py, &error) {
        return error;
    }
    let text = error.value(py).to_string();
    match Buffer::new().fill(object, ffi::PyBUF_FULL_RO) {
        Ok(view) if writable && view.readonly != 0 => {
            PyTypeError::new_err("Buffer is not writable.")
        }
        Ok(_) => PyBufferError::new_err(text),
        Err(_) => PyTypeError::new_err(text),
    }
}

fn span(view: &ffi::Py_buffer) -> PyResult<Span> {
    let len = usize::try_from(view.len)
        .map_err(|_| PyValueError::new_err("the buffer has a negative length"))?;
    Ok(if len == 0 {
        Span::EMPTY
    } else {
        Span::new(view.buf.cast(), len)
    })
}

/// Returns a new `bytes` of that length, and its memory, which is to be written before Python sees it.
///
/// # Errors
///
/// `MemoryError`.
pub(crate) fn new_bytes(py: Python<'_>, len: usize) -> PyResult<(Bound<'_, PyBytes>, Span)> {
    let size = isize::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: this makes an object, or sets an error and returns null. Its memory may be written as long as no one
    // else has it: made from no bytes, only that of length 0 is shared, of which nothing is written.
    unsafe {
        let object = ffi::PyBytes_FromStringAndSize(ptr::null(), size);
        let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>();
        let at = ffi::PyBytes_AsString(object).cast::<u8>();
        Ok((bytes, Span::new(at, len)))
    }
}

unsafe extern "C" {
    // It is in the stable ABI; PyO3 keeps its declaration to itself.
    fn _PyBytes_Resize(bytes: *mut *mut ffi::PyObject, newsize: ffi::Py_ssize_t) -> c_int;
}

/// Returns `bytes` that nobody else has yet, cut to those from `start` on, `len` many.
///
/// # Errors
///
/// `MemoryError`.
pub(crate) fn cut(
    bytes: Bound<'_, PyBytes>,
    start: usize,
    len: usize,
) -> PyResult<Bound<'_, PyBytes>> {
    let py = bytes.py();
    assert!(start + len <= bytes.as_bytes().len());
    let size = isize::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
    let mut object = bytes.into_ptr();
    // SAFETY: the bytes have that many from start on. The call takes the only reference to them, and leaves one to shorter
    // bytes, or sets an error and leaves null.
    unsafe {
        let at = ffi::PyBytes_AsString(object);
        ptr::copy(at.add(start), at, len);
        _PyBytes_Resize(&raw mut object, size);
        Ok(Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked())
    }
}

/// Returns the bytes, or `ValueError` with the text if there are not N.
pub(crate) fn fixed<const N: usize>(span: Span, what: &str) -> PyResult<[u8; N]> {
    if span.len() == N {
        Ok(span.read())
    } else {
        Err(PyValueError::new_err(format!("{what}, not {}", span.len())))
    }
}
