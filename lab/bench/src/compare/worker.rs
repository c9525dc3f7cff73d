// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures two libraries. Each process has them at different addresses.

use super::builds::load;
use super::cases::{Case, Kind, cases};
use crate::cli::Compare;
use crate::counter::Counter;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::json;
use crate::measure::{Iterations, Measured, Plan, Subject, measure};
use crate::peers::{BatchCalls, Core, Peer};
use serde::Serialize;
use std::process::ExitCode;

/// The number of keys that calls alternate between.
const KEYS: usize = 64;

/// Nanoseconds per message, and the ratio of the tree's time to the base's.
#[derive(Debug, PartialEq, Serialize)]
struct Sample {
    kind: Kind,
    bytes: String,
    base_ns: f64,
    tree_ns: f64,
    ratio: f64,
}

/// Prints a sample for each case.
pub(crate) fn run(what: &Compare) -> Result<ExitCode, Error> {
    let load = |path, name| load(path, name, what.kernel.as_deref());
    // The order matters: the address of a library, and which library the branch predictors see first, sometimes change
    // the time by a tenth.
    let (base, tree) = (|| load(&what.base, "base"), || load(&what.tree, "tree"));
    let both = if what.tree_first {
        [tree()?, base()?]
    } else {
        [base()?, tree()?]
    };
    let cases = cases(&what.only, what.lengths);
    if cases.is_empty() {
        return Err(Error::new(
            "--lengths",
            "contains no length that is measured; see compare --help",
        ));
    }
    let counter = Counter::open();
    let sample = |case| {
        let measured = measure_case(&counter, &both, case, what.rounds.into());
        sample(case, &measured, what.tree_first)
    };
    json::write(&cases.iter().map(sample).collect::<Vec<_>>())?;
    Ok(ExitCode::SUCCESS)
}

/// Measures both libraries alternately.
fn measure_case(counter: &Counter, both: &[Core; 2], case: &Case, rounds: usize) -> Vec<Measured> {
    let lens_bytes = &case.lens_bytes;
    let mut inputs = Inputs::new(lens_bytes.iter().sum(), lens_bytes.len().max(KEYS));
    let measure = |step: usize, run: &dyn Fn(&Core, usize)| {
        let mut subjects = both.each_ref().map(|library| {
            Subject::new(library.name(), move |iterations| run(library, iterations))
        });
        let plan = Plan {
            rounds,
            iterations: Iterations::SameMultipleOf(step),
        };
        measure(counter, &mut subjects, plan)
    };
    match case.kind {
        Kind::Calls => {
            let calls = inputs.in_turn(0, lens_bytes[0], KEYS);
            measure(1, &|library, iterations| library.run(&calls, iterations))
        }
        Kind::Batches => {
            let batch = BatchCalls::shared(&inputs.side_by_side(lens_bytes));
            measure(lens_bytes.len(), &|library, iterations| {
                library.run_batches(&batch, iterations);
            })
        }
    }
}

/// Converts measurements, whose ratios are relative to the library that was measured first.
fn sample(case: &Case, measured: &[Measured], tree_first: bool) -> Sample {
    let [first, second] = [measured[0], measured[1]];
    let (base, tree, ratio) = if tree_first {
        (second, first, 1.0 / second.ratio)
    } else {
        (first, second, second.ratio)
    };
    Sample {
        kind: case.kind,
        bytes: case.bytes.clone(),
        base_ns: base.ns,
        tree_ns: tree.ns,
        ratio,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_the_tree_to_the_base_whichever_comes_first() {
        let measured = |ns, ratio| Measured {
            ns,
            cycles: None,
            ratio,
        };
        let case = &cases(&[Kind::Calls], None)[0];
        let base_first = sample(case, &[measured(10.0, 1.0), measured(20.0, 2.0)], false);
        let expected = Sample {
            kind: case.kind,
            bytes: case.bytes.clone(),
            base_ns: 10.0,
            tree_ns: 20.0,
            ratio: 2.0,
        };
        assert_eq!(base_first, expected);
        let tree_first = sample(case, &[measured(20.0, 1.0), measured(10.0, 0.5)], true);
        assert_eq!(tree_first, base_first);
    }
}
