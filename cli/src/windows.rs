//! One huge file, read by all threads: window by window, in the order of the file.

use crate::mapping::Mapping;
use crate::opener::Failure;
use crate::progress::Progress;
use crate::work::append;
use hornet::aes::{Key, Part};
use rayon::ThreadPool;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a thread takes at a time: enough that joining the parts costs nothing beside it, and that a
/// disk reads ahead.
const WINDOW_BYTES: u64 = 4 << 20;

/// What passes through a buffer at a time. Longer ones were slower: they drop out of the caches.
pub(crate) const PIECE_BYTES: usize = 64 << 10;

/// The part of the first `length` bytes.
pub(crate) fn part(
    key: &Key,
    pool: &ThreadPool,
    file: &File,
    length: u64,
    map: bool,
    progress: &Progress,
) -> Result<Part, Failure> {
    // What cannot be mapped may still be read.
    let mapping = map.then(|| Mapping::new(file, length).ok()).flatten();
    let windows = length.div_ceil(WINDOW_BYTES);
    let next = AtomicU64::new(0);
    let parts = pool.broadcast(|_| {
        let mut buffer = Vec::new();
        let mut parts = Vec::new();
        loop {
            let window = next.fetch_add(1, Relaxed);
            if window >= windows {
                return Ok(parts);
            }
            let start = window * WINDOW_BYTES;
            let end = length.min(start + WINDOW_BYTES);
            let part = match &mapping {
                Some(mapping) => mapped(key, mapping, start, end),
                None => read(key, file, start, end, &mut buffer),
            };
            // On an error, the others need not go on.
            let part = part.inspect_err(|_| next.store(windows, Relaxed))?;
            parts.push((window, part));
            progress.add(usize::try_from(end - start).unwrap_or(usize::MAX));
        }
    });
    let parts: Result<Vec<_>, Failure> = parts.into_iter().collect();
    let mut parts: Vec<_> = parts?.into_iter().flatten().collect();
    parts.sort_unstable_by_key(|(window, _)| *window);

    let mut whole = Part::default();
    for (_, part) in &parts {
        append(key, &mut whole, part)?;
    }
    Ok(whole)
}

fn mapped(key: &Key, mapping: &Mapping, start: u64, end: u64) -> Result<Part, Failure> {
    let window = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let (start, end) = window.ok_or_else(|| Failure::Unreadable("too long to be mapped".into()))?;
    let part = key.part(&mapping.bytes()[start..end]);
    mapping.release(start, end - start);
    if mapping.is_lost() {
        return Err(Failure::Unreadable(Failure::SHRANK.into()));
    }
    Ok(part)
}

fn read(
    key: &Key,
    file: &File,
    start: u64,
    end: u64,
    buffer: &mut Vec<u8>,
) -> Result<Part, Failure> {
    buffer.resize(PIECE_BYTES, 0);
    let mut whole = Part::default();
    let mut at = start;
    while at < end {
        let length = usize::try_from(end - at).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        let piece = &mut buffer[..length];
        file.read_exact_at(piece, at).map_err(|error| {
            if error.kind() == ErrorKind::UnexpectedEof {
                Failure::Unreadable(Failure::SHRANK.into())
            } else {
                error.into()
            }
        })?;
        append(key, &mut whole, &key.part(piece))?;
        at += length as u64;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Unit;
    use hornet::aes::Nonce;
    use rayon::ThreadPoolBuilder;
    use std::io::Write;

    fn part_of(file: &File, length: u64, map: bool) -> Result<Part, Failure> {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let progress = Progress::new(Unit::Bytes, None);
        let part = part(&key(), &pool, file, length, map, &progress)?;
        assert_eq!((part.len_bytes(), progress.done()), (length, length));
        Ok(part)
    }

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    #[test]
    fn as_the_whole_at_once() {
        let longest = 3 * WINDOW_BYTES + 17;
        let content: Vec<u8> = (0..=250)
            .cycle()
            .take(usize::try_from(longest).unwrap())
            .collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        for length in [1, WINDOW_BYTES, WINDOW_BYTES + 1, longest - 1, longest] {
            let message = &content[..usize::try_from(length).unwrap()];
            let tag = key().mac(Nonce::new([1; 16]), message);
            for map in [true, false] {
                let part = part_of(&file, length, map).unwrap();
                let nonce = Nonce::new([1; 16]);
                assert!(key().verify_part(&nonce, &part, &tag).is_ok());
            }
        }
    }

    /// It says so itself, whether or not somebody looks at the file again.
    #[test]
    fn a_file_that_is_cut_short() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(WINDOW_BYTES).unwrap();
        for map in [true, false] {
            let result = part_of(&file, 2 * WINDOW_BYTES, map).map(|_| ());
            assert_eq!(result, Err(Failure::Unreadable(Failure::SHRANK.into())));
        }
    }
}
