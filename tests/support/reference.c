/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "reference.h"

#include <string.h>

void reference_prime(mpz_t p)
{
    mpz_set_ui(p, 1);
    mpz_mul_2exp(p, p, 130);
    mpz_sub_ui(p, p, 5);
}

void reference_from_bytes(mpz_t number, const uint8_t *bytes, size_t len_bytes)
{
    mpz_import(number, len_bytes, -1, 1, 0, 0, bytes);
}

void reference_to_bytes(uint8_t *bytes, size_t len_bytes, const mpz_t number)
{
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, number, 8 * len_bytes);
    memset(bytes, 0, len_bytes);
    mpz_export(bytes, NULL, -1, 1, 0, 0, low);
    mpz_clear(low);
}

void reference_absorb(mpz_t h, const mpz_t r, const uint8_t *msg, size_t len_bytes)
{
    mpz_t p, c;
    mpz_inits(p, c, NULL);
    reference_prime(p);
    for (int block = 1; len_bytes != 0; block++) {
        const size_t n = len_bytes < 16 ? len_bytes : 16;
        reference_from_bytes(c, msg, n);
        mpz_setbit(c, 8 * n);
        mpz_add(h, h, c);
        mpz_mul(h, h, r);
        msg += n;
        len_bytes -= n;
        if (block % 4 == 0 || len_bytes == 0) /* fewer divisions: they take most of the time in emulators */
            mpz_mod(h, h, p);
    }
    mpz_clears(p, c, NULL);
}

void reference_absorb_zeros(mpz_t h, const mpz_t r, unsigned long nblocks)
{
    mpz_t p, power, sum, inverse;
    mpz_inits(p, power, sum, inverse, NULL);
    reference_prime(p);
    mpz_powm_ui(power, r, nblocks, p);
    mpz_sub_ui(sum, power, 1);
    mpz_mul(sum, sum, r);
    mpz_sub_ui(inverse, r, 1);
    mpz_invert(inverse, inverse, p);
    mpz_mul(sum, sum, inverse);
    mpz_mul_2exp(sum, sum, 128);
    mpz_mul(h, h, power);
    mpz_add(h, h, sum);
    mpz_mod(h, h, p);
    mpz_clears(p, power, sum, inverse, NULL);
}

void reference_clamped(mpz_t r, const uint8_t key[16])
{
    uint8_t clamped[16];
    memcpy(clamped, key, 16);
    for (int i = 3; i < 16; i += 4)
        clamped[i] &= 15;
    for (int i = 4; i < 16; i += 4)
        clamped[i] &= 252;
    reference_from_bytes(r, clamped, 16);
}

void reference_tag(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    mpz_t h, r, s;
    mpz_inits(h, r, s, NULL);
    reference_clamped(r, key);
    reference_from_bytes(s, key + 16, 16);
    reference_absorb(h, r, msg, len_bytes);
    mpz_add(h, h, s);
    reference_to_bytes(tag, 16, h);
    mpz_clears(h, r, s, NULL);
}

bool reference_edge_value(mpz_t value, int index, int offset)
{
    static const int bits[] = {26, 32, 44, 52, 64, 78, 88, 96, 104, 128, 129, 130};
    const int nbits = sizeof bits / sizeof bits[0];
    if (index > nbits)
        return false;
    mpz_set_ui(value, 1);
    mpz_mul_2exp(value, value, (mp_bitcnt_t)bits[index < nbits ? index : nbits - 1]);
    if (index == nbits)
        mpz_sub_ui(value, value, 5);
    if (offset < 0)
        mpz_sub_ui(value, value, (unsigned)-offset);
    else
        mpz_add_ui(value, value, (unsigned)offset);
    return true;
}
