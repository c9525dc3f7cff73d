// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many messages in one buffer: rows of equal length, parts that starts and lengths name, or an array of Arrow.

use crate::arrow::Arrow;
use crate::batch::count_is;
use crate::buffers::{Buffer, Span};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ffi::c_void;
use std::ptr;

/// Where each message is. The numbers are read once for each message and checked then, because other threads may write
/// to these arrays.
#[derive(Clone, Copy)]
pub(crate) enum Messages {
    /// `count` rows of `row_bytes` bytes.
    Rows {
        of: Span,
        count: usize,
        row_bytes: usize,
    },
    /// Message i is the `lengths[i]` bytes of `of` from `starts[i]` on; both are of 64 bits.
    Parts {
        of: Span,
        starts: Span,
        lengths: Span,
    },
    /// Message i is from `offsets[i]` to `offsets[i + 1]`, of 32 or 64 bits, as Arrow has them. `of.len()` is the last.
    Offsets { of: Span, offsets: Span, wide: bool },
}

fn number(of: Span, i: usize) -> i64 {
    i64::from_ne_bytes(of.part(8 * i, 8).read())
}

fn narrow(of: Span, i: usize) -> i64 {
    i64::from(i32::from_ne_bytes(of.part(4 * i, 4).read()))
}

impl Messages {
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Rows { count, .. } => *count,
            Self::Parts { starts, .. } => starts.len() / 8,
            Self::Offsets { offsets, wide, .. } => offsets.len() / if *wide { 8 } else { 4 } - 1,
        }
    }

    /// Returns the memory that all messages are in.
    pub(crate) fn values(&self) -> Span {
        match self {
            Self::Rows { of, .. } | Self::Parts { of, .. } | Self::Offsets { of, .. } => *of,
        }
    }

    /// Returns the arrays that say where the messages are.
    pub(crate) fn arrays(&self) -> [Span; 2] {
        match self {
            Self::Rows { .. } => [Span::EMPTY; 2],
            Self::Parts {
                starts, lengths, ..
            } => [*starts, *lengths],
            Self::Offsets { offsets, .. } => [*offsets, Span::EMPTY],
        }
    }

    /// Returns message i, or what is wrong with it.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> Result<Span, String> {
        match *self {
            Self::Rows { of, row_bytes, .. } => return Ok(of.part(i * row_bytes, row_bytes)),
            Self::Parts {
                of,
                starts,
                lengths,
            } => return named(of, starts, lengths, i),
            Self::Offsets { .. } => {}
        }
        let (mut at, mut len) = ([ptr::null()], [0]);
        self.fill(i, &mut at, &mut len)?;
        Ok(Span::new(at[0].cast_mut().cast(), len[0]))
    }

    /// Writes the addresses and lengths of messages from `first` on, as many as the arrays have elements, or returns what
    /// is wrong with one. The arrays have the same length.
    pub(crate) fn fill(
        &self,
        first: usize,
        at: &mut [*const c_void],
        lens: &mut [usize],
    ) -> Result<(), String> {
        match *self {
            Self::Rows { of, row_bytes, .. } => {
                for (i, at) in at.iter_mut().enumerate() {
                    *at = address(of.part((first + i) * row_bytes, row_bytes));
                }
                lens.fill(row_bytes);
            }
            Self::Parts {
                of,
                starts,
                lengths,
            } => {
                for (i, (at, len)) in at.iter_mut().zip(lens).enumerate() {
                    let part = named(of, starts, lengths, first + i)?;
                    (*at, *len) = (address(part), part.len());
                }
            }
            Self::Offsets { of, offsets, wide } => {
                let offset = |i| {
                    if wide {
                        number(offsets, i)
                    } else {
                        narrow(offsets, i)
                    }
                };
                let mut start = offset(first);
                for (i, (at, len)) in at.iter_mut().zip(lens).enumerate() {
                    let end = offset(first + i + 1);
                    let numbers = (start, end.wrapping_sub(start));
                    let part =
                        within(of, numbers).ok_or_else(|| outside(of, first + i, numbers))?;
                    (*at, *len) = (address(part), part.len());
                    start = end;
                }
            }
        }
        Ok(())
    }
}

fn address(of: Span) -> *const c_void {
    of.at().cast_const().cast()
}

/// Returns the part of these bytes that a start and a length name, if there is one.
fn within(of: Span, (start, len): (i64, i64)) -> Option<Span> {
    let (start, len) = (usize::try_from(start).ok()?, usize::try_from(len).ok()?);
    (start <= of.len() && len <= of.len() - start).then(|| of.part(start, len))
}

/// Returns the part of these bytes that start and length i name, or what is wrong with them.
#[inline]
fn named(of: Span, starts: Span, lengths: Span, i: usize) -> Result<Span, String> {
    let numbers = (number(starts, i), number(lengths, i));
    within(of, numbers).ok_or_else(|| outside(of, i, numbers))
}

#[cold]
fn outside(of: Span, i: usize, (start, len): (i64, i64)) -> String {
    format!(
        "message {i}: {len} bytes from {start} on are not within the {} bytes of values",
        of.len()
    )
}

/// The buffers of messages, while they are held.
pub(crate) struct Held<'py> {
    values: Buffer<'py>,
    starts: Buffer<'py>,
    lengths: Buffer<'py>,
    arrow: Option<Arrow>,
}

impl<'py> Held<'py> {
    pub(crate) const fn new() -> Self {
        Self {
            values: Buffer::new(),
            starts: Buffer::new(),
            lengths: Buffer::new(),
            arrow: None,
        }
    }

    /// Returns the rows of an object of two dimensions.
    pub(crate) fn rows(&mut self, rows: &Bound<'py, PyAny>) -> PyResult<Messages> {
        let (of, count) = self.values.rows("rows", rows)?;
        let row_bytes = of.len().checked_div(count).unwrap_or(0);
        Ok(Messages::Rows {
            of,
            count,
            row_bytes,
        })
    }

    /// Returns the parts that starts and lengths name.
    pub(crate) fn parts(
        &mut self,
        values: &Bound<'py, PyAny>,
        starts: &Bound<'py, PyAny>,
        lengths: &Bound<'py, PyAny>,
    ) -> PyResult<Messages> {
        let of = self.values.read(values)?;
        self.parts_of(of, starts, lengths)
    }

    /// The same of memory that may be written.
    pub(crate) fn writable_parts(
        &mut self,
        values: &Bound<'py, PyAny>,
        starts: &Bound<'py, PyAny>,
        lengths: &Bound<'py, PyAny>,
    ) -> PyResult<Messages> {
        let of = self.values.write(values)?;
        self.parts_of(of, starts, lengths)
    }

    fn parts_of(
        &mut self,
        of: Span,
        starts: &Bound<'py, PyAny>,
        lengths: &Bound<'py, PyAny>,
    ) -> PyResult<Messages> {
        let starts = self.starts.int64("starts", starts)?;
        let lengths = self.lengths.int64("lengths", lengths)?;
        if starts.len() == lengths.len() {
            Ok(Messages::Parts {
                of,
                starts,
                lengths,
            })
        } else {
            Err(PyValueError::new_err(format!(
                "{} starts, but {} lengths",
                starts.len() / 8,
                lengths.len() / 8
            )))
        }
    }

    /// Returns the keys of packets, of `each` bytes: one, or one for each packet, in a buffer or in an array of Arrow.
    pub(crate) fn keys(
        &mut self,
        key: &Bound<'py, PyAny>,
        each: usize,
        count: usize,
    ) -> PyResult<Messages> {
        if key.hasattr("__arrow_c_array__")? {
            let keys = self.arrow(key)?;
            if keys.count() == count {
                return Ok(keys);
            }
            return Err(PyValueError::new_err(format!(
                "{} keys for {count} packets",
                keys.count()
            )));
        }
        let of = self.values.read(key)?;
        if of.len() != each {
            let name = format!("key, if it is not one of {each} bytes,");
            count_is(of, each, count, &name)?;
        }
        Ok(Messages::Rows {
            of,
            count: of.len() / each,
            row_bytes: each,
        })
    }

    /// Returns the elements of an array that has `__arrow_c_array__`, of binaries or strings.
    pub(crate) fn arrow(&mut self, array: &Bound<'py, PyAny>) -> PyResult<Messages> {
        let (array, messages) = Arrow::of(array)?;
        self.arrow = Some(array);
        Ok(messages)
    }
}
