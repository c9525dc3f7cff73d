/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Closes the region that target_begin.h opened. */
#ifdef HORNET_TARGET
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
