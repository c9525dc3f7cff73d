/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the additions and subtractions of table elements in the multiplications of kernels/tables.c, over
 * random messages under random keys. Prints one line of JSON for each method. */
#include <stdio.h>

static unsigned long additions;
#define COUNT_ADDITION ((void)additions++)

#include "kernels/tables.c" /* NOLINT(bugprone-suspicious-include): its counts are of this very code */

enum { KEYS = 512, BLOCKS = 64 };

/* splitmix64 */
static uint64_t random_word(void)
{
    static uint64_t state;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define COUNT_METHOD(method)                                                                               \
    do {                                                                                                   \
        unsigned long all = 0, fewest = -1UL, most = 0;                                                    \
        for (int key = 0; key < KEYS; key++) {                                                             \
            const uint64_t r[2] = {random_word() & HORNET_CLAMP_LO, random_word() & HORNET_CLAMP_HI};      \
            static method##_table table;                                                                   \
            table_number h = {{0, 0, 0}};                                                                  \
            method##_fill(&table, r);                                                                      \
            for (int block = 0; block < BLOCKS; block++) {                                                 \
                const table_number c = {{random_word(), random_word(), 1}};                                \
                table_add(&h, &c);                                                                         \
                additions = 0;                                                                             \
                h = method##_mul(&table, h);                                                               \
                all += additions;                                                                          \
                fewest = additions < fewest ? additions : fewest;                                          \
                most = additions > most ? additions : most;                                                \
            }                                                                                              \
        }                                                                                                  \
        printf("{\"kernel\": \"%s\", \"part\": \"multiplication\", \"lanes\": 1, \"counts\": "             \
               "{\"additions\": %.2f, \"least\": %lu, \"most\": %lu, \"blocks\": %d}}\n",                  \
               #method, (double)all / (KEYS * BLOCKS), fewest, most, KEYS * BLOCKS);                       \
    } while (0)

int main(void)
{
    COUNT_METHOD(doublings);
    COUNT_METHOD(triples);
    COUNT_METHOD(multiples);
}
