// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Long texts in chunks, each of which is released only after its own tag was verified: the payload of
//! age v1 files (<https://c2sp.org/age>), which is STREAM with ChaCha20-Poly1305.
//!
//! A text is cut into chunks of 65536 bytes, of which the last may be shorter. Each is sealed with its
//! number and whether it is the last, so chunks that are changed, moved, repeated or left out are not
//! authentic, nor is a text that ends early, nor one that goes on.
//!
//! `Writer` and `Reader`, of the feature `std`, seal and open a text from beginning to end, and the reader
//! also from any position. The functions of [`Key`] seal and open chunks in any order, on any number of
//! threads.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use hornet::stream::{Key, Reader, Writer};
//! use std::io::{Read, Write};
//!
//! let mut writer = Writer::new(Key::new(&[7; 32]), Vec::new());
//! writer.write_all(b"a long text")?;
//! let sealed = writer.finish()?;
//!
//! let mut text = String::new();
//! Reader::new(Key::new(&[7; 32]), &sealed[..]).read_to_string(&mut text)?;
//! assert_eq!(text, "a long text");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **One key, one text.** Derive a fresh key for each text, as age does from a random key and a random
//! nonce of 16 bytes, by HKDF-SHA-256.

mod error;
#[cfg(feature = "std")]
mod reader;
#[cfg(all(test, feature = "std"))]
mod tests;
#[cfg(feature = "std")]
mod writer;

pub use error::{ChunksError, OpenError};
#[cfg(feature = "std")]
pub use reader::Reader;
#[cfg(feature = "std")]
pub use writer::Writer;

use crate::ffi;
use crate::key::{from_bytes, wiped_key};
use zeroize::Zeroize;

/// The length of each chunk but the last, which may have fewer bytes: 65536.
pub const CHUNK_BYTES: usize = 65536;

/// The length of a tag in bytes: 16.
pub const TAG_BYTES: usize = 16;

/// The length of a chunk of 65536 bytes and its tag: 65552 bytes.
pub const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + TAG_BYTES;

/// Returns the length of a sealed text from that of the text, or `None` if it is above 2^64 - 1.
#[must_use]
pub fn sealed_bytes(text_bytes: u64) -> Option<u64> {
    let mut bytes = 0;
    // SAFETY: writes a number.
    unsafe { ffi::hornet_stream_sealed_bytes(&raw mut bytes, text_bytes) }.then_some(bytes)
}

/// Returns the length of the text from that of the sealed text, or `None` if no sealed text has it.
#[must_use]
pub fn text_bytes(sealed_bytes: u64) -> Option<u64> {
    let mut bytes = 0;
    // SAFETY: writes a number.
    unsafe { ffi::hornet_stream_text_bytes(&raw mut bytes, sealed_bytes) }.then_some(bytes)
}

/// The key of one text: 32 secret bytes. Wiped when dropped. It has neither `==` nor `Clone`.
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// The length of a key in bytes: 32.
    pub const BYTES: usize = 32;

    /// Copies the bytes of a key. The caller should wipe its own copy.
    #[must_use]
    pub const fn new(key: &[u8; Key::BYTES]) -> Self {
        Self(*key)
    }

    /// Seals consecutive chunks, the first of which has the number `first`, with a tag after each. If
    /// `last`, the text ends with them; otherwise its length must be a multiple of 65536 bytes.
    ///
    /// ```
    /// use hornet::stream::{CHUNK_BYTES, Key, sealed_bytes};
    /// let key = Key::new(&[7; 32]);
    /// let text = vec![1; 2 * CHUNK_BYTES + 100];
    ///
    /// // Two threads could do this.
    /// let (early, late) = text.split_at(CHUNK_BYTES);
    /// let mut sealed = vec![0; text.len() + 3 * 16];
    /// let (to_early, to_late) = sealed.split_at_mut(CHUNK_BYTES + 16);
    /// key.seal(1, true, late, to_late)?;
    /// key.seal(0, false, early, to_early)?;
    ///
    /// let mut opened = vec![0; text.len()];
    /// key.open(0, true, &sealed, &mut opened)?;
    /// assert_eq!(opened, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ChunksError`] if there can be no such chunks, or `sealed` has not the length that they need.
    pub fn seal(
        &self,
        first: u64,
        last: bool,
        text: &[u8],
        sealed: &mut [u8],
    ) -> Result<(), ChunksError> {
        check_output(needed_bytes(first, last, text.len())?, sealed.len())?;
        let (output, input) = (sealed.as_mut_ptr(), text.as_ptr());
        // SAFETY: `sealed` has room for the text and its tags; it is a `&mut` and overlaps nothing.
        unsafe { self.seal_raw(first, last, output, input, text.len()) }
    }

    /// Does the same with memory to which Rust may not make a reference: `len_bytes` bytes from `text` on.
    ///
    /// # Errors
    ///
    /// As [`seal`](Self::seal).
    ///
    /// # Safety
    ///
    /// `text` must be readable for `len_bytes` bytes, and `sealed` writable for as many and 16 more for each
    /// chunk. They must not overlap, or, of a single chunk, be the same.
    pub unsafe fn seal_raw(
        &self,
        first: u64,
        last: bool,
        sealed: *mut u8,
        text: *const u8,
        len_bytes: usize,
    ) -> Result<(), ChunksError> {
        needed_bytes(first, last, len_bytes)?;
        let (sealed, text) = (sealed.cast(), text.cast());
        // SAFETY: as the caller promises.
        let done = unsafe {
            ffi::hornet_stream_seal(sealed, text, len_bytes, first, last, self.0.as_ptr())
        };
        done.then_some(()).ok_or(ChunksError::Number)
    }

    /// Opens consecutive chunks, the first of which has the number `first`, with their tags. If `last`,
    /// the last of them must be the end of the text.
    ///
    /// # Errors
    ///
    /// [`OpenError::Changed`] names the first chunk that is not authentic; [`OpenError::CutOff`] and
    /// [`OpenError::GoesOn`] say that it would be as one before the end, or as the end. `text` is then
    /// filled with zeros. [`OpenError::Chunks`] if there can be no such chunks, or `text` has not
    /// the length of theirs.
    pub fn open(
        &self,
        first: u64,
        last: bool,
        sealed: &[u8],
        text: &mut [u8],
    ) -> Result<(), OpenError> {
        check_output(opened_bytes(first, last, sealed.len())?, text.len())?;
        let (output, input) = (text.as_mut_ptr(), sealed.as_ptr());
        // SAFETY: `text` has the length of the text; it is a `&mut` and overlaps nothing.
        unsafe { self.open_raw(first, last, output, input, sealed.len()) }
    }

    /// Does the same with memory to which Rust may not make a reference: `sealed_bytes` bytes from `sealed`
    /// on.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    ///
    /// # Safety
    ///
    /// `sealed` must be readable for `sealed_bytes` bytes, and `text` writable for 16 less for each chunk. They
    /// must not overlap.
    pub unsafe fn open_raw(
        &self,
        first: u64,
        last: bool,
        text: *mut u8,
        sealed: *const u8,
        sealed_bytes: usize,
    ) -> Result<(), OpenError> {
        opened_bytes(first, last, sealed_bytes)?;
        // SAFETY: as the caller promises.
        let opened = unsafe { self.open_unexplained(first, last, text, sealed, sealed_bytes) };
        let Err(OpenError::Changed(number)) = opened else {
            return opened;
        };
        // Is it authentic with the other end?
        let error = OpenError::Changed(number);
        let begin =
            usize::try_from(number - first).map_or(sealed_bytes, |n| n * SEALED_CHUNK_BYTES);
        if sealed_bytes - begin < SEALED_CHUNK_BYTES {
            return Err(error);
        }
        let last = last && sealed_bytes - begin == SEALED_CHUNK_BYTES;
        // SAFETY: both have at least the bytes of one chunk.
        let other = unsafe {
            let chunk = sealed.add(begin);
            let other = self.open_unexplained(number, !last, text, chunk, SEALED_CHUNK_BYTES);
            text.write_bytes(0, CHUNK_BYTES);
            other
        };
        Err(match other {
            Ok(()) if last => OpenError::CutOff(number.saturating_add(1)),
            Ok(()) => OpenError::GoesOn(number),
            Err(_) => error,
        })
    }

    /// Seals one chunk where it is: all of `chunk` but the last 16 bytes, in place of which it writes the
    /// tag.
    ///
    /// # Errors
    ///
    /// [`ChunksError`] if there can be no such chunk.
    pub fn seal_in_place(
        &self,
        number: u64,
        last: bool,
        chunk: &mut [u8],
    ) -> Result<(), ChunksError> {
        opened_bytes(number, last, chunk.len()).and_then(one_chunk)?;
        let (text, len_bytes) = (chunk.as_mut_ptr(), chunk.len() - TAG_BYTES);
        // SAFETY: `chunk` has that many bytes and 16 more.
        unsafe { self.seal_raw(number, last, text, text, len_bytes) }
    }

    /// Opens one chunk where it is, with the tag at its end, and returns its text.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), but it does not tell whether a chunk has the other end.
    pub fn open_in_place<'c>(
        &self,
        number: u64,
        last: bool,
        chunk: &'c mut [u8],
    ) -> Result<&'c mut [u8], OpenError> {
        let len_bytes = opened_bytes(number, last, chunk.len()).and_then(one_chunk)?;
        let text = chunk.as_mut_ptr();
        // SAFETY: `chunk` is one chunk.
        unsafe { self.open_unexplained(number, last, text, text, chunk.len())? };
        Ok(&mut chunk[..len_bytes])
    }

    /// # Safety
    ///
    /// As for `hornet_stream_open`.
    unsafe fn open_unexplained(
        &self,
        first: u64,
        last: bool,
        text: *mut u8,
        sealed: *const u8,
        sealed_bytes: usize,
    ) -> Result<(), OpenError> {
        let (text, sealed, key) = (text.cast(), sealed.cast(), self.0.as_ptr());
        let mut failed = first;
        let to = &raw mut failed;
        // SAFETY: as the caller promises.
        let opened =
            unsafe { ffi::hornet_stream_open(text, to, sealed, sealed_bytes, first, last, key) };
        opened.then_some(()).ok_or(OpenError::Changed(failed))
    }
}

/// Returns the number of chunks, if there is one, and only the last is short.
fn count(first: u64, last: bool, len_bytes: usize) -> Option<usize> {
    let whole = len_bytes % CHUNK_BYTES == 0;
    let can_be = if len_bytes == 0 {
        last && first == 0
    } else {
        last || whole
    };
    can_be.then(|| len_bytes.div_ceil(CHUNK_BYTES).max(1))
}

/// Returns the length of the sealed text, if there can be such chunks.
fn needed_bytes(first: u64, last: bool, len_bytes: usize) -> Result<usize, ChunksError> {
    let count = count(first, last, len_bytes).ok_or(ChunksError::Text(len_bytes))?;
    check_number(first, count)?;
    Ok(len_bytes.saturating_add(count.saturating_mul(TAG_BYTES)))
}

fn check_number(first: u64, count: usize) -> Result<(), ChunksError> {
    let end = first.checked_add(count as u64 - 1);
    end.map(drop).ok_or(ChunksError::Number)
}

fn check_output(needed: usize, found: usize) -> Result<(), ChunksError> {
    if needed == found {
        return Ok(());
    }
    Err(ChunksError::Output { needed, found })
}

/// Returns the length of the text of chunks, if there can be such.
fn opened_bytes(first: u64, last: bool, sealed: usize) -> Result<usize, ChunksError> {
    let wrong = ChunksError::Sealed(sealed);
    let text = text_bytes(sealed as u64).and_then(|bytes| usize::try_from(bytes).ok());
    let text = text.ok_or(wrong)?;
    check_number(first, count(first, last, text).ok_or(wrong)?)?;
    Ok(text)
}

/// Refuses a text of more than one chunk.
fn one_chunk(text_bytes: usize) -> Result<usize, ChunksError> {
    if text_bytes > CHUNK_BYTES {
        return Err(ChunksError::Text(text_bytes));
    }
    Ok(text_bytes)
}

wiped_key!(Key);
from_bytes!(Key, Key::BYTES);

/// A chunk and its tag, and a byte of the next. Wiped when dropped.
#[cfg(feature = "std")]
struct Buffer(alloc::vec::Vec<u8>);

#[cfg(feature = "std")]
impl Buffer {
    fn new() -> Self {
        Self(alloc::vec![0; SEALED_CHUNK_BYTES + 1])
    }
}

#[cfg(feature = "std")]
impl Drop for Buffer {
    fn drop(&mut self) {
        self.0.as_mut_slice().zeroize();
    }
}
