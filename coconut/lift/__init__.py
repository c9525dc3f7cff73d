# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read and run what compilers made of the library."""
