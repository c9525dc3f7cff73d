// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The group file: `hornet tag` of one huge file, with all cores.

use super::bench::{Commands, left_out};
use super::process::{Run, command, cores};
use crate::error::Error;
use crate::group::Group;
use crate::memory::Noise;
use crate::report::json::{Figures, Series};
use crate::scratch::Scratch;
use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

const BYTES: u64 = 4 << 30;

/// Large enough for `hornet tag` to map it.
const SMALL_BYTES: u64 = 40 << 20;

pub(super) fn run(commands: &Commands) -> Result<Series<Figures>, Error> {
    let bytes = if commands.small { SMALL_BYTES } else { BYTES };
    let scratch = Scratch::new("file")?;
    if available_memory() < bytes + bytes / 4 {
        return Ok(left_out(
            Group::File,
            "not enough memory for the page cache",
        ));
    }
    if scratch.free_bytes() < bytes + bytes / 4 {
        return Ok(left_out(Group::File, "not enough free space on the disk"));
    }
    let folder = scratch.path();
    let path = folder.join("file");
    fill(&path, bytes).map_err(|error| Error::new(path.display(), error))?;
    Run::one("keygen", || commands.hornet(folder, &["keygen", "key"])).ns()?;

    let bench = env::current_exe().map_err(|error| Error::new("hornet-bench", error))?;
    let mut runs = vec![
        Run::one("hornet tag", || {
            commands.hornet(folder, &["tag", "-k", "key", "file"])
        }),
        Run::one("reader", || command(&bench, folder, &["reader", "file"])),
        Run::one("reader that unmaps pages", || {
            command(&bench, folder, &["reader", "--release", "file"])
        }),
        Run::one("hornet tag --no-mmap", || {
            commands.hornet(folder, &["tag", "-k", "key", "--no-mmap", "file"])
        }),
    ];
    let mut notes = vec![
        "In the page cache. The reader is a process of the bench that maps the file and sums its words with as many \
         threads."
            .to_owned(),
    ];
    match &commands.b3sum {
        Some(b3sum) => runs.push(Run::one("b3sum", || command(b3sum, folder, &["file"]))),
        None => notes.push("Left out: b3sum, which is not installed.".into()),
    }
    runs.push(Run::one("cat", || {
        command(Path::new("sh"), folder, &["-c", "cat file > /dev/null"])
    }));

    let form = Series {
        group: Group::File,
        variant: format!("{} MiB, {} cores", bytes >> 20, cores()),
        axis: "bytes".into(),
        xs: vec![usize::try_from(bytes).unwrap_or(usize::MAX)],
        columns: Vec::new(),
        notes,
    };
    commands.measure(form, &runs)
}

/// Writes `bytes` pseudorandom bytes, which a file system cannot compress, to the disk.
fn fill(path: &Path, bytes: u64) -> std::io::Result<()> {
    let mut noise = Noise(4);
    let mut file = BufWriter::new(File::create_new(path)?);
    let mut block = vec![0; 1 << 20];
    for _ in 0..bytes / block.len() as u64 {
        noise.fill(&mut block);
        file.write_all(&block)?;
    }
    // Otherwise, the system would write them during the measurement.
    file.into_inner()?.sync_all()
}

/// Returns the memory that is available without swapping, in bytes, including the page cache.
fn available_memory() -> u64 {
    parse(&fs::read_to_string("/proc/meminfo").unwrap_or_default())
}

fn parse(meminfo: &str) -> u64 {
    let find = |line: &str| {
        let kib = line
            .strip_prefix("MemAvailable:")?
            .trim()
            .strip_suffix("kB")?;
        kib.trim().parse::<u64>().ok()
    };
    meminfo.lines().find_map(find).unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_file_is_there_in_full() {
        let scratch = Scratch::new("fill").unwrap();
        let path = scratch.path().join("file");
        fill(&path, 3 << 20).unwrap();
        let metadata = path.metadata().unwrap();
        assert_eq!(metadata.len(), 3 << 20);
        assert!(metadata.blocks() * 512 >= 3 << 20, "it is sparse");
        assert!(fill(&path, 1 << 20).is_err(), "the file exists");
    }

    #[test]
    fn memory() {
        let meminfo = "MemTotal:       24684084 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(parse(meminfo), 2_048_000);
        assert_eq!(parse(""), 0);
    }
}
