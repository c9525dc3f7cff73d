# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Record the library's field and evaluation code as graphs; simulate, order, emit and prove them.

This follows the z14 paper's "Code Constructing User Tool", sections 7 to 10. docs/coconut.md is the introduction.
"""
