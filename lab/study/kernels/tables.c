/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bernstein 2005, section 5, "Tables": multiplication by r as additions of multiples of r from a table.
 *
 * UNSAFE FOR SECRETS: which entries are read, and how many, depends on key and message.
 *
 *     doublings    r, 2 r, 4 r, ..., 2^130 r: about 65 additions per block
 *     triples      the same and 3 r, 24 r, 192 r, ...: the number in base 8 with the digits -4 to 4, of
 *                  which 7 in 8 are not 0, so about 38 additions and subtractions
 *     multiples    r, 2 r, 3 r, ..., 255 r: one byte at a time from the highest, each step times 2^8 */
#include "../kernel.h"

/* Defined by count_tables.c. */
#ifndef COUNT_ADDITION
#define COUNT_ADDITION ((void)0)
#endif

/* A number below 2^192. An entry is below 2^130 + 5. */
typedef struct {
    uint64_t word[3];
} table_number;

HORNET_INLINE void table_add(table_number *sum, const table_number *a)
{
    COUNT_ADDITION;
    add_words(sum->word, a->word[0], a->word[1], a->word[2]);
}

HORNET_INLINE table_number table_shl(table_number a, int bits)
{
    return (table_number){{a.word[0] << bits, a.word[1] << bits | a.word[0] >> (64 - bits),
                           a.word[2] << bits | a.word[1] >> (64 - bits)}};
}

HORNET_INLINE table_number table_double(table_number a)
{
    table_number twice = table_shl(a, 1);
    reduce_words(twice.word);
    return twice;
}

/* Returns `bits` bits of a number, starting at bit `at`. */
HORNET_INLINE unsigned table_digit(const table_number *a, unsigned at, unsigned bits)
{
    const uint64_t low = a->word[at / 64] >> (at % 64);
    const uint64_t high = at % 64 != 0 && at / 64 < 2 ? a->word[at / 64 + 1] << (64 - at % 64) : 0;
    return (unsigned)(low | high) & ((1U << bits) - 1);
}

/* The multiplied numbers are below 7 * 2^128 + 2^64: 131 bits. */
enum { TABLE_BITS = 131, TABLE_DIGITS = 44, TABLE_BYTES = 17 };

typedef struct {
    table_number entry[TABLE_BITS];
} doublings_table;

typedef struct {
    doublings_table powers;
    table_number triple[TABLE_DIGITS];
} triples_table;

typedef struct {
    table_number entry[256];
} multiples_table;

static void doublings_fill(doublings_table *table, const uint64_t r[2])
{
    table->entry[0] = (table_number){{r[0], r[1], 0}};
    for (int i = 1; i < TABLE_BITS; i++)
        table->entry[i] = table_double(table->entry[i - 1]);
}

static void triples_fill(triples_table *table, const uint64_t r[2])
{
    doublings_fill(&table->powers, r);
    for (int i = 0; i < TABLE_DIGITS; i++) {
        const int bit = 3 * i;
        table->triple[i] = table->powers.entry[bit];
        /* Only the highest digit, which is 0 or 1, could need 2^131 r and above. */
        if (bit + 1 < TABLE_BITS)
            table_add(&table->triple[i], &table->powers.entry[bit + 1]);
    }
}

static void multiples_fill(multiples_table *table, const uint64_t r[2])
{
    const table_number one = {{r[0], r[1], 0}};
    table->entry[0] = (table_number){{0, 0, 0}};
    for (int i = 1; i < 256; i++) {
        table->entry[i] = table->entry[i - 1];
        table_add(&table->entry[i], &one);
    }
}

/* The result is below 131 * 2^131 before it is reduced. */
HORNET_INLINE table_number doublings_mul(const doublings_table *table, table_number h)
{
    table_number sum = {{0, 0, 0}};
    for (unsigned i = 0; i < TABLE_BITS; i++)
        if (table_digit(&h, i, 1) != 0)
            table_add(&sum, &table->entry[i]);
    reduce_words(sum.word);
    return sum;
}

/* Additions and subtractions are summed separately, each below 44 * 3 * 2^131; 2^10 p is added, which is
 * more than is subtracted. */
HORNET_INLINE table_number triples_mul(const triples_table *table, table_number h)
{
    table_number sums[2] = {{{0, 0, 0}}, {{0, 0, 0}}};
    unsigned carry = 0;
    for (unsigned i = 0; i < TABLE_DIGITS; i++) {
        const unsigned digit = table_digit(&h, 3 * i, 3) + carry; /* 0 to 8 */
        const bool negative = digit > 4;
        const unsigned size = negative ? 8 - digit : digit;
        carry = negative;
        if (size == 3)
            table_add(&sums[negative], &table->triple[i]);
        else if (size != 0)
            table_add(&sums[negative], &table->powers.entry[3 * i + size / 2]);
    }
    const uint64_t bias[3] = {0 - (UINT64_C(5) << 10), UINT64_MAX, (UINT64_C(1) << 12) - 1};
    add_words(sums[0].word, bias[0], bias[1], bias[2]);
    table_number *minus = &sums[1];
    add_words(sums[0].word, ~minus->word[0], ~minus->word[1], ~minus->word[2]);
    add_words(sums[0].word, 1, 0, 0);
    reduce_words(sums[0].word);
    return sums[0];
}

/* The result is below 2^8 (2^130 + 2^16) + 2^138 before it is reduced. */
HORNET_INLINE table_number multiples_mul(const multiples_table *table, table_number h)
{
    table_number sum = {{0, 0, 0}};
    for (unsigned i = TABLE_BYTES; i-- != 0;) {
        sum = table_shl(sum, 8);
        table_add(&sum, &table->entry[table_digit(&h, 8 * i, 8)]);
        reduce_words(sum.word);
    }
    return sum;
}

#define TABLE_KERNEL(method)                                                                               \
    static void method##_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes,            \
                                  bool fresh)                                                              \
    {                                                                                                      \
        method##_table table;                                                                              \
        table_number h = {{state->h[0], state->h[1], state->h[2]}};                                        \
        (void)fresh;                                                                                       \
        method##_fill(&table, state->r);                                                                   \
        while (len_bytes != 0) {                                                                           \
            const size_t n = first_block_bytes(len_bytes);                                                 \
            table_number c;                                                                                \
            load_first_block(c.word, msg, len_bytes);                                                      \
            table_add(&h, &c);                                                                             \
            h = method##_mul(&table, h);                                                                   \
            msg += n;                                                                                      \
            len_bytes -= n;                                                                                \
        }                                                                                                  \
        for (int i = 0; i < 3; i++)                                                                        \
            state->h[i] = h.word[i];                                                                       \
    }                                                                                                      \
    STUDY_KERNEL_RECORD(method, CPU_ANY, 1, method##_evaluate)

TABLE_KERNEL(doublings);
TABLE_KERNEL(triples);
TABLE_KERNEL(multiples);
