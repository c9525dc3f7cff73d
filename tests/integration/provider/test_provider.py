# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the OpenSSL provider with the default one, and loads it into openssl(1) with the sample configuration."""

import os
import re

from support import ROOT, fails, output, program, row, rows, run, suite
from support.products import KEY, MESSAGE, TAG, provider

HERE = "tests/integration/provider"
OPTIONS = "-std=gnu11 -O1 -g -Wall -Wextra -Wshadow -Wconversion -Werror -pthread".split()
PROGRAMS = ["test_provider", "test_walk"]
EMPTY_CONFIGURATION = {"OPENSSL_CONF": "/dev/null"}
SAMPLE_CONFIGURATION = {"OPENSSL_CONF": ROOT / "bindings/openssl/openssl.cnf"}
# An OpenSSL with which to compare the calls, by its static library. The module is built with the system's headers.
OPENSSL = os.environ.get("HORNET_OPENSSL")


def calls(folder, compiler, name):
    """Build a program that makes the same calls of the module and of the default provider, and loads both itself."""
    include, link = (
        ([f"-I{OPENSSL}/include"], [f"{OPENSSL}/lib/libcrypto.a", "-ldl"]) if OPENSSL else ([], ["-lcrypto"])
    )
    return program(folder / name, [compiler], f"{HERE}/{name}.c", options=[*OPTIONS, *include], link=link)


@rows(
    "compiler",
    row("openssl-provider-gcc", "cc", cpu_seconds=20),
    row("openssl-provider-clang-19", "clang-19", suites="release"),
)
def test_calls(compiler, folder):
    for name in PROGRAMS:
        env = EMPTY_CONFIGURATION | {"OPENSSL_MODULES": provider(compiler)}
        run(calls(folder, compiler, name), env=env)


@suite("slow", cpu_seconds=20)
def test_openssl_provider_valgrind(folder):
    """No reads of uninitialized memory, and no uses of freed memory."""
    env = EMPTY_CONFIGURATION | {"OPENSSL_MODULES": provider()}
    for name, *arguments in (["test_provider"], ["test_walk", 1, 150]):
        run("valgrind", "--quiet", "--error-exitcode=1", calls(folder, "cc", name), *arguments, env=env)


@suite("quick")
def test_openssl_provider_includes():
    """The provider includes no header of the library that is not public."""
    sources = sorted((ROOT / "bindings/openssl/src").glob("*.[ch]"))
    assert sources and not [path for path in sources if '#include "../' in path.read_text()]


@rows("compiler", row("openssl-provider-module-gcc", "cc"), row("openssl-provider-module-clang-19", "clang-19"))
def test_module(compiler):
    """The module exports one function, and needs only libc."""
    module = provider(compiler) / "hornet.so"
    exported = output("nm", "-D", "--defined-only", module)
    assert re.findall(r"\S+$", exported, re.M) == ["OSSL_provider_init"]
    assert {"libc.so.6"} >= set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", module)))


@suite("quick")
def test_openssl_provider_configuration():
    env = SAMPLE_CONFIGURATION | {"OPENSSL_MODULES": provider()}
    assert "name: Hornet" in output("openssl", "list", "-providers", "-verbose", env=env)
    # The list has a line for each cipher. This checks the list, because fetching without a preference returns either
    # provider's.
    ciphers = output("openssl", "list", "-cipher-algorithms", env=env)
    assert len(re.findall("chacha20-poly1305 @ hornet", ciphers, re.IGNORECASE)) == 2
    mac = ["openssl", "mac", "-propquery", "provider=hornet", "-macopt", f"hexkey:{KEY.hex()}", "POLY1305"]
    assert output(*mac, env=env, stdin=MESSAGE).strip().lower() == TAG


@suite("quick")
def test_openssl_provider_fails():
    """The build that fails does so only in its own algorithms, which proves that other tests use this provider."""
    env = SAMPLE_CONFIGURATION | {"OPENSSL_MODULES": provider("cc", "-DHORNET_PROVIDER_FAILS")}
    fails("openssl", "mac", "-macopt", f"hexkey:{KEY.hex()}", "-in", "/dev/null", "POLY1305", env=env)
    run("openssl", "dgst", "-sha256", "/dev/null", env=env)
