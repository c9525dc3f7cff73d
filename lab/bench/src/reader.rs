// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A sum of words, which is the fastest way to read memory; and a process that only reads a file: it maps the file, and
//! sums its words with all cores. `hornet tag` is compared with it.

use crate::console::print;
use crate::error::Error;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{ptr, slice, thread};

/// The number of independent sums: eight of the widest vectors, more than the additions that a core has in flight.
const SIDE_BY_SIDE: usize = 64;

/// Returns the sum of the words. The compiler vectorizes it.
pub(crate) fn sum(words: &[u64]) -> u64 {
    let mut sums = [0_u64; SIDE_BY_SIDE];
    let mut chunks = words.chunks_exact(SIDE_BY_SIDE);
    for chunk in &mut chunks {
        for (sum, word) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(*word);
        }
    }
    let all = sums.iter().chain(chunks.remainder());
    all.fold(0, |sum, word| sum.wrapping_add(*word))
}

/// Words that a thread takes at a time: 4 MiB, as in `hornet tag`.
const WINDOW: usize = (4 << 20) / 8;

/// Prints the sum of all whole words of a file.
pub(crate) fn run(file: &Path) -> Result<ExitCode, Error> {
    let total = sum_of(file).map_err(|error| Error::new(file.display(), error))?;
    print(format_args!("{total}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn sum_of(path: &Path) -> std::io::Result<u64> {
    let file = File::open(path)?;
    let len_bytes = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    if len_bytes == 0 {
        return Ok(0);
    }
    let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
    // SAFETY: creates a new mapping of an open file.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            len_bytes,
            read,
            shared,
            file.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the mapping is page-aligned and permanent. The file belongs to the bench and does not change.
    let words = unsafe { slice::from_raw_parts(start.cast::<u64>(), len_bytes / 8) };

    let next = AtomicUsize::new(0);
    let work = || {
        let mut windows = words.chunks(WINDOW);
        let mut total = 0_u64;
        let mut taken = 0;
        loop {
            let which = next.fetch_add(1, Relaxed);
            let Some(window) = windows.nth(which - taken) else {
                return total;
            };
            taken = which + 1;
            total = total.wrapping_add(sum(window));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Ok(thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let totals = threads.into_iter().map(|thread| thread.join().unwrap_or(0)); // it never panics
        totals.fold(0, u64::wrapping_add)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process};

    #[test]
    fn every_word_of_every_window_counts() {
        let file = env::temp_dir().join(format!("hornet-bench-reader-{}", process::id()));
        for words in [0, 1, 63, 64, 65, 1000, WINDOW as u64, WINDOW as u64 * 5 + 3] {
            let bytes: Vec<u8> = (0..words).flat_map(u64::to_le_bytes).collect();
            fs::write(&file, bytes).unwrap();
            assert_eq!(sum_of(&file).unwrap(), words * words.saturating_sub(1) / 2);
        }
        fs::remove_file(&file).unwrap();
    }
}
