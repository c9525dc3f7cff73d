// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Files of the caller's.

use crate::errors::os_error;
use pyo3::PyResult;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

const EBADF: i32 = 9; // on every Unix

/// Returns the file of a descriptor, which is not closed.
///
/// # Errors
///
/// `OSError`, with the number EBADF, if it is negative; others only the first read or write finds closed.
pub(crate) fn lent(descriptor: i32) -> PyResult<ManuallyDrop<File>> {
    if descriptor < 0 {
        return Err(os_error(&io::Error::from_raw_os_error(EBADF)));
    }
    // SAFETY: it is not -1, and the caller's, who keeps it open.
    Ok(ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) }))
}
