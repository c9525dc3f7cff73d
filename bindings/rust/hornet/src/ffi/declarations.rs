// SPDX-License-Identifier: Apache-2.0 OR MIT

// Written by bindings/rust/ffi.sh from the headers in include/, which document everything here. Do not edit.

pub const HORNET_VERSION: &::core::ffi::CStr = c"0.1.0";
pub const HORNET_CHACHA20_POLY1305_KEY_BYTES: u32 = 32;
pub const HORNET_CHACHA20_POLY1305_TAG_BYTES: u32 = 16;
pub const HORNET_CHACHA20_POLY1305_NONCE_BYTES: u32 = 12;
pub const HORNET_XCHACHA20_POLY1305_NONCE_BYTES: u32 = 24;
pub const HORNET_POLY1305_KEY_BYTES: u32 = 32;
pub const HORNET_POLY1305_TAG_BYTES: u32 = 16;
pub const HORNET_SSH_KEY_BYTES: u32 = 64;
pub const HORNET_SSH_LENGTH_BYTES: u32 = 4;
pub const HORNET_SSH_TAG_BYTES: u32 = 16;
pub const HORNET_STREAM_KEY_BYTES: u32 = 32;
pub const HORNET_STREAM_CHUNK_BYTES: u32 = 65536;
pub const HORNET_STREAM_SEALED_CHUNK_BYTES: u32 = 65552;
pub const HORNET_POLY1305_AES_KEY_BYTES: u32 = 32;
pub const HORNET_POLY1305_AES_NONCE_BYTES: u32 = 16;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_piece {
    pub out: *mut ::core::ffi::c_void,
    pub in_: *const ::core::ffi::c_void,
    pub len_bytes: usize,
}
#[repr(C)]
pub struct hornet_aead_state {
    pub opaque: [u64; 176usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_packet {
    pub out: *mut ::core::ffi::c_void,
    pub in_: *const ::core::ffi::c_void,
    pub len_bytes: usize,
    pub aad: *const ::core::ffi::c_void,
    pub aad_bytes: usize,
    pub nonce: *const u8,
    pub key: *const u8,
    pub tag: *mut u8,
}
#[repr(C)]
pub struct hornet_poly1305_state {
    pub opaque: [u64; 112usize],
}
pub const HORNET_POLY1305: hornet_primitive = 0;
pub const HORNET_CHACHA20: hornet_primitive = 1;
pub const HORNET_AES128: hornet_primitive = 2;
pub type hornet_primitive = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_kernel {
    pub name: *const ::core::ffi::c_char,
    pub required: [::core::ffi::c_char; 64usize],
    pub lanes: usize,
    pub min_bytes: usize,
    pub min_batch_bytes: usize,
    pub supported: bool,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_cpu_feature {
    pub name: *const ::core::ffi::c_char,
    pub usable: bool,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_ssh_packet {
    pub packet: *mut u8,
    pub len_bytes: u32,
    pub sequence: u32,
    pub key: *const u8,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hornet_poly1305_partial {
    pub opaque: [u64; 4usize],
}
unsafe extern "C" {
    pub fn hornet_version() -> *const ::core::ffi::c_char;
    pub fn hornet_chacha20_poly1305_seal(
        ciphertext: *mut ::core::ffi::c_void,
        tag: *mut u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        aad: *const ::core::ffi::c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_chacha20_poly1305_open(
        msg: *mut ::core::ffi::c_void,
        ciphertext: *const ::core::ffi::c_void,
        len_bytes: usize,
        tag: *const u8,
        aad: *const ::core::ffi::c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_xchacha20_poly1305_seal(
        ciphertext: *mut ::core::ffi::c_void,
        tag: *mut u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        aad: *const ::core::ffi::c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_xchacha20_poly1305_open(
        msg: *mut ::core::ffi::c_void,
        ciphertext: *const ::core::ffi::c_void,
        len_bytes: usize,
        tag: *const u8,
        aad: *const ::core::ffi::c_void,
        aad_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_chacha20_poly1305_init(
        state: *mut hornet_aead_state,
        nonce: *const u8,
        key: *const u8,
    );
    pub fn hornet_xchacha20_poly1305_init(
        state: *mut hornet_aead_state,
        nonce: *const u8,
        key: *const u8,
    );
    pub fn hornet_aead_aad(
        state: *mut hornet_aead_state,
        aad: *const ::core::ffi::c_void,
        aad_bytes: usize,
    ) -> bool;
    pub fn hornet_aead_encrypt(
        state: *mut hornet_aead_state,
        ciphertext: *mut ::core::ffi::c_void,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
    ) -> bool;
    pub fn hornet_aead_decrypt(
        state: *mut hornet_aead_state,
        msg: *mut ::core::ffi::c_void,
        ciphertext: *const ::core::ffi::c_void,
        len_bytes: usize,
    ) -> bool;
    pub fn hornet_aead_encryptv(
        state: *mut hornet_aead_state,
        pieces: *const hornet_piece,
        count: usize,
    ) -> bool;
    pub fn hornet_aead_decryptv(
        state: *mut hornet_aead_state,
        pieces: *const hornet_piece,
        count: usize,
    ) -> bool;
    pub fn hornet_aead_final(state: *mut hornet_aead_state, tag: *mut u8) -> bool;
    pub fn hornet_aead_final_verify(state: *mut hornet_aead_state, tag: *const u8) -> bool;
    pub fn hornet_aead_final_verify_truncated(
        state: *mut hornet_aead_state,
        tag: *const u8,
        tag_bytes: usize,
    ) -> bool;
    pub fn hornet_chacha20_poly1305_seal_batch(packets: *const hornet_packet, count: usize)
    -> bool;
    pub fn hornet_chacha20_poly1305_open_batch(
        valid: *mut bool,
        packets: *const hornet_packet,
        count: usize,
    ) -> bool;
    pub fn hornet_xchacha20_poly1305_seal_batch(
        packets: *const hornet_packet,
        count: usize,
    ) -> bool;
    pub fn hornet_xchacha20_poly1305_open_batch(
        valid: *mut bool,
        packets: *const hornet_packet,
        count: usize,
    ) -> bool;
    pub fn hornet_chacha20(
        out: *mut ::core::ffi::c_void,
        in_: *const ::core::ffi::c_void,
        len_bytes: usize,
        counter: u32,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_hchacha20(subkey: *mut u8, nonce: *const u8, key: *const u8);
    pub fn hornet_chacha20_header_masks(
        masks: *mut [u8; 5usize],
        samples: *const *const u8,
        key: *const u8,
        count: usize,
    );
    pub fn hornet_poly1305(
        tag: *mut u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        key: *const u8,
    );
    pub fn hornet_poly1305_verify(
        tag: *const u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        key: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_init(state: *mut hornet_poly1305_state, key: *const u8);
    pub fn hornet_poly1305_update(
        state: *mut hornet_poly1305_state,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
    );
    pub fn hornet_poly1305_updatev(
        state: *mut hornet_poly1305_state,
        pieces: *const hornet_piece,
        count: usize,
    );
    pub fn hornet_poly1305_final(state: *mut hornet_poly1305_state, tag: *mut u8);
    pub fn hornet_poly1305_final_verify(state: *mut hornet_poly1305_state, tag: *const u8) -> bool;
    pub fn hornet_poly1305_batch(
        tags: *mut [u8; 16usize],
        msgs: *const *const ::core::ffi::c_void,
        lens_bytes: *const usize,
        keys: *const [::core::ffi::c_uchar; 32usize],
        count: usize,
    );
    pub fn hornet_poly1305_verify_batch(
        valid: *mut bool,
        tags: *const [::core::ffi::c_uchar; 16usize],
        msgs: *const *const ::core::ffi::c_void,
        lens_bytes: *const usize,
        keys: *const [::core::ffi::c_uchar; 32usize],
        count: usize,
    ) -> bool;
    pub fn hornet_equal(
        a: *const ::core::ffi::c_void,
        b: *const ::core::ffi::c_void,
        len_bytes: usize,
    ) -> bool;
    pub fn hornet_wipe(memory: *mut ::core::ffi::c_void, len_bytes: usize);
    pub fn hornet_kernel_at(
        kernel: *mut hornet_kernel,
        primitive: hornet_primitive,
        index: usize,
    ) -> bool;
    pub fn hornet_kernel_in_use(primitive: hornet_primitive) -> *const ::core::ffi::c_char;
    pub fn hornet_kernel_force(
        primitive: hornet_primitive,
        name: *const ::core::ffi::c_char,
    ) -> bool;
    pub fn hornet_cpu_feature_at(feature: *mut hornet_cpu_feature, index: usize) -> bool;
    pub fn hornet_ssh_seal(packet: *mut u8, len_bytes: u32, sequence: u32, key: *const u8);
    pub fn hornet_ssh_packet_length(encrypted: *const u8, sequence: u32, key: *const u8) -> u32;
    pub fn hornet_ssh_open(packet: *mut u8, len_bytes: u32, sequence: u32, key: *const u8) -> bool;
    pub fn hornet_ssh_seal_batch(packets: *const hornet_ssh_packet, count: usize);
    pub fn hornet_ssh_open_batch(
        valid: *mut bool,
        packets: *const hornet_ssh_packet,
        count: usize,
    ) -> bool;
    pub fn hornet_stream_sealed_bytes(sealed_bytes: *mut u64, text_bytes: u64) -> bool;
    pub fn hornet_stream_text_bytes(text_bytes: *mut u64, sealed_bytes: u64) -> bool;
    pub fn hornet_stream_seal(
        sealed: *mut ::core::ffi::c_void,
        text: *const ::core::ffi::c_void,
        len_bytes: usize,
        first: u64,
        last: bool,
        key: *const u8,
    ) -> bool;
    pub fn hornet_stream_open(
        text: *mut ::core::ffi::c_void,
        failed: *mut u64,
        sealed: *const ::core::ffi::c_void,
        sealed_bytes: usize,
        first: u64,
        last: bool,
        key: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_r_is_clamped(r: *const u8) -> bool;
    pub fn hornet_poly1305_clamp(r: *mut u8);
    pub fn hornet_poly1305_aes(
        tag: *mut u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_aes_verify(
        tag: *const u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_aes_init(
        state: *mut hornet_poly1305_state,
        nonce: *const u8,
        key: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_aes_batch(
        tags: *mut [u8; 16usize],
        msgs: *const *const ::core::ffi::c_void,
        lens_bytes: *const usize,
        nonces: *const [::core::ffi::c_uchar; 16usize],
        keys: *const [::core::ffi::c_uchar; 32usize],
        count: usize,
    ) -> bool;
    pub fn hornet_poly1305_aes_verify_batch(
        valid: *mut bool,
        tags: *const [::core::ffi::c_uchar; 16usize],
        msgs: *const *const ::core::ffi::c_void,
        lens_bytes: *const usize,
        nonces: *const [::core::ffi::c_uchar; 16usize],
        keys: *const [::core::ffi::c_uchar; 32usize],
        count: usize,
    ) -> bool;
    pub fn hornet_poly1305_pad(
        tag: *mut u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        r: *const u8,
        pad: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_pad_verify(
        tag: *const u8,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        r: *const u8,
        pad: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_pad_init(
        state: *mut hornet_poly1305_state,
        r: *const u8,
        pad: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_compute(
        partial: *mut hornet_poly1305_partial,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_zeros(
        partial: *mut hornet_poly1305_partial,
        len_bytes: u64,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_segments(
        partials: *mut hornet_poly1305_partial,
        segment_bytes: usize,
        msg: *const ::core::ffi::c_void,
        len_bytes: usize,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_append(
        left: *mut hornet_poly1305_partial,
        right: *const hornet_poly1305_partial,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_join(
        left: *mut hornet_poly1305_partial,
        segments: *const hornet_poly1305_partial,
        count: usize,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_replace(
        whole: *mut hornet_poly1305_partial,
        replaced: *const hornet_poly1305_partial,
        replacement: *const hornet_poly1305_partial,
        bytes_after: u64,
        r: *const u8,
    ) -> bool;
    pub fn hornet_poly1305_partial_len_bytes(partial: *const hornet_poly1305_partial) -> u64;
    pub fn hornet_poly1305_partial_tag(
        tag: *mut u8,
        partial: *const hornet_poly1305_partial,
        pad: *const u8,
    );
    pub fn hornet_poly1305_partial_verify(
        tag: *const u8,
        partial: *const hornet_poly1305_partial,
        pad: *const u8,
    ) -> bool;
}
