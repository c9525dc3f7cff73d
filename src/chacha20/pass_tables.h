/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Made by tools/tune/pass_tables.py from passes.toml, which says where the numbers come from. DO NOT EDIT.
 *
 * The initializers of pass tables, where X(pass) stands for the number of a pass, and of the costs of
 * batches. */
#ifndef HORNET_CHACHA20_PASS_TABLES_H
#define HORNET_CHACHA20_PASS_TABLES_H

/* clang-format off */

#define PASS_TABLE_default_layouts(X) \
    {4, 4, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1), X(lanes1)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(rows3), X(lanes1)}}

#define PASS_TABLE_rows_with_lanes(X) \
    {4, 8, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1), X(lanes1_rows1), X(lanes1_rows2), \
    X(lanes1), X(lanes1), X(lanes1_rows1)}, (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(rows3), \
    X(lanes1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1), X(lanes1)}}

#define PASS_TABLE_power10(X) \
    {1, 12, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1), X(lanes1_rows1), X(lanes1_rows2), \
    X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2)}, (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(rows3), X(lanes1), \
    X(lanes1_rows1), X(lanes1_rows2), X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_rows2), X(lanes1_rows2)}}

#define PASS_TABLE_scalar(X) \
    {1, 1, (const uint8_t[]){X(block), X(block)}, (const uint8_t[]){X(block), X(block)}}

#define PASS_TABLE_simd128(X) \
    {8, 8, (const uint8_t[]){X(block), X(rows3), X(rows3), X(lanes1_block), X(lanes1_block), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes1_block)}, (const uint8_t[]){X(block), X(block), X(rows3), X(rows3), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}

#define PASS_TABLE_rvv_8(X) \
    {8, 8, (const uint8_t[]){X(key), X(rows1), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1)}, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows3), X(rows3), X(rows3), \
    X(rows3), X(lanes1), X(lanes1)}}

#define PASS_TABLE_rvv_16(X) \
    {16, 16, (const uint8_t[]){X(key), X(rows1), X(rows1), X(rows1), X(rows3), X(rows3), X(rows3), \
    X(rows3), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1)}, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows3), X(rows3), \
    X(rows3), X(rows3), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1)}}

#define PASS_TABLE_neon(X) \
    {1, 4, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1_block), X(lanes1_block)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(rows3), X(lanes1)}}

#define PASS_TABLE_neon_in_order(X) \
    {1, 4, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1_block_in_order), \
    X(lanes1_block_in_order)}, (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(rows3), \
    X(lanes1_in_order)}}

#define PASS_TABLE_neon_neoverse_n1(X) \
    {1, 5, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1_block), X(lanes1_block), \
    X(lanes1_block)}, (const uint8_t[]){X(rows1), X(rows1), X(rows3), X(lanes1_block), X(lanes1_block), \
    X(lanes1_block)}}

#define PASS_TABLE_neon_wide(X) \
    {8, 8, (const uint8_t[]){X(key), X(rows3), X(rows3), X(lanes1_block), X(lanes1_block), \
    X(lanes2_block), X(lanes2_block), X(lanes2_block), X(lanes2_block)}, (const uint8_t[]){X(rows1), \
    X(rows1), X(rows3), X(rows3), X(lanes1), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}

#ifdef __clang__
#define PASS_TABLE_avx2(X) \
    {16, 48, (const uint8_t[]){X(key), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes1_key), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}
#else
#define PASS_TABLE_avx2(X) \
    {16, 48, (const uint8_t[]){X(key), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}
#endif

#ifdef __clang__
#define PASS_TABLE_avx2_golden_cove(X) \
    {16, 32, (const uint8_t[]){X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes1), X(lanes1), X(rows2), X(rows3), X(rows3), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), X(lanes1), \
    X(lanes1_key)}, (const uint8_t[]){X(rows1_alone), X(rows1), X(rows1), X(rows2_alone), X(rows2_alone), \
    X(rows3_alone), X(rows3_alone), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1)}}
#else
#define PASS_TABLE_avx2_golden_cove(X) \
    {16, 32, (const uint8_t[]){X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1_key), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1_key)}, (const uint8_t[]){X(rows1_alone), X(rows1), X(rows1), X(rows2), X(rows2), \
    X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1)}}
#endif

#ifdef __clang__
#define PASS_TABLE_avx2_zen4(X) \
    {16, 32, (const uint8_t[]){X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(rows3), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), \
    X(lanes1_key), X(rows3), X(rows3), X(rows3), X(lanes1), X(rows3), X(lanes1), X(lanes1), \
    X(lanes1_key), X(rows3), X(lanes2), X(lanes2), X(rows3), X(rows3), X(lanes2), X(lanes2), \
    X(lanes1_key)}, (const uint8_t[]){X(rows1_alone), X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), \
    X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1)}}
#else
#define PASS_TABLE_avx2_zen4(X) \
    {16, 32, (const uint8_t[]){X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_key), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes2), X(lanes2), \
    X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}, \
    (const uint8_t[]){X(rows1_alone), X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), \
    X(lanes1), X(lanes1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1)}}
#endif

#define PASS_TABLE_avx512vl(X) \
    {8, 16, (const uint8_t[]){X(key), X(rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1)}, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows3), \
    X(rows3), X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1)}}

#define PASS_TABLE_avx512vl_zen4(X) \
    {8, 16, (const uint8_t[]){X(rows1_quick), X(rows1_quick), X(rows2), X(rows2), X(rows3), X(rows3), \
    X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(rows2), X(rows2), X(rows3), X(rows3), \
    X(lanes1), X(lanes1), X(lanes1)}, (const uint8_t[]){X(rows1_quick), X(rows1_quick), X(rows1_quick), \
    X(rows2), X(rows2), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1)}}

#ifdef __clang__
#define PASS_TABLE_avx512(X) \
    {32, 64, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_key), X(rows2), X(rows2), X(rows2), X(lanes2_key), X(rows3), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes2_key), X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes2_key), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes1_key)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes1_alone), X(lanes1_alone), \
    X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2)}}
#else
#define PASS_TABLE_avx512(X) \
    {32, 64, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_key), X(rows2), X(rows2), X(rows2), X(lanes2_key), X(rows3), X(rows3), X(rows3), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes2_key), X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes2_key), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2_key)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}
#endif

#ifdef __clang__
#define PASS_TABLE_avx512_golden_cove(X) \
    {32, 64, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_key), X(rows2), X(rows2), X(rows2), X(lanes2_key), X(rows3), X(rows3), X(rows3), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes2_key), X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes2_key), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2_key)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), \
    X(lanes1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes1_alone), X(lanes1_alone), \
    X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2)}}
#else
#define PASS_TABLE_avx512_golden_cove(X) \
    {32, 64, (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes1_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_key), X(rows2), X(rows2), X(rows2), X(lanes2_key), X(rows3), X(rows3), X(rows3), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes2_key), X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes2_key), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2_key)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(rows3), X(rows3), X(rows3), X(rows3), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), \
    X(lanes1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_alone), X(lanes1_rows1_alone), \
    X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows1_alone), X(lanes1_rows2_alone), \
    X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes1_rows2_alone), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}
#endif

#define PASS_TABLE_avx512_zen5(X) \
    {32, 64, (const uint8_t[]){X(key), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2_key), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_key), X(lanes1), X(lanes1), X(lanes1), X(lanes1_key), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_rows1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1_key), X(lanes1_rows1), \
    X(lanes1_rows1), X(lanes1_rows1), X(lanes2_key), X(lanes2), X(lanes2), X(lanes2), X(lanes2_key), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2_key)}, \
    (const uint8_t[]){X(rows1), X(rows1), X(rows1), X(rows1), X(rows1), X(rows2), X(rows2), X(rows2), \
    X(rows2), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows2), X(lanes1_rows2), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1), X(lanes1), \
    X(lanes1), X(lanes1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), X(lanes1_rows1), \
    X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes1_rows2), X(lanes2), X(lanes2), X(lanes2), \
    X(lanes2), X(lanes2), X(lanes2), X(lanes2), X(lanes2)}}

#define BATCH_COSTS_words_16 \
    {125, 15, 319, 8, 8, {93, 110, 122, 133, 180, 198, 203, 202, 254, 255, 254, 256, 310, 295, 306, 303, \
    317, 349, 356, 358, 401, 404, 407, 406, 469}, 102, 4}

#define BATCH_COSTS_words_8_sets_2 \
    {93, 12, 228, 5, 7, {127, 112, 146, 162, 192, 193, 210, 213, 241, 247, 333, 338, 369, 374, 391, 395, \
    429, 421, 502, 507, 541, 533, 558, 564, 609}, 103, 3}

#define BATCH_COSTS_words_8 \
    {68, 16, 191, 5, 12, {116, 131, 171, 184, 227, 240, 276, 294, 335, 363, 408, 423, 463, 473, 502, 520, \
    550, 609, 662, 667, 688, 699, 723, 741, 766}, 102, 3}

#define BATCH_COSTS_words_4 \
    {52, 16, 205, 5, 13, {118, 198, 212, 261, 386, 427, 470, 519, 660, 698, 742, 798, 899, 936, 996, \
    1050, 1184, 1236, 1292, 1351, 1419, 1483, 1528, 1593, 1697}, 103, 2}

/* clang-format on */

#endif
