// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Points in time as RFC 3339 text in UTC: `2026-11-21T22:17:38Z`.

use std::fmt::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

const FORM: &[u8; 20] = b"0000-00-00T00:00:00Z";

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time([u8; FORM.len()]);

impl Time {
    /// Returns the time by this machine's clock, or the epoch if that time cannot be written in
    /// this form.
    #[must_use]
    pub fn now() -> Self {
        let now = SystemTime::now().max(UNIX_EPOCH);
        Self::of(now).unwrap_or(Self(*b"1970-01-01T00:00:00Z"))
    }

    fn of(time: SystemTime) -> Option<Self> {
        let mut text = String::new();
        write!(text, "{}", humantime::format_rfc3339_seconds(time)).ok()?;
        Self::parse(text.as_bytes())
    }

    /// Parses this form, without checking that the day exists.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text: [u8; FORM.len()] = text.try_into().ok()?;
        let fits = |(byte, form): (&u8, &u8)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == form,
        };
        text.iter().zip(FORM).all(fits).then_some(Self(text))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|&byte| write!(f, "{}", char::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_times() {
        let of = |seconds| Time::of(UNIX_EPOCH + Duration::from_secs(seconds));
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_795_299_458, "2026-11-21T22:17:38Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(of(seconds).unwrap().to_string(), text);
            assert_eq!(Time::parse(text.as_bytes()), of(seconds));
        }
        // A five-digit year.
        assert_eq!(of(253_402_300_800), None);
        assert!(Time::now().to_string().starts_with("20"));
        for text in [
            "",
            "2026-11-21 22:17:38Z",
            "2026-11-21T22:17:38",
            "2026-11-21T22:17:38Zx",
            "2026-1x-21T22:17:38Z",
        ] {
            assert_eq!(Time::parse(text.as_bytes()), None, "{text}");
        }
    }
}
