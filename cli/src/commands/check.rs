// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: verifies a manifest, and the files it lists.

use crate::commands::checking::Checking;
use crate::commands::extra;
use crate::commands::opened::{NotOpened, Opened};
use crate::commands::options::Options;
use crate::error::Error;
use crate::output;
use crate::report::{self, Entry, Report, Status};
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::roots::Roots;
use crate::tree::work::Work;
use clap::Args;
use hornet_key_file::KeyFile;
use hornet_manifest::Line;
use hornet_manifest::escape::Escaped;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Check {
    /// The key file that the manifest was made with
    ///
    /// It may belong to root and be readable by its group, as orchestrators provide secrets, or be a
    /// pipe. 'hornet tag' needs a file that only its owner may access, because it counts nonces there.
    #[arg(short, long, value_name = "KEYFILE")]
    key: PathBuf,

    /// Also report as EXTRA what was added: files, links, fifos, sockets, devices, empty folders
    ///
    /// Searches the folders that were given to 'hornet tag'. A manifest does not record modes, owners,
    /// times or the targets of links that are not followed, so changes to them are not found, nor is
    /// the removal of anything that has no tag.
    #[arg(long)]
    strict: bool,

    /// Refuse a manifest that was sealed before OTHER, a manifest of the same key
    ///
    /// The nonce counters of the seals show their order. OTHER itself is accepted, but not a different
    /// manifest with the same counter, which a copy of the key file may have made. Keep the last
    /// accepted manifest in a separate place: otherwise, an old manifest passes together with the
    /// old files.
    #[arg(long, value_name = "OTHER")]
    newer_than: Option<Source>,

    /// Resolve relative paths of the manifest in DIR instead of the current folder
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,

    /// Print only files that are not OK, and do not say when the manifest was sealed
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object per line, the last of which is a summary
    ///
    /// The object of a file has its path, its status and, for some, a reason. The summary has the
    /// number of files of each status, the nonce counter of the seal and its time (UTC).
    ///
    /// If the manifest is refused, prints a single object whose status is REFUSED, and the exit
    /// status is 1.
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
        let opened = match self.open(&key_file) {
            Ok(opened) => opened,
            Err(NotOpened::Failed(error)) => return Err(error),
            Err(NotOpened::Refused(source, why)) => return self.refuse(source, &why),
        };
        if !self.quiet {
            opened.say_when();
        }
        if self.newer_than.is_none() {
            opened.warn_of_newer(&key_file)?;
        }
        let mut report = Report::new(opened.counter(), opened.manifest.sealed);
        let Opened {
            mut manifest,
            metadata,
            ..
        } = opened;

        // All other files have been opened or read by now.
        if let Some(base) = &self.base {
            env::set_current_dir(base).map_err(|error| Error::new(&Escaped::new(base), error))?;
        }
        let roots = Roots::new(&manifest.arguments, manifest.follow_symlinks);
        let pool = self.options.pool()?;
        let work = Work::new(key_file.key(), &roots, &pool, !self.options.no_mmap);
        let extra = if self.strict {
            let excluded = Excluded::new(&key_file, [metadata].into_iter().chain(output::file()));
            extra::find(&mut manifest, &excluded, &pool)?
        } else {
            Vec::new()
        };
        let checking = manifest.files.into_iter().map(Checking).collect();
        report.extend(work.run(checking).into_iter().map(entry));
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

    /// Opens the manifest, which must not be older than the one of --newer-than.
    fn open(&self, key_file: &KeyFile) -> Result<Opened<'_>, NotOpened<'_>> {
        let opened = Opened::new(&self.manifest, key_file)?;
        match &self.newer_than {
            Some(other) => opened.not_older_than(&Opened::new(other, key_file)?),
            None => Ok(opened),
        }
    }

    /// Reports a manifest that must not be trusted.
    fn refuse(&self, source: &Source, why: &str) -> Result<ExitCode, Error> {
        if self.json {
            output::print_all(|stdout| report::write_json_refusal(stdout, source, why))?;
        }
        output::complain(&Error::new(source, why));
        Ok(ExitCode::from(1))
    }
}

fn entry((line, result): (Line, Result<bool, Failure>)) -> Entry {
    let status = match result {
        Ok(true) => Status::Ok,
        Err(Failure::Missing) => Status::Missing,
        Ok(false) | Err(Failure::NotRegular(_) | Failure::Excluded) => Status::Changed,
        Err(Failure::Unreadable(reason)) => Status::Unreadable(reason),
    };
    Entry {
        path: line.path,
        status,
    }
}
