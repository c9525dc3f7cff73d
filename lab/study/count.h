/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the operations of a kernel's parts and messages, over counting lanes. Included into the
 * kernel's own file by HORNET_KERNEL_HOOK. Prints one line of JSON for each.
 *
 * COUNTED names the absorbing functions, as COUNTED_KERNEL(name, function) each. */
#include <stdio.h>

enum { COUNTED_GROUPS = 384 }; /* a multiple of any lambda up to 32, and of 3 */

static void print_counts(const char *kernel, const char *part, unsigned long divisor)
{
    static const char *const names[] = {"mul32",     "madd52", "add",   "shift", "logic", "permute32",
                                        "permute64", "unpack", "blend", "set",   "load",  "packing"};
    printf("{\"kernel\": \"%s\", \"part\": \"%s\", \"lanes\": %d, \"counts\": {", kernel, part, LANES);
    for (int i = 0; i < COUNTED_OPERATIONS; i++)
        printf("%s\"%s\": %.4g", i == 0 ? "" : ", ", names[i],
               (double)operations_counted[i] / (double)divisor);
    printf("}}\n");
    memset(operations_counted, 0, sizeof operations_counted);
}

typedef void (*absorb_function)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);

/* In the inner loop: the additional operations for twice as many groups. */
static void count_messages(const char *kernel, absorb_function absorb)
{
    static uint8_t msg[2 * COUNTED_GROUPS * 16 * LANES];
    unsigned long before[COUNTED_OPERATIONS];
    struct poly1305 state = {.r = {HORNET_CLAMP_LO, HORNET_CLAMP_HI}};
    memset(operations_counted, 0, sizeof operations_counted);
    absorb(&state, msg, sizeof msg / 2);
    memcpy(before, operations_counted, sizeof before);
    memset(operations_counted, 0, sizeof operations_counted);
    absorb(&state, msg, sizeof msg);
    for (int i = 0; i < COUNTED_OPERATIONS; i++)
        operations_counted[i] -= before[i];
    print_counts(kernel, "block", (unsigned long)COUNTED_GROUPS * LANES);
#ifdef HORNET_STUDY_FIELD_PACKED26_H
    /* After the full groups, every number of pieces in which the evaluations differ. */
    for (size_t rest = 15; rest < GROUP_BYTES; rest += 16) {
        char part[64];
        const size_t len_bytes = 4 * GROUP_BYTES + rest;
        (void)snprintf(part, sizeof part, "message of %zu bytes", len_bytes);
        absorb(&state, msg, len_bytes);
        print_counts(kernel, part, 1);
    }
#endif
}

int main(void)
{
#ifdef HORNET_STUDY_FIELD_PACKED26_H
    static const uint8_t blocks[16 * LANES];
    const uint64_t words[3] = {1, 2, 1};
    const packed_multiplier factors = packed_multiplier_from(fe_from_three_words(words));
    const single_multiplier one = single_multiplier_from(fe_from_three_words(words));
    const single_operands operands = single_operands_of(&one);
    const single_fe c = single_from_words(words);
    const packed_fe t = packed_group(blocks);
    memset(operations_counted, 0, sizeof operations_counted);
    const wide product = packed_mult(NULL, t, &factors);
    print_counts(HORNET_STRING(KERNEL), "vecMult", 1);
    (void)packed_reduce(product);
    print_counts(HORNET_STRING(KERNEL), "vecReduce", 1);
    (void)packed_of_single(single_mul(c, &operands));
    print_counts(HORNET_STRING(KERNEL), "first multiplication, rho 1", 1);
    (void)packed_of_pair(c, c, &operands);
    print_counts(HORNET_STRING(KERNEL), "first multiplication, rho 2", 1);
#else
    const multiplier factors = multiplier_from(fe_zero());
    memset(operations_counted, 0, sizeof operations_counted);
    const wide product = wide_mul_add(wide_zero(), fe_zero(), &factors);
    print_counts(HORNET_STRING(KERNEL), "multiplication", 1);
    (void)fe_carry(product);
    print_counts(HORNET_STRING(KERNEL), "reduction", 1);
#endif
#define COUNTED_KERNEL(name, function) count_messages(#name, function);
    COUNTED
}
