/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Where forms.c and its assembly have what an instruction runs on, in bytes: coconut/lift/compare.py writes
 * it. */
#ifndef COCONUT_BLOCKS_STATE_H
#define COCONUT_BLOCKS_STATE_H

#define STATE_FLAGS   256 /* behind 32 general registers; the stack pointer is rsp, or behind x30 */
#define STATE_OUTCOME 264
#define STATE_MASKS   272
#define STATE_VECTORS 384 /* 32 of 64 bytes each */
#define STATE_DATA    2432
#define STATE_STACK   2944
#define STATE_BYTES   3456
#define STATE_MEMORY  512 /* bytes of each of the last two */

/* Outcomes: the next instruction, or the target of a jump; a signal's number is added to the last. */
#define OUTCOME_AFTER  1
#define OUTCOME_TARGET 2
#define OUTCOME_SIGNAL 16

#endif
