/* Closes the region that target_begin.h opened. */
#if defined(__clang__)
HORNET_PRAGMA(clang attribute pop)
#else
HORNET_PRAGMA(GCC pop_options)
#endif
