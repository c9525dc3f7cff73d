# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that build all peers, which takes minutes: pytest lab/bench/tests/test_bench.py"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from lab.bench import peers, processes  # noqa: E402
from lab.bench.groups import GROUPS  # noqa: E402
from lab.report import results  # noqa: E402


def execute(*command: object, cwd: Path = ROOT) -> str:
    process = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def bench(*arguments: object) -> str:
    return execute(sys.executable, "-m", "lab.bench", *arguments)


@pytest.mark.parametrize("feature", ["graviola", "libcrux", "ring", "rustcrypto"])
def test_lint(feature):
    flags = ["--release", "--locked", "--features", feature, "--target-dir", peers.BUILD / "target"]
    execute("cargo", "clippy", *flags, "--", "-D", "warnings", cwd=peers.CRATES)


def test_all_peers_and_pairs_of_kernels():
    """Only tags that are known to be wrong are: of edge cases, and not of Hornet."""
    lines = bench("check").splitlines()
    every = len(peers.PEERS) + sum(peer.groups != ("edit",) for peer in peers.HORNETS)
    checks, measured = map(int, re.findall(r"\d+", lines[-1]))
    assert checks > 200 and measured > every
    for peer in (*peers.PEERS, *(peer for peer in peers.HORNETS if peer.groups != ("edit",))):
        assert any(line.startswith((f"{peer.name}: ", f"{peer.name}, sealed: ")) for line in lines), peer.name
    wrong = {re.sub("(,| in| with).*", "", line.split(":")[0]) for line in lines if "WRONG" in line}
    assert wrong <= {"AWS-LC", "Botan", "Libgcrypt", "ipsec-mb", "ipsec-mb job", "ipsec-mb AVX-512"}
    assert not [line for line in lines if "WRONG" in line and ("sealed" in line or "opened" in line)]


def test_what_is_limited_uses_no_avx512(tmp_path):
    count = tmp_path / "instructions"
    execute("gcc", "-O2", "-Itools/measure", "-o", count, "lab/bench/tests/instructions.c", "-ldl")
    files, missing = peers.build_all(
        [peer for peer in peers.PEERS if peer.source in ("botan", "wolfssl", "libgcrypt", "ipsec_mb")]
    )
    assert not missing
    counts = {}
    for peer, file in files.items():
        if "MAC_ONLY" not in peer.options:
            counts[peer.name] = tuple(map(int, execute(count, file).split()))
    for name in ("Botan AVX2", "wolfSSL AVX2", "Libgcrypt AVX2", "ipsec-mb AVX2", "ipsec-mb job AVX2"):
        assert counts[name] == (0, 0), name
    assert counts["wolfSSL AVX-512"][1] == 0
    if "avx512ifma" in Path("/proc/cpuinfo").read_text():
        assert min(*counts["Botan"], *counts["wolfSSL"], counts["wolfSSL AVX-512"][0]) > 0


def test_the_provider_in_openssl_4(tmp_path):
    """The module is built with Debian's headers, and does in OpenSSL 4 what the default provider does."""
    execute("tools/apt-install.sh", "libssl-dev")
    *includes, archive, _, _ = peers.openssl()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libcrypto.a").symlink_to(archive)
    for include in includes:
        shutil.copytree(include.removeprefix("-I"), tmp_path / "include", dirs_exist_ok=True)
    execute("sh", "-c", f"HORNET_OPENSSL='{tmp_path}' exec build/venv/bin/pytest -k openssl-provider-gcc")


def test_a_run_of_all_groups(tmp_path):
    few = ["--peers", "hornet,openssl,nettle", "--processes", 2, "--rounds", 1, "--small"]
    calls = ",".join(group for group in GROUPS if "sweep" not in group and group != "stream")
    bench("run", "--only", calls, *few, "--sections", "best,avx2", "--out", tmp_path)
    (path,) = tmp_path.glob("*.json")
    bench("run", "--only", ",".join(["aes", *processes.GROUPS]), *few, "--into", path)
    all_ = results.load(path)
    assert {series["group"] for series in all_["series"]} == {*calls.split(","), *processes.GROUPS}
    assert len(all_["runs"]) == 2 and all_["runs"][1]["groups"] == ["aes", *processes.GROUPS]
    assert {"gcc", "command openssl"} <= all_["tools"].keys()
    (series,) = results.find(all_, "best", "keys")
    assert series["columns"][0]["name"] == "hornet gcc"
    assert all(len(samples) == 2 and min(samples) > 0 for samples in series["columns"][0]["ns"]["samples"])
    page = path.with_suffix(".md").read_text()
    assert "### Whole processes: many small files: 300 files" in page and "| hornet check |" in page
