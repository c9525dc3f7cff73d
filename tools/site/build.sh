#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the site into build/site/: documents, guides, results, examples, and a reference of each language from what its package
# ships. tools/site/install.sh installs what it needs. All work is in build/sphinx/, so that tests may build packages meanwhile.
#
#     tools/site/build.sh COMMAND      COMMAND: the hornet command, which writes its man pages
set -eu
cd "$(dirname "$0")/../.."
command=$1
work=build/sphinx
venv=$PWD/$work/venv
out=$work/site
rm -rf "$out" $work/source $work/extra $work/doctrees
mkdir -p $work

# The public crates, but not the command.
crates=$(cargo metadata --no-deps --offline --locked --format-version 1 | python3 -c 'import json, sys
for one in json.load(sys.stdin)["packages"]:
    if one["publish"] is None and not any("bin" in target["kind"] for target in one["targets"]):
        print("--package", one["name"])')
rust() {
    rm -rf $work/rust/doc
    # shellcheck disable=SC2086 # words
    cargo doc --quiet --locked --no-deps --all-features $crates --target-dir $work/rust
}

# The wheel, without optimization: only its names, types and descriptions are read.
python() {
    rm -rf $work/wheels $work/python
    build/python/venv/bin/maturin build --quiet --locked --profile dev --manifest-path bindings/python/Cargo.toml \
        --target-dir $work/wheel-target --interpreter "$venv/bin/python" --out $work/wheels
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target $work/python $work/wheels/*.whl
    (cd $work && PYTHONPATH=$PWD/python "$venv/bin/pdoc" --no-search --output-directory pdoc hornet_poly1305)
}

# The declarations of the npm package, in a copy, because tests may build it meanwhile.
javascript() {
    rm -rf $work/js
    mkdir -p $work/js/bindings/js
    cp -r include src LICENSE-APACHE LICENSE-MIT $work/js/
    (cd bindings/js && cp -r src ./*.json ./*.js ./*.sh README.md ../../$work/js/bindings/js/)
    ln -s "$PWD/bindings/js/node_modules" $work/js/bindings/js/node_modules
    $work/js/bindings/js/build.sh
    cp tools/site/tsconfig.json $work/js/bindings/js/dist/
    tools/site/node_modules/.bin/typedoc --options tools/site/typedoc.json --tsconfig $work/js/bindings/js/dist/tsconfig.json \
        --out $work/typedoc $work/js/bindings/js/dist/index.d.ts
}

rust &
rust=$!
python &
python=$!
javascript
build/venv/bin/python tools/site/stage.py $work/source "$command"
wait $rust
wait $python
"$venv/bin/sphinx-build" -q -W --keep-going -j auto -c tools/site -d $work/doctrees -b html $work/source "$out"
cp -r $work/rust/doc "$out/reference/rust"
cp -r $work/pdoc "$out/reference/python"
cp -r $work/typedoc "$out/reference/javascript"
# To which its pages of help and settings lead.
echo '<!doctype html><title>Rust</title><meta http-equiv="refresh" content="0; url=../index.html">' > "$out/reference/rust/index.html"
python3 tools/site/lead_back.py "$out/reference" rust python javascript
# Not what is on every page.
"$venv/bin/python" -m pagefind --site "$out" --exclude-selectors \
    "nav, aside, header, footer, form, noscript, button, .sidebar-drawer, .toc-drawer, .mobile-header, .headerlink, .skip-to-content, .skip-main-content, \
    rustdoc-toolbar, .rustdoc-breadcrumbs, .out-of-band, .src, .anchor, .doc-anchor, .impl-items, #trait-implementations-list, \
    #synthetic-implementations-list, #blanket-implementations-list, .pdoc-code"
rm -rf build/site
mv "$out" build/site
