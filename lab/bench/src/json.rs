// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What the commands print: the measurements of one process. report/results.py describes the results of several.

use crate::built::{RUST_FLAGS, TOOLS};
use crate::console::print;
use crate::error::Error;
use crate::group::Group;
use crate::peers::{Aead, Peers};
use crate::section::Section;
use crate::source_tree::FLAGS;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The prefix of the names of Hornet's columns; all other columns are rivals, except `READ_PASS`.
pub(crate) const HORNET: &str = "hornet";

/// A column for comparison that is not a rival.
pub(crate) const READ_PASS: &str = "read pass";

/// The suffix of the names of columns for comparison with messages in pieces; it follows the name of the peer.
pub(crate) const ONE_CALL: &str = ", one call";

/// Prints a value as JSON.
pub(crate) fn write(value: &impl Serialize) -> Result<(), Error> {
    let json = serde_json::to_string(value).map_err(|error| Error::new("results", error))?;
    print(json)
}

/// The measurements of one process.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
    pub(crate) section: Section,
    /// The value of `OPENSSL_ia32cap`.
    pub(crate) mask: Option<&'static str>,
    pub(crate) kernel: String,
    pub(crate) chacha20_kernel: String,
    /// "rdpmc" or "perf" if cycles are counted, otherwise "ns".
    pub(crate) clock: &'static str,
    pub(crate) tools: BTreeMap<&'static str, &'static str>,
    pub(crate) flags: BTreeMap<&'static str, &'static str>,
    pub(crate) peers: Vec<PeerInfo<'a>>,
    /// The peers that could not be built or run, and why.
    pub(crate) missing: &'a BTreeMap<String, String>,
    pub(crate) checks: Vec<Verdict>,
    pub(crate) series: Vec<Series>,
}

pub(crate) fn tools() -> BTreeMap<&'static str, &'static str> {
    TOOLS.iter().copied().collect()
}

pub(crate) fn flags() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([("hornet", FLAGS), ("rust", RUST_FLAGS)])
}

#[derive(Serialize)]
pub(crate) struct PeerInfo<'a> {
    pub(crate) name: String,
    pub(crate) version: &'a str,
    pub(crate) note: Option<&'a str>,
}

pub(crate) fn peer_infos(peers: &Peers) -> Vec<PeerInfo<'_>> {
    let macs = peers.present().map(|peer| PeerInfo {
        name: peer.name().to_owned(),
        version: peer.version(),
        note: peer.note(),
    });
    let aead = peers.aead.iter().chain(&peers.evp);
    let aead = aead.map(|peer: &Aead| PeerInfo {
        name: peer.full_name(),
        version: peer.version(),
        note: peer.note(),
    });
    macs.chain(aead).collect()
}

/// The result of checking a peer's tags.
#[derive(Clone, Serialize)]
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

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (peer, inputs, wrong) = (&self.peer, self.inputs, self.wrong);
        match &self.example {
            None => write!(f, "{peer}: all {inputs} tags are correct"),
            Some(example) => write!(
                f,
                "{peer}: WRONG on {wrong} of {inputs} inputs, first on {example}"
            ),
        }
    }
}

/// A table with a row for each of `xs` and a column for each peer.
#[derive(Serialize)]
pub(crate) struct Series {
    pub(crate) group: Group,
    /// Identifies the table within the group.
    pub(crate) variant: String,
    /// The meaning of `xs`.
    pub(crate) axis: String,
    pub(crate) xs: Vec<usize>,
    pub(crate) columns: Vec<Column>,
    /// Sentences for the report.
    pub(crate) notes: Vec<String>,
}

/// A peer's measurements, with one value for each x.
#[derive(Default, Serialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Nanoseconds per message.
    pub(crate) ns: Vec<f64>,
    /// Empty if cycles cannot be counted.
    pub(crate) cycles: Vec<f64>,
    /// The ratio to the first column.
    pub(crate) ratio: Vec<f64>,
}
