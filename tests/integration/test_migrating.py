# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each line of the tables in docs/migrating.md: both calls give the same, and what differs is as the document says.

The tables of @noble/ciphers, cryptography and RustCrypto are tested with the packages: by test_js.py, the tests of the Python
package, and cargo.
"""

import re

from support import ROOT, program, row, rows, run, suite
from support.products import made_library

MIGRATING = ROOT / "tests/integration/migrating"
OPTIONS = "-std=gnu11 -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude".split()


@rows(
    "section, library",
    row("migrating-libsodium", "libsodium", "sodium"),
    row("migrating-openssl", "OpenSSL", "crypto"),
)
def test_migrating(section, library, folder):
    source = MIGRATING / f"{section.lower()}.c"
    link = [made_library() / "libhornet.a", f"-l{library}"]
    run(MIGRATING / "check.py", section, source, program(folder / section, ["gcc"], source, options=OPTIONS, link=link))


@suite("quick")
def test_migrating_xcrypto(folder):
    source = MIGRATING / "xcrypto.go"
    run("go", "-C", "bindings/go/compare", "build", "-o", folder / "xcrypto", source)
    run(MIGRATING / "check.py", "golang.org/x/crypto", source, folder / "xcrypto")


@suite("check quick")
def test_migrating_document():
    """A section without a program would not be tested."""
    sections = re.findall(r"^### (.*)$", (ROOT / "docs/migrating.md").read_text(), re.M)
    tested = "libsodium OpenSSL pyca/cryptography @noble/ciphers golang.org/x/crypto RustCrypto".split()
    assert sections == tested
