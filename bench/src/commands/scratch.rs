//! A folder for files that are measured, on the disk that the bench was built on; removed when it is dropped.

use crate::error::Error;
use std::env;
use std::ffi::CString;
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process;

pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder in `target/`. What others have left that did not get to remove theirs is removed, too.
    pub(super) fn new(purpose: &str) -> Result<Self, Error> {
        let program = env::current_exe().map_err(|error| Error::new("hornet-bench", error))?;
        let parent = program.with_file_name("scratch");
        let folder = parent.join(format!("{purpose}-{}", process::id()));
        let fail = |error| Error::new(folder.display(), error);
        remove_abandoned(&parent);
        fs::create_dir_all(&folder).map_err(fail)?;
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// How many bytes more its disk can take.
    pub(super) fn free_bytes(&self) -> u64 {
        let Ok(path) = CString::new(self.0.as_os_str().as_bytes()) else {
            return 0;
        };
        let mut stat = MaybeUninit::<libc::statvfs>::uninit();
        // SAFETY: a string, and room for what is written; it is read only if it was.
        unsafe {
            if libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) != 0 {
                return 0;
            }
            let stat = stat.assume_init();
            stat.f_bavail.saturating_mul(stat.f_frsize)
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays, the next run removes.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Folders of processes that are no more.
fn remove_abandoned(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.rsplit('-').next());
        if id.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// How much memory can be had without swapping; the page cache counts.
pub(super) fn available_memory() -> u64 {
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

    #[test]
    fn a_folder_comes_and_goes() {
        let scratch = Scratch::new("test").unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join("file"), "content").unwrap();
        assert!(scratch.free_bytes() > 0);

        let parent = path.parent().unwrap();
        let abandoned = parent.join("test-4294967295"); // no process has that id
        fs::create_dir_all(&abandoned).unwrap();
        remove_abandoned(parent);
        assert!(!abandoned.exists());
        assert!(path.join("file").exists());

        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn memory() {
        let meminfo = "MemTotal:       24684084 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(parse(meminfo), 2_048_000);
        assert_eq!(parse(""), 0);
    }
}
