// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet retag`: makes a new manifest and new parts, reading what changed.

mod given;
mod making;
mod old;
mod outcome;
mod plan;
mod stop;
mod whole;

use crate::commands::keeping;
use crate::commands::opened::warn_of_newer;
use crate::commands::options::Options;
use crate::commands::tag::{no_nonce, reserve, say_unread};
use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output;
use crate::path::bytes;
use crate::ranges::{Format, Ranges};
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::opener::Opener;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::segments::Segments;
use crate::tree::snapshot::{Began, Settled};
use crate::tree::walk::{Found, Skipped, Strictness, Unread, Walk};
use crate::tree::work::Work;
use clap::Args;
use given::{Given, Word};
use hornet::aes::Key;
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{self, Lock, Opened, Place, Writer};
use hornet_manifest::{self as manifest, Manifest, Other, Seal, Time};
use making::Making;
use old::Old;
use outcome::Report;
use plan::{How, Item};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::iter::zip;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stop::{Stop, refused};
use whole::Reading;

#[derive(Args)]
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

    /// The format of --ranges: plain, nbdinfo or rbd
    ///
    /// plain is an offset and a length in each line, in bytes: decimal, hexadecimal (0x...), or with a
    /// unit as in 4KiB; blank lines and those that begin with '#' are skipped. nbdinfo is the output of
    /// 'nbdinfo --map=qemu:dirty-bitmap:NAME --json'; extents that are dirty have changed. rbd is the
    /// output of 'rbd diff --from-snap SNAPSHOT --format json'; all extents have changed, those that do
    /// not exist any more too.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "plain",
        hide_possible_values = true,
        requires = "ranges"
    )]
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
    /// The object of a file that was read or is gone has its path and its status. If it could be read, it
    /// has also how many of its bytes were read, were not, and were skipped because they are in holes, and
    /// on what word those were not read. The summary has the number of files of each status, the same
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
            Ok(done) => self.finish(&done),
            Err(stop) => stop.report(self.json),
        }
    }

    /// Reports what was done.
    fn finish(&self, done: &Done) -> Result<ExitCode, Error> {
        let Done {
            report,
            unread,
            counter,
            sealed,
        } = done;
        if !self.quiet {
            output::print_all(|stdout| {
                if self.json {
                    report.write_json(stdout, *counter, *sealed)
                } else {
                    report.write(stdout)
                }
            })?;
        }
        Ok(say_unread(unread))
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

    /// Makes and writes both, while no other process does.
    fn under(&self, lock: &Lock, key_file: &KeyFile, given: &[Given]) -> Result<Done, Stop> {
        let key = key_file.key();
        let Opened {
            manifest,
            seal,
            parts,
            ..
        } = lock.open(key).map_err(refused)?;
        let name = Escaped::new(&self.manifest);
        let counter = Nonces::counter_of(&seal.nonce);
        warn_of_newer(&name, counter, manifest.files.len(), key_file)?;
        for Given { path, .. } in given {
            if manifest.find(path).is_none() {
                let why = if manifest.unread.contains(path) {
                    format!(
                        "could not be read when {name} was made, so that all of it must be read"
                    )
                } else {
                    format!("is not in the manifest {name}")
                };
                return Err(Error::new(&Escaped::new(path), why).into());
            }
        }
        let entries = parts.entries(&manifest.files).map_err(refused)?;
        let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(refused)?;
        let old = Old {
            key,
            parts: &parts,
            lines: &manifest.files,
            entries: &entries,
            all_new: self.all_new,
        };

        let pool = self.options.pool()?;
        let unlisted = lock.files()?.into_iter();
        let unlisted = unlisted
            .chain(fs::metadata(&self.manifest))
            .chain(output::file());
        let excluded = Excluded::new(key_file, unlisted);
        let found = self.found(&manifest, &excluded, &pool)?;
        let roots = Roots::new(&manifest.arguments, manifest.follow_symlinks);
        let items = plan::items(found.files, &old, given, &roots, &pool)?;

        // One nonce for each line, one for the parts and one for the seal, before any file is read. As
        // many as there were lines in any case: with fewer, `check` could not tell from the counter that
        // there may be a newer manifest.
        let most = items.len().max(manifest.files.len()) as u64;
        let mut nonces = reserve(key_file, most + 2)?;
        let settled = fs::metadata(&self.key).ok().as_ref().map(Settled::since);
        let began = Began::now(settled);
        let nonce = nonces.next_for(parts::PURPOSE).ok_or_else(no_nonce)??;
        let writer = Writer::new(key, parts.segment_bytes(), nonce);

        let (map, holes) = (!self.options.no_mmap, self.options.holes());
        let segments = Segments {
            key,
            pool: &pool,
            map,
            holes: &holes,
            segment_bytes: parts.segment_bytes(),
        };
        // Before the others, because these may be refused.
        let mut opener = Opener::new(&roots, 1);
        let mut partly = Vec::new();
        for item in &items {
            if let (How::Given(of, length), Some(index)) = (&item.how, item.old) {
                let open = (&mut opener, &excluded);
                partly.push(of.evaluate(index, *length, &old, &segments, open)?);
            }
        }
        let mut reading = Vec::new();
        for item in items.iter().filter(|item| matches!(item.how, How::Read)) {
            reading.push(Reading {
                path: &item.path,
                old: old.line_to_keep(item.old),
                nonce: nonces.next().ok_or_else(no_nonce)??,
                began,
                segment_bytes: parts.segment_bytes(),
            });
        }
        let work = Work::new(key, &roots, &pool, map, &holes)
            .settled(settled)
            .excluding(&excluded)
            .in_segments(Some(parts.segment_bytes()));
        let mut whole = work.run(reading).into_iter();

        let mut making = Making::new(old, nonces, writer, found.unread);
        let mut partly = partly.into_iter();
        let mut there = BTreeSet::new();
        for Item { path, old, how } in items {
            there.extend(old);
            match (how, old) {
                (How::Keep, Some(index)) => making.keep(index)?,
                (How::Given(given, _), Some(index)) => {
                    if let Some(read) = partly.next() {
                        making.given(given, index, read)?;
                    }
                }
                _ => {
                    if let Some(read) = whole.next() {
                        making.read(path, old, read)?;
                    }
                }
            }
        }
        let removed = (0..old.lines.len()).filter(|index| !there.contains(index));
        making.end(removed);
        Ok(write(lock, key, making, &manifest, found.skipped)?)
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
        // Every file below it would otherwise seem to be removed.
        let missing = |path: &Path, problem: &dyn fmt::Display| {
            let why =
                format_args!("{problem}; {name} has tags of it, so use 'hornet tag' if it is gone");
            Err(Error::new(&Escaped::new(path), why))
        };
        if let Some((index, problem)) = found.rejected.first() {
            return missing(&old.arguments[*index], problem);
        }
        let has_lines = |path: &Path| has_any(&old.files, |line| &line.path, path);
        for Unread { path, reason } in &found.unread {
            if has_lines(path) {
                return missing(path, reason);
            }
        }
        for path in &old.arguments {
            if has_lines(path) && !has_any(&found.files, |file| file, path) {
                return missing(path, &"has no files");
            }
        }
        Ok(found)
    }
}

/// Returns whether one of these, which are sorted by the bytes of their paths, is at a path or below it.
fn has_any<T>(sorted: &[T], path_of: impl Fn(&T) -> &PathBuf, path: &Path) -> bool {
    let path = bytes(path);
    let mut below = path.to_vec();
    while below.last() == Some(&b'/') {
        below.pop();
    }
    below.push(b'/');
    [path, &below].into_iter().any(|start| {
        let at = sorted.partition_point(|one| bytes(path_of(one)) < start);
        let next = sorted.get(at).map(|one| bytes(path_of(one)));
        next.is_some_and(|next| next == path || next.starts_with(&below))
    })
}

/// What was written.
struct Done {
    report: Report,
    unread: Vec<Unread>,
    counter: u64,
    sealed: Time,
}

/// Seals and writes the new manifest and the new parts.
fn write(
    lock: &Lock,
    key: &Key,
    making: Making,
    old: &Manifest,
    skipped: Vec<Skipped>,
) -> Result<Done, Error> {
    let Making {
        mut nonces,
        parts,
        lines,
        mut unread,
        report,
        ..
    } = making;
    unread.sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    let sealed = Time::now();
    let manifest = Manifest {
        follow_symlinks: old.follow_symlinks,
        arguments: old.arguments.clone(),
        exclude: old.exclude.clone(),
        files: lines,
        unread: unread.iter().map(|unread| unread.path.clone()).collect(),
        others: skipped
            .into_iter()
            .map(|Skipped { path, kind, .. }| Other { path, kind })
            .collect(),
        sealed,
    };
    // The last one, so that none of this reservation was used since, as far as the counter tells.
    while nonces.len() > 1 {
        nonces.next();
    }
    let nonce = nonces.next_for(manifest::PURPOSE).ok_or_else(no_nonce)??;
    let counter = Nonces::counter_of(&nonce.nonce());
    let text = manifest.seal(key, nonce);
    let seal = Seal::of(&text).map_err(|problem| Error::new(&"manifest", problem))?;
    keeping::write(lock, &text, &keeping::sealed(parts, &seal)?, true)?;
    Ok(Done {
        report,
        unread,
        counter,
        sealed,
    })
}

#[cfg(test)]
mod tests;
