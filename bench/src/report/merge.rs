// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Merges the reports of several processes.

use super::json::{Column, Figures, Series, Spread, Values};
use crate::group::Group;
use crate::stats::{quantile, rounded};

/// The prefix of the names of Hornet's columns; all other columns are rivals.
pub(crate) const HORNET: &str = "hornet";

/// A column for comparison that is not a rival.
pub(crate) const READ_PASS: &str = "read pass";

/// The suffix of the names of columns for comparison with messages in pieces; it follows the name of the peer.
pub(crate) const ONE_CALL: &str = ", one call";

/// The rival that messages in pieces are compared with, besides the fastest one.
pub(crate) const OPENSSL: &str = "OpenSSL";

/// The axis of messages that are cut into many equal pieces.
pub(crate) const PIECE_BYTES: &str = "bytes in a piece";

pub(crate) fn is_hornet(column: &str) -> bool {
    column.starts_with(HORNET)
}

pub(crate) fn is_rival(column: &str) -> bool {
    !is_hornet(column) && column != READ_PASS
}

/// Merges the series of several processes, which all have the same form because they come from the same command.
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
        let is_compared = is_hornet(&column.peer) && !column.peer.ends_with(ONE_CALL);
        let to_best = processes
            .iter()
            .filter(|_| is_compared)
            .map(|series| to_best(series, at))
            .collect::<Vec<_>>();
        let to = |other: Option<usize>| -> Vec<Vec<f64>> {
            let quotients = other.map(|other| {
                let processes = processes.iter();
                processes.map(move |series| quotients(series, at, other))
            });
            quotients.into_iter().flatten().collect()
        };
        let find = |peer: &str| form.columns.iter().position(|other| other.peer == peer);
        // The fastest rival differs from row to row; ratios to a fixed one show how they change.
        let openssl = find(OPENSSL).filter(|_| is_compared && form.group == Group::Pieces);
        let one_call = find(&format!("{}{ONE_CALL}", column.peer));
        let mut figures = Figures {
            ns: spread(&own(|values| &values.ns)),
            cycles: spread(&own(|values| &values.cycles)),
            ratio: spread(&own(|values| &values.ratio)),
            to_best: spread(&to_best),
            to_openssl: spread(&to(openssl)),
            to_one_call: spread(&to(one_call)),
        };
        if form.group.is_sweep() {
            // They would take a megabyte; only those of the ratios to the best are kept.
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

/// Returns a column's ratios to the fastest rival in each row; empty if there is no rival.
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

/// Returns the ratios of one column to another.
fn quotients(series: &Series<Values>, column: usize, other: usize) -> Vec<f64> {
    let [own, other] = [column, other].map(|at| &series.columns[at].figures.ratio);
    own.iter()
        .zip(other)
        .map(|(own, other)| own / other)
        .collect()
}

/// Takes one list per process; equal indexes belong to the same row.
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
    fn pieces_are_compared_with_openssl_and_the_one_call_of_the_same_peer() {
        let with_one_call = |ns: f64| {
            let mut process = process(4.0, 8.0, 16.0);
            let one_call = Column {
                peer: format!("hornet gcc{ONE_CALL}"),
                figures: Values {
                    ns: vec![ns],
                    cycles: Vec::new(),
                    ratio: vec![ns / 4.0],
                },
            };
            process[0].columns.push(one_call);
            process[0].columns[2].peer = OPENSSL.into();
            process[0].group = Group::Pieces;
            process
        };
        let merged = merge(&[2.0, 1.0, 0.5].map(with_one_call));
        let hornet = merged[0].column("hornet gcc").unwrap();
        assert_eq!(hornet.to_one_call.median, [4.0]);
        assert_eq!(hornet.to_best.median, [0.5]);
        let one_call = merged[0].column("hornet gcc, one call").unwrap();
        assert_eq!(hornet.to_openssl.median, [0.25]);
        assert_eq!(one_call.to_best, Spread::default());
        assert_eq!(one_call.to_openssl, Spread::default());
        assert_eq!(one_call.to_one_call, Spread::default());
        let rival = merged[0].column("first").unwrap();
        assert_eq!(rival.to_one_call, Spread::default());
        assert_eq!(rival.to_openssl, Spread::default());

        let mut elsewhere = with_one_call(1.0);
        elsewhere[0].group = Group::Lengths;
        let hornet = &merge(&[elsewhere])[0].columns[0].figures;
        assert_eq!(hornet.to_openssl, Spread::default());
    }

    #[test]
    fn nothing_merges_to_nothing() {
        assert_eq!(merge(&[]), []);
    }
}
