/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs every public function in several threads, while another thread forces each Poly1305 and ChaCha20
 * kernel in turn, as fast as possible. Every result must be the one that a single thread computes.
 *
 *     test_threads SECONDS */
#define IN_THREADS
#include <pthread.h>
#include <time.h>

#include "../support/call_results.h"
#include "../support/chacha20_kernels.h"
#include "../support/kernels.h"

enum { WORKERS = 3 };

static struct secrets secrets;
static struct call_result expected[SECRET_CALLS][CALL_LENGTHS];
static unsigned char stop;

static bool stopped(void) { return __atomic_load_n(&stop, __ATOMIC_RELAXED); }

static void compute(struct call_result *result, const struct secret_call *function, size_t n)
{
    begin_call(function, n, &secrets);
    function->call(n);
    take_result(result, function, n);
}

struct worker {
    pthread_t thread;
    unsigned long calls, wrong;
    size_t first; /* the index in secret_calls at which it begins */
    const char *wrong_function;
    size_t wrong_length;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    static _Thread_local struct call_result result;
    for (size_t f = w->first; !stopped(); f = (f + 1) % SECRET_CALLS)
        for (size_t i = 0; i < CALL_LENGTHS; i++) {
            compute(&result, &secret_calls[f], call_lengths[i]);
            w->calls++;
            if (same_result(&result, &expected[f][i], &secret_calls[f], call_lengths[i]))
                continue;
            w->wrong++;
            w->wrong_function = secret_calls[f].name;
            w->wrong_length = call_lengths[i];
        }
    return NULL;
}

static void *force(void *argument)
{
    unsigned long *forced = argument;
    while (!stopped())
        for (size_t k = 0; k < KERNEL_COUNT; k++)
            for (size_t c = 0; c < CHACHA20_KERNELS; c++) {
                *forced += hornet_kernel_force(HORNET_POLY1305, name_of(all_kernels[k]));
                *forced += hornet_kernel_force(HORNET_CHACHA20, chacha20_name(chacha20_kernels[c]));
            }
    return NULL;
}

int main(int argc, char **argv)
{
    const int seconds = argc > 1 ? atoi(argv[1]) : 10;
    static struct worker workers[WORKERS];
    pthread_t forcing;
    unsigned long forced = 0, calls = 0;
    make_secrets(&secrets, RANDOM);
    for (size_t f = 0; f < SECRET_CALLS; f++)
        for (size_t i = 0; i < CALL_LENGTHS; i++)
            compute(&expected[f][i], &secret_calls[f], call_lengths[i]);
    for (size_t i = 0; i < WORKERS; i++) {
        workers[i].first = i * SECRET_CALLS / WORKERS;
        check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
    }
    check(pthread_create(&forcing, NULL, force, &forced) == 0, "no thread");
    nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(forcing, NULL);
    for (size_t i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        calls += workers[i].calls;
        check(workers[i].wrong == 0, "%lu wrong results, the last of %s at %zu bytes", workers[i].wrong,
              workers[i].wrong_function, workers[i].wrong_length);
        check(workers[i].calls > SECRET_CALLS * CALL_LENGTHS, "thread %zu did not reach every call", i);
    }
    check(forced > 1000, "kernels were forced %lu times only", forced);
    printf("%lu calls beside %lu changes of a kernel in %d s\n", calls, forced, seconds);
    return check_report("test_threads");
}
