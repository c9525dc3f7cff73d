// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: verifies a manifest, and the files it lists.

use crate::commands::extra;
use crate::commands::options::Options;
use crate::error::Error;
use crate::manifest::report::{self, Entry, Report, Status};
use crate::manifest::{HEADER_BYTES, Line, Manifest, Version};
use crate::output::{self, say};
use crate::source::Source;
use crate::tree::exempt::Exempt;
use crate::tree::failure::Failure;
use crate::tree::roots::Roots;
use crate::tree::task::Task;
use crate::tree::work::Work;
use clap::Args;
use hornet::Tag;
use hornet::aes::{Key, Nonce, Partial};
use hornet_key_file::KeyFile;
use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read};
use std::iter::zip;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Check {
    /// The key file that the manifest was made with
    #[arg(short, long, value_name = "KEYFILE")]
    key: PathBuf,

    /// Also report as EXTRA what was added: files, links, fifos, sockets, devices, empty folders
    ///
    /// It is searched for in the folders that were given to 'hornet tag'. Modes, owners, times and the
    /// targets of links that are not followed are not in a manifest, so their changes are not found,
    /// nor is the removal of what has no tag.
    #[arg(long)]
    strict: bool,

    /// Print only files that are not OK
    #[arg(short, long)]
    quiet: bool,

    /// Print a JSON object per line, the last one a summary
    ///
    /// If the manifest is refused, there is one object, whose status is REFUSED.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: Options,

    /// The manifest, made by 'hornet tag'; '-' is standard input
    manifest: Source,
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode, Error> {
        output::check()?;
        let key_file = KeyFile::open(&self.key)?;
        let (text, metadata) = self.read()?;
        let mut manifest = match Manifest::open(&text, key_file.key()) {
            Ok(manifest) => manifest,
            Err(problem) if problem.is_seal() => return self.refuse(&problem),
            Err(problem) => return Err(Error::new(&self.manifest, problem)),
        };
        drop(text);

        let roots = Roots::new(&manifest.arguments, manifest.follow_symlinks);
        let pool = self.options.pool()?;
        let work = Work::new(key_file.key(), &roots, &pool, !self.options.no_mmap);
        let mut report = Report::default();
        if self.strict && manifest.others.is_none() {
            say(format_args!(
                "{}: of version 1, which lists files only: nothing else is reported as EXTRA",
                self.manifest
            ));
        }
        let extra = if self.strict {
            let exempt = Exempt::new(&key_file, [metadata].into_iter().chain(output::file()));
            extra::find(&mut manifest, &exempt, &pool)?
        } else {
            Vec::new()
        };
        let checking = manifest.files.into_iter().map(Checking).collect();
        report.extend(work.run(checking));
        report.extend(manifest.unread.into_iter().map(|path| Entry {
            path,
            status: Status::Unread,
        }));
        report.extend(extra);

        output::print_all(|stdout| {
            if self.json {
                report.write_json(stdout, self.quiet)
            } else {
                report.write(stdout, self.quiet)
            }
        })?;
        report.complain(&self.manifest);
        Ok(ExitCode::from(report.exit_status()))
    }

    /// Reports a manifest that cannot be trusted.
    fn refuse(&self, why: &impl fmt::Display) -> Result<ExitCode, Error> {
        let error = Error::new(&self.manifest, why);
        if self.json {
            output::print_all(|stdout| {
                report::write_json_refusal(stdout, &self.manifest, &why.to_string())
            })?;
        }
        output::complain(&error);
        Ok(ExitCode::from(1))
    }

    /// Reads the whole manifest. Stops after the first line if that is not a manifest's, because
    /// the input may be endless.
    fn read(&self) -> Result<(Vec<u8>, Metadata), Error> {
        let read = || -> io::Result<_> {
            let mut file = self.manifest.open()?;
            let metadata = file.metadata()?;
            let mut text = Vec::new();
            (&mut file)
                .take(HEADER_BYTES as u64)
                .read_to_end(&mut text)?;
            if Version::of(&text).is_some() {
                file.read_to_end(&mut text)?;
            }
            Ok((text, metadata))
        };
        read().map_err(|error| Error::new(&self.manifest, error))
    }
}

/// A file to be checked.
struct Checking(Line);

impl Checking {
    fn nonce(&self) -> Nonce {
        Nonce::new(self.0.nonce)
    }

    fn found(self, is_same: bool) -> Entry {
        let status = if is_same { Status::Ok } else { Status::Changed };
        Entry {
            path: self.0.path,
            status,
        }
    }
}

impl Task for Checking {
    type Done = Entry;

    fn path(&self) -> &Path {
        &self.0.path
    }

    fn batch(key: &Key, files: Vec<(Self, &[u8])>) -> Vec<Entry> {
        let messages: Vec<(Nonce, &[u8], Tag)> = files
            .iter()
            .map(|(task, content)| (task.nonce(), *content, task.0.tag))
            .collect();
        zip(files, key.verify_batch(messages))
            .map(|((task, _), result)| task.found(result.is_ok()))
            .collect()
    }

    fn finish(self, key: &Key, partial: &Partial) -> Entry {
        let is_same = key
            .verify_partial(&self.nonce(), partial, &self.0.tag)
            .is_ok();
        self.found(is_same)
    }

    fn fail(self, failure: Failure) -> Entry {
        let status = match failure {
            Failure::Missing => Status::Missing,
            Failure::NotRegular(_) | Failure::Exempt => Status::Changed,
            Failure::Unreadable(reason) => Status::Unreadable(reason),
        };
        Entry {
            path: self.0.path,
            status,
        }
    }
}
