//! `include/hornet.h` as Rust sees it; the contracts stand there.

use core::ffi::{c_char, c_void};

/// All zeros is an ended state, so zeroing one ends it.
#[repr(C)]
pub(crate) struct State {
    pub(crate) opaque: [u64; 16],
}

#[repr(C)]
pub(crate) struct KernelInfo {
    pub(crate) name: *const c_char,
    pub(crate) needs: *const c_char,
    pub(crate) lanes: usize,
    pub(crate) min_vector_bytes: usize,
    pub(crate) supported: bool,
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
    pub(crate) fn hornet_poly1305_final(state: *mut State, tag: *mut u8);
    pub(crate) fn hornet_poly1305_final_verify(state: *mut State, tag: *const u8) -> bool;

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

#[cfg(test)]
mod tests {
    /// C writes as many words as its header says.
    #[test]
    fn state_has_the_size_it_has_in_c() {
        let header = include_str!("../../../include/hornet.h");
        let words = size_of::<super::State>() / size_of::<u64>();
        assert!(header.contains(&std::format!("uint64_t opaque[{words}];")));
    }
}
