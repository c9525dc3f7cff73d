/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 in plain C without tables: bitsliced, four blocks at once, each under its own key. For CPUs
 * without AES instructions.
 *
 * A table of the S-box would be read at addresses that reveal the key (Bernstein, "Cache-timing attacks on
 * AES", 2005). Here, bit k of all 64 bytes of four blocks is in word k, and the S-box is a circuit. The bit
 * of byte 4 c + r (column c, row r) of block l is at the position
 *
 *     bit of the word:   5         4 3    2 1      0
 *                        c mod 2   row    block    c / 2
 */
#include "aes.h"

#include "../core/bytes.h"
#include "../core/cpu.h"
#include "../core/stack_wipe.h"

enum { BITSLICED_BLOCKS = 4 };

/* Bit k of 64 bytes in word k. */
typedef struct {
    uint64_t bit[8];
} planes;

/* The bytes of columns 0 and 1, of columns 2 and 3, and of row 0; the masks of the other rows are shifts of
 * the last. */
#define COLUMNS_0_1 UINT64_C(0x5555555555555555)
#define COLUMNS_2_3 UINT64_C(0xaaaaaaaaaaaaaaaa)
#define ROW_0       UINT64_C(0x000000ff000000ff)

/* Swaps bit log2(high) of the word number with bit log2(low) of the bit position in the word. */
HORNET_INLINE void swap_index_bits(uint64_t words[8], size_t high, int low, uint64_t mask)
{
    HORNET_UNROLL
    for (size_t i = 0; i < 8; i++) {
        if ((i & high) != 0)
            continue;
        const uint64_t difference = ((words[i] >> low) ^ words[i | high]) & mask;
        words[i | high] ^= difference;
        words[i] ^= difference << low;
    }
}

/* Converts two words of each of four blocks, block l in words 2 l and 2 l + 1, to bit planes, and back. */
HORNET_INLINE void transpose(uint64_t words[8])
{
    swap_index_bits(words, 1, 1, UINT64_C(0x5555555555555555));
    swap_index_bits(words, 2, 2, UINT64_C(0x3333333333333333));
    swap_index_bits(words, 4, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
}

/* FIPS 197, section 5.1.1: the S-box, as the circuit of 115 gates by Boyar and Peralta, "A new
 * combinational logic minimization technique with applications to cryptology", SEA 2010: a linear map (y),
 * the inversion in GF(2^8) by way of GF(2^4) (t, z), and another linear map (from t46 on). */
HORNET_INLINE void sub_bytes(planes *p)
{
    const uint64_t x0 = p->bit[7], x1 = p->bit[6], x2 = p->bit[5], x3 = p->bit[4];
    const uint64_t x4 = p->bit[3], x5 = p->bit[2], x6 = p->bit[1], x7 = p->bit[0];

    const uint64_t y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5, t0 = x1 ^ x2;
    const uint64_t y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6;
    const uint64_t y3 = y5 ^ y8, t1 = x4 ^ y12, y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7;
    const uint64_t y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
    const uint64_t y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const uint64_t t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & x7, t6 = t5 ^ t2;
    const uint64_t t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7;
    const uint64_t t12 = y9 & y11, t13 = y14 & y17, t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12;
    const uint64_t t17 = t4 ^ t14, t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16;
    const uint64_t t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;
    const uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
    const uint64_t t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
    const uint64_t t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38;
    const uint64_t t40 = t25 ^ t39, t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
    const uint64_t t45 = t42 ^ t41;
    const uint64_t z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1;
    const uint64_t z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12;
    const uint64_t z10 = t37 & y3, z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2;
    const uint64_t z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    const uint64_t t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12;
    const uint64_t t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17;
    const uint64_t t56 = z12 ^ t48, t57 = t50 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57;
    const uint64_t t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;
    const uint64_t t66 = z1 ^ t63, t67 = t64 ^ t65, s3 = t53 ^ t66;
    p->bit[7] = t59 ^ t63;
    p->bit[6] = ~(t64 ^ s3);
    p->bit[5] = ~(t55 ^ t67);
    p->bit[4] = s3;
    p->bit[3] = t51 ^ t66;
    p->bit[2] = t47 ^ t65;
    p->bit[1] = ~(t56 ^ t62);
    p->bit[0] = ~(t48 ^ t60);
}

/* Column c gets the previous content of column c + 2 (from_second_column) or c + 1 (from_next_column),
 * modulo 4. */
HORNET_INLINE uint64_t from_second_column(uint64_t word)
{
    return (word >> 1 & COLUMNS_0_1) | (word << 1 & COLUMNS_2_3);
}

HORNET_INLINE uint64_t from_next_column(uint64_t word)
{
    /* 1 to 0 and 3 to 2; 2 to 1 and 0 to 3. */
    return word >> 32 | (from_second_column(word) << 32);
}

/* Row r gets the previous content of row r + 1 (from_next_row) or r + 2 (from_second_row), modulo 4. */
HORNET_INLINE uint64_t from_next_row(uint64_t word)
{
    return (word >> 8 & ~(ROW_0 << 24)) | (word & ROW_0) << 24;
}

HORNET_INLINE uint64_t from_second_row(uint64_t word)
{
    const uint64_t rows_0_1 = ROW_0 | ROW_0 << 8;
    return (word >> 16 & rows_0_1) | (word & rows_0_1) << 16;
}

/* FIPS 197, section 5.1.2: row r moves by r columns. */
HORNET_INLINE void shift_rows(planes *p)
{
    HORNET_UNROLL
    for (int k = 0; k < 8; k++) {
        const uint64_t word = p->bit[k], by_one = from_next_column(word);
        p->bit[k] = (word & ROW_0) | (by_one & ROW_0 << 8) | (from_second_column(word) & ROW_0 << 16) |
                    (from_second_column(by_one) & ROW_0 << 24);
    }
}

/* FIPS 197, section 5.1.3: 2 a[r] + 3 a[r + 1] + a[r + 2] + a[r + 3] = 2 t[r] + a[r + 1] + t[r + 2],
 * where t[r] = a[r] + a[r + 1]. Modulo x^8 + x^4 + x^3 + x + 1, doubling feeds bit 7 back to bits 4, 3, 1
 * and 0. */
HORNET_INLINE void mix_columns(planes *p)
{
    planes t, next;
    HORNET_UNROLL
    for (int k = 0; k < 8; k++) {
        next.bit[k] = from_next_row(p->bit[k]);
        t.bit[k] = p->bit[k] ^ next.bit[k];
    }
    HORNET_UNROLL
    for (int k = 0; k < 8; k++) {
        const uint64_t back = (0x1b >> k & 1) != 0 ? t.bit[7] : 0;
        p->bit[k] = (k != 0 ? t.bit[k - 1] : 0) ^ back ^ next.bit[k] ^ from_second_row(t.bit[k]);
    }
}

/* FIPS 197, section 5.2: the next round key. Each new column is the sum of all old columns up to it and of
 * the old last column, which was moved by one row and substituted by the S-box, with the round constant
 * added. */
HORNET_INLINE void bitsliced_next_round_key(planes *key, unsigned constant)
{
    planes last = *key;
    sub_bytes(&last);
    HORNET_UNROLL
    for (int k = 0; k < 8; k++) {
        uint64_t word = key->bit[k];
        word ^= word << 32 ^ (word >> 31 & COLUMNS_2_3 & UINT32_MAX); /* the column before */
        word ^= (word & COLUMNS_0_1) << 1;                            /* the column two before */
        uint64_t column = from_next_row(last.bit[k]) >> 32 & COLUMNS_2_3;
        if ((constant >> k & 1) != 0)
            column ^= ROW_0 & COLUMNS_2_3 & UINT32_MAX;
        column |= column >> 1;
        key->bit[k] = word ^ column ^ column << 32;
    }
}

HORNET_INLINE void add_round_key(planes *p, const planes *key)
{
    HORNET_UNROLL
    for (int k = 0; k < 8; k++)
        p->bit[k] ^= key->bit[k];
}

/* Encrypts up to four blocks. */
HORNET_NOINLINE uintptr_t bitsliced_four(uint8_t (*out)[16], const uint8_t (*in)[16],
                                         const uint8_t (*keys)[32], size_t count)
{
    planes p = {{0}}, key = {{0}};
    for (size_t i = 0; i < count; i++) {
        for (size_t half = 0; half < 2; half++) {
            p.bit[2 * i + half] = load_le64(in[i] + 8 * half);
            key.bit[2 * i + half] = load_le64(keys[i] + 8 * half);
        }
    }
    transpose(p.bit);
    transpose(key.bit);
    add_round_key(&p, &key);
    unsigned constant = 1;
    for (int round = 1; round <= AES_ROUNDS; round++) {
        sub_bytes(&p);
        shift_rows(&p);
        if (round < AES_ROUNDS)
            mix_columns(&p);
        bitsliced_next_round_key(&key, constant);
        add_round_key(&p, &key);
        constant = constant << 1 ^ (0x11b & (0 - (constant >> 7)));
    }
    transpose(p.bit);
    for (size_t i = 0; i < count; i++) {
        store_le64(out[i], p.bit[2 * i]);
        store_le64(out[i] + 8, p.bit[2 * i + 1]);
    }
    return stack_end(STACK_BELOW_BYTES);
}

static void bitsliced_encrypt(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                              size_t count)
{
    for (size_t i = 0; i < count; i += BITSLICED_BLOCKS)
        clear_stack_and_registers(bitsliced_four(
            out + i, in + i, keys + i, count - i < BITSLICED_BLOCKS ? count - i : BITSLICED_BLOCKS));
}

const struct hornet_aes hornet_aes_bitsliced = {
    .implementation = {.name = "bitsliced", .required = CPU_ANY},
    .lanes = BITSLICED_BLOCKS,
    .encrypt = bitsliced_encrypt,
};
