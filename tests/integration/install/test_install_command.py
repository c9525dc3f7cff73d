# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`make install`: the command, its man pages and its completions."""

import re

import pytest
from support import attempt, output, run, suite
from support.products import make, once, version

FILES = (
    "bin/hornet include/hornet.h include/hornet_poly1305_aes.h lib/libhornet.a lib/libhornet.so lib/pkgconfig/hornet.pc"
)
FILES += " lib/cmake/hornet/hornet-config.cmake share/man/man1/hornet.1"
COMPLETE = """
source "$0"
COMP_WORDS=(hornet "$@") COMP_CWORD=$# COMP_LINE="hornet $*" COMP_POINT=${#COMP_LINE}
_hornet hornet "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf "%s\\n" "${COMPREPLY[@]}"
"""


def install(folder):
    # The second time over the existing files.
    for _ in range(2):
        make("install", f"BUILD={folder / 'build'}", f"DESTDIR={folder / 'root'}", "PREFIX=/opt/hornet")


@pytest.fixture
def prefix():
    return once("install-command", install) / "root/opt/hornet"


@suite("quick", cpu_seconds=20)
def test_install_command(prefix):
    root = prefix.parents[1]
    files = {path for path in root.rglob("*") if not path.is_dir()}
    assert {prefix / name for name in FILES.split()} <= files
    assert all(prefix in path.parents for path in files), "make install writes outside PREFIX"
    assert output(prefix / "bin/hornet", "--version") == f"hornet {version()}\n"


@suite("quick")
def test_install_command_pages(prefix):
    """Every command listed in the help has a page, and the pages have no errors."""
    listed = re.search(r"^Commands:\n(.*?)^$", output(prefix / "bin/hornet", "--help"), re.MULTILINE | re.DOTALL)[1]
    commands = set(re.findall("^  ([a-z]+) ", listed, re.M)) - {"help"}
    assert len(commands) >= 7
    for command in commands:
        # Without the backspaces that produce bold text.
        text = re.sub(".\x08", "", output("mandoc", prefix / f"share/man/man1/hornet-{command}.1"))
        assert re.search(f"^ *hornet {command}", text, re.M), f"the page of {command} does not show how to call it"
    for page in (prefix / "share/man/man1").iterdir():
        assert attempt("mandoc", "-T", "lint", "-W", "warning", page)[1] == ""


@suite("quick")
def test_install_command_completions(prefix):
    def bash(*words):
        """Return bash's completions of the last word."""
        return output("bash", "-c", COMPLETE, prefix / "share/bash-completion/completions/hornet", *words).split()

    assert bash("ke") == ["keygen"]
    assert bash("tag", "--follow") == ["--follow-symlinks"]
    # A hidden command is not offered.
    assert bash("g") == []
    zsh = prefix / "share/zsh/site-functions/_hornet"
    run("zsh", "-n", zsh)
    assert "#compdef hornet\n" in zsh.read_text()
    fish = prefix / "share/fish/vendor_completions.d/hornet.fish"
    run("fish", "--no-execute", fish)
    assert output("fish", "--no-config", "-c", f"source {fish}; complete -C 'hornet ke'").startswith("keygen")
