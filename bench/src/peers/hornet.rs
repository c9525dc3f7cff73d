//! Hornet itself, once for each compiler.

use super::Peer;
use super::library::Library;
use crate::call::{self, Calls};
use crate::section::Section;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

type Mac = unsafe extern "C" fn(*mut u8, *const u8, usize, *const u8);
type Batch = unsafe extern "C" fn(*mut u8, *const *const u8, *const usize, *const u8, usize);
type Force = unsafe extern "C" fn(*const c_char) -> bool;
type Name = unsafe extern "C" fn() -> *const c_char;
/// `hornet_bench_kernel_at` in shims/hornet.c.
type KernelAt = unsafe extern "C" fn(
    usize,
    *mut *const c_char,
    lanes: *mut usize,
    supported: *mut bool,
) -> bool;

/// `hornet_poly1305_partial`: the value of the polynomial over a segment.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Part([u64; 4]);

/// Poly1305-AES, and its parts.
struct Aes {
    mac: unsafe extern "C" fn(*mut u8, *const u8, usize, *const u8, *const u8) -> bool,
    part: unsafe extern "C" fn(*mut Part, *const u8, usize, *const u8) -> bool,
    append: unsafe extern "C" fn(*mut Part, *const Part, *const u8) -> bool,
    replace: unsafe extern "C" fn(*mut Part, *const Part, *const Part, u64, *const u8) -> bool,
    part_tag: unsafe extern "C" fn(*mut u8, *const Part, *const u8),
    name: Name,
}

/// What a build says about one of its kernels.
pub(crate) struct KernelInfo {
    pub(crate) name: String,
    pub(crate) lanes: usize,
    pub(crate) supported: bool,
}

/// A build of the library.
pub(crate) struct Hornet {
    name: String,
    mac: Mac,
    batch: Batch,
    force: Force,
    kernel: Name,
    kernel_at: KernelAt,
    aes: Aes,
}

impl Hornet {
    /// The build by this compiler.
    pub(crate) fn open(compiler: &str) -> Result<Self, String> {
        Self::load(compiler, "")
    }

    /// The build by this compiler that hands no message to the scalar code.
    pub(crate) fn open_for_tuning(compiler: &str) -> Result<Self, String> {
        Self::load(compiler, "_tune")
    }

    fn load(compiler: &str, suffix: &str) -> Result<Self, String> {
        let library = Library::open(&format!("hornet_{compiler}{suffix}"))?;
        // SAFETY: the types are those in hornet.h and shims/hornet.c.
        unsafe {
            Ok(Self {
                name: format!("hornet {compiler}"),
                mac: library.function("hornet_poly1305")?,
                batch: library.function("hornet_poly1305_batch")?,
                force: library.function("hornet_kernel_force")?,
                kernel: library.function("hornet_kernel_name")?,
                kernel_at: library.function("hornet_bench_kernel_at")?,
                aes: Aes {
                    mac: library.function("hornet_poly1305_aes")?,
                    part: library.function("hornet_poly1305_partial_compute")?,
                    append: library.function("hornet_poly1305_partial_append")?,
                    replace: library.function("hornet_poly1305_partial_replace")?,
                    part_tag: library.function("hornet_poly1305_partial_tag")?,
                    name: library.function("hornet_aes_name")?,
                },
            })
        }
    }

    /// The name of the kernel in use.
    pub(crate) fn kernel(&self) -> String {
        // SAFETY: the function takes nothing and returns a string that stays.
        unsafe { string((self.kernel)()) }
    }

    /// Uses the kernel of that name, or the best; false, and no change, if it does not run here.
    #[must_use]
    pub(crate) fn force(&self, kernel: Option<&str>) -> bool {
        let name = match kernel.map(CString::new) {
            None => None,
            Some(Ok(name)) => Some(name),
            Some(Err(_)) => return false,
        };
        // SAFETY: a string or null.
        unsafe { (self.force)(name.as_ref().map_or(ptr::null(), |name| name.as_ptr())) }
    }

    /// All kernels of this build, best first.
    pub(crate) fn kernels(&self) -> Vec<KernelInfo> {
        let (mut name, mut lanes, mut supported) = (ptr::null(), 0, false);
        let mut kernels = Vec::new();
        // SAFETY: the three can be written.
        while unsafe {
            (self.kernel_at)(
                kernels.len(),
                &raw mut name,
                &raw mut lanes,
                &raw mut supported,
            )
        } {
            // SAFETY: the function has just set it, to a string that stays.
            let name = unsafe { string(name) };
            kernels.push(KernelInfo {
                name,
                lanes,
                supported,
            });
        }
        kernels
    }

    /// The name of the AES in use.
    pub(crate) fn aes_name(&self) -> String {
        // SAFETY: the function takes nothing and returns a string that stays.
        unsafe { string((self.aes.name)()) }
    }

    /// The tag by Poly1305-AES. All of these want an r that is permitted.
    #[inline]
    pub(crate) fn aes(&self, msg: &[u8], nonce: &[u8; 16], key: &[u8; 32]) -> [u8; 16] {
        let mut tag = [0; 16];
        let (msg, len_bytes) = (msg.as_ptr(), msg.len());
        // SAFETY: all have their lengths.
        let done = unsafe {
            (self.aes.mac)(
                tag.as_mut_ptr(),
                msg,
                len_bytes,
                nonce.as_ptr(),
                key.as_ptr(),
            )
        };
        assert!(done, "r is permitted");
        tag
    }

    /// The part of a segment.
    #[inline]
    pub(crate) fn part(&self, segment: &[u8], r: &[u8; 16]) -> Part {
        let mut part = Part::default();
        // SAFETY: all have their lengths.
        let done =
            unsafe { (self.aes.part)(&raw mut part, segment.as_ptr(), segment.len(), r.as_ptr()) };
        assert!(done, "r is permitted");
        part
    }

    /// Joins the part of what follows.
    pub(crate) fn append(&self, left: &mut Part, right: &Part, r: &[u8; 16]) {
        // SAFETY: all have their lengths.
        let done = unsafe { (self.aes.append)(left, right, r.as_ptr()) };
        assert!(done, "segments are of whole blocks");
    }

    /// Exchanges a segment with so many bytes behind it.
    #[inline]
    pub(crate) fn replace(
        &self,
        whole: &mut Part,
        before: &Part,
        after: &Part,
        bytes_behind: usize,
        r: &[u8; 16],
    ) {
        // SAFETY: all have their lengths.
        let done =
            unsafe { (self.aes.replace)(whole, before, after, bytes_behind as u64, r.as_ptr()) };
        assert!(done, "the segment was there");
    }

    /// The tag of the message whose part this is.
    #[inline]
    pub(crate) fn part_tag(&self, part: &Part, pad: &[u8; 16]) -> [u8; 16] {
        let mut tag = [0; 16];
        // SAFETY: all have their lengths.
        unsafe { (self.aes.part_tag)(tag.as_mut_ptr(), part, pad.as_ptr()) };
        tag
    }

    /// The tags of all messages, as one batch.
    pub(crate) fn tags(&self, keys: Vec<[u8; 32]>, msgs: &[&[u8]]) -> Vec<[u8; 16]> {
        assert_eq!(keys.len(), msgs.len());
        let mut batch = BatchCalls {
            tags: vec![*b"nothing written!"; keys.len()],
            msgs: msgs.iter().map(|msg| msg.as_ptr()).collect(),
            lens_bytes: msgs.iter().map(|msg| msg.len()).collect(),
            keys,
        };
        self.run_batch(&mut batch);
        batch.tags
    }

    /// Makes a batch of all calls. What they point to is still there, as `Calls` demands.
    pub(crate) fn run_batch(&self, batch: &mut BatchCalls) {
        // SAFETY: the pointers are good for their lengths; the arrays have one element for each message.
        unsafe {
            (self.batch)(
                batch.tags.as_mut_ptr().cast(),
                batch.msgs.as_ptr(),
                batch.lens_bytes.as_ptr(),
                batch.keys.as_ptr().cast(),
                batch.msgs.len(),
            );
        }
    }
}

/// Messages in the form that a batch takes.
pub(crate) struct BatchCalls {
    tags: Vec<[u8; 16]>,
    msgs: Vec<*const u8>,
    lens_bytes: Vec<usize>,
    keys: Vec<[u8; 32]>,
}

impl BatchCalls {
    /// The same messages under the same keys.
    pub(crate) fn new(calls: &Calls) -> Self {
        let calls = calls.as_slice();
        Self {
            tags: vec![[0; 16]; calls.len()],
            msgs: calls.iter().map(|call| call.msg).collect(),
            lens_bytes: calls.iter().map(|call| call.len_bytes).collect(),
            keys: calls
                .iter()
                // SAFETY: `Calls` says that keys can be read.
                .map(|call| unsafe { call.key.cast::<[u8; 32]>().read() })
                .collect(),
        }
    }
}

impl Peer for Hornet {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &'static str {
        "this tree"
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        let context = ptr::from_ref(&self.mac).cast_mut().cast();
        // SAFETY: `forward` is given what it expects.
        unsafe { call::run(forward, context, calls, iterations) }
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

    fn as_hornet(&self) -> Option<&Hornet> {
        Some(self)
    }
}

/// Hornet's function takes no context; here that is a pointer to it.
unsafe extern "C" fn forward(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    context: *mut c_void,
) {
    // SAFETY: the context is one that `run` made, and the rest is the caller's.
    unsafe { (*context.cast::<Mac>())(tag, msg, len_bytes, key) }
}

/// # Safety
///
/// A string of C.
unsafe fn string(text: *const c_char) -> String {
    // SAFETY: says the caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
