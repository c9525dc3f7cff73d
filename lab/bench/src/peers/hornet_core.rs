// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The functions that every version of Hornet has: single calls, batches, and the choice of a kernel. `compare` needs
//! only these.

use super::library::Library;
use super::peer::Peer;
use crate::call::{self, Calls};
use crate::section::Section;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_uint, c_void};
use std::ptr;

type Mac = unsafe extern "C" fn(*mut u8, *const u8, usize, *const u8);
type Batch = unsafe extern "C" fn(*mut u8, *const *const u8, *const usize, *const u8, usize);
type Force = unsafe extern "C" fn(c_uint, *const c_char) -> bool;

/// `HORNET_POLY1305` and `HORNET_CHACHA20` of `enum hornet_primitive`.
pub(super) const POLY1305: c_uint = 0;
pub(super) const CHACHA20: c_uint = 1;

/// A build of the library, with these functions.
pub(crate) struct Core {
    name: String,
    mac: Mac,
    batch: Batch,
    force: Force,
}

impl Core {
    /// Looks up the functions. On an error, names one that is missing.
    pub(crate) fn new(library: Library, name: &str) -> Result<Self, String> {
        // SAFETY: the types are those in hornet.h.
        unsafe {
            Ok(Self {
                name: name.to_owned(),
                mac: library.function("hornet_poly1305")?,
                batch: library.function("hornet_poly1305_batch")?,
                force: library.function("hornet_kernel_force")?,
            })
        }
    }

    /// Forces the kernel `kernel`, or restores the automatic choice. Returns false, without any change, if this CPU
    /// cannot run it.
    #[must_use]
    pub(crate) fn force(&self, kernel: Option<&str>) -> bool {
        self.force_one_of(POLY1305, kernel)
    }

    /// Does the same for another primitive.
    pub(super) fn force_one_of(&self, primitive: c_uint, kernel: Option<&str>) -> bool {
        let name = match kernel.map(CString::new) {
            None => None,
            Some(Ok(name)) => Some(name),
            Some(Err(_)) => return false,
        };
        // SAFETY: the function is `hornet_kernel_force`, which takes a C string or null.
        unsafe {
            (self.force)(
                primitive,
                name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
            )
        }
    }

    /// Computes the tags of all messages as one batch.
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

    /// Computes `iterations` tags, a multiple of the batch's size, as batches. This is what is timed.
    pub(crate) fn run_batches(&self, batch: &RefCell<BatchCalls>, iterations: usize) {
        let mut batch = batch.borrow_mut();
        for _ in 0..iterations / batch.msgs.len() {
            self.run_batch(&mut batch);
        }
    }

    /// Computes all tags once. The messages are still valid, as `Calls` requires.
    fn run_batch(&self, batch: &mut BatchCalls) {
        // SAFETY: the pointers are valid for their lengths; the arrays have one element for each message.
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

/// The arguments of a batch.
pub(crate) struct BatchCalls {
    tags: Vec<[u8; 16]>,
    msgs: Vec<*const u8>,
    lens_bytes: Vec<usize>,
    keys: Vec<[u8; 32]>,
}

impl BatchCalls {
    /// Returns a batch of the same messages under the same keys. Libraries that are compared share one instance,
    /// because the addresses of the arrays affect the time.
    pub(crate) fn shared(calls: &Calls) -> RefCell<Self> {
        let calls = calls.as_slice();
        RefCell::new(Self {
            tags: vec![[0; 16]; calls.len()],
            msgs: calls.iter().map(|call| call.msg).collect(),
            lens_bytes: calls.iter().map(|call| call.len_bytes).collect(),
            keys: calls
                .iter()
                // SAFETY: `Calls` guarantees that keys are readable.
                .map(|call| unsafe { call.key.cast::<[u8; 32]>().read() })
                .collect(),
        })
    }
}

impl Peer for Core {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &'static str {
        "this tree"
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        let context = ptr::from_ref(&self.mac).cast_mut().cast();
        // SAFETY: the context is what `forward` expects.
        unsafe { call::run(forward, context, calls, iterations) }
    }

    fn is_in(&self, section: Section) -> bool {
        section.kernel().is_none()
    }

    fn is_fast(&self) -> bool {
        true
    }
}

/// Hornet's function takes no context. Here, the context is a pointer to that function.
unsafe extern "C" fn forward(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    context: *mut c_void,
) {
    // SAFETY: `run` set the context; the caller guarantees the rest.
    unsafe { (*context.cast::<Mac>())(tag, msg, len_bytes, key) }
}
