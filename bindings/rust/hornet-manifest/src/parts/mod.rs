// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parts files: beside a manifest, the values of the segments of its files, sealed.
//!
//! With them, a segment is verified by reading it alone, and a new tag after a change takes reading what
//! changed. docs/manifest.md describes the format, and why old values come from there and never from
//! the files.
//!
//! [`Writer`] makes the content of one, [`Place::lock`] and [`Lock::replace`] write it together with its
//! manifest, so that after a kill or a power failure at any moment the two that belong together are
//! found again; [`Place::open`] and [`Reader::find`] open it.
//!
//! ```
//! use hornet::aes::{Key, UnusedNonce};
//! use hornet_manifest::parts::{self, Place, SegmentBytes};
//! use hornet_manifest::{Line, PURPOSE, Seal, Time};
//!
//! # let folder = tempfile::tempdir()?;
//! # let at = |name: &str| folder.path().join(name);
//! # let key = Key::clamped(&[7; 32]);
//! # let unused = |number, purpose| UnusedNonce::assume_unused([number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, purpose]);
//! let mut content = vec![1; 100_000];
//! let segment_bytes = SegmentBytes::new(4096).expect("it is a power of two");
//!
//! // Tag: the nonces come from the key file.
//! let mut manifest = hornet_manifest::Writer::new(Vec::new(), &key, Time::now(), false)?;
//! let mut kept = parts::Writer::new(&key, segment_bytes, unused(1, parts::PURPOSE.number()));
//! let nonce = unused(2, 0);
//! let shown = *nonce.nonce().as_bytes();
//! let tag = key.mac(nonce, &content);
//! let values: Vec<_> = content.chunks(4096).map(|segment| key.partial(segment)).collect();
//! manifest.file(&shown, &tag, b"disk")?;
//! kept.file(&shown, &tag, None, &values)?;
//! let text = manifest.seal(unused(3, PURPOSE.number()))?;
//! let kept = kept.seal(&Seal::of(&text)?)?;
//! let place = Place::new(&at("disk.manifest"), &at("disk.parts"))?;
//! place.lock()?.replace(&text, &kept)?;
//!
//! // Check bytes 50,000 to 50,100, reading one segment.
//! let opened = place.open(&key)?;
//! let line = opened.manifest.find("disk".as_ref()).expect("it has a line");
//! let entry = opened.parts.entry(&opened.manifest.files, line)?;
//! let touched = entry.touched(50_000..50_100).expect("it is within the file");
//! let old = opened.parts.values(&entry, touched.clone())?;
//! for (segment, old) in touched.zip(&old) {
//!     let bytes = entry.bytes_of(segment);
//!     let read = &content[bytes.start as usize..bytes.end as usize];
//!     key.verify_segment(old, read)?;
//! }
//! # content.clear();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod format;
mod place;
mod read;
mod stamp;
#[cfg(test)]
mod tests;
mod write;

#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;

pub use error::{Error, Part, Problem};
pub use format::{Entry, SegmentBytes};
pub use place::{Lock, Opened, Place};
pub use read::{InOrder, ReadAt, Reader};
pub use stamp::{PIN_BYTES, Stamp};
pub use write::{ValuesError, Writer};

use hornet_key_file::Purpose;

/// The purpose of the nonce of a parts file, and so of the tag of its header.
pub const PURPOSE: Purpose = Purpose::new(2).unwrap();
