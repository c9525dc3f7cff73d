/* Times the kernels of this CPU beside libcrypto's Poly1305, all in one process, in turn.
 *
 *     speed [LENGTH_BYTES...]
 *
 * Prints, for each length, the median nanoseconds of one call with a fresh key, and its ratio to
 * libcrypto. Kernels are called below the length switch, so that a row shows the vectors themselves. Set
 * OPENSSL_ia32cap to hold libcrypto to an older instruction set. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../include/hornet.h"
#include "../tests/kernels.h"

enum { ROUNDS = 101, MAX_SUBJECTS = 1 + KERNEL_COUNT };

struct subject {
    const char *name;
    const struct hornet_kernel *kernel; /* NULL: libcrypto */
    double ns[ROUNDS];
};

static EVP_MAC_CTX *evp;
static uint8_t key[32], tag[16];

static void call(const struct subject *subject, const uint8_t *msg, size_t len_bytes)
{
    key[0]++; /* a fresh key each time */
    if (subject->kernel == NULL) {
        size_t tag_bytes;
        if (!EVP_MAC_init(evp, key, sizeof key, NULL) || !EVP_MAC_update(evp, msg, len_bytes) ||
            !EVP_MAC_final(evp, tag, &tag_bytes, sizeof tag))
            exit(2);
    } else {
        /* As hornet_poly1305 does, with the kernel fixed. */
        hornet_poly1305_state state;
        hornet_poly1305_init(&state, key);
        subject->kernel->absorb((struct poly1305 *)&state, msg, len_bytes);
        hornet_poly1305_final(&state, tag);
    }
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const size_t default_lengths[] = {16,  32,  64,  96,   128,  160,  192,   224,    256,
                                             320, 384, 512, 1024, 1350, 4096, 16384, 1048576};
    struct subject subjects[MAX_SUBJECTS] = {{.name = "libcrypto"}};
    size_t nsubjects = 1;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (kernel_runs_here(all_kernels[i]))
            subjects[nsubjects++] = (struct subject){all_kernels[i]->name, all_kernels[i], {0}};

    evp = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "POLY1305", NULL));
    uint8_t *msg = calloc(1, 1 << 24);
    if (!evp || !msg)
        return 2;

    const char *mask = getenv("OPENSSL_ia32cap");
    printf("%s, OPENSSL_ia32cap=%s; compiler of hornet: %s\n", OpenSSL_version(OPENSSL_VERSION),
           mask ? mask : "", __VERSION__);
    printf("%9s", "bytes");
    for (size_t s = 0; s < nsubjects; s++)
        printf("  %9s  ratio", subjects[s].name);
    printf("\n");

    const size_t nlengths = argc > 1 ? (size_t)argc - 1 : sizeof default_lengths / sizeof(size_t);
    for (size_t i = 0; i < nlengths; i++) {
        const size_t len_bytes = argc > 1 ? strtoul(argv[i + 1], NULL, 10) : default_lengths[i];
        if (len_bytes == 0 || len_bytes > 1 << 24)
            return 2;
        const int calls = (int)(40000 / (len_bytes + 150)) + 1;
        for (int round = -2; round < ROUNDS; round++)
            for (size_t s = 0; s < nsubjects; s++) {
                const double start = now_ns();
                for (int j = 0; j < calls; j++)
                    call(&subjects[s], msg, len_bytes);
                if (round >= 0)
                    subjects[s].ns[round] = (now_ns() - start) / calls;
            }
        printf("%9zu", len_bytes);
        for (size_t s = 0; s < nsubjects; s++)
            qsort(subjects[s].ns, ROUNDS, sizeof(double), compare);
        for (size_t s = 0; s < nsubjects; s++)
            printf("  %9.1f  %5.2f", subjects[s].ns[ROUNDS / 2],
                   subjects[s].ns[ROUNDS / 2] / subjects[0].ns[ROUNDS / 2]);
        printf("\n");
    }
    return 0;
}
