// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The process that only reads a file: it maps the file, and sums its words with all cores.

use super::process::cores;
use crate::cli::Reader;
use crate::console::print;
use crate::error::Error;
use crate::sum::sum;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Bytes that a thread takes at a time, as in `hornet tag`.
const WINDOW_BYTES: usize = 4 << 20;

/// Prints the sum of all whole words.
pub(crate) fn run(arguments: &Reader) -> Result<ExitCode, Error> {
    let total = sum_of(arguments).map_err(|error| Error::new(arguments.file.display(), error))?;
    print(format_args!("{total}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn sum_of(arguments: &Reader) -> std::io::Result<u64> {
    let file = File::open(&arguments.file)?;
    let len_bytes = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    if len_bytes == 0 {
        return Ok(0);
    }
    // SAFETY: creates a new mapping of an open file.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            len_bytes,
            libc::PROT_READ,
            libc::MAP_SHARED,
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
        let mut total = 0_u64;
        let windows = words.chunks(WINDOW_BYTES / 8);
        while let Some(window) = windows.clone().nth(next.fetch_add(1, Relaxed)) {
            total = total.wrapping_add(sum(window));
            if arguments.release {
                // SAFETY: only a hint: the pages are read from the file again if needed.
                unsafe {
                    let start = window.as_ptr().cast_mut().cast();
                    libc::madvise(start, size_of_val(window), libc::MADV_DONTNEED);
                }
            }
        }
        total
    };
    let totals = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(0)) // the thread never panics
            .fold(0, u64::wrapping_add)
    });
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;

    #[test]
    fn every_word_of_every_window_counts() {
        let scratch = Scratch::new("reader").unwrap();
        let file = scratch.path().join("file");
        for words in [
            0,
            1,
            WINDOW_BYTES as u64 / 8,
            WINDOW_BYTES as u64 / 8 * 5 + 3,
        ] {
            let bytes: Vec<u8> = (0..words).flat_map(u64::to_le_bytes).collect();
            fs::write(&file, bytes).unwrap();
            for release in [false, true] {
                let file = file.clone();
                let total = sum_of(&Reader { file, release }).unwrap();
                assert_eq!(total, words * words.saturating_sub(1) / 2);
            }
        }
    }
}
