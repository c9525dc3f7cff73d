// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads a file through a buffer, and detects whether it changes meanwhile.

use crate::source::read_some;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::snapshot::Snapshot;
use crate::tree::values::Values;
use hornet::aes::Key;
use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Bytes read into a buffer at a time. Larger pieces were slower because they do not fit the
/// caches.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// Returns the metadata of a file that is about to be read, which must be regular.
pub(super) fn regular(file: &File) -> Result<Snapshot, Failure> {
    let snapshot = Snapshot::of(file)?;
    match snapshot.is_not() {
        None => Ok(snapshot),
        Some(kind) => Err(Failure::NotRegular(kind)),
    }
}

/// Like `regular`, for a file that must not be excluded.
pub(super) fn taggable(file: &File, excluded: Option<&Excluded>) -> Result<Snapshot, Failure> {
    let snapshot = regular(file)?;
    if let Some(excluded) = excluded {
        excluded.check(file, snapshot)?;
    }
    Ok(snapshot)
}

/// Checks that a file has not changed since `before`.
pub(super) fn unchanged(before: Snapshot, file: &File) -> Result<(), Failure> {
    if before.has_changed(file)? {
        return Err(Failure::changed());
    }
    Ok(())
}

/// Reads a file to its end, through a buffer that already holds `filled` bytes of it, and appends
/// its values.
pub(super) fn read_on(
    key: &Key,
    file: &File,
    before: Snapshot,
    buffer: &mut [u8],
    filled: usize,
    values: &mut Values,
    count: impl Fn(usize),
) -> Result<(), Failure> {
    // A full buffer is a whole number of blocks: only the last piece may end within one.
    let buffer = &mut buffer[..PIECE_BYTES];
    let mut filled = filled;
    let mut total = 0;
    loop {
        let got = read_some(file, &mut buffer[filled..])?;
        filled += got;
        let is_end = got == 0;
        if is_end || filled == buffer.len() {
            values.push(key, &buffer[..filled])?;
            count(filled);
            total += filled as u64;
            filled = 0;
        }
        if is_end {
            break;
        }
        // The file has grown, and may grow without end.
        if before.length != 0 && total > before.length {
            return Err(Failure::changed());
        }
    }
    unchanged(before, file)?;
    // Files under /proc are regular but have length 0. Those under /sys claim to fill a page.
    if before.length != 0 && total != before.length {
        return Err(Failure::Unreadable(
            "has fewer bytes than its length says".into(),
        ));
    }
    Ok(())
}

/// Fills a buffer with what a file has from this offset on.
pub(super) fn read_exact(file: &File, buffer: &mut [u8], at: u64) -> Result<(), Failure> {
    file.read_exact_at(buffer, at).map_err(|error| {
        if error.kind() == ErrorKind::UnexpectedEof {
            Failure::shrank(at, at + buffer.len() as u64)
        } else {
            error.into()
        }
    })
}

/// Reads a range of bytes through a buffer, and appends their values.
pub(super) fn read_range(
    key: &Key,
    file: &File,
    bytes: Range<u64>,
    buffer: &mut [u8],
    values: &mut Values,
) -> Result<(), Failure> {
    let mut at = bytes.start;
    while at < bytes.end {
        let piece = read_piece(file, at..bytes.end, buffer)?;
        values.push(key, piece)?;
        at += piece.len() as u64;
    }
    Ok(())
}

/// Reads the first bytes of a range into a buffer: a piece, or all if there are fewer.
pub(super) fn read_piece<'b>(
    file: &File,
    bytes: Range<u64>,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], Failure> {
    let left = usize::try_from(bytes.end - bytes.start);
    let piece = &mut buffer[..left.map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES))];
    read_exact(file, piece, bytes.start)?;
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hornet_manifest::Kind;
    use std::io::Write;
    use tempfile::NamedTempFile;

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    /// Reads a file of `length` bytes that changes after its first `first` bytes were read.
    fn read(
        length: u64,
        first: usize,
        change: impl FnOnce(&mut NamedTempFile),
    ) -> Result<u64, Failure> {
        let mut file = NamedTempFile::new().unwrap();
        file.as_file().set_len(length).unwrap();
        let reader = File::open(file.path()).unwrap();
        let before = regular(&reader).unwrap();
        let mut buffer = vec![0; PIECE_BYTES];
        read_some(&reader, &mut buffer[..first]).unwrap();
        change(&mut file);
        let mut values = Values::new(None, 0, length)?;
        let key = key();
        read_on(
            &key,
            &reader,
            before,
            &mut buffer,
            first,
            &mut values,
            |_| {},
        )?;
        Ok(values.whole(&key)?.len_bytes())
    }

    #[test]
    fn changes_are_detected() {
        for length in [100, PIECE_BYTES as u64, 200_000] {
            assert_eq!(read(length, 10, |_| {}), Ok(length));
            let grows = |file: &mut NamedTempFile| {
                file.as_file().set_len(length + 1).unwrap();
            };
            assert_eq!(read(length, 10, grows), Err(Failure::changed()));
            let shrinks = |file: &mut NamedTempFile| {
                file.as_file().set_len(length - 1).unwrap();
            };
            assert_eq!(read(length, 10, shrinks), Err(Failure::changed()));
            let written = |file: &mut NamedTempFile| {
                // The clock of a file system may tick only a hundred times a second.
                std::thread::sleep(std::time::Duration::from_millis(20));
                file.write_all(b"other").unwrap();
            };
            assert_eq!(read(length, 10, written), Err(Failure::changed()));
        }
    }

    /// Tests a file that grows faster than it is read.
    #[test]
    fn a_file_that_grows_without_end() {
        let grows = |file: &mut NamedTempFile| {
            // Sparse. Reading it all would take an hour.
            file.as_file().set_len(8 << 40).unwrap();
        };
        assert_eq!(read(1000, 10, grows), Err(Failure::changed()));
    }

    #[test]
    fn folders_are_not_regular() {
        let folder = File::open("/").unwrap();
        assert!(matches!(
            regular(&folder),
            Err(Failure::NotRegular(Kind::Folder))
        ));
    }
}
