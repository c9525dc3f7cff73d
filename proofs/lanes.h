/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* For proofs/run.sh, which reads what the preprocessor makes of this. */
lanes_of_the_kernel = LANES
