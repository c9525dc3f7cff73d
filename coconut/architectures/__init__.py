# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The architectures, and what the lines of each kernel are made for."""

from coconut.architectures.amd64 import AVX2, AVX512
from coconut.architectures.s390x import Z14

ARCHITECTURES = {"avx2": AVX2, "ifma": AVX512, "vmsl": Z14}
