// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds both trees as shared libraries, with each compiler.

use crate::error::Error;
use crate::peers::{Core, Library};
use crate::source_tree::{self, COMPILERS, Failure, Job};
use std::path::{Path, PathBuf};

/// The two libraries built by one compiler.
pub(super) struct Pair {
    pub(super) compiler: &'static str,
    pub(super) base: PathBuf,
    pub(super) tree: PathBuf,
}

/// Builds a pair in `folder` with each of these compilers. With `all`, a compiler that is not installed is an error;
/// otherwise it is left out, and a line that reports it is returned.
pub(super) fn build(
    folder: &Path,
    [base, tree]: [&Path; 2],
    compilers: &[String],
    all: bool,
) -> Result<(Vec<Pair>, Vec<String>), Error> {
    let sources = [base, tree].map(source_tree::sources);
    let mut jobs = Vec::new();
    let mut pairs = Vec::new();
    let chosen = |name: &str| compilers.iter().any(|compiler| compiler == name);
    for (compiler, program) in COMPILERS.into_iter().filter(|(name, _)| chosen(name)) {
        let outputs = ["base", "tree"].map(|which| folder.join(format!("{which}-{compiler}.so")));
        for (sources, output) in sources.iter().zip(&outputs) {
            let sources = sources.as_ref().map_err(|why| Error::new("compare", why))?;
            jobs.push(Job {
                command: source_tree::command(program, sources),
                output: output.clone(),
            });
        }
        let [base, tree] = outputs;
        pairs.push(Pair {
            compiler,
            base,
            tree,
        });
    }
    let results = source_tree::run_all(&mut jobs);
    let mut built = Vec::new();
    let mut missing = Vec::new();
    for (pair, results) in pairs.into_iter().zip(results.chunks(2)) {
        match results.iter().find_map(|result| result.as_ref().err()) {
            None => built.push(pair),
            Some(Failure::Missing(program)) if !all => {
                missing.push(format!(
                    "{}: left out, there is no {program}",
                    pair.compiler
                ));
            }
            Some(Failure::Missing(program)) => {
                return Err(Error::new(
                    pair.compiler,
                    format_args!("there is no {program}"),
                ));
            }
            Some(Failure::Complaints(text)) => {
                return Err(Error::new(pair.compiler, source_tree::first_error(text)));
            }
        }
    }
    if built.is_empty() {
        return Err(Error::new("compare", missing.join("; ")));
    }
    Ok((built, missing))
}

/// Loads a library, and forces the kernel `kernel` if it is given.
pub(super) fn load(path: &Path, name: &str, kernel: Option<&str>) -> Result<Core, Error> {
    let library = Library::load(path).and_then(|library| Core::new(library, name));
    let library = library.map_err(|why| Error::new(name, why))?;
    if kernel.is_some() && !library.force(kernel) {
        let kernel = kernel.unwrap_or_default();
        return Err(Error::new(
            name,
            format_args!("no kernel {kernel:?} runs here"),
        ));
    }
    Ok(library)
}
