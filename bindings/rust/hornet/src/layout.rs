// SPDX-License-Identifier: Apache-2.0 OR MIT

// Sizes and offsets, in bytes, of the types shared by Rust and C. Each number is written once:
// build.rs passes them to layout.c, where the C compiler compares them with hornet.h; in ffi.rs,
// the Rust compiler compares them with its own types. POINTER stands for the size of a pointer.
// This file is not a module: both include it with a macro `layout` of their own.
layout! {
    STATE_BYTES = 896;

    PARTIAL_BYTES = 32;

    IOVEC_BASE_AT = 0;
    IOVEC_LEN_BYTES_AT = POINTER;
    IOVEC_BYTES = 2 * POINTER;

    AEAD_STATE_BYTES = 1408;

    PACKET_OUT_AT = 0;
    PACKET_IN_AT = POINTER;
    PACKET_LEN_BYTES_AT = 2 * POINTER;
    PACKET_AAD_AT = 3 * POINTER;
    PACKET_AAD_BYTES_AT = 4 * POINTER;
    PACKET_NONCE_AT = 5 * POINTER;
    PACKET_KEY_AT = 6 * POINTER;
    PACKET_TAG_AT = 7 * POINTER;
    PACKET_BYTES = 8 * POINTER;

    KERNEL_INFO_NAME_AT = 0;
    KERNEL_INFO_NEEDS_AT = POINTER;
    KERNEL_INFO_NEEDS_BYTES = 64;
    KERNEL_INFO_LANES_AT = 64 + POINTER;
    KERNEL_INFO_MIN_BYTES_AT = 64 + 2 * POINTER;
    KERNEL_INFO_MIN_BATCH_BYTES_AT = 64 + 3 * POINTER;
    KERNEL_INFO_SUPPORTED_AT = 64 + 4 * POINTER;
    KERNEL_INFO_BYTES = 64 + 5 * POINTER;
}
