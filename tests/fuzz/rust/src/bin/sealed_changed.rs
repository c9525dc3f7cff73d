// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A sealed text that is changed, cut, doubled, moved or appended to: the reader gives out no more than the
//! text up to the first chunk that was changed, and its end only if nothing was. Ranges are those of the text.
#![no_main]

use hornet::stream::{CHUNK_BYTES, Key, Reader, SEALED_CHUNK_BYTES, Writer};
use libfuzzer_sys::fuzz_target;
use std::io::{Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::LazyLock;

/// Lengths of texts.
const LENGTHS: [usize; 6] = [
    0,
    100,
    CHUNK_BYTES,
    CHUNK_BYTES + 1,
    2 * CHUNK_BYTES,
    3 * CHUNK_BYTES + 77,
];

/// A text, and what it is sealed to.
static TEXTS: LazyLock<Vec<(Vec<u8>, Vec<u8>)>> = LazyLock::new(|| {
    let byte = |i: usize| (i.wrapping_mul(0x9e37_79b1) >> 13).to_le_bytes()[0];
    let sealed = |len| {
        let text: Vec<u8> = (0..len).map(byte).collect();
        let mut writer = Writer::new(key(), Vec::new());
        writer.write_all(&text).unwrap();
        (text, writer.finish().unwrap())
    };
    LENGTHS.map(sealed).into()
});

fn key() -> Key {
    Key::new(&[7; 32])
}

/// Takes a number below `limit` from the beginning of the input.
fn take(input: &mut &[u8], limit: usize) -> usize {
    let (taken, rest) = input.split_at(input.len().min(3));
    *input = rest;
    let number = taken
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | usize::from(byte));
    number % limit
}

fn change(sealed: &mut Vec<u8>, input: &mut &[u8]) {
    let (kind, at) = (take(input, 8), take(input, sealed.len() + 1));
    let more = take(input, sealed.len() - at + 1);
    let chunks = sealed.len().div_ceil(SEALED_CHUNK_BYTES).max(1);
    let begin = at % chunks * SEALED_CHUNK_BYTES;
    let chunk = begin..sealed.len().min(begin + SEALED_CHUNK_BYTES);
    match kind {
        0 if at < sealed.len() => sealed[at] ^= 1 << (more % 8),
        1 => sealed.truncate(at),
        2 => drop(sealed.drain(at..at + more)),
        3 => sealed
            .splice(at..at, sealed[at..at + more].to_vec())
            .for_each(drop),
        4 => sealed.extend_from_slice(input),
        5 => drop(sealed.drain(chunk)),
        6 => sealed
            .splice(begin..begin, sealed[chunk].to_vec())
            .for_each(drop),
        _ => {
            let moved: Vec<u8> = sealed.drain(chunk).collect();
            let to = sealed.len().min(more % chunks * SEALED_CHUNK_BYTES);
            sealed.splice(to..to, moved).for_each(drop);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = bytes;
    let (text, sealed) = &TEXTS[take(&mut input, LENGTHS.len())];
    let mut changed = sealed.clone();
    for _ in 0..take(&mut input, 4) {
        change(&mut changed, &mut input);
    }

    // In sequence, some bytes at a time.
    let step = 1 + take(&mut input, 2 * CHUNK_BYTES);
    let mut buffer = vec![0; step.max(5000)];
    let mut reader = Reader::new(key(), &changed[..]);
    let mut released = 0;
    let ended = loop {
        match reader.read(&mut buffer) {
            Ok(0) => break true,
            Ok(count) => {
                assert!(
                    text.get(released..released + count) == Some(&buffer[..count]),
                    "another text"
                );
                released += count;
            }
            Err(error) => {
                assert!(error.kind() == ErrorKind::InvalidData, "{error}");
                assert!(
                    reader.read(&mut buffer).is_err(),
                    "it goes on after a change"
                );
                break false;
            }
        }
    };
    assert!(ended == (changed == *sealed), "whether it is unchanged");
    let same = changed
        .iter()
        .zip(sealed)
        .take_while(|(a, b)| a == b)
        .count();
    assert!(
        released <= same / SEALED_CHUNK_BYTES * CHUNK_BYTES + SEALED_CHUNK_BYTES,
        "released too much"
    );

    // From a position on.
    let from = take(&mut input, text.len() + 1);
    let mut reader = Reader::new(key(), Cursor::new(&changed));
    let count = reader
        .seek(SeekFrom::Start(from as u64))
        .and_then(|_| reader.read(&mut buffer));
    match count {
        Ok(count) => {
            assert!(
                text.get(from..from + count) == Some(&buffer[..count]),
                "another range"
            );
            assert!(
                count > 0 || (from == text.len() && changed.len() == sealed.len()),
                "another end"
            );
        }
        Err(error) => assert!(
            error.kind() == ErrorKind::InvalidData && changed != *sealed,
            "{error}"
        ),
    }
});
