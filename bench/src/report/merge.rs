// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Merges the reports of several processes.

use super::json::{Column, Figures, Series, Spread, Values};
use crate::group::Group;
use crate::stats::{quantile, rounded};

/// The prefix of the names of Hornet's columns; all others are its rivals.
pub(crate) const HORNET: &str = "hornet";

/// A column for comparison that is not a rival.
pub(crate) const READ_PASS: &str = "read pass";

pub(crate) fn is_hornet(column: &str) -> bool {
    column.starts_with(HORNET)
}

pub(crate) fn is_rival(column: &str) -> bool {
    !is_hornet(column) && column != READ_PASS
}

/// Merges the series of several processes, which all have the same form since they come from the same command.
pub(crate) fn merge(processes: &[Vec<Series<Values>>]) -> Vec<Series<Figures>> {
    let first = processes.first().map_or(&[][..], Vec::as_slice);
    (0..first.len())
        .map(|which| {
            let same: Vec<&Series<Values>> = processes.iter().map(|all| &all[which]).collect();
            merge_one(&same)
        })
        .collect()
}

fn merge_one(processes: &[&Series<Values>]) -> Series<Figures> {
    let form = processes[0];
    let columns = form.columns.iter().enumerate().map(|(at, column)| {
        let own = |pick: fn(&Values) -> &Vec<f64>| -> Vec<Vec<f64>> {
            processes
                .iter()
                .map(|series| pick(&series.columns[at].figures).clone())
                .collect()
        };
        let to_best = processes
            .iter()
            .filter(|_| is_hornet(&column.peer))
            .map(|series| to_best(series, at))
            .collect::<Vec<_>>();
        let mut figures = Figures {
            ns: spread(&own(|values| &values.ns)),
            cycles: spread(&own(|values| &values.cycles)),
            ratio: spread(&own(|values| &values.ratio)),
            to_best: spread(&to_best),
        };
        if form.group == Group::Sweep {
            // They would take a megabyte; those of the ratios to the best are kept.
            for spread in [&mut figures.ns, &mut figures.cycles, &mut figures.ratio] {
                spread.low.clear();
                spread.high.clear();
            }
        }
        let peer = column.peer.clone();
        Column { peer, figures }
    });
    Series {
        group: form.group,
        variant: form.variant.clone(),
        axis: form.axis.clone(),
        xs: form.xs.clone(),
        columns: columns.collect(),
        notes: form.notes.clone(),
    }
}

/// A column's ratios to the fastest rival in each row; empty if there is no rival.
fn to_best(series: &Series<Values>, column: usize) -> Vec<f64> {
    let rivals: Vec<&Vec<f64>> = series
        .columns
        .iter()
        .filter(|column| is_rival(&column.peer))
        .map(|column| &column.figures.ratio)
        .collect();
    if rivals.is_empty() {
        return Vec::new();
    }
    let own = series.columns[column].figures.ratio.iter().enumerate();
    own.map(|(row, own)| {
        let best = rivals.iter().map(|ratio| ratio[row]);
        own / best.fold(f64::INFINITY, f64::min)
    })
    .collect()
}

/// Takes one list for each process; equal indexes belong to one row.
pub(crate) fn spread(processes: &[Vec<f64>]) -> Spread {
    let rows = processes.first().map_or(0, Vec::len);
    let at = |fraction: f64| -> Vec<f64> {
        (0..rows)
            .map(|row| {
                let values: Vec<f64> = processes.iter().map(|values| values[row]).collect();
                quantile(&values, fraction).map_or(f64::NAN, rounded)
            })
            .collect()
    };
    Spread {
        median: at(0.5),
        low: at(0.25),
        high: at(0.75),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(hornet: f64, first: f64, second: f64) -> Vec<Series<Values>> {
        let column = |peer: &str, ns: f64| Column {
            peer: peer.into(),
            figures: Values {
                ns: vec![ns],
                cycles: Vec::new(),
                ratio: vec![ns / hornet],
            },
        };
        vec![Series {
            group: Group::Lengths,
            variant: "throughput".into(),
            axis: "bytes".into(),
            xs: vec![16],
            columns: vec![
                column("hornet gcc", hornet),
                column("first", first),
                column("second", second),
                column(READ_PASS, 0.1),
            ],
            notes: Vec::new(),
        }]
    }

    #[test]
    fn hornet_is_compared_with_the_best_rival_of_its_own_process() {
        let processes = [
            process(1.0, 2.0, 4.0),
            process(10.0, 40.0, 20.0),
            process(3.0, 4.0, 5.0),
        ];
        let merged = merge(&processes);
        let hornet = merged[0].column("hornet gcc").unwrap();
        assert_eq!(hornet.ns.median, [3.0]);
        assert_eq!(hornet.to_best.median, [0.5]);
        assert_eq!(
            (&hornet.to_best.low[..], &hornet.to_best.high[..]),
            (&[0.5][..], &[0.625][..])
        );
        let rival = merged[0].column("first").unwrap();
        assert_eq!(rival.to_best, Spread::default());
        assert_eq!(rival.cycles, Spread::default());
    }

    #[test]
    fn nothing_merges_to_nothing() {
        assert_eq!(merge(&[]), []);
    }
}
