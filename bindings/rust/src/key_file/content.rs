//! The text of a key file.

use super::error::Problem;
use super::nonces::{COUNTERS, Purpose};
use crate::aes::{ForbiddenBits, Key};
use crate::{Mismatch, Tag};
use std::io::Write;
use std::str;
use std::vec::Vec;
use zeroize::Zeroizing;

const TITLE: &[u8] = b"hornet-poly1305-aes-key 1";

/// The longest text: 2^120 has 37 decimal digits.
const LONGEST: usize = TITLE.len()
    + " key ".len()
    + 2 * Key::BYTES
    + " next-nonce ".len()
    + 37
    + " check ".len()
    + 2 * Tag::BYTES
    + "\n".len();

/// The last line, which has no variable length.
const CHECK_LINE_BYTES: usize = "check ".len() + 2 * Tag::BYTES + "\n".len();

/// One byte more than the longest text, so that a longer one is noticed.
pub(super) type Buffer = Zeroizing<[u8; LONGEST + 1]>;

pub(super) fn buffer() -> Buffer {
    Zeroizing::new([0; LONGEST + 1])
}

/// Wiped when dropped.
pub(super) type Text = Zeroizing<Vec<u8>>;

/// What a key file says.
pub(super) struct Content {
    pub(super) key: Key,
    /// The first counter that no nonce has had.
    pub(super) next: u128,
}

impl Content {
    /// Reads the text of a key file.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Problem> {
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let mut line = |start: &[u8]| lines.next()?.strip_suffix(b"\n")?.strip_prefix(start);

        let title = line(TITLE);
        title.filter(|rest| rest.is_empty()).ok_or(TITLE_PROBLEM)?;

        let mut bytes = Zeroizing::new([0; Key::BYTES]);
        line(b"key ")
            .filter(|digits| digits.len() == 2 * Key::BYTES)
            // Decodes without a branch or table that depends on the key.
            .and_then(|digits| base16ct::lower::decode(digits, &mut *bytes).ok())
            .ok_or(KEY_PROBLEM)?;
        let key = Key::new(&bytes).map_err(|ForbiddenBits| R_PROBLEM)?;

        let next = line(b"next-nonce ").and_then(counter).ok_or(NEXT_PROBLEM)?;

        let check: Tag = line(b"check ")
            .and_then(|digits| str::from_utf8(digits).ok()?.parse().ok())
            .ok_or(CHECK_PROBLEM)?;
        if lines.next().is_some() {
            return Err(END_PROBLEM);
        }
        let above = text.len() - CHECK_LINE_BYTES;
        key.verify(&Purpose::KEY_FILE.nonce(next), &text[..above], &check)
            .map_err(|Mismatch| MISMATCH_PROBLEM)?;
        Ok(Self { key, next })
    }
}

const TITLE_PROBLEM: Problem = Problem::Malformed(1, r#"is not "hornet-poly1305-aes-key 1""#);
const KEY_PROBLEM: Problem =
    Problem::Malformed(2, r#"is not "key" and 64 lower-case hexadecimal digits"#);
const R_PROBLEM: Problem = Problem::Malformed(
    2,
    "the second half of the key, r, has bits that Poly1305 forbids",
);
const NEXT_PROBLEM: Problem =
    Problem::Malformed(3, "next-nonce is not a decimal number below 2^120");
const CHECK_PROBLEM: Problem = Problem::Malformed(4, r#"is not "check" and 32 hexadecimal digits"#);
const MISMATCH_PROBLEM: Problem =
    Problem::Malformed(4, "check does not fit the lines above: they were changed");
const END_PROBLEM: Problem = Problem::Malformed(5, "is one too many");

/// The text of a key file. One counter, one text: so the nonce of its last line has one message.
pub(super) fn text(key: &Key, next: u128) -> Text {
    // With place enough from the start: a vector that grows leaves its old bytes behind.
    let mut text = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut digits = Zeroizing::new([0; 2 * Key::BYTES]);
    let digits = base16ct::lower::encode(key.as_bytes(), &mut *digits).unwrap_or_default();

    text.extend_from_slice(TITLE);
    text.extend_from_slice(b"\nkey ");
    text.extend_from_slice(digits);
    // Writing to a vector cannot fail.
    let _ = write!(text, "\nnext-nonce {next}\n");
    let check = key.mac(Purpose::KEY_FILE.nonce(next), &text);
    let _ = writeln!(text, "check {check}");
    text
}

/// A decimal number below 2^120, as it is written: without zeros or a sign in front.
fn counter(digits: &[u8]) -> Option<u128> {
    let canonical = digits.iter().all(u8::is_ascii_digit)
        && (digits[..] == b"0"[..] || digits.first() != Some(&b'0'));
    let number = str::from_utf8(digits).ok()?.parse().ok()?;
    (canonical && number < COUNTERS).then_some(number)
}
