// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parses sizes and offsets in bytes: `4096`, `0x1000`, `4KiB`.

/// The units, which are powers of 1024.
const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/// Returns the number of bytes.
pub(crate) fn parse(text: &str) -> Result<u64, &'static str> {
    const TOO_LARGE: &str = "too large: it must be below 2^64";
    let (digits, radix, shift) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16, 0),
        None => {
            let end = text.find(|c: char| !c.is_ascii_digit());
            let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
            let power = UNITS.iter().position(|&known| known == unit);
            match power {
                Some(power) => (digits, 10, 10 * (power as u32 + 1)),
                None if unit.is_empty() => (digits, 10, 0),
                None => return Err(NOT_A_SIZE),
            }
        }
    };
    // `from_str_radix` would also accept a plus sign.
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(NOT_A_SIZE);
    }
    let number = u64::from_str_radix(digits, radix).map_err(|_| TOO_LARGE)?;
    number.checked_mul(1 << shift).ok_or(TOO_LARGE)
}

const NOT_A_SIZE: &str = "not a size like 4096, 0x1000 or 4KiB";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("007", 7),
            ("4096", 4096),
            ("0x1000", 4096),
            ("0xfF", 255),
            ("4KiB", 4096),
            ("3MiB", 3 << 20),
            ("16383PiB", 16383 << 50),
            ("18446744073709551615", u64::MAX),
            ("0xffffffffffffffff", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "-1", "+1", "0x", "0x-1", "0x+1", "0xg", "0X1", "1.5", "1e3", "4K", "4kib", "4 KiB", "KiB", "1_000",
            "0x4KiB", "２",
        ] {
            assert_eq!(parse(text), Err(NOT_A_SIZE), "{text}");
        }
        for text in ["18446744073709551616", "0x10000000000000000", "16384PiB"] {
            assert!(parse(text).unwrap_err().starts_with("too large"), "{text}");
        }
    }
}
