//! Whole processes side by side: the `hornet` command beside others on the same files, all in the page cache.
//!
//! As with calls, all take turns, and what is compared is runs of the same round. Here a run is a process anyway: what
//! is measured in one process with calls, and merged over several, is one round with commands.

mod file;
mod reader;
mod scratch;
mod tree;

pub(crate) use reader::run as read;

use crate::error::Error;
use crate::report::json::{COMMAND, Column, Figures, Group, Named, Series, Values};
use crate::report::merge::merge;
use crate::say;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

/// What both groups need.
pub(crate) struct Commands {
    hornet: PathBuf,
    b3sum: Option<PathBuf>,
    /// How often each has its turn.
    rounds: usize,
    small: bool,
}

impl Commands {
    pub(crate) fn new(hornet: &Path, rounds: usize, small: bool) -> Self {
        let b3sum = concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers/bin/b3sum");
        Self {
            hornet: fs::canonicalize(hornet).unwrap_or_else(|_| hornet.to_owned()),
            b3sum: Some(b3sum.into()).filter(|path: &PathBuf| path.exists()),
            rounds,
            small,
        }
    }

    pub(crate) fn run(&self, group: Group) -> Result<Vec<Series<Figures>>, Error> {
        say(format_args!("{}: {} rounds", group.name(), self.rounds));
        let series = if !self.hornet.exists() {
            left_out(group, &format!("there is no {}", self.hornet.display()))
        } else if group == Group::File {
            file::run(self)?
        } else {
            tree::run(self)?
        };
        Ok(vec![series])
    }

    /// What there is of all this, by its own word.
    pub(crate) fn versions(&self) -> Vec<Named> {
        let b3sum = self.b3sum.as_deref().unwrap_or(Path::new("b3sum"));
        let mut versions: Vec<Named> = [
            (b3sum, "--version"),
            (Path::new("openssl"), "version"),
            (Path::new("sha256sum"), "--version"),
        ]
        .into_iter()
        .filter_map(|(program, argument)| {
            let output = Command::new(program).arg(argument).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout);
            Some(Named {
                name: format!("{COMMAND}{}", program.file_name()?.to_string_lossy()),
                value: text.lines().next()?.to_owned(),
            })
        })
        .collect();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease");
        versions.extend(kernel.ok().map(|release| Named {
            name: format!("{COMMAND}system: Linux"),
            value: release.trim().to_owned(),
        }));
        versions
    }

    fn hornet(&self, folder: &Path, arguments: &[&str]) -> Command {
        command(&self.hornet, folder, arguments)
    }

    /// Runs all in turn, as often as there are rounds. The first is what the others are compared with. Before that,
    /// each runs once, which brings the files into the page cache.
    fn measure(&self, form: Series<Figures>, runs: &[Run]) -> Result<Series<Figures>, Error> {
        for run in runs {
            run.ns()?;
        }
        let mut form = form;
        form.notes
            .push(format!("Medians over {} rounds.", self.rounds));
        let mut rounds = Vec::new();
        for round in 0..self.rounds {
            let mut times = vec![0.0; runs.len()];
            for turn in 0..runs.len() {
                let which = (round + turn) % runs.len();
                times[which] = runs[which].ns()?;
            }
            rounds.push(vec![series(&form, runs, &times)]);
        }
        let merged = merge(&rounds).pop();
        Ok(merged.unwrap_or(form))
    }
}

/// One round.
fn series(form: &Series<Figures>, runs: &[Run], times: &[f64]) -> Series<Values> {
    let column = |(run, ns): (&Run, &f64)| Column {
        peer: run.name.clone(),
        figures: Values {
            ns: vec![*ns],
            cycles: Vec::new(),
            ratio: vec![ns / times[0]],
        },
    };
    Series {
        group: form.group,
        variant: form.variant.clone(),
        axis: form.axis.clone(),
        xs: form.xs.clone(),
        columns: runs.iter().zip(times).map(column).collect(),
        notes: form.notes.clone(),
    }
}

/// A group without figures, and why.
fn left_out(group: Group, why: &str) -> Series<Figures> {
    say(format_args!("{}: left out: {why}", group.name()));
    Series {
        group,
        variant: "left out".into(),
        axis: String::new(),
        xs: Vec::new(),
        columns: Vec::new(),
        notes: vec![format!("Left out: {why}.")],
    }
}

/// Something that is timed: some processes.
struct Run<'a> {
    name: String,
    processes: Box<dyn Fn() -> Vec<Command> + 'a>,
    /// All of them together, and not one after another.
    at_once: bool,
    /// What its time is multiplied with, if it does a part of the work only.
    scale: f64,
}

impl<'a> Run<'a> {
    fn new(name: &str, processes: impl Fn() -> Vec<Command> + 'a) -> Self {
        Self {
            name: name.to_owned(),
            processes: Box::new(processes),
            at_once: false,
            scale: 1.0,
        }
    }

    fn one(name: &str, process: impl Fn() -> Command + 'a) -> Self {
        Self::new(name, move || vec![process()])
    }

    /// How long it takes, from the start of the first process to the end of the last.
    fn ns(&self) -> Result<f64, Error> {
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

/// A process in that folder. What it prints, nobody reads, unless it fails.
fn command(program: &Path, folder: &Path, arguments: &[&str]) -> Command {
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

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Whether a program of that name is in the PATH.
fn is_there(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> Run<'static> {
        Run::one(script, move || {
            command(Path::new("sh"), Path::new("/"), &["-c", script])
        })
    }

    fn commands(rounds: usize) -> Commands {
        Commands::new(Path::new("/nowhere/hornet"), rounds, true)
    }

    fn form() -> Series<Figures> {
        let mut form = left_out(Group::Tree, "it is a test");
        form.xs = vec![7];
        form
    }

    #[test]
    fn a_series_has_a_column_for_each_run() {
        let runs = [shell("true"), shell("test $((1 + 1)) = 2")];
        let series = commands(3).measure(form(), &runs).unwrap();
        let names: Vec<&str> = series.columns.iter().map(|column| &*column.peer).collect();
        assert_eq!(names, ["true", "test $((1 + 1)) = 2"]);
        assert_eq!(series.columns[0].figures.ratio.median, [1.0]);
        assert_eq!(series.columns[1].figures.ns.median.len(), 1);
        assert_eq!(series.xs, [7]);
        assert_eq!(series.notes[1], "Medians over 3 rounds.");
    }

    #[test]
    fn a_failure_is_reported_with_its_last_words() {
        let error = shell("echo first >&2; echo last >&2; exit 3").ns();
        let error = error.unwrap_err().to_string();
        assert!(error.contains("last") && error.contains('3'), "{error}");
        assert!(commands(1).measure(form(), &[shell("exit 1")]).is_err());
    }

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
    fn without_the_command_there_is_a_note() {
        for group in [Group::File, Group::Tree] {
            let series = commands(1).run(group).unwrap();
            assert!(series[0].notes[0].contains("/nowhere/hornet"));
            assert!(series[0].columns.is_empty());
        }
    }

    #[test]
    fn what_is_in_the_path() {
        assert!(is_there("sh"));
        assert!(!is_there("no such program"));
    }
}
