# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the architectures, and those that each kernel's basic blocks are made for."""

from coconut.architecture import Architecture
from coconut.architectures.amd64 import AVX2, AVX512, IFMA256
from coconut.architectures.amd64_words import AVX2_WORDS, AVX512_WORDS, AVX512VL_WORDS
from coconut.architectures.arm64_compiled import ARM64_COMPILED
from coconut.architectures.arm64_words import ARM64_WORDS
from coconut.architectures.neon import NEON
from coconut.architectures.s390x import Z13, Z14
from coconut.architectures.s390x_handwritten import HANDWRITTEN
from coconut.architectures.s390x_words import S390X_WORDS
from coconut.architectures.scalar_amd64 import AMD64
from coconut.architectures.scalar_amd64_words import AMD64_WORDS
from coconut.architectures.scalar_arm64 import ARM64
from coconut.architectures.scalar_riscv64 import RISCV64
from coconut.architectures.scalar_riscv64_words import RISCV64_WORDS
from coconut.architectures.scalar_s390x import S390X
from coconut.trace import KERNELS, kernel_named

ARCHITECTURES = {
    "avx2": AVX2,
    "ifma256": IFMA256,
    "ifma": AVX512,
    "vx": Z13,
    "vmsl": Z14,
    "chacha20-256": AVX2_WORDS,
    "chacha20-512": AVX512_WORDS,
}

# Those whose instructions are compared with CPUs: one stands for others of the same instructions.
INSTRUCTION_SETS = tuple(
    dict.fromkeys(
        [
            *ARCHITECTURES.values(),
            AVX512VL_WORDS,
            NEON,
            *(AMD64, ARM64, RISCV64, S390X, HANDWRITTEN),
            *(AMD64_WORDS, ARM64_WORDS, RISCV64_WORDS, S390X_WORDS, ARM64_COMPILED),
        ],
    )
)

# Architectures with vectors of 64-bit lanes, by name, each with a kernel of the library that has its lanes.
OF_LANES = {
    known.name: (known, KERNELS[kernel]) for kernel, known in ARCHITECTURES.items() if KERNELS[kernel].kind != "words"
}

# The function that scalar64 makes up, and its architectures.
SCALAR_NAME = "scalarBlocks"
SCALAR = (AMD64, ARM64, RISCV64, S390X)


# ChaCha20 in vectors of 128 bits.
WORDS_128 = (ARM64_WORDS, S390X_WORDS)


def architectures_of(kernel: str) -> tuple[Architecture, ...]:
    if own := kernel_named(kernel).own:
        return tuple(OF_LANES[name][0] for name in own.architectures)
    several = {"scalar64": SCALAR, "chacha20-128": WORDS_128, "chacha20-256": (AVX2_WORDS, AVX512VL_WORDS)}
    if kernel in several:
        return several[kernel]
    return (ARCHITECTURES[kernel],) if kernel in ARCHITECTURES else ()
