/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The headers of include/ for the library's own files: their functions are exported with protected
 * visibility, so that calls within the library always reach the library's own functions, and not functions
 * of the same name in the program or in a library loaded before this one. */
#ifndef HORNET_CORE_PUBLIC_H
#define HORNET_CORE_PUBLIC_H

#ifdef __ELF__
#define HORNET_API __attribute__((visibility("protected")))
#endif

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../include/hornet_ssh.h"
#include "../../include/hornet_stream.h"

#endif
