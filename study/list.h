/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The interface of a build of the study for the measuring program: its kernels, the library's kernels
 * for comparison, and the phases of an evaluation. One shared object per compiler. */
#ifndef HORNET_STUDY_LIST_H
#define HORNET_STUDY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUDY_EXPORT __attribute__((visibility("default")))

struct study_entry {
    const char *name, *paper, *label;
    void (*mac)(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);
    bool runs_here;
};

/* The entries of kernels.def, followed by those of the library's list, with the paper "library". The
 * first of these, "hornet", is the library's call that chooses among the others. */
STUDY_EXPORT size_t study_entries(const struct study_entry **entries);

/* The z14 paper, figure 5: runs one evaluation over ngroups groups of four blocks, up to a phase. */
enum study_phase { PHASE_EXPAND, PHASE_MULTIPLY, PHASE_REDUCE, STUDY_PHASES };

STUDY_EXPORT uint64_t study_z14_phase(bool parallel, enum study_phase phase, const uint8_t *groups,
                                      size_t ngroups);

/* The same for one kernel, in its own file. */
uint64_t study_phase_z14_serial(enum study_phase phase, const uint8_t *groups, size_t ngroups);
uint64_t study_phase_z14_parallel(enum study_phase phase, const uint8_t *groups, size_t ngroups);

#endif
