/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* How a program tells an emulator's plugin which instructions belong to a trace: it closes file descriptors
 * that do not exist. The plugin sees all system calls, of which the arguments, unlike the number, are the
 * same on every architecture. */
#ifndef HORNET_TESTS_TRACE_MARKS_H
#define HORNET_TESTS_TRACE_MARKS_H

enum {
    TRACE_BEGINS = 0x50000000, /* plus the number of a comparison, whose traces must be the same */
    TRACE_ENDS = 0x60000000
};

#endif
