/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words that threads share: the words of dispatch and the features of the CPU, which every thread would set
 * to the same value. Uses compiler builtins, because for some targets clang finds gcc's stdatomic.h. */
#ifndef HORNET_CORE_ATOMIC_H
#define HORNET_CORE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

HORNET_INLINE uint32_t atomic_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

HORNET_INLINE void atomic_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Compare-and-swap: if *word == *expected, sets *word to value and returns true; otherwise sets *expected
 * to *word and returns false. */
HORNET_INLINE bool atomic_replace(uint32_t *word, uint32_t *expected, uint32_t value)
{
    return __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
