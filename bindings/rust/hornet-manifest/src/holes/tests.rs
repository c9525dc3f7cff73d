// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of holes, in the folder of temporary files and in memory. Which holes there are depends on the file system, and
//! what is returned must be right on any; cli/tests/holes.rs reads files on several.

use super::*;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Whether holes of the file system are found is asserted only where all Linux systems have one that has them.
const IN_MEMORY: &str = "/dev/shm";

fn files() -> impl Iterator<Item = File> {
    let folders = [std::env::temp_dir(), IN_MEMORY.into()].into_iter();
    let folders = folders.filter(|folder| Path::new(folder).is_dir());
    folders.map(|folder| tempfile::tempfile_in(folder).unwrap())
}

fn in_memory() -> Option<File> {
    let file = tempfile::tempfile_in(IN_MEMORY).ok();
    if file.is_none() {
        eprintln!("not tested: there is no file system in memory");
    }
    file
}

fn extents(file: &File, length: u64) -> Vec<Extent> {
    let extents = Extents::of(file, length).unwrap();
    extents.map(Result::unwrap).collect()
}

/// Asserts that these are the whole of a file, and that holes are zeros.
#[track_caller]
fn assert_of(extents: &[Extent], content: &[u8]) {
    let mut at = 0;
    for extent in extents {
        assert_eq!(extent.start, at, "{extents:?}");
        assert!(
            extent.end > at && extent.start % BLOCK_BYTES == 0,
            "{extents:?}"
        );
        at = extent.end;
        if extent.is_hole {
            assert!(extent.len_bytes() >= SHORTEST_BYTES, "{extents:?}");
            let range = usize::try_from(extent.start).unwrap()..usize::try_from(at).unwrap();
            assert!(content[range].iter().all(|byte| *byte == 0), "{extents:?}");
        }
    }
    assert_eq!(at, content.len() as u64, "{extents:?}");
}

fn holes(extents: &[Extent]) -> Vec<(u64, u64)> {
    let holes = extents.iter().filter(|extent| extent.is_hole);
    holes.map(|hole| (hole.start, hole.end)).collect()
}

/// Holes punched into data, and files with nothing but holes, at places and of lengths that are no blocks' either.
#[test]
fn what_is_said_is_so() {
    for file in files() {
        let mut random = 1_u64;
        let mut below = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % limit
        };
        for _ in 0..100 {
            let length = below(2_000_000);
            file.set_len(0).unwrap();
            file.set_len(length).unwrap();
            for _ in 0..below(6) {
                let (start, many) = (below(length + 1), below(700_000));
                let many = many.min(length - start);
                if below(2) == 0 {
                    file.write_all_at(&vec![7; usize::try_from(many).unwrap()], start)
                        .unwrap();
                } else if many > 0 {
                    let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                    let _ = fallocate(&file, punch, start, many);
                }
            }
            let extents = extents(&file, length);
            let mut content = Vec::new();
            let mut reader = &file;
            reader.rewind().unwrap();
            reader.read_to_end(&mut content).unwrap();
            assert_of(&extents, &content);
            // The parts of a file, each looked at alone, are its whole.
            let part = (16 << below(17)).max(1 << 16);
            let mut parts = Vec::new();
            let mut start = 0;
            while start < length {
                let end = length.min(start + part);
                let of_part = Extents::of_part(&file, start, end).unwrap();
                parts.extend(of_part.map(Result::unwrap));
                assert_eq!(parts.last().unwrap().end, end);
                start = end;
            }
            assert_of(&parts, &content);
            if part > length {
                assert_eq!(parts, extents);
            }
        }
    }
}

#[test]
fn the_shortest_hole() {
    let Some(file) = in_memory() else { return };
    let page = 4096;
    for (pages, found) in [(15, false), (16, true), (17, true)] {
        let (start, end) = (3 * page, (3 + pages) * page);
        file.set_len(0).unwrap();
        file.write_all_at(&[1; 3 * 4096], 0).unwrap();
        file.write_all_at(&[1; 4096], end).unwrap();
        let expected = if found {
            vec![(start, end)]
        } else {
            Vec::new()
        };
        assert_eq!(holes(&extents(&file, end + page)), expected);
        // At the end, without a last block.
        file.set_len(end - 5).unwrap();
        let expected = if pages > 16 {
            vec![(start, end - 5)]
        } else {
            Vec::new()
        };
        assert_eq!(holes(&extents(&file, end - 5)), expected);
    }
    // All of it, of any length, and without a look at files that are shorter.
    for length in [
        0,
        1,
        SHORTEST_BYTES - 1,
        SHORTEST_BYTES,
        1 << 40,
        (1 << 40) + 7,
    ] {
        file.set_len(0).unwrap();
        file.set_len(length).unwrap();
        let expected = if length < SHORTEST_BYTES {
            Vec::new()
        } else {
            vec![(0, length)]
        };
        assert_eq!(holes(&extents(&file, length)), expected);
    }
}

#[test]
fn a_file_without_holes() {
    for file in files() {
        file.write_all_at(&vec![1; 200_000], 0).unwrap();
        let mut reader = &file;
        reader.seek(io::SeekFrom::Start(5)).unwrap();
        let mut extents = Extents::of(&file, 200_000).unwrap();
        assert!(extents.is_dense() && !extents.fills_if_mapped());
        assert!([0, 5].contains(&reader.stream_position().unwrap()));
        let all = Extent {
            start: 0,
            end: 200_000,
            is_hole: false,
        };
        assert_eq!(extents.next().unwrap().unwrap(), all);
        assert!(extents.next().is_none());
    }
}

#[test]
fn as_data_if_asked() {
    let Some(file) = in_memory() else { return };
    file.set_len(1 << 30).unwrap();
    let extents = Extents::of(&file, 1 << 30).unwrap();
    assert!(!extents.is_dense() && extents.fills_if_mapped());
    let all = Extent {
        start: 0,
        end: 1 << 30,
        is_hole: false,
    };
    for extents in [
        extents.with_holes_as_data(),
        Extents::of_data(&file, 1 << 30),
    ] {
        assert!(extents.is_dense());
        let found: Vec<Extent> = extents.map(Result::unwrap).collect();
        assert_eq!(found, std::slice::from_ref(&all));
    }
}

/// Many short holes are not asked about one by one, and long ones behind them are still found.
#[test]
fn among_short_holes() {
    let Some(file) = in_memory() else { return };
    let short = 100_000;
    for index in 0..short {
        file.write_all_at(&[1], index * 8192).unwrap();
    }
    let length = short * 8192 + (1 << 30);
    file.set_len(length).unwrap();
    let found = extents(&file, length);
    assert_eq!(found.len(), 2, "{found:?}");
    let start = found[1].start;
    assert!(
        found[1].is_hole && start > short * 8192 && start - short * 8192 < LEAP_BYTES,
        "{found:?}"
    );
}

/// It ends in data, in a hole or in front of both, before the first look and after it.
#[test]
fn a_file_that_is_shorter_than_its_map() {
    let Some(file) = in_memory() else { return };
    let mib = 1 << 20;
    for looked in [false, true] {
        for end in [
            0,
            5,
            mib,
            3 * mib / 2,
            2 * mib,
            5 * mib / 2,
            3 * mib,
            6 * mib - 1,
        ] {
            file.set_len(0).unwrap();
            for start in [0, 2 * mib] {
                file.write_all_at(&vec![1; 1 << 20], start).unwrap();
            }
            file.set_len(6 * mib).unwrap();
            let mut extents = Extents::of(&file, 6 * mib).unwrap();
            if looked {
                assert_eq!(extents.next().unwrap().unwrap().end, mib);
            }
            file.set_len(end).unwrap();
            let error = extents.find_map(Result::err).unwrap();
            assert!(extents.next().is_none());
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {end},")), "{text}");
            assert!(text.ends_with(&format!("at byte {}", 6 * mib)), "{text}");
        }
    }
}
