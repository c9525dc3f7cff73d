/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* calls CALLS: makes calls of a multiplication modulo 2^224 - 2^96 + 1 for compare.py, CALLS times x = x y,
 * and prints x. MULTIPLY is an emitted function of four limbs of 56 bits; without it, this is what
 * OpenSSL's EC_GROUP of P-224 does on s390x, BN_mod_mul_montgomery. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define X "765432102143658709badcfe1032547698badcfe0123456789abcdef"
#define Y "89abcdeffedcba9078563412efcdab8967452301fedcba9876543210"

__attribute__((noinline)) void marker(void) { __asm__ volatile(""); }

#ifdef MULTIPLY
void MULTIPLY(uint64_t *x, const uint64_t *y, const uint8_t *message, uint64_t iterations);

static uint64_t x[4], y[4];

static void read_hex(uint64_t limbs[4], const char *hex)
{
    for (int i = 3; i >= 0; i--, hex += 14) {
        char digits[15];
        snprintf(digits, sizeof digits, "%.14s", hex);
        limbs[i] = strtoull(digits, NULL, 16);
    }
}

static void prepare(void)
{
    read_hex(x, X);
    read_hex(y, Y);
}

static void multiply(void) { MULTIPLY(x, y, NULL, 1); }

static void print(void)
{
    for (int i = 3; i >= 0; i--)
        printf("%014llx", (unsigned long long)x[i]);
}
#else
#include <openssl/bn.h>

static BIGNUM *x, *y;
static BN_CTX *context;
static BN_MONT_CTX *montgomery;

static void prepare(void)
{
    context = BN_CTX_new();
    BN_hex2bn(&x, X);
    BN_hex2bn(&y, Y);
    montgomery = BN_MONT_CTX_new();
    BN_MONT_CTX_set(montgomery, BN_get0_nist_prime_224(), context);
}

static void multiply(void) { BN_mod_mul_montgomery(x, x, y, montgomery, context); }

static void print(void) { BN_print_fp(stdout, x); }
#endif

int main(int argc, char **argv)
{
    prepare();
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        multiply();
        marker();
    }
    print();
    return 0;
}
