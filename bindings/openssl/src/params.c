/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "params.h"

#include <string.h>

/* Returns the index of byte i, counted from the least significant, in an integer of size_bytes bytes. */
static size_t byte_index(size_t i, size_t size_bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return size_bytes - 1 - i;
#else
    (void)size_bytes;
    return i;
#endif
}

bool hornet_params_get_size(const OSSL_PARAM *param, size_t *value)
{
    const uint8_t *const bytes = param->data;
    const size_t size_bytes = param->data_size;
    if (bytes == NULL || size_bytes == 0 ||
        (param->data_type != OSSL_PARAM_UNSIGNED_INTEGER && param->data_type != OSSL_PARAM_INTEGER))
        return false;
    if (param->data_type == OSSL_PARAM_INTEGER && bytes[byte_index(size_bytes - 1, size_bytes)] >= 0x80)
        return false; /* negative */
    size_t sum = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        const size_t byte = bytes[byte_index(i, size_bytes)];
        if (i < sizeof sum)
            sum |= byte << (8 * i);
        else if (byte != 0)
            return false;
    }
    *value = sum;
    return true;
}

bool hornet_params_set_size(OSSL_PARAM *param, size_t value)
{
    if (param->data_type != OSSL_PARAM_UNSIGNED_INTEGER && param->data_type != OSSL_PARAM_INTEGER)
        return false;
    param->return_size = sizeof value;
    if (param->data == NULL)
        return true;
    uint8_t *const bytes = param->data;
    const size_t size_bytes = param->data_size;
    const size_t bits = 8 * size_bytes - (param->data_type == OSSL_PARAM_INTEGER);
    if (size_bytes == 0 || (bits < 8 * sizeof value && value >> bits != 0))
        return false;
    for (size_t i = 0; i < size_bytes; i++)
        bytes[byte_index(i, size_bytes)] = i < sizeof value ? (uint8_t)(value >> (8 * i)) : 0;
    param->return_size = size_bytes;
    return true;
}

bool hornet_params_set_text(OSSL_PARAM *param, const char *constant)
{
    if (param->data_type != OSSL_PARAM_UTF8_PTR)
        return false;
    param->return_size = strlen(constant);
    if (param->data != NULL)
        *(const char **)param->data = constant;
    return true;
}
