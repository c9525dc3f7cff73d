// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parses numeric arguments: `1000`, `2^64`, `10^9`.

use std::str::FromStr;

/// A number up to 2^128 - 1, with its original text.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) value: u128,
    pub(crate) text: String,
}

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value = match text.split_once('^') {
            Some((base, exponent)) => power(whole(base)?, whole(exponent)?),
            None => Some(whole(text)?),
        };
        Ok(Self {
            value: value.ok_or(TOO_LARGE)?,
            text: text.into(),
        })
    }
}

const TOO_LARGE: &str = "too large: it must be below 2^128";

fn whole(digits: &str) -> Result<u128, String> {
    // `parse` would also accept a plus sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a number like 1000, 2^64 or 10^9".into());
    }
    digits.parse().map_err(|_| TOO_LARGE.into())
}

fn power(base: u128, exponent: u128) -> Option<u128> {
    if base <= 1 {
        // Holds for any exponent; 0^0 is 1.
        return Some(if exponent == 0 { 1 } else { base });
    }
    base.checked_pow(u32::try_from(exponent).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, value) in [
            ("0", 0),
            ("1000", 1000),
            ("007", 7),
            ("2^64", 1 << 64),
            ("2^127", 1 << 127),
            ("10^9", 1_000_000_000),
            ("3^0", 1),
            ("0^0", 1),
            ("0^5", 0),
            ("1^340282366920938463463374607431768211455", 1),
            ("340282366920938463463374607431768211455", u128::MAX),
        ] {
            let number: Number = text.parse().unwrap();
            assert_eq!((number.value, &number.text[..]), (value, text));
        }
    }

    #[test]
    fn malformed_numbers() {
        for text in [
            "", "^", "2^", "^2", "-1", "+1", "1.5", "1e9", "0x10", "2^2^2", "1_000", " 1", "２",
        ] {
            let problem = text.parse::<Number>().unwrap_err();
            assert!(problem.starts_with("not a number"), "{text}: {problem}");
        }
        for text in [
            "2^128",
            "340282366920938463463374607431768211456",
            "10^39",
            "2^4294967296",
            "2^340282366920938463463374607431768211456",
        ] {
            assert_eq!(text.parse::<Number>().unwrap_err(), TOO_LARGE, "{text}");
        }
    }
}
