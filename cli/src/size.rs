// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parses lengths, offsets and ranges in bytes: `4096`, `0x1000`, `2^12`, `4KiB`, `1MiB:4KiB`.

use crate::number::Number;
use hornet_manifest::parts::SegmentBytes;
use std::ops::Range;
use std::str::FromStr;

/// The units, each 2^10 times the one before.
const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

const NO_SIZE: &str = "not a number of bytes like 4096, 0x1000, 2^12 or 4KiB";
const TOO_LARGE: &str = "too large: it must be below 2^63";

/// A number of bytes below 2^63, the limit for the length of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unit = (1..).zip(UNITS).find_map(|(power, unit)| {
            let number = text.strip_suffix(unit)?;
            Some((number, 1_u128 << (10 * power)))
        });
        let (number, unit) = unit.unwrap_or((text, 1));
        let value = match number.strip_prefix("0x") {
            // `from_str_radix` would also accept a plus sign.
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                if digits.is_empty() {
                    return Err(NO_SIZE.into());
                }
                u128::from_str_radix(digits, 16).map_err(|_| TOO_LARGE)?
            }
            Some(_) => return Err(NO_SIZE.into()),
            None => {
                let number = Number::from_str(number).map_err(|why| {
                    if why.starts_with("too large") {
                        TOO_LARGE
                    } else {
                        NO_SIZE
                    }
                });
                number?.value
            }
        };
        let bytes = value
            .checked_mul(unit)
            .and_then(|bytes| i64::try_from(bytes).ok());
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        bytes.map(Self).ok_or_else(|| TOO_LARGE.into())
    }
}

/// Parses the length of segments.
pub(crate) fn segment_bytes(text: &str) -> Result<SegmentBytes, String> {
    let Size(bytes) = text.parse()?;
    SegmentBytes::new(bytes).ok_or_else(|| "not a power of two from 4KiB to 1GiB".into())
}

/// Bytes of a file, of which there is at least one: `OFFSET:LENGTH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Range<u64>);

impl Bytes {
    /// Returns `None` if there are none, or if they end beyond 2^63 - 1.
    pub(crate) fn new(offset: Size, length: Size) -> Result<Self, &'static str> {
        let end = i64::try_from(offset.0 + length.0).ok();
        match end.and_then(|end| u64::try_from(end).ok()) {
            _ if length.0 == 0 => Err("a range has at least one byte"),
            Some(end) => Ok(Self(offset.0..end)),
            None => Err("too large: offset and length together must be below 2^63"),
        }
    }
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (offset, length) = text
            .split_once(':')
            .ok_or("not OFFSET:LENGTH, such as 1MiB:4KiB")?;
        Ok(Self::new(offset.parse()?, length.parse()?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("0x1000", 4096),
            ("0xfF", 255),
            ("2^12", 4096),
            ("10^9", 1_000_000_000),
            ("4KiB", 4096),
            ("1MiB", 1 << 20),
            ("3GiB", 3 << 30),
            ("1TiB", 1 << 40),
            ("0x10TiB", 1 << 44),
            ("2^3PiB", 1 << 53),
            ("7EiB", 7 << 60),
            ("9223372036854775807", i64::MAX as u64),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in [
            "", "KiB", "-1", "+1", "1.5KiB", "1K", "4 KiB", "4kib", "4KB", "0x", "0x+1", "0x1g",
            "1e9", " 1", "1KiBKiB",
        ] {
            assert_eq!(text.parse::<Size>(), Err(NO_SIZE.into()), "{text}");
        }
        for text in [
            "2^63",
            "9223372036854775808",
            "8EiB",
            "0xffffffffffffffff",
            "2^200",
            "0x1ffffffffffffffffffffffffffffffff",
        ] {
            assert_eq!(text.parse::<Size>(), Err(TOO_LARGE.into()), "{text}");
        }
    }

    #[test]
    fn lengths_of_segments() {
        for (text, bytes) in [("4096", 4096), ("1MiB", 1 << 20), ("2^30", 1 << 30)] {
            assert_eq!(segment_bytes(text).map(SegmentBytes::get), Ok(bytes));
        }
        for text in ["0", "2KiB", "2GiB", "5000", "3MiB"] {
            let why = segment_bytes(text).unwrap_err();
            assert!(why.contains("4KiB to 1GiB"), "{text}: {why}");
        }
    }

    #[test]
    fn ranges() {
        for (text, range) in [
            ("0:1", 0..1),
            ("1MiB:4KiB", 1 << 20..(1 << 20) + 4096),
            ("9223372036854775806:1", u64::MAX / 2 - 1..u64::MAX / 2),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(range)), "{text}");
        }
        for (text, problem) in [
            ("5", "not OFFSET:LENGTH"),
            ("5-6", "not OFFSET:LENGTH"),
            ("5:0", "at least one byte"),
            ("5:", NO_SIZE),
            (":5", NO_SIZE),
            ("-5:5", NO_SIZE),
            ("5:-5", NO_SIZE),
            ("1:2:3", NO_SIZE),
            ("9223372036854775807:1", "together must be below 2^63"),
            (
                "9223372036854775807:9223372036854775807",
                "together must be below 2^63",
            ),
            ("2^63:1", TOO_LARGE),
        ] {
            let why = text.parse::<Bytes>().unwrap_err();
            assert!(why.contains(problem), "{text}: {why}");
        }
    }
}
