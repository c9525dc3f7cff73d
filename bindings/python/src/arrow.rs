// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Arrays of Arrow, through its C data interface and its capsules.

use crate::buffers::Span;
use crate::messages::Messages;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const c_void,
    dictionary: *const c_void,
    release: *mut c_void,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const c_void,
    dictionary: *const c_void,
    release: *mut c_void,
    private_data: *mut c_void,
}

/// One of the two structures, which its producer releases: `release` is null afterwards, or a function that is given it.
trait Structure {
    const CAPSULE: &CStr;
    fn release(&mut self) -> &mut *mut c_void;
}

impl Structure for Schema {
    const CAPSULE: &CStr = c"arrow_schema";
    fn release(&mut self) -> &mut *mut c_void {
        &mut self.release
    }
}

impl Structure for Array {
    const CAPSULE: &CStr = c"arrow_array";
    fn release(&mut self) -> &mut *mut c_void {
        &mut self.release
    }
}

/// A structure that was moved out of its capsule, as a consumer does: from then on, nothing that Python does with the
/// capsule releases the memory.
struct Moved<T: Structure>(T);

impl<T: Structure> Moved<T> {
    fn out_of(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        let at = capsule.pointer_checked(Some(T::CAPSULE))?;
        let at = at.cast::<T>().as_ptr();
        // SAFETY: a capsule of this name has this structure. Atomically, because there may be no GIL.
        let release = unsafe { AtomicPtr::from_ptr((*at).release()) };
        let release = release.swap(ptr::null_mut(), Ordering::AcqRel);
        if release.is_null() {
            return Err(PyValueError::new_err(format!(
                "the {} was released, or moved to another consumer",
                T::CAPSULE.to_string_lossy()
            )));
        }
        // SAFETY: as above; it may be moved bitwise, and this is its only owner now.
        let mut moved = Self(unsafe { ptr::read(at) });
        *moved.0.release() = release;
        Ok(moved)
    }
}

impl<T: Structure> Drop for Moved<T> {
    fn drop(&mut self) {
        // SAFETY: it is not null, and has this type in both structures.
        let release = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut T)>(*self.0.release())
        };
        // SAFETY: it is called once. This thread is attached, as a function is that Python called.
        unsafe { release(&raw mut self.0) };
    }
}

/// An array of binaries or strings, whose memory stays until this is dropped.
pub(crate) struct Arrow(Moved<Array>);

impl Arrow {
    /// Returns what the object's `__arrow_c_array__` gives.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<(Self, Messages)> {
        let pair = object.call_method0("__arrow_c_array__")?;
        // A tuple has its elements for good, and nothing of Python's runs to get them.
        let (schema, array) = pair.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()?;
        let schema = Moved::<Schema>::out_of(&schema)?;
        let array = Self(Moved::out_of(&array)?);
        let messages = array.messages(schema.0.format)?;
        Ok((array, messages))
    }

    fn messages(&self, format: *const c_char) -> PyResult<Messages> {
        // SAFETY: a schema has a format, which lives as long as it does.
        let format = unsafe { CStr::from_ptr(format) }.to_bytes();
        // The bytes of each element, if all have as many.
        let row_bytes = format
            .strip_prefix(b"w:")
            .and_then(|number| std::str::from_utf8(number).ok()?.parse::<usize>().ok());
        let wide = match format {
            b"z" | b"u" => false,
            b"Z" | b"U" => true,
            _ if row_bytes.is_some() => false,
            other => {
                return Err(PyTypeError::new_err(format!(
                    "an array of binary, string, large_binary, large_string or fixed_size_binary is needed, not of \
                     format \"{}\"",
                    String::from_utf8_lossy(other)
                )));
            }
        };
        let array = &self.0.0;
        let negative = |_| PyValueError::new_err("the array has a negative length or offset");
        let length = usize::try_from(array.length).map_err(negative)?;
        let offset = usize::try_from(array.offset).map_err(negative)?;
        let buffers = if row_bytes.is_some() { 2_u8 } else { 3 };
        if array.n_buffers != i64::from(buffers) || array.buffers.is_null() {
            return Err(PyValueError::new_err(format!(
                "the array has {} buffers, not {buffers}",
                array.n_buffers
            )));
        }
        // SAFETY: an array of these formats has that many buffers: validity, `offset + length + 1` offsets unless all elements
        // have one length, and data.
        let [validity, offsets, data] =
            unsafe { [0, 1, usize::from(buffers) - 1].map(|i| *array.buffers.add(i)) };
        if array.null_count != 0 && !validity.is_null() {
            for i in 0..length {
                // SAFETY: there is a bit for each element.
                let byte = unsafe { *validity.cast::<u8>().add((offset + i) / 8) };
                if byte >> ((offset + i) % 8) & 1 == 0 {
                    return Err(PyValueError::new_err(format!("message {i} is null")));
                }
            }
        }
        if length == 0 {
            return Ok(Messages::Rows {
                of: Span::EMPTY,
                count: 0,
                row_bytes: 0,
            });
        }
        if let Some(row_bytes) = row_bytes {
            let bytes = |count: usize| count.checked_mul(row_bytes);
            let Some((from, len)) = bytes(offset).zip(bytes(length)) else {
                return Err(PyValueError::new_err("the array is longer than memory"));
            };
            return Ok(Messages::Rows {
                of: Span::new(data.cast_mut().cast::<u8>().wrapping_add(from), len),
                count: length,
                row_bytes,
            });
        }
        if offsets.is_null() {
            return Err(PyValueError::new_err("the array has no offsets"));
        }
        let width = if wide { 8 } else { 4 };
        let offsets = Span::new(
            offsets.cast_mut().cast::<u8>().wrapping_add(width * offset),
            width * (length + 1),
        );
        // How long the data are only the offsets tell: the last is the end of what may be read.
        let end = if wide {
            i64::from_ne_bytes(offsets.part(width * length, width).read())
        } else {
            i32::from_ne_bytes(offsets.part(width * length, width).read()).into()
        };
        let len = usize::try_from(end)
            .map_err(|_| PyValueError::new_err("the array has a negative offset"))?;
        Ok(Messages::Offsets {
            of: Span::new(data.cast_mut().cast(), len),
            offsets,
            wide,
        })
    }
}
