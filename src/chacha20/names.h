/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The names that the templates in lanes/ and shapes/ define. In a kernel, each name gets the kernel's
 * name as a suffix, as in poly1305/names.h: rows_stream becomes chacha20_rows_stream_NAME while KERNEL is
 * NAME. */
#ifndef HORNET_CHACHA20_NAMES_H
#define HORNET_CHACHA20_NAMES_H

#include "../core/compiler.h"

#define CHACHA20_SCOPED(name) HORNET_PASTE(chacha20_, name, _, KERNEL)

/* lanes/ */
#define word_vec              CHACHA20_SCOPED(word_vec)
#define words_bytes           CHACHA20_SCOPED(words_bytes)
#define words_splat           CHACHA20_SCOPED(words_splat)
#define words_broadcast       CHACHA20_SCOPED(words_broadcast)
#define words_numbers         CHACHA20_SCOPED(words_numbers)
#define words_part_numbers    CHACHA20_SCOPED(words_part_numbers)
#define words_add             CHACHA20_SCOPED(words_add)
#define words_xor             CHACHA20_SCOPED(words_xor)
#define words_rotl            CHACHA20_SCOPED(words_rotl)
#define words_rotl8           CHACHA20_SCOPED(words_rotl8)
#define words_rotl16          CHACHA20_SCOPED(words_rotl16)
#define words_load            CHACHA20_SCOPED(words_load)
#define words_store           CHACHA20_SCOPED(words_store)
#define words_little_endian   CHACHA20_SCOPED(words_little_endian)
#define words_from_1          CHACHA20_SCOPED(words_from_1)
#define words_from_2          CHACHA20_SCOPED(words_from_2)
#define words_from_3          CHACHA20_SCOPED(words_from_3)
#define words_each_part       CHACHA20_SCOPED(words_each_part)
#define words_transpose_parts CHACHA20_SCOPED(words_transpose_parts)
#define words_gather_parts    CHACHA20_SCOPED(words_gather_parts)
#define words_first           CHACHA20_SCOPED(words_first)
#define words_load_first      CHACHA20_SCOPED(words_load_first)
#define words_store_first     CHACHA20_SCOPED(words_store_first)

/* shapes/ */
#define rows_set              CHACHA20_SCOPED(rows_set)
#define rows_begin            CHACHA20_SCOPED(rows_begin)
#define rows_quarter_rounds   CHACHA20_SCOPED(rows_quarter_rounds)
#define rows_double_round     CHACHA20_SCOPED(rows_double_round)
#define rows_end              CHACHA20_SCOPED(rows_end)
#define rows_stream           CHACHA20_SCOPED(rows_stream)
#define lanes_quarter_rounds  CHACHA20_SCOPED(lanes_quarter_rounds)
#define lanes_word            CHACHA20_SCOPED(lanes_word)
#define lanes_double_round    CHACHA20_SCOPED(lanes_double_round)
#define lanes_start           CHACHA20_SCOPED(lanes_start)
#define lanes_finish          CHACHA20_SCOPED(lanes_finish)
#define lanes_xor             CHACHA20_SCOPED(lanes_xor)
#define beside_double_round   CHACHA20_SCOPED(beside_double_round)
#define lanes_xor_beside      CHACHA20_SCOPED(lanes_xor_beside)
#define kernel_beside         CHACHA20_SCOPED(kernel_beside)
#define rows_1                CHACHA20_SCOPED(rows_1)
#define rows_2                CHACHA20_SCOPED(rows_2)
#define rows_3                CHACHA20_SCOPED(rows_3)
#define lanes_1               CHACHA20_SCOPED(lanes_1)
#define lanes_2               CHACHA20_SCOPED(lanes_2)
#define words_ones_then_zeros CHACHA20_SCOPED(words_ones_then_zeros)
#define kernel_stream         CHACHA20_SCOPED(kernel_stream)
#define lanes_rounds          CHACHA20_SCOPED(lanes_rounds)
#define lanes_to_rows         CHACHA20_SCOPED(lanes_to_rows)
#define lanes_word_of_each    CHACHA20_SCOPED(lanes_word_of_each)
#define lanes_of_each         CHACHA20_SCOPED(lanes_of_each)
#define apply_stream          CHACHA20_SCOPED(apply_stream)
#define apply_stream_twice    CHACHA20_SCOPED(apply_stream_twice)
#define packets_pass          CHACHA20_SCOPED(packets_pass)
#define kernel_packets        CHACHA20_SCOPED(kernel_packets)
#define kernel_apply          CHACHA20_SCOPED(kernel_apply)
#define kernel_apply_twice    CHACHA20_SCOPED(kernel_apply_twice)
#define kernel_xor            CHACHA20_SCOPED(kernel_xor)
#define xor_rest              CHACHA20_SCOPED(xor_rest)
#define blocks_at_once        CHACHA20_SCOPED(blocks_at_once)

#endif
