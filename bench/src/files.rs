// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Output files, which are written completely or not at all.

use crate::console::say;
use crate::error::Error;
use std::fs;
use std::path::Path;
use std::process;

/// Replaces a file, and reports it. On an error, the old file is unchanged.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}", process::id()));
    fs::write(&temporary, text)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|error| {
            let _ = fs::remove_file(&temporary); // may not exist
            Error::new(path.display(), error)
        })?;
    say(format_args!("wrote {}", path.display()));
    Ok(())
}

/// Reports problems that would certainly make `write` fail later. For use before a long measurement.
pub(crate) fn check_writable(path: &Path) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let metadata = folder.metadata();
    let metadata = metadata.map_err(|error| Error::new(folder.display(), error))?;
    if !metadata.is_dir() {
        return Err(Error::new(folder.display(), "is not a directory"));
    }
    if path.is_dir() {
        return Err(Error::new(path.display(), "is a directory"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn whole_or_not_at_all() {
        let scratch = Scratch::new("files").unwrap();
        let path = scratch.path().join("file");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");

        let folder = scratch.path().join("folder");
        fs::create_dir(&folder).unwrap();
        assert!(write(&folder, "the path is a directory").is_err());
        assert!(write(&scratch.path().join("none/file"), "no such directory").is_err());
        let names: Vec<_> = fs::read_dir(scratch.path()).unwrap().collect();
        assert_eq!(names.len(), 2, "no temporary file remains: {names:?}");
    }

    #[test]
    fn what_can_be_written() {
        let scratch = Scratch::new("writable").unwrap();
        let file = scratch.path().join("file");
        assert!(check_writable(&file).is_ok());
        assert!(check_writable(Path::new("file")).is_ok());
        assert!(check_writable(&scratch.path().join("none/file")).is_err());
        fs::write(&file, "").unwrap();
        assert!(check_writable(&file).is_ok());
        assert!(check_writable(&file.join("file")).is_err());
        assert!(check_writable(scratch.path()).is_err());
    }
}
