// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The words and digits of the format, for writing and reading.

/// The first line, which ends in the version of the format.
pub(crate) const HEADER: &[u8] = b"hornet manifest 1\n";

/// The first line without the version.
pub(crate) const TITLE: &[u8] = b"hornet manifest ";

// The first words of lines.
pub(crate) const PATH: &[u8] = b"path ";
pub(crate) const EXCLUDE: &[u8] = b"exclude ";
pub(crate) const UNREAD: &[u8] = b"unread ";
pub(crate) const SEALED: &[u8] = b"sealed ";
pub(crate) const OTHER: &[u8] = b"other ";
pub(crate) const SEAL: &[u8] = b"seal ";

/// The text is written, read and evaluated in chunks of this many bytes, a multiple of a block's 16.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;

/// The length of 16 bytes in hexadecimal digits.
pub(crate) const DIGITS: usize = 32;

/// Returns the line about symbolic links, without the newline.
pub(crate) fn links_line(follow_symlinks: bool) -> &'static str {
    if follow_symlinks {
        "symbolic links: followed"
    } else {
        "symbolic links: skipped"
    }
}

/// Appends 16 bytes as 32 lower-case digits.
pub(crate) fn push_digits(text: &mut Vec<u8>, bytes: &[u8; 16]) {
    // Computed without a table, so that the compiler vectorizes the loop.
    let digit = |number: u8| number + if number < 10 { b'0' } else { b'a' - 10 };
    let mut digits = [0; 32];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    text.extend_from_slice(&digits);
}

/// Parses 16 bytes as exactly 32 lower-case digits. Returns them and the rest of the text.
pub(crate) fn digits(text: &[u8]) -> Option<([u8; 16], &[u8])> {
    let (digits, rest) = text.split_at_checked(DIGITS)?;
    let mut bytes = [0; 16];
    base16ct::lower::decode(digits, &mut bytes).ok()?;
    Some((bytes, rest))
}
