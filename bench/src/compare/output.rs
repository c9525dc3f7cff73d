// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results as a JSON or CSV file.

use super::cases::Kind;
use super::results::{Entry, Summary, summary};
use crate::error::Error;
use crate::report::json::Cpu;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// The results of all compilers.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) date: String,
    pub(super) cpu: Cpu,
    /// The names of the two trees. A ratio is the time of the tree divided by that of the base.
    pub(super) base: String,
    pub(super) tree: String,
    pub(super) flags: &'static str,
    pub(super) processes: usize,
    pub(super) rounds: usize,
    /// The kernel that was forced in both.
    pub(super) kernel: Option<String>,
    pub(super) compilers: Vec<OfCompiler>,
}

/// The results of one compiler.
#[derive(Serialize)]
pub(super) struct OfCompiler {
    pub(super) compiler: &'static str,
    pub(super) version: &'static str,
    summaries: Vec<Summary>,
    pub(super) entries: Vec<Entry>,
}

impl OfCompiler {
    pub(super) fn new(compiler: &'static str, version: &'static str, entries: Vec<Entry>) -> Self {
        let summaries = Kind::ALL.into_iter();
        let summaries = summaries.filter_map(|kind| summary(&entries, kind));
        Self {
            compiler,
            version,
            summaries: summaries.collect(),
            entries,
        }
    }
}

/// The format of a file, from its extension.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    Json,
    Csv,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            _ => Err(Error::new(path.display(), "must end in .json or .csv")),
        }
    }

    pub(super) fn text(self, report: &Report) -> Result<String, Error> {
        match self {
            Self::Json => serde_json::to_string(report)
                .map(|json| json + "\n")
                .map_err(|error| Error::new("results", error)),
            Self::Csv => Ok(csv(report)),
        }
    }
}

/// No field contains a comma or a quote.
fn csv(report: &Report) -> String {
    let mut text = String::from("compiler,kind,bytes,base_ns,tree_ns,ratio,ratio_low,ratio_high\n");
    for of_compiler in &report.compilers {
        for entry in &of_compiler.entries {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{}",
                of_compiler.compiler,
                entry.kind.name(),
                entry.bytes,
                entry.base_ns,
                entry.tree_ns,
                entry.ratio,
                entry.ratio_low,
                entry.ratio_high
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let entry = Entry {
            kind: Kind::Batches,
            bytes: "0..300".into(),
            base_ns: 10.0,
            tree_ns: 12.5,
            ratio: 1.25,
            ratio_low: 1.2,
            ratio_high: 1.3,
        };
        Report {
            date: "2026-11-21".into(),
            cpu: Cpu::default(),
            base: "v1".into(),
            tree: "this tree".into(),
            flags: "-O2",
            processes: 9,
            rounds: 41,
            kernel: None,
            compilers: vec![OfCompiler::new("gcc", "12", vec![entry])],
        }
    }

    #[test]
    fn extensions() {
        let format = |path: &str| Format::of(Path::new(path)).ok();
        assert_eq!(format("a/b.json"), Some(Format::Json));
        assert_eq!(format("b.csv"), Some(Format::Csv));
        assert_eq!(format("json"), None);
        assert_eq!(format("b.txt"), None);
    }

    #[test]
    fn comma_separated() {
        let expected = "compiler,kind,bytes,base_ns,tree_ns,ratio,ratio_low,ratio_high\n\
                        gcc,batches,0..300,10,12.5,1.25,1.2,1.3\n";
        assert_eq!(Format::Csv.text(&report()).unwrap(), expected);
    }

    #[test]
    fn json() {
        let text = Format::Json.text(&report()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let of_gcc = &value["compilers"][0];
        assert_eq!(of_gcc["entries"][0]["ratio"], 1.25);
        assert_eq!(of_gcc["entries"][0]["kind"], "batches");
        assert_eq!(of_gcc["summaries"][0]["above_1_03"], 1);
        assert_eq!(value["base"], "v1");
    }
}
