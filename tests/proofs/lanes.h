/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* For test_bounds.py, which reads the preprocessed text of this file: what interval.h must know of a
 * kernel's lanes. */
option_of_the_proof = INTERVAL_LANES, LANES;
#ifdef LANES_MULTIPLY_BLOCK
option_of_the_proof = INTERVAL_MULTIPLY_BLOCK, 1;
#endif
#ifdef LANES_CUT_26
option_of_the_proof = INTERVAL_CUT_26, 1;
#endif
