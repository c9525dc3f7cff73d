// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Shared code of the fuzz targets: keys, valid texts and parts to mutate, and the unique text of a key
//! file's content.

use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_key_file::Purpose;
use hornet_key_file::fuzzing::{read, write};
use hornet_manifest::parts::{self, SegmentBytes};
use hornet_manifest::{Line, PURPOSE, Seal};

/// The key used in all texts.
#[must_use]
pub fn key() -> Key {
    Key::clamped(&[7; Key::BYTES])
}

/// A nonce for a seal.
#[must_use]
pub fn seal_nonce() -> UnusedNonce {
    let mut bytes = [0; Nonce::BYTES];
    bytes[0] = 3;
    bytes[15] = PURPOSE.number();
    UnusedNonce::assume_unused(bytes)
}

/// Appends a seal to the body of a manifest, whatever the body is.
#[must_use]
pub fn sealed(body: &[u8]) -> Vec<u8> {
    let tag = key().mac(seal_nonce(), body);
    let seal = format!("seal {} {tag}\n", seal_nonce().nonce());
    [body, seal.as_bytes()].concat()
}

/// The body of a manifest with lines of every kind.
pub const BODY: &[u8] = b"\
hornet manifest 1
sealed 2026-11-21T22:17:38Z
symbolic links: followed
path b
path a\\n
00000000000000000000000000000000 10101010101010101010101010101010  a\\n
01000000000000000000000000000000 01010101010101010101010101010101  b/\\\\
02000000000000000000000000000000 02020202020202020202020202020202  b/\\xff
unread b/c
other symlink a b
other folder b/d
files 3 unread 1 others 2
";

/// Appends the last line of a key file to the lines above it, under the nonce of this counter.
#[must_use]
pub fn with_check(lines: &[u8], key: &Key, next: u64) -> Vec<u8> {
    let mut nonce = [0xff; Nonce::BYTES];
    nonce[..6].copy_from_slice(&next.to_le_bytes()[..6]);
    nonce[15] = Purpose::KEY_FILE.number();
    let check = key.mac(UnusedNonce::assume_unused(nonce), lines);
    [lines, format!("check {check}\n").as_bytes()].concat()
}

/// Checks that the text of a key file, if it is accepted, is the only one for its key and counter.
///
/// # Panics
///
/// If it is not.
pub fn check_key_file(text: &[u8]) {
    let expected = read(text, |key, next| {
        assert!(next < 1 << 48);
        write(key, next)
    });
    assert!(
        expected.is_none_or(|expected| *text == expected),
        "a second text is accepted"
    );
}

/// The lines of the manifest that has the parts of [`PARTS_LENGTHS`].
#[must_use]
pub fn parts_lines() -> Vec<Line> {
    let line = |index: u8| Line {
        nonce: [index; Nonce::BYTES],
        tag: [index; 16].into(),
        path: index.to_string().into(),
    };
    (0..)
        .zip(PARTS_LENGTHS)
        .map(|(index, _)| line(index))
        .collect()
}

/// The lengths of the files that the parts have.
pub const PARTS_LENGTHS: [usize; 3] = [5000, 0, 17];

/// The length of their segments.
pub const PARTS_SEGMENT: SegmentBytes = SegmentBytes::new(SegmentBytes::MIN).unwrap();

/// The nonce of parts.
#[must_use]
pub fn parts_nonce() -> UnusedNonce {
    let mut bytes = *seal_nonce().nonce().as_bytes();
    bytes[15] = parts::PURPOSE.number();
    UnusedNonce::assume_unused(bytes)
}

/// The seal of their manifest.
///
/// # Panics
///
/// Never: [`BODY`] has lines.
#[must_use]
pub fn parts_seal() -> Seal {
    Seal::of(&sealed(BODY)).unwrap()
}

/// Parts as they are written.
///
/// # Panics
///
/// Never: the values fit the length of the segments.
#[must_use]
pub fn written_parts() -> Vec<u8> {
    let key = key();
    let mut writer = parts::Writer::new(&key, PARTS_SEGMENT, parts_nonce());
    for (line, length) in parts_lines().iter().zip(PARTS_LENGTHS) {
        let content = vec![1; length];
        let values: Vec<_> = content
            .chunks(4096)
            .map(|segment| key.partial(segment))
            .collect();
        writer.file(&line.nonce, &line.tag, None, &values).unwrap();
    }
    writer.seal(&parts_seal()).unwrap()
}
