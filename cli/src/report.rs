// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results of `hornet check`, as text and as JSON.

use crate::color::Colored;
use crate::output::say;
use crate::source::Source;
use anstyle::AnsiColor;
use hornet_manifest::Kind;
use hornet_manifest::Time;
use hornet_manifest::escape::Escaped;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) enum Status {
    Ok,
    Changed,
    Missing,
    /// `None` for a file, otherwise the kind.
    Extra(Option<Kind>),
    /// It could not be read when the manifest was made.
    Unread,
    Unreadable(String),
}

pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    pub(crate) status: Status,
}

/// The number of files of each status.
#[derive(Default, Serialize)]
struct Counts {
    ok: u64,
    changed: u64,
    missing: u64,
    extra: u64,
    unread: u64,
    unreadable: u64,
}

pub(crate) struct Report {
    /// The nonce counter of the seal.
    counter: u64,
    sealed: Time,
    /// The patterns of what was not searched for.
    exclude: Vec<String>,
    entries: Vec<Entry>,
    counts: Counts,
    not_read_bytes: u64,
}

impl Extend<Entry> for Report {
    fn extend<I: IntoIterator<Item = Entry>>(&mut self, entries: I) {
        for entry in entries {
            let counts = &mut self.counts;
            *match entry.status {
                Status::Ok => &mut counts.ok,
                Status::Changed => &mut counts.changed,
                Status::Missing => &mut counts.missing,
                Status::Extra(_) => &mut counts.extra,
                Status::Unread => &mut counts.unread,
                Status::Unreadable(_) => &mut counts.unreadable,
            } += 1;
            self.entries.push(entry);
        }
    }
}

impl Status {
    fn word(&self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Changed => "CHANGED",
            Self::Missing => "MISSING",
            Self::Extra(_) => "EXTRA",
            Self::Unread => "UNREAD",
            Self::Unreadable(_) => "UNREADABLE",
        }
    }

    fn color(&self) -> AnsiColor {
        match self {
            Self::Ok => AnsiColor::Green,
            Self::Changed | Self::Missing => AnsiColor::Red,
            Self::Extra(_) | Self::Unread | Self::Unreadable(_) => AnsiColor::Yellow,
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            Self::Extra(kind) => kind.map(Kind::word),
            Self::Unreadable(reason) => Some(reason),
            Self::Unread => Some("could not be read when the manifest was made"),
            _ => None,
        }
    }
}

/// Writes that a manifest cannot be trusted and nothing was checked.
pub(crate) fn write_json_refusal(
    to: &mut impl Write,
    manifest: &Source,
    reason: &str,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Refused<'a> {
        manifest: String,
        status: &'a str,
        reason: &'a str,
    }
    let refused = Refused {
        manifest: manifest.to_string(),
        status: "REFUSED",
        reason,
    };
    serde_json::to_writer(&mut *to, &refused)?;
    writeln!(to)
}

impl Report {
    pub(crate) fn new(counter: u64, sealed: Time, exclude: Vec<String>) -> Self {
        Self {
            counter,
            sealed,
            exclude,
            entries: Vec::new(),
            counts: Counts::default(),
            not_read_bytes: 0,
        }
    }

    /// Sets how many bytes of the files were not read, because they are in holes.
    pub(crate) fn not_read(&mut self, bytes: u64) {
        self.not_read_bytes = bytes;
    }

    /// Returns the entries to print.
    fn shown(&self, quiet: bool) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| !(quiet && matches!(entry.status, Status::Ok)))
    }

    pub(crate) fn write(&self, to: &mut impl Write, quiet: bool, color: bool) -> io::Result<()> {
        for Entry { path, status } in self.shown(quiet) {
            let word = Colored(status.word(), color.then(|| status.color()));
            write!(to, "{}: {word}", Escaped::new(path))?;
            if let Some(reason) = status.reason() {
                write!(to, " ({reason})")?;
            }
            writeln!(to)?;
        }
        Ok(())
    }

    pub(crate) fn write_json(&self, to: &mut impl Write, quiet: bool) -> io::Result<()> {
        #[derive(Serialize)]
        struct File<'a> {
            path: String,
            status: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Last<'a> {
            summary: &'a Counts,
            not_read_bytes: u64,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            exclude: &'a [String],
            counter: u64,
            sealed: String,
        }
        for Entry { path, status } in self.shown(quiet) {
            let file = File {
                path: Escaped::new(path).to_string(),
                status: status.word(),
                reason: status.reason(),
            };
            serde_json::to_writer(&mut *to, &file)?;
            writeln!(to)?;
        }
        let last = Last {
            summary: &self.counts,
            not_read_bytes: self.not_read_bytes,
            exclude: &self.exclude,
            counter: self.counter,
            sealed: self.sealed.to_string(),
        };
        serde_json::to_writer(&mut *to, &last)?;
        writeln!(to)
    }

    /// Returns the paths that are missing.
    pub(crate) fn missing(&self) -> Vec<&Path> {
        let missing = self.entries.iter();
        let missing = missing.filter(|entry| matches!(entry.status, Status::Missing));
        missing.map(|entry| entry.path.as_path()).collect()
    }

    /// Prints a summary of what is not OK to standard error, and whether nothing was checked.
    pub(crate) fn complain(&self, manifest: &Source) {
        if self.entries.is_empty() {
            say(format_args!(
                "{manifest}: lists no files; nothing was checked"
            ));
        }
        let Counts {
            ok: _,
            changed,
            missing,
            extra,
            unread,
            unreadable,
        } = self.counts;
        let wrong: Vec<String> = [
            (changed, "changed"),
            (missing, "missing"),
            (extra, "extra"),
            (unread, "not read when tagged"),
            (unreadable, "unreadable"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        if !wrong.is_empty() {
            let files = self.entries.len();
            let noun = if files == 1 { "file" } else { "files" };
            say(format_args!(
                "{manifest}: {files} {noun}: {}",
                wrong.join(", ")
            ));
        }
    }

    /// Unreadable files take precedence over files that differ, because nothing is known about
    /// them.
    pub(crate) fn exit_status(&self) -> u8 {
        if self.counts.unreadable > 0 {
            return 2;
        }
        let all_ok = self.counts.ok == self.entries.len() as u64;
        u8::from(!all_ok)
    }
}
