// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file without a file, for fuzz targets. Only with `--cfg fuzzing`.

use crate::content::{self, Content};
use hornet::aes::Key;

/// The key and the next counter in the text of a key file. `None` if it is refused.
#[must_use]
pub fn read(text: &[u8]) -> Option<(Key, u128)> {
    let content = Content::parse(text).ok()?;
    Some((content.key, content.next))
}

/// The text of a key file, in version 2. The counter must be below 2^48.
#[must_use]
pub fn write(key: &Key, next: u64) -> Vec<u8> {
    content::text(key, next).to_vec()
}
