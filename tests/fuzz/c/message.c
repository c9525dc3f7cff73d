/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One message, in one call and cut at any position, with another kernel after each cut: every kernel must
 * compute what the definition says. */
#include "fuzz.h"

enum { MOST_CUTS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t input_bytes)
{
    struct input input = {bytes, input_bytes};
    uint8_t key[32], expected[16], tag[16], cuts[MOST_CUTS];
    size_t len_bytes;
    const size_t ncuts = take_byte(&input) % (MOST_CUTS + 1);
    take(&input, cuts, sizeof cuts);
    take(&input, key, sizeof key);
    uint8_t *msg = take_message(&input, &len_bytes);
    reference_tag(expected, msg, len_bytes, key);

    const struct hornet_poly1305_kernel *kernel;
    for (int k = 0; (kernel = next_kernel(&k)) != NULL;) {
        kernel->mac(tag, msg, len_bytes, key);
        must(memcmp(tag, expected, 16) == 0, "the kernel's own call", name_of(kernel));
        must(hornet_kernel_force(name_of(kernel)), "forced", name_of(kernel));
        hornet_poly1305(tag, msg, len_bytes, key);
        must(memcmp(tag, expected, 16) == 0, "one call", name_of(kernel));
        must(hornet_poly1305_verify(expected, msg, len_bytes, key), "verify", name_of(kernel));
    }

    /* The cuts ascend: each is a part of what is left. */
    hornet_poly1305_state state;
    size_t at = 0;
    hornet_poly1305_init(&state, key);
    for (size_t i = 0; i <= ncuts; i++) {
        const size_t n = i == ncuts ? len_bytes - at : (len_bytes - at) * cuts[i] / 256;
        const struct hornet_poly1305_kernel *next = all_kernels[(cuts[i % MOST_CUTS] + i) % KERNEL_COUNT];
        if (kernel_runs_here(next))
            must(hornet_kernel_force(name_of(next)), "forced", name_of(next));
        hornet_poly1305_update(&state, msg + at, n);
        at += n;
    }
    hornet_poly1305_final(&state, tag);
    must(memcmp(tag, expected, 16) == 0, "cut in pieces", hornet_kernel_name());
    free(msg);
    return 0;
}
