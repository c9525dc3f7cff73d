// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: verifies a manifest, and the files it lists.

use crate::color::Color;
use crate::commands::checking::Checking;
use crate::commands::elsewhere::{Elsewhere, enter};
use crate::commands::extra;
use crate::commands::given::Exclusions;
use crate::commands::opened::{NotOpened, Opened};
use crate::commands::options::Options;
use crate::commands::partly::{Partly, Touched};
use crate::error::Error;
use crate::output::{self, say};
use crate::progress::{Progress, Unit};
use crate::report::{Entry, Report, Status, Within};
use crate::size::Bytes;
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::holes::Holes;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::segments::Segments;
use crate::tree::work::Work;
use clap::Args;
use hornet_key_file::KeyFile;
use hornet_manifest::Line;
use hornet_manifest::parts::Reader;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
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
    /// Searches the folders that were given to 'hornet tag', except for what the patterns in the
    /// manifest leave out: of that nothing is known, and anyone may have added it. A manifest does not
    /// record modes, owners, times or the targets of links that are not followed, so changes to them
    /// are not found, nor is the removal of anything that has no tag.
    #[arg(long)]
    strict: bool,

    /// Do not report as EXTRA what matches PATTERN, in the syntax of gitignore
    ///
    /// The pattern counts as given to 'hornet tag --exclude' after those in the manifest, so '!' before
    /// a pattern reports what they leave out. What the manifest lists is checked in any case. May be
    /// repeated.
    #[arg(long, value_name = "PATTERN", requires = "strict")]
    exclude: Vec<OsString>,

    /// Do not report as EXTRA what the patterns in FILE match, one in each line
    ///
    /// They count before those of --exclude. Keep FILE where only you can write. May be repeated.
    #[arg(long, value_name = "FILE", requires = "strict")]
    exclude_from: Vec<PathBuf>,

    /// Refuse a manifest that was sealed before OTHER, a manifest of the same key
    ///
    /// The nonce counters of the seals show their order. OTHER itself is accepted, but not a different
    /// manifest with the same counter, which a copy of the key file may have made. Keep the last
    /// accepted manifest in a separate place: otherwise, an old manifest passes together with the
    /// old files.
    #[arg(long, value_name = "OTHER")]
    newer_than: Option<Source>,

    /// The parts of the manifest, made by 'hornet tag --parts'; refuses those of another manifest
    ///
    /// They are needed for --range, and are not reported as EXTRA.
    #[arg(long, value_name = "PARTS")]
    parts: Option<PathBuf>,

    /// Verify only these bytes of PATH, reading no more than the segments that have them
    ///
    /// Numbers are decimal, hexadecimal (0x1000) or powers (2^20), and may end in KiB, MiB, GiB, TiB,
    /// PiB or EiB. The file must have the length that it had when it was tagged: otherwise it is
    /// CHANGED, and so it is if a segment that has some of these bytes differs anywhere. May be
    /// repeated.
    #[arg(
        long,
        value_name = "OFFSET:LENGTH",
        requires = "parts",
        requires = "path",
        conflicts_with = "strict"
    )]
    range: Vec<Bytes>,

    /// Resolve relative paths of the manifest in DIR instead of the current folder
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,

    /// Print only files that are not OK, and say neither when the manifest was sealed nor what was not read
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object per line, the last of which is a summary
    ///
    /// The object of a file has its path, its status and, for some, a reason. The summary has the
    /// number of files of each status, the number of bytes that were not read because they are in
    /// holes, the nonce counter of the seal and its time (UTC), and the patterns of what was left out,
    /// if there are any.
    ///
    /// With --range, each range has an object, with its offset and length, and the runs of segments in
    /// which it differs.
    ///
    /// If the manifest is refused, or its parts, prints a single object whose status is REFUSED, and
    /// the exit status is 1.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    color: Color,

    #[command(flatten)]
    options: Options,

    /// The manifest, made by 'hornet tag'; '-' is standard input
    manifest: Source,

    /// The file to check, as the manifest spells it; with --range only
    #[arg(requires = "range")]
    path: Option<PathBuf>,
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode, Error> {
        output::check()?;
        let mut exclusions = Exclusions::new(&self.exclude, &self.exclude_from)?;
        let key_file = KeyFile::open(&self.key)?;
        let (mut opened, parts) = match self.open(&key_file) {
            Ok(opened) => opened,
            Err(error) => return error.report(self.json),
        };
        if !self.quiet {
            opened.say_when();
        }
        if self.newer_than.is_none() {
            opened.warn_of_newer(&key_file)?;
        }
        if let Some((parts, path)) = parts.as_ref().zip(self.path.as_deref()) {
            let checked = self.check_ranges(&key_file, &opened, parts, path);
            return checked.or_else(|error| error.report(self.json));
        }
        let recorded = opened.manifest.exclude.len();
        opened.manifest.exclude.append(&mut exclusions.patterns);
        let mut report = Report::new(
            opened.counter(),
            opened.manifest.sealed,
            opened.manifest.exclude.clone(),
        );
        let Opened {
            mut manifest,
            metadata,
            ..
        } = opened;

        let elsewhere = Elsewhere::new(&self.manifest, self.base.as_deref());
        // All other files have been opened or read by now.
        let of_parts = self.parts.as_ref().map(fs::metadata).and_then(Result::ok);
        enter(self.base.as_deref())?;
        let roots = Roots::new(&manifest.arguments, manifest.follow_symlinks);
        let pool = self.options.pool()?;
        let holes = self.options.holes();
        let map = !self.options.no_mmap;
        let work = Work::new(key_file.key(), &roots, &pool, map, &holes);
        let extra = if self.strict {
            let excluded = Excluded::new(
                &key_file,
                [metadata].into_iter().chain(of_parts).chain(output::file()),
            );
            let patterns = self.compile(&manifest.exclude, recorded, &exclusions)?;
            extra::find(&mut manifest, &excluded, &patterns, &pool)
        } else {
            Vec::new()
        };
        let listed = manifest.files.len();
        let checking = manifest.files.into_iter().map(Checking).collect();
        report.extend(work.run(checking).into_iter().map(entry));
        let unread = manifest.unread.into_iter();
        report.extend(unread.map(|path| Entry::whole(path, Status::Unread)));
        report.extend(extra);
        self.print(&mut report, &holes)?;
        elsewhere.hint(&report.missing(), listed);
        Ok(ExitCode::from(report.exit_status()))
    }

    fn print(&self, report: &mut Report, holes: &Holes) -> Result<(), Error> {
        report.not_read(holes.not_read());
        if !self.quiet {
            holes.say();
        }
        output::print_all(|stdout| {
            if self.json {
                report.write_json(stdout, self.quiet)
            } else {
                report.write(stdout, self.quiet, self.color.is_on())
            }
        })?;
        report.complain(&self.manifest);
        Ok(())
    }

    /// Checks the ranges of a file.
    fn check_ranges(
        &self,
        key_file: &KeyFile,
        opened: &Opened,
        parts: &Reader,
        path: &Path,
    ) -> Result<ExitCode, NotOpened> {
        let file = Partly::find(opened, parts, path)?;
        let mut report = Report::new(opened.counter(), opened.manifest.sealed, Vec::new());
        let touched = file.touched(&self.range)?;
        let elsewhere = Elsewhere::new(&self.manifest, self.base.as_deref());
        enter(self.base.as_deref())?;
        let pool = self.options.pool()?;
        let holes = self.options.holes();
        let segments = Segments {
            key: key_file.key(),
            pool: &pool,
            map: !self.options.no_mmap,
            holes: &holes,
            segment_bytes: parts.segment_bytes(),
        };
        let progress = Progress::new(Unit::Bytes, None);
        let found = file.check(&segments, &touched, &progress)?;
        let entries = touched.into_iter().zip(found);
        report.extend(
            entries.map(|(Touched { bytes, .. }, (status, differs))| Entry {
                path: path.to_owned(),
                status,
                within: Some(Within { bytes, differs }),
            }),
        );
        self.print(&mut report, &holes)?;
        elsewhere.hint(&report.missing(), self.range.len());
        Ok(ExitCode::from(report.exit_status()))
    }

    /// Opens the manifest, which must not be older than the one of --newer-than, and its parts.
    fn open(&self, key_file: &KeyFile) -> Result<(Opened<'_>, Option<Reader>), NotOpened> {
        let open = || Opened::newer_than(&self.manifest, self.newer_than.as_ref(), key_file);
        let opened = open()?;
        let Some(path) = &self.parts else {
            return Ok((opened, None));
        };
        let (opened, parts) = opened.with_parts(path, key_file, open)?;
        Ok((opened, Some(parts)))
    }

    /// Compiles the patterns, the first of which are `recorded` in the manifest.
    fn compile(
        &self,
        patterns: &[String],
        recorded: usize,
        exclusions: &Exclusions,
    ) -> Result<Patterns, Error> {
        if recorded > 0 && !self.quiet {
            say(format_args!(
                "{}: not searched for additions: what its exclude lines match ({recorded})",
                self.manifest
            ));
        }
        Patterns::new(patterns, |index| match index.checked_sub(recorded) {
            Some(index) => exclusions.source(index),
            None => self.manifest.to_string(),
        })
    }
}

fn entry((line, result): (Line, Result<bool, Failure>)) -> Entry {
    let status = match result {
        Ok(true) => Status::Ok,
        Ok(false) => Status::Changed,
        Err(failure) => failure.into(),
    };
    Entry::whole(line.path, status)
}
