/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Poly1305 by its definition, with GMP's integers, the reference for every kernel. Bernstein 2005,
 * section 2; RFC 8439, section 2.5. Shares no code with the library. */
#ifndef HORNET_TESTS_REFERENCE_H
#define HORNET_TESTS_REFERENCE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* p = 2^130 - 5. */
void reference_prime(mpz_t p);

/* number = the little-endian bytes. */
void reference_from_bytes(mpz_t number, const uint8_t *bytes, size_t len_bytes);

/* bytes = number modulo 2^(8 len_bytes), little-endian. */
void reference_to_bytes(uint8_t *bytes, size_t len_bytes, const mpz_t number);

/* r = the first half of a key, clamped: the top four bits of bytes 3, 7, 11 and 15 and the low two bits of
 * bytes 4, 8 and 12 are cleared. */
void reference_clamped(mpz_t r, const uint8_t key[16]);

/* h = the evaluation at r, continued over the message, in 0 .. p - 1. */
void reference_absorb(mpz_t h, const mpz_t r, const uint8_t *msg, size_t len_bytes);

/* The same over nblocks blocks of zeros, in closed form: each block has the value 2^128, and n of them
 * 2^128 (r + ... + r^n). r must not be 1. */
void reference_absorb_zeros(mpz_t h, const mpz_t r, unsigned long nblocks);

/* Values at which carries and the final subtraction are decided: limb boundaries of every radix, and
 * both sides of p and 2^130, each with `offset` -8 to 8. Returns false past the last value. */
bool reference_edge_value(mpz_t value, int index, int offset);

void reference_tag(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);

#endif
