// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet retag`: makes a new manifest and new parts, reading what changed.

mod given;
mod kept;
mod outcome;
mod plan;
mod whole;

use crate::commands::opened::warn_of_newer;
use crate::commands::options::Options;
use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output::{self, complain};
use crate::path::bytes;
use crate::ranges::{Format, Ranges};
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::opener::Opener;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::snapshot::{Began, Settled};
use crate::tree::walk::{Found, Skipped, Strictness, Unread, Walk};
use crate::tree::work::Work;
use clap::Args;
use given::{Given, Stop, Word};
use hornet::aes::{Key, Partial};
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{self, Lock, Opened, Place, Stamp};
use hornet_manifest::{self as manifest, Line, Manifest, Other, Seal, Time};
use kept::Kept;
use outcome::{Outcome, Report, Status};
use plan::{How, Item};
use rayon::ThreadPool;
use std::fs;
use std::iter::zip;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use whole::Reading;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct Retag {
    /// The key file that the manifest was made with
    #[arg(short, long, value_name = "KEYFILE")]
    key: PathBuf,

    /// The parts file that belongs to MANIFEST, made by 'hornet tag --parts'
    ///
    /// Both are replaced, in an order in which they belong together after a power failure at any moment.
    /// While one command replaces them, others wait; PARTS.new and PARTS.lock exist meanwhile.
    #[arg(long, value_name = "PARTS")]
    parts: PathBuf,

    /// In the file of --file, only the ranges listed in FILE have changed; '-' is standard input
    ///
    /// The segments that they touch are read, and what was appended; the length and the times of the file
    /// do not matter. Everything else in the file is trusted to be as it was, on the word of FILE. Ranges
    /// must be in order and must not overlap. May be repeated, with a --file each.
    #[arg(long, value_name = "FILE", requires = "file")]
    ranges: Vec<Source>,

    /// The file that --ranges is about, as the manifest spells it
    #[arg(long, value_name = "PATH", requires = "ranges")]
    file: Vec<PathBuf>,

    /// The format of --ranges
    #[arg(long, value_name = "FORMAT", default_value = "plain", requires = "ranges")]
    ranges_format: Format,

    /// To this file, as the manifest spells it, bytes were only appended
    ///
    /// What was appended is read, and the segment before it, whose old bytes are verified. All segments
    /// before are trusted to be as they were, on the word of this option. A file that became shorter is
    /// an error. May be repeated.
    #[arg(long, value_name = "PATH")]
    appended: Vec<PathBuf>,

    /// Make a new tag for every file, also for those that have not changed
    ///
    /// Unchanged files are not read: their tags are made from the values in PARTS.
    #[arg(long)]
    all_new: bool,

    /// Print nothing on standard output
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object per line, the last of which is a summary
    ///
    /// The object of a file that is not as it was has its path, its status, and how many of its bytes
    /// were read, were not, and were holes. The summary has the number of files of each status, the same
    /// numbers of bytes, those not read by what they are trusted on, and the nonce counter of the seal and
    /// its time (UTC).
    ///
    /// If the manifest or the parts are refused, prints a single object whose status is REFUSED, and the
    /// exit status is 1.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: Options,

    /// The manifest, made by 'hornet tag --parts'
    manifest: PathBuf,
}

impl Retag {
    pub(crate) fn run(self) -> Result<ExitCode, Error> {
        output::check()?;
        let given = self.given()?;
        let key_file = KeyFile::open(&self.key)?;
        // Fails now if no nonces can be reserved.
        key_file.reserve(0)?;
        let place = Place::new(&self.manifest, &self.parts)?;
        let lock = place.lock()?;
        let attempt = || {
            // Files may briefly have names.
            let _deferred = DeferredSignals::new();
            lock.attempt()
        };
        attempt()?;
        match self.under(&lock, &key_file, &given) {
            Ok(report) => self.finish(&report),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Refused(error)) => {
                if self.json {
                    let why = error.to_string();
                    output::print_all(|stdout| {
                        outcome::write_json_refusal(stdout, &self.manifest, &why)
                    })?;
                }
                complain(&error);
                Ok(ExitCode::from(1))
            }
        }
    }

    /// Reads which files are not to be read as a whole, in the order of their paths.
    fn given(&self) -> Result<Vec<Given>, Error> {
        if self.file.len() != self.ranges.len() {
            let why = "must be given as often as --ranges: each is about one file";
            return Err(Error::new(&"--file", why));
        }
        let is_stdin = |source: &&Source| matches!(source, Source::Stdin);
        if self.ranges.iter().filter(is_stdin).count() > 1 {
            return Err(Error::new(&"--ranges -", "given twice"));
        }
        let mut given = Vec::new();
        for (path, source) in zip(&self.file, &self.ranges) {
            given.push(Given {
                path: path.clone(),
                word: Word::Ranges(Ranges::read(source, self.ranges_format)?),
            });
        }
        given.extend(self.appended.iter().map(|path| Given {
            path: path.clone(),
            word: Word::Appended,
        }));
        given.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        match given.windows(2).find(|pair| pair[0].path == pair[1].path) {
            Some(pair) => Err(Error::new(
                &Escaped::new(&pair[0].path),
                "given twice with --file or --appended",
            )),
            None => Ok(given),
        }
    }

    fn under(&self, lock: &Lock, key_file: &KeyFile, given: &[Given]) -> Result<Report, Stop> {
        let key = key_file.key();
        let Opened {
            manifest: old,
            seal,
            parts,
            ..
        } = lock.open(key).map_err(refused)?;
        let name = Escaped::new(&self.manifest);
        let counter = Nonces::counter_of(&seal.nonce);
        warn_of_newer(&name, counter, old.files.len(), key_file)?;
        for Given { path, .. } in given {
            if old.find(path).is_none() && !old.unread.contains(path) {
                let why = format_args!("is not in the manifest {name}");
                return Err(Error::new(&Escaped::new(path), why).into());
            }
        }
        let entries = parts.entries(&old.files).map_err(refused)?;
        let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(refused)?;

        let pool = self.options.pool()?;
        let excluded = lock.files()?.into_iter().chain(output::file());
        let excluded = Excluded::new(key_file, excluded);
        let found = self.found(&old, &excluded, &pool)?;
        let roots = Roots::new(&old.arguments, old.follow_symlinks);
        let Found {
            files,
            unread,
            skipped,
            ..
        } = found;
        let items = plan::items(files, &old.files, &entries, given, &roots, &pool)?;

        // One nonce for each line, one for the parts and one for the seal, before any file is read. As
        // many as there were lines in any case: fewer would keep `check` from seeing that there may be a
        // newer manifest.
        let lines = items.len().max(old.files.len()) as u64;
        let mut nonces = super::tag::reserve(key_file, lines + 2)?;
        let settled = fs::metadata(&self.key).ok().as_ref().map(Settled::since);
        let began = Began::now(settled);

        let kept = Kept {
            key,
            parts: &parts,
            entries: &entries,
            lines: &old.files,
        };
        let holes = self.options.holes();
        let work = Work::new(key, &roots, &pool, !self.options.no_mmap, &holes)
            .settled(settled)
            .excluding(&excluded)
            .in_segments(Some(parts.segment_bytes()));
        let results = self.evaluate(&items, &kept, &work, &mut nonces, began)?;

        todo!()
    }

    /// Searches the folders that were given to `tag`.
    fn found(
        &self,
        old: &Manifest,
        excluded: &Excluded,
        pool: &ThreadPool,
    ) -> Result<Found, Error> {
        let name = Escaped::new(&self.manifest);
        let patterns = Patterns::new(&old.exclude, |_| name.to_string())?;
        let walk = Walk {
            follow_symlinks: old.follow_symlinks,
            excluded,
            patterns: &patterns,
            pool,
            strictness: Strictness::Named {
                files_from: old.arguments.len(),
            },
        };
        let found = walk.run(&old.arguments);
        match found.rejected.first() {
            // Every file below it would otherwise seem to be removed.
            Some((index, problem)) => Err(Error::new(
                &Escaped::new(&old.arguments[*index]),
                format_args!("{problem}; {name} has tags of it, so use 'hornet tag' if it is gone"),
            )),
            None => Ok(found),
        }
    }
}
