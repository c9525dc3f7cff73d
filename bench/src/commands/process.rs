// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Processes whose time is measured.

use crate::error::Error;
use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

/// One or more processes that are measured together.
pub(super) struct Run<'a> {
    pub(super) name: String,
    pub(super) processes: Box<dyn Fn() -> Vec<Command> + 'a>,
    /// Whether they run at the same time instead of one after another.
    pub(super) at_once: bool,
    /// The factor for the time if the processes do only a fraction of the work.
    pub(super) scale: f64,
}

impl<'a> Run<'a> {
    pub(super) fn new(name: &str, processes: impl Fn() -> Vec<Command> + 'a) -> Self {
        Self {
            name: name.to_owned(),
            processes: Box::new(processes),
            at_once: false,
            scale: 1.0,
        }
    }

    pub(super) fn one(name: &str, process: impl Fn() -> Command + 'a) -> Self {
        Self::new(name, move || vec![process()])
    }

    /// Returns the time from the start of the first process to the end of the last, in nanoseconds.
    pub(super) fn ns(&self) -> Result<f64, Error> {
        let mut processes = (self.processes)();
        let start = Instant::now();
        if self.at_once {
            let children: Result<Vec<Child>, Error> = processes.iter_mut().map(spawn).collect();
            for (child, process) in children?.into_iter().zip(&processes) {
                wait(child, process)?;
            }
        } else {
            for process in &mut processes {
                wait(spawn(process)?, process)?;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "weeks are below 2^52")]
        let ns = start.elapsed().as_nanos() as f64;
        Ok(ns * self.scale)
    }
}

/// Returns a command that runs in `folder`, with its output discarded and its errors kept.
pub(super) fn command(program: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn spawn(process: &mut Command) -> Result<Child, Error> {
    process
        .spawn()
        .map_err(|error| Error::new(program(process), error))
}

fn program(process: &Command) -> String {
    process.get_program().to_string_lossy().into_owned()
}

fn wait(child: Child, process: &Command) -> Result<(), Error> {
    let fail = |problem: &dyn std::fmt::Display| Error::new(program(process), problem);
    let output = child.wait_with_output().map_err(|error| fail(&error))?;
    if output.status.success() {
        return Ok(());
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    let last = complaints.lines().last().unwrap_or_default();
    Err(fail(&format_args!("{}: {last}", output.status)))
}

pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Whether PATH contains the program.
pub(super) fn is_there(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_processes() {
        let mut run = Run::new("two", || {
            let process = || command(Path::new("true"), Path::new("/"), &[]);
            vec![process(), process()]
        });
        assert!(run.ns().unwrap() > 0.0);
        run.at_once = true;
        assert!(run.ns().unwrap() > 0.0);
    }

    #[test]
    fn what_is_in_the_path() {
        assert!(is_there("sh"));
        assert!(!is_there("no such program"));
    }

    #[test]
    fn a_failure_is_reported_with_its_last_words() {
        let failing = Run::one("failing", || {
            let script = "echo first >&2; echo last >&2; exit 3";
            command(Path::new("sh"), Path::new("/"), &["-c", script])
        });
        let error = failing.ns().unwrap_err().to_string();
        assert!(error.contains("last") && error.contains('3'), "{error}");
    }
}
