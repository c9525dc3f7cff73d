/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints how much stack each public function takes, at most: for every kernel that this CPU has, over
 * lengths that reach each of its paths. A function runs on a stack of its own, which has a pattern before.
 *
 *     FUNCTION BYTES KERNEL LENGTH     for each function; where that was measured */
#include <stdlib.h>
#include <string.h>

#define MESSAGES          100 /* more than are sorted together */
#define MESSAGE_MAX_BYTES 70000

#include "../support/call_on.h"
#include "../support/chacha20_kernels.h"
#include "../support/pages.h"
#include "../support/secret_calls.h"

#ifndef STACK_BYTES
#define STACK_BYTES (64 * 1024)
#endif

static const uint64_t paint = UINT64_C(0xa5a5a5a5a5a5a5a5);

static uint64_t *stack;
static struct secrets secrets;

static void call_nothing(size_t n) { (void)n; }
static void call_version(size_t n) { it.ok = n == 0 || hornet_version()[0] != 0; }
static void call_r_is_clamped(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_r_is_clamped(it.keys[0]);
}
static void call_partial_len_bytes(size_t n)
{
    it.ok = hornet_poly1305_partial_len_bytes(&it.partial) == n;
}
static void call_stream_sealed_bytes(size_t n)
{
    uint64_t bytes;
    it.ok = hornet_stream_sealed_bytes(&bytes, n);
}
static void call_stream_text_bytes(size_t n)
{
    uint64_t bytes;
    it.ok = hornet_stream_text_bytes(&bytes, n);
}
static void call_kernel_at(size_t n)
{
    hornet_kernel kernel;
    it.ok = hornet_kernel_at(&kernel, (hornet_primitive)(n % 4), n / 4);
}
static void call_kernel_in_use(size_t n)
{
    it.ok = hornet_kernel_in_use((hornet_primitive)(n % 4)) != NULL;
}
/* Another kernel would be in use afterwards. */
static void call_kernel_force(size_t n) { it.ok = hornet_kernel_force((hornet_primitive)(n % 4), "none"); }
static void call_cpu_feature_at(size_t n)
{
    hornet_cpu_feature feature;
    it.ok = hornet_cpu_feature_at(&feature, n);
}

static const struct secret_call other_calls[] = {
    {.name = "hornet_version", .call = call_version},
    {.name = "hornet_poly1305_r_is_clamped", .call = call_r_is_clamped},
    {.name = "hornet_poly1305_partial_len_bytes", .call = call_partial_len_bytes},
    {.name = "hornet_stream_sealed_bytes", .call = call_stream_sealed_bytes},
    {.name = "hornet_stream_text_bytes", .call = call_stream_text_bytes},
    {.name = "hornet_kernel_at", .call = call_kernel_at},
    {.name = "hornet_kernel_in_use", .call = call_kernel_in_use},
    {.name = "hornet_kernel_force", .call = call_kernel_force},
    {.name = "hornet_cpu_feature_at", .call = call_cpu_feature_at},
};

enum { OTHER_CALLS = sizeof other_calls / sizeof other_calls[0], CALLS = SECRET_CALLS + OTHER_CALLS };

static struct {
    size_t bytes, len_bytes;
    const char *kernel;
} most[CALLS];

static const struct secret_call *call_at(size_t f)
{
    return f < SECRET_CALLS ? &secret_calls[f] : &other_calls[f - SECRET_CALLS];
}

static size_t taken_by(void (*call)(size_t n), size_t n)
{
    /* Some frames begin at a multiple of 64. */
    static size_t calls;
    const size_t top = STACK_BYTES - calls++ / 2 % 4 * 16;
    size_t clean = 0;
    memset(stack, (uint8_t)paint, STACK_BYTES);
    call_on(call, n, stack + top / 8);
    while (8 * clean < top && stack[clean] == paint)
        clean++;
    return top - 8 * clean;
}

static void measure(size_t f, size_t n, size_t aad_bytes, const char *kernel)
{
    const struct secret_call *const function = call_at(f);
    set_up(function, n, &secrets);
    /* As many as can be processed together, and more. */
    for (size_t i = 0; i < MESSAGES; i++) {
        it.packets[i].len_bytes = it.lens_bytes[i] = i % 50 == 6 ? n / 2 : n;
        it.packets[i].aad_bytes = aad_bytes;
        it.ssh_packets[i].len_bytes = (uint32_t)it.lens_bytes[i];
    }
    const size_t bytes = taken_by(function->call, n) - taken_by(call_nothing, n);
    if (bytes <= most[f].bytes)
        return;
    most[f].bytes = bytes;
    most[f].len_bytes = n;
    most[f].kernel = kernel;
}

static bool is_batch(size_t f) { return strstr(call_at(f)->name, "_batch") != NULL; }

/* Every length at which a call may take another path, up to a few blocks. */
static void measure_all(const char *kernel, bool every_call)
{
    for (size_t f = 0; f < CALLS; f++) {
        const struct secret_call *const function = call_at(f);
        if (!every_call && !function->encrypts)
            continue;
        const size_t longest = function->one_length ? 0 : is_batch(f) ? 10000 : 68000;
        const size_t most_aad = is_batch(f) && function->encrypts ? 64 : 16;
        for (size_t n = 0; n <= longest; n += n < 1700 ? 16 : n / 5)
            for (size_t aad_bytes = 16; aad_bytes <= most_aad; aad_bytes += 24)
                measure(f, n, aad_bytes, kernel);
    }
}

int main(void)
{
    stack = reserve_pages(STACK_BYTES);
    if (stack == NULL || !allow_pages(stack, STACK_BYTES))
        return 2;
    make_secrets(&secrets, RANDOM);
    hornet_kernel at;
    for (hornet_primitive primitive = HORNET_POLY1305; primitive <= HORNET_AES128; primitive++) {
        for (size_t k = 0; hornet_kernel_at(&at, primitive, k); k++)
            if (at.supported) {
                const char *const name = at.name;
                check(hornet_kernel_force(primitive, name), "kernel %s", name);
                measure_all(name, primitive != HORNET_CHACHA20);
            }
        check(hornet_kernel_force(primitive, NULL), "the automatic choice");
    }
    for (size_t k = 0; k < CHACHA20_KERNELS; k++) /* the pass tables for other CPUs too */
        if (chacha20_runs_here(chacha20_kernels[k])) {
            force_chacha20(chacha20_kernels[k]);
            measure_all(chacha20_name(chacha20_kernels[k]), false);
        }
    for (size_t f = 0; f < CALLS; f++)
        printf("%s %zu %s %zu\n", call_at(f)->name, most[f].bytes, most[f].kernel, most[f].len_bytes);
    return check_report("test_stack_use");
}
