// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file.

use super::{CHECK, KEY_HEX, nonce, place, problem, tag, text, with_check, write};
use hornet::aes::Key;
use hornet_key_file::{KeyFile, Problem};
use std::{fs, str};

/// Compares with a text that the library did not write, except for `check`.
#[test]
fn text_is_as_documented() {
    let (_folder, path) = place();
    for next in [0, 1, 41, u64::from(u32::MAX), (1 << 48) - 4] {
        write(&path, text(next));
        let file = KeyFile::open(&path).unwrap();
        assert_eq!(super::next(&file), next);
        assert_eq!(fs::read_to_string(&path).unwrap(), text(next + 1));
        assert_eq!(file.reserve(2).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), text(next + 3));
    }
}

/// The lines of a valid text with the counter 41.
const TITLE: &str = "hornet-poly1305-aes-key 1";
const NEXT: &str = "next-nonce 41";

fn key_line() -> String {
    format!("key {KEY_HEX}")
}

/// Returns a text of these lines with a valid check.
fn lines(title: &str, key: &str, next: &str) -> String {
    let above = format!("{title}\n{key}\n{next}\n");
    with_check(&above, nonce(41, CHECK, 255))
}

/// Checks that each text is refused with the same message, by `open`, and by `reserve` of a file
/// that was valid when it was opened.
#[track_caller]
fn refused(texts: impl IntoIterator<Item = String>, expected: &str) {
    let (_folder, path) = place();
    let valid = text(41);
    write(&path, &valid);
    let file = KeyFile::open(&path).unwrap();
    for text in texts {
        write(&path, &text);
        assert_eq!(problem(KeyFile::open(&path), &path), expected, "{text}");
        assert_eq!(problem(file.reserve(1), &path), expected, "{text}");
        assert_eq!(problem(file.reserve(0), &path), expected, "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    write(&path, &valid);
    assert_eq!(super::next(&file), 41);
}

#[test]
fn malformed_titles() {
    let valid = text(41);
    let titles = [
        "hornet-poly1305-aes-key 0",
        "hornet-poly1305-aes-key 2",
        "hornet-poly1305-aes-key 12",
        "hornet-poly1305-aes-key 01",
        "hornet-poly1305-aes-key",
        "Hornet-poly1305-aes-key 1",
        "hornet-poly1305-aes-key  1",
        "hornet-poly1305-aes-key 1 ",
        "hornet-poly1305-aes-key 1\r",
        " hornet-poly1305-aes-key 1",
        "",
    ];
    let texts = titles.map(|title| lines(title, &key_line(), NEXT));
    let others = [
        String::new(),
        "\n".into(),
        // Other kinds of key files.
        KEY_HEX.into(),
        format!("{KEY_HEX}\n"),
        "x".repeat(1_000_000),
        TITLE.into(),
        format!("\n{valid}"),
        valid.replace('\n', "\r\n"),
        format!("\u{feff}{valid}"),
    ];
    refused(
        texts.into_iter().chain(others),
        r#"line 1: is not "hornet-poly1305-aes-key 1": not a key file, or of a version that is not supported"#,
    );
}

#[test]
fn malformed_keys() {
    let digits = KEY_HEX;
    let keys = [
        digits.into(),
        format!("key  {digits}"),
        format!("key\t{digits}"),
        format!("key {digits} "),
        format!("key {digits}\r"),
        format!("key {digits}00"),
        format!("key {}", &digits[1..]),
        format!("key {}", &digits[2..]),
        format!("key {}", digits.to_uppercase()),
        format!("key g{}", &digits[1..]),
        format!("key {}+", &digits[1..]),
        "key ".into(),
        "key".into(),
        String::new(),
    ];
    let texts = keys.map(|key| lines(TITLE, &key, NEXT));
    let others = [
        format!("{TITLE}\n"),
        format!("{TITLE}\n{}", key_line()),
        format!("{TITLE}\n{}", "x".repeat(1_000)),
    ];
    refused(
        texts.into_iter().chain(others),
        r#"line 2: is not "key" and 64 lower-case hexadecimal digits"#,
    );
    // Byte 15 of r must be less than 16.
    refused(
        [lines(TITLE, &format!("key {}10", &digits[..62]), NEXT)],
        "line 2: r, the second half of the key, is not clamped",
    );
}

#[test]
fn malformed_next_nonces() {
    let numbers = [
        // 2^128, and 2^128 + 1.
        "next-nonce 340282366920938463463374607431768211456",
        "next-nonce 340282366920938463463374607431768211457",
        "next-nonce -1",
        "next-nonce +41",
        "next-nonce 041",
        "next-nonce 00",
        "next-nonce ",
        "next-nonce",
        "next-nonce 41 ",
        "next-nonce 41\r",
        "next-nonce  41",
        "next-nonce 4 1",
        "next-nonce 0x29",
        "next-nonce 4_1",
        "next-nonce \u{664}\u{661}",
        "41",
        "",
        // 2^48, plus one, times ten; 2^64 and 2^64 + 1.
        "next-nonce 281474976710656",
        "next-nonce 281474976710657",
        "next-nonce 2814749767106560",
        "next-nonce 18446744073709551616",
        "next-nonce 18446744073709551617",
    ];
    let texts = numbers.map(|next| lines(TITLE, &key_line(), next));
    let others = [
        format!("{TITLE}\n{}\n", key_line()),
        format!("{TITLE}\n{}\n{NEXT}", key_line()),
    ];
    refused(
        texts.into_iter().chain(others),
        "line 3: next-nonce is not a decimal number below 2^48",
    );
    // With the check for that counter.
    let (_folder, path) = place();
    for next in [1 << 48, (1 << 48) + 1, u64::MAX] {
        write(&path, text(next));
        assert!(KeyFile::open(&path).is_err());
    }
}

#[test]
fn malformed_checks() {
    let valid = text(41);
    let (above, digits) = valid.trim_end().rsplit_once("check ").unwrap();
    let checks = [
        digits.into(),
        format!("check {}", &digits[1..]),
        format!("check {digits}0"),
        format!("check {digits}\r"),
        format!("check  {digits}"),
        format!("check g{}", &digits[1..]),
        format!("check {}", digits.to_uppercase()),
        "check \u{e9}".into(),
        "check ".into(),
        String::new(),
    ];
    let texts = checks.map(|check| format!("{above}{check}\n"));
    let others = [above.into(), valid.trim_end().into()];
    refused(
        texts.into_iter().chain(others),
        r#"line 4: is not "check" and 32 lower-case hexadecimal digits"#,
    );
}

#[test]
fn a_check_that_does_not_match() {
    let valid = text(41);
    let edited = [
        valid.replace(NEXT, "next-nonce 40"),
        valid.replace(NEXT, "next-nonce 0"),
        valid.replace("key ec", "key ed"),
        text(40).replace("next-nonce 40", NEXT),
    ];
    // Tags under a nonce for a message, for a fork, of another counter, and without the ones.
    let above = format!("{TITLE}\n{}\n{NEXT}\n", key_line());
    let key = Key::new(&super::KEY).unwrap();
    let under = [
        nonce(41, CHECK, 0),
        nonce(41, CHECK, 254),
        nonce(40, CHECK, 255),
        nonce(42, CHECK, 255),
        nonce(41, [0; 9], 255),
    ];
    let under = under.map(|nonce| format!("{above}check {}\n", tag(&key, nonce, &above)));
    let zeros = format!("{above}check {}\n", "0".repeat(32));
    refused(
        edited.into_iter().chain(under).chain([zeros]),
        "line 4: check does not match the lines above: they were changed",
    );
}

#[test]
fn too_many_lines() {
    // Also after the longest possible text.
    for valid in [text(41), text((1 << 48) - 1)] {
        let long = "x".repeat(1_000);
        let more = ["\n", "x", "x\n", "check\n", &long].map(|more| format!("{valid}{more}"));
        refused(more, "line 5: unexpected: the file must end after line 4");
    }
}

#[test]
fn bytes_that_are_not_utf_8() {
    let (_folder, path) = place();
    for number in 0..4 {
        let valid = text(41);
        let mut lines: Vec<Vec<u8>> = valid.lines().map(Into::into).collect();
        *lines[number].last_mut().unwrap() = 0xff;
        write(&path, [lines.join(&b'\n'), b"\n".to_vec()].concat());
        let Err(error) = KeyFile::open(&path) else {
            panic!();
        };
        assert!(
            matches!(error.problem(), Problem::Malformed(line, _) if usize::from(*line) == number + 1),
            "{error}"
        );
    }
}

/// Flips each bit, and truncates to each length.
#[test]
fn every_change_is_refused() {
    let (_folder, path) = place();
    let valid = text(41).into_bytes();
    for bit in 0..8 * valid.len() {
        let mut bytes = valid.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        write(&path, &bytes);
        assert!(KeyFile::open(&path).is_err(), "{bit}");
    }
    for length in 0..valid.len() {
        write(&path, &valid[..length]);
        assert!(KeyFile::open(&path).is_err(), "{length}");
    }
}

#[test]
fn no_message_shows_the_key() {
    let (_folder, path) = place();
    let valid = text(41);
    for damaged in [
        valid.replace("next-nonce", "x"),
        valid.replace("41", "40"),
        valid.replace("key ec", "key xc"),
        format!("{valid}x"),
    ] {
        write(&path, damaged);
        let Err(error) = KeyFile::open(&path) else {
            panic!();
        };
        for shown in [format!("{error}"), format!("{error:?}")] {
            let digits = KEY_HEX.as_bytes().windows(4);
            for digits in digits.map(|digits| str::from_utf8(digits).unwrap()) {
                assert!(!shown.contains(digits), "{shown}");
            }
        }
    }
    write(&path, &valid);
    let shown = format!("{:?}", KeyFile::open(&path).unwrap());
    assert!(shown.contains("key: Key(..)"), "{shown}");
}
