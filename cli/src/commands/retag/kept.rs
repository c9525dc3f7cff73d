// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What was known of files before, and goes into the new manifest and the new parts.

use hornet::aes::Key;
use hornet_manifest::Line;
use hornet_manifest::parts::{Entry, Reader};

/// A manifest and its parts.
pub(super) struct Kept<'a> {
    pub(super) key: &'a Key,
    pub(super) parts: &'a Reader,
    /// One for each line.
    pub(super) entries: &'a [Entry],
    pub(super) lines: &'a [Line],
}
