/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares a kernel's tags with the reference's before it is measured, in a process of its own, so that a
 * function of the user that crashes, hangs or writes where it should not ends nothing else. The tests of
 * the study's kernels are lab/tests/test_study_kernels.py; this is what each run records. */
#ifndef HORNET_STUDY_CHECK_H
#define HORNET_STUDY_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void check_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);

enum { CHECK_NAME = 64 };
enum check_class { CHECK_RANDOM, CHECK_ONES, CHECK_LONG, CHECK_SUMS, CHECK_CLASSES };

extern const char *const check_class_names[CHECK_CLASSES];

/* What was found in the inputs of a class, or in all. An input is wrong if its tag is, if bytes after the
 * tag are written, or if the process ends. */
struct check_count {
    int inputs, wrong;
    char example[CHECK_NAME]; /* the first wrong input */
};

struct check {
    struct check_count all, classes[CHECK_CLASSES];
    int overruns; /* inputs for which bytes after the tag are written */
    int signal;   /* that ended the process, or 0 */
};

/* Computes the expected tags. Returns false if the reference's tag of RFC 8439, section 2.5.2, is wrong. */
bool check_begin(check_mac *reference);

struct check check_kernel(check_mac *mac);

/* After check_begin: writes all inputs, each with its name of CHECK_NAME bytes, its length in 8 bytes, the
 * least significant first, its key, its expected tag, and the message. Returns false if that fails. */
bool check_write_inputs(FILE *file);

#endif
