/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The library's code for keys, padding and tags, over words and bytes that may be nodes. Included before
 * samples.h, which includes some of it over numbers. */
#ifndef COCONUT_BLOCKS_WORDS_OF_BYTES_H
#define COCONUT_BLOCKS_WORDS_OF_BYTES_H

#define uint64_t COCONUT_WORD
#define uint32_t COCONUT_WORD32
#define uint8_t  COCONUT_BYTE
#include "../../src/poly1305/padding.h"
#include "../../src/poly1305/state.h"
#include "../../src/poly1305/tag.h"
#undef uint8_t
#undef uint32_t
#undef uint64_t

#endif
