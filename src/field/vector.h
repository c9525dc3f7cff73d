/* What the fields over lanes have in common. */
#ifndef HORNET_FIELD_VECTOR_H
#define HORNET_FIELD_VECTOR_H

#include "../words.h"

/* A statement about all inputs, that every lane of v is at most max. Lanes that can check it define it. */
#ifndef VEC_CHECK_MAX
#define VEC_CHECK_MAX(v, max) ((void)0)
#endif

/* What stands above 2^130 comes back times 5. */
HORNET_INLINE vec times5(vec a) { return vec_add(a, vec_shl(a, 2)); }

#endif
