#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Print the licences of the crates that a package of Rust is built of: each text once, after the crates that have it.

    tools/release/notices.py PACKAGE

A crate that has no such file is an error.
"""

import sys
from pathlib import Path

from rust_packages import Packages

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
{} is built of the following, under their licences. It also contains Rust's standard library, Apache-2.0 OR MIT,
whose notices are in share/doc/rust/COPYRIGHT-library.html of Rust's toolchain.
"""
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def main(name):
    packages = Packages(ROOT)
    owners, heads = {}, []
    for key in packages.closure(name):
        package = packages.by_id[key]
        if not package["source"]:
            continue  # one of the project's own
        title = f"{package['name']} {package['version']}"
        folder = Path(package["manifest_path"]).parent
        texts = {path.read_text().strip() for path in folder.iterdir() if path.name.upper().startswith(NAMES)}
        if not texts:
            sys.exit(f"{sys.argv[0]}: {title} has no file with its licence")
        heads.append(f"    {title}: {package['license']}")
        for text in texts:
            owners.setdefault(text, []).append(title)
    print(HEAD.format(name))
    print("\n".join(heads))
    for titles, text in sorted((titles, text) for text, titles in owners.items()):
        print(f"\n{'-' * 79}\n{', '.join(titles)}\n\n{text}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PACKAGE")
    main(sys.argv[1])
