// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Makes the content of parts files.

use crate::Seal;
use crate::parts::format::{AAD_BYTES, Entry, Header, Pages, SegmentBytes, TITLE, page_nonce};
use crate::parts::stamp::{PIN_BYTES, Stamp};
use hornet::Tag;
use hornet::aead::{self, LengthError, XChaCha20Poly1305};
use hornet::aes::{Key, Nonce, Partial, PartsKey, UnusedNonce};
use hornet_key_file::parts_keys;
use std::error;
use std::fmt;
use std::mem;

/// Makes the content of a parts file, file by file, in the order of the lines of the manifest.
///
/// Its memory is that of the content: 32 bytes for each segment, and 88 for each file. Values are sealed
/// page by page, as they come.
pub struct Writer<'k> {
    key: &'k Key,
    values_key: PartsKey,
    index_key: XChaCha20Poly1305,
    segment_bytes: SegmentBytes,
    nonce: UnusedNonce,
    /// Room for the header, and sealed pages of values.
    content: Vec<u8>,
    /// Values that do not yet fill a page.
    pending: Vec<Partial>,
    values: u64,
    index: Vec<u8>,
    files: u64,
    /// Whether all pages so far could be sealed.
    sealed: Result<(), LengthError>,
}

/// The values given for a file are not those of segments of the chosen length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuesError {
    /// Which of them is not, counted from 0.
    pub index: usize,
}

impl fmt::Display for ValuesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "value {} is of a segment of another length", self.index)
    }
}

impl error::Error for ValuesError {}

impl<'k> Writer<'k> {
    /// Begins a parts file, under a nonce which must have the purpose
    /// [`PURPOSE`](crate::parts::PURPOSE).
    #[must_use]
    pub fn new(key: &'k Key, segment_bytes: SegmentBytes, nonce: UnusedNonce) -> Self {
        let (values_key, index_key) = parts_keys(key);
        Self {
            key,
            values_key,
            index_key,
            segment_bytes,
            nonce,
            content: vec![0; Header::BYTES],
            // All the memory that it will need: a vector that grows does not wipe what it frees.
            pending: Vec::with_capacity(Self::PAGE),
            values: 0,
            index: Vec::new(),
            files: 0,
            sealed: Ok(()),
        }
    }

    /// The number of values in a page.
    #[expect(clippy::cast_possible_truncation, reason = "1024")]
    const PAGE: usize = Pages::Values.items() as usize;

    /// Adds a file: the nonce and the tag of its line, what tells whether it has changed, and the
    /// values of its segments, all under the key. A file without content has none.
    ///
    /// # Errors
    ///
    /// [`ValuesError`] if a value is of a segment of another length: only the last may be shorter, and
    /// none is empty. Nothing is then added.
    pub fn file(
        &mut self,
        nonce: &[u8; Nonce::BYTES],
        tag: &Tag,
        stamp: Option<Stamp>,
        values: &[Partial],
    ) -> Result<(), ValuesError> {
        self.add_checked(nonce, tag, (stamp, None), values)
    }

    /// Adds an object of a store, like [`file`](Self::file). The pin stands for its version: 16 bytes
    /// that differ if its content does, such as a digest of its `ETag`; `None` if nothing does, and it
    /// must be read.
    ///
    /// # Errors
    ///
    /// [`ValuesError`], like `file`.
    pub fn object(
        &mut self,
        nonce: &[u8; Nonce::BYTES],
        tag: &Tag,
        pin: Option<[u8; PIN_BYTES]>,
        values: &[Partial],
    ) -> Result<(), ValuesError> {
        self.add_checked(nonce, tag, (None, pin), values)
    }

    /// Adds a file or an object, if its values are of segments of the chosen length.
    fn add_checked(
        &mut self,
        nonce: &[u8; Nonce::BYTES],
        tag: &Tag,
        (stamp, pin): (Option<Stamp>, Option<[u8; PIN_BYTES]>),
        values: &[Partial],
    ) -> Result<(), ValuesError> {
        let segment_bytes = self.segment_bytes.get();
        let mut len_bytes = 0_u64;
        for (index, value) in values.iter().enumerate() {
            let this = value.len_bytes();
            let is_last = index + 1 == values.len();
            let fits = this == segment_bytes || (is_last && (1..segment_bytes).contains(&this));
            match len_bytes.checked_add(this) {
                Some(sum) if fits => len_bytes = sum,
                _ => return Err(ValuesError { index }),
            }
        }
        self.add(
            &Entry {
                nonce: *nonce,
                tag: *tag,
                len_bytes,
                stamp,
                pin,
                first: self.values,
                segment_bytes: self.segment_bytes,
            },
            values,
        );
        Ok(())
    }

    /// Adds an entry and its values.
    pub(super) fn add(&mut self, entry: &Entry, values: &[Partial]) {
        entry.write(&mut self.index);
        self.files += 1;
        let mut rest = values;
        while !rest.is_empty() {
            let count = rest.len().min(Self::PAGE - self.pending.len());
            let (some, more) = rest.split_at(count);
            if count == Self::PAGE {
                self.seal_values(some);
            } else {
                self.pending.extend_from_slice(some);
                self.seal_pending(Self::PAGE);
            }
            self.values += count as u64;
            rest = more;
        }
    }

    /// Ends the parts file of the manifest with this seal, and returns its content.
    ///
    /// # Errors
    ///
    /// [`LengthError`] if a page was too long to be sealed. None is: they have up to 32 KiB.
    pub fn seal(mut self, manifest: &Seal) -> Result<Vec<u8>, LengthError> {
        self.seal_pending(1);
        self.sealed?;
        let mut index = mem::take(&mut self.index);
        let page_bytes = index_page_bytes();
        self.content
            .reserve(index.len() + (index.len() / page_bytes + 1) * Tag::BYTES);
        for (page, text) in (0..).zip(index.chunks_mut(page_bytes)) {
            let nonce = page_nonce(&self.nonce.nonce(), Pages::Index, page);
            // The nonce of the file is unused, and each page has its own number.
            let nonce = aead::UnusedNonce::assume_unused(*nonce.as_bytes());
            let tag = self.index_key.seal_in_place(nonce, &self.aad(), text)?;
            self.content.extend_from_slice(text);
            self.content.extend_from_slice(tag.as_bytes());
        }
        let counts = [self.files, self.values];
        let header = Header::write(self.key, self.segment_bytes, counts, manifest, self.nonce);
        self.content[..Header::BYTES].copy_from_slice(&header);
        Ok(self.content)
    }

    /// Seals the values that are left over, if there are this many.
    fn seal_pending(&mut self, least: usize) {
        if self.pending.len() >= least {
            let mut pending = mem::take(&mut self.pending);
            self.seal_values(&pending);
            pending.clear();
            self.pending = pending;
        }
    }

    /// Seals the next page of values.
    fn seal_values(&mut self, values: &[Partial]) {
        let page = (self.content.len() - Header::BYTES) as u64 / Pages::Values.page_bytes();
        let nonce = page_nonce(&self.nonce.nonce(), Pages::Values, page);
        // As above.
        let nonce = aead::UnusedNonce::assume_unused(*nonce.as_bytes());
        let aad = self.aad();
        let sealed = self
            .values_key
            .seal_partials(nonce, &aad, values, &mut self.content);
        // Without a page, no other is where it belongs.
        self.sealed = self.sealed.and(sealed);
    }

    fn aad(&self) -> [u8; AAD_BYTES] {
        aad(self.segment_bytes)
    }
}

/// The length of a page of the index without its tag.
#[expect(clippy::cast_possible_truncation, reason = "22 KiB")]
const fn index_page_bytes() -> usize {
    Pages::Index.page_bytes() as usize - Tag::BYTES
}

pub(super) fn aad(segment_bytes: SegmentBytes) -> [u8; AAD_BYTES] {
    let mut aad = [0; AAD_BYTES];
    let (title, length) = aad.split_at_mut(TITLE.len());
    title.copy_from_slice(TITLE);
    length.copy_from_slice(&segment_bytes.get().to_le_bytes());
    aad
}

/// Shows neither the key nor the values.
impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("files", &self.files)
            .field("values", &self.values)
            .finish_non_exhaustive()
    }
}
