/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* For test_bounds.py, which reads the preprocessed text of this file. */
lanes_of_the_kernel = LANES
