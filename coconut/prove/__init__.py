# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove that basic blocks, selections and functions compute what they must, for all inputs: see docs/proofs.md."""
