// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet cat`: prints bytes of a file after their segments were verified.

use crate::commands::elsewhere::enter;
use crate::commands::opened::{NotOpened, Opened};
use crate::commands::partly::{NotCopied, Partly, Touched};
use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output::{self, complain};
use crate::report::{Differs, Status};
use crate::save::Target;
use crate::size::Bytes;
use crate::source::Source;
use crate::tree::excluded::identity;
use crate::tree::segments::Open;
use clap::Args;
use hornet::aes::Key;
use hornet_key_file::KeyFile;
use rustix::io::Errno;
use std::fmt;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Cat {
    /// The key file that the manifest was made with
    #[arg(short, long, value_name = "KEYFILE")]
    key: PathBuf,

    /// The parts of the manifest, made by 'hornet tag --parts'
    #[arg(long, value_name = "PARTS")]
    parts: PathBuf,

    /// Print only these bytes, reading no more than the segments that have them
    ///
    /// Numbers are as for 'hornet check --range'. If repeated, the ranges are printed one after
    /// another.
    #[arg(long, value_name = "OFFSET:LENGTH")]
    range: Vec<Bytes>,

    /// Write to FILE instead of standard output
    ///
    /// FILE appears only when all of it was verified and is on disk.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace FILE if it exists, keeping its permissions
    #[arg(long, requires = "output")]
    force: bool,

    /// Refuse a manifest that was sealed before OTHER, like 'hornet check'
    #[arg(long, value_name = "OTHER")]
    newer_than: Option<Source>,

    /// Resolve relative paths of the manifest in DIR instead of the current folder
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,

    /// The manifest, made by 'hornet tag --parts'; '-' is standard input
    manifest: Source,

    /// The file to print, as the manifest spells it
    path: PathBuf,
}

impl Cat {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        if self.output.is_none() {
            output::check()?;
        }
        let target = self.output.as_ref();
        let target = target.map(|path| Target::new(path, self.force));
        let target = target.transpose()?;
        let key_file = KeyFile::open(&self.key)?;
        if let Some(target) = &target {
            target.spare("the key file", |old| key_file.is(old))?;
            let is_at = |path: &Path, old: &Metadata| {
                fs::metadata(path).is_ok_and(|found| identity(&found) == identity(old))
            };
            target.spare("the parts file", |old| is_at(&self.parts, old))?;
            if let Source::File(path) = &self.manifest {
                target.spare("the manifest", |old| is_at(path, old))?;
            }
        }
        let printed = self.print(&key_file, target);
        printed.or_else(|error| error.report(false))
    }

    fn print(&self, key_file: &KeyFile, target: Option<Target>) -> Result<ExitCode, NotOpened> {
        let open = || Opened::newer_than(&self.manifest, self.newer_than.as_ref(), key_file);
        let (opened, parts) = open()?.with_parts(&self.parts, key_file, open)?;
        if self.newer_than.is_none() {
            opened.warn_of_newer(key_file)?;
        }
        let file = Partly::find(&opened, &parts, &self.path)?;
        let touched = if self.range.is_empty() {
            file.whole()
        } else {
            file.touched(&self.range)?
        };
        enter(self.base.as_deref())?;

        let fails = |status: &Status, why: &dyn fmt::Display| {
            complain(&Error::new(&file.path(), why));
            let is_known = matches!(status, Status::Changed | Status::Missing);
            Ok(ExitCode::from(if is_known { 1 } else { 2 }))
        };
        let differs = |differs: Differs| fails(&Status::Changed, &differs);
        let open = match file.open() {
            Ok((open, None)) => open,
            Ok((_, Some(length))) => return differs(length),
            Err(failure) => return fails(&failure.clone().into(), &failure),
        };
        match copy(key_file.key(), &file, &open, &touched, target)? {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(NotCopied::Differs(bytes)) => differs(Differs::Segments(vec![bytes])),
            Err(NotCopied::File(failure)) => fails(&failure.clone().into(), &failure),
            Err(NotCopied::Parts(error)) => Err(error.into()),
            Err(NotCopied::Write(error)) => Err(Error::new(&output::STDOUT, error).into()),
        }
    }
}

/// Copies the bytes to where they belong.
fn copy(
    key: &Key,
    file: &Partly,
    open: &Open,
    touched: &[Touched],
    target: Option<Target>,
) -> Result<Result<(), NotCopied>, Error> {
    let Some(target) = target else {
        let stdout = output::open().map_err(|error| Error::new(&output::STDOUT, error))?;
        return Ok(file.copy(key, open, touched, |bytes| (&stdout).write_all(bytes)));
    };
    let mut failed = None;
    let written = target.write_with(|to| {
        let copied = file.copy(key, open, touched, |bytes| {
            if DeferredSignals::came() {
                return Err(Errno::INTR.into());
            }
            to.write_all(bytes)
        });
        copied.map_err(|error| match error {
            NotCopied::Write(error) => error,
            error => {
                failed = Some(error);
                io::Error::other("not copied")
            }
        })
    });
    match failed {
        Some(error) => Ok(Err(error)),
        None => written.map(Ok),
    }
}
