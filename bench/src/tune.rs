//! From which length on each kernel's vectors pay: what `min_bytes` in src/kernels.def should be on this CPU.

use crate::cli::Tune;
use crate::counter::Counter;
use crate::error::Error;
use crate::groups::Inputs;
use crate::measure::{Iterations, Measured, Plan, Subject, measure};
use crate::peers::{Hornet, Peer};
use crate::print;
use crate::report::table::figure;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Hornet's list.
const KERNELS: &str = include_str!("../../src/kernels.def");

/// What stands in a line of the list for the first kernel of one lane that the CPU can run.
const SERIAL: &str = "serial";

pub(crate) fn run(arguments: &Tune) -> Result<ExitCode, Error> {
    let fail = |why: String| Error::new(format_args!("hornet {}", arguments.compiler), why);
    let hornet = Hornet::open_for_tuning(&arguments.compiler).map_err(fail)?;

    let kernels = hornet.kernels().into_iter();
    let kernels: Vec<_> = kernels.filter(|kernel| kernel.supported).collect();
    let Some(serial) = kernels.iter().find(|kernel| kernel.lanes == 1) else {
        return Err(fail("has no kernel of one lane for this CPU".into()));
    };
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let column = |name: &str| {
        let name = if name == SERIAL { &serial.name } else { name };
        names.iter().position(|kernel| *kernel == name)
    };

    let longest = arguments.longest as usize;
    let step = arguments.step as usize;
    let mut bench = Bench {
        hornet: &hornet,
        counter: Counter::open(),
        inputs: Inputs::new(longest, 64),
        rounds: arguments.rounds.into(),
    };
    print(header(&names))?;
    let mut coarse = Vec::new();
    for len_bytes in (0..=longest).step_by(step) {
        let row = bench.measure(&names, len_bytes);
        print(line(len_bytes, &names, &row))?;
        coarse.push((len_bytes, row));
    }

    let mut proposals = String::from("\nFor src/kernels.def:\n");
    for entry in KERNELS.lines().filter_map(Entry::parse) {
        let columns = column(entry.name).zip(column(entry.shorter));
        let Some((own, other)) = columns.filter(|_| entry.min_bytes > 0) else {
            continue; // not for this CPU, or used at all lengths
        };
        let ratios = coarse
            .iter()
            .map(|(len_bytes, row)| (*len_bytes, row[own].ratio / row[other].ratio));
        let Some(near) = crossover(&ratios.collect::<Vec<_>>()) else {
            let _ = writeln!(
                proposals,
                "{}: never up to {longest} bytes, now {}",
                entry.name, entry.min_bytes
            );
            continue;
        };
        // Every length from one step below to one above: the last block is ragged in most of them.
        let pair = [names[other], names[own]];
        let fine: Vec<_> = (near.saturating_sub(step)..=(near + step).min(longest))
            .map(|len_bytes| (len_bytes, bench.measure(&pair, len_bytes)[1].ratio))
            .collect();
        let from = crossover(&fine).unwrap_or(near);
        let Entry {
            name,
            min_bytes,
            shorter,
        } = entry;
        let _ = writeln!(
            proposals,
            "HORNET_KERNEL({name}, {from}, {shorter}) /* now {min_bytes} */"
        );
    }
    print(proposals)?;
    Ok(ExitCode::SUCCESS)
}

/// A line of the list.
#[derive(Debug, Eq, PartialEq)]
struct Entry<'a> {
    name: &'a str,
    min_bytes: usize,
    /// The kernel that gets shorter messages.
    shorter: &'a str,
}

impl<'a> Entry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let arguments = line.strip_prefix("HORNET_KERNEL(")?.split_once(')')?.0;
        let mut arguments = arguments.split(',').map(str::trim);
        Some(Self {
            name: arguments.next()?,
            min_bytes: arguments.next()?.parse().ok()?,
            shorter: arguments.next().unwrap_or(SERIAL),
        })
    }
}

struct Bench<'a> {
    hornet: &'a Hornet,
    counter: Counter,
    inputs: Inputs,
    rounds: usize,
}

impl Bench<'_> {
    fn measure(&mut self, kernels: &[&str], len_bytes: usize) -> Vec<Measured> {
        let calls = self.inputs.in_turn(0, len_bytes, 64);
        let hornet = self.hornet;
        let subject = |kernel: &&'_ str| {
            let kernel = (*kernel).to_owned();
            let run = |iterations| hornet.run(&calls, iterations);
            Subject::new("", run).prepared_by(move || {
                let _ = hornet.force(Some(&kernel)); // it is one that runs here
            })
        };
        let mut subjects: Vec<Subject> = kernels.iter().map(subject).collect();
        let plan = Plan {
            rounds: self.rounds,
            iterations: Iterations::MultipleOf(1),
        };
        measure(&self.counter, &mut subjects, plan)
    }
}

/// The length from which on a kernel is to be used, given its ratios to the alternative: that which makes the product
/// of the ratios from there on least, so that one length more or less that is out of line does not matter. None if it
/// is best never used.
fn crossover(ratios: &[(usize, f64)]) -> Option<usize> {
    let mut sum = 0.0;
    let mut least = (0.0, None);
    for (len_bytes, ratio) in ratios.iter().rev() {
        sum += ratio.ln();
        if sum < least.0 {
            least = (sum, Some(*len_bytes));
        }
    }
    least.1
}

fn header(names: &[&str]) -> String {
    let mut text = format!("{:>8}", "bytes");
    for name in names {
        let _ = write!(text, "{name:>12}");
    }
    text + "  fastest\n"
}

fn line(len_bytes: usize, names: &[&str], row: &[Measured]) -> String {
    let mut text = format!("{len_bytes:>8}");
    for measured in row {
        let cost = figure(measured.cycles.unwrap_or(measured.ns));
        let _ = write!(text, "{cost:>12}");
    }
    let fastest = row
        .iter()
        .zip(names)
        .min_by(|a, b| a.0.ratio.total_cmp(&b.0.ratio));
    text + &format!("  {}\n", fastest.map_or("", |(_, name)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ratios: &[f64]) -> Option<usize> {
        let with_lengths: Vec<_> = ratios.iter().copied().enumerate().collect();
        crossover(&with_lengths)
    }

    #[test]
    fn crossovers() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0, 2.0, 1.5]), None);
        assert_eq!(of(&[3.0, 2.0, 0.9, 0.8]), Some(2));
        assert_eq!(of(&[0.5, 0.4]), Some(0));
        // One length out of line.
        assert_eq!(of(&[3.0, 0.99, 2.0, 0.9, 1.01, 0.8, 0.7]), Some(3));
    }

    #[test]
    fn entries() {
        let entry = |name, min_bytes, shorter| Entry {
            name,
            min_bytes,
            shorter,
        };
        let parsed = Entry::parse("HORNET_KERNEL(ifma, 640, ifma256) /* why */");
        assert_eq!(parsed, Some(entry("ifma", 640, "ifma256")));
        assert_eq!(
            Entry::parse("HORNET_KERNEL(sse2, 48)"),
            Some(entry("sse2", 48, SERIAL))
        );
        assert_eq!(
            Entry::parse(" *     HORNET_KERNEL(name, min_bytes)"),
            None
        );
        assert!(KERNELS.lines().filter_map(Entry::parse).count() > 1);
    }

    #[test]
    fn a_line() {
        let measured = |ns: f64| Measured {
            ns,
            cycles: None,
            ratio: ns / 20.0,
        };
        let text = line(64, &["scalar", "vector"], &[measured(20.0), measured(9.5)]);
        assert_eq!(text, "      64        20.0        9.50  vector\n");
    }
}
