/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "list.h"

#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../src/aes/aes.h"
#include "../../src/core/constant_time.h"
#include "../../src/poly1305/kernel.h"

#define STUDY_KERNEL(name, ...) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
#include "kernels.def"

static void hornet_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    hornet_poly1305(tag, msg, len_bytes, key);
}

static const struct {
    const struct hornet_poly1305_kernel *kernel;
    const char *paper, *label;
} listed[] = {
#define STUDY_KERNEL(name, paper, label) {&hornet_poly1305_kernel_##name, #paper, label},
#include "kernels.def"
    {NULL, "library", "Hornet"},
#define HORNET_ENTRY(name, ...) {&hornet_poly1305_kernel_##name, "library", #name},
#include "../../src/poly1305/kernels.def"
};

enum { LISTED = sizeof listed / sizeof listed[0] };

size_t study_entries(const struct study_entry **entries)
{
    static struct study_entry all[LISTED];
    for (size_t i = 0; i < LISTED; i++) {
        const struct hornet_poly1305_kernel *kernel = listed[i].kernel;
        all[i] =
            kernel == NULL
                ? (struct study_entry){"hornet", listed[i].paper, listed[i].label, hornet_mac, true}
                : (struct study_entry){kernel->implementation.name, listed[i].paper, listed[i].label,
                                       kernel->mac, hornet_can_run(&kernel->implementation, hornet_cpu())};
    }
    *entries = all;
    return LISTED;
}

bool study_verify_aes(const struct study_entry *entry, const uint8_t tag[16], const uint8_t *msg,
                      size_t len_bytes, const uint8_t nonce[16], const uint8_t key[32])
{
    if (entry->mac == hornet_mac)
        return hornet_poly1305_aes_verify(tag, msg, len_bytes, nonce, key);
    uint8_t one_time[32], expected[16];
    memcpy(one_time, key + 16, 16);
    hornet_aes_for(1, hornet_aes_entries_in_use())
        ->encrypt((uint8_t(*)[16])(one_time + 16), (const uint8_t(*)[16])nonce, (const uint8_t(*)[32])key,
                  1);
    entry->mac(expected, msg, len_bytes, one_time);
    return tags_equal(tag, expected);
}

void study_tag_aes(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                   const uint8_t key[32])
{
    if (!hornet_poly1305_aes(tag, msg, len_bytes, nonce, key))
        memset(tag, 0, 16);
}

uint64_t study_z14_phase(bool parallel, enum study_phase phase, const uint8_t *groups, size_t ngroups)
{
#if HORNET_INT128
    return parallel ? study_phase_z14_parallel(phase, groups, ngroups)
                    : study_phase_z14_serial(phase, groups, ngroups);
#else
    return (void)parallel, (void)phase, (void)groups, ngroups;
#endif
}
