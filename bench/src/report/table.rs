// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Renders one series of measurements as a table.

use super::json::{Figures, Series, Spread};
use super::merge::{OPENSSL, PIECE_BYTES, is_hornet, is_rival};
use super::page::{Page, figure};
use crate::group::Group;
use crate::stats::geometric_mean;

/// Adds a series with its title.
pub(super) fn add_series(page: &mut Page, series: &Series<Figures>, counts_cycles: bool) {
    page.line(format_args!(
        "\n### {}: {}\n",
        title(series.group),
        series.variant
    ));
    for note in &series.notes {
        page.line(format_args!("{note}\n"));
    }
    if series.columns.is_empty() {
        return;
    }
    if series.group.is_sweep() {
        summary(page, series);
        return;
    }
    if series.group.is_of_commands() {
        commands(page, series);
        return;
    }
    if series.group == Group::Edit {
        page.line("Microseconds:\n");
    }
    if series.group == Group::Stream {
        page.line("Gigabytes (10^9 bytes) a second:\n");
    }
    let with = |pick: fn(&Figures) -> &Spread| {
        let columns = series.columns.iter();
        columns.filter_map(move |column| {
            let spread = pick(&column.figures);
            (!spread.median.is_empty()).then_some((&column.peer, spread))
        })
    };
    let to_openssl = || with(|figures| &figures.to_openssl);
    let to_best = || with(|figures| &figures.to_best);
    let to_one_call = || with(|figures| &figures.to_one_call);
    // With many pieces, the interesting figure is the rate relative to a single call; with two, the cost of the cut.
    let as_rate = series.axis == PIECE_BYTES;
    let mut head = vec![series.axis.clone()];
    head.extend(series.columns.iter().map(|column| column.peer.clone()));
    head.extend(to_openssl().map(|(peer, _)| format!("{peer} / {OPENSSL}")));
    head.extend(to_best().map(|(peer, _)| format!("{peer} / best other")));
    head.extend(to_one_call().map(|(peer, _)| {
        let what = if as_rate { "rate" } else { "time" };
        format!("{peer}, {what} relative to one call")
    }));
    page.row(&head);
    page.row(head.iter().map(|_| "---:"));
    for (at, x) in series.xs.iter().enumerate() {
        let mut row = vec![x.to_string()];
        row.extend(series.columns.iter().map(|column| {
            let ns = at_row(&column.figures.ns.median, at);
            #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
            let rate = *x as f64 / ns;
            figure(match series.group {
                Group::Stream => rate,
                Group::Edit => ns / 1e3,
                _ => ns,
            })
        }));
        row.extend(
            to_openssl()
                .chain(to_best())
                .map(|(_, spread)| ratio(ratio_at(spread, at))),
        );
        row.extend(to_one_call().map(|(_, spread)| {
            let [middle, low, high] = ratio_at(spread, at);
            ratio(if as_rate {
                [1.0 / middle, 1.0 / high, 1.0 / low]
            } else {
                [middle, low, high]
            })
        }));
        page.row(&row);
    }
    if counts_cycles && series.group == Group::Lengths {
        cycles(page, series);
    }
}

/// Adds the table of whole processes: a single x, and a row for each process.
fn commands(page: &mut Page, series: &Series<Figures>) {
    let Some((x, first)) = series.xs.first().zip(series.columns.first()) else {
        return;
    };
    let rate = if series.axis == "bytes" {
        "gigabytes (10^9) a second"
    } else {
        "thousand files a second"
    };
    let relative = format!("time relative to {}", first.peer);
    page.row(["", "milliseconds", rate, &relative]);
    page.row(["---", "---:", "---:", "---:"]);
    for column in &series.columns {
        let ns = at_row(&column.figures.ns.median, 0);
        #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
        let in_a_ns = *x as f64 / ns;
        let rate = if series.axis == "bytes" {
            in_a_ns
        } else {
            in_a_ns * 1e6
        };
        page.row([
            &column.peer,
            &figure(ns / 1e6),
            &figure(rate),
            &ratio(ratio_at(&column.figures.ratio, 0)),
        ]);
    }
}

fn cycles(page: &mut Page, series: &Series<Figures>) {
    page.line("\nCycles of the core:\n");
    let mut head = vec![series.axis.clone()];
    head.extend(series.columns.iter().map(|column| column.peer.clone()));
    page.row(&head);
    page.row(head.iter().map(|_| "---:"));
    for (at, x) in series.xs.iter().enumerate() {
        let cycles = series
            .columns
            .iter()
            .map(|column| figure(at_row(&column.figures.cycles.median, at)));
        let row: Vec<String> = [x.to_string()].into_iter().chain(cycles).collect();
        page.row(row);
    }
}

/// Adds the summary of a series that is too long to print.
fn summary(page: &mut Page, series: &Series<Figures>) {
    let rivals: Vec<&str> = series
        .columns
        .iter()
        .map(|column| column.peer.as_str())
        .filter(|name| is_rival(name))
        .collect();
    let (first, last) = (series.xs.first(), series.xs.last());
    let (first, last) = first
        .zip(last)
        .map_or((0, 0), |(first, last)| (*first, *last));
    let step = series.xs.get(1).map_or(1, |second| second - first);
    let every = match step {
        1 => "Every length".into(),
        _ => format!("Every {step} bytes"),
    };
    page.line(format_args!(
        "{every} from {first} to {last}, as ratios to the fastest of {} at that length:\n",
        rivals.join(", ")
    ));
    page.row([
        "",
        "geometric mean",
        "worst",
        "at length",
        "lengths above 1.00",
        "lengths above 1.05",
    ]);
    page.row(["---", "---:", "---:", "---:", "---:", "---:"]);
    for column in series
        .columns
        .iter()
        .filter(|column| is_hornet(&column.peer))
    {
        let ratios = &column.figures.to_best.median;
        let worst = ratios
            .iter()
            .zip(&series.xs)
            .max_by(|a, b| a.0.total_cmp(b.0));
        let Some((mean, (worst, at))) = geometric_mean(ratios).zip(worst) else {
            continue;
        };
        let above = |limit: f64| ratios.iter().filter(|ratio| **ratio > limit).count();
        page.row([
            &column.peer,
            &format!("{mean:.3}"),
            &format!("{worst:.2}"),
            &at.to_string(),
            &above(1.0).to_string(),
            &above(1.05).to_string(),
        ]);
    }
}

/// Returns the median and the quartiles in that row.
fn ratio_at(spread: &Spread, at: usize) -> [f64; 3] {
    [&spread.median, &spread.low, &spread.high].map(|values| at_row(values, at))
}

fn ratio([middle, low, high]: [f64; 3]) -> String {
    format!("**{middle:.2}** ({low:.2} to {high:.2})")
}

/// Returns the value in that row, or NaN: an edited file may have too few values.
fn at_row(values: &[f64], at: usize) -> f64 {
    values.get(at).copied().unwrap_or(f64::NAN)
}

fn title(group: Group) -> &'static str {
    match group {
        Group::Lengths => "Common lengths",
        Group::Sweep => "Every length",
        Group::Cold => "Message and key in no cache",
        Group::Keys => "Keys in turn",
        Group::Unaligned => "Unaligned messages",
        Group::Batch => "Batches, time for one message",
        Group::Pieces => "Messages in pieces",
        Group::Stream => "One gibibyte",
        Group::Aes => "Poly1305-AES",
        Group::Edit => "One segment replaced, and the new tag",
        Group::Seal => "ChaCha20-Poly1305, sealed",
        Group::Open => "ChaCha20-Poly1305, opened",
        Group::AeadSweep => "ChaCha20-Poly1305, many lengths",
        Group::Packets => "ChaCha20-Poly1305, packets",
        Group::AeadBatch => "ChaCha20-Poly1305, batches, time for one packet",
        Group::Evp => "ChaCha20-Poly1305 through EVP",
        Group::File => "Whole processes: one file",
        Group::Tree => "Whole processes: many small files",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json::Column;

    fn spread(values: &[f64]) -> Spread {
        Spread {
            median: values.to_vec(),
            low: values.iter().map(|value| value * 0.9).collect(),
            high: values.iter().map(|value| value * 1.1).collect(),
        }
    }

    fn series(group: Group) -> Series<Figures> {
        let column = |peer: &str, ns: [f64; 2], to_best: &[f64]| Column {
            peer: peer.into(),
            figures: Figures {
                ns: spread(&ns),
                to_best: spread(to_best),
                ..Figures::default()
            },
        };
        Series {
            group,
            variant: "throughput".into(),
            axis: "bytes".into(),
            xs: vec![16, 1024],
            columns: vec![
                column("hornet gcc", [4.0, 64.0], &[0.5, 2.0]),
                column("other", [8.0, 32.0], &[]),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_table() {
        let mut page = Page::default();
        add_series(&mut page, &series(Group::Lengths), false);
        let expected = "
### Common lengths: throughput

| bytes | hornet gcc | other | hornet gcc / best other |
| ---: | ---: | ---: | ---: |
| 16 | 4.00 | 8.00 | **0.50** (0.45 to 0.55) |
| 1024 | 64.0 | 32.0 | **2.00** (1.80 to 2.20) |
";
        assert_eq!(page.0, expected);
    }

    #[test]
    fn a_rate() {
        let mut page = Page::default();
        add_series(&mut page, &series(Group::Stream), false);
        assert!(page.0.contains("| 1024 | 16.0 | 32.0 |"), "{}", page.0);
    }

    #[test]
    fn microseconds() {
        let mut page = Page::default();
        let mut edit = series(Group::Edit);
        edit.columns[0].figures.ns = spread(&[400.0, 6400.0]);
        add_series(&mut page, &edit, false);
        assert!(page.0.contains("| 1024 | 6.40 | 0.03 |"), "{}", page.0);
    }

    #[test]
    fn pieces_and_one_call() {
        let mut pieces = series(Group::Pieces);
        pieces.columns[0].figures.to_openssl = spread(&[0.25, 1.0]);
        pieces.columns[0].figures.to_one_call = spread(&[4.0, 1.25]);
        let mut page = Page::default();
        add_series(&mut page, &pieces, false);
        let expected = "
### Messages in pieces: throughput

| bytes | hornet gcc | other | hornet gcc / OpenSSL | hornet gcc / best other | hornet gcc, time relative to one call |
| ---: | ---: | ---: | ---: | ---: | ---: |
| 16 | 4.00 | 8.00 | **0.25** (0.23 to 0.28) | **0.50** (0.45 to 0.55) | **4.00** (3.60 to 4.40) |
| 1024 | 64.0 | 32.0 | **1.00** (0.90 to 1.10) | **2.00** (1.80 to 2.20) | **1.25** (1.12 to 1.38) |
";
        assert_eq!(page.0, expected);

        pieces.axis = PIECE_BYTES.into();
        let mut page = Page::default();
        add_series(&mut page, &pieces, false);
        assert!(
            page.0.contains("hornet gcc, rate relative to one call"),
            "{}",
            page.0
        );
        assert!(
            page.0.contains(" **0.80** (0.73 to 0.89) |\n"),
            "{}",
            page.0
        );
    }

    #[test]
    fn processes() {
        let mut commands = series(Group::Tree);
        commands.axis = "files".into();
        commands.xs = vec![1000];
        commands.notes = vec!["A sentence.".into()];
        for (column, ms) in commands.columns.iter_mut().zip([2.0, 8.0]) {
            column.figures.ns = spread(&[ms * 1e6]);
            column.figures.ratio = spread(&[ms / 2.0]);
        }
        let mut page = Page::default();
        add_series(&mut page, &commands, false);
        let expected = "
### Whole processes: many small files: throughput

A sentence.

|  | milliseconds | thousand files a second | time relative to hornet gcc |
| --- | ---: | ---: | ---: |
| hornet gcc | 2.00 | 500 | **1.00** (0.90 to 1.10) |
| other | 8.00 | 125 | **4.00** (3.60 to 4.40) |
";
        assert_eq!(page.0, expected);

        commands.axis = "bytes".into();
        commands.xs = vec![10_000_000];
        let mut page = Page::default();
        add_series(&mut page, &commands, false);
        assert!(page.0.contains("| other | 8.00 | 1.25 |"), "{}", page.0);
    }

    #[test]
    fn a_group_that_was_left_out() {
        let mut left_out = series(Group::File);
        left_out.columns.clear();
        left_out.notes = vec!["Left out: no reason.".into()];
        let mut page = Page::default();
        add_series(&mut page, &left_out, false);
        let expected = "\n### Whole processes: one file: throughput\n\nLeft out: no reason.\n\n";
        assert_eq!(page.0, expected);
    }

    #[test]
    fn a_summary() {
        let mut page = Page::default();
        add_series(&mut page, &series(Group::Sweep), false);
        assert!(
            page.0
                .contains("| hornet gcc | 1.000 | 2.00 | 1024 | 1 | 1 |"),
            "{}",
            page.0
        );
    }
}
