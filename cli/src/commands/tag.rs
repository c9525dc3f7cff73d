// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag`: tags files and writes a manifest.

use crate::commands::checking::Checking;
use crate::commands::given::{Exclusions, List};
use crate::commands::options::Options;
use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output::{self, complain, say};
use crate::path::bytes;
use crate::save::Target;
use crate::source::Source;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::snapshot::Settled;
use crate::tree::task::Task;
use crate::tree::walk::{Found, Skipped, Strictness, Unread, Walk};
use crate::tree::work::Work;
use clap::Args;
use hornet::aes::{Key, Partial, UnusedNonce};
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::Kind;
use hornet_manifest::Time;
use hornet_manifest::escape::Escaped;
use hornet_manifest::{self as manifest, Line, Manifest, Other};
use rayon::ThreadPool;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::iter::zip;
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
        let target = match &self.output {
            Some(path) => Some(Target::new(path, self.force)?),
            None => None,
        };
        let manifest = match &target {
            Some(target) => target.old().cloned(),
            None => output::file(),
        };
        let excluded = Excluded::new(&key_file, manifest);
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

        // Reserves one nonce for each file and one for the manifest, before any file is read.
        let mut nonces = reserve(&key_file, found.files.len() as u64 + 1)?;
        let settled = fs::metadata(&self.key).ok().as_ref().map(Settled::since);
        let (mut manifest, unread) = self.tag(
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

        match target {
            Some(target) => target.write(&text)?,
            None => output::print_all(|stdout| stdout.write_all(&text))?,
        }
        for Unread { path, reason } in &unread {
            complain(&Error::new(&Escaped::new(path), reason));
        }
        if manifest.files.is_empty() && unread.is_empty() {
            say(format_args!("no file was found; the manifest lists none"));
        }
        if unread.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let (paths, are) = match unread.len() {
            1 => ("path", "is"),
            _ => ("paths", "are"),
        };
        say(format_args!(
            "{} {paths} could not be read and {are} listed as unread",
            unread.len()
        ));
        Ok(ExitCode::from(2))
    }

    /// Reads and tags the files found. Returns the manifest and what could not be read.
    fn tag(
        self,
        pool: &ThreadPool,
        settled: Option<Settled>,
        excluded: &Excluded,
        key: &Key,
        found: Found,
        nonces: &mut Nonces,
    ) -> Result<(Manifest, Vec<Unread>), Error> {
        say_skipped(&found);
        let others = found.skipped.into_iter();
        let others = others.map(|Skipped { path, kind, .. }| Other { path, kind });
        let others = others.collect();
        let roots = Roots::new(&self.paths, self.follow_symlinks);
        let map = !self.options.no_mmap;
        let work = |holes| Work::new(key, &roots, pool, map, holes).excluding(excluded);
        let holes = self.options.holes();
        let count = found.files.len();
        let tagging = zip(found.files, nonces)
            .map(|(path, nonce)| {
                Ok(Tagging {
                    path,
                    nonce: nonce?,
                })
            })
            .collect::<Result<Vec<_>, Error>>()?;
        if tagging.len() != count {
            return Err(no_nonce());
        }
        let mut files = Vec::with_capacity(count);
        let mut unread = found.unread;
        for result in work(&holes).settled(settled).run(tagging) {
            match result {
                Tagged::File(line) => files.push(line),
                Tagged::Unread(failed) => unread.push(failed),
                Tagged::Excluded => {}
            }
        }
        holes.say();
        if self.verify_twice {
            // Looks for holes again, and counts them apart.
            let again = self.options.holes();
            files = verified(&work(&again).afresh(), files, &mut unread);
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
        Ok((manifest, unread))
    }
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

/// Reads the files again. Returns those with the same content, and adds the others to `unread`.
fn verified(work: &Work, files: Vec<Line>, unread: &mut Vec<Unread>) -> Vec<Line> {
    let read = work.run(files.into_iter().map(Checking).collect());
    let keep = |(line, result): (Line, Result<bool, Failure>)| {
        let failure = match result {
            Ok(true) => return Some(line),
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
fn reserve(key_file: &KeyFile, count: u64) -> Result<Nonces, Error> {
    // Waits for other processes here, where signals can still interrupt it.
    key_file.reserve(0)?;
    let _deferred = DeferredSignals::new();
    Ok(key_file.reserve(count)?)
}

/// Cannot happen: as many nonces are reserved as are taken.
fn no_nonce() -> Error {
    Error::new(&"key file", "gave fewer nonces than reserved")
}

/// A file to be tagged.
struct Tagging {
    path: PathBuf,
    nonce: UnusedNonce,
}

/// The result for a file.
enum Tagged {
    File(Line),
    Unread(Unread),
    /// It is the key file, the manifest or standard output, under another name.
    Excluded,
}

impl Task for Tagging {
    type Done = Tagged;

    fn path(&self) -> &Path {
        &self.path
    }

    fn batch(key: &Key, files: Vec<(Self, &[u8])>) -> Vec<Self::Done> {
        let (names, messages): (Vec<_>, Vec<_>) = files
            .into_iter()
            .map(|(task, content)| {
                let shown = *task.nonce.nonce().as_bytes();
                ((task.path, shown), (task.nonce, content))
            })
            .unzip();
        zip(names, key.mac_batch(messages))
            .map(|((path, nonce), tag)| Tagged::File(Line { nonce, tag, path }))
            .collect()
    }

    fn finish(self, key: &Key, partial: &Partial) -> Self::Done {
        Tagged::File(Line {
            nonce: *self.nonce.nonce().as_bytes(),
            tag: key.finish(self.nonce, partial),
            path: self.path,
        })
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
        let tasks = names.map(|name| Tagging {
            path: at(name),
            nonce: UnusedNonce::assume_unused([0; 16]),
        });
        let tagged = work
            .run(tasks.into())
            .into_iter()
            .map(|tagged| match tagged {
                Tagged::File(line) => line,
                _ => panic!(),
            });
        let tagged = tagged.collect();

        fs::write(at("changed"), "CHANGED").unwrap();
        for name in ["gone", "folder"] {
            fs::remove_file(at(name)).unwrap();
        }
        fs::create_dir(at("folder")).unwrap();
        let mut unread = Vec::new();
        let same = verified(&work, tagged, &mut unread);
        assert_eq!(same.len(), 1);
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
