// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads a one-time key: exactly 32 raw bytes, or 64 hexadecimal digits and at most one newline.

use crate::error::Error;
use crate::input::Input;
use crate::source::{Source, read_some};
use hornet::Key;
use hornet_key_file::check_access;
use std::fs::File;
use std::io;
use zeroize::Zeroizing;

/// 64 digits and CR LF, the longest valid text.
const LONGEST: usize = 66;

/// Reads the key from a file, which must not be the message.
pub(crate) fn read(source: &Source, input: &Input) -> Result<Key, Error> {
    let fail = |error: io::Error| Error::new(source, error);
    let file = source.open().map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if input.is_same_file(&metadata) {
        return Err(Error::new(source, "cannot be both the key and the message"));
    }
    if metadata.is_file() {
        check_access(&metadata).map_err(|problem| Error::new(source, problem))?;
    }
    // One extra byte, to detect longer texts.
    let mut buffer = Zeroizing::new([0; LONGEST + 1]);
    let length = fill(&file, &mut *buffer).map_err(fail)?;
    parse(&buffer[..length]).map_err(|found| {
        Error::new(
            source,
            format_args!("a key is 32 bytes or 64 hexadecimal digits; found {found}"),
        )
    })
}

/// Reads until the buffer is full or the file ends, and returns the number of bytes.
fn fill(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match read_some(file, &mut buffer[length..])? {
            0 => break,
            count => length += count,
        }
    }
    Ok(length)
}

/// Parses a key. The error says what was found instead, but shows none of the bytes, which may
/// belong to a key.
fn parse(bytes: &[u8]) -> Result<Key, String> {
    if let Ok(raw) = bytes.try_into() {
        return Ok(Key::new(raw));
    }
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let digits = match line.strip_suffix(b"\r") {
        Some(digits) if line.len() < bytes.len() => digits,
        _ => line,
    };
    if digits.len() == 2 * Key::BYTES {
        let mut key = Zeroizing::new([0; Key::BYTES]);
        // Decodes in constant time.
        return match base16ct::mixed::decode(digits, &mut *key) {
            Ok(_) => Ok(Key::new(&key)),
            Err(_) => Err("64 characters, not all hexadecimal digits".into()),
        };
    }
    Err(match bytes.len() {
        0 => "nothing".into(),
        1 => "1 byte".into(),
        length if length > LONGEST => format!("more than {LONGEST} bytes"),
        length => format!("{length} bytes"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hornet::mac;

    const HEX: &str = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b";

    /// The tag of an empty message is the second half of the key.
    #[track_caller]
    fn assert_key(bytes: &[u8]) {
        let tag = mac(parse(bytes).unwrap(), b"").to_string();
        assert_eq!(tag, HEX[32..]);
    }

    #[track_caller]
    fn assert_refused(bytes: &[u8], found: &str) {
        assert_eq!(parse(bytes).unwrap_err(), found);
    }

    #[test]
    fn keys() {
        let raw: Vec<u8> = (0..32)
            .map(|i| u8::from_str_radix(&HEX[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        assert_key(&raw);
        assert_key(HEX.as_bytes());
        assert_key(HEX.to_uppercase().as_bytes());
        assert_key(format!("{HEX}\n").as_bytes());
        assert_key(format!("{HEX}\r\n").as_bytes());
    }

    #[test]
    fn malformed_keys() {
        assert_refused(b"", "nothing");
        assert_refused(b"x", "1 byte");
        assert_refused(&[7; 31], "31 bytes");
        assert_refused(&[7; 33], "33 bytes");
        assert_refused(&HEX.as_bytes()[1..], "63 bytes");
        assert_refused(format!("{HEX}\n\n").as_bytes(), "66 bytes");
        assert_refused(format!("{HEX}\r").as_bytes(), "65 bytes");
        assert_refused(format!(" {HEX}").as_bytes(), "65 bytes");
        assert_refused(&[7; 67], "more than 66 bytes");
        let not_hex = "64 characters, not all hexadecimal digits";
        assert_refused(&[7; 64], not_hex);
        assert_refused(HEX.replace('f', "g").as_bytes(), not_hex);
        assert_refused(format!("{}\n", HEX.replace('f', "g")).as_bytes(), not_hex);
    }
}
