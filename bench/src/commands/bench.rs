// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Shared code of the groups that measure whole processes.

use super::process::{Run, command};
use crate::console::say;
use crate::error::Error;
use crate::group::Group;
use crate::report::json::{COMMAND, Column, Figures, Named, Series, Values};
use crate::report::merge::merge;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The measured programs, and how often they run.
pub(crate) struct Commands {
    pub(super) hornet: PathBuf,
    pub(super) b3sum: Option<PathBuf>,
    /// The number of runs of each.
    pub(super) rounds: usize,
    pub(super) small: bool,
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

    /// Returns the versions of these programs and of the system.
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

    pub(super) fn hornet(&self, folder: &Path, arguments: &[&str]) -> Command {
        command(&self.hornet, folder, arguments)
    }

    /// Runs all in turn in each round. Ratios are relative to the first. Each runs once beforehand, which brings the
    /// files into the page cache.
    pub(super) fn measure(
        &self,
        form: Series<Figures>,
        runs: &[Run],
    ) -> Result<Series<Figures>, Error> {
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

/// Converts the times of one round.
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

/// Reports a group that was not measured, and the reason.
pub(super) fn left_out(group: Group, why: &str) -> Series<Figures> {
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
        assert!(commands(1).measure(form(), &[shell("exit 1")]).is_err());
    }
}
