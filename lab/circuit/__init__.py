# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poly1305 as a circuit: README.md."""
