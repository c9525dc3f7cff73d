# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The architectures, and what the lines of each kernel are made for."""

from coconut.architectures.amd64 import AVX2, AVX512
from coconut.architectures.amd64_words import AVX2_WORDS, AVX512_WORDS
from coconut.architectures.s390x import Z14

ARCHITECTURES = {"avx2": AVX2, "ifma": AVX512, "vmsl": Z14, "chacha20-256": AVX2_WORDS, "chacha20-512": AVX512_WORDS}
