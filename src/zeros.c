/* Nothing to authenticate: what lanes of a batch read before their message begins. */
#include "kernel.h"

const uint8_t hornet_batch_zeros[HORNET_BATCH_MAX_BYTES];
