// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads the one message of `mac` and `verify`: large files through a mapping, others through a
//! buffer.

use crate::buffer::Buffer;
use crate::error::Error;
use crate::mapping::Mapping;
use crate::progress::Progress;
use crate::source::{Source, read_some};
use crate::tree::failure::Failure;
use crate::tree::snapshot::Snapshot;
use hornet::Poly1305;
use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::os::unix::fs::MetadataExt;

/// Bytes of a mapping read between checks for a lost file and progress updates.
const WINDOW_BYTES: usize = 1 << 20;

/// The capacity of a pipe. Larger buffers were not faster: their page faults cost more than system
/// calls.
const BUFFER_BYTES: usize = 64 << 10;

pub(crate) struct Input<'a> {
    source: &'a Source,
    file: File,
    /// As read when the file was opened.
    metadata: Metadata,
    snapshot: Snapshot,
    mapping: Option<Mapping>,
}

impl<'a> Input<'a> {
    pub(crate) fn open(source: &'a Source) -> Result<Self, Error> {
        let open = || {
            let file = source.open()?;
            let metadata = file.metadata()?;
            let snapshot = Snapshot::of(&file)?;
            Ok((file, metadata, snapshot))
        };
        let (file, metadata, snapshot) =
            open().map_err(|error: io::Error| Error::new(source, error))?;

        // Standard input is read from its current position. Files under /proc are regular but have
        // length 0.
        let mapping = match source {
            Source::File(_) if metadata.is_file() => Mapping::of(&file, metadata.len()),
            _ => Ok(None),
        };
        let mapping = mapping.map_err(|error| Error::new(source, error))?;
        Ok(Self {
            source,
            file,
            metadata,
            snapshot,
            mapping,
        })
    }

    pub(crate) fn is_same_file(&self, other: &Metadata) -> bool {
        (self.metadata.dev(), self.metadata.ino()) == (other.dev(), other.ino())
    }

    /// Feeds the whole input to `poly1305` and returns the number of bytes.
    pub(crate) fn feed(&mut self, poly1305: &mut Poly1305) -> Result<u64, Error> {
        let progress = Progress::of_input(self.length(), &self.file);
        match &self.mapping {
            Some(mapping) => {
                for window in mapping.bytes().chunks(WINDOW_BYTES) {
                    poly1305.update(window);
                    if mapping.is_lost() {
                        return Err(self.error(Failure::SHRANK));
                    }
                    progress.add(window.len());
                }
            }
            None => {
                stream(&self.file, poly1305, &progress).map_err(|error| self.error(error))?;
            }
        }
        let changed = self.snapshot.has_changed(&self.file);
        if changed.map_err(|error| self.error(error))? {
            return Err(self.error(Failure::CHANGED));
        }
        Ok(progress.done())
    }

    /// Returns the number of bytes to read, if it is known.
    fn length(&self) -> Option<u64> {
        if !self.metadata.is_file() || self.metadata.len() == 0 {
            return None;
        }
        let position = (&self.file).stream_position().ok()?;
        self.metadata.len().checked_sub(position)
    }

    fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::new(self.source, problem)
    }
}

fn stream(file: &File, poly1305: &mut Poly1305, progress: &Progress) -> io::Result<()> {
    let mut buffer = Buffer::default();
    buffer.allocate(BUFFER_BYTES);
    loop {
        match read_some(file, &mut buffer)? {
            0 => return Ok(()),
            count => {
                poly1305.update(&buffer[..count]);
                progress.add(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::MAP_FROM_BYTES;
    use hornet::Key;
    use std::io::Write;
    use tempfile::NamedTempFile;

    fn file(length: u64) -> (NamedTempFile, Source) {
        let file = NamedTempFile::new().unwrap();
        file.as_file().set_len(length).unwrap();
        let source = Source::from(file.path().as_os_str().to_owned());
        (file, source)
    }

    fn feed(input: &mut Input) -> Result<u64, String> {
        let mut poly1305 = Poly1305::new(Key::new(&[7; 32]));
        input.feed(&mut poly1305).map_err(|error| error.to_string())
    }

    #[test]
    fn only_large_regular_files_are_mapped() {
        for (length, mapped) in [
            (0, false),
            (MAP_FROM_BYTES - 1, false),
            (MAP_FROM_BYTES, true),
        ] {
            let (_file, source) = file(length);
            assert_eq!(
                Input::open(&source).unwrap().mapping.is_some(),
                mapped,
                "{length}"
            );
        }
        for device in ["/dev/null", "/dev/zero"] {
            let source = Source::File(device.into());
            assert!(Input::open(&source).unwrap().mapping.is_none());
        }
    }

    #[test]
    fn a_file_that_shrinks() {
        for (from, to) in [
            (4 << 20, 0),
            (4 << 20, 1 << 20),
            // Shrinks within the last page, which then reads as zeros and raises no signal.
            (4 << 20, (4 << 20) - 1),
            // Streamed.
            (100, 99),
        ] {
            let (file, source) = file(from);
            let mut input = Input::open(&source).unwrap();
            file.as_file().set_len(to).unwrap();
            let problem = feed(&mut input).unwrap_err();
            assert!(problem.starts_with(&source.to_string()), "{problem}");
            assert!(problem.ends_with("while it was being read"), "{problem}");
        }
    }

    #[test]
    fn a_file_that_grows() {
        for length in [100, 1 << 20] {
            let (mut file, source) = file(length);
            let mut input = Input::open(&source).unwrap();
            file.as_file_mut().seek(io::SeekFrom::End(0)).unwrap();
            file.write_all(b"more").unwrap();
            let problem = feed(&mut input).unwrap_err();
            assert!(
                problem.ends_with("changed while it was being read"),
                "{problem}"
            );
        }
    }

    #[test]
    fn a_file_that_does_not_change() {
        for length in [100, 3 << 20] {
            let (_file, source) = file(length);
            assert_eq!(feed(&mut Input::open(&source).unwrap()), Ok(length));
        }
    }
}
