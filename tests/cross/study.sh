#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the study's measuring program for another architecture, runs it in an emulator, and makes the report from the
# kernels that are available. The times are meaningless.
#
#     study.sh NAME      a row of architectures.txt
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
read -r _ triple emulator _ < <(grep "^$1 " "$root/tests/cross/architectures.txt")
folder=$root/build/tests/study-measure-$1
"$root/study/build.sh" "$folder" "$triple-gcc" -O2
"$triple-gcc" -O2 -Wall -Wextra -Werror -o "$folder/measure" "$root/study/measure.c" "$root/study/cycles.c" -ldl
"$emulator" -L "/usr/$triple" "$folder/measure" --quick "gcc=$folder/study.so" > "$folder/measured.json"
python3 - "$root" "$folder" << 'END'
import json
import sys
from pathlib import Path

root, folder = map(Path, sys.argv[1:])
sys.path.insert(0, str(root / "study"))
import report

committed = json.loads(next((root / "study/results").glob("*-f*.json")).read_text())
measured = json.loads((folder / "measured.json").read_text())
results = committed | {"quick": True, "compilers": {"gcc": "gcc"}, "counts": []} | measured
page = report.page(results, "emulated.json", json.loads(report.MODEL.read_text()))
(folder / "index.html").write_text(page)
ran = [kernel["label"] for kernel in results["kernels"] if kernel["runs"]]
absent = [label for label in ran if report.powers(label) not in page]
print(f"{len(ran)} kernels: {', '.join(ran)}")
if len(ran) < 10 or absent or "None" in page or "nan" in page.split():
    sys.exit(f"not in the report: {absent}")
END
