// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Hornet itself, one build for each compiler.

use super::hornet_core::{CHACHA20, Core, POLY1305};
use super::library::Library;
use super::peer::Peer;
use super::pieces::InPieces;
use crate::call::Calls;
use crate::section::Section;
use std::ffi::{CStr, c_char, c_uint};
use std::ptr;

type Family = unsafe extern "C" fn() -> *const c_char;
type InUse = unsafe extern "C" fn(c_uint) -> *const c_char;
/// `hornet_bench_kernel_at` in shims/hornet.c.
type KernelAt = unsafe extern "C" fn(c_uint, usize, *mut KernelRecord) -> bool;

/// `hornet_bench_kernel` in shims/hornet.c.
#[repr(C)]
struct KernelRecord {
    name: *const c_char,
    min_bytes: usize,
    min_batch_bytes: usize,
    supported: bool,
}

/// `hornet_poly1305_partial`: a partial evaluation, the value of the polynomial over a segment.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Partial([u64; 4]);

/// Poly1305-AES and partial evaluations.
struct Aes {
    mac: unsafe extern "C" fn(*mut u8, *const u8, usize, *const u8, *const u8) -> bool,
    partial_compute: unsafe extern "C" fn(*mut Partial, *const u8, usize, *const u8) -> bool,
    partial_append: unsafe extern "C" fn(*mut Partial, *const Partial, *const u8) -> bool,
    partial_replace:
        unsafe extern "C" fn(*mut Partial, *const Partial, *const Partial, u64, *const u8) -> bool,
    partial_tag: unsafe extern "C" fn(*mut u8, *const Partial, *const u8),
}

/// `HORNET_AES128` of `enum hornet_primitive`.
const AES128: c_uint = 2;

/// Information that a build reports about one of its kernels.
pub(crate) struct KernelInfo {
    pub(crate) name: String,
    /// Shorter messages go to a kernel further down the list.
    pub(crate) min_bytes: usize,
    /// The same for messages in a batch; `None` if it does not support batches.
    pub(crate) min_batch_bytes: Option<usize>,
    /// Whether this CPU can run it.
    pub(crate) supported: bool,
}

/// A build of the library, with all functions that the bench calls.
pub(crate) struct Hornet {
    pub(crate) core: Core,
    pub(crate) in_pieces: InPieces,
    kernel_in_use: InUse,
    kernel_at: KernelAt,
    family: Family,
    aes: Aes,
}

impl Hornet {
    /// Loads the build by this compiler.
    pub(crate) fn open(compiler: &str) -> Result<Self, String> {
        Self::load(compiler, "")
    }

    /// Loads the build by this compiler in which a forced kernel handles messages of every length.
    pub(crate) fn open_for_tuning(compiler: &str) -> Result<Self, String> {
        Self::load(compiler, "_tune")
    }

    fn load(compiler: &str, suffix: &str) -> Result<Self, String> {
        let library = Library::open(&format!("hornet_{compiler}{suffix}"))?;
        // SAFETY: the types are those in hornet.h and shims/hornet.c.
        unsafe {
            Ok(Self {
                core: Core::new(library, &format!("hornet {compiler}"))?,
                in_pieces: InPieces::of_hornet(library)?,
                kernel_in_use: library.function("hornet_kernel_in_use")?,
                kernel_at: library.function("hornet_bench_kernel_at")?,
                family: library.function("hornet_bench_family")?,
                aes: Aes {
                    mac: library.function("hornet_poly1305_aes")?,
                    partial_compute: library.function("hornet_poly1305_partial_compute")?,
                    partial_append: library.function("hornet_poly1305_partial_append")?,
                    partial_replace: library.function("hornet_poly1305_partial_replace")?,
                    partial_tag: library.function("hornet_poly1305_partial_tag")?,
                },
            })
        }
    }

    /// Returns the name of the kernel in use.
    pub(crate) fn kernel(&self) -> String {
        // SAFETY: the function returns a static string.
        unsafe { string((self.kernel_in_use)(POLY1305)) }
    }

    /// Returns the family of cores that this CPU belongs to, as the list of kernels names it.
    pub(crate) fn family(&self) -> String {
        // SAFETY: the function returns a static string.
        unsafe { string((self.family)()) }
    }

    /// Returns all kernels of this build, best first.
    pub(crate) fn kernels(&self) -> Vec<KernelInfo> {
        self.kernels_of(POLY1305)
    }

    fn kernels_of(&self, primitive: c_uint) -> Vec<KernelInfo> {
        let mut record = KernelRecord {
            name: ptr::null(),
            min_bytes: 0,
            min_batch_bytes: 0,
            supported: false,
        };
        let mut kernels = Vec::new();
        // SAFETY: the record is writable.
        while unsafe { (self.kernel_at)(primitive, kernels.len(), &raw mut record) } {
            kernels.push(KernelInfo {
                // SAFETY: the function has just set it to a static string.
                name: unsafe { string(record.name) },
                min_bytes: record.min_bytes,
                min_batch_bytes: Some(record.min_batch_bytes).filter(|bytes| *bytes != usize::MAX),
                supported: record.supported,
            });
        }
        kernels
    }

    /// Returns the name of the ChaCha20 kernel in use.
    pub(crate) fn chacha20_kernel(&self) -> String {
        // SAFETY: the function returns a static string.
        unsafe { string((self.kernel_in_use)(CHACHA20)) }
    }

    /// Returns the ChaCha20 kernels that this CPU can run, best first.
    pub(crate) fn chacha20_kernels(&self) -> Vec<String> {
        let kernels = self.kernels_of(CHACHA20).into_iter();
        kernels
            .filter(|kernel| kernel.supported)
            .map(|kernel| kernel.name)
            .collect()
    }

    /// Like `Core::force`, for ChaCha20's kernel.
    #[must_use]
    pub(crate) fn force_chacha20(&self, kernel: Option<&str>) -> bool {
        self.core.force_one_of(CHACHA20, kernel)
    }

    /// Returns the name of the AES implementation in use.
    pub(crate) fn aes_name(&self) -> String {
        // SAFETY: the function returns a static string.
        unsafe { string((self.kernel_in_use)(AES128)) }
    }

    /// Computes a tag with Poly1305-AES. r, the second half of the key, must be clamped.
    #[inline]
    pub(crate) fn aes(&self, msg: &[u8], nonce: &[u8; 16], key: &[u8; 32]) -> [u8; 16] {
        let mut tag = [0; 16];
        let (msg, len_bytes) = (msg.as_ptr(), msg.len());
        // SAFETY: each pointer is valid for the length that the function reads or writes.
        let done = unsafe {
            (self.aes.mac)(
                tag.as_mut_ptr(),
                msg,
                len_bytes,
                nonce.as_ptr(),
                key.as_ptr(),
            )
        };
        assert!(done, "r is clamped");
        tag
    }

    /// Computes the partial evaluation of a segment. r must be clamped.
    #[inline]
    pub(crate) fn partial(&self, segment: &[u8], r: &[u8; 16]) -> Partial {
        let mut partial = Partial::default();
        // SAFETY: each pointer is valid for the length that the function reads or writes.
        let done = unsafe {
            (self.aes.partial_compute)(
                &raw mut partial,
                segment.as_ptr(),
                segment.len(),
                r.as_ptr(),
            )
        };
        assert!(done, "r is clamped");
        partial
    }

    /// Appends the following segment. `left` must cover whole blocks.
    pub(crate) fn append(&self, left: &mut Partial, right: &Partial, r: &[u8; 16]) {
        // SAFETY: each pointer is valid for the length that the function reads or writes.
        let done = unsafe { (self.aes.partial_append)(left, right, r.as_ptr()) };
        assert!(done, "the left segment ends with a block");
    }

    /// Replaces a segment that is followed by `bytes_after` bytes of the message.
    #[inline]
    pub(crate) fn replace(
        &self,
        whole: &mut Partial,
        replaced: &Partial,
        replacement: &Partial,
        bytes_after: usize,
        r: &[u8; 16],
    ) {
        // SAFETY: each pointer is valid for the length that the function reads or writes.
        let done = unsafe {
            (self.aes.partial_replace)(whole, replaced, replacement, bytes_after as u64, r.as_ptr())
        };
        assert!(done, "the lengths agree");
    }

    /// Returns the tag of a message, given its partial evaluation.
    #[inline]
    pub(crate) fn partial_tag(&self, partial: &Partial, pad: &[u8; 16]) -> [u8; 16] {
        let mut tag = [0; 16];
        // SAFETY: each pointer is valid for the length that the function reads or writes.
        unsafe { (self.aes.partial_tag)(tag.as_mut_ptr(), partial, pad.as_ptr()) };
        tag
    }
}

impl Peer for Hornet {
    fn name(&self) -> &str {
        self.core.name()
    }

    fn version(&self) -> &str {
        self.core.version()
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        self.core.run(calls, iterations);
    }

    fn is_in(&self, section: Section) -> bool {
        let Some(kernel) = section.kernel() else {
            return true;
        };
        self.kernels()
            .iter()
            .any(|info| info.name == kernel && info.supported)
    }

    fn is_fast(&self) -> bool {
        true
    }

    fn in_pieces(&self) -> Option<&InPieces> {
        Some(&self.in_pieces)
    }
}

/// # Safety
///
/// `text` must point to a C string.
unsafe fn string(text: *const c_char) -> String {
    // SAFETY: guaranteed by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
