// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Random changes of files, and what is evaluated of them.

use super::*;
use crate::tree::holes::Holes;
use crate::tree::snapshot::{Snapshot, stamp_of};
use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
use hornet_manifest::Line;
use hornet_manifest::parts::{Entry, Reader, SegmentBytes};
use rayon::ThreadPoolBuilder;
use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::TempDir;

/// How many layouts are tried.
const LAYOUTS: u64 = 10_000;

/// A generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end.max(1)
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    /// A length near a multiple of something that matters, at most about `most`.
    fn length(&mut self, segment: u64, most: u64) -> u64 {
        let unit = self.one_of(&[1, 16, segment, 64 << 10, 1 << 20]);
        let near = self.below(most / unit + 2) * unit;
        (near + self.one_of(&[0, 1, 15, 16, 17])).saturating_sub(self.one_of(&[0, 1, 16]))
    }
}

/// The content of a file: what was written, by blocks of 16 bytes; all other bytes are zeros.
#[derive(Clone, Default)]
struct Model {
    length: u64,
    blocks: BTreeMap<u64, [u8; 16]>,
}

impl Model {
    fn write(&mut self, file: &File, at: u64, bytes: &[u8]) {
        file.write_all_at(bytes, at).unwrap();
        for (at, byte) in (at..).zip(bytes) {
            let within = usize::try_from(at % 16).unwrap();
            self.blocks.entry(at / 16).or_default()[within] = *byte;
        }
        self.length = self.length.max(at + bytes.len() as u64);
    }

    fn set_length(&mut self, file: &File, length: u64) {
        file.set_len(length).unwrap();
        self.blocks.retain(|block, _| block * 16 < length);
        if let Some(last) = self.blocks.get_mut(&(length / 16)) {
            last[usize::try_from(length % 16).unwrap()..].fill(0);
        }
        self.length = length;
    }

    /// The value of some bytes, block by block.
    fn value(&self, key: &Key, bytes: Range<u64>) -> Partial {
        let mut whole = Partial::default();
        let mut at = bytes.start;
        for (block, content) in self.blocks.range(bytes.start / 16..bytes.end.div_ceil(16)) {
            let start = block * 16;
            key.append(&mut whole, &key.partial_zeros(start - at))
                .unwrap();
            at = bytes.end.min(start + 16);
            let count = usize::try_from(at - start).unwrap();
            key.append(&mut whole, &key.partial(&content[..count]))
                .unwrap();
        }
        key.append(&mut whole, &key.partial_zeros(bytes.end - at))
            .unwrap();
        whole
    }
}

fn nonce() -> UnusedNonce {
    UnusedNonce::assume_unused([1; 16])
}

fn tag(key: &Key, value: &Partial) -> (u64, [u8; 16]) {
    let tag = key.finish(nonce(), value);
    (value.len_bytes(), *tag.as_bytes())
}

/// A file whose values are kept, and how it is evaluated.
struct Fixture<'a> {
    path: &'a Path,
    segments: Segments<'a>,
    opener: Opener<'a>,
    excluded: Excluded<'a>,
    folder: &'a Path,
}

impl Fixture<'_> {
    fn values(&self, file: &File, length: u64) -> Vec<Partial> {
        let progress = crate::progress::Progress::new(crate::progress::Unit::Bytes, None);
        let values = self.segments.of(file, 0..length, &progress).ok().unwrap();
        values.into_segments()
    }

    /// Writes a parts file of one file, and opens it.
    fn keep(&self, values: &[Partial]) -> (Reader, Vec<Line>, Vec<Entry>) {
        let key = self.segments.key;
        let line = Line {
            nonce: [1; 16],
            tag: [2; 16].into(),
            path: self.path.into(),
        };
        let mut bytes = [3; 16];
        bytes[15] = parts::PURPOSE.number();
        let unused = UnusedNonce::assume_unused(bytes);
        let mut writer = Writer::new(key, self.segments.segment_bytes, unused);
        writer.file(&line.nonce, &line.tag, None, values).unwrap();
        let seal = Seal {
            nonce: Nonce::new([4; 16]),
            tag: [5; 16].into(),
        };
        let path = self.folder.join("parts");
        fs::write(&path, writer.seal(&seal).unwrap()).unwrap();
        let reader = Reader::new(File::open(&path).unwrap(), &path, key, &seal).unwrap();
        let lines = vec![line];
        let entries = reader.entries(&lines).unwrap();
        let entries = entries.collect::<Result<_, _>>().unwrap();
        (reader, lines, entries)
    }

    /// Compares what is found on this word with the model.
    fn compare(&mut self, word: Word, before: &[Partial], model: &Model) -> u64 {
        let (parts, lines, entries) = self.keep(before);
        let key = self.segments.key;
        let old = Old {
            key,
            parts: &parts,
            lines: &lines,
            entries: &entries,
            all_new: false,
        };
        let given = Given {
            path: self.path.into(),
            word,
        };
        given.check(entries[0].len_bytes, model.length).unwrap();
        let open = (&mut self.opener, &self.excluded);
        let found = given.evaluate(0, model.length, &old, &self.segments, open);
        let found = found.ok().and_then(Result::ok).unwrap();
        assert_eq!(found.snapshot.length, model.length);
        let segment_bytes = self.segments.segment_bytes.get();
        let count = model.length.div_ceil(segment_bytes);
        assert_eq!(found.values.len() as u64, count);
        let mut whole = Partial::default();
        for (index, value) in (0..).zip(&found.values) {
            let start = index * segment_bytes;
            let end = model.length.min(start + segment_bytes);
            let expected = model.value(key, start..end);
            assert_eq!(tag(key, value), tag(key, &expected), "segment {index}");
        }
        key.append_all(&mut whole, &found.values).unwrap();
        assert_eq!(
            tag(key, &whole),
            tag(key, &model.value(key, 0..model.length))
        );
        // Without any of what makes values of pieces.
        if model.length < 4 << 20 {
            let content = fs::read(self.path).unwrap();
            let (_, tag) = tag(key, &whole);
            assert_eq!(&tag, key.mac(nonce(), &content).as_bytes());
        }
        found.evaluated
    }
}

/// In memory, or where the environment says.
fn folder() -> TempDir {
    let folder = match env::var_os("HORNET_LAYOUTS_IN") {
        Some(path) => TempDir::new_in(path).ok(),
        None => ["/dev/shm", "/tmp"]
            .into_iter()
            .find_map(|path| TempDir::new_in(path).ok()),
    };
    folder.unwrap()
}

/// Ranges, appended bytes, holes, growth and truncation over lengths near multiples of 16, of segments,
/// of 1 MiB and of 2^32 give the values of the content, evaluated independently.
#[test]
fn random_layouts() {
    let folder = folder();
    let path = folder.path().join("file");
    let key_path = folder.path().join("key");
    let key_file = KeyFile::create(&key_path).unwrap();
    let key = Key::clamped(&[7; 32]);
    let arguments = [path.clone()];
    let roots = Roots::new(&arguments, false);
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let holes = Holes::new(true);
    let mut numbers = Numbers(1);
    let (mut evaluated, mut total) = (0_u64, 0_u64);
    for layout in 0..LAYOUTS {
        // Few of them are long, in long segments.
        let (segment, most) = match layout % 100 {
            0 => (1 << 20, (1 << 32) + (3 << 20)),
            1..5 => (64 << 10, 3 << 20),
            _ => (4096, 5 * 4096),
        };
        let mut fixture = Fixture {
            path: &path,
            segments: Segments {
                key: &key,
                pool: &pool,
                map: layout % 2 == 0,
                holes: &holes,
                segment_bytes: SegmentBytes::new(segment).unwrap(),
            },
            opener: Opener::new(&roots, 1),
            excluded: Excluded::new(&key_file, []),
            folder: folder.path(),
        };
        let mut file = File::options();
        let file = file.read(true).write(true).create(true).truncate(true);
        let file = file.open(&path).unwrap();
        let mut model = Model::default();
        model.set_length(&file, numbers.length(segment, most));
        for _ in 0..numbers.below(6) {
            let at = numbers.below(model.length + 1);
            let count = numbers.below(40).min(model.length - at);
            model.write(
                &file,
                at,
                &vec![numbers.byte(); usize::try_from(count).unwrap()],
            );
        }
        let before = fixture.values(&file, model.length);
        let old_length = model.length;

        let word = if numbers.below(3) == 0 {
            let more = numbers.length(segment, most / 4);
            if numbers.below(2) == 0 {
                model.set_length(&file, old_length + more);
            } else {
                model.write(
                    &file,
                    old_length,
                    &vec![5; usize::try_from(more.min(5000)).unwrap()],
                );
            }
            Word::Appended
        } else {
            if numbers.below(2) == 0 {
                let length = match numbers.below(3) {
                    0 => numbers.length(segment, most),
                    1 => old_length.saturating_sub(numbers.below(3 * segment)),
                    _ => old_length + numbers.below(3 * segment),
                };
                model.set_length(&file, length);
            }
            let mut text = String::new();
            let mut at = 0;
            for _ in 0..numbers.below(5) {
                at += numbers.below(model.length.saturating_sub(at) + 1);
                let count = (1 + numbers.length(16, 300)).min(model.length - at);
                if count == 0 {
                    break;
                }
                // Only some of what is said to have changed did.
                if numbers.below(4) > 0 {
                    let byte = numbers.byte();
                    model.write(
                        &file,
                        at,
                        &vec![byte; usize::try_from(count.min(60)).unwrap()],
                    );
                }
                writeln!(text, "{at} {count}").unwrap();
                at += count;
            }
            let list = folder.path().join("ranges");
            fs::write(&list, text).unwrap();
            Word::Ranges(Ranges::read(&Source::File(list), Format::Plain).unwrap())
        };
        evaluated += fixture.compare(word, &before, &model);
        total += model.length;
    }
    println!("{LAYOUTS} layouts: {evaluated} of {total} bytes evaluated");
    assert!(evaluated < total / 2);
}

/// What has the same metadata is not read.
#[test]
fn stamps_compare_as_metadata_do() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "content").unwrap();
    let file = File::open(&path).unwrap();
    let stamp = stamp_of(&file.metadata().unwrap());
    assert_eq!(Snapshot::of(&file).unwrap().stamp(), stamp);
    let arguments = [path.clone()];
    let roots = Roots::new(&arguments, false);
    let snapshot = Opener::new(&roots, 1).snapshot(&path).ok().unwrap();
    assert_eq!(snapshot.stamp(), stamp);
    fs::remove_file(&path).unwrap();
    assert!(Opener::new(&roots, 1).snapshot(&path).is_err());
}
