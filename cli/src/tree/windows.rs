// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Evaluates one huge file on all threads, window by window in the order of the file.

use crate::buffer::Buffer;
use crate::progress::Progress;
use crate::tree::failure::Failure;
use crate::tree::holes::Holes;
use crate::tree::mapping::Mapping;
use crate::tree::reading::{PIECE_BYTES, append, read_range};
use hornet::aes::{Key, Partial};
use hornet_manifest::holes::{Extent, Extents};
use rayon::ThreadPool;
use std::fs::File;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes to be read that a thread takes at a time: enough that combining the results is cheap by
/// comparison, and that the disk reads ahead.
const WINDOW_BYTES: u64 = 4 << 20;

/// Extents that a thread takes at a time: asking for them, while other threads wait, takes about a
/// millisecond.
const WINDOW_EXTENTS: usize = 1024;

/// Data between holes is read unless it has at least this length: on ext4, 50,000 pages between
/// holes take 0.16 s read and 0.39 s mapped.
const MAPPED_BYTES: u64 = 256 << 10;

/// Returns the partial evaluation of the first `length` bytes, and how many of them were not read.
pub(crate) fn partial(
    key: &Key,
    pool: &ThreadPool,
    file: &File,
    length: u64,
    map: bool,
    holes: &Holes,
    progress: &Progress,
) -> Result<(Partial, u64), Failure> {
    let extents = holes.extents(file, length)?;
    let map = map && !extents.fills_if_mapped();
    // A file that cannot be mapped may still be read.
    let mapping = map.then(|| Mapping::new(file, length).ok()).flatten();
    let windows = Mutex::new(Windows::new(extents));
    let lock = || -> MutexGuard<Windows> { windows.lock().unwrap_or_else(PoisonError::into_inner) };
    let partials = pool.broadcast(|_| {
        let mut buffer = Buffer::default();
        let (mut partials, mut window) = (Vec::new(), Vec::new());
        loop {
            let index = match lock().next(&mut window) {
                Ok(Some(index)) => index,
                Ok(None) => return Ok(partials),
                Err(error) => return Err(error.into()),
            };
            let mut whole = Partial::default();
            for extent in &window {
                let Extent { start, end, .. } = *extent;
                let appended = if extent.is_hole {
                    append(key, &mut whole, &key.partial_zeros(end - start))
                } else if let Some(mapping) = mapping.as_ref().filter(|_| is_long(extent)) {
                    mapped(key, mapping, start, end, &mut whole)
                } else {
                    buffer.allocate(PIECE_BYTES);
                    read_range(key, file, start, end, &mut buffer, &mut whole)
                };
                // After an error, the other threads need not continue.
                appended.inspect_err(|_| lock().stop())?;
                progress.add(usize::try_from(end - start).unwrap_or(usize::MAX));
            }
            partials.push((index, whole));
        }
    });
    let partials: Result<Vec<_>, Failure> = partials.into_iter().collect();
    let mut partials: Vec<_> = partials?.into_iter().flatten().collect();
    partials.sort_unstable_by_key(|(window, _)| *window);

    let mut whole = Partial::default();
    for (_, partial) in &partials {
        append(key, &mut whole, partial)?;
    }
    Ok((whole, lock().holes))
}

/// What threads take from a file, one window after another: data, and the holes before and after it.
struct Windows<'f> {
    extents: Extents<'f>,
    /// The rest of an extent of data that did not fit into the last window.
    rest: Option<Extent>,
    /// How many windows were taken.
    taken: usize,
    /// How many bytes of holes are in them.
    holes: u64,
    stopped: bool,
}

impl<'f> Windows<'f> {
    fn new(extents: Extents<'f>) -> Self {
        Self {
            extents,
            rest: None,
            taken: 0,
            holes: 0,
            stopped: false,
        }
    }

    /// Lets no further window be taken.
    fn stop(&mut self) {
        self.stopped = true;
    }

    /// Puts the extents of the next window into `window`. Returns its number, or `None` at the end.
    fn next(&mut self, window: &mut Vec<Extent>) -> io::Result<Option<usize>> {
        window.clear();
        let mut room = WINDOW_BYTES;
        while room > 0 && window.len() < WINDOW_EXTENTS && !self.stopped {
            let next = match self.rest.take() {
                Some(rest) => Some(Ok(rest)),
                None => self.extents.next(),
            };
            let Some(next) = next else { break };
            let mut extent = next.inspect_err(|_| self.stopped = true)?;
            if extent.is_hole {
                self.holes += extent.len_bytes();
            } else {
                let end = extent.end.min(extent.start + room);
                if end < extent.end {
                    let rest = extent.clone();
                    self.rest = Some(Extent { start: end, ..rest });
                    extent.end = end;
                }
                room -= extent.len_bytes();
            }
            window.push(extent);
        }
        if window.is_empty() {
            return Ok(None);
        }
        self.taken += 1;
        Ok(Some(self.taken))
    }
}

fn is_long(extent: &Extent) -> bool {
    extent.len_bytes() >= MAPPED_BYTES
}

fn mapped(
    key: &Key,
    mapping: &Mapping,
    start: u64,
    end: u64,
    whole: &mut Partial,
) -> Result<(), Failure> {
    let window = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let (from, to) = window.ok_or_else(|| Failure::Unreadable("too long to be mapped".into()))?;
    let partial = key.partial(&mapping.bytes()[from..to]);
    mapping.release(from, to - from);
    if mapping.is_lost() {
        return Err(Failure::shrank(start, end));
    }
    append(key, whole, &partial)
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
        let holes = Holes::new(true);
        let (partial, not_read) = partial(&key(), &pool, file, length, map, &holes, &progress)?;
        assert_eq!(not_read, 0);
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
        let content = vec![1; usize::try_from(WINDOW_BYTES).unwrap()];
        (&file).write_all(&content).unwrap();
        for map in [true, false] {
            let Err(Failure::Unreadable(why)) = partial_of(&file, 2 * WINDOW_BYTES, map) else {
                panic!("not detected");
            };
            assert!(why.contains("shrank") && why.contains("byte"), "{why}");
        }
    }
}
