// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The worker process of `compare`. Each process has the libraries at different addresses.

use super::builds::load;
use super::cases::{Case, Kind, cases};
use super::results::Sample;
use crate::cli::CompareWorker;
use crate::console::print;
use crate::counter::Counter;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::measure::{Iterations, Measured, Plan, Subject, measure};
use crate::peers::{BatchCalls, Core, Peer};
use std::process::ExitCode;

/// The number of keys that calls alternate between.
const KEYS: usize = 64;

/// Prints a sample for each case.
pub(crate) fn run(arguments: &CompareWorker) -> Result<ExitCode, Error> {
    let what = &arguments.what;
    let load = |path, name| load(path, name, what.kernel.as_deref());
    // The order matters: the address of a library, and which library the branch predictors see first, sometimes change
    // the time by a tenth.
    let order = if arguments.tree_first {
        [Which::Tree, Which::Base]
    } else {
        [Which::Base, Which::Tree]
    };
    let library = |which| match which {
        Which::Base => load(&arguments.base, "base"),
        Which::Tree => load(&arguments.tree, "tree"),
    };
    let both = [library(order[0])?, library(order[1])?];
    let counter = Counter::open();
    let samples: Vec<Sample> = cases(&what.kinds(), what.lengths)
        .iter()
        .map(|case| {
            sample(
                &measure_case(&counter, &both, case, what.rounds.into()),
                order,
            )
        })
        .collect();
    let json = serde_json::to_string(&samples).map_err(|error| Error::new("worker", error))?;
    print(json)?;
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

#[derive(Clone, Copy, PartialEq)]
enum Which {
    Base,
    Tree,
}

/// Converts measurements, whose ratios are relative to the library that was measured first.
fn sample(measured: &[Measured], order: [Which; 2]) -> Sample {
    let [first, second] = [measured[0], measured[1]];
    if order[0] == Which::Base {
        Sample {
            base_ns: first.ns,
            tree_ns: second.ns,
            ratio: second.ratio,
        }
    } else {
        Sample {
            base_ns: second.ns,
            tree_ns: first.ns,
            ratio: 1.0 / second.ratio,
        }
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
        let slower_tree = Sample {
            base_ns: 10.0,
            tree_ns: 20.0,
            ratio: 2.0,
        };
        let base_first = [measured(10.0, 1.0), measured(20.0, 2.0)];
        assert_eq!(sample(&base_first, [Which::Base, Which::Tree]), slower_tree);
        let tree_first = [measured(20.0, 1.0), measured(10.0, 0.5)];
        assert_eq!(sample(&tree_first, [Which::Tree, Which::Base]), slower_tree);
    }
}
