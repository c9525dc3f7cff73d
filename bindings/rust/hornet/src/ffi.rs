// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Rust declarations of the C library, which hornet.h documents.

use core::ffi::{CStr, c_char, c_void};
use core::mem::offset_of;
use core::ptr;

/// All zeros is an ended state, so wiping a state ends it.
#[repr(C)]
pub(crate) struct State {
    pub(crate) opaque: [u64; 112],
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

/// All zeros is the partial evaluation of the empty segment.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Partial {
    pub(crate) opaque: [u64; 4],
}

/// All zeros is an ended state, so wiping a state ends it.
#[repr(C)]
pub(crate) struct AeadState {
    pub(crate) opaque: [u64; 176],
}

/// One packet of a batch.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Packet {
    pub(crate) out: *mut u8,
    /// Named `in` in C.
    pub(crate) input: *const c_void,
    pub(crate) len_bytes: usize,
    pub(crate) aad: *const c_void,
    pub(crate) aad_bytes: usize,
    pub(crate) nonce: *const u8,
    pub(crate) key: *const u8,
    pub(crate) tag: *mut u8,
}

#[repr(C)]
pub(crate) struct KernelInfo {
    pub(crate) name: *const c_char,
    /// `char` in C: ASCII up to the first NUL.
    pub(crate) needs: [u8; 64],
    pub(crate) lanes: usize,
    pub(crate) min_bytes: usize,
    pub(crate) min_batch_bytes: usize,
    pub(crate) supported: bool,
}

impl KernelInfo {
    /// To be overwritten by C.
    pub(crate) const EMPTY: Self = Self {
        name: ptr::null(),
        needs: [0; 64],
        lanes: 0,
        min_bytes: 0,
        min_batch_bytes: 0,
        supported: false,
    };
}

/// `hornet_chacha20_poly1305_seal`, or its variant for the other nonce length.
pub(crate) type Seal = unsafe extern "C" fn(
    ciphertext: *mut u8,
    tag: *mut u8,
    msg: *const c_void,
    len_bytes: usize,
    aad: *const c_void,
    aad_bytes: usize,
    nonce: *const u8,
    key: *const u8,
) -> bool;

/// `hornet_chacha20_poly1305_open`, or its variant for the other nonce length.
pub(crate) type Open = unsafe extern "C" fn(
    msg: *mut u8,
    ciphertext: *const c_void,
    len_bytes: usize,
    tag: *const u8,
    aad: *const c_void,
    aad_bytes: usize,
    nonce: *const u8,
    key: *const u8,
) -> bool;

/// `hornet_chacha20_poly1305_init`, or its variant for the other nonce length.
pub(crate) type AeadInit =
    unsafe extern "C" fn(state: *mut AeadState, nonce: *const u8, key: *const u8);

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
        valid: *mut bool,
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
        valid: *mut bool,
        tags: *const [u8; 16],
        msgs: *const *const c_void,
        lens_bytes: *const usize,
        nonces: *const [u8; 16],
        keys: *const [u8; 32],
        count: usize,
    ) -> bool;
    pub(crate) safe fn hornet_aes_name() -> *const c_char;

    pub(crate) fn hornet_poly1305_partial_compute(
        partial: *mut Partial,
        msg: *const c_void,
        len_bytes: usize,
        r: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_partial_append(
        left: *mut Partial,
        right: *const Partial,
        r: *const u8,
    ) -> bool;
    #[cfg(feature = "std")]
    pub(crate) fn hornet_poly1305_partial_replace(
        whole: *mut Partial,
        replaced: *const Partial,
        replacement: *const Partial,
        bytes_after: u64,
        r: *const u8,
    ) -> bool;
    pub(crate) fn hornet_poly1305_partial_len_bytes(partial: *const Partial) -> u64;
    pub(crate) fn hornet_poly1305_partial_tag(
        tag: *mut u8,
        partial: *const Partial,
        pad: *const u8,
    );
    pub(crate) fn hornet_poly1305_partial_verify(
        tag: *const u8,
        partial: *const Partial,
        pad: *const u8,
    ) -> bool;

    pub(crate) fn hornet_chacha20_poly1305_seal(
        ciphertext: *mut u8,
        tag: *mut u8,
        msg: *const c_void,
        len_bytes: usize,
        aad: *const c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_chacha20_poly1305_open(
        msg: *mut u8,
        ciphertext: *const c_void,
        len_bytes: usize,
        tag: *const u8,
        aad: *const c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_xchacha20_poly1305_seal(
        ciphertext: *mut u8,
        tag: *mut u8,
        msg: *const c_void,
        len_bytes: usize,
        aad: *const c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub(crate) fn hornet_xchacha20_poly1305_open(
        msg: *mut u8,
        ciphertext: *const c_void,
        len_bytes: usize,
        tag: *const u8,
        aad: *const c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;

    pub(crate) fn hornet_chacha20_poly1305_init(
        state: *mut AeadState,
        nonce: *const u8,
        key: *const u8,
    );
    pub(crate) fn hornet_xchacha20_poly1305_init(
        state: *mut AeadState,
        nonce: *const u8,
        key: *const u8,
    );
    pub(crate) fn hornet_aead_aad(
        state: *mut AeadState,
        aad: *const c_void,
        aad_bytes: usize,
    ) -> bool;
    pub(crate) fn hornet_aead_encrypt(
        state: *mut AeadState,
        ciphertext: *mut u8,
        msg: *const c_void,
        len_bytes: usize,
    ) -> bool;
    pub(crate) fn hornet_aead_decrypt(
        state: *mut AeadState,
        msg: *mut u8,
        ciphertext: *const c_void,
        len_bytes: usize,
    ) -> bool;
    pub(crate) fn hornet_aead_final(state: *mut AeadState, tag: *mut u8) -> bool;
    pub(crate) fn hornet_aead_final_verify(state: *mut AeadState, tag: *const u8) -> bool;

    pub(crate) fn hornet_chacha20_poly1305_seal_batch(packets: *const Packet, count: usize)
    -> bool;
    pub(crate) fn hornet_chacha20_poly1305_open_batch(
        valid: *mut bool,
        packets: *const Packet,
        count: usize,
    ) -> bool;

    pub(crate) fn hornet_chacha20(
        out: *mut u8,
        input: *const c_void,
        len_bytes: usize,
        counter: u32,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;

    pub(crate) safe fn hornet_version() -> *const c_char;

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

/// Converts a constant string of the library. All of them are ASCII; NULL or any other text would
/// read as empty.
pub(crate) fn text(string: *const c_char) -> &'static str {
    if string.is_null() {
        return "";
    }
    // SAFETY: the library returns only string literals.
    unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("")
}

// The numbers in layout.rs, which the build script also has the C compiler compare with hornet.h.
macro_rules! layout {
    ($($name:ident = $value:expr;)*) => {
        $(const $name: usize = $value;)*
    };
}
const POINTER: usize = size_of::<*const c_void>();
include!("layout.rs");

const _: () = {
    assert!(size_of::<usize>() == POINTER);
    assert!(size_of::<bool>() == 1);

    assert!(size_of::<State>() == STATE_BYTES);

    assert!(size_of::<Partial>() == PARTIAL_BYTES);

    assert!(offset_of!(Iovec, base) == IOVEC_BASE_AT);
    assert!(offset_of!(Iovec, len_bytes) == IOVEC_LEN_BYTES_AT);
    assert!(size_of::<Iovec>() == IOVEC_BYTES);

    assert!(size_of::<AeadState>() == AEAD_STATE_BYTES);

    assert!(offset_of!(Packet, out) == PACKET_OUT_AT);
    assert!(offset_of!(Packet, input) == PACKET_IN_AT);
    assert!(offset_of!(Packet, len_bytes) == PACKET_LEN_BYTES_AT);
    assert!(offset_of!(Packet, aad) == PACKET_AAD_AT);
    assert!(offset_of!(Packet, aad_bytes) == PACKET_AAD_BYTES_AT);
    assert!(offset_of!(Packet, nonce) == PACKET_NONCE_AT);
    assert!(offset_of!(Packet, key) == PACKET_KEY_AT);
    assert!(offset_of!(Packet, tag) == PACKET_TAG_AT);
    assert!(size_of::<Packet>() == PACKET_BYTES);

    assert!(offset_of!(KernelInfo, name) == KERNEL_INFO_NAME_AT);
    assert!(offset_of!(KernelInfo, needs) == KERNEL_INFO_NEEDS_AT);
    assert!(size_of_val(&KernelInfo::EMPTY.needs) == KERNEL_INFO_NEEDS_BYTES);
    assert!(offset_of!(KernelInfo, lanes) == KERNEL_INFO_LANES_AT);
    assert!(offset_of!(KernelInfo, min_bytes) == KERNEL_INFO_MIN_BYTES_AT);
    assert!(offset_of!(KernelInfo, min_batch_bytes) == KERNEL_INFO_MIN_BATCH_BYTES_AT);
    assert!(offset_of!(KernelInfo, supported) == KERNEL_INFO_SUPPORTED_AT);
    assert!(size_of::<KernelInfo>() == KERNEL_INFO_BYTES);
};
