// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds Hornet from a source tree. The build script includes this file, so that all builds are made the same way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The flags in Hornet's Makefile.
pub(crate) const FLAGS: &str = "-O2 -fPIC -fvisibility=hidden -shared";

/// The names of the compilers in the report, with their commands.
pub(crate) const COMPILERS: [(&str, &str); 2] = [("gcc", "gcc"), ("clang", "clang-19")];

/// Returns all C and assembly files below `tree`/src, sorted.
pub(crate) fn sources(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = tree.join("src");
    let mut paths = Vec::new();
    let found = find(&folder, &mut paths);
    found.map_err(|error| format!("{}: {error}", folder.display()))?;
    if paths.is_empty() {
        return Err(format!("{}: contains no C files", folder.display()));
    }
    paths.sort();
    Ok(paths)
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            find(&path, paths)?;
        } else if path
            .extension()
            .is_some_and(|kind| kind == "c" || kind == "S")
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// Returns a command that builds a shared library from these sources, with all kernels.
pub(crate) fn command(compiler: &str, sources: &[PathBuf]) -> Command {
    let mut command = Command::new(compiler);
    command
        .args(FLAGS.split_whitespace())
        .arg("-DHORNET_ALL_KERNELS=1")
        .args(sources);
    command
}

/// A shared library to be built.
pub(crate) struct Job {
    pub(crate) command: Command,
    pub(crate) output: PathBuf,
}

/// The reason why a library could not be built.
#[derive(Debug)]
pub(crate) enum Failure {
    /// This program is not installed.
    Missing(String),
    /// The error output of the program.
    Complaints(String),
}

impl Job {
    fn run(&mut self) -> Result<(), Failure> {
        let program = self.command.get_program().to_string_lossy().into_owned();
        let output = match self.command.arg("-o").arg(&self.output).output() {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failure::Missing(program));
            }
            Err(error) => return Err(Failure::Complaints(format!("{program}: {error}"))),
        };
        if output.status.success() {
            return Ok(());
        }
        let complaints = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Complaints(match complaints.trim() {
            "" => format!("{program}: {}", output.status),
            text => text.to_owned(),
        }))
    }
}

/// Runs all jobs, with as many at a time as there are cores. The results are in the order of the jobs.
pub(crate) fn run_all(jobs: &mut [Job]) -> Vec<Result<(), Failure>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut results = Vec::new();
    for at_once in jobs.chunks_mut(cores) {
        thread::scope(|scope| {
            let threads: Vec<_> = at_once
                .iter_mut()
                .map(|job| scope.spawn(|| job.run()))
                .collect();
            results.extend(threads.into_iter().map(|thread| {
                let panicked = |_| Err(Failure::Complaints("panicked".into()));
                thread.join().unwrap_or_else(panicked)
            }));
        });
    }
    results
}

/// Returns the first error in a compiler's output, or else its first line.
pub(crate) fn first_error(complaints: &str) -> &str {
    let mut lines = complaints.lines();
    let says_most = |line: &&str| line.contains("error") || line.contains("cannot find");
    let first = lines.clone().find(says_most).or_else(|| lines.next());
    first.unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_in_all_folders() {
        let tree = &std::env::temp_dir().join(format!("hornet-bench-{}", std::process::id()));
        assert!(sources(tree).unwrap_err().contains("src"));
        fs::create_dir_all(tree.join("src/core/cpu")).unwrap();
        assert!(sources(tree).unwrap_err().contains("no C files"));
        for file in ["z.c", "z.h", "core/a.S", "core/list.def", "core/cpu/b.c"] {
            fs::write(tree.join("src").join(file), "").unwrap();
        }
        fs::write(tree.join("outside.c"), "").unwrap();
        let found = sources(tree).unwrap();
        let expected = ["src/core/a.S", "src/core/cpu/b.c", "src/z.c"];
        assert_eq!(found, expected.map(|file| tree.join(file)));
        fs::remove_dir_all(tree).unwrap();
    }

    #[test]
    fn builds_and_failures() {
        let job = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script, "sh"]);
            let output = PathBuf::from("output");
            Job { command, output }
        };
        let mut jobs = [
            job("test \"$*\" = '-o output'"),
            job("echo 'warning: w' >&2; echo 'a.c:1: error: e' >&2; exit 1"),
            job("exit 3"),
            Job {
                command: Command::new("no such program"),
                output: PathBuf::new(),
            },
            job("true"),
        ];
        let results = run_all(&mut jobs);
        assert_eq!(results.len(), 5);
        assert!(results[0].is_ok() && results[4].is_ok());
        let complaints = |at: usize| match &results[at] {
            Err(Failure::Complaints(text)) => first_error(text),
            _ => "",
        };
        assert_eq!(complaints(1), "a.c:1: error: e");
        assert!(complaints(2).contains('3'), "{}", complaints(2));
        assert!(
            matches!(&results[3], Err(Failure::Missing(program)) if program == "no such program")
        );
    }
}
