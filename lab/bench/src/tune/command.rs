// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The subcommand: measures, and prints a proposal for each kernel that this CPU can run.

use super::agreement::differences;
use super::crossovers::{Row, crossovers, serving};
use super::lengths;
use super::measure::Bench;
use super::proposal::{Found, Proposal, kernels, present_for_batches, proposals};
use super::text;
use crate::built::tool;
use crate::cli::Tune;
use crate::console::print;
use crate::counter::{Counter, unit};
use crate::error::Error;
use crate::measure::Measured;
use crate::peers::Hornet;
use std::process::ExitCode;

/// The library computes longer messages of a batch one by one.
const LONGEST_IN_BATCH: usize = 8192;

pub(crate) fn run(arguments: &Tune) -> Result<ExitCode, Error> {
    let mut out = |text: String| print(text);
    let (family, proposals) = propose(arguments, &mut out)?;
    let source = format!("{}, {}", arguments.about, tool(&arguments.compiler));
    for proposal in &proposals {
        print(text::proposal(proposal, &source))?;
    }
    print(
        "\nThe same as rows of src/poly1305/kernels.def (HORNET_KERNEL_TUNED where the kernel has a record for the family):\n",
    )?;
    for proposal in &proposals {
        print(text::row(proposal, &family, &source))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Receives the text of the tables.
type Out<'a> = &'a mut dyn FnMut(String) -> Result<(), Error>;

/// Measures, and returns this CPU's family of cores and a proposal for each kernel, in the order of the list.
fn propose(arguments: &Tune, out: Out) -> Result<(String, Vec<Proposal>), Error> {
    let fail = |why: String| Error::new(format_args!("hornet {}", arguments.compiler), why);
    let library = Hornet::open(&arguments.compiler).map_err(fail)?;
    let tuning = Hornet::open_for_tuning(&arguments.compiler).map_err(fail)?;
    let kernels = kernels(&library, &tuning).map_err(fail)?;
    let bench = Bench {
        library: &library,
        tuning: &tuning,
        counter: Counter::open(),
        rounds: arguments.rounds.into(),
    };
    let unit = unit(bench.counter.has_cycles());
    let step = arguments.step as usize;

    let longest = arguments.longest as usize;
    let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
    let calls = Table {
        what: "calls",
        title: format!("{unit} for a message"),
        columns: names.clone(),
        now: kernels.iter().map(|kernel| Some(kernel.now)).collect(),
        lengths: lengths::coarse(step, longest),
    };
    let calls = calls.measure(|len_bytes| bench.calls(&names, len_bytes), out)?;

    let longest_in_batch = longest.min(LONGEST_IN_BATCH);
    let with_batches = kernels.iter().filter(|kernel| kernel.takes_batches);
    let batch_columns: Vec<&str> = with_batches.map(|kernel| &*kernel.name).collect();
    let batches = Table {
        what: "batches",
        title: format!("{unit} for a message of a batch"),
        // The last alternative: one call per message.
        columns: [&batch_columns[..], &["alone"]].concat(),
        // Its time in a batch is not comparable.
        now: [present_for_batches(&kernels), vec![None]].concat(),
        lengths: lengths::coarse(step, longest_in_batch),
    };
    let alone = |len_bytes| names[serving(&calls.crossovers, len_bytes).unwrap_or(0)];
    let batches = batches.measure(
        |len_bytes| bench.batches(&batch_columns, alone(len_bytes), len_bytes),
        out,
    )?;

    out(format!("\n{}{}\n", calls.summary, batches.summary))?;
    let calls = Found {
        columns: &names,
        crossovers: &calls.crossovers,
        longest,
    };
    let batches = Found {
        columns: &batch_columns,
        crossovers: &batches.crossovers,
        longest: longest_in_batch,
    };
    Ok((library.family(), proposals(&kernels, &calls, &batches)))
}

/// A table of measurements.
struct Table<'a> {
    what: &'a str,
    title: String,
    columns: Vec<&'a str>,
    /// The current crossovers of the columns.
    now: Vec<Option<usize>>,
    lengths: Vec<usize>,
}

/// The result of measuring a table.
struct Outcome {
    crossovers: Vec<Option<usize>>,
    summary: String,
}

impl Table<'_> {
    /// Measures these lengths, and more around the crossovers. `measure` returns a figure for the library itself,
    /// followed by one for each column.
    fn measure(
        &self,
        measure: impl Fn(usize) -> Vec<Measured>,
        out: Out,
    ) -> Result<Outcome, Error> {
        let row = |len_bytes, measured: &[Measured]| Row {
            len_bytes,
            costs: measured[1..].iter().map(|column| column.ratio).collect(),
        };
        out(text::header(&self.title, &self.columns))?;
        let mut rows = Vec::new();
        for &len_bytes in &self.lengths {
            let measured = measure(len_bytes);
            out(text::line(len_bytes, &self.columns, &measured))?;
            rows.push(row(len_bytes, &measured));
        }
        for len_bytes in lengths::around(&self.lengths, &crossovers(&rows)) {
            rows.push(row(len_bytes, &measure(len_bytes)));
        }
        rows.sort_by_key(|row| row.len_bytes);

        let crossovers = crossovers(&rows);
        let mut summary = text::change(self.what, &rows, &crossovers);
        for difference in differences(&rows, &self.now) {
            summary += &text::difference(self.what, &self.columns, &difference);
        }
        Ok(Outcome {
            crossovers,
            summary,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_tree::COMPILERS;

    #[test]
    fn every_kernel_of_this_cpu_gets_a_proposal() {
        for (compiler, _) in COMPILERS {
            let Ok(library) = Hornet::open(compiler) else {
                continue; // not installed
            };
            let arguments = Tune {
                compiler: compiler.into(),
                longest: 300,
                step: 64,
                rounds: 3,
                about: String::new(),
            };
            let mut text = String::new();
            let mut out = |more: String| {
                text += &more;
                Ok(())
            };
            let (family, proposals) = propose(&arguments, &mut out).unwrap();
            assert!(!family.is_empty());

            let mut kernels = library.kernels();
            kernels.retain(|kernel| kernel.supported);
            let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
            let proposed: Vec<&str> = proposals.iter().map(|proposal| &*proposal.kernel).collect();
            assert_eq!(proposed, names);
            assert!(names.contains(&&*library.kernel()), "{names:?}");
            for (proposal, kernel) in proposals.iter().zip(&kernels) {
                assert_eq!(proposal.min_bytes.now, Some(kernel.min_bytes));
                let of_batches = proposal.min_batch_bytes.as_ref();
                let now = of_batches.and_then(|of_batches| of_batches.now);
                assert_eq!(now, kernel.min_batch_bytes);
                let line = super::text::proposal(proposal, "");
                assert!(
                    line.starts_with(&format!("{}: min_bytes ", kernel.name)),
                    "{line}"
                );
            }
            // The last kernel handles the lengths that no other does.
            assert_eq!(proposals.last().unwrap().min_bytes.proposed, Some(0));
            for len_bytes in [0, 64, 128, 192, 256, 300] {
                let measured = text.lines().filter(|line| {
                    let mut words = line.split_whitespace();
                    words.next() == Some(&len_bytes.to_string())
                });
                assert_eq!(measured.count(), 2, "{len_bytes}: {text}");
            }
        }
    }

    #[test]
    fn measurements_become_crossovers() {
        let measured = |ratio| Measured {
            ns: 10.0 * ratio,
            cycles: None,
            ratio,
        };
        // The first column is faster from 100 bytes on.
        let measure = |len_bytes| {
            let first = if len_bytes < 100 { 2.0 } else { 0.5 };
            vec![measured(1.0), measured(first), measured(1.0)]
        };
        let table = Table {
            what: "calls",
            title: String::new(),
            columns: vec!["a", "b"],
            now: vec![Some(0), Some(0)],
            lengths: vec![0, 64, 128, 192],
        };
        let mut lines = 0;
        let mut out = |text: String| {
            lines += text.lines().count();
            Ok(())
        };
        let found = table.measure(measure, &mut out).unwrap();
        assert_eq!(found.crossovers, [Some(104), Some(0)]);
        assert_eq!(lines, 3 + 4, "title, header and the first lengths");
        let differs = "calls: in the tuning build a takes 0.50 of its time";
        assert!(found.summary.contains(differs), "{}", found.summary);
    }
}
