// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The kernels, which are implementations of a [`Primitive`] for different instruction sets: for
//! diagnosis, tests and measurements.
//!
//! The library works without this module: at first use, it chooses the best kernel that the CPU and
//! the operating system support. All kernels of a primitive compute the same results.

use crate::ffi::{self, text};
use core::error::Error;
use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;
use core::{fmt, ptr};

/// What a kernel implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Primitive {
    /// The authenticator.
    Poly1305,
    /// The cipher.
    ChaCha20,
    /// The block cipher, for Poly1305-AES. No kernel uses lookup tables.
    Aes128,
}

impl Primitive {
    const fn to_c(self) -> ffi::hornet_primitive {
        match self {
            Self::Poly1305 => ffi::HORNET_POLY1305,
            Self::ChaCha20 => ffi::HORNET_CHACHA20,
            Self::Aes128 => ffi::HORNET_AES128,
        }
    }
}

/// A kernel of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Its name, which [`force`] takes.
    pub name: &'static str,
    /// The CPU features it requires.
    pub required: FeatureNames,
    /// The number of blocks that it processes at once.
    pub lanes: usize,
    /// On this CPU, shorter messages go to a kernel further down the list.
    pub min_bytes: usize,
    /// Whether this CPU and operating system can run it.
    pub supported: bool,
}

/// The names of CPU features. Displayed with spaces between them; empty if there are none.
///
/// ```
/// use hornet::kernel::{self, Primitive};
///
/// // The features that the best kernel of this build requires and this CPU lacks.
/// let best = kernel::all(Primitive::Poly1305).next().expect("there is at least one");
/// for feature in kernel::cpu_features().filter(|feature| !feature.usable) {
///     if best.required.names().any(|name| name == feature.name) {
///         println!("{} requires {}", best.name, feature.name);
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct FeatureNames(
    /// In the form that C writes: up to the first NUL.
    [c_char; 64],
);

impl FeatureNames {
    /// Returns the names, separated by spaces; empty if there are none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // SAFETY: the library ends the array with a NUL.
        let text = unsafe { CStr::from_ptr(self.0.as_ptr()) };
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
pub fn names(primitive: Primitive) -> impl Iterator<Item = &'static str> {
    all(primitive)
        .filter(|info| info.supported)
        .map(|info| info.name)
}

/// Returns the name of the kernel in use, which processes long messages.
#[must_use]
pub fn in_use(primitive: Primitive) -> &'static str {
    // SAFETY: it only returns a string literal.
    text(unsafe { ffi::hornet_kernel_in_use(primitive.to_c()) })
}

/// Makes all subsequent calls, in all threads, use the kernel with that name. Messages too short to
/// gain from it still go to kernels further down the list. `None` restores the automatic choice.
///
/// ```
/// use hornet::kernel::{self, Primitive};
///
/// assert!(kernel::force(Primitive::ChaCha20, Some("abacus")).is_err());
/// for name in kernel::names(Primitive::ChaCha20) {
///     kernel::force(Primitive::ChaCha20, Some(name))?;
///     assert_eq!(kernel::in_use(Primitive::ChaCha20), name);
/// }
/// kernel::force(Primitive::ChaCha20, None)?;
/// # Ok::<(), kernel::Unsupported>(())
/// ```
///
/// # Errors
///
/// [`Unsupported`] if the name is not one of [`names`]. Nothing is then changed.
pub fn force(primitive: Primitive, name: Option<&str>) -> Result<(), Unsupported> {
    // Use the library's own string, which is NUL-terminated; `name` is not.
    let pointer = match name {
        Some(name) => records(primitive)
            .map(|kernel| kernel.name)
            .find(|&pointer| text(pointer) == name)
            .ok_or(Unsupported)?,
        None => ptr::null(),
    };
    // SAFETY: null, or a string of the library.
    if unsafe { ffi::hornet_kernel_force(primitive.to_c(), pointer) } {
        Ok(())
    } else {
        Err(Unsupported)
    }
}

/// Returns all kernels of this build, best first, including those that this CPU cannot run.
pub fn all(primitive: Primitive) -> impl Iterator<Item = Info> {
    records(primitive).map(|kernel| Info {
        name: text(kernel.name),
        required: FeatureNames(kernel.required),
        lanes: kernel.lanes,
        min_bytes: kernel.min_bytes,
        supported: kernel.supported,
    })
}

fn records(primitive: Primitive) -> impl Iterator<Item = ffi::hornet_kernel> {
    (0..).map_while(move |index| {
        let mut kernel = MaybeUninit::uninit();
        // SAFETY: the record is writable.
        let found = unsafe { ffi::hornet_kernel_at(kernel.as_mut_ptr(), primitive.to_c(), index) };
        // SAFETY: the function has set the record if it returned true.
        found.then(|| unsafe { kernel.assume_init() })
    })
}

/// Returns the CPU features that the choice of a kernel depends on.
pub fn cpu_features() -> impl Iterator<Item = CpuFeature> {
    (0..).map_while(|index| {
        let mut feature = MaybeUninit::uninit();
        // SAFETY: the record is writable.
        let found = unsafe { ffi::hornet_cpu_feature_at(feature.as_mut_ptr(), index) };
        found.then(|| {
            // SAFETY: the function has set the record.
            let feature = unsafe { feature.assume_init() };
            CpuFeature {
                name: text(feature.name),
                usable: feature.usable,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes;
    use crate::chacha20::ChaCha20;
    use crate::key::Key;
    use crate::poly1305::mac;
    use core::iter::zip;
    use std::vec::Vec;

    const PRIMITIVES: [Primitive; 3] =
        [Primitive::Poly1305, Primitive::ChaCha20, Primitive::Aes128];

    /// A single test, because a kernel is forced for all threads.
    #[test]
    fn forcing() {
        let message: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        for primitive in PRIMITIVES {
            let automatic = in_use(primitive);
            assert!(names(primitive).any(|name| name == automatic));
            let result = |name| {
                force(primitive, Some(name)).unwrap();
                assert_eq!(in_use(primitive), name);
                let mut text = message.clone();
                ChaCha20::new(&[7; 32])
                    .apply(&[1; 12], 0, &mut text)
                    .unwrap();
                let nonce = aes::UnusedNonce::assume_unused([1; 16]);
                let tags = [
                    mac(Key::new(&[7; 32]), &message),
                    aes::Key::clamped(&[7; 32]).mac(nonce, &message),
                ];
                (tags.map(|tag| *tag.as_bytes()), text)
            };
            for (one, other) in zip(names(primitive), names(primitive).skip(1)) {
                assert_eq!(result(one), result(other), "{one} {other}");
            }

            let last = in_use(primitive);
            for unknown in ["", "abacus", "sse2\0", "AVX2"] {
                assert_eq!(force(primitive, Some(unknown)), Err(Unsupported));
                assert_eq!(in_use(primitive), last);
            }
            for info in all(primitive).filter(|info| !info.supported) {
                assert_eq!(force(primitive, Some(info.name)), Err(Unsupported));
            }

            force(primitive, None).unwrap();
            assert_eq!(in_use(primitive), automatic);
        }
    }

    #[test]
    fn required_features_are_there() {
        let usable: Vec<&str> = cpu_features()
            .filter(|feature| feature.usable)
            .map(|feature| feature.name)
            .collect();
        for info in PRIMITIVES.into_iter().flat_map(all) {
            assert!(!info.name.is_empty(), "{info:?}");
            let required: Vec<&str> = info.required.names().collect();
            assert_eq!(required.join(" "), info.required.as_str());
            for name in required {
                assert!(
                    cpu_features().any(|feature| feature.name == name),
                    "{info:?}"
                );
            }
            assert!(info.lanes >= 1, "{info:?}");
            let has_features = info.required.names().all(|name| usable.contains(&name));
            assert_eq!(has_features, info.supported, "{info:?}");
        }
    }
}
