//! Shared libraries, loaded when the bench runs.

use crate::built::LIBRARIES;
use std::ffi::{CString, c_void};
use std::ptr::NonNull;

/// A library that stays loaded until the process ends.
#[derive(Clone, Copy)]
pub(crate) struct Library(NonNull<c_void>);

impl Library {
    /// Loads what the build script built under that name, or says why not.
    pub(crate) fn open(name: &str) -> Result<Self, String> {
        let path = LIBRARIES
            .iter()
            .find(|(library, _)| *library == name)
            .map_or(Err("was not built"), |(_, path)| *path)?;
        let path = CString::new(path).map_err(|error| error.to_string())?;
        // Symbols stay to the library: two builds of Hornet have the same.
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        // SAFETY: the path ends in a zero; the library is one of ours.
        let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
        NonNull::new(handle)
            .map(Self)
            .ok_or_else(|| "what the build left cannot be loaded any more".into())
    }

    /// The address of a function. `T` is to be a function pointer.
    ///
    /// # Safety
    ///
    /// The function of that name has the type `T`.
    pub(crate) unsafe fn function<T: Copy>(self, name: &str) -> Result<T, String> {
        const { assert!(size_of::<T>() == size_of::<*mut c_void>()) };
        let symbol = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the handle is that of a library that stays loaded.
        let address = unsafe { libc::dlsym(self.0.as_ptr(), symbol.as_ptr()) };
        if address.is_null() {
            return Err(format!("has no {name}"));
        }
        // SAFETY: the size is right, and the caller knows the type.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}
