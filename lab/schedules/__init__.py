# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedules of the kernels' loops, beyond what the library and its Go module need: README.md."""
