#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The study's report depends only on its results files and the papers' numbers: with other results, none of the old
# figures remains. In a browser, it opens, requests no other files, and no text in a figure is cut off.
#
#     study_report.sh [CHROMIUM]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/tests/study-report
rm -rf "$folder"
mkdir -p "$folder"
page=$root/study/report/index.html
results=$root/$(grep -o 'study/results/[a-z0-9-]*\.json' "$page" | head -n 1)
"$root/study/report.py" "$results" | cmp - "$page"
if grep -o '\(src\|href\)="[^#"][^"]*"\|url([^)]*)\|https\?:[^< "]*' "$page"; then
    echo "the report names other files" >&2
    exit 1
fi
python3 - "$root" "$results" << 'END'
import json
import re
import sys
from pathlib import Path

root, path = map(Path, sys.argv[1:])
sys.path.insert(0, str(root / "study"))
import report


def other(value, change):
    """Return value with change applied to all its numbers."""
    if isinstance(value, dict):
        return {key: other(part, change) for key, part in value.items()}
    if isinstance(value, list):
        return [other(part, change) for part in value]
    return change(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def cells(page, first, last):
    """Return the numbers in the tables between two headings, in a list per row that belongs to no paper."""
    part = page[page.index(first):page.index(last)]
    return [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr[^>]*>(<td>.*?)</tr>", part)]


results, model = json.loads(path.read_text()), json.loads(report.MODEL.read_text())
# All figures for VMSL, in both compilers' columns, which follow the paper's.
more = model | {"kernels": other(model["kernels"], lambda value: value + 1000)}
before, after = (cells(report.page(results, path.name, of), "On VMSL itself", 'id="beyond"') for of in (model, more))
for old, new in zip(before, after, strict=True):
    same = [cell for cell, now in zip(old[-7:], new[-7:], strict=True) if cell == now]
    if len(old) < 7 or same:
        sys.exit(f"not from z14-model.json: {same} in {old}")
# Measurements: with another rate of the counter, all cycles in the last table, which lists every kernel, must change.
last = "Everything: cycles per byte"
pages = (report.page(of, path.name, model) for of in (results, results | {"counts_per_cycle": results["counts_per_cycle"] / 3}))
before, after = (cells(page, last, 'id="reductions"') for page in pages)
for old, new in zip(before, after, strict=True):
    if any(cell == now for cell, now in zip(old[1:], new[1:], strict=True)):
        sys.exit(f"not from {path.name}: {old}")
print(f"{len(before)} kernels' figures come from the results")
END
[ $# -gt 0 ] || exit 0

# At 1280 pixels, light and dark. The page reports about itself in its title.
read -r -d '' script << 'END' || true
<script>
addEventListener("load", () => {
    const problems = [];
    for (const svg of document.querySelectorAll("svg")) {
        const all = svg.viewBox.baseVal;
        const labels = [...svg.querySelectorAll("text")];
        for (const text of labels) {
            const box = svg.getBoundingClientRect(), own = text.getBoundingClientRect();
            if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1) {
                problems.push(`cut off: ${text.textContent}`);
            }
        }
        const sizes = labels.map((text) => text.getBoundingClientRect().height);
        if (Math.min(...sizes) < 12 || all.width === 0 || labels.length < 8) {
            problems.push(`not legible: ${svg.getAttribute("aria-label")}`);
        }
        const scale = svg.getBoundingClientRect().width / all.width;
        if (scale < 0.9) {
            problems.push(`small: ${scale}`);
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) {
        problems.push("wider than the window");
    }
    if (performance.getEntriesByType("resource").length !== 0) {
        problems.push("asks for other files");
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const background = getComputedStyle(document.body).backgroundColor;
    document.title = `${document.querySelectorAll("svg").length} figures, ${dark}, ${background}: ${problems.join("; ")}.`;
});
</script>
END
for scheme in light dark; do
    { sed 's|</body></html>||' "$page"; printf '%s\n</body></html>\n' "$script"; } > "$folder/page.html"
    options=()
    [ "$scheme" = light ] || options=(--blink-settings=preferredColorScheme=0)
    title=$("$1" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --window-size=1280,1000 "${options[@]}" \
        --dump-dom "file://$folder/page.html" 2> "$folder/chromium.log" | grep -o '<title>[^<]*' | head -n 1)
    echo "$title"
    [[ $title =~ ^\<title\>[0-9]{2}\ figures,\ $scheme,\ .*:\ \.$ ]] || { echo "the report is not right" >&2; exit 1; }
done
