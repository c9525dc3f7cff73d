/* The scalar field that suits the target: radix 2^64 where 64 x 64 -> 128 bits can be multiplied. */
#ifndef HORNET_FIELD_SCALAR_H
#define HORNET_FIELD_SCALAR_H

#ifdef __SIZEOF_INT128__
#include "radix64.h"
#else
#include "radix32.h"
#endif

#endif
