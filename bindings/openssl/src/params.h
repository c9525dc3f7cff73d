/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Parameters (OSSL_PARAM(3)), read and written without libcrypto. */
#ifndef HORNET_PROVIDER_PARAMS_H
#define HORNET_PROVIDER_PARAMS_H

#include <openssl/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *value = an integer, of any size and either sign. False if the parameter is something else, or does not
 * fit. */
bool hornet_params_get_size(const OSSL_PARAM *param, size_t *value);

/* The parameter takes a value: an integer of any size and either sign, a pointer to a constant string.
 * False if it is something else, or does not hold the value. One without memory learns how much it needs.
 */
bool hornet_params_set_size(OSSL_PARAM *param, size_t value);
bool hornet_params_set_text(OSSL_PARAM *param, const char *constant);

#endif
