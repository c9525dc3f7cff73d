# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Formatters, linters, and the rules of the source tree that no tool covers. `make format` formats."""

import re

from support import ROOT, WORKSPACE, attempt, kernel_names, output, row, rows, run, suite

FAST = "check quick"
DENY = ["--", "-D", "warnings"]
RUFF = ROOT / "build/venv/bin/ruff"
PRETTIER = ROOT / "bindings/js/node_modules/.bin/prettier"
TIDY = ["clang-tidy-19", "--quiet", "--config-file=src/.clang-tidy"]
PROOF = [
    f'-DHORNET_LANES_HOOK="{ROOT}/tests/proofs/interval.h"',
    f'-DHORNET_KERNEL_HOOK="{ROOT}/tests/proofs/bounds.h"',
]


def files(*patterns):
    """Return the files in git whose paths match."""
    status, text = attempt("git", "ls-files", "--", *patterns)
    found = [path for path in text.splitlines() if (ROOT / path).exists()]
    assert status == 0 and found, f"no file matches {patterns}"
    return found


@rows(
    "command, patterns, arguments",
    row("lint-clang-format", ["clang-format-19", "--dry-run", "--Werror"], ["*.c", "*.h", "*.cc"], [], suites=FAST),
    row("lint-shellcheck", ["shellcheck", "-x", "-P", f"SCRIPTDIR:{ROOT}"], ["*.sh", ".ci/run"], [], suites=FAST),
    row("lint-rustfmt", ["rustfmt", "--check", "--edition", "2024"], ["*.rs"], [], suites=FAST),
    row("lint-ruff", [RUFF, "check", "--quiet"], ["*.py"], [], suites=FAST),
    row("lint-ruff-format", [RUFF, "format", "--quiet", "--check"], ["*.py"], [], suites=FAST),
    # Types are checked by bindings/js/build.sh.
    row("lint-prettier", [PRETTIER, "--log-level=warn", "--check"], ["*.js", "*.ts", "bindings/js/*.json"], []),
    row("lint-tidy", TIDY, ["src/*.c"], ["--", "-std=c11", "-DHORNET_ALL_KERNELS=1"], cpu_seconds=60),
    row("lint-tidy-examples", TIDY, ["examples/c/*.c"], ["--", "-std=gnu11", "-Iinclude"]),
    row(
        "lint-tidy-provider",
        TIDY,
        ["bindings/openssl/src/*.c"],
        ["--", "-std=c11", "-Iinclude"],
    ),
    row(
        "lint-tidy-proof",
        TIDY,
        ["src/poly1305/kernels/avx2.c"],
        ["--", "-DINTERVAL_LANES=4", *PROOF],
    ),
)
def test_linter(command, patterns, arguments):
    run(*command, *files(*patterns), *arguments)


@suite(FAST)
def test_lint_gofmt():
    assert output("gofmt", "-l", *files("*.go")) == "", "run make format"


@suite("quick")
def test_lint_go_vet():
    run("go", "-C", "tests/integration/restic", "vet", ".", env={"CGO_CFLAGS": f"-I{ROOT}/include"})


@suite("quick", cpu_seconds=60)
def test_lint_clippy():
    run("cargo", "clippy", *WORKSPACE, "--all-targets", "--all-features", "--locked", *DENY)


@suite(FAST)
def test_lint_wordings():
    """No text has a wording that a reader stumbles over: name the quantity, and use the literature's terms."""
    omitted = ["tests/wordings.txt", "LICENSE*", "*/results/*", "*.svg", "*.json"]
    status, text = attempt(
        "git", "grep", "-nIE", "-f", "tests/wordings.txt", "--", ".", *(f":!{path}" for path in omitted)
    )
    assert status == 1, f"wordings of tests/wordings.txt:\n{text}"


@suite(FAST)
def test_lint_glossary():
    """The glossary is short, and each of its terms is used elsewhere."""
    text = (ROOT / "docs/README.md").read_text().split("## Glossary\n\n")[1]
    terms = re.findall(r"^- \*\*([^*]+)\*\*: ", text, re.M)
    assert len(terms) == text.count("\n") == text.count("**") / 2, "an entry is a line that begins with its only term"
    assert 20 <= len(terms) <= 30 and len(set(terms)) == len(terms), f"{len(terms)} terms, at most 30"
    unused = [term for term in terms if attempt("git", "grep", "-qwi", term, "--", "*.[ch]", ":!examples")[0] != 0]
    assert not unused, f"no header and no C file has {unused}"
    print(f"{len(terms)} terms")


@suite(FAST)
def test_lint_licences():
    """Every source file states its licence."""
    kinds = "c h cc def S rs go sh py js ts toml yml cmake.in".split()
    paths = files(*(f"*.{kind}" for kind in kinds), "Makefile", "CMakeLists.txt", "*/CMakeLists.txt", ".ci/run")
    without = [path for path in paths if "SPDX-License-Identifier: Apache-2.0 OR MIT" not in (ROOT / path).read_text()]
    assert not without


@suite(FAST)
def test_lint_ci_rows():
    """The public CI has a row for each target that .ci/run makes."""
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    targets = re.search(r"^ *target: \[(.*)\]$", workflow, re.M)[1].split(", ")
    assert sorted(targets) == sorted(
        re.findall(r"^(?:timed )?make (-C \S+ \S+|\S+)", (ROOT / ".ci/run").read_text(), re.M)
    )


# Where a kernel's name may appear besides its own files and kernels.def: a CPU feature may have the same name, in the
# lists of cpu/ and as a target; a lanes file may build on another, and serve several kernels; and the two primitives'
# kernels share names.
ALLOWED_FILES = r"src/core/cpu/|src/\w+/kernels\.def$|src/\w+/(kernels/{0}\.c|lanes/{0}\.h)$"
ALLOWED_LINES = r'CPU_{0}|#define HORNET_TARGET +"|#include "(\.\./)?lanes/|lanes/portable\.h'


@rows(
    "primitive",
    row("lint-poly1305-kernel-names", "poly1305", suites=FAST),
    row("lint-chacha20-kernel-names", "chacha20", suites=FAST),
)
def test_lint_kernel_names(primitive):
    """Every kernel of the list has a file, every file is in the list, and no other file names a kernel."""
    targets = [f"--target={name}-linux-gnu" for name in "x86_64 i686 aarch64 s390x powerpc64le riscv64".split()]
    targets.append("--target=wasm32 -msimd128")
    compilers = [f"clang-19 -ffreestanding {target}".split() for target in targets]
    kernels = {name for compiler in compilers for name in kernel_names(compiler, primitive)}
    assert kernels == {path.stem for path in (ROOT / f"src/{primitive}/kernels").glob("*.c")}
    sources = {path: (ROOT / path).read_text().splitlines() for path in files("src/*.c", "src/*.h", "src/*.def")}
    for kernel in kernels:
        for path, lines in sources.items():
            if re.match(ALLOWED_FILES.format(kernel), path):
                continue
            in_lanes = re.match(r"src/\w+/lanes/", path)
            for number, line in enumerate(lines, 1):
                named = re.search(rf"\b(hornet_{primitive}_kernel_)?{kernel}\b", line)
                allowed = re.search(ALLOWED_LINES.format(kernel), line) or (in_lanes and line.startswith('#include "'))
                assert allowed or not named, f"{path}:{number} names the kernel {kernel}: {line}"


def anchors(text):
    """Return the anchors of a Markdown text's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@suite(FAST)
def test_lint_links():
    """Each link from one file of the tree to another leads to what is there, and the pages that explain speed are short."""
    count, broken = 0, []
    for path in files("*.md"):
        for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)", (ROOT / path).read_text()):
            file = (ROOT / path).parent / target if target else ROOT / path
            count += 1
            if not file.exists() or (anchor and anchor not in anchors(file.read_text())):
                broken.append(f"{path}: {target}#{anchor}")
    assert count > 200 and not broken, f"of {count} links, broken: {broken}"
    for page in "performance", "architectures":
        assert (ROOT / f"docs/{page}.md").read_text().count("\n") <= 120, page
