// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds both trees as shared libraries, with each compiler.

use crate::built::tool;
use crate::check;
use crate::cli;
use crate::console::say;
use crate::error::Error;
use crate::json;
use crate::peers::{Core, Library};
use crate::source_tree::{self, COMPILERS, FLAGS, Failure, Job};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The two libraries built by one compiler.
#[derive(Serialize)]
struct Pair {
    compiler: &'static str,
    version: &'static str,
    flags: &'static str,
    base: PathBuf,
    tree: PathBuf,
}

/// Prints the pairs of libraries. If tags are wrong, reports them and returns 1.
pub(crate) fn run(arguments: &cli::Pair) -> Result<ExitCode, Error> {
    let trees = [&*arguments.base, &arguments.tree];
    let pairs = build(&arguments.out, trees, &arguments.compiler)?;
    let inputs = check::inputs();
    let mut all_right = true;
    for pair in &pairs {
        for (path, tree) in [&pair.base, &pair.tree].into_iter().zip(trees) {
            let name = format!("{} with {}", tree.display(), pair.compiler);
            let library = load(path, &name, arguments.kernel.as_deref())?;
            let single = check::check(&library, &inputs);
            for wrong in [single, check::check_batch(&library, &inputs)] {
                if wrong.wrong > 0 {
                    say(format_args!("{wrong}"));
                    all_right = false;
                }
            }
        }
    }
    if all_right {
        json::write(&pairs)?;
    }
    Ok(ExitCode::from(u8::from(!all_right)))
}

/// Builds a pair in `folder` with each of these compilers, or, if there are none, with all that are installed.
fn build(
    folder: &Path,
    [base, tree]: [&Path; 2],
    compilers: &[String],
) -> Result<Vec<Pair>, Error> {
    let sources = [base, tree].map(source_tree::sources);
    let mut jobs = Vec::new();
    let mut pairs = Vec::new();
    let all = compilers.is_empty();
    let chosen = |name: &str| all || compilers.iter().any(|compiler| compiler == name);
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
            version: tool(compiler),
            flags: FLAGS,
            base,
            tree,
        });
    }
    let results = source_tree::run_all(&mut jobs);
    let mut built = Vec::new();
    for (pair, results) in pairs.into_iter().zip(results.chunks(2)) {
        let missing = |program| format!("left out, there is no {program}");
        match results.iter().find_map(|result| result.as_ref().err()) {
            None => built.push(pair),
            Some(Failure::Missing(program)) if all => {
                say(format_args!("{}: {}", pair.compiler, missing(program)));
            }
            Some(Failure::Missing(program)) => {
                return Err(Error::new(pair.compiler, missing(program)));
            }
            Some(Failure::Complaints(text)) => {
                return Err(Error::new(pair.compiler, source_tree::first_error(text)));
            }
        }
    }
    if built.is_empty() {
        return Err(Error::new("compare", "there is no compiler"));
    }
    Ok(built)
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
