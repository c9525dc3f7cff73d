// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The version of the library.

use crate::ffi;

/// Returns the version of the C library in this program, such as `"0.1.0"`: major, minor and patch
/// number. This crate has the same version.
#[must_use]
pub fn version() -> &'static str {
    // SAFETY: it only returns a string literal.
    ffi::text(unsafe { ffi::hornet_version() })
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_library_has_the_version_of_the_crate() {
        assert_eq!(version(), env!("CARGO_PKG_VERSION"));
    }
}
