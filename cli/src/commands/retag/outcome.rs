// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What `hornet retag` did, as text and as JSON.

use crate::path::bytes;
use hornet_manifest::Time;
use hornet_manifest::escape::Escaped;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// What is trusted unless the caller gives something else.
const TIMES: &str = "size and times";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It was read for the first time.
    New,
    /// It was read, and has another tag.
    Changed,
    /// It was read, and is as it was.
    Same,
    /// It is not there any more.
    Removed,
    /// It could not be read, and has no tag any more.
    Unread,
}

impl Status {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Changed => "CHANGED",
            Self::Same => "SAME",
            Self::Removed => "REMOVED",
            Self::Unread => "UNREAD",
        }
    }
}

/// A file that was read, or is gone.
pub(super) struct Outcome {
    pub(super) path: PathBuf,
    pub(super) status: Status,
    /// `None` if nothing was read.
    pub(super) bytes: Option<Bytes>,
    /// On what word some bytes were not read.
    pub(super) word: Option<String>,
}

/// The bytes of a file: the sum is its length.
#[derive(Clone, Copy, Serialize)]
#[expect(
    clippy::struct_field_names,
    reason = "the names in JSON, with the unit"
)]
pub(super) struct Bytes {
    read_bytes: u64,
    /// Nobody looked whether some are in holes.
    not_read_bytes: u64,
    hole_bytes: u64,
}

impl Bytes {
    /// Of a file of this length, these many were evaluated, some of them without reading because they
    /// are in holes.
    pub(super) fn of(length: u64, evaluated: u64, holes: u64) -> Self {
        Self {
            read_bytes: evaluated - holes,
            not_read_bytes: length - evaluated,
            hole_bytes: holes,
        }
    }
}

impl Outcome {
    pub(super) fn of(path: PathBuf, status: Status) -> Self {
        Self {
            path,
            status,
            bytes: None,
            word: None,
        }
    }
}

#[derive(Default, Serialize)]
struct Counts {
    kept: u64,
    new: u64,
    changed: u64,
    same: u64,
    removed: u64,
    unread: u64,
}

/// Without the seal.
#[derive(Default)]
pub(super) struct Report {
    outcomes: Vec<Outcome>,
    counts: Counts,
    /// Bytes that were evaluated, except for those that were holes.
    read: u64,
    holes: u64,
    /// Bytes that were not read, by what they are trusted on.
    trusted: BTreeMap<String, u64>,
}

impl Report {
    /// Adds a file that was not looked into.
    pub(super) fn keep(&mut self, len_bytes: u64) {
        self.counts.kept += 1;
        self.trust(TIMES, len_bytes);
    }

    /// Adds another file.
    pub(super) fn add(&mut self, outcome: Outcome) {
        let counts = &mut self.counts;
        *match outcome.status {
            Status::New => &mut counts.new,
            Status::Changed => &mut counts.changed,
            Status::Same => &mut counts.same,
            Status::Removed => &mut counts.removed,
            Status::Unread => &mut counts.unread,
        } += 1;
        if let Some(bytes) = outcome.bytes {
            self.read = self.read.saturating_add(bytes.read_bytes);
            self.holes = self.holes.saturating_add(bytes.hole_bytes);
            if let Some(word) = &outcome.word {
                self.trust(word, bytes.not_read_bytes);
            }
        }
        self.outcomes.push(outcome);
    }

    /// Ends the report.
    pub(super) fn end(&mut self) {
        self.outcomes
            .sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    }

    fn trust(&mut self, word: &str, bytes: u64) {
        if bytes == 0 {
            return;
        }
        match self.trusted.get_mut(word) {
            Some(sum) => *sum = sum.saturating_add(bytes),
            None => {
                self.trusted.insert(word.into(), bytes);
            }
        }
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        for Outcome {
            path,
            status,
            bytes,
            word,
        } in &self.outcomes
        {
            write!(to, "{}: {}", Escaped::new(path), status.word())?;
            if let (Some(bytes), Some(word)) = (bytes, word) {
                let bytes = bytes.not_read_bytes;
                write!(to, " ({bytes} bytes not read, on the word of {word})")?;
            }
            writeln!(to)?;
        }
        writeln!(to, "{} bytes read", self.read)?;
        if self.holes > 0 {
            writeln!(
                to,
                "{} bytes not read: holes, which consist of zeros",
                self.holes
            )?;
        }
        for (word, bytes) in &self.trusted {
            writeln!(to, "{bytes} bytes not read, on the word of {word}")?;
        }
        Ok(())
    }

    pub(super) fn write_json(
        &self,
        to: &mut impl Write,
        counter: u64,
        sealed: Time,
    ) -> io::Result<()> {
        #[derive(Serialize)]
        struct File<'a> {
            path: String,
            status: &'a str,
            #[serde(flatten)]
            bytes: Option<Bytes>,
            #[serde(skip_serializing_if = "Option::is_none")]
            on_the_word_of: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Last<'a> {
            summary: &'a Counts,
            read_bytes: u64,
            not_read_bytes: &'a BTreeMap<String, u64>,
            hole_bytes: u64,
            counter: u64,
            sealed: String,
        }
        for outcome in &self.outcomes {
            let file = File {
                path: Escaped::new(&outcome.path).to_string(),
                status: outcome.status.word(),
                bytes: outcome.bytes,
                on_the_word_of: outcome.word.as_deref(),
            };
            serde_json::to_writer(&mut *to, &file)?;
            writeln!(to)?;
        }
        let last = Last {
            summary: &self.counts,
            read_bytes: self.read,
            not_read_bytes: &self.trusted,
            hole_bytes: self.holes,
            counter,
            sealed: sealed.to_string(),
        };
        serde_json::to_writer(&mut *to, &last)?;
        writeln!(to)
    }
}
