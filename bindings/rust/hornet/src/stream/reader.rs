// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Opens what is read.

use crate::stream::{
    Buffer, CHUNK_BYTES, Key, OpenError, SEALED_CHUNK_BYTES, TAG_BYTES, text_bytes,
};
use core::fmt;
use core::ops::Range;
use std::io::{self, Read, Seek, SeekFrom};

/// Opens a sealed text that it reads from `R`, to its end, and gives out the bytes of a chunk only after
/// all of it was verified. The end of the text is authentic too: reading returns 0 only there.
///
/// If `R` can seek, so can the reader: it then verifies the last chunk first, which shows how long the text
/// is, and reads the chunks that are needed. The sealed text must end where `R` ends.
///
/// What does not open gives an error of the kind `InvalidData` around an [`OpenError`], again at each later
/// call. Takes 64 KiB of memory, which is wiped when it is dropped.
pub struct Reader<R> {
    inner: R,
    key: Key,
    /// A chunk that is read, and the first byte of the next.
    sealed: Buffer,
    /// The text of the chunk before.
    text: Buffer,
    /// How many bytes of a chunk were read, while it is not complete.
    filled: usize,
    /// The last byte of `sealed` is the first one of the next chunk.
    ahead: bool,
    /// Where in `text` there is text that is authentic, and was not given out.
    ready: Range<usize>,
    /// The number of the next chunk.
    number: u64,
    /// How many bytes of its text are to be left out.
    skip: usize,
    /// Where in the text the next byte is that will be given out.
    position: u64,
    /// Bytes that were read of `R`, in sequence.
    taken: u64,
    /// Where in `R` the sealed text begins, if that was asked.
    begin: Option<u64>,
    /// There is no next chunk.
    ended: bool,
    /// What the last chunk showed, if it was verified first.
    whole: Option<Whole>,
    /// `R` is not where the next chunk is: an error came while it sought.
    astray: bool,
    failed: Option<OpenError>,
}

#[derive(Clone, Copy)]
struct Whole {
    /// Where in `R` the sealed text begins.
    begin: u64,
    text_bytes: u64,
}

impl Whole {
    fn last(self) -> u64 {
        self.text_bytes.saturating_sub(1) / CHUNK_BYTES as u64
    }

    /// The length of the text of a chunk.
    fn chunk_bytes(self, number: u64) -> usize {
        let left = self.text_bytes - number * CHUNK_BYTES as u64;
        usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES))
    }
}

impl<R: Read> Reader<R> {
    /// Reads a text from its first chunk on.
    pub fn new(key: Key, inner: R) -> Self {
        Self {
            inner,
            key,
            sealed: Buffer::new(),
            text: Buffer::new(),
            filled: 0,
            ahead: false,
            ready: 0..0,
            number: 0,
            skip: 0,
            position: 0,
            taken: 0,
            begin: None,
            ended: false,
            whole: None,
            astray: false,
            failed: None,
        }
    }

    /// Returns what it reads from.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Reads and opens the next chunk.
    fn next(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        if self.ahead {
            self.sealed.0[0] = self.sealed.0[SEALED_CHUNK_BYTES];
            self.filled = 1;
            self.ahead = false;
        }
        // One byte more shows whether this chunk is the last.
        let most = self.whole.map_or(SEALED_CHUNK_BYTES + 1, |whole| {
            whole.chunk_bytes(self.number) + TAG_BYTES
        });
        while self.filled < most {
            match self.inner.read(&mut self.sealed.0[self.filled..most]) {
                Ok(0) => break,
                Ok(count) => {
                    self.filled += count;
                    self.taken += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let last = match self.whole {
            Some(whole) => self.number == whole.last(),
            None => self.filled <= SEALED_CHUNK_BYTES,
        };
        self.ahead = self.filled > SEALED_CHUNK_BYTES;
        let len_bytes = self.filled.min(SEALED_CHUNK_BYTES);
        self.filled = 0;
        let opened = if self.whole.is_some() && len_bytes < most {
            Err(OpenError::CutOff(self.number))
        } else {
            self.open(len_bytes, last)
        };
        let text_bytes = opened.inspect_err(|&error| self.failed = Some(error))?;
        self.ready = self.skip.min(text_bytes)..text_bytes;
        self.skip = 0;
        self.ended = last;
        self.number = self.number.saturating_add(1);
        Ok(())
    }

    /// Opens the chunk that was read, and returns the length of its text.
    fn open(&mut self, len_bytes: usize, last: bool) -> Result<usize, OpenError> {
        let number = self.number;
        if len_bytes < TAG_BYTES || (len_bytes == TAG_BYTES && number > 0) {
            return Err(OpenError::CutOff(number));
        }
        let sealed = &self.sealed.0[..len_bytes];
        let text = &mut self.text.0[..len_bytes - TAG_BYTES];
        self.key.open(number, last, sealed, text)?;
        Ok(text.len())
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        if self.astray && self.failed.is_none() {
            return Err(io::Error::other("an earlier seek failed"));
        }
        while self.ready.is_empty() {
            if self.ended {
                return Ok(0);
            }
            self.next()?;
        }
        let count = to.len().min(self.ready.len());
        let from = self.ready.start;
        to[..count].copy_from_slice(&self.text.0[from..from + count]);
        self.ready.start += count;
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Verifies the last chunk, if that was not done yet, and returns what it shows.
    fn whole(&mut self) -> io::Result<Whole> {
        if let Some(whole) = self.whole {
            return Ok(whole);
        }
        let begin = match self.begin {
            Some(begin) => begin,
            None => self.inner.stream_position()?.saturating_sub(self.taken),
        };
        self.begin = Some(begin);
        let sealed = self.inner.seek(SeekFrom::End(0))?.saturating_sub(begin);
        self.astray = true;
        let Some(text_bytes) = text_bytes(sealed) else {
            let error = OpenError::CutOff(sealed / SEALED_CHUNK_BYTES as u64);
            self.failed = Some(error);
            return Err(error.into());
        };
        let whole = Whole { begin, text_bytes };
        self.whole = Some(whole);
        self.go_to(whole, text_bytes)?;
        if let Err(error) = self.next() {
            // Its length shows nothing until then.
            self.whole = None;
            return Err(error);
        }
        Ok(whole)
    }

    /// Makes the chunk the next that has this byte of the text, or the last one.
    fn go_to(&mut self, whole: Whole, position: u64) -> io::Result<()> {
        let number = (position / CHUNK_BYTES as u64).min(whole.last());
        let place = whole.begin + number * SEALED_CHUNK_BYTES as u64;
        self.inner.seek(SeekFrom::Start(place))?;
        let skip = position - number * CHUNK_BYTES as u64;
        self.skip = usize::try_from(skip).unwrap_or(usize::MAX);
        self.number = number;
        self.ready = 0..0;
        (self.filled, self.ahead, self.ended) = (0, false, false);
        Ok(())
    }
}

impl<R: Read + Seek> Seek for Reader<R> {
    /// Moves to a byte of the text, which may be beyond its end.
    ///
    /// # Errors
    ///
    /// Those of `R`, an [`OpenError`] if the last chunk does not open, and `InvalidInput` if the position is
    /// negative or above 2^64 - 1. After an error of `R` the reader may read only after another seek.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        let before = self.position;
        let whole = self.whole()?;
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => whole.text_bytes.checked_add_signed(by),
            SeekFrom::Current(by) => before.checked_add_signed(by),
        };
        let found = position.unwrap_or(before);
        self.go_to(whole, found)?;
        self.position = found;
        self.astray = false;
        position
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a position in a text"))
    }
}

/// Shows neither the key nor the text.
impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("number", &self.number)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
