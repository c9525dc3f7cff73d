// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Paths as bytes, the form in which they are sorted, compared and joined.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Returns the bytes of a path.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Returns a path without trailing slashes, except for `/` itself.
pub(crate) fn trimmed(path: &Path) -> &[u8] {
    let path = bytes(path);
    let end = path.iter().rposition(|&byte| byte != b'/');
    match end {
        Some(last) => &path[..=last],
        None => &path[..path.len().min(1)],
    }
}

/// Returns the path of an entry of a folder.
pub(crate) fn joined(folder: &Path, name: &[u8]) -> PathBuf {
    let folder = bytes(folder);
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    push(&mut path, name);
    OsString::from_vec(path).into()
}

/// Appends the name of an entry to the path of its folder.
pub(crate) fn push(path: &mut Vec<u8>, name: &[u8]) {
    if path != b"/" {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// Returns a path without `.` and redundant slashes.
pub(crate) fn plain(path: &Path) -> Vec<u8> {
    let components = path
        .components()
        .filter(|component| *component != Component::CurDir);
    components.collect::<PathBuf>().into_os_string().into_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmed_paths() {
        for (path, expected) in [
            ("a", "a"),
            ("a/", "a"),
            ("a//b//", "a//b"),
            ("/", "/"),
            ("//", "/"),
            ("", ""),
        ] {
            assert_eq!(trimmed(Path::new(path)), expected.as_bytes(), "{path}");
        }
    }
}
