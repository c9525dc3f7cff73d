// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The format of parts files: a header, pages of values, pages of the index. All numbers are
//! little-endian.
//!
//! ```text
//! header   0  title, with the version
//!         16  length of segments      24  number of files      32  number of values
//!         40  nonce and tag of the seal of the manifest
//!         72  nonce of this file      88  tag of what is above the nonce, under it
//! pages  104  values: 32 bytes each, 1024 to a page, and the tag of the page
//!             index: 88 bytes for each file, 256 to a page, and the tag of the page
//! ```

use crate::Seal;
use crate::parts::error::{Part, Problem};
use crate::parts::stamp::{PIN_BYTES, Stamp};
use hornet::Tag;
use hornet::aead;
use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
use hornet_key_file::Purpose;
use std::ops::Range;

/// The first bytes, which end in the version of the format.
pub(super) const TITLE: &[u8; 16] = b"hornet parts 1\n\0";

/// What is evaluated at once: the length of every segment but the last of a file, a power of two from
/// 4 KiB to 1 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentBytes(u64);

impl SegmentBytes {
    /// The least: 4 KiB, of which 32 bytes of value are 0.8 %.
    pub const MIN: u64 = 4 << 10;
    /// The most: 1 GiB, all of which is read to check one byte.
    pub const MAX: u64 = 1 << 30;
    /// What the command uses unless told otherwise: 1 MiB.
    pub const DEFAULT: Self = Self(1 << 20);

    /// Returns `None` unless it is a power of two from [`MIN`](Self::MIN) to [`MAX`](Self::MAX).
    #[must_use]
    pub const fn new(len_bytes: u64) -> Option<Self> {
        if len_bytes.is_power_of_two() && len_bytes >= Self::MIN && len_bytes <= Self::MAX {
            Some(Self(len_bytes))
        } else {
            None
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The kinds of pages. Their numbers are part of the nonces under which they are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    Values = 1,
    Index = 2,
}

impl Pages {
    pub(super) const fn item_bytes(self) -> usize {
        match self {
            Self::Values => Partial::SEALED_BYTES,
            Self::Index => Entry::BYTES,
        }
    }

    /// The number of items in each page but the last: 32 KiB of values, of which the tag is 0.05 %, and
    /// which opens in about 20 µs; 22 KiB of the index.
    pub(super) const fn items(self) -> u64 {
        match self {
            Self::Values => 1024,
            Self::Index => 256,
        }
    }

    /// The length of each page but the last, with its tag.
    pub(super) const fn page_bytes(self) -> u64 {
        self.items() * self.item_bytes() as u64 + Tag::BYTES as u64
    }

    /// Returns the length of this number of items in pages, unless it exceeds 2^64.
    fn total_bytes(self, items: u64) -> Option<u64> {
        let tags = items
            .div_ceil(self.items())
            .checked_mul(Tag::BYTES as u64)?;
        items
            .checked_mul(self.item_bytes() as u64)?
            .checked_add(tags)
    }

    pub(super) fn part(self, page: u64) -> Part {
        match self {
            Self::Values => Part::Values(page),
            Self::Index => Part::Index(page),
        }
    }
}

/// The nonce of a page: that of its file, its kind, and its number, of which there are fewer than
/// 2^56. So no page opens in another place or another file.
pub(super) fn page_nonce(file: &Nonce, pages: Pages, page: u64) -> aead::Nonce<24> {
    let mut bytes = [0; 24];
    bytes[..16].copy_from_slice(file.as_bytes());
    bytes[16..].copy_from_slice(&page.to_le_bytes());
    bytes[23] = pages as u8;
    bytes.into()
}

/// What every page is bound to beside its nonce: version and length of segments.
pub(super) const AAD_BYTES: usize = 24;

/// The header of a parts file.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) segment_bytes: SegmentBytes,
    pub(super) files: u64,
    pub(super) values: u64,
    pub(super) seal: Seal,
    pub(super) nonce: Nonce,
}

impl Header {
    pub(super) const BYTES: usize = 104;
    const NONCE_AT: usize = 72;

    /// Returns the bytes of the header.
    pub(super) fn write(
        key: &Key,
        segment_bytes: SegmentBytes,
        [files, values]: [u64; 2],
        seal: &Seal,
        nonce: UnusedNonce,
    ) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..16].copy_from_slice(TITLE);
        for (index, number) in [segment_bytes.get(), files, values].into_iter().enumerate() {
            bytes[16 + 8 * index..][..8].copy_from_slice(&number.to_le_bytes());
        }
        bytes[40..56].copy_from_slice(seal.nonce.as_bytes());
        bytes[56..72].copy_from_slice(seal.tag.as_bytes());
        bytes[Self::NONCE_AT..88].copy_from_slice(nonce.nonce().as_bytes());
        let tag = key.mac(nonce, &bytes[..Self::NONCE_AT]);
        bytes[88..].copy_from_slice(tag.as_bytes());
        bytes
    }

    /// Verifies and parses a header. Only the title is examined before the tag is verified.
    pub(super) fn read(bytes: &[u8], key: &Key) -> Result<Self, Problem> {
        let malformed = |what| Problem::Malformed {
            at: 0,
            part: Some(Part::Header),
            what,
        };
        let found = &bytes[..bytes.len().min(TITLE.len())];
        if found != TITLE {
            return Err(malformed(if found.is_empty() {
                "empty"
            } else if TITLE.starts_with(found) {
                "truncated"
            } else if found.starts_with(b"hornet parts ") {
                "changed, or parts of a version that this program does not support"
            } else {
                "not parts, or changed: does not begin with `hornet parts 1`"
            }));
        }
        let Some(bytes) = bytes.first_chunk::<{ Self::BYTES }>() else {
            return Err(malformed("truncated"));
        };
        let array = |at| <[u8; 16]>::try_from(&bytes[at..at + 16]).unwrap_or_default();
        let nonce = Nonce::new(array(Self::NONCE_AT));
        key.verify(&nonce, &bytes[..Self::NONCE_AT], &array(88).into())
            .map_err(|_| malformed("changed since it was made, or made with another key"))?;
        if Purpose::of(&nonce) != super::PURPOSE {
            return Err(malformed("its tag was made for another purpose"));
        }
        let number = |at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        Ok(Self {
            segment_bytes: SegmentBytes::new(number(16))
                .ok_or_else(|| malformed("the length of segments is not allowed"))?,
            files: number(24),
            values: number(32),
            seal: Self::seal_of(bytes),
            nonce,
        })
    }

    /// Returns the seal of the manifest, from the bytes of a header, which are not verified.
    pub(super) fn seal_of(bytes: &[u8; Self::BYTES]) -> Seal {
        let array = |at| <[u8; 16]>::try_from(&bytes[at..at + 16]).unwrap_or_default();
        Seal {
            nonce: array(40).into(),
            tag: array(56).into(),
        }
    }

    /// Returns where the index begins, and the length of the file, unless it exceeds 2^64.
    pub(super) fn layout(&self) -> Option<(u64, u64)> {
        let index = Pages::Values
            .total_bytes(self.values)?
            .checked_add(Self::BYTES as u64)?;
        let end = Pages::Index.total_bytes(self.files)?.checked_add(index)?;
        Some((index, end))
    }

    /// Returns the place of a page, whose items must exist, in the file. The layout must be known to
    /// be possible.
    pub(super) fn page(&self, pages: Pages, page: u64) -> Range<u64> {
        let (index, end) = self.layout().unwrap_or_default();
        let (start, end) = match pages {
            Pages::Values => (Self::BYTES as u64, index),
            Pages::Index => (index, end),
        };
        let start = start + page * pages.page_bytes();
        start..end.min(start + pages.page_bytes())
    }
}

/// What a parts file has of a file in the manifest, besides the values.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The nonce of its line.
    pub nonce: [u8; Nonce::BYTES],
    /// The tag of its line.
    pub tag: Tag,
    /// The length of the content that was tagged, in bytes.
    pub len_bytes: u64,
    /// What tells whether it has changed; `None` if that was not kept, and it must be read.
    pub stamp: Option<Stamp>,
    /// What tells the same of an object of a store: see [`Writer::object`](crate::parts::Writer::object).
    pub pin: Option<[u8; PIN_BYTES]>,
    /// The number of its first value.
    pub(super) first: u64,
    pub(super) segment_bytes: SegmentBytes,
}

impl Entry {
    pub(super) const BYTES: usize = 48 + Stamp::BYTES;

    /// Returns the number of its segments.
    #[must_use]
    pub fn segments(&self) -> u64 {
        self.len_bytes.div_ceil(self.segment_bytes.get())
    }

    /// Returns the segments that a range of bytes touches. `None` if the range is empty, or not within
    /// the file.
    #[must_use]
    pub fn touched(&self, bytes: Range<u64>) -> Option<Range<u64>> {
        let segment_bytes = self.segment_bytes.get();
        (bytes.start < bytes.end && bytes.end <= self.len_bytes)
            .then(|| bytes.start / segment_bytes..bytes.end.div_ceil(segment_bytes))
    }

    /// Returns the bytes of a segment. Empty if the file has none of this number.
    #[must_use]
    pub fn bytes_of(&self, segment: u64) -> Range<u64> {
        let segment_bytes = self.segment_bytes.get();
        let start = segment.saturating_mul(segment_bytes).min(self.len_bytes);
        start..start.saturating_add(segment_bytes).min(self.len_bytes)
    }

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.len_bytes.to_le_bytes());
        to.extend_from_slice(&self.first.to_le_bytes());
        to.extend_from_slice(&self.nonce);
        to.extend_from_slice(self.tag.as_bytes());
        match (&self.stamp, &self.pin) {
            (None, Some(pin)) => Stamp::write_pin(pin, to),
            (stamp, _) => Stamp::write(stamp.as_ref(), to),
        }
    }

    pub(super) fn read(bytes: &[u8; Self::BYTES], segment_bytes: SegmentBytes) -> Self {
        let number = |at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let array = |at| <[u8; 16]>::try_from(&bytes[at..at + 16]).unwrap_or_default();
        let stamp = bytes.last_chunk().unwrap_or(&[0; Stamp::BYTES]);
        Self {
            nonce: array(16),
            tag: array(32).into(),
            len_bytes: number(0),
            stamp: Stamp::read(stamp),
            pin: Stamp::read_pin(stamp),
            first: number(8),
            segment_bytes,
        }
    }
}
