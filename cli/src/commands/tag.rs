// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag`: tags files and writes a manifest.

use crate::commands::checking::Checking;
use crate::commands::given::{Exclusions, List};
use crate::commands::keeping;
use crate::commands::options::Options;
use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output::{self, complain, say};
use crate::path::bytes;
use crate::save::Target;
use crate::size::segment_bytes;
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::snapshot::{Began, Settled, Snapshot};
use crate::tree::task::{Evaluated, Task};
use crate::tree::values::Kept;
use crate::tree::walk::{Found, Skipped, Strictness, Unread, Walk};
use crate::tree::work::Work;
use clap::Args;
use hornet::aes::{Key, UnusedNonce};
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::Kind;
use hornet_manifest::Time;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{self, Place, SegmentBytes};
use hornet_manifest::{self as manifest, Line, Manifest, Other};
use rayon::ThreadPool;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::iter::zip;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct TagFiles {
    /// The key file, made by 'hornet keygen'
    #[arg(short, long, value_name = "KEYFILE")]
    key: PathBuf,

    /// Write the manifest to this file instead of standard output
    ///
    /// The file appears only when it is complete and on disk. It is not tagged, and neither is a file
    /// to which the manifest is redirected.
    #[arg(short, long, value_name = "MANIFEST")]
    output: Option<PathBuf>,

    /// Replace MANIFEST if it exists, keeping its permissions
    #[arg(long, requires = "output")]
    force: bool,

    /// Follow symbolic links; without this option, links in folders are skipped
    ///
    /// The files in a folder are listed below each link to it. A path through more than one link is
    /// followed only to folders that have no other path, and no path is followed back to a folder on
    /// it. Links that are not followed are reported on standard error.
    #[arg(long)]
    follow_symlinks: bool,

    /// Leave out files and folders that match PATTERN, in the syntax of gitignore
    ///
    /// Patterns apply to what is found in the folders among the PATHs, and not to the PATHs. A pattern
    /// without a slash matches a name in any folder. One with a slash at its start or in the middle
    /// matches the path below PATH. One that ends in a slash matches folders only. '*' and '?' do not
    /// match a slash, and '**' does. Letters match in their case. '!' before a pattern includes again
    /// what an earlier one left out: the last pattern that matches decides. Nothing is looked for in
    /// a folder that is left out.
    ///
    /// What is left out is not authenticated, and whoever can add files may add any that match. The
    /// manifest records the patterns, and 'check --strict' applies them. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<OsString>,

    /// Leave out what the patterns in FILE match, one in each line, as in a .gitignore
    ///
    /// Blank lines and those that begin with '#' are skipped. The patterns count as given before those
    /// of --exclude, and are relative to each PATH, wherever FILE is. May be repeated.
    #[arg(long, value_name = "FILE")]
    exclude_from: Vec<PathBuf>,

    /// Tag also the files that are listed in FILE, one in each line; '-' is standard input
    ///
    /// Each line is a path like those of PATH, of a file and not of a folder, and follows them in the
    /// manifest. Patterns do not apply to it. A line without a path is an error.
    #[arg(long, value_name = "FILE")]
    files_from: Option<Source>,

    /// The paths of --files-from end in a NUL byte instead of a newline
    #[arg(short = '0', long, requires = "files_from")]
    null: bool,

    /// Read each file a second time, and list it as unread if its content differs
    ///
    /// Finds changes that do not change a file's times, such as those of programs that write through
    /// a mapping. The second reading begins after all files were read, and asks the disk or the
    /// server again for what only this command has in memory.
    #[arg(long)]
    verify_twice: bool,

    /// Write to PARTS, beside the manifest, what lets others verify or replace parts of the files
    ///
    /// PARTS keeps the value of each segment of each file, sealed under the key and bound to the
    /// manifest: 32 bytes for each segment and 88 for each file. 'check --range' and 'cat' then read
    /// only the segments of a range, and 'retag' only what has changed. PARTS, what a replacement that
    /// was cut short has left at PARTS.new, and PARTS.lock, which exists meanwhile, are not tagged.
    #[arg(long, value_name = "PARTS", requires = "output")]
    parts: Option<PathBuf>,

    /// The length of the segments, a power of two from 4KiB to 1GiB
    ///
    /// That much is read to verify one byte.
    #[arg(long, value_name = "SIZE", requires = "parts", default_value = "1MiB", value_parser = segment_bytes)]
    segment: SegmentBytes,

    #[command(flatten)]
    options: Options,

    /// Files and folders; all files in a folder are tagged
    ///
    /// The manifest records the paths as given here. 'hornet check' resolves relative paths in the
    /// folder where it runs. Fifos, sockets and devices in folders are skipped.
    #[arg(required_unless_present = "files_from", value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl TagFiles {
    pub(crate) fn run(mut self) -> Result<ExitCode, Error> {
        if self.paths.iter().any(|path| path == Path::new("-")) {
            let why = "standard input has no path to check later; use ./- for a file of this name";
            return Err(Error::new(&"-", why));
        }
        if self.output.is_none() {
            output::check()?;
        }
        let exclusions = Exclusions::new(&self.exclude, &self.exclude_from)?;
        let patterns = Patterns::new(&exclusions.patterns, |index| exclusions.source(index))?;
        let files_from = self.paths.len();
        let list = self.files_from.take();
        let list = list.map(|source| List {
            source,
            null: self.null,
        });
        if let Some(list) = &list {
            self.paths.append(&mut list.read()?);
        }
        let key_file = KeyFile::open(&self.key)?;
        // Fails now if no nonces can be reserved.
        key_file.reserve(0)?;
        let place = match (&self.output, &self.parts) {
            (Some(manifest), Some(parts)) => Some(Place::new(manifest, parts)?),
            _ => None,
        };
        // Completes a replacement that was cut short.
        let lock = place.as_ref().map(Place::lock).transpose()?;
        let target = match &self.output {
            Some(path) => Some(Target::new(path, self.force)?),
            None => None,
        };
        let spare_key = |target: &Target| target.spare("the key file", |old| key_file.is(old));
        target.as_ref().map_or(Ok(()), spare_key)?;
        let manifest = match &target {
            Some(target) => target.old().cloned(),
            None => output::file(),
        };
        let of_parts = match (&self.parts, &lock) {
            (Some(path), Some(lock)) => {
                spare_key(&Target::new(path, self.force)?)?;
                lock.files()?
            }
            _ => Vec::new(),
        };
        let excluded = Excluded::new(&key_file, manifest.into_iter().chain(of_parts));
        let pool = self.options.pool()?;
        let walk = Walk {
            follow_symlinks: self.follow_symlinks,
            excluded: &excluded,
            patterns: &patterns,
            pool: &pool,
            strictness: Strictness::Named { files_from },
        };
        let found = walk.run(&self.paths);
        let names = |(index, problem): &(usize, String)| {
            let path = Escaped::new(&self.paths[*index]);
            match list.as_ref().zip(index.checked_sub(files_from)) {
                Some((list, listed)) => {
                    Error::new(&list.place(listed), format_args!("{path}: {problem}"))
                }
                None => Error::new(&path, problem),
            }
        };
        complain_all(found.rejected.iter().map(names))?;

        // Reserves one nonce for each file, one for the manifest and one for its parts, before any file
        // is read.
        let others = 1 + u64::from(lock.is_some());
        let mut nonces = reserve(&key_file, found.files.len() as u64 + others)?;
        let settled = fs::metadata(&self.key).ok().as_ref().map(Settled::since);
        let (force, segment_bytes) = (self.force, self.segment);
        let Tagging {
            mut manifest,
            unread,
            kept,
        } = self.tag(
            &pool,
            settled,
            &excluded,
            key_file.key(),
            found,
            &mut nonces,
        )?;
        manifest.exclude = exclusions.patterns;
        let nonce = nonces.next_for(manifest::PURPOSE).ok_or_else(no_nonce)??;
        let text = manifest.seal(key_file.key(), nonce);

        match (lock, target) {
            (Some(lock), _) => {
                let nonce = nonces.next_for(parts::PURPOSE).ok_or_else(no_nonce)??;
                let writer = parts::Writer::new(key_file.key(), segment_bytes, nonce);
                let parts = keeping::content(writer, &manifest.files, kept, &text)?;
                keeping::write(&lock, &text, &parts, force)?;
            }
            (None, Some(target)) => target.write(&text)?,
            (None, None) => output::print_all(|stdout| stdout.write_all(&text))?,
        }
        if manifest.files.is_empty() && unread.is_empty() {
            say(format_args!("no file was found; the manifest lists none"));
        }
        Ok(say_unread(&unread))
    }

    /// Reads and tags the files found.
    fn tag(
        self,
        pool: &ThreadPool,
        settled: Option<Settled>,
        excluded: &Excluded,
        key: &Key,
        found: Found,
        nonces: &mut Nonces,
    ) -> Result<Tagging, Error> {
        say_skipped(&found);
        let others = found.skipped.into_iter();
        let others = others.map(|Skipped { path, kind, .. }| Other { path, kind });
        let others = others.collect();
        let roots = Roots::new(&self.paths, self.follow_symlinks);
        let map = !self.options.no_mmap;
        let work = |holes| Work::new(key, &roots, pool, map, holes).excluding(excluded);
        let holes = self.options.holes();
        let count = found.files.len();
        let keep = self.parts.as_ref().map(|_| Keep {
            segment_bytes: self.segment,
            began: Began::now(settled),
        });
        let tagging = zip(found.files, nonces)
            .map(|(path, nonce)| {
                Ok(ToTag {
                    path,
                    nonce: nonce?,
                    keep: keep.as_ref(),
                })
            })
            .collect::<Result<Vec<_>, Error>>()?;
        if tagging.len() != count {
            return Err(no_nonce());
        }
        let mut files = Vec::with_capacity(count);
        let (mut kept, mut unread) = (Vec::new(), found.unread);
        let segment_bytes = keep.as_ref().map(|keep| keep.segment_bytes);
        let work_in_segments = work(&holes).in_segments(segment_bytes);
        for result in work_in_segments.settled(settled).run(tagging) {
            match result {
                Tagged::File(line, of_parts) => {
                    files.push(line);
                    kept.extend(of_parts.map(|of_parts| *of_parts));
                }
                Tagged::Unread(failed) => unread.push(failed),
                Tagged::Excluded => {}
            }
        }
        holes.say();
        if self.verify_twice {
            // Looks for holes again, and counts them apart.
            let again = self.options.holes();
            files = verified(&work(&again).afresh(), files, &mut kept, &mut unread);
        }
        unread.sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        let manifest = Manifest {
            follow_symlinks: self.follow_symlinks,
            arguments: self.paths,
            exclude: Vec::new(),
            files,
            unread: unread.iter().map(|unread| unread.path.clone()).collect(),
            others,
            sealed: Time::now(),
        };
        Ok(Tagging {
            manifest,
            unread,
            kept,
        })
    }
}

/// What `tag` has made.
struct Tagging {
    manifest: Manifest,
    unread: Vec<Unread>,
    /// For each file in the manifest, if there will be a parts file.
    kept: Vec<Kept>,
}

/// Reports what could not be read. Returns the exit status.
pub(super) fn say_unread(unread: &[Unread]) -> ExitCode {
    for Unread { path, reason } in unread {
        complain(&Error::new(&Escaped::new(path), reason));
    }
    let (paths, are) = match unread.len() {
        0 => return ExitCode::SUCCESS,
        1 => ("path", "is"),
        _ => ("paths", "are"),
    };
    say(format_args!(
        "{} {paths} could not be read and {are} listed as unread",
        unread.len()
    ));
    ExitCode::from(2)
}

/// Reports errors: the first ones, and how many there are. Returns one of them.
fn complain_all(errors: impl ExactSizeIterator<Item = Error>) -> Result<(), Error> {
    const SHOWN: usize = 10;
    let count = errors.len();
    let mut last = None;
    for error in errors.take(SHOWN) {
        if let Some(error) = last.replace(error) {
            complain(&error);
        }
    }
    let Some(last) = last else { return Ok(()) };
    if count <= SHOWN {
        return Err(last);
    }
    complain(&last);
    Err(Error::new(
        &"paths",
        format_args!("{count} cannot be tagged"),
    ))
}

/// Reads the files again. Returns those with the same content, and adds the others to `unread`. Leaves in
/// `kept`, which has something for each file or is empty, what is kept of those with the same content.
fn verified(
    work: &Work,
    files: Vec<Line>,
    kept: &mut Vec<Kept>,
    unread: &mut Vec<Unread>,
) -> Vec<Line> {
    let read = work.run(files.into_iter().map(Checking).collect());
    let mut before = mem::take(kept).into_iter();
    let keep = |(line, result): (Line, Result<bool, Failure>)| {
        let of_parts = before.next();
        let failure = match result {
            Ok(true) => {
                kept.extend(of_parts);
                return Some(line);
            }
            Ok(false) => Failure::changed(),
            Err(failure) => failure,
        };
        unread.push(Unread {
            path: line.path,
            reason: failure.to_string(),
        });
        None
    };
    read.into_iter().filter_map(keep).collect()
}

/// Reports what gets no tag, except for empty folders, which have nothing to tag.
fn say_skipped(found: &Found) {
    let mut links = 0;
    for Skipped { path, kind, why } in &found.skipped {
        let path = Escaped::new(path);
        match (kind, why) {
            (_, Some(why)) => say(format_args!("{path}: skipped: {why}")),
            (Kind::Folder, None) => {}
            (Kind::Symlink, None) => links += 1,
            (kind, None) => say(format_args!("{path}: skipped: {kind}")),
        }
    }
    if links > 0 {
        say(format_args!(
            "symbolic links skipped: {links}; use --follow-symlinks to follow them"
        ));
    }
}

/// Reserves nonces. The new key file briefly has a temporary name, and must not be left under it.
pub(super) fn reserve(key_file: &KeyFile, count: u64) -> Result<Nonces, Error> {
    // Waits for other processes here, where signals can still interrupt it.
    key_file.reserve(0)?;
    let _deferred = DeferredSignals::new();
    Ok(key_file.reserve(count)?)
}

/// Cannot happen: as many nonces are reserved as are taken.
pub(super) fn no_nonce() -> Error {
    Error::new(&"key file", "gave fewer nonces than reserved")
}

/// How parts are kept.
struct Keep {
    segment_bytes: SegmentBytes,
    began: Began,
}

/// A file to be tagged.
struct ToTag<'a> {
    path: PathBuf,
    nonce: UnusedNonce,
    keep: Option<&'a Keep>,
}

impl ToTag<'_> {
    fn tag(self, key: &Key, evaluated: Evaluated) -> Tagged {
        let Evaluated {
            whole,
            values,
            snapshot,
        } = evaluated;
        let line = Line {
            nonce: *self.nonce.nonce().as_bytes(),
            tag: key.finish(self.nonce, &whole),
            path: self.path,
        };
        let kept = self
            .keep
            .map(|keep| values.keep(keep.began.stamp(snapshot)));
        Tagged::File(line, kept.map(Box::new))
    }
}

/// The result for a file.
enum Tagged {
    File(Line, Option<Box<Kept>>),
    Unread(Unread),
    /// It is the key file, the manifest, its parts or standard output, under another name.
    Excluded,
}

impl Task for ToTag<'_> {
    type Done = Tagged;

    fn path(&self) -> &Path {
        &self.path
    }

    fn batch(key: &Key, files: Vec<(Self, Snapshot, &[u8])>) -> Vec<Self::Done> {
        // All files of a run are kept, or none.
        if let Some(Keep { segment_bytes, .. }) = files.first().and_then(|(task, ..)| task.keep) {
            let tag =
                |(task, snapshot, content): (Self, Snapshot, &[u8])| match Evaluated::of_content(
                    key,
                    *segment_bytes,
                    snapshot,
                    content,
                ) {
                    Ok(evaluated) => task.tag(key, evaluated),
                    Err(failure) => task.fail(failure),
                };
            return files.into_iter().map(tag).collect();
        }
        let (names, messages): (Vec<_>, Vec<_>) = files
            .into_iter()
            .map(|(task, _, content)| {
                let shown = *task.nonce.nonce().as_bytes();
                ((task.path, shown), (task.nonce, content))
            })
            .unzip();
        zip(names, key.mac_batch(messages))
            .map(|((path, nonce), tag)| Tagged::File(Line { nonce, tag, path }, None))
            .collect()
    }

    fn finish(self, key: &Key, evaluated: Evaluated) -> Self::Done {
        self.tag(key, evaluated)
    }

    /// The nonce is dropped unused.
    fn fail(self, failure: Failure) -> Self::Done {
        match failure {
            Failure::Excluded => Tagged::Excluded,
            _ => Tagged::Unread(Unread {
                path: self.path,
                reason: failure.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::holes::Holes;
    use rayon::ThreadPoolBuilder;
    use tempfile::TempDir;

    #[test]
    fn the_second_reading() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = ["changed", "folder", "gone", "same"];
        for name in names {
            fs::write(at(name), name).unwrap();
        }
        let key = Key::clamped(&[7; 32]);
        let arguments = [folder.path().to_owned()];
        let roots = Roots::new(&arguments, false);
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let holes = Holes::new(true);
        let work = Work::new(&key, &roots, &pool, true, &holes).afresh();
        let keep = Keep {
            segment_bytes: SegmentBytes::DEFAULT,
            began: Began::now(None),
        };
        let tasks = names.map(|name| ToTag {
            path: at(name),
            nonce: UnusedNonce::assume_unused([0; 16]),
            keep: Some(&keep),
        });
        let (mut tagged, mut kept) = (Vec::new(), Vec::new());
        for done in work.run(tasks.into()) {
            let Tagged::File(line, of_parts) = done else {
                panic!()
            };
            tagged.push(line);
            kept.extend(of_parts.map(|of_parts| *of_parts));
        }
        assert_eq!(kept.len(), names.len());

        fs::write(at("changed"), "CHANGED").unwrap();
        for name in ["gone", "folder"] {
            fs::remove_file(at(name)).unwrap();
        }
        fs::create_dir(at("folder")).unwrap();
        let mut unread = Vec::new();
        let same = verified(&work, tagged, &mut kept, &mut unread);
        assert_eq!(same.len(), 1);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].values[0].len_bytes(), 4);
        assert_eq!(same[0].path, at("same"));
        let expected = [
            ("changed", "changed while it was being read"),
            ("folder", "not a regular file but a folder"),
            ("gone", "no longer exists"),
        ];
        let expected = expected.map(|(name, reason)| Unread {
            path: at(name),
            reason: reason.into(),
        });
        assert_eq!(unread, expected);
    }
}
