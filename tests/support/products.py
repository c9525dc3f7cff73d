# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What users get, built as they build it: once in a run for all tests."""

import re
from pathlib import Path

from support.build import CCACHE, WARNINGS, compiled, once, program, sources_in
from support.commands import ROOT, run

# RFC 8439, section 2.5.2. The programs for users that are built here read the message and print the tag.
KEY = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
MESSAGE = b"Cryptographic Forum Research Group"
TAG = "a8061dc1305136c6c22b8baf0c0127a9"


def make(*words: object, compiler: str = "cc") -> None:
    """Run make, with this compiler."""
    run("make", "--silent", f"CC={' '.join([*CCACHE, compiler])}", *words)


def made_library(compiler: str = "cc") -> Path:
    """Return the folder with the libraries as `make` builds them."""
    return once(f"library-{compiler}", lambda folder: make("library", f"BUILD={folder}", compiler=compiler))


def command() -> Path:
    """Return the command as `make` builds it."""
    return once("command", lambda folder: make("command", f"BUILD={folder}")) / "hornet"


def version() -> str:
    """Return the version that the header states."""
    return re.search(r'^#define HORNET_VERSION "(.*)"$', (ROOT / "include/hornet.h").read_text(), re.M)[1]


def provider(compiler: str = "cc", *flags: str) -> Path:
    """Return the folder with hornet.so, the OpenSSL provider, whose own files compile without warnings."""

    def build(folder: Path) -> None:
        # Not by make, whose objects of the library are those of other tests.
        sources = sources_in(ROOT / "bindings/openssl/src")
        compiled(folder / "strict", [compiler, "-O2", "-Iinclude", *WARNINGS, *flags], sources)
        make("provider", f"BUILD={folder}", f"CPPFLAGS={' '.join(flags)}", compiler=compiler)

    return once("-".join(["provider", compiler, *flags]), build)


def sealed_file() -> Path:
    """Return a folder with a text, the key under which the example in C has sealed it, and the result."""

    def build(folder: Path) -> None:
        library = made_library() / "libhornet.a"
        files = program(folder / "files", ["cc"], "examples/c/files.c", options=["-Iinclude"], link=[library])
        (folder / "text").write_bytes(bytes(range(250)) * 1000)
        run(files, "seal", *(folder / name for name in ("key", "text", "sealed")))

    return once("sealed-file", build)


def checked_examples(source: str, *command: object) -> None:
    """Check the six examples of a language. In the paths, {} stands for the name of a program."""
    run("examples/check.py", ROOT / "examples" / source, *command, env={"HORNET_SEALED": sealed_file()})
