# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the bench itself, which build it first: the tags of all peers, and each command on few inputs. The timings are
not meaningful. `compare` runs on small source trees: tests/plain and modified copies of it.

    make test-bench
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
ROOT = BENCH.parents[1]
PLAIN = BENCH / "tests" / "plain"
CARGO = ["--release", "--locked", "--target-dir", "target"]
sys.path.insert(0, str(BENCH.parent))

from report import results  # noqa: E402


def execute(*command: object) -> str:
    process = subprocess.run(list(map(str, command)), cwd=BENCH, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def bench(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, BENCH / "measure.py", *arguments]
    return subprocess.run(list(map(str, command)), cwd=BENCH, capture_output=True, text=True, check=False)


def measured(*arguments: object) -> str:
    process = bench(*arguments)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_lint_and_units():
    execute("cargo", "clippy", *CARGO, "--all-targets", "--", "-D", "warnings")
    execute("cargo", "test", *CARGO)


def test_the_tags_of_all_peers():
    text = measured("check")
    assert "hornet gcc, scalar64: all" in text and "OpenSSL: all" in text
    assert "OpenSSL, ChaCha20-Poly1305: all" in text and "hornet gcc EVP provider, ChaCha20-Poly1305: all" in text
    for peer in ("Libgcrypt AVX2", "Botan", "Botan AVX2", "wolfSSL", "wolfSSL AVX2", "wolfSSL AVX-512", "libcrux"):
        assert f"\n{peer}: all" in text and f"\n{peer}, ChaCha20-Poly1305: all" in text, peer


def built_by(crate: str) -> list[Path]:
    """Return the folders in which the build scripts of crates with that prefix wrote."""
    messages = map(json.loads, execute("cargo", "build", *CARGO, "--message-format", "json").splitlines())
    return [Path(message["out_dir"]) for message in messages if f"/{crate}-" in message.get("out_dir", "")]


def test_what_is_limited_uses_no_avx512(tmp_path):
    count = tmp_path / "instructions"
    execute("gcc", "-O2", "-o", count, BENCH / "tests/instructions.c", "-ldl")
    folder = next(folder for folder in built_by("hornet-bench") if (folder / "libhornet_gcc.so").exists())

    def counts(library: str, prefix: str) -> tuple[int, int]:
        avx512, ifma = execute(count, folder / f"lib{library}.so", prefix).split()
        return int(avx512), int(ifma)

    for library, prefix in (
        ("botan_avx2", "botan"),
        ("wolfssl_avx2", "wolfssl"),
        ("libgcrypt_avx2", "libgcrypt"),
        ("ipsec_mb", "ipsec_mb_avx2"),
        ("ipsec_mb", "ipsec_mb_job_avx2"),
    ):
        assert counts(library, prefix) == (0, 0), library
    assert counts("wolfssl_avx512f", "wolfssl")[1] == 0
    if "avx512ifma" in Path("/proc/cpuinfo").read_text():
        for library in ("botan", "wolfssl"):
            assert min(counts(library, library)) > 0, library
        assert counts("wolfssl_avx512f", "wolfssl")[0] > 0


def test_the_provider_in_openssl_4():
    execute(ROOT / "tools/apt-install.sh", "libssl-dev")  # the module is built with its headers
    folders = built_by("hornet-bench-openssl")
    # From the root, where pytest's configuration is.
    test = "exec build/venv/bin/pytest -k openssl-provider-gcc"
    execute("sh", "-c", f"cd '{ROOT}' && HORNET_OPENSSL='{folders[0]}/openssl-build/install' {test}")


def test_a_run_and_one_that_replaces_groups(tmp_path):
    few = ["--peers", "hornet,openssl", "--processes", 2, "--rounds", 1]
    measured("run", "--only", "lengths,keys,batch,pieces", "--sections", "best", *few, "--out", tmp_path)
    aead = "seal,open,aead-sweep,packets,aead-batch,evp"
    measured("run", "--only", aead, "--sections", "avx2", *few, "--out", tmp_path / "avx2")
    (path,) = tmp_path.glob("*.json")
    more = ["--small", "--sections", "best,avx2", "--processes", 2, "--rounds", 1, "--into", path]
    measured("run", "--only", "aes,edit,file,tree", *more)
    all_ = results.load(path)
    assert len(all_["runs"]) == 2 and all_["runs"][1]["groups"] == ["aes", "edit", "file", "tree"]
    assert {"gcc", "command openssl"} <= all_["tools"].keys()
    (series,) = results.find(all_, "best", "keys")
    assert series["columns"][0]["name"] == "hornet gcc"
    assert all(len(samples) == 2 and min(samples) > 0 for samples in series["columns"][0]["ns"]["samples"])
    page = path.with_suffix(".md").read_text()
    assert "### Whole processes: many small files: 300 files" in page and "| hornet check |" in page
    measured("render", path)
    assert path.with_suffix(".md").read_text() == page


def test_tune():
    assert "HORNET_KERNEL" in measured("tune", "--longest", 300, "--step", 64, "--rounds", 3)


# compare


def changed(folder: Path, name: str, file: str, old: str, new: str) -> Path:
    """Return a copy of the plain tree with a change in one of its files."""
    tree = folder / name
    shutil.copytree(PLAIN, tree)
    text = (tree / "src" / file).read_text()
    assert old in text
    (tree / "src" / file).write_text(text.replace(old, new))
    return tree


def compare(*arguments: object) -> subprocess.CompletedProcess:
    return bench("compare", "--processes", 2, "--rounds", 3, "--compiler", "gcc", *arguments)


def test_this_tree_and_the_last_revision(tmp_path):
    out = tmp_path / "out.json"
    process = compare("HEAD", "--lengths", "0..16", "--out", out)
    assert process.returncode == 0, process.stderr
    assert "gcc, calls: geometric mean" in process.stdout.replace(f" ({results.load(out)['tools']['gcc']})", "")


def test_a_slower_tree_has_a_ratio_above_1(tmp_path):
    init = "plain_init(&p, key);"
    slow = changed(tmp_path, "slow", "poly1305.c", init, f"for (int i = 0; i < 100; i++) {init}")
    out = tmp_path / "out.json"
    for trees, is_slower in (((PLAIN, slow), True), ((slow, PLAIN), False)):
        process = compare("--lengths", "16..17", "--out", out, *trees)
        assert process.returncode == 0, process.stderr
        calls, batches = results.load(out)["series"]
        assert [calls["xs"], batches["xs"]] == [["16", "17"], ["16"]]
        assert [column["name"] for column in calls["columns"]] == [tree.name for tree in trees]
        for ratios in calls["columns"][1]["ratio"]["samples"] + batches["columns"][1]["ratio"]["samples"]:
            assert all(ratio > 2 if is_slower else ratio < 0.5 for ratio in ratios)


def test_wrong_tags_are_reported_and_not_measured(tmp_path):
    wrong = changed(tmp_path, "wrong", "deep/absorb.c", "tag[i] = (uint8_t)sum;", "tag[i] = 7;")
    batch = changed(tmp_path, "wrong-batch", "poly1305.c", "i < count; i++", "i + 1 < count; i++")
    for base, tree, name in (
        (PLAIN, wrong, "wrong with gcc: WRONG"),
        (wrong, PLAIN, "wrong with gcc: WRONG"),
        (PLAIN, batch, "wrong-batch with gcc, batch: WRONG on 1 of"),
    ):
        process = compare(base, tree)
        assert process.returncode == 1 and name in process.stderr and process.stdout == ""


def test_errors_name_the_tree_and_the_file(tmp_path):
    broken = changed(tmp_path, "broken", "deep/absorb.c", "return ", "retrun ")
    old = changed(tmp_path, "old", "poly1305.c", "hornet_poly1305_batch", "hornet_poly1305_many")
    (tmp_path / "empty/src").mkdir(parents=True)
    for arguments, complaint in (
        ([PLAIN, broken], "broken/src/deep/absorb.c:"),
        ([old, PLAIN], "old with gcc: has no hornet_poly1305_batch"),
        ([PLAIN, tmp_path / "empty"], "empty/src: contains no C files"),
        ([PLAIN, "/nowhere"], "no revision '/nowhere'"),
        ([PLAIN, PLAIN, "--kernel", "none"], 'plain with gcc: no kernel "none" runs here'),
        ([PLAIN, PLAIN, "--out", "/nowhere/out.json"], "/nowhere/out.json: there is no such folder"),
        ([PLAIN, PLAIN, "--lengths", "3000..4000"], "contains no length that is measured"),
        ([PLAIN, PLAIN, "--processes", "3"], "must be an even number"),
    ):
        process = compare(*arguments)
        assert process.returncode == 2 and complaint in process.stderr, process.stderr
