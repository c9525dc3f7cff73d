# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove for all inputs what basic blocks compute."""
