//! `include/hornet.h` as Rust sees it; the contracts stand there.

use core::ffi::{CStr, c_char, c_void};
use core::ptr;

/// All zeros is an ended state, so zeroing one ends it.
#[repr(C)]
pub(crate) struct State {
    pub(crate) opaque: [u64; 16],
}

/// A piece of a message.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Iovec {
    pub(crate) base: *const c_void,
    pub(crate) len_bytes: usize,
}

impl Iovec {
    pub(crate) const EMPTY: Self = Self {
        base: ptr::null(),
        len_bytes: 0,
    };
}

/// All zeros is the part of nothing.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) opaque: [u64; 4],
}

#[repr(C)]
pub(crate) struct KernelInfo {
    pub(crate) name: *const c_char,
    /// `char`, whose bytes are read as text here.
    pub(crate) needs: [u8; 64],
    pub(crate) lanes: usize,
    pub(crate) min_bytes: usize,
    pub(crate) min_batch_bytes: usize,
    pub(crate) supported: bool,
}

impl KernelInfo {
    /// To be written to by C.
    pub(crate) const EMPTY: Self = Self {
        name: ptr::null(),
        needs: [0; 64],
        lanes: 0,
        min_bytes: 0,
        min_batch_bytes: 0,
        supported: false,
    };
}

unsafe extern "C" {
    pub(crate) fn hornet_poly1305(
        tag: *mut u8,
        msg: *const c_void,
        len_bytes: usize,
        key: *const u8,
    );
    pub(crate) fn hornet_poly1305_verify(
        tag: *const u8,
        msg: *const c_void,
        len_bytes: usize,
        key: *const u8,
    ) -> bool;

    pub(crate) fn hornet_poly1305_init(state: *mut State, key: *const u8);
    pub(crate) fn hornet_poly1305_update(state: *mut State, msg: *const c_void, len_bytes: usize);
    pub(crate) fn hornet_poly1305_updatev(state: *mut State, pieces: *const Iovec, count: usize);
    pub(crate) fn hornet_poly1305_final(state: *mut State, tag: *mut u8);
    pub(crate) fn hornet_poly1305_final_verify(state: *mut State, tag: *const u8) -> bool;

    pub(crate) fn hornet_poly1305_batch(
        tags: *mut [u8; 16],
        msgs: *const *const c_void,
        lens_bytes: *const usize,
        keys: *const [u8; 32],
        count: usize,
    );
    pub(crate) fn hornet_poly1305_verify_batch(
        good: *mut bool,
        tags: *const [u8; 16],
        msgs: *const *const c_void,
        lens_bytes: *const usize,
        keys: *const [u8; 32],
        count: usize,
    ) -> bool;

    pub(crate) fn hornet_poly1305_r_is_clamped(r: *const u8) -> bool;
    pub(crate) fn hornet_poly1305_clamp(r: *mut u8);

    pub(crate) fn hornet_poly1305_aes(
        tag: *mut u8,
        msg: *const c_void,
        len_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_aes_verify(
        tag: *const u8,
        msg: *const c_void,
        len_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_aes_init(
        state: *mut State,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_aes_batch(
        tags: *mut [u8; 16],
        msgs: *const *const c_void,
        lens_bytes: *const usize,
        nonces: *const [u8; 16],
        keys: *const [u8; 32],
        count: usize,
    ) -> bool;
    pub(crate) fn hornet_poly1305_aes_verify_batch(
        good: *mut bool,
        tags: *const [u8; 16],
        msgs: *const *const c_void,
        lens_bytes: *const usize,
        nonces: *const [u8; 16],
        keys: *const [u8; 32],
        count: usize,
    ) -> bool;
    pub(crate) safe fn hornet_aes_name() -> *const c_char;

    pub(crate) fn hornet_poly1305_partial_compute(
        part: *mut Part,
        msg: *const c_void,
        len_bytes: usize,
        r: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_partial_append(
        left: *mut Part,
        right: *const Part,
        r: *const u8,
    ) -> bool;
    #[cfg(feature = "std")]
    pub(crate) fn hornet_poly1305_partial_replace(
        whole: *mut Part,
        before: *const Part,
        after: *const Part,
        bytes_behind: u64,
        r: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_partial_len_bytes(part: *const Part) -> u64;
    pub(crate) fn hornet_poly1305_partial_tag(tag: *mut u8, part: *const Part, pad: *const u8);
    pub(crate) fn hornet_poly1305_partial_verify(
        tag: *const u8,
        part: *const Part,
        pad: *const u8,
    ) -> bool;

    pub(crate) safe fn hornet_kernel_at(index: usize) -> *const c_char;
    pub(crate) safe fn hornet_kernel_name() -> *const c_char;
    pub(crate) fn hornet_kernel_force(name: *const c_char) -> bool;
    pub(crate) fn hornet_kernel_info_at(index: usize, info: *mut KernelInfo) -> bool;
    pub(crate) fn hornet_cpu_feature_at(
        index: usize,
        name: *mut *const c_char,
        usable: *mut bool,
    ) -> bool;
}

/// A constant string of the library, which are all ASCII. For the compiler's sake, null and other
/// text read as empty.
pub(crate) fn text(string: *const c_char) -> &'static str {
    if string.is_null() {
        return "";
    }
    // SAFETY: the library hands out string literals only.
    unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::{Iovec, KernelInfo, Part, State};
    use core::mem::offset_of;
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    /// The members of a struct in the C header, as they are declared there.
    fn members(name: &str) -> Vec<String> {
        let header = include_str!("../../../include/hornet.h");
        let (_, body) = header
            .split_once(&format!("typedef struct {name} {{\n"))
            .unwrap();
        let (body, _) = body.split_once("\n}").unwrap();
        body.lines()
            .map(|line| line.split_once(';').unwrap().0.trim().into())
            .collect()
    }

    #[test]
    fn structs_are_those_of_c() {
        let words = size_of::<State>() / size_of::<u64>();
        assert_eq!(
            members("hornet_poly1305_state"),
            [format!("uint64_t opaque[{words}]")]
        );

        let words = size_of::<Part>() / size_of::<u64>();
        assert_eq!(
            members("hornet_poly1305_partial"),
            [format!("uint64_t opaque[{words}]")]
        );

        assert_eq!(
            members("hornet_iovec"),
            ["const void *base", "size_t len_bytes"]
        );
        assert!(offset_of!(Iovec, base) < offset_of!(Iovec, len_bytes));

        let needs_bytes = size_of_val(&KernelInfo::EMPTY.needs);
        assert_eq!(
            members("hornet_kernel_info"),
            [
                "const char *name",
                &format!("char needs[{needs_bytes}]"),
                "size_t lanes",
                "size_t min_bytes",
                "size_t min_batch_bytes",
                "bool supported",
            ]
        );
        assert!(
            [
                offset_of!(KernelInfo, name),
                offset_of!(KernelInfo, needs),
                offset_of!(KernelInfo, lanes),
                offset_of!(KernelInfo, min_bytes),
                offset_of!(KernelInfo, min_batch_bytes),
                offset_of!(KernelInfo, supported),
            ]
            .is_sorted()
        );
    }
}
