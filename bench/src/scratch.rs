// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Temporary directories on the disk that the bench was built on. They are removed when dropped.

use crate::error::Error;
use std::env;
use std::ffi::CString;
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process;

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates an empty directory in `target/`. Also removes directories that terminated processes left behind.
    pub(crate) fn new(purpose: &str) -> Result<Self, Error> {
        let program = env::current_exe().map_err(|error| Error::new("hornet-bench", error))?;
        let parent = program.with_file_name("scratch");
        let folder = parent.join(format!("{purpose}-{}", process::id()));
        let fail = |error| Error::new(folder.display(), error);
        remove_abandoned(&parent);
        fs::create_dir_all(&folder).map_err(fail)?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the number of free bytes on its disk.
    pub(crate) fn free_bytes(&self) -> u64 {
        let Ok(path) = CString::new(self.0.as_os_str().as_bytes()) else {
            return 0;
        };
        let mut stat = MaybeUninit::<libc::statvfs>::uninit();
        // SAFETY: a C string, and a buffer that is read only if the call succeeded.
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
        // The next run removes anything that remains.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the directories of processes that no longer exist.
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
}
