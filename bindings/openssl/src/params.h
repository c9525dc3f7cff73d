/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads and writes parameters (OSSL_PARAM(3)) without libcrypto. */
#ifndef HORNET_PROVIDER_PARAMS_H
#define HORNET_PROVIDER_PARAMS_H

#include <openssl/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets *value to the value of an integer parameter of any size, signed or unsigned. Returns false if the
 * parameter has another type, or its value does not fit. */
bool hornet_params_get_size(const OSSL_PARAM *param, size_t *value);

/* Set a parameter: an integer of any size, signed or unsigned, or a pointer to a constant string. Return
 * false if it has another type, or cannot hold the value. If its data is NULL, they only set return_size.
 */
bool hornet_params_set_size(OSSL_PARAM *param, size_t value);
bool hornet_params_set_text(OSSL_PARAM *param, const char *constant);

#endif
