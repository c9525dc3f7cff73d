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

/* Returns whether `tag` is the tag of Poly1305-AES that a nonce and a key, k and then r, give the message:
 * AES-128 encrypts the nonce under k, with the library's code, and the entry's function computes the tag
 * under r and that pad. "hornet" is the library's call. */
STUDY_EXPORT bool study_verify_aes(const struct study_entry *entry, const uint8_t tag[16],
                                   const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                                   const uint8_t key[32]);

/* Sets the tag to the message's, by the library. */
STUDY_EXPORT void study_tag_aes(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                const uint8_t nonce[16], const uint8_t key[32]);

/* Bernstein 2005, section 4: returns a function that encrypts one block by AES-128, under a key as
 * Poly1305-AES does, with the library's code, or under the keys of all rounds, which were expanded before.
 * NULL if this CPU lacks the instructions of the latter. */
STUDY_EXPORT void (*study_aes(bool expanded))(void);

/* The z14 paper, figure 5: runs one evaluation over ngroups groups of four blocks, up to a phase. */
enum study_phase { PHASE_EXPAND, PHASE_MULTIPLY, PHASE_REDUCE, STUDY_PHASES };

STUDY_EXPORT uint64_t study_z14_phase(bool parallel, enum study_phase phase, const uint8_t *groups,
                                      size_t ngroups);

/* The same for one kernel, in its own file. */
uint64_t study_phase_z14_serial(enum study_phase phase, const uint8_t *groups, size_t ngroups);
uint64_t study_phase_z14_parallel(enum study_phase phase, const uint8_t *groups, size_t ngroups);

#endif
