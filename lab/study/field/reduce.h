/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The reduction of a number of three words. */
#ifndef HORNET_STUDY_FIELD_REDUCE_H
#define HORNET_STUDY_FIELD_REDUCE_H

#include <stdint.h>

#include "../../../src/core/words.h"

/* words: a number below 2^190, partially reduced, as a kernel leaves it: words[2] <= HORNET_H2_MAX. */
HORNET_INLINE void reduce_words(uint64_t words[3])
{
    const uint64_t above = words[2] >> 2; /* times 2^130, which is 5 */
    words[2] &= 3;
    add_words(words, 5 * above, 0, 0);
}

#endif
