//! Reads a key file: exactly 32 raw bytes, or 64 hexadecimal digits and at most one newline.

use crate::error::Error;
use crate::input::Input;
use crate::source::{Source, read_some};
use hornet::Key;
use std::fs::File;
use std::io;
use zeroize::Zeroizing;

/// 64 digits and CR LF: the longest that can be right. One byte more tells that it is too long.
const LONGEST: usize = 66;

/// Reads the key from a file that is not the message too.
pub(crate) fn read(source: &Source, input: &Input) -> Result<Key, Error> {
    let fail = |error: io::Error| Error::new(source, error);
    let file = source.open().map_err(fail)?;
    if input.is_same_file(&file.metadata().map_err(fail)?) {
        return Err(Error::new(source, "cannot be both the key and the message"));
    }
    let mut buffer = Zeroizing::new([0; LONGEST + 1]);
    let length = fill(&file, &mut *buffer).map_err(fail)?;
    parse(&buffer[..length]).map_err(|found| {
        Error::new(
            source,
            format_args!("a key is 32 bytes or 64 hexadecimal digits; found {found}"),
        )
    })
}

/// Reads until the buffer is full or the file ends, and says how much that was.
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

/// The key in these bytes, or in words what they are instead. No word tells a byte: it may be one
/// of a key.
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
        // Decodes without a branch or table that depends on the key.
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

    /// The tag of nothing is the second half of the key.
    #[track_caller]
    fn good(bytes: &[u8]) {
        let tag = mac(parse(bytes).unwrap(), b"").to_string();
        assert_eq!(tag, HEX[32..]);
    }

    #[track_caller]
    fn bad(bytes: &[u8], found: &str) {
        assert_eq!(parse(bytes).unwrap_err(), found);
    }

    #[test]
    fn keys() {
        let raw: Vec<u8> = (0..32)
            .map(|i| u8::from_str_radix(&HEX[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        good(&raw);
        good(HEX.as_bytes());
        good(HEX.to_uppercase().as_bytes());
        good(format!("{HEX}\n").as_bytes());
        good(format!("{HEX}\r\n").as_bytes());
    }

    #[test]
    fn not_keys() {
        bad(b"", "nothing");
        bad(b"x", "1 byte");
        bad(&[7; 31], "31 bytes");
        bad(&[7; 33], "33 bytes");
        bad(&HEX.as_bytes()[1..], "63 bytes");
        bad(format!("{HEX}\n\n").as_bytes(), "66 bytes");
        bad(format!("{HEX}\r").as_bytes(), "65 bytes");
        bad(format!(" {HEX}").as_bytes(), "65 bytes");
        bad(&[7; 67], "more than 66 bytes");
        let not_hex = "64 characters, not all hexadecimal digits";
        bad(&[7; 64], not_hex);
        bad(HEX.replace('f', "g").as_bytes(), not_hex);
        bad(format!("{}\n", HEX.replace('f', "g")).as_bytes(), not_hex);
    }
}
