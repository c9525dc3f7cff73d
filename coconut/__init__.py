# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Coconut: the library's field code and evaluation as graphs, which are simulated, drawn, scheduled and emitted.

After the z14 paper's "Code Constructing User Tool", sections 7 to 10. docs/coconut.md is the way in."""
