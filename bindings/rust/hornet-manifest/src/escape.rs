// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Escapes paths, which may hold any bytes, as text on one line. Each path has exactly one escaped
//! form.
//!
//! A backslash becomes `\\`, a newline `\n`. Every byte of any other control character, of a line
//! or paragraph separator (U+2028, U+2029) and of a bidirectional control character (Unicode
//! property `Bidi_Control`), and every byte that is not part of valid UTF-8, becomes `\xHH` with
//! lower-case digits. Everything else is unchanged.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path as it is written in manifests and messages: without control characters and on one line.
pub struct Escaped<'a>(&'a [u8]);

impl<'a> Escaped<'a> {
    /// Borrows a path.
    #[must_use]
    pub fn new(path: &'a Path) -> Self {
        Self(path.as_os_str().as_bytes())
    }

    /// Appends the escaped form to a text.
    pub fn push_to(&self, text: &mut Vec<u8>) {
        let is_plain = |&byte: &u8| matches!(byte, b' '..=b'~') && byte != b'\\';
        if self.0.iter().all(is_plain) {
            text.extend_from_slice(self.0);
        } else {
            text.extend_from_slice(self.to_string().as_bytes());
        }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            let text = chunk.valid();
            let mut written = 0;
            for (at, character) in text.char_indices() {
                if !must_escape(character) {
                    continue;
                }
                let end = at + character.len_utf8();
                f.write_str(&text[written..at])?;
                match character {
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    _ => hex(&text.as_bytes()[at..end], f)?,
                }
                written = end;
            }
            f.write_str(&text[written..])?;
            hex(chunk.invalid(), f)?;
        }
        Ok(())
    }
}

fn must_escape(character: char) -> bool {
    match character {
        '\\'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))
}

/// Returns the path of an escaped form.
///
/// # Errors
///
/// Returns a description of the problem if the text is not the escaped form of a path.
pub fn unescape(text: &str) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = if let Some(rest) = escape.strip_prefix('\\') {
            bytes.push(b'\\');
            rest
        } else if let Some(rest) = escape.strip_prefix('n') {
            bytes.push(b'\n');
            rest
        } else {
            let digits = escape.strip_prefix('x').and_then(|rest| rest.get(..2));
            let mut byte = [0];
            digits
                .and_then(|digits| base16ct::lower::decode(digits, &mut byte).ok())
                .ok_or("a backslash that is not \\\\, \\n or \\xHH")?;
            bytes.push(byte[0]);
            &escape[3..]
        };
    }
    bytes.extend_from_slice(rest.as_bytes());

    if bytes.is_empty() {
        return Err("no path");
    }
    if bytes.contains(&0) {
        return Err("a path with a NUL in it");
    }
    // Otherwise, two lines that look different could name the same file.
    let mut again = Vec::with_capacity(text.len());
    let path = Path::new(OsStr::from_bytes(&bytes));
    Escaped::new(path).push_to(&mut again);
    if again != text.as_bytes() {
        return Err("a path that is not in its escaped form");
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trip(bytes: &[u8], text: &str) {
        assert_eq!(
            Escaped::new(Path::new(OsStr::from_bytes(bytes))).to_string(),
            text
        );
        assert_eq!(unescape(text).as_deref(), Ok(bytes));
    }

    #[test]
    fn exactly_what_must_be_escaped() {
        round_trip(b"a b", "a b");
        round_trip(b" a  ", " a  ");
        round_trip(b"-x", "-x");
        round_trip("ü/日本".as_bytes(), "ü/日本");
        round_trip(b"a\nb", r"a\nb");
        round_trip(b"a\\nb", r"a\\nb");
        round_trip(b"\\", r"\\");
        round_trip(b"\r\t\x1b[2J\x7f", r"\x0d\x09\x1b[2J\x7f");
        round_trip(b"\xff\xc3", r"\xff\xc3");
        round_trip(b"\xc3\n\xbc", r"\xc3\n\xbc");
        // U+0085, a two-byte control character.
        round_trip(b"a\xc2\x85", r"a\xc2\x85");
        // A surrogate half and an overlong slash are not UTF-8.
        round_trip(b"\xed\xa0\x80\xc0\xaf", r"\xed\xa0\x80\xc0\xaf");
    }

    /// These would break a line, or reorder it on display.
    #[test]
    fn separators_and_bidirectional_controls() {
        let controls = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
        let embeddings = '\u{202a}'..='\u{202e}';
        let isolates = '\u{2066}'..='\u{2069}';
        for control in controls.into_iter().chain(embeddings).chain(isolates) {
            let path = format!("a{control}b");
            let text = Escaped::new(Path::new(&path)).to_string();
            assert!(text.is_ascii() && text.starts_with("a\\x"), "{text:?}");
            assert_eq!(unescape(&text).as_deref(), Ok(path.as_bytes()));
            assert!(unescape(&path).is_err(), "{text}");
        }
        round_trip("a\u{202e}b".as_bytes(), r"a\xe2\x80\xaeb");
        // Neighbouring characters are not escaped.
        for other in ['\u{2027}', '\u{202f}', '\u{206f}', '\u{2010}'] {
            let path = format!("a{other}b");
            round_trip(path.as_bytes(), &path);
        }
    }

    #[test]
    fn every_byte_alone_and_between_others() {
        for byte in 1..=255 {
            for bytes in [&[byte][..], &[b'a', byte, b'b'], &[0xc3, byte, 0xbc]] {
                let text = Escaped::new(Path::new(OsStr::from_bytes(bytes))).to_string();
                assert!(!text.chars().any(char::is_control), "{text:?}");
                assert_eq!(unescape(&text).as_deref(), Ok(bytes), "{text:?}");
            }
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "\\", "a\\", r"\a", r"\N", r"\x", r"\x1", r"\xg0", r"\x1B", r"\xé", "\\\n",
        ] {
            assert!(
                unescape(text).unwrap_err().starts_with("a backslash"),
                "{text}"
            );
        }
        for text in [
            r"\x61",
            r"\x0a",
            r"\x5c",
            "a\nb",
            "a\tb",
            r"\xc3\xbc",
            "\u{85}",
        ] {
            assert_eq!(
                unescape(text),
                Err("a path that is not in its escaped form"),
                "{text:?}"
            );
        }
        assert_eq!(unescape(""), Err("no path"));
        assert_eq!(unescape(r"a\x00"), Err("a path with a NUL in it"));
    }
}
