// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parts files of any content under valid seals, for fuzz targets. Requires `--cfg fuzzing`.

use crate::Seal;
use crate::parts::format::{Entry, Header, SegmentBytes};
use crate::parts::write::Writer;
use hornet::aes::{Key, Partial, UnusedNonce};

/// The length of an entry in the index.
pub const ENTRY_BYTES: usize = Entry::BYTES;

/// The length of a header.
pub const HEADER_BYTES: usize = Header::BYTES;

/// Returns a parts file with these entries, as bytes, and these values.
#[must_use]
pub fn with_entries(
    key: &Key,
    segment_bytes: SegmentBytes,
    entries: &[[u8; ENTRY_BYTES]],
    values: &[Partial],
    seal: &Seal,
    nonce: UnusedNonce,
) -> Vec<u8> {
    let mut writer = Writer::new(key, segment_bytes, nonce);
    let entry = |bytes| Entry::read(bytes, segment_bytes);
    for (index, bytes) in entries.iter().enumerate() {
        writer.add(&entry(bytes), if index == 0 { values } else { &[] });
    }
    writer.seal(seal).expect("no page is too long")
}

/// Replaces the numbers of files and of values in the header, under a valid tag.
pub fn set_counts(parts: &mut [u8], key: &Key, counts: [u64; 2], nonce: UnusedNonce) {
    let header = Header::read(parts, key).expect("it was written under this key");
    let (segment_bytes, seal) = (header.segment_bytes, header.seal);
    let header = Header::write(key, segment_bytes, counts, &seal, nonce);
    parts[..Header::BYTES].copy_from_slice(&header);
}
