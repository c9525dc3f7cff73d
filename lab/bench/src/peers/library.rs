// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Shared libraries that are loaded at run time.

use crate::built::LIBRARIES;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::hint::black_box;
use std::io::{self, Write};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// A library, which stays loaded until the process ends.
#[derive(Clone, Copy)]
pub(crate) struct Library(NonNull<c_void>);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Library {}

impl Library {
    /// Returns the library that the build script built under that name, loaded at first use, or the reason why it is
    /// missing.
    pub(crate) fn open(name: &str) -> Result<Self, String> {
        static LOADED: Mutex<BTreeMap<String, Library>> = Mutex::new(BTreeMap::new());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = loaded.get(name) {
            return Ok(*library);
        }
        let path = LIBRARIES
            .iter()
            .find(|(library, _)| *library == name)
            .map_or(Err("was not built"), |(_, path)| *path)?;
        let library = Self::load(Path::new(path))?;
        loaded.insert(name.to_owned(), library);
        Ok(library)
    }

    /// Loads a copy of one of our libraries, or returns the reason why it cannot.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let copy = copy(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // The descriptor stays open, because a library with the same path would be taken for this one.
        let path = format!("/proc/self/fd/{}\0", copy.into_raw_fd());
        // RTLD_LOCAL because builds of Hornet define the same symbols.
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        // SAFETY: the path is a C string; the library is one of ours.
        let handle = unsafe { libc::dlopen(path.as_ptr().cast(), flags) };
        NonNull::new(handle)
            .map(Self)
            .ok_or_else(|| "the built library cannot be loaded".into())
    }

    /// Returns the address of a function. `T` must be a function pointer.
    ///
    /// # Safety
    ///
    /// The function with that name must have the type `T`.
    pub(crate) unsafe fn function<T: Copy>(self, name: &str) -> Result<T, String> {
        const { assert!(size_of::<T>() == size_of::<*mut c_void>()) };
        let symbol = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the library stays loaded.
        let address = unsafe { libc::dlsym(self.0.as_ptr(), symbol.as_ptr()) };
        if address.is_null() {
            return Err(format!("has no {name}"));
        }
        // SAFETY: the size is checked, and the caller guarantees the type.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

/// Copies a file into memory of this process.
///
/// The physical pages that a library is loaded into affect its speed: about once in a hundred times, some of its code
/// takes twice as long. The page cache would give the same pages to all processes, so each process makes a copy. The
/// system first hands out the pages that were freed last, which are those of the previous process; therefore a random
/// number of pages is allocated before.
fn copy(path: &Path) -> io::Result<File> {
    let bytes = fs::read(path)?;
    let random = RandomState::new().build_hasher().finish() % MOST_PAGES;
    let taken: Vec<[u8; 4096]> = (0..random).map(|_| [1; 4096]).collect();
    // SAFETY: the name is a C string.
    let descriptor = unsafe { libc::memfd_create(c"library".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    let mut copy = unsafe { File::from_raw_fd(descriptor) };
    copy.write_all(&bytes)?;
    black_box(taken);
    Ok(copy)
}

/// The maximum number of pages allocated before, 16 MiB.
const MOST_PAGES: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_built_is_loaded_once() {
        let kernel_force = |library: Library| {
            // SAFETY: it is never called.
            unsafe { library.function::<unsafe extern "C" fn()>("hornet_kernel_force") }
        };
        let [one, same] = [Library::open("hornet_gcc"), Library::open("hornet_gcc")]
            .map(|library| kernel_force(library.unwrap()).unwrap() as usize);
        assert_eq!(
            one, same,
            "a kernel must be forced for all users of a library"
        );

        let path = LIBRARIES[0].1.unwrap();
        let copy = kernel_force(Library::load(Path::new(path)).unwrap());
        assert_ne!(copy.unwrap() as usize, one);
    }

    #[test]
    fn what_is_not_there() {
        assert!(Library::open("none").is_err());
        let error = Library::load(Path::new("/nowhere/none.so")).err().unwrap();
        assert!(error.contains("/nowhere/none.so"), "{error}");
        assert!(Library::load(Path::new("/dev/null")).is_err());
        let library = Library::open("hornet_gcc").unwrap();
        // SAFETY: there is no such function.
        let function = unsafe { library.function::<unsafe extern "C" fn()>("hornet_none") };
        assert_eq!(function.err(), Some("has no hornet_none".into()));
    }
}
