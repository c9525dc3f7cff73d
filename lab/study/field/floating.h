/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Conversion of 32-bit limbs to and from floating point. Bernstein 2005, section 4, "Instruction
 * selection and scheduling" and "Output conversion". */
#ifndef HORNET_STUDY_FIELD_FLOATING_H
#define HORNET_STUDY_FIELD_FLOATING_H

#include <stdint.h>

#include "../../../src/core/memory.h"
#include "../../../src/core/words.h"

/* The positions of a number's four limbs: 2^0, 2^32, 2^64, 2^96. */
enum { FLOATING_LIMBS = 4 };

/* 2^(52 + 32 i): added to a limb below 2^52 at position 2^(32 i), it makes the limb the low bits of a
 * double. */
#define FLOATING_BIAS(i) (0x1p52 * ((i) == 0 ? 1.0 : (i) == 1 ? 0x1p32 : (i) == 2 ? 0x1p64 : 0x1p96))

/* value 2^(32 i) + FLOATING_BIAS(i), for a value below 2^52. */
HORNET_INLINE double biased_double(uint64_t value, int i)
{
    const uint64_t bits = (uint64_t)(1023 + 52 + 32 * i) << 52 | value;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Cuts a number of three words, the third below 2^18, into 32-bit limbs, of which the last is longer. */
HORNET_INLINE void quarters_of_words(uint64_t quarters[FLOATING_LIMBS], const uint64_t words[3])
{
    quarters[0] = (uint32_t)words[0];
    quarters[1] = words[0] >> 32;
    quarters[2] = (uint32_t)words[1];
    quarters[3] = words[1] >> 32 | words[2] << 32;
}

/* Returns the number whose limbs at 2^(32 i) are below 2^63. */
HORNET_INLINE void words_of_quarters(uint64_t words[3], const uint64_t quarters[FLOATING_LIMBS])
{
    words[0] = quarters[0];
    words[1] = words[2] = 0;
    add_words(words, quarters[1] << 32, quarters[1] >> 32, 0);
    add_words(words, 0, quarters[2], 0);
    add_words(words, 0, quarters[3] << 32, quarters[3] >> 32);
}

#endif
