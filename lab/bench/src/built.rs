// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Constants that the build script generates: libraries, compilers and versions.

include!(concat!(env!("OUT_DIR"), "/built.rs"));

/// Returns the version of a dependency that is pinned in Cargo.lock or go.mod.
pub(crate) fn version(of: &str) -> &'static str {
    find(VERSIONS, of)
}

/// Returns the version of a compiler, as the compiler reports it.
pub(crate) fn tool(name: &str) -> &'static str {
    find(TOOLS, name)
}

fn find(table: &[(&'static str, &'static str)], name: &str) -> &'static str {
    let entry = table.iter().find(|(other, _)| *other == name);
    entry.map_or("unknown", |(_, version)| version)
}
