// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The subcommand: builds both trees, checks their tags, and runs the worker processes.

use super::builds::{self, Pair};
use super::cases::{Case, cases};
use super::output::{Format, OfCompiler, Report};
use super::results::{Sample, merge, of_both_orders};
use super::text;
use crate::built::tool;
use crate::check;
use crate::cli::Compare;
use crate::console::{print, say};
use crate::cpu;
use crate::error::Error;
use crate::files;
use crate::report::markdown::verdict;
use crate::scratch::Scratch;
use crate::source_tree::{COMPILERS, FLAGS};
use crate::subprocess;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(arguments: &Compare) -> Result<ExitCode, Error> {
    let what = &arguments.what;
    let out = arguments.out.as_deref();
    let out = out.map(|path| Ok((path, Format::of(path)?))).transpose()?;
    if let Some((path, _)) = out {
        files::check_writable(path)?;
    }
    let cases = cases(&what.kinds(), what.lengths);
    if cases.is_empty() {
        let lengths = what
            .lengths
            .map_or_else(String::new, |lengths| lengths.to_string());
        return Err(Error::new(
            "--lengths",
            format_args!("{lengths} contains no length that is measured; see compare --help"),
        ));
    }

    let scratch = Scratch::new("compare")?;
    let mut compilers = arguments.compiler.clone();
    if compilers.is_empty() {
        compilers.extend(COMPILERS.map(|(compiler, _)| compiler.to_owned()));
    }
    let this_tree = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let trees = [
        &*arguments.base,
        arguments.tree.as_deref().unwrap_or(this_tree),
    ];
    say(format_args!(
        "building {} and {}",
        trees[0].display(),
        trees[1].display()
    ));
    let all = !arguments.compiler.is_empty();
    let (pairs, missing) = builds::build(scratch.path(), trees, &compilers, all)?;
    for line in missing {
        say(format_args!("{line}"));
    }
    if !all_tags_are_right(&pairs, trees, what.kernel.as_deref())? {
        return Ok(ExitCode::FAILURE);
    }

    let report = Report {
        date: cpu::today(),
        cpu: cpu::this_cpu(),
        base: name(&arguments.base),
        tree: arguments
            .tree
            .as_deref()
            .map_or_else(|| "this tree".into(), name),
        flags: FLAGS,
        processes: arguments.processes.into(),
        rounds: what.rounds.into(),
        kernel: what.kernel.clone(),
        compilers: measure(arguments, &pairs, &cases)?,
    };
    print(format_args!(
        "{}; {}; {} processes, {} rounds; {FLAGS}\n\
         Ratios: the time of {} to that of {}, below 1 is faster. Nanoseconds for a message.\n",
        report.cpu.title(),
        report.date,
        report.processes,
        report.rounds,
        report.tree,
        report.base
    ))?;
    for of_compiler in &report.compilers {
        let title = format!("{} ({})", of_compiler.compiler, of_compiler.version);
        let entries = &of_compiler.entries;
        print(text::results(&title, &report.base, &report.tree, entries))?;
    }
    if let Some((path, format)) = out {
        files::write(path, &format.text(&report)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the last component of a path.
fn name(tree: &Path) -> String {
    let full = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let last = full.file_name().unwrap_or(full.as_os_str());
    last.to_string_lossy().into_owned()
}

/// Checks the tags of all libraries, and reports wrong ones.
fn all_tags_are_right(
    pairs: &[Pair],
    trees: [&Path; 2],
    kernel: Option<&str>,
) -> Result<bool, Error> {
    let inputs = check::inputs();
    let mut all_right = true;
    for pair in pairs {
        for (path, tree) in [&pair.base, &pair.tree].into_iter().zip(trees) {
            let name = format!("{} with {}", tree.display(), pair.compiler);
            let library = builds::load(path, &name, kernel)?;
            let verdicts = [
                check::check(&library, &inputs),
                check::check_batch(&library, &inputs),
            ];
            for wrong in verdicts.iter().filter(|verdict| verdict.wrong > 0) {
                say(format_args!("{}", verdict(wrong)));
                all_right = false;
            }
        }
    }
    Ok(all_right)
}

/// Alternates between the compilers, so that changes in the load affect all of them.
fn measure(arguments: &Compare, pairs: &[Pair], cases: &[Case]) -> Result<Vec<OfCompiler>, Error> {
    let mut samples: Vec<Vec<Vec<Sample>>> = vec![Vec::new(); pairs.len()];
    let processes = arguments.processes;
    for process in (1..=processes).step_by(2) {
        say(format_args!(
            "processes {process} and {} of {processes}",
            process + 1
        ));
        for (pair, samples) in pairs.iter().zip(&mut samples) {
            let base_first = measure_once(arguments, pair, false)?;
            let tree_first = measure_once(arguments, pair, true)?;
            samples.push(of_both_orders(&base_first, &tree_first));
        }
    }
    let results = pairs.iter().zip(&samples).map(|(pair, samples)| {
        let entries = merge(cases, samples)
            .ok_or_else(|| Error::new(pair.compiler, "the processes measured different things"))?;
        Ok(OfCompiler::new(pair.compiler, tool(pair.compiler), entries))
    });
    results.collect()
}

fn measure_once(arguments: &Compare, pair: &Pair, tree_first: bool) -> Result<Vec<Sample>, Error> {
    let mut command = subprocess::this_program()?;
    command.args(["compare-worker", "--base"]).arg(&pair.base);
    command.arg("--tree").arg(&pair.tree);
    if tree_first {
        command.arg("--tree-first");
    }
    arguments.what.pass_on(&mut command);
    subprocess::json(command)
}
