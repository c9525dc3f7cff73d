# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The npm package: built in a clone of the tree, tested there, packed, and used as its README says."""

import filecmp
import json
import re
import shutil
import subprocess
import tarfile
import urllib.request

import pytest
from support import ROOT, attempt, output, row, rows, run, suite
from support.products import KEY, MESSAGE, TAG, checked_examples, once

PACKAGE = ROOT / "bindings/js"
HOSTS = PACKAGE / "tests/hosts"
MIGRATING = ROOT / "tests/integration/migrating"
CLONED = ["Makefile", "LICENSE-APACHE", "LICENSE-MIT", "bindings/js", "include", "src", "tools", "tests/vectors"]
CLONED += ["bindings/go/internal/vectors"]
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]
DIST = "aead.d.cts aead.d.ts aead.js compile.js hornet.wasm index.cjs index.d.cts index.d.ts index.js module.js".split()
DIST += "staging.js stream.d.cts stream.d.ts stream.js wasm.js workerd.js".split()
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
def test_js_package(client):
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
    publint = [PACKAGE / "node_modules/.bin/publint", "--strict", "--pack=false", "node_modules/hornet-poly1305"]
    assert "All good!" in output(*publint, cwd=client)
    # Lock files must not name a registry, so that users can install from another one.
    for lock in (PACKAGE / "package-lock.json", HOSTS / "package-lock.json"):
        assert '"resolved"' not in lock.read_text()


@suite("quick")
def test_js_examples(client):
    (client / "readme.js").write_text(examples(PACKAGE / "README.md"))
    run("node", "readme.js", cwd=client)
    (client / "root.js").write_text(
        'import { randomBytes } from "node:crypto";\n'
        "const [key, nonce, message, header] = [32, 24, 5, 7].map((n) => randomBytes(n));\n"
        f"{examples(ROOT / 'README.md')}"
        'if (Buffer.compare(opened, message) !== 0) throw new Error("refused");\n'
    )
    run("node", "root.js", cwd=client)
    sources = sorted((ROOT / "examples/javascript").glob("*.js"))
    for source in sources:
        shutil.copy(source, client)
    checked_examples("javascript/{}.js", "node", client / "{}.js")
    assert len(sources) == 6, "a program is not run"


@suite("quick")
def test_js_migrating(client):
    """The calls of docs/migrating.md, beside those of @noble/ciphers."""
    (client / "node_modules/@noble").symlink_to(PACKAGE / "node_modules/@noble")
    shutil.copy(MIGRATING / "noble.js", client)
    run(MIGRATING / "check.py", "@noble/ciphers", MIGRATING / "noble.js", "node", client / "noble.js")


# Compilers from before and after Uint8Array had a type parameter, with modules resolved as by Node, each in an ES module and
# in one that is compiled to require; as by bundlers; and by main and types, the predecessors of exports. TypeScript 6.0 calls
# the last deprecated unless told to ignore that, and 7.0 has it no longer.
BOTH = ["types.ts", "types.cts"]
RESOLUTIONS = {
    "node16": ["--module", "node16", *BOTH],
    "node18": ["--module", "node18", *BOTH],
    "nodenext": ["--module", "nodenext", *BOTH],
    "bundler": ["--module", "esnext", "--moduleResolution", "bundler", "types.ts"],
    "node10": ["--module", "esnext", "--moduleResolution", "node10", "types.ts"],
    "deprecated": ["--module", "esnext", "--moduleResolution", "node10", "--ignoreDeprecations", "6.0", "types.ts"],
}


@rows(
    "typescript, resolutions",
    row("js-types-5.6", "typescript-5.6", "node16 nodenext bundler node10", suites="release"),
    row("js-types", "typescript", "node16 node18 nodenext bundler node10"),
    row("js-types-6.0", "typescript-6.0", "node16 node18 nodenext bundler deprecated", suites="release"),
    row("js-types-7.0", "typescript-7.0", "node16 node18 nodenext bundler"),
)
def test_types(typescript, resolutions, client):
    for name in BOTH:
        shutil.copy(PACKAGE / "tests/types.ts", client / name)
    options = "--noEmit --skipDefaultLibCheck --strict --target es2022 --lib es2022,dom".split()
    compiler = PACKAGE / "node_modules" / typescript / "bin/tsc"
    for resolution in resolutions.split():
        run("node", compiler, *options, *RESOLUTIONS[resolution], cwd=client)


# The example of RFC 8439, and a message that is sealed and opened.
ANSWER = f"""
const key = Uint8Array.of({", ".join(map(str, KEY))});
const message = new TextEncoder().encode("{MESSAGE.decode()}");
const tag = Array.from(hornet.mac(key, message), (byte) => byte.toString(16).padStart(2, "0")).join("");
const sealed = hornet.xSeal(key, new Uint8Array(24), message);
const opened = new TextDecoder().decode(hornet.xOpen(key, new Uint8Array(24), sealed));
const answer = `${{tag}} ${{sealed.length}} ${{opened}}`;
"""
EXPECTED = f"{TAG} {len(MESSAGE) + 16} {MESSAGE.decode()}"
IMPORT = f'import * as hornet from "hornet-poly1305";{ANSWER}'
REQUIRE = f'const hornet = require("hornet-poly1305");{ANSWER}'
EXPECT = f'test("answer", () => {{ expect(answer).toBe("{EXPECTED}"); }});\n'


def write_answers(folder):
    """Write an ES module that prints the answer, and a program that also says whether `import` gives the same classes."""
    (folder / "answer.js").write_text(f"{IMPORT}console.log(answer);\n")
    same = 'imported.Poly1305 === hornet.Poly1305 ? "same" : "other"'
    classes = f"import('hornet-poly1305').then((imported) => console.log(`${{answer}}, ${{{same}}} classes`));\n"
    (folder / "answer.cjs").write_text(REQUIRE + classes)


@suite("quick")
def test_js_bundles(client):
    """A bundler finds one file, and the bundle needs no other."""
    write_answers(client)
    esbuild = [PACKAGE / "node_modules/.bin/esbuild", "--log-level=warning", "--bundle", "--format=iife"]
    (client / "bundles").mkdir()
    for name, expected in (("answer.js", EXPECTED), ("answer.cjs", f"{EXPECTED}, other classes")):
        run(*esbuild, f"--outfile=bundles/{name}.cjs", name, cwd=client)
        assert output("node", client / f"bundles/{name}.cjs", cwd="/").strip() == expected


def bin_of(name):
    return HOSTS / "node_modules/.bin" / name


@suite("release")
def test_js_published_types():
    (archive,) = once("js-packed", pack).glob("*.tgz")
    checked = output(bin_of("attw"), "--format", "ascii", "--no-color", archive)
    # Resolved as by main, as by Node from require and from import, and as by bundlers.
    assert "No problems found" in checked and checked.count("(CJS)") == checked.count("(ESM)") == 1


@suite("release")
def test_js_deno_and_bun(client):
    write_answers(client)
    (deno,) = HOSTS.glob("node_modules/@deno/*/deno")
    (bun,) = HOSTS.glob("node_modules/@oven/*/bin/bun")
    run_deno = [deno, "run", "--quiet", "--no-config", "--node-modules-dir=manual", "--allow-read"]
    for command, classes in ((run_deno, "same"), ([bun], "other")):
        assert output(*command, "answer.js", cwd=client).strip() == EXPECTED
        assert output(*command, "answer.cjs", cwd=client).strip() == f"{EXPECTED}, {classes} classes"


@suite("release", cpu_seconds=20)
def test_js_jest_and_vitest(client):
    """CommonJS, ES modules and TypeScript, which is compiled to require."""
    (client / "package.json").write_text('{"private": true}')
    (client / "answer.test.js").write_text(REQUIRE + EXPECT)
    (client / "answer.test.mjs").write_text(IMPORT + EXPECT)
    declared = "declare const test: any, expect: any;\n"
    (client / "answer.test.ts").write_text(IMPORT.replace("const key", f"{declared}const key") + EXPECT)
    compiler = {"module": "node16", "target": "es2022", "lib": ["es2022", "dom"], "types": []}
    (client / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": compiler | {"strict": True, "isolatedModules": False}})
    )
    transform = {r"\.ts$": str(HOSTS / "node_modules/ts-jest")}
    config = {"testMatch": ["**/answer.test.{js,mjs,ts}"], "transform": transform}
    (client / "jest.config.json").write_text(json.dumps(config))
    options = {"NODE_OPTIONS": "--experimental-vm-modules"}
    status, text = attempt(bin_of("jest"), "--ci", "--no-cache", "--runInBand", cwd=client, env=options)
    print(text)
    assert status == 0 and "Tests:       3 passed, 3 total" in text

    status, text = attempt(bin_of("vitest"), "run", "--globals", "answer.test.mjs", "answer.test.ts", cwd=client)
    print(text)
    assert status == 0 and re.search(r"Tests .*2 passed.* \(2\)", text)


# Before 2025-06-01, workerd refuses to compile bytes even while a Worker starts.
WORKER = "export default { fetch() { return new Response(answer); } };\n"
LAZY = """export default { async fetch() {
    const hornet = await import("hornet-poly1305");
    %s
    return new Response(answer);
} };
"""


@suite("release", cpu_seconds=20)
def test_js_workerd(client):
    """Wrangler makes Workers, and workerd runs them."""
    (client / "worker.js").write_text(IMPORT + WORKER)
    (client / "lazy.js").write_text(LAZY % ANSWER)
    env = {"HOME": client, "WRANGLER_SEND_METRICS": "false", "CI": "1"}
    wrangler = [bin_of("wrangler"), "deploy", "--dry-run", "--name=answer", "--compatibility-date=2024-01-01"]
    (workerd,) = HOSTS.glob("node_modules/@cloudflare/workerd-*/bin/workerd")
    for name in ("worker", "lazy"):
        run(*wrangler, f"--outdir={client / name}", f"{name}.js", cwd=client, env=env)
        (module,) = (client / name).glob("*.wasm")
        for date in ("2022-01-01", "2026-05-01"):
            assert served(workerd, client / name, f"{name}.js", module.name, date) == EXPECTED


def served(workerd, folder, script, module, date):
    """Return what a Worker answers at a compatibility date."""
    (folder / "config.capnp").write_text(
        'using Workerd = import "/workerd/workerd.capnp";\n'
        "const config :Workerd.Config = (\n"
        '    services = [(name = "main", worker = (\n'
        f'        modules = [(name = "{script}", esModule = embed "{script}"), (name = "{module}", wasm = embed "{module}")],\n'
        f'        compatibilityDate = "{date}"))],\n'
        '    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);\n'
    )
    command = [workerd, "serve", "--control-fd=1", folder / "config.capnp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            # It prints its port.
            listening = json.loads(process.stdout.readline())
            with urllib.request.urlopen(f"http://127.0.0.1:{listening['port']}/", timeout=60) as response:
                return response.read().decode()
        finally:
            process.kill()
