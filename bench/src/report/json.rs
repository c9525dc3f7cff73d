//! The results as they are kept: everything else is drawn from this.

use crate::section::Section;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A whole run.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Report {
    pub(crate) date: String,
    pub(crate) cpu: Cpu,
    /// How many processes each section was measured in; figures are over these.
    pub(crate) processes: usize,
    pub(crate) rounds: usize,
    /// What compiled what.
    pub(crate) tools: Vec<Named>,
    pub(crate) hornet_flags: String,
    pub(crate) rust_flags: String,
    pub(crate) peers: Vec<PeerInfo>,
    /// Peers that could not be built or run, and why.
    pub(crate) missing: Vec<Named>,
    /// Groups that were measured anew since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anew: Vec<Anew>,
    pub(crate) sections: Vec<SectionReport>,
}

/// What a later run put into the results of an earlier one.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Anew {
    pub(crate) date: String,
    pub(crate) groups: Vec<Group>,
    pub(crate) processes: usize,
    pub(crate) rounds: usize,
}

/// The machine.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Cpu {
    pub(crate) model: String,
    pub(crate) family: String,
    pub(crate) model_number: String,
    pub(crate) stepping: String,
    /// Those of the features that Poly1305 code asks for.
    pub(crate) features: Vec<String>,
}

/// A name and what there is to say.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Named {
    /// Whether it is the version of something that the whole-process groups run, and no other.
    pub(crate) fn is_command(&self) -> bool {
        self.name.starts_with(COMMAND)
    }
}

/// So begin names of what these groups run.
pub(crate) const COMMAND: &str = "command ";

/// What was measured.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct PeerInfo {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) note: Option<String>,
}

/// The results of one section.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SectionReport {
    pub(crate) section: Section,
    /// `OPENSSL_ia32cap`.
    pub(crate) mask: Option<String>,
    pub(crate) hornet_kernel: String,
    pub(crate) counts_cycles: bool,
    pub(crate) checks: Vec<Verdict>,
    pub(crate) series: Vec<Series<Figures>>,
}

/// How a peer's tags compared with those that are right.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Verdict {
    pub(crate) peer: String,
    pub(crate) inputs: usize,
    pub(crate) wrong: usize,
    /// One of the inputs that it erred on, in words.
    pub(crate) example: Option<String>,
}

impl Verdict {
    /// A peer that errs on rare inputs is measured all the same, and flagged. One that errs on most was called in a
    /// wrong way, and its time means nothing.
    pub(crate) fn is_measured(&self) -> bool {
        self.wrong <= self.inputs / 2
    }
}

/// Kinds of measurements.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Group {
    /// The usual lengths, calls that overlap and calls that wait for each other
    Lengths,
    /// Every length from 0 to 2304
    Sweep,
    /// Message and key not in any cache
    Cold,
    /// Many keys in turn
    Keys,
    /// Messages at odd addresses
    Unaligned,
    /// Many messages at once
    Batch,
    /// One gibibyte beside a pass that only reads it
    Stream,
    /// Poly1305-AES
    Aes,
    /// One segment of a long message exchanged
    Edit,
    /// `hornet tag` of a huge file beside a process that only reads it
    File,
    /// `hornet tag` of many small files beside other commands
    Tree,
}

impl Group {
    pub(crate) const ALL: [Self; 11] = [
        Self::Lengths,
        Self::Sweep,
        Self::Cold,
        Self::Keys,
        Self::Unaligned,
        Self::Batch,
        Self::Stream,
        Self::Aes,
        Self::Edit,
        Self::File,
        Self::Tree,
    ];

    /// Whether whole processes are measured, and not calls.
    pub(crate) fn is_of_commands(self) -> bool {
        matches!(self, Self::File | Self::Tree)
    }

    /// As on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// One table: a row for each of `xs`, a column for each of `columns`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Series<T> {
    pub(crate) group: Group,
    /// Which of the group's.
    pub(crate) variant: String,
    /// What `xs` are.
    pub(crate) axis: String,
    pub(crate) xs: Vec<usize>,
    pub(crate) columns: Vec<Column<T>>,
    /// Sentences about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// A peer's measurements.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Column<T> {
    pub(crate) peer: String,
    #[serde(flatten)]
    pub(crate) figures: T,
}

impl<T> Series<T> {
    #[cfg(test)]
    pub(crate) fn column(&self, peer: &str) -> Option<&T> {
        let column = self.columns.iter().find(|column| column.peer == peer)?;
        Some(&column.figures)
    }
}

/// Of one process: one value for each x.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Values {
    /// For one message.
    pub(crate) ns: Vec<f64>,
    /// Empty where they cannot be counted.
    pub(crate) cycles: Vec<f64>,
    /// To the first column.
    pub(crate) ratio: Vec<f64>,
}

/// Over all processes: one value for each x; empty where there is nothing to tell.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) ns: Spread,
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) cycles: Spread,
    /// To the first column.
    pub(crate) ratio: Spread,
    /// To the best of the peers that are not Hornet; Hornet's columns only.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) to_best: Spread,
}

/// The median over all processes, and the quartiles, which a sweep has of the ratios to the best only.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct Spread {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) median: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) low: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) high: Vec<f64>,
}

impl Spread {
    fn is_empty(&self) -> bool {
        self.median.is_empty()
    }
}

/// What a worker process hands to the one that started it.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct WorkerReport {
    pub(crate) hornet_kernel: String,
    pub(crate) counts_cycles: bool,
    pub(crate) checks: Vec<Verdict>,
    pub(crate) series: Vec<Series<Values>>,
}
