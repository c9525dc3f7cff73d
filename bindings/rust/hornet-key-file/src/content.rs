// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file.

use crate::error::Problem;
use crate::locked::Locked;
use crate::nonces::{COUNTERS, Purpose, Random};
use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet::{Mismatch, Tag};
use std::io::Write;
use std::str;
use zeroize::Zeroizing;

/// The first line, which ends in the version of the format.
const TITLE: &[u8] = b"hornet-poly1305-aes-key 1";

/// The length of the longest text: 2^48 has 15 decimal digits.
const LONGEST: usize = TITLE.len()
    + " key ".len()
    + 2 * Key::BYTES
    + " next-nonce ".len()
    + 15
    + " check ".len()
    + 2 * Tag::BYTES
    + "\n".len();

/// The length of the last line.
const CHECK_LINE_BYTES: usize = "check ".len() + 2 * Tag::BYTES + "\n".len();

/// One byte longer than the longest text, to detect a text that is too long.
pub(crate) type Buffer = Zeroizing<[u8; LONGEST + 1]>;

pub(crate) fn buffer() -> Buffer {
    Zeroizing::new([0; LONGEST + 1])
}

/// The text of a key file. Wiped when dropped.
pub(crate) type Text = Zeroizing<Vec<u8>>;

/// The content of a key file.
pub(crate) struct Content {
    pub(crate) key: Locked,
    /// The first unused counter, below `COUNTERS`.
    pub(crate) next: u64,
}

impl Content {
    /// Parses the text of a key file.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Problem> {
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let mut line = |start: &[u8]| lines.next()?.strip_suffix(b"\n")?.strip_prefix(start);

        if line(TITLE) != Some(b"") {
            return Err(TITLE_PROBLEM);
        }

        let digits = line(b"key ").filter(|digits| digits.len() == 2 * Key::BYTES);
        let digits = digits.ok_or(KEY_PROBLEM)?;
        // Decodes in constant time.
        let decode = |bytes: &mut [u8; Key::BYTES]| match base16ct::lower::decode(digits, bytes) {
            Ok(_) => Ok(()),
            Err(_) => Err(KEY_PROBLEM),
        };
        let key = Locked::new(decode)?;

        let next = line(b"next-nonce ").and_then(number);
        let next = next.filter(|&next| next < COUNTERS).ok_or(NEXT_PROBLEM)?;

        let mut check = [0; Tag::BYTES];
        line(b"check ")
            .filter(|digits| digits.len() == 2 * Tag::BYTES)
            .and_then(|digits| base16ct::lower::decode(digits, &mut check).ok())
            .ok_or(CHECK_PROBLEM)?;
        if lines.next().is_some() {
            return Err(END_PROBLEM);
        }
        let above = text.len() - CHECK_LINE_BYTES;
        key.key()
            .verify(
                &Nonce::new(check_nonce(next)),
                &text[..above],
                &check.into(),
            )
            .map_err(|Mismatch| MISMATCH_PROBLEM)?;
        Ok(Self { key, next })
    }
}

const TITLE_PROBLEM: Problem = Problem::Malformed(
    1,
    r#"is not "hornet-poly1305-aes-key 1": not a key file, or of a version that is not supported"#,
);
const KEY_PROBLEM: Problem =
    Problem::Malformed(2, r#"is not "key" and 64 lower-case hexadecimal digits"#);
const NEXT_PROBLEM: Problem =
    Problem::Malformed(3, "next-nonce is not a decimal number below 2^48");
const CHECK_PROBLEM: Problem =
    Problem::Malformed(4, r#"is not "check" and 32 lower-case hexadecimal digits"#);
const MISMATCH_PROBLEM: Problem =
    Problem::Malformed(4, "check does not match the lines above: they were changed");
const END_PROBLEM: Problem = Problem::Malformed(5, "unexpected: the file must end after line 4");

/// Returns the nonce of the last line.
fn check_nonce(next: u64) -> [u8; Nonce::BYTES] {
    Purpose::KEY_FILE.nonce(next, Random::KEY_FILE)
}

/// Returns the text of a key file. The counter must be below `COUNTERS`. Each counter has exactly
/// one text, so the nonce of the last line authenticates one message.
pub(crate) fn text(key: &Key, next: u64) -> Text {
    // Allocate enough at the start: a vector that grows frees its old memory without wiping it.
    let mut text = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut digits = Zeroizing::new([0; 2 * Key::BYTES]);
    let digits = base16ct::lower::encode(key.as_bytes(), &mut *digits).unwrap_or_default();

    text.extend_from_slice(TITLE);
    text.extend_from_slice(b"\nkey ");
    text.extend_from_slice(digits);
    // Writing to a vector cannot fail.
    let _ = write!(text, "\nnext-nonce {next}\n");
    let nonce = UnusedNonce::assume_unused(check_nonce(next));
    let check = key.mac(nonce, &text);
    let _ = writeln!(text, "check {check}");
    text
}

/// Parses a decimal number without leading zeros or a sign.
fn number(digits: &[u8]) -> Option<u64> {
    let canonical = digits.iter().all(u8::is_ascii_digit)
        && (digits[..] == b"0"[..] || digits.first() != Some(&b'0'));
    let number = str::from_utf8(digits).ok()?.parse().ok()?;
    canonical.then_some(number)
}
