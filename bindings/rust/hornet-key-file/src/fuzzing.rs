// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file without the file, for fuzz targets. Requires `--cfg fuzzing`.

use crate::content::{self, Content};
use hornet::aes::Key;

/// Parses the text of a key file, and passes the key and the next counter to `then`. Returns `None`
/// if the text is refused.
pub fn read<T>(text: &[u8], then: impl FnOnce(&Key, u64) -> T) -> Option<T> {
    let content = Content::parse(text).ok()?;
    Some(then(content.key.key(), content.next))
}

/// Returns the text of a key file. The counter must be below 2^48.
#[must_use]
pub fn write(key: &Key, next: u64) -> Vec<u8> {
    content::text(key, next).to_vec()
}
