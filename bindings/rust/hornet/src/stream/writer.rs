// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Seals what is written.

use crate::stream::{Buffer, CHUNK_BYTES, ChunksError, Key, TAG_BYTES};
use core::fmt;
use std::io::{self, Write};

/// Seals a text that is written to it, and writes the chunks to `W`.
///
/// **A text has its end only after [`finish`](Self::finish).** Without it, a reader refuses the text as
/// cut off. Takes 64 KiB of memory, which is wiped when it is dropped.
pub struct Writer<W> {
    inner: W,
    key: Key,
    /// The first `len_bytes` bytes are text that waits.
    buffer: Buffer,
    len_bytes: usize,
    /// The number of the next chunk.
    number: u64,
    /// A chunk may have been written in part, so nothing can follow it.
    failed: bool,
}

impl<W: Write> Writer<W> {
    /// Starts a text, the only one under this key.
    pub fn new(key: Key, inner: W) -> Self {
        Self {
            inner,
            key,
            buffer: Buffer::new(),
            len_bytes: 0,
            number: 0,
            failed: false,
        }
    }

    /// Seals what waits as the last chunk, flushes, and returns `W`.
    ///
    /// # Errors
    ///
    /// Those of `W`, now or before.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    /// Seals what waits. A chunk that could not be written is not sealed again, perhaps with other bytes.
    fn seal(&mut self, last: bool) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("an earlier chunk was not written"));
        }
        self.failed = true;
        let chunk = &mut self.buffer.0[..self.len_bytes + TAG_BYTES];
        self.key
            .seal_in_place(self.number, last, chunk)
            .map_err(io::Error::other)?;
        self.inner.write_all(chunk)?;
        if !last {
            let next = self.number.checked_add(1);
            self.number = next.ok_or_else(|| io::Error::other(ChunksError::Number))?;
        }
        self.len_bytes = 0;
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for Writer<W> {
    /// Takes up to a chunk. A chunk is sealed when the first byte after it arrives, since it may be the
    /// last.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if text.is_empty() {
            return Ok(0);
        }
        if self.len_bytes == CHUNK_BYTES || self.failed {
            self.seal(false)?;
        }
        let taken = text.len().min(CHUNK_BYTES - self.len_bytes);
        self.buffer.0[self.len_bytes..][..taken].copy_from_slice(&text[..taken]);
        self.len_bytes += taken;
        Ok(taken)
    }

    /// Flushes `W`. The text that waits for the rest of its chunk is not written.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Shows neither the key nor the text.
impl<W> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
