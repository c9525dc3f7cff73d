// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Evaluates one huge file on all threads, window by window in the order of the file.

use crate::buffer::Buffer;
use crate::progress::Progress;
use crate::tree::failure::Failure;
use crate::tree::mapping::Mapping;
use crate::tree::reading::{PIECE_BYTES, append};
use hornet::aes::{Key, Partial};
use rayon::ThreadPool;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that a thread takes at a time: enough that combining the results is cheap by comparison,
/// and that the disk reads ahead.
const WINDOW_BYTES: u64 = 4 << 20;

/// Returns the partial evaluation of the first `length` bytes.
pub(crate) fn partial(
    key: &Key,
    pool: &ThreadPool,
    file: &File,
    length: u64,
    map: bool,
    progress: &Progress,
) -> Result<Partial, Failure> {
    // A file that cannot be mapped may still be read.
    let mapping = map.then(|| Mapping::new(file, length).ok()).flatten();
    let windows = length.div_ceil(WINDOW_BYTES);
    let next = AtomicU64::new(0);
    let partials = pool.broadcast(|_| {
        let mut buffer = Buffer::default();
        let mut partials = Vec::new();
        loop {
            let window = next.fetch_add(1, Relaxed);
            if window >= windows {
                return Ok(partials);
            }
            let start = window * WINDOW_BYTES;
            let end = length.min(start + WINDOW_BYTES);
            let partial = match &mapping {
                Some(mapping) => mapped(key, mapping, start, end),
                None => read(key, file, start, end, &mut buffer),
            };
            // After an error, the other threads need not continue.
            let partial = partial.inspect_err(|_| next.store(windows, Relaxed))?;
            partials.push((window, partial));
            progress.add(usize::try_from(end - start).unwrap_or(usize::MAX));
        }
    });
    let partials: Result<Vec<_>, Failure> = partials.into_iter().collect();
    let mut partials: Vec<_> = partials?.into_iter().flatten().collect();
    partials.sort_unstable_by_key(|(window, _)| *window);

    let mut whole = Partial::default();
    for (_, partial) in &partials {
        append(key, &mut whole, partial)?;
    }
    Ok(whole)
}

fn mapped(key: &Key, mapping: &Mapping, start: u64, end: u64) -> Result<Partial, Failure> {
    let window = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let (start, end) = window.ok_or_else(|| Failure::Unreadable("too long to be mapped".into()))?;
    let partial = key.partial(&mapping.bytes()[start..end]);
    mapping.release(start, end - start);
    if mapping.is_lost() {
        return Err(Failure::Unreadable(Failure::SHRANK.into()));
    }
    Ok(partial)
}

fn read(
    key: &Key,
    file: &File,
    start: u64,
    end: u64,
    buffer: &mut Buffer,
) -> Result<Partial, Failure> {
    buffer.allocate(PIECE_BYTES);
    let mut whole = Partial::default();
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
        append(key, &mut whole, &key.partial(piece))?;
        at += length as u64;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Unit;
    use hornet::aes::{Nonce, UnusedNonce};
    use rayon::ThreadPoolBuilder;
    use std::io::Write;

    fn partial_of(file: &File, length: u64, map: bool) -> Result<Partial, Failure> {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let progress = Progress::new(Unit::Bytes, None);
        let partial = partial(&key(), &pool, file, length, map, &progress)?;
        assert_eq!((partial.len_bytes(), progress.done()), (length, length));
        Ok(partial)
    }

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    #[test]
    fn same_as_the_whole_at_once() {
        let longest = 3 * WINDOW_BYTES + 17;
        let content: Vec<u8> = (0..=250)
            .cycle()
            .take(usize::try_from(longest).unwrap())
            .collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        for length in [1, WINDOW_BYTES, WINDOW_BYTES + 1, longest - 1, longest] {
            let message = &content[..usize::try_from(length).unwrap()];
            let tag = key().mac(UnusedNonce::assume_unused([1; 16]), message);
            for map in [true, false] {
                let partial = partial_of(&file, length, map).unwrap();
                let nonce = Nonce::new([1; 16]);
                assert!(key().verify_partial(&nonce, &partial, &tag).is_ok());
            }
        }
    }

    /// Truncation is detected while reading, without comparing the metadata afterwards.
    #[test]
    fn a_truncated_file() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(WINDOW_BYTES).unwrap();
        for map in [true, false] {
            let result = partial_of(&file, 2 * WINDOW_BYTES, map).map(|_| ());
            assert_eq!(result, Err(Failure::Unreadable(Failure::SHRANK.into())));
        }
    }
}
