/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Included before every source of the library by test_choice.py: reports each load of a word that
 * threads share to test_choice.c. */
#include <stdint.h>

void hornet_test_loads(const uint32_t *word);

#define __atomic_load_n(word, order) (hornet_test_loads(word), __atomic_load_n(word, order))
