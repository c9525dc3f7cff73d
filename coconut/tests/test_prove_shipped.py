# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that what is proved is the archive that is named, of one compiler, and that the shared library is the same."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from coconut.lift import objects
from coconut.lift.elf import Elf, members, same_functions
from coconut.lift.objects import compiled, linked_from, shipped, version_of
from coconut.prove.polynomials import Unproved
from coconut.prove.shipped import SHARED, prove_selection
from coconut.trace import ROOT, SOURCE


def archive_of(folder: Path, name: str, **compilers: str) -> bytes:
    """Return an archive of an object of each of these compilers."""
    paths = [folder / f"{name}-{i}.o" for i in compilers]
    for path, compiler in zip(paths, compilers.values(), strict=True):
        source = f"int {path.stem.replace('-', '_')}(int a) {{ return a + {len(name)}; }}"
        subprocess.run(
            [*compiler.split(), "-O2", "-c", "-x", "c", "-", "-o", path], input=source, text=True, check=True
        )
    subprocess.run(["ar", "rcs", folder / f"{name}.a", *paths], check=True)
    return (folder / f"{name}.a").read_bytes()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let archives and programs be in a folder of the test's own."""
    monkeypatch.setattr(objects, "ROOT", tmp_path)
    monkeypatch.setattr(objects, "OBJECTS", tmp_path / "objects")
    return tmp_path


def test_shipped() -> None:
    """The default compiler's machine code is that of build/libhornet.a."""
    linked = compiled("cc")
    assert linked.archive == "build/libhornet.a" and linked.shipped
    assert linked.sha256 == hashlib.sha256((ROOT / linked.archive).read_bytes()).hexdigest()
    assert compiled("cc") is linked
    assert not compiled("clang-19").shipped


def test_changed_byte(elsewhere: Path) -> None:
    """One byte more or less in a function is another SHA-256, and another program."""
    content = archive_of(elsewhere, "one", a="gcc")
    code = next(members("one.a", content)[0].functions())[1]
    at = content.index(code) + len(code) - 2
    other = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    linked, changed = linked_from(content, elsewhere / "one.a", "gcc"), linked_from(other, elsewhere / "one.a", "gcc")
    assert linked.sha256 == hashlib.sha256(content).hexdigest() != changed.sha256
    assert linked.path.read_bytes() != changed.path.read_bytes()


def test_exchanged(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that is exchanged after it was read is not what is linked."""
    content, other = archive_of(elsewhere, "first", a="gcc"), archive_of(elsewhere, "other", a="gcc")
    expected = linked_from(content, elsewhere / "first.a", "gcc").path.read_bytes()
    run = subprocess.run

    def exchange(*arguments, **options):  # type: ignore[no-untyped-def]
        (elsewhere / "first.a").write_bytes(other)
        return run(*arguments, **options)

    monkeypatch.setattr(subprocess, "run", exchange)
    linked = linked_from(content, elsewhere / "first.a", "gcc")
    assert (elsewhere / "first.a").read_bytes() == other
    assert linked.path.read_bytes() == expected and linked.sha256 == hashlib.sha256(content).hexdigest()
    assert "first_a" in linked.symbols and "other_a" not in linked.symbols


def test_two_compilers(elsewhere: Path) -> None:
    path = elsewhere / "mixed.a"
    with pytest.raises(Unproved, match=r"mixed-a.o\) is made by gcc .* but .*mixed-b.o\) is made by clang"):
        linked_from(archive_of(elsewhere, "mixed", a="gcc", b="clang-19"), path, "gcc")
    with pytest.raises(Unproved, match="is made by clang .*, and not by gcc"):
        linked_from(archive_of(elsewhere, "clang", a="clang-19"), path, "gcc")
    with pytest.raises(Unproved, match="is made by gcc .*, aarch64, and not by gcc"):
        linked_from(archive_of(elsewhere, "arm", a="aarch64-linux-gnu-gcc"), path, "gcc")


def test_no_compiler(elsewhere: Path) -> None:
    """An object that names no compiler, or two, and an archive that does not contain its objects, are refused."""
    archive_of(elsewhere, "bare", a="gcc")
    thin = subprocess.run(["ar", "rcsT", elsewhere / "thin.a", elsewhere / "bare-a.o"], check=True)
    assert thin.returncode == 0
    with pytest.raises(Unproved, match="no archive that contains"):
        linked_from((elsewhere / "thin.a").read_bytes(), elsewhere / "thin.a", "gcc")
    subprocess.run(["objcopy", "-R", ".comment", elsewhere / "bare.a"], check=True)
    with pytest.raises(Unproved, match="names 0 compilers"):
        linked_from((elsewhere / "bare.a").read_bytes(), elsewhere / "bare.a", "gcc")
    with pytest.raises(Unproved, match="no objects"):
        linked_from(b"!<arch>\n", elsewhere / "empty.a", "gcc")


def test_version() -> None:
    assert version_of("gcc") == version_of("cc") and version_of("gcc").startswith("gcc ")
    assert version_of("aarch64-linux-gnu-gcc").endswith(", aarch64")
    for command in ("gcc -E", "gcc -S", "gcc -fsyntax-only", "gcc --no-such-option"):
        with pytest.raises(ValueError, match=f"{command} makes no object: "):
            version_of(command)


def test_shared_library() -> None:
    """A shared library in which one byte of a function differs, or that lacks one, is refused."""
    found = members("libhornet.a", shipped())
    content = SHARED.read_bytes()
    count = same_functions(found, Elf("libhornet.so", content))
    assert count > 150
    name, code = next((s.name, code) for s, code in Elf("so", content).functions() if "mac_avx2" in s.name)
    at = content.index(code) + 40
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    with pytest.raises(Unproved, match=f"libhornet.so has another {name}"):
        same_functions(found, Elf("libhornet.so", changed))
    renamed = content.replace(name.encode() + b"\0", b"x" * len(name) + b"\0")
    with pytest.raises(Unproved, match=f"no function {name}"):
        same_functions(found, Elf("libhornet.so", renamed))


def test_selection(tmp_path: Path) -> None:
    """A kernel that is not proved, and one that the CPU cannot run, must not serve messages."""
    names = frozenset({"scalar64", "avx2", "ifma256", "ifma", "ifma_zen5"})
    assert prove_selection(shipped(), names) > 50
    with pytest.raises(Unproved, match="avx2 serves messages, and is not proved"):
        prove_selection(shipped(), names - {"avx2"})
    text = (SOURCE / "core" / "dispatch.c").read_text()
    anywhere = text.replace("return hornet_can_run(entry->implementation, cpu) && ", "return ")
    assert anywhere != text
    options = ["-O2", f"-I{SOURCE / 'core'}", "-c", "-x", "c", "-", "-o", str(tmp_path / "dispatch.o")]
    subprocess.run(["gcc", *options], input=anywhere, text=True, check=True)
    (tmp_path / "planted.a").write_bytes(shipped())
    subprocess.run(["ar", "r", tmp_path / "planted.a", tmp_path / "dispatch.o"], check=True)
    with pytest.raises(Unproved, match="no kernel that it can run"):
        prove_selection((tmp_path / "planted.a").read_bytes(), names)
