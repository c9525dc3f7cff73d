// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results of a run, in the form that is stored. Tables and plots are rendered from them.

use crate::group::Group;
use crate::section::Section;
use serde::{Deserialize, Serialize};

/// The results of a run.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Report {
    pub(crate) date: String,
    pub(crate) cpu: Cpu,
    /// The number of processes for each section.
    pub(crate) processes: usize,
    pub(crate) rounds: usize,
    /// Versions of compilers and commands.
    pub(crate) tools: Vec<Named>,
    pub(crate) hornet_flags: String,
    pub(crate) rust_flags: String,
    pub(crate) peers: Vec<PeerInfo>,
    /// The peers that could not be built or run, and why.
    pub(crate) missing: Vec<Named>,
    /// Later runs that replaced some groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) updates: Vec<Update>,
    pub(crate) sections: Vec<SectionReport>,
}

/// A later run whose results replaced those of some groups.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Update {
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
    /// The CPU features that implementations of Poly1305 look for.
    pub(crate) features: Vec<String>,
}

impl Cpu {
    /// Returns name, family and model, because names in clouds are vague.
    pub(crate) fn title(&self) -> String {
        format!(
            "{}, family {} model {}",
            self.model, self.family, self.model_number
        )
    }
}

/// A name and a text.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Named {
    /// Whether it is the version of a command that is run by the groups of whole processes.
    pub(crate) fn is_command(&self) -> bool {
        self.name.starts_with(COMMAND)
    }
}

/// The prefix of the names of these commands.
pub(crate) const COMMAND: &str = "command ";

/// A peer that was measured.
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
    /// The value of `OPENSSL_ia32cap`.
    pub(crate) mask: Option<String>,
    pub(crate) hornet_kernel: String,
    /// Empty in results from before ChaCha20 had kernels.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) hornet_chacha20_kernel: String,
    pub(crate) counts_cycles: bool,
    pub(crate) checks: Vec<Verdict>,
    pub(crate) series: Vec<Series<Figures>>,
}

/// The result of checking a peer's tags.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Verdict {
    pub(crate) peer: String,
    pub(crate) inputs: usize,
    pub(crate) wrong: usize,
    /// A description of the first input with a wrong tag.
    pub(crate) example: Option<String>,
}

impl Verdict {
    /// A peer with wrong tags on rare inputs is measured, and flagged. A peer with wrong tags on most inputs was called
    /// incorrectly, and its time is meaningless.
    pub(crate) fn is_measured(&self) -> bool {
        self.wrong <= self.inputs / 2
    }
}

/// A table with a row for each of `xs` and a column for each of `columns`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Series<T> {
    pub(crate) group: Group,
    /// Identifies the table within the group.
    pub(crate) variant: String,
    /// The meaning of `xs`.
    pub(crate) axis: String,
    pub(crate) xs: Vec<usize>,
    pub(crate) columns: Vec<Column<T>>,
    /// Sentences for the report.
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

/// The measurements of one process, with one value for each x.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Values {
    /// Nanoseconds per message.
    pub(crate) ns: Vec<f64>,
    /// Empty if cycles cannot be counted.
    pub(crate) cycles: Vec<f64>,
    /// The ratio to the first column.
    pub(crate) ratio: Vec<f64>,
}

/// The figures over all processes, with one value for each x, or empty.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) ns: Spread,
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) cycles: Spread,
    /// The ratio to the first column.
    pub(crate) ratio: Spread,
    /// The ratio to the fastest peer that is not Hornet, in Hornet's columns only.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) to_best: Spread,
    /// The ratio to OpenSSL, in Hornet's columns of the group pieces.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) to_openssl: Spread,
    /// The ratio of a message in pieces to a single call of the same peer, in the columns of peers whose single call
    /// was also measured.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) to_one_call: Spread,
}

/// The median and the quartiles over all processes. A sweep has quartiles only for the ratio to the fastest other peer.
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

/// The output of a worker process.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct WorkerReport {
    pub(crate) hornet_kernel: String,
    pub(crate) hornet_chacha20_kernel: String,
    pub(crate) counts_cycles: bool,
    pub(crate) checks: Vec<Verdict>,
    pub(crate) series: Vec<Series<Values>>,
}
