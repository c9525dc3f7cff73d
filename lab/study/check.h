/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares a kernel's tags with the reference's before it is measured, in a process of its own, so that a
 * function of the user that crashes, hangs or writes where it should not ends nothing else. The tests of
 * the study's kernels are lab/tests/test_study_kernels.py; this is what each run records. */
#ifndef HORNET_STUDY_CHECK_H
#define HORNET_STUDY_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void check_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);

struct check {
    int inputs, wrong;
    int signal;       /* that ended the process, or 0 */
    char example[64]; /* the first wrong input */
};

/* Computes the expected tags. Returns false if the reference's tag of RFC 8439, section 2.5.2, is wrong. */
bool check_begin(check_mac *reference);

struct check check_kernel(check_mac *mac);

#endif
