//! The text of a key file, and the nonces that come out of it.

use super::{KEY_HEX, nonce, place, problem, text, with_check, write};
use hornet::aes::{Key, Nonce};
use hornet::key_file::{KeyFile, Problem, Purpose};
use std::{fs, str};

#[test]
fn there_and_back() {
    let (_folder, path) = place();
    let created = KeyFile::create(&path).unwrap();
    let opened = KeyFile::open(&path).unwrap();
    let tag = created.key().mac(nonce(7, 0), b"a message");
    assert_eq!(
        opened.key().verify(&nonce(7, 0), b"a message", &tag),
        Ok(())
    );

    let mut counters = 0..;
    for (file, count) in [(&created, 3), (&opened, 1), (&created, 0), (&opened, 200)] {
        let nonces = file.reserve(count).unwrap();
        assert_eq!(nonces.len() as u64, count);
        for nonce in nonces {
            assert_eq!(super::counter(&nonce), counters.next().unwrap());
        }
    }
}

/// Against a text that the library had no part in, up to `check`.
#[test]
fn text_is_as_documented() {
    let (_folder, path) = place();
    for next in [0, 1, 41, u128::from(u64::MAX), (1 << 120) - 4] {
        write(&path, text(next));
        let file = KeyFile::open(&path).unwrap();
        assert_eq!(super::next(&file), next);
        assert_eq!(fs::read_to_string(&path).unwrap(), text(next + 1));
        assert_eq!(file.reserve(2).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), text(next + 3));
    }
}

#[test]
fn created_keys_differ() {
    let (folder, path) = place();
    let tags: Vec<String> = ["a", "b", "c"]
        .map(|name| KeyFile::create(&folder.path().join(name)).unwrap())
        .map(|file| file.key().mac(nonce(0, 0), b"").to_string())
        .into();
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2]);
    assert!(!path.exists());
}

/// The lines of a good text, for the counter 41.
const TITLE: &str = "hornet-poly1305-aes-key 1";
const NEXT: &str = "next-nonce 41";

fn key_line() -> String {
    format!("key {KEY_HEX}")
}

/// Texts of which only this line is wrong: the check fits them.
fn lines(title: &str, key: &str, next: &str) -> String {
    with_check(&format!("{title}\n{key}\n{next}\n"), 41)
}

/// Each of the texts is refused, in the same words, whether the file had it when it was opened or
/// has it now.
#[track_caller]
fn refused(texts: impl IntoIterator<Item = String>, expected: &str) {
    let (_folder, path) = place();
    let good = text(41);
    write(&path, &good);
    let file = KeyFile::open(&path).unwrap();
    for text in texts {
        write(&path, &text);
        assert_eq!(problem(KeyFile::open(&path), &path), expected, "{text}");
        assert_eq!(problem(file.reserve(1), &path), expected, "{text}");
        assert_eq!(problem(file.reserve(0), &path), expected, "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    write(&path, &good);
    assert_eq!(super::next(&file), 41);
}

#[test]
fn what_is_no_title() {
    let good = text(41);
    let titles = [
        "hornet-poly1305-aes-key 2",
        "hornet-poly1305-aes-key",
        "Hornet-poly1305-aes-key 1",
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
        format!("\n{good}"),
        good.replace('\n', "\r\n"),
        format!("\u{feff}{good}"),
    ];
    refused(
        texts.into_iter().chain(others),
        r#"line 1: is not "hornet-poly1305-aes-key 1""#,
    );
}

#[test]
fn what_is_no_key() {
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
    // Byte 15 of r is below 16.
    refused(
        [lines(TITLE, &format!("key {}10", &digits[..62]), NEXT)],
        "line 2: the second half of the key, r, has bits that Poly1305 forbids",
    );
}

#[test]
fn what_is_no_next_nonce() {
    let numbers = [
        // 2^120, one more, ten times that, 2^128.
        "next-nonce 1329227995784915872903807060280344576",
        "next-nonce 1329227995784915872903807060280344577",
        "next-nonce 13292279957849158729038070602803445760",
        "next-nonce 340282366920938463463374607431768211456",
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
    ];
    let texts = numbers.map(|next| lines(TITLE, &key_line(), next));
    let others = [
        format!("{TITLE}\n{}\n", key_line()),
        format!("{TITLE}\n{}\n{NEXT}", key_line()),
    ];
    refused(
        texts.into_iter().chain(others),
        "line 3: next-nonce is not a decimal number below 2^120",
    );
    // With the check that the counter would have.
    let (_folder, path) = place();
    for next in [1 << 120, (1 << 120) + 1] {
        write(&path, text(next));
        assert!(KeyFile::open(&path).is_err());
    }
}

#[test]
fn what_is_no_check() {
    let good = text(41);
    let (above, digits) = good.trim_end().rsplit_once("check ").unwrap();
    let checks = [
        digits.into(),
        format!("check {}", &digits[1..]),
        format!("check {digits}0"),
        format!("check {digits}\r"),
        format!("check  {digits}"),
        format!("check g{}", &digits[1..]),
        "check \u{e9}".into(),
        "check ".into(),
        String::new(),
    ];
    let texts = checks.map(|check| format!("{above}{check}\n"));
    let others = [above.into(), good.trim_end().into()];
    refused(
        texts.into_iter().chain(others),
        r#"line 4: is not "check" and 32 hexadecimal digits"#,
    );
}

#[test]
fn a_check_that_does_not_fit() {
    let good = text(41);
    let edited = [
        good.replace(NEXT, "next-nonce 40"),
        good.replace(NEXT, "next-nonce 0"),
        good.replace("key ec", "key ed"),
        text(40).replace("next-nonce 40", NEXT),
    ];
    // Under the nonce of a message, or of another counter.
    let above = format!("{TITLE}\n{}\n{NEXT}\n", key_line());
    let key = Key::new(&super::KEY).unwrap();
    let under = [(41, 0), (41, 254), (40, 255), (42, 255)].map(|(counter, purpose)| {
        let tag = key.mac(nonce(counter, purpose), above.as_bytes());
        format!("{above}check {tag}\n")
    });
    let zeros = format!("{above}check {}\n", "0".repeat(32));
    refused(
        edited.into_iter().chain(under).chain([zeros]),
        "line 4: check does not fit the lines above: they were changed",
    );
}

#[test]
fn too_many_lines() {
    // The longest text there is, too.
    for good in [text(41), text((1 << 120) - 1)] {
        let long = "x".repeat(1_000);
        let more = ["\n", "x", "x\n", "check\n", &long].map(|more| format!("{good}{more}"));
        refused(more, "line 5: is one too many");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let (_folder, path) = place();
    for number in 0..4 {
        let good = text(41);
        let mut lines: Vec<Vec<u8>> = good.lines().map(Into::into).collect();
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

/// Each bit of the file, and each byte too many or too few.
#[test]
fn every_damage_is_noticed() {
    let (_folder, path) = place();
    let good = text(41).into_bytes();
    for bit in 0..8 * good.len() {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        // The digits of a check may be of either case.
        if bytes.eq_ignore_ascii_case(&good) && bit / 8 > good.len() - 34 {
            continue;
        }
        write(&path, &bytes);
        assert!(KeyFile::open(&path).is_err(), "{bit}");
    }
    for length in 0..good.len() {
        write(&path, &good[..length]);
        assert!(KeyFile::open(&path).is_err(), "{length}");
    }
}

#[test]
fn no_message_shows_the_key() {
    let (_folder, path) = place();
    let good = text(41);
    for damaged in [
        good.replace("next-nonce", "x"),
        good.replace("41", "40"),
        good.replace("key ec", "key xc"),
        format!("{good}x"),
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
    write(&path, &good);
    let shown = format!("{:?}", KeyFile::open(&path).unwrap());
    assert!(shown.contains("key: Key(..)"), "{shown}");
}

#[test]
fn another_key() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let other = KeyFile::create(&path).unwrap();
    let expected = "now holds another key than when it was opened";
    assert_eq!(problem(file.reserve(1), &path), expected);
    assert_eq!(problem(file.reserve(0), &path), expected);
    assert_eq!(
        problem(file.fork(&folder.path().join("fork")), &path),
        expected
    );
    assert_eq!(super::names(&folder), ["key"]);
    assert_eq!(super::next(&other), 0);

    // One that differs in a single bit.
    write(&path, text(3));
    let file = KeyFile::open(&path).unwrap();
    for bit in [0, 7, 128, 255 - 8] {
        let mut bytes = super::KEY;
        bytes[bit / 8] ^= 1 << (bit % 8);
        let key = Key::new(&bytes).unwrap();
        let [k, r] = [&bytes[..16], &bytes[16..]].map(|half| {
            let bytes = <[u8; 16]>::try_from(half).unwrap();
            Nonce::new(bytes).to_string()
        });
        let above = format!("hornet-poly1305-aes-key 1\nkey {k}{r}\nnext-nonce 3\n");
        let check = key.mac(nonce(3, 255), above.as_bytes());
        write(&path, format!("{above}check {check}\n"));
        assert!(KeyFile::open(&path).is_ok());
        assert_eq!(problem(file.reserve(1), &path), expected, "{bit}");
    }
}

#[test]
fn exhausted() {
    let (_folder, path) = place();
    write(&path, text((1 << 120) - 5));
    let file = KeyFile::open(&path).unwrap();
    for count in [5, 6, u64::MAX] {
        assert_eq!(
            problem(file.reserve(count), &path),
            "has no more nonces, or not so many"
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 120) - 5));
    let last = file.reserve(4).unwrap().last().unwrap();
    assert_eq!(super::counter(&last), (1 << 120) - 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 120) - 1));
    assert_eq!(
        problem(file.reserve(1), &path),
        "has no more nonces, or not so many"
    );
    assert_eq!(file.reserve(0).unwrap().count(), 0);
    assert!(KeyFile::open(&path).is_ok());

    // As many as can be asked for at once.
    write(&path, text(1));
    let mut most = file.reserve(u64::MAX).unwrap();
    assert_eq!(super::counter(&most.next().unwrap()), 1);
    assert_eq!(super::next(&file), 1 << 64);
}

#[test]
fn purposes() {
    let (_folder, path) = place();
    let mine = Purpose::new(1).unwrap();
    let last = Purpose::new(253).unwrap();
    assert_eq!(Purpose::new(0), None);
    assert_eq!(Purpose::new(254), None);
    assert_eq!(Purpose::new(255), None);

    let mut nonces = KeyFile::create(&path).unwrap().reserve(5).unwrap();
    let is = |nonce: Option<Nonce>, counter, purpose: u8| {
        let found = nonce.unwrap();
        assert_eq!(found.as_bytes(), super::nonce(counter, purpose).as_bytes());
        assert_eq!(Purpose::of(&found).number(), purpose);
    };
    is(nonces.next(), 0, 0);
    is(nonces.next_for(mine), 1, 1);
    assert_eq!(nonces.len(), 3);
    // These are not for messages, and take none.
    assert!(nonces.next_for(Purpose::FORK).is_none());
    assert!(nonces.next_for(Purpose::KEY_FILE).is_none());
    assert_eq!(nonces.len(), 3);
    is(nonces.next_for(last), 2, 253);
    is(nonces.next_for(Purpose::MESSAGE), 3, 0);
    is(nonces.next(), 4, 0);
    assert!(nonces.next().is_none());
    assert!(nonces.next_for(mine).is_none());
    assert_eq!(nonces.len(), 0);
}

#[test]
fn forks() {
    let (folder, path) = place();
    write(&path, text(10));
    let file = KeyFile::open(&path).unwrap();
    let fork = |name: &str| file.fork(&folder.path().join(name)).unwrap();
    let tag = |key: &Key| key.mac(nonce(0, 0), b"a message").to_string();

    let first = fork("first");
    // By the formula.
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(file.key().mac(nonce(10, 254), b"").as_bytes());
    bytes[16..].copy_from_slice(file.key().mac(nonce(11, 254), b"").as_bytes());
    assert_eq!(tag(first.key()), tag(&Key::clamped(&bytes)));

    let second = fork("second");
    let of_first = first.fork(&folder.path().join("of first")).unwrap();
    let files = [&file, &first, &second, &of_first];
    for (index, one) in files.iter().enumerate() {
        for other in &files[index + 1..] {
            assert_ne!(tag(one.key()), tag(other.key()));
        }
    }
    // Two nonces each.
    assert_eq!(files.map(super::next), [14, 2, 0, 0]);
    for name in ["first", "second", "of first"] {
        let path = folder.path().join(name);
        assert_eq!(
            super::next(&KeyFile::open(&path).unwrap()),
            if name == "first" { 3 } else { 1 }
        );
    }
}
