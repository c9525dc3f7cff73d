// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results of `hornet check`, as text and as JSON.

use crate::color::Colored;
use crate::output::say;
use crate::source::Source;
use crate::tree::failure::Failure;
use anstyle::AnsiColor;
use hornet_manifest::Kind;
use hornet_manifest::Time;
use hornet_manifest::escape::Escaped;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
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
    /// `None` for a whole file.
    pub(crate) within: Option<Within>,
}

impl Entry {
    pub(crate) fn whole(path: PathBuf, status: Status) -> Self {
        Self {
            path,
            status,
            within: None,
        }
    }

    fn reason(&self) -> Option<String> {
        let within = self.within.as_ref();
        let differs = within.and_then(|within| within.differs.as_ref());
        let differs = differs.map(Differs::to_string);
        differs.or_else(|| self.status.reason().map(str::to_owned))
    }
}

/// What was checked of a file.
pub(crate) struct Within {
    pub(crate) bytes: Range<u64>,
    /// How it differs, if that is known.
    pub(crate) differs: Option<Differs>,
}

/// How a file differs from what was tagged.
#[derive(Clone)]
pub(crate) enum Differs {
    /// It has the first number of bytes instead of the second.
    Length(u64, u64),
    /// Somewhere in each of these runs of segments.
    Segments(Vec<Range<u64>>),
}

/// Shows bytes by the numbers of the first and the last.
pub(crate) struct Shown<'a>(pub(crate) &'a Range<u64>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.0.start, self.0.end - 1)
    }
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 4;
        match self {
            Self::Length(found, tagged) => write!(f, "has {found} bytes instead of {tagged}"),
            Self::Segments(runs) => {
                f.write_str("differs in bytes ")?;
                for (index, run) in runs.iter().take(MOST).enumerate() {
                    let before = if index == 0 { "" } else { ", " };
                    write!(f, "{before}{}", Shown(run))?;
                }
                match runs.len().saturating_sub(MOST) {
                    0 => Ok(()),
                    more => write!(f, ", and in {more} more runs of segments"),
                }
            }
        }
    }
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
    hole_bytes: u64,
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

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Missing => Self::Missing,
            Failure::NotRegular(_) | Failure::Excluded => Self::Changed,
            Failure::Unreadable(reason) => Self::Unreadable(reason),
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

/// Writes that a manifest, or its parts, cannot be trusted and nothing was checked.
pub(crate) fn write_json_refusal(
    to: &mut impl Write,
    kind: &str,
    name: &str,
    reason: &str,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Refused<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        manifest: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        parts: Option<&'a str>,
        status: &'a str,
        reason: &'a str,
    }
    let refused = Refused {
        manifest: (kind != "parts").then_some(name),
        parts: (kind == "parts").then_some(name),
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
            hole_bytes: 0,
        }
    }

    /// Sets how many bytes of the files were not read, because they are in holes.
    pub(crate) fn not_read(&mut self, bytes: u64) {
        self.hole_bytes = bytes;
    }

    /// Returns the entries to print.
    fn shown(&self, quiet: bool) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| !(quiet && matches!(entry.status, Status::Ok)))
    }

    pub(crate) fn write(&self, to: &mut impl Write, quiet: bool, color: bool) -> io::Result<()> {
        for entry in self.shown(quiet) {
            let status = &entry.status;
            let word = Colored(status.word(), color.then(|| status.color()));
            write!(to, "{}: {word}", Escaped::new(&entry.path))?;
            let bytes = entry.within.as_ref().map(|within| Shown(&within.bytes));
            match (bytes, entry.reason()) {
                (Some(bytes), Some(reason)) => write!(to, " (bytes {bytes}: {reason})")?,
                (Some(bytes), None) => write!(to, " (bytes {bytes})")?,
                (None, Some(reason)) => write!(to, " ({reason})")?,
                (None, None) => {}
            }
            writeln!(to)?;
        }
        Ok(())
    }

    pub(crate) fn write_json(&self, to: &mut impl Write, quiet: bool) -> io::Result<()> {
        #[derive(Serialize)]
        struct File<'a> {
            path: String,
            #[serde(flatten)]
            bytes: Option<Bytes>,
            status: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            differs: Vec<Bytes>,
        }
        #[derive(Serialize)]
        struct Bytes {
            offset: u64,
            length: u64,
        }
        impl From<&Range<u64>> for Bytes {
            fn from(bytes: &Range<u64>) -> Self {
                Self {
                    offset: bytes.start,
                    length: bytes.end - bytes.start,
                }
            }
        }
        #[derive(Serialize)]
        struct Last<'a> {
            summary: &'a Counts,
            hole_bytes: u64,
            #[serde(skip_serializing_if = "<[String]>::is_empty")]
            exclude: &'a [String],
            counter: u64,
            sealed: String,
        }
        for entry in self.shown(quiet) {
            let within = entry.within.as_ref();
            let differs = match within.and_then(|within| within.differs.as_ref()) {
                Some(Differs::Segments(runs)) => runs.iter().map(Bytes::from).collect(),
                _ => Vec::new(),
            };
            let file = File {
                path: Escaped::new(&entry.path).to_string(),
                bytes: within.map(|within| Bytes::from(&within.bytes)),
                status: entry.status.word(),
                reason: entry.reason(),
                differs,
            };
            serde_json::to_writer(&mut *to, &file)?;
            writeln!(to)?;
        }
        let last = Last {
            summary: &self.counts,
            hole_bytes: self.hole_bytes,
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
            let count = self.entries.len();
            let is_within = self.entries.iter().any(|entry| entry.within.is_some());
            let noun = if is_within { "range" } else { "file" };
            let s = if count == 1 { "" } else { "s" };
            say(format_args!(
                "{manifest}: {count} {noun}{s}: {}",
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
