# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Multiplication in the field of P-224 on VMSL: README.md."""
