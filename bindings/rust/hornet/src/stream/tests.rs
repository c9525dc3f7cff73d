// SPDX-License-Identifier: Apache-2.0 OR MIT

use crate::stream::{
    CHUNK_BYTES, ChunksError, Key, OpenError, Reader, SEALED_CHUNK_BYTES, Writer, sealed_bytes,
    text_bytes,
};
use chacha20poly1305::aead::{Aead, KeyInit};
use core::mem::ManuallyDrop;
use std::format;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::string::ToString;
use std::vec;
use std::vec::Vec;

const BYTES: [u8; 32] = [7; 32];
const C: usize = CHUNK_BYTES;
const S: usize = SEALED_CHUNK_BYTES;
const LENGTHS: [usize; 14] = [
    0,
    1,
    15,
    16,
    17,
    1000,
    C - 1,
    C,
    C + 1,
    2 * C - 1,
    2 * C,
    2 * C + 1,
    3 * C,
    4 * C + 77,
];

fn key() -> Key {
    Key::new(&BYTES)
}

fn text(len_bytes: usize) -> Vec<u8> {
    let number = |i: usize| (i.wrapping_mul(0x9e37_79b1) >> 13).to_le_bytes()[0];
    (0..len_bytes).map(number).collect()
}

/// By another implementation, from the definition in c2sp.org/age.
fn sealed_by_another(text: &[u8]) -> Vec<u8> {
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&BYTES.into());
    let count = text.len().div_ceil(C).max(1);
    let mut sealed = Vec::new();
    for number in 0..count {
        let chunk = &text[number * C..text.len().min((number + 1) * C)];
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&(number as u64).to_be_bytes());
        nonce[11] = u8::from(number + 1 == count);
        sealed.extend(cipher.encrypt(&nonce.into(), chunk).unwrap());
    }
    sealed
}

fn written(text: &[u8], piece: usize) -> Vec<u8> {
    let mut writer = Writer::new(key(), Vec::new());
    for piece in text.chunks(piece) {
        writer.write_all(piece).unwrap();
    }
    writer.finish().unwrap()
}

/// Returns what is released, and why no more is.
fn read(sealed: &[u8]) -> (Vec<u8>, Option<OpenError>) {
    let mut out = Vec::new();
    let result = Reader::new(key(), sealed).read_to_end(&mut out);
    (out, result.err().map(|error| why(&error)))
}

fn why(error: &io::Error) -> OpenError {
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    *error.get_ref().unwrap().downcast_ref().unwrap()
}

#[test]
fn as_another_implementation() {
    for len_bytes in LENGTHS {
        let text = text(len_bytes);
        let sealed = sealed_by_another(&text);
        assert_eq!(sealed_bytes(len_bytes as u64), Some(sealed.len() as u64));
        assert_eq!(text_bytes(sealed.len() as u64), Some(len_bytes as u64));
        assert!(written(&text, 1 << 20) == sealed, "{len_bytes}");
        assert!(written(&text, 1009) == sealed, "{len_bytes}");
        assert!(read(&sealed) == (text.clone(), None), "{len_bytes}");

        let mut to = vec![0; sealed.len()];
        key().seal(0, true, &text, &mut to).unwrap();
        assert!(to == sealed);
        let mut out = vec![1; len_bytes];
        key().open(0, true, &sealed, &mut out).unwrap();
        assert!(out == text);
    }
}

/// What is changed is named, and nothing of it or after it is released.
#[test]
fn what_is_changed_is_refused() {
    for len_bytes in LENGTHS {
        let text = text(len_bytes);
        let sealed = written(&text, C);
        // Debug builds are slow.
        let step = if sealed.len() < 2000 { 1 } else { 70_001 };
        let ends = [1, 16].map(|back| sealed.len() - back);
        for at in (0..sealed.len()).step_by(step).chain(ends) {
            let mut changed = sealed.clone();
            changed[at] ^= 0x20;
            let chunk = at / S;
            let expected = (
                text[..chunk * C].to_vec(),
                Some(OpenError::Changed(chunk as u64)),
            );
            assert!(read(&changed) == expected, "{len_bytes}: {at}");
        }
        for end in (0..sealed.len()).step_by(step) {
            let (released, error) = read(&sealed[..end]);
            let chunk = (end / S) as u64;
            let cut = matches!(error, Some(OpenError::CutOff(at) | OpenError::Changed(at)) if at == chunk);
            assert!(cut, "{len_bytes}: {end}: {error:?}");
            let whole = (end / S).saturating_sub(usize::from(end % S == 0)) * C;
            assert!(released == text[..whole], "{len_bytes}: {end}");
        }
        let (released, error) = read(&[&sealed[..], &[0]].concat());
        let last = len_bytes.saturating_sub(1) / C;
        let expected = match len_bytes {
            0 => OpenError::Changed(0),
            _ if len_bytes % C == 0 => OpenError::GoesOn(last as u64),
            _ => OpenError::Changed(last as u64),
        };
        assert_eq!(error, Some(expected), "{len_bytes}");
        assert!(released == text[..last * C]);
    }
}

#[test]
fn chunks_that_are_moved_are_refused() {
    let text = text(4 * C + 77);
    let sealed = written(&text, C);
    let chunks: Vec<&[u8]> = sealed.chunks(S).collect();
    for (order, error) in [
        (&[1, 0, 2, 3, 4][..], OpenError::Changed(0)),
        (&[0, 0, 1, 2, 3, 4], OpenError::Changed(1)),
        (&[0, 2, 3, 4], OpenError::Changed(1)),
        (&[0, 1, 3, 2, 4], OpenError::Changed(2)),
        (&[0, 1, 2, 3], OpenError::CutOff(4)),
        (&[0, 1, 2, 4], OpenError::Changed(3)),
        (&[0, 1, 2, 3, 4, 4], OpenError::Changed(4)),
        (&[4], OpenError::Changed(0)),
        (&[], OpenError::CutOff(0)),
    ] {
        let moved: Vec<u8> = order.iter().flat_map(|&i| chunks[i]).copied().collect();
        let (released, found) = read(&moved);
        assert_eq!(found, Some(error), "{order:?}");
        let count = match error {
            OpenError::Changed(chunk) => usize::try_from(chunk).unwrap(),
            _ => order.len().saturating_sub(1),
        };
        assert!(released == text[..count * C], "{order:?}");
    }
    // A last chunk of no bytes, which its tag does not make one.
    let mut empty = [0; 16];
    let end = key().seal_in_place(4, true, &mut empty);
    assert_eq!(end, Err(ChunksError::Sealed(16)));
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&BYTES.into());
    let nonce = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1];
    let tag = cipher.encrypt(&nonce.into(), &[][..]).unwrap();
    let (_, error) = read(&[chunks[0], &tag].concat());
    assert_eq!(error, Some(OpenError::CutOff(1)));
}

#[test]
fn errors_are_repeated() {
    let mut sealed = written(&text(3 * C), C);
    sealed[S] ^= 1;
    let mut reader = Reader::new(key(), Cursor::new(sealed));
    let mut out = vec![0; C];
    reader.read_exact(&mut out).unwrap();
    for _ in 0..3 {
        let error = reader.read(&mut out).unwrap_err();
        assert_eq!(why(&error), OpenError::Changed(1));
        assert_eq!(error.to_string(), "chunk 1 is not authentic");
        assert_eq!(
            why(&reader.seek(SeekFrom::Start(0)).unwrap_err()),
            OpenError::Changed(1)
        );
    }
}

/// Gives out few bytes at a time, and counts them.
struct Slow {
    inner: Cursor<Vec<u8>>,
    bytes: usize,
    interrupted: bool,
}

impl Read for Slow {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let most = to.len().min(9973);
        let count = self.inner.read(&mut to[..most])?;
        self.bytes += count;
        Ok(count)
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn seeking() {
    for len_bytes in LENGTHS {
        let text = text(len_bytes);
        let before = b"header";
        let sealed = [&before[..], &written(&text, C)].concat();
        let mut state = 5_u64;
        let mut inner = Slow {
            inner: Cursor::new(sealed),
            bytes: 0,
            interrupted: false,
        };
        inner.seek(SeekFrom::Start(6)).unwrap();
        let mut reader = Reader::new(key(), inner);
        // Some of it in sequence, before anything is known.
        let mut out = vec![0; len_bytes.min(len_bytes / 3 + 5)];
        reader.read_exact(&mut out).unwrap();
        assert!(out == text[..out.len()]);
        assert_eq!(reader.stream_position().unwrap(), out.len() as u64);
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert!(rest == text[out.len()..], "{len_bytes}");
        assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), len_bytes as u64);
        for _ in 0..40 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (state >> 33) as usize % (len_bytes + 100);
            reader.seek(SeekFrom::Start(at as u64)).unwrap();
            let mut out = vec![0; (state >> 20) as usize % (2 * C)];
            let mut count = 0;
            while count < out.len() {
                match reader.read(&mut out[count..]).unwrap() {
                    0 => break,
                    more => count += more,
                }
            }
            let expected = &text[at.min(len_bytes)..len_bytes.min(at + out.len())];
            assert!(&out[..count] == expected, "{len_bytes}: {at}");
            let position = reader.stream_position().unwrap();
            assert_eq!(position, (at + count) as u64);
            let wrong = reader.seek(SeekFrom::Current(i64::MIN)).unwrap_err();
            assert_eq!(wrong.kind(), ErrorKind::InvalidInput);
            assert_eq!(reader.stream_position().unwrap(), position);
        }
        // Only the last chunk and the one that is asked for are read.
        let mut inner = reader.into_inner();
        inner.bytes = 0;
        inner.seek(SeekFrom::Start(6)).unwrap();
        let mut reader = Reader::new(key(), inner);
        reader.seek(SeekFrom::Start(0)).unwrap();
        let _ = reader.read(&mut [0]).unwrap();
        assert!(reader.into_inner().bytes <= 2 * S);
    }
}

/// The last chunk is verified first: what is cut off or appended is noticed before anything is released.
#[test]
fn seeking_verifies_the_end() {
    let sealed = written(&text(3 * C + 9), C);
    for (changed, error) in [
        (sealed[..3 * S].to_vec(), OpenError::CutOff(3)),
        (sealed[..3 * S + 20].to_vec(), OpenError::Changed(3)),
        (sealed[..3 * S + 16].to_vec(), OpenError::CutOff(3)),
        (sealed[..S + 9].to_vec(), OpenError::CutOff(1)),
        ([&sealed[..], &[0; 5]].concat(), OpenError::Changed(3)),
        (Vec::new(), OpenError::CutOff(0)),
    ] {
        let mut reader = Reader::new(key(), Cursor::new(changed));
        assert_eq!(why(&reader.seek(SeekFrom::Start(0)).unwrap_err()), error);
        assert_eq!(why(&reader.read(&mut [0; 9]).unwrap_err()), error);
    }
}

#[test]
fn a_writer_that_failed_writes_no_more() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            let count = from.len().min(self.0);
            self.0 -= count;
            if count == 0 {
                Err(ErrorKind::StorageFull.into())
            } else {
                Ok(count)
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(key(), Full(100_000));
    let error = writer.write_all(&text(3 * C)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(writer.write(b"x").unwrap_err().kind(), ErrorKind::Other);
    let problem = writer.finish().map(drop).unwrap_err().to_string();
    assert_eq!(problem, "an earlier chunk was not written");
    let flushed = Writer::new(key(), Full(0)).finish();
    assert_eq!(
        flushed.map(drop).unwrap_err().kind(),
        ErrorKind::StorageFull
    );
}

#[test]
fn chunks_that_cannot_be() {
    let chunk = vec![0; 3 * C];
    let seal = |first, last, text: &[u8]| {
        let count = text.len().div_ceil(C).max(1);
        key().seal(first, last, text, &mut vec![0; text.len() + 16 * count])
    };
    assert_eq!(seal(0, false, b""), Err(ChunksError::Text(0)));
    assert_eq!(seal(1, true, b""), Err(ChunksError::Text(0)));
    assert_eq!(seal(0, false, b"x"), Err(ChunksError::Text(1)));
    assert_eq!(seal(u64::MAX, true, &chunk[..=C]), Err(ChunksError::Number));
    assert_eq!(seal(u64::MAX, true, b"x"), Ok(()));
    let output = ChunksError::Output {
        needed: 17,
        found: 18,
    };
    assert_eq!(key().seal(0, true, b"x", &mut [0; 18]), Err(output));

    let open = |first, last, bytes| {
        key().open(
            first,
            last,
            &chunk[..bytes],
            &mut vec![0; bytes.saturating_sub(16)],
        )
    };
    let sealed = |bytes| Err(OpenError::Chunks(ChunksError::Sealed(bytes)));
    assert_eq!(open(0, true, 15), sealed(15));
    assert_eq!(open(0, true, 0), sealed(0));
    assert_eq!(open(0, false, 17), sealed(17));
    assert_eq!(open(0, true, S + 16), sealed(S + 16));
    assert_eq!(open(0, true, 16), Err(OpenError::Changed(0)));
    let output = ChunksError::Output {
        needed: 1,
        found: 0,
    };
    assert_eq!(key().open(0, true, &[0; 17], &mut []), Err(output.into()));

    let two = ChunksError::Text(2 * C);
    let mut chunks = vec![0; 2 * S];
    assert_eq!(key().seal_in_place(0, true, &mut chunks), Err(two));
    assert_eq!(
        key().open_in_place(0, true, &mut chunks).map(drop),
        Err(two.into())
    );
    assert_eq!(
        key().seal_in_place(0, true, &mut [0; 15]),
        Err(ChunksError::Sealed(15))
    );
    let mut one = *b"text++++++++++++++++";
    key().seal_in_place(9, true, &mut one).unwrap();
    assert_eq!(key().open_in_place(9, true, &mut one).unwrap(), b"text");
    assert_eq!(
        key().open_in_place(9, true, &mut one).map(drop),
        Err(OpenError::Changed(9))
    );
    assert_eq!(one[..4], [0; 4]);
}

/// A file of which one call fails.
struct Failing {
    file: Cursor<Vec<u8>>,
    calls_left: u32,
}

impl Failing {
    fn call(&mut self) -> io::Result<()> {
        self.calls_left = self.calls_left.wrapping_sub(1);
        if self.calls_left == 0 {
            return Err(io::Error::other("failing"));
        }
        Ok(())
    }
}

impl Read for Failing {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.call()?;
        let most = to.len().min(40_000);
        self.file.read(&mut to[..most])
    }
}

impl Seek for Failing {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.call()?;
        self.file.seek(to)
    }
}

/// After a seek that failed, the text goes on where it was, or reading is an error until the next seek.
#[test]
fn seeks_that_fail() {
    let text = text(3 * C + 9);
    let mut refused = 0;
    for calls_left in 3..12 {
        let file = Cursor::new(written(&text, C));
        let mut reader = Reader::new(key(), Failing { file, calls_left });
        reader.read_exact(&mut [0; 100]).unwrap();
        let (mut place, mut rest) = (100, Vec::new());
        for to in [C + 7, 2 * C + 7] {
            if reader.seek(SeekFrom::Start(to as u64)).is_err() {
                break;
            }
            place = to;
        }
        if let Err(error) = reader.read_to_end(&mut rest) {
            refused += u32::from(error.to_string() == "an earlier seek failed");
            rest.clear();
            let here = reader.stream_position().unwrap();
            place = usize::try_from(here).unwrap();
            reader.read_to_end(&mut rest).unwrap();
        }
        assert!(rest == text[place..], "{calls_left}: {} bytes", rest.len());
    }
    assert!(refused > 0);
}

#[test]
fn the_first_chunk_that_is_not_authentic() {
    let text = text(4 * C);
    let mut sealed = written(&text, C);
    sealed[2 * S + 5] ^= 1;
    sealed[3 * S + 5] ^= 1;
    let mut out = vec![1; 4 * C];
    let opened = key().open(0, true, &sealed, &mut out);
    assert_eq!(opened, Err(OpenError::Changed(2)));
    assert!(out.iter().all(|&byte| byte == 0));
    let opened = key().open(1, false, &sealed[S..2 * S], &mut out[..C]);
    assert_eq!(opened, Ok(()));
    assert!(out[..C] == text[C..2 * C]);
}

#[test]
fn dropped_key_is_wiped() {
    let mut key = ManuallyDrop::new(key());
    // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
    unsafe { ManuallyDrop::drop(&mut key) };
    assert_eq!(key.0, [0; 32]);
    assert_eq!(format!("{:?}", self::key()), "Key(..)");
    let shown = format!("{:?}", Reader::new(self::key(), &b""[..]));
    assert_eq!(shown, "Reader { number: 0, failed: None, .. }");
}
