/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Has the C compiler check what the Rust code assumes: the layout of the types in hornet.h, against the
 * numbers in layout.rs, and that header and crate have the same version. build.rs defines the names in
 * capitals. Generates no code. */
#include <hornet.h>
#include <stdbool.h>
#include <stddef.h>

#define POINTER sizeof(void *)

#define CHECK(what, number) _Static_assert((what) == (number), #what " is not " #number " of layout.rs")

CHECK(sizeof(size_t), POINTER);
CHECK(sizeof(bool), 1);

CHECK(sizeof(hornet_poly1305_state), STATE_BYTES);

CHECK(sizeof(hornet_poly1305_partial), PARTIAL_BYTES);

CHECK(offsetof(hornet_iovec, base), IOVEC_BASE_AT);
CHECK(offsetof(hornet_iovec, len_bytes), IOVEC_LEN_BYTES_AT);
CHECK(sizeof(hornet_iovec), IOVEC_BYTES);

CHECK(sizeof(hornet_aead_state), AEAD_STATE_BYTES);

CHECK(offsetof(hornet_packet, out), PACKET_OUT_AT);
CHECK(offsetof(hornet_packet, in), PACKET_IN_AT);
CHECK(offsetof(hornet_packet, len_bytes), PACKET_LEN_BYTES_AT);
CHECK(offsetof(hornet_packet, aad), PACKET_AAD_AT);
CHECK(offsetof(hornet_packet, aad_bytes), PACKET_AAD_BYTES_AT);
CHECK(offsetof(hornet_packet, nonce), PACKET_NONCE_AT);
CHECK(offsetof(hornet_packet, key), PACKET_KEY_AT);
CHECK(offsetof(hornet_packet, tag), PACKET_TAG_AT);
CHECK(sizeof(hornet_packet), PACKET_BYTES);

CHECK(offsetof(hornet_kernel_info, name), KERNEL_INFO_NAME_AT);
CHECK(offsetof(hornet_kernel_info, needs), KERNEL_INFO_NEEDS_AT);
CHECK(sizeof(((hornet_kernel_info *)NULL)->needs), KERNEL_INFO_NEEDS_BYTES);
CHECK(offsetof(hornet_kernel_info, lanes), KERNEL_INFO_LANES_AT);
CHECK(offsetof(hornet_kernel_info, min_bytes), KERNEL_INFO_MIN_BYTES_AT);
CHECK(offsetof(hornet_kernel_info, min_batch_bytes), KERNEL_INFO_MIN_BATCH_BYTES_AT);
CHECK(offsetof(hornet_kernel_info, supported), KERNEL_INFO_SUPPORTED_AT);
CHECK(sizeof(hornet_kernel_info), KERNEL_INFO_BYTES);

/* Not every compiler compares strings at compile time. A test of the crate also asks the library. */
#ifdef __GNUC__
_Static_assert(__builtin_strcmp(HORNET_VERSION, CRATE_VERSION) == 0,
               "HORNET_VERSION in hornet.h is not the crate's version, " CRATE_VERSION);
#endif
