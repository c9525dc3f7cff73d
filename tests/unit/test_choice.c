/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A call reads its choice of kernels only once. The library is compiled so that each read of a choice is
 * counted, and followed by forcing another kernel, as another thread might do: the next read would find
 * the next kernel. So a call that reads twice is detected by the count, and any computation that mixes
 * two kernels by its result.
 *
 *     test_choice            every public function in secret_calls.h
 *     test_choice twice      a function that reads twice: the test must fail */
#include "../support/call_results.h"
#include "../support/chacha20_kernels.h"
#include "../support/kernels.h"

static bool counts;
static unsigned reads[3];

static const struct hornet_list *const lists[] = {&hornet_poly1305_list, &hornet_chacha20_list,
                                                  &hornet_aes_list};

/* Forces the implementation after the one that was forced before. */
static void force_next(const struct hornet_list *list, size_t *last)
{
    do
        *last = (*last + 1) % list->count;
    while (!hornet_dispatch_force(list, list->entries[*last].implementation->name));
}

void hornet_test_loads(const uint32_t *word)
{
    static size_t last[3];
    for (int i = 0; counts && i < 3; i++)
        if (word == lists[i]->in_use && reads[i]++ != 0) {
            counts =
                false; /* hornet_dispatch_force reads the features of the CPU, which are another word */
            force_next(lists[i], &last[i]);
            counts = true;
        }
}

static void call_twice(size_t n)
{
    call_seal(n);
    call_seal(n);
}

/* Tests one call, with a choice from both lists. */
static void test_call(const struct secret_call *function, size_t n, const struct secrets *secrets)
{
    static struct call_result expected, result;
    begin_call(function, n, secrets);
    function->call(n);
    take_result(&expected, function, n);

    begin_call(function, n, secrets);
    memset(reads, 0, sizeof reads);
    counts = true;
    function->call(n);
    counts = false;
    take_result(&result, function, n);
    for (int i = 0; i < 3; i++)
        check(reads[i] <= 1, "%s, %zu bytes: reads the choice of %s %u times", function->name, n,
              ((const char *const[]){"Poly1305's kernel", "ChaCha20's kernel", "AES"})[i], reads[i]);
    check(same_result(&result, &expected, function, n), "%s, %zu bytes, %s, %s: another result",
          function->name, n, hornet_kernel_in_use(HORNET_POLY1305), hornet_kernel_in_use(HORNET_CHACHA20));
}

int main(int argc, char **argv)
{
    static struct secrets secrets;
    static const struct secret_call twice = {
        .name = "two calls for one", .call = call_twice, .one_length = true};
    make_secrets(&secrets, RANDOM);
    if (argc > 1 && strcmp(argv[1], "twice") == 0) {
        test_call(&twice, 1200, &secrets);
        return check_report("test_choice");
    }
    for (size_t k = 0; k < KERNEL_COUNT; k++)
        for (size_t c = 0; c < CHACHA20_KERNELS; c++) {
            if (!kernel_runs_here(all_kernels[k]) || !chacha20_runs_here(chacha20_kernels[c]))
                continue;
            force_kernel(name_of(all_kernels[k]));
            force_chacha20(chacha20_kernels[c]);
            for (size_t f = 0; f < SECRET_CALLS; f++)
                for (size_t i = 0; i < CALL_LENGTHS; i++)
                    test_call(&secret_calls[f], call_lengths[i], &secrets);
        }
    return check_report("test_choice");
}
