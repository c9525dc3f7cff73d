// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: verifies a manifest, and the files it lists.

use crate::commands::options::Options;
use crate::error::Error;
use crate::manifest::report::{Entry, Report, Status};
use crate::manifest::{HEADER, Line, Manifest};
use crate::output;
use crate::path::bytes;
use crate::source::Source;
use crate::tree::exempt::Exempt;
use crate::tree::failure::Failure;
use crate::tree::roots::Roots;
use crate::tree::task::Task;
use crate::tree::walk::{Strictness, Walk};
use crate::tree::work::Work;
use clap::Args;
use hornet::Tag;
use hornet::aes::{Key, Nonce, Partial};
use hornet_key_file::KeyFile;
use rayon::ThreadPool;
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

    /// Also report files that are not in the manifest
    ///
    /// They are searched for in the folders that were given to 'hornet tag'.
    #[arg(long)]
    strict: bool,

    /// Print only files that are not OK
    #[arg(short, long)]
    quiet: bool,

    /// Print a JSON object per line, the last one a summary
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
        let manifest = Manifest::open(&text, key_file.key())
            .map_err(|problem| Error::new(&self.manifest, problem))?;
        drop(text);

        let roots = Roots::new(&manifest.arguments, manifest.follow_symlinks);
        let pool = self.options.pool()?;
        let work = Work::new(key_file.key(), &roots, &pool, !self.options.no_mmap);
        let mut report = Report::default();
        let extra = if self.strict {
            let exempt = Exempt::new(&key_file, [metadata].into_iter().chain(output::file()));
            extra(&manifest, &exempt, &pool)?
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

    /// Reads the whole manifest. Stops after the first line if that is not a manifest's, because
    /// the input may be endless.
    fn read(&self) -> Result<(Vec<u8>, Metadata), Error> {
        let read = || -> io::Result<_> {
            let mut file = self.manifest.open()?;
            let metadata = file.metadata()?;
            let mut text = Vec::new();
            (&mut file)
                .take(HEADER.len() as u64)
                .read_to_end(&mut text)?;
            if text == HEADER.as_bytes() {
                file.read_to_end(&mut text)?;
            }
            Ok((text, metadata))
        };
        read().map_err(|error| Error::new(&self.manifest, error))
    }
}

/// Files that exist and are not in the manifest, and folders that cannot be read.
fn extra(manifest: &Manifest, exempt: &Exempt, pool: &ThreadPool) -> Result<Vec<Entry>, Error> {
    let walk = Walk {
        follow_symlinks: manifest.follow_symlinks,
        exempt,
        pool,
        strictness: Strictness::Recorded,
    };
    let found = walk.run(&manifest.arguments)?;
    let is_known = |path: &Path| {
        // Both lists are sorted.
        let by_bytes = |other: &PathBuf| bytes(other).cmp(bytes(path));
        let file = manifest.files.binary_search_by(|line| by_bytes(&line.path));
        file.is_ok() || manifest.unread.binary_search_by(by_bytes).is_ok()
    };
    let extra = found
        .files
        .into_iter()
        .filter(|path| !is_known(path) && !exempt.is_at(path));
    let extra = extra.map(|path| Entry {
        path,
        status: Status::Extra,
    });
    let unreadable = found.unread.into_iter().map(|unread| Entry {
        path: unread.path,
        status: Status::Unreadable(unread.reason),
    });
    Ok(extra.chain(unreadable).collect())
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
