// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Makes the lines of the new manifest and the new parts, file by file, from the old ones and from what
//! was read.

use crate::commands::retag::given::{Given, PartlyRead};
use crate::commands::retag::old::Old;
use crate::commands::retag::outcome::{Bytes, Outcome, Report, Status};
use crate::commands::retag::stop::{Stop, refused};
use crate::commands::retag::whole::Tagged;
use crate::error::Error;
use crate::tree::failure::Failure;
use crate::tree::values::Kept;
use crate::tree::walk::Unread;
use hornet::Tag;
use hornet::aes::{Nonce, Partial};
use hornet_key_file::Nonces;
use hornet_manifest::Line;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{InOrder, Stamp, Writer};
use std::path::{Path, PathBuf};

/// The lines and the parts so far.
pub(super) struct Making<'a> {
    pub(super) old: Old<'a>,
    pub(super) nonces: Nonces,
    pub(super) parts: Writer<'a>,
    pub(super) lines: Vec<Line>,
    pub(super) unread: Vec<Unread>,
    pub(super) report: Report,
    /// Where the values of files that are not read come from.
    values: InOrder<'a>,
}

impl<'a> Making<'a> {
    pub(super) fn new(
        old: Old<'a>,
        nonces: Nonces,
        parts: Writer<'a>,
        unread: Vec<Unread>,
    ) -> Self {
        Self {
            old,
            nonces,
            parts,
            lines: Vec::with_capacity(old.lines.len()),
            unread: Vec::new(),
            report: Report::default(),
            values: old.parts.in_order(),
        }
        .with(unread)
    }

    /// Adds folders that could not be read.
    fn with(mut self, unread: Vec<Unread>) -> Self {
        for Unread { path, reason } in unread {
            self.fail(path, reason);
        }
        self
    }

    /// Adds a file that is not read.
    pub(super) fn keep(&mut self, index: usize) -> Result<(), Stop> {
        let (entry, line) = (&self.old.entries[index], &self.old.lines[index]);
        let opened = self.values.all_values(entry).map_err(refused)?;
        let values = opened.partials();
        let (nonce, tag) = if self.old.all_new {
            let whole = self.old.whole(&line.path, values)?;
            self.old.tag(None, &whole, &mut self.nonces)?
        } else {
            (line.nonce, line.tag)
        };
        self.add(&line.path, (nonce, tag), entry.stamp, values)?;
        self.report.keep(entry.len_bytes);
        Ok(())
    }

    /// Adds a file that was read as a whole.
    pub(super) fn read(
        &mut self,
        path: PathBuf,
        old: Option<usize>,
        tagged: Result<Tagged, Failure>,
    ) -> Result<(), Stop> {
        let tagged = match tagged {
            Ok(tagged) => tagged,
            // It is the key file, the manifest or its parts under another name.
            Err(Failure::Excluded) if old.is_none() => return Ok(()),
            Err(Failure::Excluded) => {
                self.report.add(Outcome::of(path, Status::Removed));
                return Ok(());
            }
            Err(failure) => {
                self.fail(path, failure.to_string());
                return Ok(());
            }
        };
        let Tagged {
            nonce,
            tag,
            kept: Kept { stamp, values },
            length,
            holes,
            is_same,
        } = tagged;
        self.add(&path, (nonce, tag), stamp, &values)?;
        let status = match old {
            None => Status::New,
            Some(_) if is_same => Status::Same,
            Some(_) => Status::Changed,
        };
        self.report.add(Outcome {
            bytes: Some(Bytes::of(length, length, holes)),
            ..Outcome::of(path, status)
        });
        Ok(())
    }

    /// Adds a file that was read in part.
    pub(super) fn given(
        &mut self,
        given: &Given,
        index: usize,
        read: Result<PartlyRead, Failure>,
    ) -> Result<(), Stop> {
        let path = given.path.clone();
        let PartlyRead {
            values,
            snapshot,
            evaluated,
            holes,
        } = match read {
            Ok(read) => read,
            Err(failure) => {
                self.fail(path, failure.to_string());
                return Ok(());
            }
        };
        let whole = self.old.whole(&path, &values)?;
        let line = self.old.tag(Some(index), &whole, &mut self.nonces)?;
        let is_same = line.0 == self.old.lines[index].nonce;
        // The times of a file that was not read as a whole vouch for none of the rest.
        let stamp = self.old.entries[index].stamp;
        let stamp = stamp.filter(|stamp| *stamp == snapshot.stamp());
        self.add(&path, line, stamp, &values)?;
        let status = if is_same {
            Status::Same
        } else {
            Status::Changed
        };
        self.report.add(Outcome {
            bytes: Some(Bytes::of(snapshot.length, evaluated, holes)),
            word: Some(given.word.to_string()),
            ..Outcome::of(path, status)
        });
        Ok(())
    }

    /// Ends the report: the files with these lines are not there any more.
    pub(super) fn end(&mut self, removed: impl Iterator<Item = usize>) {
        for index in removed {
            let path = self.old.lines[index].path.clone();
            self.report.add(Outcome::of(path, Status::Removed));
        }
        self.report.end();
    }

    fn add(
        &mut self,
        path: &Path,
        (nonce, tag): ([u8; Nonce::BYTES], Tag),
        stamp: Option<Stamp>,
        values: &[Partial],
    ) -> Result<(), Error> {
        self.parts
            .file(&nonce, &tag, stamp, values)
            .map_err(|error| Error::new(&Escaped::new(path), error))?;
        let path = path.to_owned();
        self.lines.push(Line { nonce, tag, path });
        Ok(())
    }

    fn fail(&mut self, path: PathBuf, reason: String) {
        let outcome = Outcome::of(path.clone(), Status::Unread);
        self.report.add(outcome);
        self.unread.push(Unread { path, reason });
    }
}
