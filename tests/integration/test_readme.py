# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands of README.md: each is run, here as it stands, or by another test, which the table names."""

import re
import shutil

from support import CCACHE, ROOT, attempt, output, run, suite
from support.products import command

README = (ROOT / "README.md").read_text()
HERE = "tests/integration/test_readme.py"
# Each command, the test that runs it, and words of that test. Nothing can run the first: there is no repository yet.
TESTED = {
    "git clone https://github.com/hornet-mac/hornet && cd hornet": (HERE, "Nothing can run the first"),
    "make run": ("tests/integration/test_command.py", "tools/demo.sh"),
    "make test": (".ci/run", "make test"),
    "make library && sudo make install-library && sudo ldconfig": (HERE, "def test_readme_library"),
    "cc -o packets examples/c/packets.c $(pkg-config --cflags --libs hornet) && ./packets": (
        HERE,
        "test_readme_library",
    ),
    "make amalgamation": ("tests/integration/test_amalgamation.py", "amalgam"),
    "make python": ("tests/test_scripts.py", "python make python"),
    "make js && cd bindings/js && npm pack": ("tests/integration/test_js.py", '"npm", "pack"'),
    "make provider && sudo make install-provider": (HERE, "def test_readme_provider"),
    "OPENSSL_CONF=$PWD/bindings/openssl/openssl.cnf curl --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256 https://example.org/": (
        "tests/integration/provider/test_tls.py",
        "def curl",  # from a server on this machine
    ),
    "hornet keygen key": (HERE, "def test_readme_shell"),
    "hornet tag -k key -o manifest --exclude '*.o' src README.md": (HERE, "def test_readme_shell"),
    "hornet check -k key --strict manifest": (HERE, "def test_readme_shell"),
    "minisign -V -p hornet.pub -m SHA256SUMS": ("tools/site/tests/test_tasks.py", "def test_verify_a_download"),
    'sha256sum "$file" | grep -xFf SHA256SUMS': ("tools/site/tests/test_tasks.py", "def test_verify_a_download"),
    "make dist": ("tests/integration/packages/test_packages.py", "dist"),
    "make site": ("tools/site/test.sh", "make --silent site"),
    "make install PREFIX=/usr/local": ("tests/integration/install/test_install_command.py", '"install"'),
}
SUDO = '#!/bin/sh\n[ "$1" = ldconfig ] || exec "$@"\n'


def commands():
    """Return all commands: lines of blocks that are indented or begin with $, and what prose says to make."""
    lines = re.findall(r"^    (\S.*?)(?: {2,}#.*)?$", re.sub(r"(?s)```.*?```", "", README), re.M)
    lines += re.findall(r"^\$ (.*)$", README, re.M)
    return [*lines, *(line for line in re.findall(r"`(make \w[^`]*)`", README) if line not in lines)]


@suite("check quick")
def test_readme_commands():
    """The table has each command, and no other."""
    assert set(commands()) == TESTED.keys()
    for line, (path, words) in TESTED.items():
        assert words in (ROOT / path).read_text(), f"{line}: {path} does not have {words}"
    assert README.count("\n") <= 120 and "Nothing is released yet" in README


def tree(folder):
    """Return a folder with links to what the library is built of, and an environment in which sudo installs below it."""
    made = folder / "hornet"
    (made / "bin").mkdir(parents=True)
    for name in "Makefile bindings examples include src tools".split():
        (made / name).symlink_to(ROOT / name)
    (made / "bin/sudo").write_text(SUDO)
    (made / "bin/sudo").chmod(0o755)
    path = f"{made / 'bin'}:{output('sh', '-c', 'echo $PATH').strip()}"
    return made, {"PATH": path, "CC": " ".join([*CCACHE, "cc"]), "DESTDIR": folder / "root", "MAKEFLAGS": "--silent"}


def lines_with(words):
    found = [line for line in commands() if words in line]
    assert found, words
    return found


@suite("quick")
def test_readme_library(outside):
    here, env = tree(outside)
    (build,) = lines_with("make library")
    (use,) = lines_with("cc -o packets")
    run("sh", "-c", build, cwd=here, env=env)
    installed = outside / "root/usr/local/lib"
    env |= {"PKG_CONFIG_PATH": installed / "pkgconfig", "LD_LIBRARY_PATH": installed}
    assert "packet 7 refused" in output("sh", "-c", use, cwd=here, env=env)


@suite("quick")
def test_readme_provider(outside):
    here, env = tree(outside)
    (build,) = lines_with("make provider")
    run("sh", "-c", build, cwd=here, env=env)
    assert list((outside / "root").rglob("hornet.so"))


@suite("quick")
def test_readme_shell(outside):
    """The console shows what the command prints, after a file was changed and another one added."""
    shown = re.search(r"^```console\n(.*?)^```$", README, re.M | re.S)[1]
    keygen, tag, check = re.findall(r"^\$ hornet (.*)$", shown, re.M)
    env = {"PATH": f"{command().parent}:{output('sh', '-c', 'echo $PATH').strip()}"}
    (outside / "src").mkdir()
    shutil.copy(ROOT / "README.md", outside)
    for name in "main.c main.o".split():
        (outside / "src" / name).write_text(name)
    for line in (keygen, tag):
        run("sh", "-c", f"hornet {line}", cwd=outside, env=env)
    (outside / "src/main.c").write_text("changed")
    (outside / "src/new.c").write_text("new")
    status, text = attempt("sh", "-c", f"hornet {check}", cwd=outside, env=env)
    assert status == 1
    expected = shown.partition(f"{check}\n")[2]
    assert expected and expected in text, text


@suite("quick")
def test_readme_go(outside):
    """The lines in Go compile in a module that finds this checkout as the README says, and seal and open a message."""
    (line,) = re.findall(r"`(go mod edit [^`]*)`", README)
    (code,) = re.findall(r"^```go\n(.*?)^```$", README, re.M | re.S)
    program = (
        'package main\nimport ("fmt"; "github.com/hornet-mac/hornet/bindings/go/chacha20poly1305")\nfunc main() {\n'
    )
    program += (
        'key, nonce := make([]byte, 32), make([]byte, 24)\nmessage, additionalData := []byte("text"), []byte("data")\n'
    )
    program += code.replace("opened, err :=", "if err != nil { panic(err) }\nopened, err :=")
    (outside / "main.go").write_text(program + "fmt.Println(string(opened), err)\n}\n")
    (outside / "hornet").symlink_to(ROOT)
    env = {"GOPROXY": "off", "GOSUMDB": "off", "GOFLAGS": "-mod=mod"}
    run("go", "mod", "init", "client", cwd=outside)
    run("sh", "-c", line, cwd=outside, env=env)
    run("go", "mod", "tidy", cwd=outside, env=env)
    assert output("go", "run", ".", cwd=outside, env=env) == "text <nil>\n"
