# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Everything that computes tags or encrypts, compared with GMP and with other libraries."""

from support import DEFAULT_KERNELS, STRICT, compiled, library, program, row, rows, run

PROGRAMS = ["test_aes", "test_chacha20", "test_aead", "test_ssh", "test_stream"]
PROGRAMS += ["test_poly1305_aes", "test_partial", "test_poly1305"]
LIBRARIES = ["-lgmp", "-lgcrypt", "-lnettle", "-lcrypto"]
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# A debug build traps if output and input overlap.
DEBUG = "-DHORNET_DEBUG"


def compare(folder, built, *programs, arguments=()):
    """Build the programs with the library and run them with these arguments."""
    reference = compiled(folder, [*built.command, *STRICT], ["tests/support/reference.c"])
    for name in programs:
        objects = [*built.objects, *reference]
        run(program(folder / name, built, f"tests/unit/{name}.c", objects=objects, link=LIBRARIES), *arguments)


@rows(
    "command",
    row("reference-gcc-O2", ["gcc", "-O2"], suites="check quick", cpu_seconds=60),
    row("reference-clang-19-O2", ["clang-19", "-O2"], suites="slow", cpu_seconds=60),
    row("reference-without-assembly", ["gcc", "-O2", "-DHORNET_NO_ASM"], suites="release", cpu_seconds=60),
    row("reference-gcc-O3", ["gcc", "-O3"], suites="release", cpu_seconds=60),
    row("reference-clang-19-O3", ["clang-19", "-O3"], suites="release", cpu_seconds=60),
    row("reference-sanitized", ["clang-19", "-O2", *SANITIZERS, DEBUG], suites="slow", cpu_seconds=115),
)
def test_reference(command, folder):
    overlap = ["test_overlap"] if DEBUG in command else []
    compare(folder, library(*command), *PROGRAMS, *overlap)


@rows(
    "compiler",
    row("reference-amalgamation-gcc", "gcc", suites="release", cpu_seconds=60),
    row("reference-amalgamation-clang-19", "clang-19", suites="release", cpu_seconds=60),
)
def test_amalgamation(compiler, folder):
    run("tools/amalgamate.py", folder / "one-file")
    compare(folder, library(compiler, "-O2", DEFAULT_KERNELS, sources=[folder / "one-file/hornet.c"]), *PROGRAMS)


@rows("compiler", row("tag-after-text-gcc", "gcc"), row("tag-after-text-clang-19", "clang-19"))
def test_tag_after_text(compiler, folder):
    run(program(folder / "test", library(compiler, "-O2"), "tests/unit/test_tag_after_text.c", options=STRICT))


@rows(
    "command, name, option",
    row("reference-over-4-gib", ["clang-19", "-O3"], "test_poly1305", "--huge", suites="slow", cpu_seconds=60),
    row("aead-over-4-gib", ["clang-19", "-O3"], "test_aead", "--huge", suites="slow", cpu_seconds=20),
    row("chacha20-over-4-gib", ["clang-19", "-O3"], "test_aead", "--huge-chacha20", suites="slow", cpu_seconds=40),
    row("ssh-4-gib", ["clang-19", "-O3"], "test_ssh", "--huge", suites="slow", cpu_seconds=30),
    row("aead-product", ["gcc", "-O3"], "test_aead", "--product", suites="release", cpu_seconds=60),
)
def test_option(command, name, option, folder):
    compare(folder, library(*command), name, arguments=[option])
