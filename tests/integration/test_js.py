# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The npm package: built in a clone of the tree, tested there, packed, and used as its README says."""

import filecmp
import json
import re
import shutil
import tarfile

import pytest
from support import ROOT, output, row, rows, run, suite
from support.products import once

PACKAGE = ROOT / "bindings/js"
CLONED = ["Makefile", "LICENSE-APACHE", "LICENSE-MIT", "bindings/js", "include", "src", "tools", "tests/vectors"]
CLONED += ["bindings/go/internal/vectors"]
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]
DIST = ["aead.d.ts", "aead.js", "index.d.ts", "index.js", "module.js", "staging.js", "wasm.js"]
FILES = [*LICENSES, "README.md", *(f"dist/{name}" for name in DIST), "package.json"]
# Links the packages that are installed in the tree.
NPM = f"""#!/bin/sh
case "$*" in
    "ls --prefix bindings/js") [ -e bindings/js/node_modules ] ;;
    "ci --prefix bindings/js "*) ln -s '{PACKAGE}/node_modules' bindings/js/node_modules ;;
    *) echo "npm $*: not expected" >&2; exit 1 ;;
esac
"""


def clone(folder):
    """Build the package as on a fresh clone: `make js` installs what is missing, and then builds."""
    for path in output("git", "ls-files", *CLONED).splitlines():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    (folder / "bin").mkdir()
    (folder / "bin/npm").write_text(NPM)
    (folder / "bin/npm").chmod(0o755)
    run("sh", "-c", "PATH=$PWD/bin:$PATH make --silent js", cwd=folder)


def built():
    return once("js", clone) / "bindings/js"


def pack(folder):
    """Pack the package in another copy, which builds it again."""
    again = folder / "again/bindings/js"
    shutil.copytree(built().parents[1], folder / "again", symlinks=True)
    packed = json.loads(output("npm", "pack", "--silent", "--json", "--pack-destination", folder, cwd=again))[0]
    (folder / "pack.json").write_text(json.dumps(packed))
    assert filecmp.cmpfiles(built() / "dist", again / "dist", DIST, shallow=False) == (DIST, [], []), (
        "two builds differ"
    )
    shutil.rmtree(folder / "again")


@pytest.fixture
def client(outside):
    """A folder with a module that has installed the packed package."""
    packed = once("js-packed", pack)
    (outside / "package.json").write_text('{"type": "module", "private": true}')
    run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", *packed.glob("*.tgz"), cwd=outside)
    return outside


def examples(readme):
    """Return the blocks of JavaScript in a README."""
    return "".join(re.findall(r"^```js\n(.*?)^```$", readme.read_text(), re.MULTILINE | re.DOTALL))


@suite("quick", cpu_seconds=40)
def test_js():
    tests = sorted((built() / "tests").glob("*.test.js"))
    assert tests
    run("node", "--test", *tests)
    # V8 has vectors on x86 only where there is SSE 4.1.
    run("node", "--no-enable-sse4-1", "--test", *tests)


@suite("quick")
def test_js_package():
    folder = once("js-packed", pack)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        assert sorted(packed.getnames()) == sorted(f"package/{name}" for name in FILES)
        readme = packed.extractfile("package/README.md").read().decode()
    assert readme == (PACKAGE / "README.md").read_text()
    # Other versions of npm and zlib pack differently, so 2 % are allowed.
    stated = re.search(r"The package has (\d+) KB packed, (\d+) KB unpacked", readme)
    sizes = json.loads((folder / "pack.json").read_text())
    for kilobytes, size in zip(stated.groups(), (sizes["size"], sizes["unpackedSize"]), strict=True):
        assert abs(int(kilobytes) * 1000 - size) <= size / 50, f"{size} bytes, where README.md has {kilobytes} KB"
    # The lock file must not name a registry, so that users can install from another one.
    assert '"resolved"' not in (PACKAGE / "package-lock.json").read_text()


@suite("quick")
def test_js_examples(client):
    (client / "readme.js").write_text(examples(PACKAGE / "README.md"))
    run("node", "readme.js", cwd=client)
    (client / "root.js").write_text(
        'import { randomBytes } from "node:crypto";\n'
        "const [key, nonce, message, header, onceKey, otherKey] = [32, 24, 5, 7, 32, 32].map((n) => randomBytes(n));\n"
        f"{examples(ROOT / 'README.md')}"
        'function reject() { throw new Error("refused"); }\n'
        "if (Buffer.compare(opened, message) !== 0 || whole.length !== 16) reject();\n"
    )
    run("node", "root.js", cwd=client)
    # From 20.19 on, Node can require an ES module without a top-level await.
    required = 'require("hornet-poly1305").mac(new Uint8Array(32), new Uint8Array(5));'
    eval_options = ["--input-type=commonjs", "--eval", f"if (process.features.require_module) {required}"]
    run("node", *eval_options, cwd=client)


# Compilers from before and after Uint8Array had a type parameter, each with modules resolved as by Node, as by bundlers,
# and by main and types, the predecessors of exports. TypeScript 6.0 calls the last deprecated unless told to ignore that.
@rows(
    "typescript, ignored",
    row("js-types-5.6", "typescript-5.6", []),
    row("js-types", "typescript", []),
    row("js-types-6.0", "typescript-6.0", ["--ignoreDeprecations", "6.0"]),
)
def test_types(typescript, ignored, client):
    shutil.copy(PACKAGE / "tests/types.ts", client)
    options = "--noEmit --skipDefaultLibCheck --strict --target es2022 --lib es2022,dom types.ts".split()
    compiler = PACKAGE / "node_modules" / typescript / "bin/tsc"
    for module, resolution in (("nodenext", "nodenext"), ("esnext", "bundler"), ("esnext", "node10")):
        further = ignored if resolution == "node10" else []
        run("node", compiler, *options, "--module", module, "--moduleResolution", resolution, *further, cwd=client)
