// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of parts files: their format, and replacing them together with their manifest.

use crate::parts::error::{Error, Part, Problem};
use crate::parts::format::{Entry, Header, Pages, SegmentBytes};
use crate::parts::place::{Location, Step};
use crate::parts::{PURPOSE, Place, Reader, Stamp, ValuesError, Writer};
use crate::{Line, Manifest, Seal, Time};
use hornet::aead::XChaCha20Poly1305;
use hornet::aes::{Key, Partial, UnusedNonce};
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use tempfile::TempDir;

fn key() -> Key {
    Key::clamped(&[7; 32])
}

fn nonce(number: u64, purpose: u8) -> UnusedNonce {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes[15] = purpose;
    UnusedNonce::assume_unused(bytes)
}

const SEGMENT: SegmentBytes = SegmentBytes::new(4096).unwrap();

/// The bytes of a file: no two segments are equal.
fn content(len_bytes: u64) -> Vec<u8> {
    let bytes = (0..len_bytes).map(|index| (index / 4096 * 7 + index % 251).to_le_bytes()[0]);
    bytes.collect()
}

fn stamp(number: u64) -> Option<Stamp> {
    // Some have none.
    (number % 3 != 0).then_some(Stamp {
        device: number,
        inode: u64::MAX - number,
        modified: (-1, 999_999_999),
        changed: (i64::MAX, 1),
    })
}

/// A manifest and its parts.
struct Pair {
    text: Vec<u8>,
    seal: Seal,
    parts: Vec<u8>,
}

/// Tags files of these lengths. Each version has its own nonces.
fn pair(version: u64, lengths: &[u64]) -> Pair {
    let key = key();
    let first = version << 32;
    let mut manifest = crate::Writer::new(Vec::new(), &key, Time::now(), false).unwrap();
    let mut parts = Writer::new(&key, SEGMENT, nonce(first, PURPOSE.number()));
    for (number, &length) in (1..).zip(lengths) {
        let content = content(length);
        let unused = nonce(first + number, 0);
        let shown = *unused.nonce().as_bytes();
        let tag = key.mac(unused, &content);
        let values = key.partial_segments(&content, 4096).unwrap();
        manifest
            .file(&shown, &tag, format!("{number:08}").as_bytes())
            .unwrap();
        parts.file(&shown, &tag, stamp(number), &values).unwrap();
    }
    let seal = nonce(first, crate::PURPOSE.number());
    let text = manifest.seal(seal).unwrap();
    let seal = Seal::of(&text).unwrap();
    let parts = parts.seal(&seal).unwrap();
    Pair { text, seal, parts }
}

impl Pair {
    fn lines(&self) -> Vec<Line> {
        Manifest::open(&self.text, &key()).unwrap().files
    }

    fn open(&self) -> Reader<&[u8]> {
        reader(&self.parts, &self.seal).unwrap()
    }
}

fn reader<'a>(parts: &'a [u8], seal: &Seal) -> Result<Reader<&'a [u8]>, Error> {
    Reader::new(parts, "vm.parts".as_ref(), &key(), seal)
}

/// Opens everything that is in parts.
fn all(parts: &[u8], pair: &Pair) -> Result<Vec<Entry>, String> {
    let lines = pair.lines();
    let read = || {
        let reader = reader(parts, &pair.seal)?;
        let mut entries = Vec::new();
        for file in reader.files_with_values(&lines)? {
            let (entry, values) = file?;
            assert_eq!(values.len() as u64, entry.segments());
            entries.push(entry);
        }
        Ok(entries)
    };
    read().map_err(|error: Error| {
        assert!(error.is_refusal(), "{error}");
        error.to_string()
    })
}

#[track_caller]
fn refused(parts: &[u8], pair: &Pair) -> String {
    match all(parts, pair) {
        Ok(_) => panic!("accepted"),
        Err(error) => error,
    }
}

/// Lengths whose values end within, at and after the end of a page of 1024, and an empty file.
const LENGTHS: [u64; 7] = [5000, 0, 4096 * 1020, 4096, 4096 * 1024, 1, 4096 * 2050 + 17];

#[test]
fn round_trip() {
    let pair = pair(1, &LENGTHS);
    let lines = pair.lines();
    let reader = pair.open();
    assert_eq!(reader.files(), 7);
    assert_eq!(reader.segment_bytes(), SEGMENT);
    let entries = all(&pair.parts, &pair).unwrap();
    for (index, (entry, &length)) in entries.iter().zip(&LENGTHS).enumerate() {
        let alone = reader.entry(&lines, index).unwrap();
        assert_eq!((alone.len_bytes, entry.len_bytes), (length, length));
        assert_eq!(
            (alone.first, alone.nonce),
            (entry.first, lines[index].nonce)
        );
        assert_eq!(entry.stamp, stamp(index as u64 + 1));
        let bytes = content(length);
        for range in [
            0..1,
            0..length,
            length / 2..length,
            length.saturating_sub(1)..length,
        ] {
            let touched = entry.touched(range.clone());
            if range.is_empty() || range.end > length {
                assert_eq!(touched, None);
                continue;
            }
            let touched = touched.unwrap();
            assert!(entry.bytes_of(touched.start).contains(&range.start));
            assert!(entry.bytes_of(touched.end - 1).contains(&(range.end - 1)));
            let values = reader.values(entry, touched.clone()).unwrap();
            assert_eq!(values.len() as u64, touched.end - touched.start);
            // Not all of many: those at the ends of pages.
            let at_ends = |segment: &u64| (entry.first + segment + 1) % 1024 < 3 || *segment < 2;
            let pairs = touched.zip(&values);
            for (segment, value) in pairs.filter(|(segment, _)| at_ends(segment)) {
                let at = entry.bytes_of(segment);
                let at = usize::try_from(at.start).unwrap()..usize::try_from(at.end).unwrap();
                let mut segment = bytes[at].to_vec();
                key().verify_segment(value, &segment).unwrap();
                segment[0] ^= 1;
                key().verify_segment(value, &segment).unwrap_err();
            }
        }
        let beyond = reader.values(entry, 0..entry.segments() + 1).unwrap_err();
        assert!(matches!(beyond.problem(), Problem::Missing(_)), "{beyond}");
    }
    // An entry of parts that have more.
    let more = self::pair(2, &[4096 * 5000]);
    let entry = more.open().entry(&more.lines(), 0).unwrap();
    let error = reader.values(&entry, 4099..4100).unwrap_err();
    assert!(matches!(error.problem(), Problem::Missing(4100)), "{error}");
    let error = reader.entry(&lines, 7).unwrap_err();
    assert_eq!(error.to_string(), "vm.parts: has nothing of number 7");
}

/// Read by what docs/manifest.md says, with the cipher and the pads alone.
#[test]
fn the_format_as_documented() {
    let key = key();
    let lengths = [4096 * 1030, 17];
    let pair = pair(1, &lengths);
    let parts = &pair.parts;
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..][..8].try_into().unwrap());
    assert_eq!(&parts[..16], b"hornet parts 1\n\0");
    let numbers = [16, 24, 32].map(|at| number(parts, at));
    assert_eq!(numbers, [4096, 2, 1031]);
    assert_eq!(parts[40..56], *pair.seal.nonce.as_bytes());
    assert_eq!(parts[56..72], *pair.seal.tag.as_bytes());
    let nonce: [u8; 16] = parts[72..88].try_into().unwrap();
    assert_eq!(nonce[15], 2);
    let tag: [u8; 16] = parts[88..104].try_into().unwrap();
    key.verify(&nonce.into(), &parts[..72], &tag.into())
        .unwrap();

    let derived = |number: u64| {
        let pads = [2 * number, 2 * number + 1].map(|counter| {
            let mut nonce = [0xff; 16];
            nonce[..6].copy_from_slice(&counter.to_le_bytes()[..6]);
            nonce[15] = 253;
            *key.pad(UnusedNonce::assume_unused(nonce))
        });
        XChaCha20Poly1305::new(&pads.concat().try_into().unwrap())
    };
    let mut at = 104;
    let mut page = |kind: u8, page: u8, len_bytes: usize| {
        let mut page_nonce = [0; 24];
        page_nonce[..16].copy_from_slice(&nonce);
        page_nonce[16] = page;
        page_nonce[23] = kind;
        let sealed = &parts[at..at + len_bytes + 16];
        at += sealed.len();
        derived(255 + u64::from(kind))
            .open_to_vec(&page_nonce.into(), &parts[..24], sealed)
            .unwrap()
    };
    let values = [page(1, 0, 1024 * 32), page(1, 1, 7 * 32)].concat();
    let index = page(2, 0, 2 * 88);
    assert_eq!(at, parts.len());

    // The tag under a pad of zeros is the value modulo 2^130 - 5 and then 2^128.
    for (index, length) in [(0, 4096), (1029, 4096), (1030, 17)] {
        let value = &values[32 * index..][..32];
        assert!(number(value, 16) <= 4);
        assert_eq!(number(value, 24), length);
        let bytes = content(lengths[usize::from(index == 1030)]);
        let segment = &bytes[if index == 1029 { 4096 * 1029 } else { 0 }..];
        let segment = &segment[..usize::try_from(length).unwrap()];
        let one_time = [&key.as_bytes()[16..], &[0; 16]].concat();
        let tag = hornet::mac(hornet::Key::new(&one_time.try_into().unwrap()), segment);
        let tag = u128::from_le_bytes(*tag.as_bytes());
        let low = u128::from_le_bytes(value[..16].try_into().unwrap());
        // 2^130 is 5; none of these values is so near to a multiple of 2^128 that more happens.
        let reduced = low.checked_add(u128::from(number(value, 16) / 4 * 5));
        assert_eq!(reduced, Some(tag));
    }
    let lines = pair.lines();
    for (entry, (number_of, line)) in index.chunks(88).zip((1..).zip(&lines)) {
        let first = if number_of == 1 { 0 } else { 1030 };
        let length = lengths[usize::from(number_of != 1)];
        assert_eq!((number(entry, 0), number(entry, 8)), (length, first));
        assert_eq!(entry[16..32], line.nonce);
        assert_eq!(entry[32..48], *line.tag.as_bytes());
        let stamp = stamp(number_of).unwrap();
        let found = [48, 56, 64, 76].map(|at| number(entry, at));
        let times = [stamp.modified.0, stamp.changed.0]
            .map(|seconds| u64::from_le_bytes(seconds.to_le_bytes()));
        assert_eq!(found, [stamp.device, stamp.inode, times[0], times[1]]);
        let nanoseconds = |at: usize| u32::from_le_bytes(entry[at..][..4].try_into().unwrap());
        assert_eq!(
            (nanoseconds(72), nanoseconds(84)),
            (stamp.modified.1, stamp.changed.1)
        );
    }
}

#[test]
fn touched_segments() {
    let pair = pair(1, &[4096 * 2 + 1]);
    let entry = pair.open().entry(&pair.lines(), 0).unwrap();
    for (range, expected) in [
        (0..1, Some(0..1)),
        (4095..4096, Some(0..1)),
        (4095..4097, Some(0..2)),
        (4096..8192, Some(1..2)),
        (8192..8193, Some(2..3)),
        (0..8193, Some(0..3)),
        (0..0, None),
        (8193..8193, None),
        (0..8194, None),
        (u64::MAX - 1..u64::MAX, None),
    ] {
        assert_eq!(entry.touched(range.clone()), expected, "{range:?}");
    }
    let backwards = std::ops::Range { start: 2, end: 1 };
    assert_eq!(entry.touched(backwards), None);
    assert_eq!(entry.bytes_of(2), 8192..8193);
    assert!(entry.bytes_of(3).is_empty() && entry.bytes_of(u64::MAX).is_empty());
}

/// Many small files: several pages of the index.
#[test]
fn many_files() {
    let lengths: Vec<u64> = (0..1000).map(|number| number % 5).collect();
    let pair = pair(1, &lengths);
    let entries = all(&pair.parts, &pair).unwrap();
    let found: Vec<u64> = entries.iter().map(|entry| entry.len_bytes).collect();
    assert_eq!(found, lengths);
    // 4 pages of the index, and one of values.
    assert_eq!(
        pair.parts.len(),
        Header::BYTES + 1000 * 88 + 4 * 16 + 800 * 32 + 16
    );
    let lines = pair.lines();
    for index in [0, 255, 256, 999] {
        let entry = pair.open().entry(&lines, index).unwrap();
        assert_eq!(entry.nonce, lines[index].nonce);
    }
    // No file at all.
    let none = self::pair(1, &[]);
    assert_eq!(none.parts.len(), Header::BYTES);
    assert!(all(&none.parts, &none).unwrap().is_empty());
}

#[test]
fn every_changed_byte_is_refused_with_its_place() {
    let pair = pair(1, &[5000, 4096, 17]);
    let values = Header::BYTES + 4 * 32 + 16;
    assert_eq!(pair.parts.len(), values + 3 * 88 + 16);
    for at in 0..pair.parts.len() {
        for bit in [1, 0x80] {
            let mut changed = pair.parts.clone();
            changed[at] ^= bit;
            let place = if at < Header::BYTES {
                "vm.parts: at byte 0: header: ".into()
            } else if at < values {
                "vm.parts: at byte 104: page 0 of values: changed".into()
            } else {
                format!("vm.parts: at byte {values}: page 0 of the index: changed")
            };
            let why = refused(&changed, &pair);
            assert!(why.starts_with(&place), "byte {at}: {why}");
        }
    }
}

#[test]
fn every_cut_is_refused_with_its_place() {
    let pair = pair(1, &[5000, 4096, 17]);
    for length in 0..pair.parts.len() {
        let why = refused(&pair.parts[..length], &pair);
        let expected = match length {
            0 => "vm.parts: at byte 0: header: empty".into(),
            1..104 => "vm.parts: at byte 0: header: truncated".into(),
            _ => format!("vm.parts: at byte {length}: cut here: it has {length} bytes, and its "),
        };
        assert!(why.starts_with(&expected), "{length}: {why}");
    }
    let mut longer = pair.parts.clone();
    longer.push(0);
    let why = refused(&longer, &pair);
    let end = pair.parts.len();
    assert!(
        why.starts_with(&format!("vm.parts: at byte {end}: does not end here")),
        "{why}"
    );
}

#[test]
fn what_are_no_parts() {
    let pair = pair(1, &[1]);
    let with = |title: &str| {
        let mut parts = pair.parts.clone();
        parts[..title.len()].copy_from_slice(title.as_bytes());
        refused(&parts, &pair)
    };
    assert!(with("hornet parts 2").ends_with("a version that this program does not support"));
    assert!(with("hornet manifest 1").contains("not parts, or changed"));
    assert!(refused(&pair.text, &pair).contains("not parts, or changed"));
    // The tag of a file's content, as its header: whoever can have a file tagged cannot make parts.
    let mut parts = pair.parts.clone();
    let forged = Header::write(&key(), SEGMENT, [1, 1], &pair.seal, nonce(77, 0));
    parts[..Header::BYTES].copy_from_slice(&forged);
    assert!(refused(&parts, &pair).ends_with("header: its tag was made for another purpose"));
    let other = Reader::new(
        &*pair.parts,
        "p".as_ref(),
        &Key::clamped(&[8; 32]),
        &pair.seal,
    );
    let other = other.unwrap_err().to_string();
    assert_eq!(
        other,
        "p: at byte 0: header: changed since it was made, or made with another key"
    );
}

/// Headers that a holder of the key could make by mistake.
#[test]
fn headers_that_lie() {
    let pair = pair(1, &[5000, 4096, 17, 1, 1]);
    let with = |counts: [u64; 2], seal: &Seal| {
        let mut parts = pair.parts.clone();
        let header = Header::write(
            &key(),
            SEGMENT,
            counts,
            seal,
            nonce(1 << 32, PURPOSE.number()),
        );
        parts[..Header::BYTES].copy_from_slice(&header);
        refused(&parts, &pair)
    };
    // Nothing is allocated for what is not there.
    let most = u64::MAX;
    for counts in [[5, 7], [4, 6], [most, 6], [5, most], [most / 88, most / 32]] {
        assert!(with(counts, &pair.seal).contains(" bytes, and its header says "));
    }
    // 4 files fewer are as long as 11 values more.
    assert_eq!(4 * Entry::BYTES, 11 * Partial::SEALED_BYTES);
    let why = with([1, 17], &pair.seal);
    assert!(
        why.contains("the number of files is not that of the manifest"),
        "{why}"
    );
    let other = self::pair(2, &[1]).seal;
    let why = with([5, 6], &other);
    assert_eq!(why, "vm.parts: these parts belong to another manifest");
}

/// Replaces one page by another.
fn moved(from: &Pair, pages: Pages, [page, to]: [u64; 2], parts: &[u8]) -> Vec<u8> {
    let header = Header::read(&from.parts, &key()).unwrap();
    let at = |page| {
        let bytes = header.page(pages, page);
        usize::try_from(bytes.start).unwrap()..usize::try_from(bytes.end).unwrap()
    };
    let mut parts = parts.to_vec();
    parts[at(to)].copy_from_slice(&from.parts[at(page)]);
    parts
}

#[test]
fn pages_are_bound_to_their_place_and_file() {
    // Pages of one length: the contents, and so the values, are the same.
    let lengths: Vec<u64> = (0..512).map(|_| 4 * 4096).collect();
    let (one, two) = (pair(1, &lengths), pair(2, &lengths));
    for pages in [Pages::Values, Pages::Index] {
        let name = pages.part(0).to_string().replace("page 0 ", "");
        for (page, to) in [(0, 1), (1, 0)] {
            let swapped = moved(&one, pages, [page, to], &one.parts);
            let why = refused(&swapped, &one);
            assert!(why.contains(&format!(
                "page {to} {name}: changed since it was made, or moved"
            )));
            let taken = moved(&two, pages, [to, to], &one.parts);
            let why = refused(&taken, &one);
            assert!(why.contains(&format!(
                "page {to} {name}: changed since it was made, or moved"
            )));
        }
    }
    // The header of one, and all pages of the other.
    let header = [&one.parts[..Header::BYTES], &two.parts[Header::BYTES..]].concat();
    assert!(refused(&header, &one).contains("page 0 of the index: changed"));
    // All of the other.
    let why = refused(&two.parts, &one);
    assert_eq!(why, "vm.parts: these parts belong to another manifest");
}

/// Pages under valid seals which nobody but a holder of the key can make.
#[test]
fn entries_that_lie() {
    let key = key();
    let of = |change: &dyn Fn(usize, &mut Entry)| {
        let pair = pair(1, &[5000, 4096, 17]);
        let mut writer = Writer::new(&key, SEGMENT, nonce(1 << 32, PURPOSE.number()));
        let entries = all(&pair.parts, &pair).unwrap();
        let reader = pair.open();
        for (index, mut entry) in entries.into_iter().enumerate() {
            let values = reader.all_values(&entry).unwrap();
            change(index, &mut entry);
            writer.add(&entry, values.partials());
        }
        let parts = writer.seal(&pair.seal).unwrap();
        refused(&parts, &pair)
    };
    let values = "page 0 of values: a value is of a segment of another length";
    let index = "page 0 of the index: an entry ";
    let follow = &format!("{index}has values that do not follow those before");
    let at = |which: usize, change: &dyn Fn(&mut Entry)| {
        of(&|index, entry| {
            if index == which {
                change(entry);
            }
        })
    };
    assert!(at(0, &|entry| entry.len_bytes -= 1).ends_with(values));
    assert!(at(2, &|entry| entry.len_bytes += 1).ends_with(values));
    for change in [
        (|entry| entry.len_bytes = 4096) as fn(&mut Entry),
        |entry| entry.len_bytes = u64::MAX,
        |entry| entry.first = 1,
        |entry| entry.first = u64::MAX,
    ] {
        assert!(at(0, &change).ends_with(follow));
    }
    assert!(at(2, &|entry| entry.len_bytes = 4097).ends_with(follow));
    let other = &format!("{index}is that of another line of the manifest");
    assert!(at(1, &|entry| entry.nonce[0] ^= 1).ends_with(other));
    assert!(at(1, &|entry| entry.tag = [0; 16].into()).ends_with(other));
}

#[test]
fn values_of_other_lengths_are_not_written() {
    let key = key();
    let mut writer = Writer::new(&key, SEGMENT, nonce(1, PURPOSE.number()));
    let of = |length: usize| key.partial(&vec![0; length]);
    let mut add = |lengths: &[usize]| {
        let values: Vec<Partial> = lengths.iter().map(|&length| of(length)).collect();
        writer.file(&[0; 16], &[0; 16].into(), None, &values)
    };
    for (lengths, index) in [
        (vec![4095, 4096], 0),
        (vec![4096, 0], 1),
        (vec![4096, 4097], 1),
        (vec![0], 0),
    ] {
        assert_eq!(add(&lengths), Err(ValuesError { index }));
    }
    assert_eq!(add(&[4096, 1]), Ok(()));
    let text = pair(1, &[]).text;
    let parts = writer.seal(&Seal::of(&text).unwrap()).unwrap();
    let header = Header::read(&parts, &key).unwrap();
    assert_eq!((header.files, header.values), (1, 2));
}

#[test]
fn allowed_lengths_of_segments() {
    for (length, is_allowed) in [
        (0, false),
        (2048, false),
        (4095, false),
        (4096, true),
        (3 * 4096, false),
        (1 << 20, true),
        (1 << 30, true),
        (1 << 31, false),
        (1 << 63, false),
    ] {
        assert_eq!(SegmentBytes::new(length).is_some(), is_allowed, "{length}");
    }
    let length = |length: u64| {
        let mut parts = pair(1, &[]).parts;
        parts[16..24].copy_from_slice(&length.to_le_bytes());
        let tag = key().mac(nonce(1 << 32, PURPOSE.number()), &parts[..72]);
        parts[88..].copy_from_slice(tag.as_bytes());
        Header::read(&parts, &key()).map_err(|problem| problem.to_string())
    };
    assert_eq!(length(8192).unwrap().segment_bytes.get(), 8192);
    let why = length(8193).unwrap_err();
    assert_eq!(
        why,
        "at byte 0: header: the length of segments is not allowed"
    );
}

#[test]
fn a_lock_that_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    let place = || Place::new(&folder.path().join("m"), &folder.path().join("p")).unwrap();
    let lock = place().try_into_lock().unwrap();
    let error = place().try_into_lock().unwrap_err();
    assert!(error.is_locked() && !error.is_refusal(), "{error}");
    drop(lock);
    let pair = pair(1, &[5000]);
    let lock = place().try_into_lock().unwrap();
    lock.replace(&pair.text, &pair.parts).unwrap();
    let opened = lock.open(&key()).unwrap();
    assert_eq!(opened.text, pair.text);
    drop(lock);
    // Other errors are none of a lock.
    fs::create_dir(folder.path().join("p.lock")).unwrap();
    assert!(!place().try_into_lock().unwrap_err().is_locked());
}

#[test]
fn stamps() {
    let extreme = Stamp {
        device: u64::MAX,
        inode: u64::MAX - 1,
        modified: (i64::MIN, 999_999_999),
        changed: (i64::MAX, 999_999_998),
    };
    for stamp in [None, Some(extreme), stamp(1)] {
        let mut bytes = Vec::new();
        Stamp::write(stamp.as_ref(), &mut bytes);
        assert_eq!(Stamp::read(bytes.as_slice().try_into().unwrap()), stamp);
    }
}

/// What stands for the version of an object is kept in place of a stamp, and neither is taken for the other.
#[test]
fn pins() {
    let key = key();
    let value = key.partial(b"content");
    let mut manifest = crate::Writer::new(Vec::new(), &key, Time::now(), false).unwrap();
    let mut parts = Writer::new(&key, SEGMENT, nonce(1, PURPOSE.number()));
    let pins = [Some([7; 16]), None, Some([0; 16]), Some([255; 16])];
    for (number, pin) in (1..).zip(pins) {
        let unused = nonce(number, 0);
        let shown = *unused.nonce().as_bytes();
        let tag = key.mac(unused, b"content");
        let name = [b'a' + u8::try_from(number).unwrap()];
        manifest.file(&shown, &tag, &name).unwrap();
        parts
            .object(&shown, &tag, pin, slice::from_ref(&value))
            .unwrap();
    }
    let text = manifest.seal(nonce(9, crate::PURPOSE.number())).unwrap();
    let seal = Seal::of(&text).unwrap();
    let parts = parts.seal(&seal).unwrap();
    let pair = Pair { text, seal, parts };
    let entries = all(&pair.parts, &pair).unwrap();
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.pin, entry.stamp))
        .collect();
    assert_eq!(found, pins.map(|pin| (pin, None)));
    // A file has none.
    let pair = self::pair(1, &LENGTHS);
    let entries = all(&pair.parts, &pair).unwrap();
    assert!(entries.iter().all(|entry| entry.pin.is_none()));
    assert!(entries.iter().any(|entry| entry.stamp.is_some()));
}

/// A folder with a manifest and its parts.
struct Kept {
    folder: TempDir,
}

const NAMES: [&str; 2] = ["m", "p"];

impl Kept {
    /// Writes these two.
    fn new(pair: &Pair) -> Self {
        let kept = Self::empty();
        kept.place()
            .lock()
            .unwrap()
            .replace(&pair.text, &pair.parts)
            .unwrap();
        assert_eq!(kept.names(), NAMES);
        kept
    }

    fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn place(&self) -> Place {
        Place::new(&self.at("m"), &self.at("p")).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> = entries.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    /// Opens both, as readers and writers do, who must find the same.
    #[track_caller]
    fn assert_holds(&self, pair: &Pair) {
        let place = self.place();
        let opened = place.open(&key()).unwrap();
        assert_eq!(opened.text, pair.text);
        let entries: Vec<_> = opened
            .parts
            .entries(&opened.manifest.files)
            .unwrap()
            .collect();
        for entry in entries {
            opened.parts.all_values(&entry.unwrap()).unwrap();
        }
        assert!(Reader::find(&self.at("p"), &key(), &pair.seal).is_ok());
    }

    /// Opens both, of which it is known that they do not belong together.
    #[track_caller]
    fn refusal(&self) -> String {
        let error = self.place().open(&key()).unwrap_err();
        assert!(error.is_refusal(), "{error}");
        error
            .to_string()
            .replace(self.folder.path().to_str().unwrap(), "")
    }
}

#[test]
fn stopped_after_every_step_of_a_replacement() {
    let (old, new) = (pair(1, &[5000, 17]), pair(2, &[9000]));
    for (step, is_new, before, after) in [
        (Step::Removed, false, vec!["m", "p"], vec!["m", "p"]),
        (
            Step::Parts,
            false,
            vec!["m", "p", "p.new"],
            vec!["m", "p", "p.new"],
        ),
        (
            Step::Manifest,
            true,
            vec!["m", "p", "p.new"],
            vec!["m", "p"],
        ),
        (Step::Renamed, true, vec!["m", "p"], vec!["m", "p"]),
    ] {
        let holds = if is_new { &new } else { &old };
        let kept = Kept::new(&old);
        let stop = |kept: &Kept| {
            let place = kept.place();
            let lock = place.lock().unwrap();
            lock.replace_until(&new.text, &new.parts, |at| at == step)
                .unwrap();
        };
        stop(&kept);
        assert_eq!(kept.names(), before, "{step:?}");
        kept.assert_holds(holds);
        // Opening changes nothing; a writer completes what can be completed.
        assert_eq!(kept.names(), before, "{step:?}");
        drop(kept.place().lock().unwrap());
        assert_eq!(kept.names(), after, "{step:?}");
        kept.assert_holds(holds);

        // The next replacement succeeds, wherever the one before it stopped, also without looking.
        let newer = pair(3, &[1]);
        stop(&kept);
        kept.place()
            .lock()
            .unwrap()
            .replace(&newer.text, &newer.parts)
            .unwrap();
        assert_eq!(kept.names(), NAMES);
        kept.assert_holds(&newer);

        // Stopped twice: the first left new parts to their manifest, the second began anew.
        let kept = Kept::new(&old);
        stop(&kept);
        let place = kept.place();
        let lock = place.lock().unwrap();
        for step in [Step::Removed, Step::Parts] {
            lock.replace_until(&newer.text, &newer.parts, |at| at == step)
                .unwrap();
            kept.assert_holds(holds);
        }
    }
}

/// The same where nothing is yet.
#[test]
fn stopped_after_every_step_of_creating() {
    let new = pair(1, &[5000, 17]);
    for (step, holds) in [
        (Step::Removed, false),
        (Step::Parts, false),
        (Step::Manifest, true),
        (Step::Renamed, true),
    ] {
        let kept = Kept::empty();
        let place = kept.place();
        let lock = place.lock().unwrap();
        lock.attempt().unwrap();
        lock.replace_until(&new.text, &new.parts, |at| at == step)
            .unwrap();
        drop(lock);
        if holds {
            kept.assert_holds(&new);
        } else {
            let error = kept.place().open(&key()).unwrap_err();
            assert!(!error.is_refusal());
            assert!(
                error
                    .to_string()
                    .contains("m: cannot be opened: No such file"),
                "{error}"
            );
        }
        kept.place()
            .lock()
            .unwrap()
            .replace(&new.text, &new.parts)
            .unwrap();
        kept.assert_holds(&new);
        assert_eq!(kept.names(), NAMES);
    }
}

#[test]
fn rolled_back_apart() {
    let (old, new) = (pair(1, &[5000]), pair(2, &[5000]));
    let another = "/p: these parts belong to another manifest";
    for (text, parts) in [(&old.text, &new.parts), (&new.text, &old.parts)] {
        let kept = Kept::empty();
        fs::write(kept.at("m"), text).unwrap();
        fs::write(kept.at("p"), parts).unwrap();
        assert_eq!(kept.refusal(), another);
        // New parts that belong to neither do not help.
        fs::write(kept.at("p.new"), pair(3, &[5000]).parts).unwrap();
        assert_eq!(kept.refusal(), another);
        // A writer does not take them either, and names the same.
        let place = kept.place();
        let error = place.lock().unwrap().open(&key()).unwrap_err();
        assert!(error.to_string().ends_with(another), "{error}");
        assert_eq!(fs::read(kept.at("p")).unwrap(), *parts);
    }
    // A manifest that was changed is refused for that.
    let kept = Kept::new(&new);
    let changed = String::from_utf8(new.text.clone())
        .unwrap()
        .replace("00000001", "00000002");
    fs::write(kept.at("m"), changed).unwrap();
    let why = kept.refusal();
    assert!(why.starts_with("/m: changed since it was made"), "{why}");
    // What is no manifest is not read any further.
    fs::File::create(kept.at("m"))
        .unwrap()
        .set_len(1 << 43)
        .unwrap();
    let why = kept.refusal();
    assert!(why.starts_with("/m: line 1: not a manifest"), "{why}");
    // Parts that are gone.
    fs::write(kept.at("m"), &new.text).unwrap();
    fs::remove_file(kept.at("p")).unwrap();
    let error = kept.place().open(&key()).unwrap_err().to_string();
    assert!(
        error.contains("/p: cannot be opened: No such file"),
        "{error}"
    );
}

/// Parts that are damaged, and new ones that are not.
#[test]
fn new_parts_are_found_beside_damaged_ones() {
    let pair = pair(1, &[5000]);
    let kept = Kept::new(&pair);
    fs::write(kept.at("p"), &pair.parts[..50]).unwrap();
    assert_eq!(kept.refusal(), "/p: at byte 0: header: truncated");
    fs::write(kept.at("p.new"), &pair.parts).unwrap();
    kept.assert_holds(&pair);
    drop(kept.place().lock().unwrap());
    assert_eq!(kept.names(), NAMES);
    kept.assert_holds(&pair);
    // New ones of the same manifest, of which nothing but the header is as it was.
    let mut damaged = pair.parts.clone();
    damaged[Header::BYTES..].fill(0);
    fs::write(kept.at("p.new"), damaged).unwrap();
    drop(kept.place().lock().unwrap());
    kept.assert_holds(&pair);
}

/// A writer renames the new parts after a reader has seen the old ones.
#[test]
fn renamed_while_they_are_looked_for() {
    let (old, new) = (pair(1, &[5000]), pair(2, &[5000]));
    let kept = Kept::new(&old);
    let place = kept.place();
    let lock = place.lock().unwrap();
    lock.replace_until(&new.text, &new.parts, |step| step == Step::Manifest)
        .unwrap();
    let location = Location::of(&kept.at("p")).unwrap();
    let rename = || fs::rename(kept.at("p.new"), kept.at("p")).unwrap();
    let found = location.find_while(&key(), &new.seal, rename);
    assert_eq!(found.unwrap().path, kept.at("p"));
}

/// Both are replaced after a reader has read the old manifest.
#[test]
fn replaced_while_they_are_opened() {
    let (old, new) = (pair(1, &[5000]), pair(2, &[5000]));
    let kept = Kept::new(&old);
    let replace = || {
        let place = kept.place();
        let lock = place.lock().unwrap();
        lock.replace(&new.text, &new.parts).unwrap();
    };
    let opened = kept.place().open_while(&key(), replace).unwrap();
    assert_eq!(opened.text, new.text);
}

#[test]
fn what_is_no_regular_file() {
    let new = pair(1, &[5000]);
    for name in ["m", "p", "p.new", "p.lock"] {
        for kind in ["link", "folder", "fifo"] {
            let kept = Kept::empty();
            let elsewhere = kept.at("elsewhere");
            fs::write(&elsewhere, "other").unwrap();
            match kind {
                "link" => symlink(&elsewhere, kept.at(name)).unwrap(),
                "folder" => fs::create_dir(kept.at(name)).unwrap(),
                _ => rustix::fs::mknodat(
                    rustix::fs::CWD,
                    kept.at(name),
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                    0,
                )
                .unwrap(),
            }
            let before = kept.names();
            let place = kept.place();
            let write = || place.lock()?.replace(&new.text, &new.parts);
            let error = write().unwrap_err();
            assert!(!error.is_refusal());
            let why = match (name, kind) {
                ("p.lock", "folder") => "cannot be created or opened: Is a directory",
                _ => "not a regular file",
            };
            let expected = format!("/{name}: {why}");
            assert!(
                error.to_string().contains(&expected),
                "{name} {kind}: {error}"
            );
            // Nothing was written, followed or removed.
            assert_eq!(kept.names(), before, "{name} {kind}");
            assert_eq!(fs::read(&elsewhere).unwrap(), b"other");
            if name == "m" || name == "p" {
                let opened = place.open(&key()).unwrap_err();
                assert!(opened.to_string().contains("not a regular file") || name == "p");
            }
        }
    }
}

#[test]
fn parts_behind_a_link_are_not_read() {
    let pair = pair(1, &[5000]);
    let kept = Kept::new(&pair);
    fs::rename(kept.at("p"), kept.at("elsewhere")).unwrap();
    symlink(kept.at("elsewhere"), kept.at("p")).unwrap();
    let error = kept.place().open(&key()).unwrap_err().to_string();
    assert!(error.ends_with("/p: not a regular file"), "{error}");
}

/// The other name of a file that is replaced keeps what it had.
#[test]
fn hard_links() {
    let (old, new) = (pair(1, &[5000]), pair(2, &[5000]));
    let kept = Kept::new(&old);
    fs::hard_link(kept.at("p"), kept.at("other")).unwrap();
    kept.place()
        .lock()
        .unwrap()
        .replace(&new.text, &new.parts)
        .unwrap();
    kept.assert_holds(&new);
    assert_eq!(fs::read(kept.at("other")).unwrap(), old.parts);
}

/// The permissions of what is replaced are kept.
#[test]
fn permissions() {
    let (old, new) = (pair(1, &[5000]), pair(2, &[5000]));
    let kept = Kept::new(&old);
    for (name, mode) in [("m", 0o640), ("p", 0o600)] {
        fs::set_permissions(kept.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    kept.place()
        .lock()
        .unwrap()
        .replace(&new.text, &new.parts)
        .unwrap();
    for (name, mode) in [("m", 0o640), ("p", 0o600)] {
        let found = fs::metadata(kept.at(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode);
    }
}

#[test]
fn names_that_are_taken() {
    let kept = Kept::empty();
    for (manifest, parts) in [("x", "x"), ("x.new", "x"), ("x.lock", "x")] {
        let error = Place::new(&kept.at(manifest), &kept.at(parts)).unwrap_err();
        assert!(matches!(error.problem(), Problem::SameName), "{error}");
        assert_eq!(error.path(), kept.at(manifest));
    }
    for path in ["", "/", ".."] {
        let error = Place::new(Path::new(path), &kept.at("p")).unwrap_err();
        assert!(error.to_string().ends_with("not a file name"), "{error}");
    }
    let error = Place::new(&kept.at("m"), &kept.at("none/p")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("its folder cannot be opened: No such"),
        "{error}"
    );
    // Another folder.
    fs::create_dir(kept.at("folder")).unwrap();
    let pair = pair(1, &[1]);
    let place = Place::new(&kept.at("x"), &kept.at("folder/x")).unwrap();
    place
        .lock()
        .unwrap()
        .replace(&pair.text, &pair.parts)
        .unwrap();
    assert_eq!(place.open(&key()).unwrap().text, pair.text);
}

/// `create` writes both, or replaces neither.
#[test]
fn created_only_if_neither_exists() {
    let pair = pair(1, &[5000, 17]);
    for taken in ["", "m", "p"] {
        let kept = Kept::empty();
        if !taken.is_empty() {
            fs::write(kept.at(taken), "theirs").unwrap();
        }
        let place = kept.place();
        let lock = place.lock().unwrap();
        // The lock, and the parts if there are any.
        let files = 1 + usize::from(taken == "p");
        assert_eq!(lock.files().unwrap().len(), files);
        let created = lock.create(&pair.text, &pair.parts);
        drop(lock);
        if taken.is_empty() {
            created.unwrap();
            kept.assert_holds(&pair);
            assert_eq!(kept.names(), NAMES);
        } else {
            let error = created.unwrap_err();
            assert_eq!(error.path(), kept.at(taken));
            assert!(error.to_string().contains("exists"), "{error}");
            assert_eq!(fs::read(kept.at(taken)).unwrap(), b"theirs");
            assert_eq!(kept.names(), [taken]);
        }
    }
}

/// Each writer replaces what the one before has written.
#[test]
fn writers_take_turns() {
    const WRITERS: u64 = 8;
    let kept = Kept::new(&pair(100, &[1]));
    let barrier = Barrier::new(usize::try_from(WRITERS).unwrap() + 1);
    let (inside, done) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 1..=WRITERS {
            let (kept, barrier, inside, done) = (&kept, &barrier, &inside, &done);
            scope.spawn(move || {
                barrier.wait();
                for version in 0..5 {
                    let place = kept.place();
                    let lock = place.lock().unwrap();
                    let others = inside.fetch_add(1, Ordering::SeqCst);
                    assert_eq!(others, 0);
                    let before = lock.open(&key()).unwrap().manifest.files.len();
                    let lengths = vec![1; before + 1];
                    let new = pair(number * 10 + version, &lengths);
                    lock.replace(&new.text, &new.parts).unwrap();
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
                done.fetch_add(1, Ordering::SeqCst);
            });
        }
        // Readers find a manifest and its parts at any moment.
        barrier.wait();
        while done.load(Ordering::SeqCst) < WRITERS {
            let opened = kept.place().open(&key()).unwrap();
            let entries = opened.parts.entries(&opened.manifest.files).unwrap();
            assert!(entries.into_iter().all(|entry| entry.is_ok()));
        }
    });
    // None was lost.
    let opened = kept.place().open(&key()).unwrap();
    assert_eq!(opened.manifest.files.len(), 41);
    assert_eq!(kept.names(), NAMES);
}

const JOB: &str = "HORNET_TEST_JOB";
const FOLDER: &str = "HORNET_TEST_FOLDER";

/// Starts this test program again to do a single job in a folder, and returns what it wrote there.
fn said(job: &str, kept: &Kept) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "parts::tests::job", "--nocapture"])
        .env(JOB, job)
        .env(FOLDER, kept.folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<_> = said
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect();
    said.join("\n")
        .replace(kept.folder.path().to_str().unwrap(), "")
}

/// The manifest is longer than its parts, or shorter.
fn unequal(is_longer: bool) -> Pair {
    let mut pair = pair(2, &[if is_longer { 1 } else { 4096 * 1000 }]);
    if is_longer {
        let key = key();
        let mut manifest = crate::Writer::new(Vec::new(), &key, Time::now(), false).unwrap();
        manifest.argument(&vec![b'a'; 20_000]).unwrap();
        pair.text = manifest
            .seal(nonce(2 << 32, crate::PURPOSE.number()))
            .unwrap();
        pair.seal = Seal::of(&pair.text).unwrap();
        let parts = Writer::new(&key, SEGMENT, nonce(2 << 32, PURPOSE.number()));
        pair.parts = parts.seal(&pair.seal).unwrap();
    }
    assert_eq!(pair.text.len() > 10_000, is_longer);
    assert_eq!(pair.parts.len() > 10_000, !is_longer);
    pair
}

/// What the tests below start; no test without them.
#[test]
fn job() {
    let (Ok(job), Some(folder)) = (env::var(JOB), env::var_os(FOLDER)) else {
        return;
    };
    let at = |name: &str| Path::new(&folder).join(name);
    let place = Place::new(&at("m"), &at("p")).unwrap();
    match &*job {
        "full, manifest" | "full, parts" => {
            let limit = libc::rlimit {
                rlim_cur: 10_000,
                rlim_max: 10_000,
            };
            // SAFETY: ignores a signal, and the limit lives until the call returns.
            unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
            }
            let new = unequal(job == "full, manifest");
            let replaced = place.lock().unwrap().replace(&new.text, &new.parts);
            println!("\n> {}", replaced.unwrap_err());
        }
        "nobody" => {
            // SAFETY: only changes the user and the groups of this process.
            unsafe {
                assert_eq!(libc::setgroups(0, std::ptr::null()), 0);
                assert_eq!(libc::setgid(65_534), 0);
                assert_eq!(libc::setuid(65_534), 0);
            }
            read_only(&place);
        }
        other => panic!("no job {other}"),
    }
}

#[test]
fn a_full_disk() {
    let old = pair(1, &[5000]);
    for (job, name) in [("full, manifest", "m"), ("full, parts", "p.new")] {
        let kept = Kept::new(&old);
        let why = said(job, &kept);
        let expected = "a temporary file beside it cannot be written: File too large (os error 27)";
        assert_eq!(why, format!("/{name}: {expected}"));
        kept.assert_holds(&old);
        // Nothing is left of what was written.
        assert_eq!(kept.names(), NAMES);
    }
}

/// Opens both in a folder that cannot be written, and fails to lock them.
fn read_only(place: &Place) {
    let opened = place.open(&key()).unwrap();
    let entry = opened.parts.entry(&opened.manifest.files, 0).unwrap();
    println!(
        "\n> {} values",
        opened.parts.all_values(&entry).unwrap().len()
    );
    println!("> {}", place.lock().unwrap_err());
}

#[test]
fn a_folder_that_cannot_be_written() {
    let old = pair(1, &[5000]);
    let kept = Kept::new(&old);
    // Parts that a replacement has left, to be found and not renamed.
    fs::rename(kept.at("p"), kept.at("p.new")).unwrap();
    for (path, mode) in [("m", 0o644), ("p.new", 0o644), ("", 0o555)] {
        fs::set_permissions(kept.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    // SAFETY: asks for a number.
    let is_root = unsafe { libc::geteuid() == 0 };
    if is_root {
        let lines = said("nobody", &kept);
        let refused = "/p.lock: cannot be created or opened: Permission denied (os error 13)";
        assert_eq!(lines, format!("2 values\n{refused}"));
    } else {
        let error = kept.place().lock().unwrap_err().to_string();
        assert!(error.contains("/p.lock: cannot be created or opened: Permission denied"));
        kept.assert_holds(&old);
    }
    fs::set_permissions(kept.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(kept.names(), ["m", "p.new"]);
}

#[test]
fn parts_of_errors() {
    assert_eq!(Part::Values(3).to_string(), "page 3 of values");
    assert_eq!(Part::Index(0).to_string(), "page 0 of the index");
    assert_eq!(Part::Header.to_string(), "header");
}
