# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Go module: natively, in variants of this CPU, under qemu for other architectures, and as its README uses it."""

import filecmp
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support import ROOT, attempt, output, row, rows, run, suite

MODULE = ROOT / "bindings/go"
ARCHITECTURES = ("arm64", "s390x", "riscv64")
QEMU = {"amd64": "x86_64", "arm64": "aarch64"}
# All tests would take a minute with the race detector.
RACES = "Concurrent|Pieces|Batches|Vectors|Wycheproof|Overlap|Example"


def go(*words, cwd=MODULE, **env):
    run("go", *words, cwd=cwd, env=env)


def is_amd64():
    return output("go", "env", "GOHOSTARCH").strip() == "amd64"


@suite("quick", cpu_seconds=50)
def test_go_checked(folder):
    """The module is vetted; its vectors are those of their sources, and its licences those of the tree."""
    go("run", "generate.go", folder, cwd=MODULE / "internal/vectors")
    vectors = [path.name for path in (MODULE / "internal/vectors").glob("*.txt")]
    same, different, missing = filecmp.cmpfiles(MODULE / "internal/vectors", folder, vectors, shallow=False)
    assert same and not different and not missing, "vectors are not those of their sources: run go generate ./..."
    go("run", "generate.go", folder / "tuning", cwd=MODULE / "internal/tuning")
    tuning = (MODULE / "internal/tuning/tuning.go").read_text()
    assert tuning == (folder / "tuning").read_text(), (
        "tuning.go is not that of src/core/tuning.h: run go generate ./..."
    )
    go("run", "generate.go", folder / "cores", cwd=MODULE / "internal/family")
    cores = (MODULE / "internal/family/cores_amd64.go").read_text()
    assert cores == (folder / "cores").read_text(), "cores_amd64.go is not that of x86.c: run go generate ./..."
    # These are copies because the archive of a module contains no links.
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert (MODULE / name).read_bytes() == (ROOT / name).read_bytes()
    staticcheck = output("go", "-C", "compare", "tool", "-n", "staticcheck", cwd=MODULE).strip()
    for part in (MODULE, MODULE / "compare"):
        go("vet", "./...", cwd=part)
        go("vet", "-tags", "purego", "./...", cwd=part)
        run(staticcheck, "./...", cwd=part)
        go("mod", "tidy", "-diff", cwd=part)


@rows(
    "options, env, amd64",
    row("go", [], {}, False, cpu_seconds=30),
    row("go-purego", ["-tags", "purego"], {}, False, cpu_seconds=30),
    row("go-386", [], {"GOARCH": "386"}, True, suites="cross", cpu_seconds=70),
    # The code for older CPUs.
    row("go-without-avx-512", [], {"GODEBUG": "cpu.avx512f=off"}, True, cpu_seconds=20),
    row("go-without-vectors", [], {"GODEBUG": "cpu.all=off"}, True, cpu_seconds=20),
    # s390x without the z14's instructions, and without vectors; qemu has all.
    *(
        row(
            f"go-s390x-without-{features}",
            ["-exec", "qemu-s390x"],
            {"GOARCH": "s390x", "GODEBUG": f"cpu.{option}=off"},
            False,
            suites="cross",
            cpu_seconds=50,
        )
        for features, option in (("vmsl", "vxe"), ("vectors", "all"))
    ),
    *(
        row(
            f"go-{name}",
            ["-exec", f"qemu-{QEMU.get(name, name)}"],
            {"GOARCH": name},
            False,
            suites="cross cross-quick",
            cpu_seconds=50,
        )
        for name in ARCHITECTURES
    ),
)
def test_go(options, env, amd64):
    if amd64 and not is_amd64():
        pytest.skip("runs on amd64")
    go("test", *options, "./...", **env)


@suite("quick", cpu_seconds=30)
def test_go_races():
    packages = ("./poly1305", "./poly1305aes", "./chacha20poly1305", "./openssh", "./stream")
    go("test", "-race", "-run", RACES, *packages)


@suite("quick", cpu_seconds=40)
def test_go_compared():
    """Compared with other libraries."""
    go("test", cwd=MODULE / "compare")
    go("run", ".", "-rounds", "1", cwd=MODULE / "compare")


def with_module(folder):
    """Return a copy of x/crypto whose ciphers are the module's."""
    run(MODULE / "compare/xcrypto/patch.sh", folder / "crypto")
    return folder / "crypto"


def loopback(folder, crypto=None):
    """Build compare/xcrypto/loopback, with a copy of x/crypto if there is one."""
    module, options = output("go", "list", "-m", cwd=MODULE).strip(), []
    program = folder / ("ours" if crypto else "theirs")
    if crypto:
        for suffix in ("mod", "sum"):
            shutil.copy(MODULE / f"compare/go.{suffix}", folder / f"patched.{suffix}")
        options = ["-modfile", folder / "patched.mod"]
        replaced = ("-replace", f"golang.org/x/crypto={crypto}", "-replace", f"{module}={MODULE}")
        go("mod", "edit", *replaced, folder / "patched.mod")
    go("build", *options, "-o", program, "./xcrypto/loopback", cwd=MODULE / "compare")
    assert (f"\tdep\t{module}\t" in output("go", "version", "-m", program)) == (crypto is not None)
    return program


@suite("quick", cpu_seconds=20)
def test_go_xcrypto(folder):
    """x/crypto's own tests of both ciphers pass with the module's. SSH clients and servers with and without it understand
    each other, with new keys after each MiB.
    """
    crypto = with_module(folder)
    go("test", "./chacha20", "./chacha20poly1305", cwd=crypto)
    ours, theirs = loopback(folder, crypto), loopback(folder)
    for client, server in ((ours, theirs), (theirs, ours), (ours, ours)):
        run(client, "-mib", 4, "-rekey", 1 << 20, "-server", server)


@suite("release", cpu_seconds=60)
def test_go_xcrypto_ssh(folder):
    """x/crypto's own tests of SSH pass, and OpenSSH's client and a server with the module understand each other."""
    crypto = with_module(folder)
    go("test", "./ssh/...", cwd=crypto)
    sent = random.Random(1).randbytes((64 << 20) + 77)
    # The server takes any channel, also one that forwards to a host that it does not know.
    options = [
        *("Ciphers=chacha20-poly1305@openssh.com", "RekeyLimit=1M", "StrictHostKeyChecking=no"),
        *("UserKnownHostsFile=/dev/null", "LogLevel=ERROR"),
    ]
    ssh = ["ssh", "-F", "none", *(f"-o{option}" for option in options), "-W", "echo:1"]
    with subprocess.Popen([loopback(folder, crypto), "-serve"], stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip().rpartition(":")[2]
        received = subprocess.run(
            [*ssh, "-p", port, "127.0.0.1"], input=sent, stdout=subprocess.PIPE, check=True
        ).stdout
    assert received == sent and server.returncode == 0


QUIC_GO = "github.com/quic-go/quic-go@v0.60.0"


@suite("release", cpu_seconds=200)
def test_go_quic(folder):
    """quic-go's own tests pass with the module's ciphers."""
    crypto = with_module(folder)
    quic = Path(json.loads(output("go", "mod", "download", "-json", QUIC_GO, cwd=folder))["Dir"])
    shutil.copytree(quic, folder / "quic")
    run("chmod", "-R", "u+w", folder / "quic")
    module = output("go", "list", "-m", cwd=MODULE).strip()
    replaced = ("-replace", f"golang.org/x/crypto={crypto}", "-replace", f"{module}={MODULE}")
    go("mod", "edit", *replaced, cwd=folder / "quic")
    go("mod", "tidy", cwd=folder / "quic")
    go("test", "./internal/handshake", "./integrationtests/self", cwd=folder / "quic")


@suite("release", cpu_seconds=60)
def test_go_fuzzed():
    compare = MODULE / "compare"
    fuzz = ("test", "-run", "^$", "-fuzztime", "5000x", "-fuzz")
    go(*fuzz, "Sum", "./poly1305")
    go(*fuzz, "Seal", "./chacha20poly1305")
    go(*fuzz, "Segments", "./poly1305aes")
    go(*fuzz, "OpenParts", "./poly1305aes")
    go(*fuzz, "Pieces", "./chacha20")
    go(*fuzz, "Packets", "./openssh")
    go(*fuzz, "Chunks", "./stream")
    for target in ("Sum", "AEAD", "Stream", "Masks", "Packets", "Payload"):
        go(*fuzz, target, cwd=compare)


@suite("quick")
def test_go_example(outside):
    """The program of the README builds in a new module by the README's lines for a checkout, and needs no other module."""
    readme = (MODULE / "README.md").read_text()
    (program,) = re.findall(r"^```go\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (outside / "main.go").write_text(program)
    (outside / "hornet").symlink_to(ROOT)
    module = output("go", "list", "-m", cwd=MODULE).strip()
    go("mod", "init", "client", cwd=outside)
    lines = re.findall(r"^    (go mod .*)$", readme, re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        run("sh", "-c", line, cwd=outside, env={"GOPROXY": "off", "GOSUMDB": "off"})
    go("run", ".", cwd=outside)
    needed = {line.split()[0] for line in output("go", "list", "-m", "all", cwd=outside).splitlines()}
    assert needed <= {"client", module, "golang.org/x/sys"}


def trace(folder, architecture, module, *arguments, debug=""):
    """Return the addresses of the module's basic blocks in the order in which qemu executes them.

    At arbitrary times the runtime interrupts a function at its call, through morestack. The function then starts again,
    and the blocks since its first one are dropped.
    """
    qemu = [f"qemu-{QEMU.get(architecture, architecture)}", *(["-cpu", "max"] if architecture == "amd64" else [])]
    env = {"GODEBUG": f"asyncpreemptoff=1{debug}", "GOMAXPROCS": 1, "GOGC": "off"}
    run(*qemu, "-d", "exec,nochain", "-D", folder / "log", folder / "traced", *arguments, env=env)
    # subtle.XORBytes is left out: it compares addresses, which may differ.
    own = (f"{module}/", "crypto/subtle", "crypto/internal/fips140/subtle.Constant", "main.planted")
    compares = ("runtime.memequal", "runtime.cmp", "internal/bytealg", "memeqbody", "cmpbody")
    blocks, before, interrupted = [], {}, set()
    with (folder / "log").open() as log:
        for line in log:
            words = line.split()
            if words[0] == "Stopped":
                # qemu has logged this block, but not executed it, and will log it again.
                if blocks and blocks[-1].startswith(words[-2].strip("[]") + " "):
                    blocks.pop()
                continue
            thread, function = words[1], words[-1]
            block = f"{words[3].split('/')[1]} {function}"
            of_module = before.get(thread, False) if function.startswith(compares) else function.startswith(own)
            if function.startswith("runtime.morestack") and before.get(thread):
                interrupted.add(thread)
            before[thread] = of_module
            if not of_module:
                continue
            if thread in interrupted:
                if block not in blocks[-4:]:
                    continue
                interrupted.remove(thread)
                while blocks.pop() != block:
                    pass
            blocks.append(block)
    return blocks


@rows(
    "architecture, debug",
    row("go-traces-amd64", "amd64", "", cpu_seconds=30),
    row("go-traces-arm64", "arm64", "", suites="cross cross-quick", cpu_seconds=30),
    *(row(f"go-traces-{name}", name, "", suites="cross", cpu_seconds=30) for name in ("s390x", "riscv64")),
    row("go-traces-s390x-without-vmsl", "s390x", ",cpu.vxe=off", suites="cross", cpu_seconds=30),
)
def test_traces(architecture, debug, folder):
    """No branch depends on five kinds of secrets, or on where a tag is wrong. A planted one is seen."""
    module = output("go", "list", "-m", cwd=MODULE).strip()
    go("build", "-o", folder / "traced", "./internal/traced", GOARCH=architecture)
    zeros = trace(folder, architecture, module, "zeros", debug=debug)
    print(len(zeros), "blocks")
    assert len(zeros) > 15000
    for kind in ("ones", "small", "random", "other"):
        assert trace(folder, architecture, module, kind, debug=debug) == zeros, (
            f"a branch depends on secrets: zeros and {kind} differ"
        )
    planted = [trace(folder, architecture, module, kind, "planted", debug=debug) for kind in ("zeros", "ones")]
    for name, blocks in zip(("zeros", "ones"), planted, strict=True):
        (folder / name).write_text("\n".join(blocks) + "\n")
    status, difference = attempt("diff", folder / "zeros", folder / "ones")
    assert status == 1
    assert all("main.planted" in line for line in difference.splitlines() if line[0] in "<>")
