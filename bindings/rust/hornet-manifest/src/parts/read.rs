// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Opens parts files: the header at once, and each page alone, when it is needed.

use crate::content::Line;
use crate::parts::error::{Error, Part, Problem, io};
use crate::parts::format::{AAD_BYTES, Entry, Header, Pages, SegmentBytes, page_nonce};
use crate::parts::write::aad;
use crate::seal::{Seal, read_at};
use hornet::Tag;
use hornet::aead::XChaCha20Poly1305;
use hornet::aes::{Key, PartsError, PartsKey, SealedParts};
use hornet_key_file::parts_keys;
use std::fmt;
use std::fs::File;
use std::io::{Error as IoError, Result as IoResult};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Where bytes are read from: an open file, memory, or what a program implements it for.
pub trait ReadAt {
    /// Returns the length in bytes.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn len_bytes(&self) -> IoResult<u64>;

    /// Reads from this offset as many bytes as fit in the buffer, unless it ends before, and returns
    /// their number.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> IoResult<usize>;
}

impl ReadAt for File {
    fn len_bytes(&self) -> IoResult<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> IoResult<usize> {
        read_at(self, buffer, at)
    }
}

impl ReadAt for &[u8] {
    fn len_bytes(&self) -> IoResult<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> IoResult<usize> {
        let rest = usize::try_from(at)
            .ok()
            .and_then(|at| self.get(at..))
            .unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// An open parts file. Holds a header and two keys in memory; whatever else is asked for is read,
/// verified and opened then, page by page.
pub struct Reader<S = File> {
    source: S,
    /// For errors.
    pub(super) path: PathBuf,
    header: Header,
    values_key: PartsKey,
    index_key: XChaCha20Poly1305,
}

impl<S: ReadAt> Reader<S> {
    /// Opens the parts of the manifest with this seal, which must have been verified. The path is for
    /// errors.
    ///
    /// # Errors
    ///
    /// [`Error`], like [`find`](Reader::find).
    pub fn new(source: S, path: &Path, key: &Key, seal: &Seal) -> Result<Self, Error> {
        let open = || {
            let mut bytes = [0; Header::BYTES];
            let count = source.read_at(&mut bytes, 0).map_err(unread)?;
            let header = Header::read(&bytes[..count], key)?;
            let found = source.len_bytes().map_err(unread)?;
            let expected = header.layout().map_or(u64::MAX, |(_, end)| end);
            if found != expected {
                return Err(Problem::Length { found, expected });
            }
            if !header.seal.is(seal) {
                return Err(Problem::OtherManifest);
            }
            Ok(header)
        };
        let header = open().map_err(|problem| Error::new(path, problem))?;
        let (values_key, index_key) = parts_keys(key);
        Ok(Self {
            source,
            path: path.into(),
            header,
            values_key,
            index_key,
        })
    }

    /// Returns the length of segments.
    #[must_use]
    pub fn segment_bytes(&self) -> SegmentBytes {
        self.header.segment_bytes
    }

    /// Returns the number of files, which is that of the manifest's lines.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.header.files
    }

    /// Returns what is kept of the file with this index in the lines of the manifest. Opens one page.
    ///
    /// # Errors
    ///
    /// [`Error`] if the page cannot be read, was changed, or is that of another line.
    pub fn entry(&self, lines: &[Line], index: usize) -> Result<Entry, Error> {
        let line = lines.get(index);
        let read = || {
            let number = index as u64;
            let line = line.ok_or(Problem::Missing(number))?;
            let page = number / Pages::Index.items();
            let entries = self.index_page(page)?;
            let within = index - to_usize(page * Pages::Index.items());
            let entry = entries.get(within).ok_or(Problem::Missing(number))?;
            self.of_line(*entry, line, page)
        };
        read().map_err(|problem| self.error(problem))
    }

    /// Returns what is kept of each file, in the order of the lines of the manifest. Opens each page
    /// of the index once.
    ///
    /// # Errors
    ///
    /// Those of the items, like [`entry`](Self::entry); and one if the number of lines is another.
    pub fn entries<'a>(
        &'a self,
        lines: &'a [Line],
    ) -> Result<impl Iterator<Item = Result<Entry, Error>> + 'a, Error> {
        if lines.len() as u64 != self.files() {
            return Err(self.error(Problem::Malformed {
                at: 24,
                part: Some(Part::Header),
                what: "the number of files is not that of the manifest",
            }));
        }
        let mut page = Vec::new().into_iter();
        let entries = lines.iter().enumerate().map(move |(index, line)| {
            let number = index as u64 / Pages::Index.items();
            let mut read = || {
                if index as u64 % Pages::Index.items() == 0 {
                    page = self.index_page(number)?.into_iter();
                }
                let entry = page.next().ok_or(Problem::Missing(index as u64))?;
                self.of_line(entry, line, number)
            };
            read().map_err(|problem| self.error(problem))
        });
        Ok(entries)
    }

    /// Returns what is kept of each file, like [`entries`](Self::entries), with the values of all its
    /// segments. Opens each page once, so that a million small files take no more than their pages.
    ///
    /// # Errors
    ///
    /// Like [`entries`](Self::entries) and [`values`](Self::values).
    pub fn files_with_values<'a>(
        &'a self,
        lines: &'a [Line],
    ) -> Result<impl Iterator<Item = Result<(Entry, SealedParts), Error>> + 'a, Error> {
        let mut in_order = self.in_order();
        let entries = self.entries(lines)?.map(move |entry| {
            let entry = entry?;
            let values = in_order.all_values(&entry)?;
            Ok((entry, values))
        });
        Ok(entries)
    }

    /// Returns a reader of the values of many files, one after another.
    pub fn in_order(&self) -> InOrder<'_, S> {
        InOrder {
            reader: self,
            page: OpenPage::default(),
        }
    }

    /// Returns the values of segments of a file, counted from 0. Opens the pages that have them: each
    /// those of 1024 segments.
    ///
    /// # Errors
    ///
    /// [`Error`] if a page cannot be read or was changed, or the file has no such segments.
    pub fn values(&self, entry: &Entry, segments: Range<u64>) -> Result<SealedParts, Error> {
        let values = self.read_values(entry, segments, &mut OpenPage::default());
        values.map_err(|problem| self.error(problem))
    }

    /// Returns the values of all segments of a file.
    ///
    /// # Errors
    ///
    /// [`Error`], like [`values`](Self::values).
    pub fn all_values(&self, entry: &Entry) -> Result<SealedParts, Error> {
        self.values(entry, 0..entry.segments())
    }

    fn read_values(
        &self,
        entry: &Entry,
        segments: Range<u64>,
        page: &mut OpenPage,
    ) -> Result<SealedParts, Problem> {
        // An entry of other parts has values that these do not have.
        let end = entry.first.checked_add(segments.end).filter(|&end| {
            segments.start <= segments.end
                && segments.end <= entry.segments()
                && end <= self.header.values
        });
        let end = end.ok_or(Problem::Missing(segments.end))?;
        // Both are at most the number of values, each of which has 32 bytes in the file.
        let start = entry.first + segments.start;
        let mut parts = SealedParts::with_capacity(to_usize(end - start));
        let items = Pages::Values.items();
        let mut at = start;
        while at < end {
            let number = at / items;
            let until = end.min((number + 1) * items);
            let range = to_usize(at - number * items)..to_usize(until - number * items);
            if page.number == Some(number) {
                let copied = parts.append(&page.values, range);
                copied.map_err(|_| Problem::Missing(segments.end))?;
            } else if until - at == items {
                // All of it, which no other file needs.
                self.open_values(number, &mut page.sealed, &mut parts)?;
            } else {
                page.number = None;
                page.values = SealedParts::with_capacity(to_usize(items));
                self.open_values(number, &mut page.sealed, &mut page.values)?;
                page.number = Some(number);
                continue;
            }
            at = until;
        }
        for (segment, value) in segments.zip(&parts) {
            let bytes = entry.bytes_of(segment);
            if value.len_bytes() != bytes.end - bytes.start {
                let number = (entry.first + segment) / items;
                let what = "a value is of a segment of another length";
                return Err(self.malformed(Pages::Values, number, what));
            }
        }
        Ok(parts)
    }

    /// Opens a page of values, and appends them.
    fn open_values(
        &self,
        page: u64,
        sealed: &mut Vec<u8>,
        parts: &mut SealedParts,
    ) -> Result<(), Problem> {
        self.read_page(Pages::Values, page, sealed)?;
        let items = Pages::Values.items();
        let count = (self.header.values - page * items).min(items);
        let nonce = page_nonce(&self.header.nonce, Pages::Values, page);
        self.values_key
            .open_partials(&nonce, &self.aad(), sealed, 0..to_usize(count), parts)
            .map_err(|error| {
                let what = match error {
                    PartsError::Open(_) => NOT_SEALED,
                    _ => "these are not values",
                };
                self.malformed(Pages::Values, page, what)
            })
    }

    /// Opens a page of the index.
    fn index_page(&self, page: u64) -> Result<Vec<Entry>, Problem> {
        if page >= self.header.files.div_ceil(Pages::Index.items()) {
            return Err(Problem::Missing(page * Pages::Index.items()));
        }
        let mut sealed = Vec::new();
        self.read_page(Pages::Index, page, &mut sealed)?;
        let malformed = |what| self.malformed(Pages::Index, page, what);
        let nonce = page_nonce(&self.header.nonce, Pages::Index, page);
        let (text, tag) = sealed
            .split_last_chunk_mut()
            .ok_or_else(|| malformed(NOT_SEALED))?;
        self.index_key
            .open_in_place(&nonce, &self.aad(), text, &Tag::from(*tag))
            .map_err(|_| malformed(NOT_SEALED))?;
        let mut next = None;
        let mut entries = Vec::with_capacity(text.len() / Entry::BYTES);
        for bytes in text.chunks_exact(Entry::BYTES) {
            let bytes = bytes.first_chunk().ok_or_else(|| malformed(NOT_SEALED))?;
            let entry = Entry::read(bytes, self.header.segment_bytes);
            let end = entry.first.checked_add(entry.segments());
            let is_next = next.is_none_or(|next| next == entry.first);
            match end {
                Some(end) if is_next && end <= self.header.values => next = Some(end),
                _ => {
                    return Err(malformed(
                        "an entry has values that do not follow those before",
                    ));
                }
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Reads a page, which must exist, with its tag.
    fn read_page(&self, pages: Pages, page: u64, sealed: &mut Vec<u8>) -> Result<(), Problem> {
        let bytes = self.header.page(pages, page);
        // At most 32 KiB and a tag.
        sealed.resize(to_usize(bytes.end - bytes.start), 0);
        let count = self.source.read_at(sealed, bytes.start).map_err(unread)?;
        if count < sealed.len() {
            return Err(self.malformed(pages, page, "cut here since it was opened"));
        }
        Ok(())
    }

    fn of_line(&self, entry: Entry, line: &Line, page: u64) -> Result<Entry, Problem> {
        // Both were verified, and neither is secret.
        if (entry.nonce, entry.tag.as_bytes()) == (line.nonce, line.tag.as_bytes()) {
            return Ok(entry);
        }
        Err(self.malformed(
            Pages::Index,
            page,
            "an entry is that of another line of the manifest",
        ))
    }

    fn malformed(&self, pages: Pages, page: u64, what: &'static str) -> Problem {
        Problem::Malformed {
            at: self.header.page(pages, page).start,
            part: Some(pages.part(page)),
            what,
        }
    }

    fn aad(&self) -> [u8; AAD_BYTES] {
        aad(self.header.segment_bytes)
    }

    fn error(&self, problem: Problem) -> Error {
        Error::new(&self.path, problem)
    }
}

/// Reads the values of many files. It keeps the page that it opened last: in the order of the files,
/// each page is opened once.
pub struct InOrder<'r, S = File> {
    reader: &'r Reader<S>,
    page: OpenPage,
}

impl<S: ReadAt> InOrder<'_, S> {
    /// Returns the values of all segments of a file.
    ///
    /// # Errors
    ///
    /// [`Error`], like [`Reader::values`].
    pub fn all_values(&mut self, entry: &Entry) -> Result<SealedParts, Error> {
        let values = self
            .reader
            .read_values(entry, 0..entry.segments(), &mut self.page);
        values.map_err(|problem| self.reader.error(problem))
    }
}

/// Shows no values.
impl<S> fmt::Debug for InOrder<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InOrder")
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}

/// The page of values that was opened last.
#[derive(Default)]
struct OpenPage {
    number: Option<u64>,
    values: SealedParts,
    sealed: Vec<u8>,
}

const NOT_SEALED: &str = "changed since it was made, or moved here: its seal does not match";

fn unread(error: IoError) -> Problem {
    io("cannot be read")(error)
}

/// For numbers that are bounded by the length of a file that fits in memory.
fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Shows neither keys nor values.
impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}
