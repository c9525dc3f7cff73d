// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The kernels, which are implementations for different instruction sets: for diagnosis, tests and
//! measurements.
//!
//! The library works without this module: at first use, it chooses the best kernel that the CPU and
//! the operating system support. All kernels compute the same tags.

use crate::ffi::{self, text};
use core::error::Error;
use core::ffi::{CStr, c_char};
use core::{fmt, ptr};

/// A kernel of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Its name, which [`force`] takes.
    pub name: &'static str,
    /// The CPU features it needs.
    pub needs: FeatureNames,
    /// The number of 16-byte blocks that it processes at once; 0 if it cannot be built for this
    /// target.
    pub lanes: usize,
    /// On this CPU, shorter messages go to a kernel further down the list.
    pub min_bytes: usize,
    /// Whether this CPU and operating system can run it.
    pub supported: bool,
}

/// The names of CPU features. Displayed with spaces between them; empty if there are none.
///
/// ```
/// use hornet::kernel;
///
/// // The features that the best kernel of this build needs and this CPU lacks.
/// let best = kernel::all().next().expect("there is at least one");
/// for feature in kernel::cpu_features().filter(|feature| !feature.usable) {
///     if best.needs.names().any(|name| name == feature.name) {
///         println!("{} needs {}", best.name, feature.name);
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct FeatureNames {
    /// In the form that C writes: up to the first NUL.
    text: [u8; 64],
}

impl FeatureNames {
    /// Returns the names, separated by spaces; empty if there are none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = CStr::from_bytes_until_nul(&self.text).unwrap_or_default();
        text.to_str().unwrap_or("")
    }

    /// Iterates over the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.as_str().split_ascii_whitespace()
    }
}

impl PartialEq for FeatureNames {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for FeatureNames {}

impl fmt::Display for FeatureNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl fmt::Debug for FeatureNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A CPU feature that this build detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuFeature {
    /// Its name.
    pub name: &'static str,
    /// Whether the CPU has it and the operating system saves its registers.
    pub usable: bool,
}

/// There is no kernel with that name, or this CPU cannot run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no kernel of that name runs on this CPU")
    }
}

impl Error for Unsupported {}

/// Returns the names of the kernels that this CPU can run, best first. There is at least one.
pub fn names() -> impl Iterator<Item = &'static str> {
    pointers().map(text)
}

/// Returns the name of the kernel in use, which processes long messages.
#[must_use]
pub fn current() -> &'static str {
    text(ffi::hornet_kernel_name())
}

/// Makes all subsequent calls, in all threads, use the kernel with that name. Messages too short to
/// gain from it still go to kernels further down the list. `None` restores the automatic choice.
///
/// ```
/// use hornet::kernel;
///
/// assert!(kernel::force(Some("abacus")).is_err());
/// for name in kernel::names() {
///     kernel::force(Some(name))?;
///     assert_eq!(kernel::current(), name);
/// }
/// kernel::force(None)?;
/// # Ok::<(), kernel::Unsupported>(())
/// ```
///
/// # Errors
///
/// [`Unsupported`] if the name is not one of [`names`]. Nothing is then changed.
pub fn force(name: Option<&str>) -> Result<(), Unsupported> {
    // Use the library's own string, which is NUL-terminated; `name` is not.
    let pointer = match name {
        Some(name) => pointers()
            .find(|&pointer| text(pointer) == name)
            .ok_or(Unsupported)?,
        None => ptr::null(),
    };
    // SAFETY: null, or a string of the library.
    if unsafe { ffi::hornet_kernel_force(pointer) } {
        Ok(())
    } else {
        Err(Unsupported)
    }
}

/// Returns all kernels of this build, best first, including those that this CPU cannot run.
pub fn all() -> impl Iterator<Item = Info> {
    (0..).map_while(|index| {
        let mut info = ffi::KernelInfo::EMPTY;
        // SAFETY: `info` is writable.
        let found = unsafe { ffi::hornet_kernel_info_at(index, &raw mut info) };
        found.then(|| Info {
            name: text(info.name),
            needs: FeatureNames { text: info.needs },
            lanes: info.lanes,
            min_bytes: info.min_bytes,
            supported: info.supported,
        })
    })
}

/// Returns the CPU features that the choice of a kernel depends on.
pub fn cpu_features() -> impl Iterator<Item = CpuFeature> {
    (0..).map_while(|index| {
        let (mut name, mut usable) = (ptr::null(), false);
        // SAFETY: both are writable.
        let found = unsafe { ffi::hornet_cpu_feature_at(index, &raw mut name, &raw mut usable) };
        found.then(|| CpuFeature {
            name: text(name),
            usable,
        })
    })
}

/// Returns the names of the kernels that this CPU can run, as C strings.
fn pointers() -> impl Iterator<Item = *const c_char> {
    (0..)
        .map(|index| ffi::hornet_kernel_at(index))
        .take_while(|name| !name.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;
    use crate::poly1305::mac;
    use core::iter::zip;
    use std::vec::Vec;

    /// A single test, because a kernel is forced for all threads.
    #[test]
    fn forcing() {
        let automatic = current();
        assert_eq!(names().next(), Some(automatic));

        let message: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let tag = |name| {
            force(Some(name)).unwrap();
            assert_eq!(current(), name);
            mac(Key::new(&[7; 32]), &message)
        };
        for (one, other) in zip(names(), names().skip(1)) {
            assert_eq!(tag(one).as_bytes(), tag(other).as_bytes(), "{one} {other}");
        }

        let last = current();
        for unknown in ["", "abacus", "sse2\0", "AVX2"] {
            assert_eq!(force(Some(unknown)), Err(Unsupported));
            assert_eq!(current(), last);
        }
        for info in all().filter(|info| !info.supported) {
            assert_eq!(force(Some(info.name)), Err(Unsupported));
        }

        force(None).unwrap();
        assert_eq!(current(), automatic);
    }

    #[test]
    fn names_are_the_supported_ones() {
        assert!(
            all()
                .filter(|info| info.supported)
                .map(|info| info.name)
                .eq(names())
        );
        let usable: Vec<&str> = cpu_features()
            .filter(|feature| feature.usable)
            .map(|feature| feature.name)
            .collect();
        for info in all() {
            assert!(!info.name.is_empty(), "{info:?}");
            let needs: Vec<&str> = info.needs.names().collect();
            assert_eq!(needs.join(" "), info.needs.as_str());
            for name in needs {
                assert!(
                    cpu_features().any(|feature| feature.name == name),
                    "{info:?}"
                );
            }
            assert!(!info.supported || info.lanes >= 1, "{info:?}");
            // The converse does not hold: a kernel may be missing from this build.
            let has_features = info.needs.names().all(|name| usable.contains(&name));
            assert!(has_features || !info.supported, "{info:?}");
        }
    }
}
