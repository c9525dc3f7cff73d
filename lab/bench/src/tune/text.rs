// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text that `tune` prints.

use super::agreement::Difference;
use super::crossovers::{Row, serving};
use super::proposal::{Crossover, Proposal};
use crate::measure::Measured;
use crate::stats::{figure, geometric_mean};
use std::fmt::Write as _;

/// Returns the line of a kernel, with the source of the figures.
pub(super) fn proposal(proposal: &Proposal, source: &str) -> String {
    let Proposal {
        kernel,
        min_bytes,
        min_batch_bytes,
    } = proposal;
    let calls = crossover("min_bytes", min_bytes);
    let batches = min_batch_bytes.as_ref().map_or_else(
        || "takes no batches".into(),
        |of_batches| crossover("min_batch_bytes", of_batches),
    );
    format!("{kernel}: {calls}, {batches}; {source}\n")
}

/// Returns the row of that kernel in the library's list, for the measured CPU.
pub(super) fn row(proposal: &Proposal, family: &str, source: &str) -> String {
    let bytes = |crossover: Option<&Crossover>| -> String {
        let proposed = crossover.and_then(|crossover| crossover.proposed);
        proposed.map_or_else(|| "HORNET_NEVER".into(), |bytes| bytes.to_string())
    };
    format!(
        "HORNET_KERNEL_ALSO({}, CPU_{family}, {}, {}) /* {source} */\n",
        proposal.kernel,
        bytes(Some(&proposal.min_bytes)),
        bytes(proposal.min_batch_bytes.as_ref())
    )
}

fn crossover(field: &str, crossover: &Crossover) -> String {
    let Crossover {
        proposed,
        longest,
        now,
    } = crossover;
    let proposed = proposed.map_or_else(
        || format!("never (up to {longest})"),
        |bytes| bytes.to_string(),
    );
    let now = now.map_or_else(|| "never".into(), |bytes| bytes.to_string());
    format!("{field} {proposed} (now {now})")
}

/// Returns the effect of the proposals. Costs are relative to the library's.
pub(super) fn change(what: &str, rows: &[Row], crossovers: &[Option<usize>]) -> String {
    let ratio = |row: &Row| Some(row.costs[serving(crossovers, row.len_bytes)?]);
    let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
    let mean = geometric_mean(&ratios).unwrap_or(f64::NAN);
    format!(
        "With these crossovers, {what} take {mean:.3} of their present time (geometric mean over {} lengths).\n",
        ratios.len()
    )
}

/// Returns a warning that the proposals are wrong for a kernel.
pub(super) fn difference(what: &str, kernels: &[&str], difference: &Difference) -> String {
    let Difference {
        kernel,
        ratio,
        lengths,
    } = difference;
    let doubt = if *ratio > 1.0 { "slow" } else { "fast" };
    format!(
        "Warning, {what}: in the tuning build {} takes {ratio:.2} of its time in the library (median of the {lengths} \
         lengths that it serves now). The proposals assume that it is too {doubt}.\n",
        kernels[*kernel]
    )
}

/// Returns the title and the column names of a table: the library itself, and the kernels.
pub(super) fn header(title: &str, columns: &[&str]) -> String {
    let mut text = format!("\n{title}\n{:>8}{:>12}", "bytes", "library");
    for column in columns {
        let _ = write!(text, "{column:>12}");
    }
    text + "  fastest\n"
}

/// Returns a line of the table.
pub(super) fn line(len_bytes: usize, columns: &[&str], measured: &[Measured]) -> String {
    let mut text = format!("{len_bytes:>8}");
    for measured in measured {
        let cost = figure(measured.cycles.unwrap_or(measured.ns));
        let _ = write!(text, "{cost:>12}");
    }
    let fastest = measured[1..]
        .iter()
        .zip(columns)
        .min_by(|a, b| a.0.ratio.total_cmp(&b.0.ratio));
    text + &format!("  {}\n", fastest.map_or("", |(_, name)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table() {
        let measured = [20.0, 21.0, 9.5].map(|ns| Measured {
            ns,
            cycles: None,
            ratio: ns / 20.0,
        });
        let columns = ["scalar", "vector"];
        let text = header("Nanoseconds", &columns) + &line(64, &columns, &measured);
        let expected = "
Nanoseconds
   bytes     library      scalar      vector  fastest
      64        20.0        21.0        9.50  vector
";
        assert_eq!(text, expected);
    }

    #[test]
    fn proposals() {
        let to = |proposed, now| Crossover {
            proposed,
            longest: 4096,
            now,
        };
        let line = |min_bytes, min_batch_bytes| {
            let kernel = "wide".into();
            let all = Proposal {
                kernel,
                min_bytes,
                min_batch_bytes,
            };
            proposal(&all, "a CPU, a day") + &row(&all, "zen9", "a day, a CPU")
        };
        assert_eq!(
            line(to(Some(640), Some(8192)), Some(to(Some(0), None))),
            "wide: min_bytes 640 (now 8192), min_batch_bytes 0 (now never); a CPU, a day\n\
             HORNET_KERNEL_ALSO(wide, CPU_zen9, 640, 0) /* a day, a CPU */\n"
        );
        assert_eq!(
            line(to(None, Some(0)), None),
            "wide: min_bytes never (up to 4096) (now 0), takes no batches; a CPU, a day\n\
             HORNET_KERNEL_ALSO(wide, CPU_zen9, HORNET_NEVER, HORNET_NEVER) /* a day, a CPU */\n"
        );
    }

    #[test]
    fn a_difference() {
        let text = difference(
            "calls",
            &["wide", "scalar"],
            &Difference {
                kernel: 1,
                ratio: 1.25,
                lengths: 7,
            },
        );
        let expected = "Warning, calls: in the tuning build scalar takes 1.25 of its time in the library (median of the \
                        7 lengths that it serves now). The proposals assume that it is too slow.\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_change() {
        let row = |len_bytes, costs: [f64; 2]| Row {
            len_bytes,
            costs: costs.to_vec(),
        };
        let rows = [row(0, [2.0, 1.0]), row(16, [0.25, 3.0])];
        let text = change("calls", &rows, &[Some(16), Some(0)]);
        let expected = "With these crossovers, calls take 0.500 of their present time (geometric mean over 2 lengths).\n";
        assert_eq!(text, expected);
    }
}
