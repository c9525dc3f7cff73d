//! The results as a page of Markdown.

use super::json::{Figures, Group, Report, SectionReport, Series, Verdict};
use super::merge::{is_hornet, is_rival};
use crate::stats::geometric_mean;
use std::fmt::{Display, Write as _};

/// The whole page. Plots are titles and file names.
pub(crate) fn markdown(report: &Report, plots: &[(String, String)]) -> String {
    let mut page = Page::default();
    let cpu = &report.cpu;
    page.line(format_args!(
        "# {}, family {} model {}\n",
        cpu.model, cpu.family, cpu.model_number
    ));
    page.line(format_args!(
        "Measured on {} by `make bench`; [what is measured and how](../README.md). Nanoseconds for one message, \
         medians over {} processes of medians over up to {} rounds. A ratio is Hornet's time to that of the best of \
         the others, from samples taken side by side; below 1 Hornet is faster. In brackets: the quartiles over the \
         processes.\n",
        report.date, report.processes, report.rounds
    ));
    for anew in &report.anew {
        let groups: Vec<String> = anew.groups.iter().map(|group| group.name()).collect();
        page.line(format_args!(
            "Measured on {}, over {} processes and up to {} rounds: {}.\n",
            anew.date,
            anew.processes,
            anew.rounds,
            groups.join(", ")
        ));
    }
    page.line(format_args!("CPU features: {}\n", cpu.features.join(", ")));
    for tool in &report.tools {
        page.line(format_args!("- {}: {}", tool.name, tool.value));
    }
    page.line(format_args!("- Hornet's flags: `{}`", report.hornet_flags));
    page.line(format_args!(
        "- flags of the peers in Rust: `{}`\n",
        report.rust_flags
    ));
    page.row(["peer", "version", ""]);
    page.row(["---"; 3]);
    for peer in &report.peers {
        page.row([
            &peer.name,
            &peer.version,
            peer.note.as_deref().unwrap_or_default(),
        ]);
    }
    for missing in &report.missing {
        page.row([&missing.name, "left out", &missing.value]);
    }
    for (title, file) in plots {
        page.line(format_args!("\n![{title}]({file})"));
    }
    for section in &report.sections {
        page.section(section);
    }
    page.0
}

/// How a peer's tags compared, in one line.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let Verdict {
        peer,
        inputs,
        wrong,
        example,
    } = verdict;
    match example {
        None => format!("{peer}: all {inputs} tags are right"),
        Some(example) => format!("{peer}: WRONG on {wrong} of {inputs} inputs, first on {example}"),
    }
}

/// Three digits or so.
pub(crate) fn figure(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "-".into(),
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// What there is for that row: a file that somebody has edited may have too little.
fn at_row(values: &[f64], at: usize) -> f64 {
    values.get(at).copied().unwrap_or(f64::NAN)
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.0, "{text}");
    }

    fn row(&mut self, cells: impl IntoIterator<Item: Display>) {
        self.0.push('|');
        for cell in cells {
            let _ = write!(self.0, " {cell} |");
        }
        self.0.push('\n');
    }

    fn section(&mut self, section: &SectionReport) {
        self.line(format_args!("\n## {}\n", section.section.title()));
        self.line(format_args!(
            "Hornet's kernel: `{}`.",
            section.hornet_kernel
        ));
        if let Some(mask) = &section.mask {
            self.line(format_args!("`OPENSSL_ia32cap={mask}`."));
        }
        let (right, wrong): (Vec<_>, Vec<_>) = section
            .checks
            .iter()
            .partition(|verdict| verdict.wrong == 0);
        if let Some(first) = right.first() {
            let names: Vec<&str> = right.iter().map(|verdict| verdict.peer.as_str()).collect();
            self.line(format_args!(
                "All {} tags are right: {}.",
                first.inputs,
                names.join(", ")
            ));
        }
        for wrong in wrong {
            let measured = if wrong.is_measured() {
                "measured all the same"
            } else {
                "not measured"
            };
            self.line(format_args!("\n**{}; {measured}.**", verdict(wrong)));
        }
        for series in &section.series {
            self.series(series, section.counts_cycles);
        }
    }

    fn series(&mut self, series: &Series<Figures>, counts_cycles: bool) {
        self.line(format_args!(
            "\n### {}: {}\n",
            title(series.group),
            series.variant
        ));
        for note in &series.notes {
            self.line(format_args!("{note}\n"));
        }
        if series.columns.is_empty() {
            return;
        }
        if series.group == Group::Sweep {
            self.summary(series);
            return;
        }
        if series.group.is_of_commands() {
            self.commands(series);
            return;
        }
        if series.group == Group::Edit {
            self.line("Microseconds:\n");
        }
        if series.group == Group::Stream {
            self.line("Gigabytes (10^9 bytes) a second:\n");
        }
        let hornets = || {
            series
                .columns
                .iter()
                .filter(|column| !column.figures.to_best.median.is_empty())
        };
        let mut head = vec![series.axis.clone()];
        head.extend(series.columns.iter().map(|column| column.peer.clone()));
        head.extend(hornets().map(|column| format!("{} / best other", column.peer)));
        self.row(&head);
        self.row(head.iter().map(|_| "---:"));
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
            row.extend(hornets().map(|column| {
                let ratio = &column.figures.to_best;
                let [middle, low, high] =
                    [&ratio.median, &ratio.low, &ratio.high].map(|values| at_row(values, at));
                format!("**{middle:.2}** ({low:.2} to {high:.2})")
            }));
            self.row(&row);
        }
        if counts_cycles && series.group == Group::Lengths {
            self.cycles(series);
        }
    }

    /// Whole processes: one x, and a row for each.
    fn commands(&mut self, series: &Series<Figures>) {
        let Some((x, first)) = series.xs.first().zip(series.columns.first()) else {
            return;
        };
        let rate = if series.axis == "bytes" {
            "gigabytes (10^9) a second"
        } else {
            "thousand files a second"
        };
        let ratio = format!("time, in times of {}", first.peer);
        self.row(["", "milliseconds", rate, &ratio]);
        self.row(["---", "---:", "---:", "---:"]);
        for column in &series.columns {
            let ns = at_row(&column.figures.ns.median, 0);
            #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
            let in_a_ns = *x as f64 / ns;
            let rate = if series.axis == "bytes" {
                in_a_ns
            } else {
                in_a_ns * 1e6
            };
            let ratio = &column.figures.ratio;
            let [middle, low, high] =
                [&ratio.median, &ratio.low, &ratio.high].map(|values| at_row(values, 0));
            self.row([
                &column.peer,
                &figure(ns / 1e6),
                &figure(rate),
                &format!("**{middle:.2}** ({low:.2} to {high:.2})"),
            ]);
        }
    }

    fn cycles(&mut self, series: &Series<Figures>) {
        self.line("\nCycles of the core:\n");
        let mut head = vec![series.axis.clone()];
        head.extend(series.columns.iter().map(|column| column.peer.clone()));
        self.row(&head);
        self.row(head.iter().map(|_| "---:"));
        for (at, x) in series.xs.iter().enumerate() {
            let cycles = series
                .columns
                .iter()
                .map(|column| figure(at_row(&column.figures.cycles.median, at)));
            let row: Vec<String> = [x.to_string()].into_iter().chain(cycles).collect();
            self.row(row);
        }
    }

    /// Of a series too long to print.
    fn summary(&mut self, series: &Series<Figures>) {
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
        self.line(format_args!(
            "Every length from {first} to {last}, as ratios to the best of {} at that length:\n",
            rivals.join(", ")
        ));
        self.row([
            "",
            "geometric mean",
            "worst",
            "at length",
            "lengths above 1.05",
        ]);
        self.row(["---", "---:", "---:", "---:", "---:"]);
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
            let above = ratios.iter().filter(|ratio| **ratio > 1.05).count();
            self.row([
                &column.peer,
                &format!("{mean:.3}"),
                &format!("{worst:.2}"),
                &at.to_string(),
                &above.to_string(),
            ]);
        }
    }
}

fn title(group: Group) -> &'static str {
    match group {
        Group::Lengths => "Usual lengths",
        Group::Sweep => "Every length",
        Group::Cold => "Message and key out of cache",
        Group::Keys => "Keys in turn",
        Group::Unaligned => "Messages at odd addresses",
        Group::Batch => "Batches, for one message",
        Group::Stream => "One gibibyte",
        Group::Aes => "Poly1305-AES",
        Group::Edit => "One segment exchanged, and the new tag",
        Group::File => "Whole processes: one file",
        Group::Tree => "Whole processes: many small files",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json::{Column, Spread};

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
        page.series(&series(Group::Lengths), false);
        let expected = "
### Usual lengths: throughput

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
        page.series(&series(Group::Stream), false);
        assert!(page.0.contains("| 1024 | 16.0 | 32.0 |"), "{}", page.0);
    }

    #[test]
    fn microseconds() {
        let mut page = Page::default();
        let mut edit = series(Group::Edit);
        edit.columns[0].figures.ns = spread(&[400.0, 6400.0]);
        page.series(&edit, false);
        assert!(page.0.contains("| 1024 | 6.40 | 0.03 |"), "{}", page.0);
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
        page.series(&commands, false);
        let expected = "
### Whole processes: many small files: throughput

A sentence.

|  | milliseconds | thousand files a second | time, in times of hornet gcc |
| --- | ---: | ---: | ---: |
| hornet gcc | 2.00 | 500 | **1.00** (0.90 to 1.10) |
| other | 8.00 | 125 | **4.00** (3.60 to 4.40) |
";
        assert_eq!(page.0, expected);

        commands.axis = "bytes".into();
        commands.xs = vec![10_000_000];
        let mut page = Page::default();
        page.series(&commands, false);
        assert!(page.0.contains("| other | 8.00 | 1.25 |"), "{}", page.0);
    }

    #[test]
    fn a_group_that_was_left_out() {
        let mut left_out = series(Group::File);
        left_out.columns.clear();
        left_out.notes = vec!["Left out: no reason.".into()];
        let mut page = Page::default();
        page.series(&left_out, false);
        let expected = "\n### Whole processes: one file: throughput\n\nLeft out: no reason.\n\n";
        assert_eq!(page.0, expected);
    }

    #[test]
    fn a_summary() {
        let mut page = Page::default();
        page.series(&series(Group::Sweep), false);
        assert!(
            page.0.contains("| hornet gcc | 1.000 | 2.00 | 1024 | 1 |"),
            "{}",
            page.0
        );
    }

    #[test]
    fn figures() {
        for (value, text) in [
            (0.0, "0.00"),
            (9.994, "9.99"),
            (12.34, "12.3"),
            (123.4, "123"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(figure(value), text);
        }
    }
}
