// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results as a Markdown page.

use super::json::{Report, SectionReport, Verdict};
use super::page::Page;
use super::table::add_series;

/// Returns the whole page. Each plot is a title and a file name.
pub(crate) fn markdown(report: &Report, plots: &[(String, String)]) -> String {
    let mut page = Page::default();
    let cpu = &report.cpu;
    page.line(format_args!("# {}\n", cpu.title()));
    page.line(format_args!(
        "Measured on {} by `make bench`; [what is measured and how](../README.md). Nanoseconds for one message, \
         medians over {} processes of medians over up to {} rounds. A ratio is Hornet's time to that of the fastest \
         other peer in the same round; below 1 Hornet is faster. In brackets: the quartiles over the processes.\n",
        report.date, report.processes, report.rounds
    ));
    for update in &report.updates {
        let groups: Vec<String> = update.groups.iter().map(|group| group.name()).collect();
        page.line(format_args!(
            "Measured again on {}, over {} processes and up to {} rounds: {}.\n",
            update.date,
            update.processes,
            update.rounds,
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
        add_section(&mut page, section);
    }
    page.0
}

/// Returns the result of checking a peer's tags, in one line.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let Verdict {
        peer,
        inputs,
        wrong,
        example,
    } = verdict;
    match example {
        None => format!("{peer}: all {inputs} tags are correct"),
        Some(example) => format!("{peer}: WRONG on {wrong} of {inputs} inputs, first on {example}"),
    }
}

fn add_section(page: &mut Page, section: &SectionReport) {
    page.line(format_args!("\n## {}\n", section.section.title()));
    page.line(format_args!(
        "Hornet's kernel: `{}`.",
        section.hornet_kernel
    ));
    if !section.hornet_chacha20_kernel.is_empty() {
        page.line(format_args!(
            "Of ChaCha20: `{}`.",
            section.hornet_chacha20_kernel
        ));
    }
    if let Some(mask) = &section.mask {
        page.line(format_args!("`OPENSSL_ia32cap={mask}`."));
    }
    let (correct, wrong): (Vec<_>, Vec<_>) = section
        .checks
        .iter()
        .partition(|verdict| verdict.wrong == 0);
    // Poly1305 and ChaCha20-Poly1305 have different inputs.
    for same in correct.chunk_by(|a, b| a.inputs == b.inputs) {
        let names: Vec<&str> = same.iter().map(|verdict| verdict.peer.as_str()).collect();
        page.line(format_args!(
            "All {} tags are correct: {}.",
            same[0].inputs,
            names.join("; ")
        ));
    }
    for wrong in wrong {
        let measured = if wrong.is_measured() {
            "measured nevertheless"
        } else {
            "not measured"
        };
        page.line(format_args!("\n**{}; {measured}.**", verdict(wrong)));
    }
    for series in &section.series {
        add_series(page, series, section.counts_cycles);
    }
}
