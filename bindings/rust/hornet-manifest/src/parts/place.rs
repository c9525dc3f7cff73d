// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A manifest and its parts file: opening both, and replacing both so that those which belong together
//! are found again after a kill or a power failure at any moment.

use crate::content::Manifest;
use crate::parts::error::{Error, Problem, io};
use crate::parts::format::Header;
use crate::parts::read::{ReadAt, Reader};
use crate::read::read_text;
use crate::seal::{SEAL_LINE_BYTES, Seal};
use hornet::aes::Key;
use hornet_key_file::{Access, LockFile, NewFile, rename};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// How often a manifest is read again that is being replaced.
const ATTEMPTS: usize = 100;

/// What ends the name of parts whose manifest is about to be replaced.
const NEW: &str = ".new";
/// What ends the name of the lock, which exists while a process has it.
const LOCK: &str = ".lock";

/// A name in an open folder.
#[derive(Debug)]
pub(super) struct Location {
    folder: OwnedFd,
    name: OsString,
    /// The path that the caller gave.
    path: PathBuf,
}

impl Location {
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let fail = |problem: Problem| Error::new(path, problem);
        let name = path.file_name().ok_or(hornet_key_file::Problem::NoName);
        let name = name.map_err(|problem| fail(problem.into()))?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(folder, flags, Mode::empty());
        Ok(Self {
            folder: folder.map_err(|error| fail(io("its folder cannot be opened")(error)))?,
            name: name.into(),
            path: path.into(),
        })
    }

    /// Returns the location beside this one whose name has this end too.
    fn with(&self, end: &str) -> Result<Self, Error> {
        let folder = self
            .folder
            .try_clone()
            .map_err(io("its folder cannot be opened"));
        let joined = |text: &OsStr| {
            let mut text = text.to_owned();
            text.push(end);
            text
        };
        Ok(Self {
            folder: folder.map_err(|problem| self.error(problem))?,
            name: joined(&self.name),
            path: joined(self.path.as_os_str()).into(),
        })
    }

    fn error(&self, problem: impl Into<Problem>) -> Error {
        Error::new(&self.path, problem)
    }

    /// Opens the file for reading. A link is not followed: it could not be replaced.
    fn open(&self) -> Result<File, Error> {
        // Opening must not block on a pipe, or acquire a controlling terminal.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.folder, &*self.name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::LOOP) => return Err(self.error(hornet_key_file::Problem::NotRegular)),
            Err(error) => return Err(self.error(io("cannot be opened")(error))),
        };
        let metadata = file.metadata().map_err(io("cannot be opened"));
        if metadata.map_err(|problem| self.error(problem))?.is_file() {
            Ok(file)
        } else {
            Err(self.error(hornet_key_file::Problem::NotRegular))
        }
    }

    /// Like `open`, but a file that does not exist is no error.
    fn open_if_any(&self) -> Result<Option<File>, Error> {
        match self.open() {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.is_io(ErrorKind::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn metadata(&self) -> Result<Option<Metadata>, Error> {
        let Some(file) = self.open_if_any()? else {
            return Ok(None);
        };
        let metadata = file.metadata().map_err(io("cannot be read"));
        metadata.map(Some).map_err(|problem| self.error(problem))
    }

    fn reader(&self, key: &Key, seal: &Seal) -> Result<Reader, Error> {
        Reader::new(self.open()?, &self.path, key, seal)
    }

    /// Opens the parts here that belong to the manifest with this seal, or those of a replacement that
    /// was cut short.
    pub(super) fn find(&self, key: &Key, seal: &Seal) -> Result<Reader, Error> {
        self.find_while(key, seal, || ())
    }

    /// Does so while something else happens.
    pub(super) fn find_while(
        &self,
        key: &Key,
        seal: &Seal,
        meanwhile: impl FnOnce(),
    ) -> Result<Reader, Error> {
        if let Ok(reader) = self.reader(key, seal) {
            return Ok(reader);
        }
        meanwhile();
        let new = self.with(NEW)?.reader(key, seal);
        // They may have been renamed in between; otherwise says what is wrong with those asked for.
        new.or_else(|_| self.reader(key, seal))
    }

    /// Removes the file, if it exists.
    fn remove(&self) -> Result<(), Error> {
        match rustix::fs::unlinkat(&self.folder, &*self.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.error(io("cannot be removed")(error))),
        }
    }

    fn new_file<'a>(&'a self, old: Option<&'a Metadata>, replaces: bool) -> NewFile<'a> {
        NewFile {
            folder: &self.folder,
            name: &self.name,
            access: old.map_or(Access::Umask, Access::Like),
            replaces,
        }
    }

    fn is_in_folder_of(&self, other: &Self) -> Result<bool, Error> {
        let identity = |location: &Self| {
            let stat = rustix::fs::fstat(&location.folder).map_err(io("its folder cannot be read"));
            let stat = stat.map_err(|problem| location.error(problem))?;
            Ok::<_, Error>((stat.st_dev, stat.st_ino))
        };
        Ok(identity(self)? == identity(other)?)
    }
}

impl Reader {
    /// Opens the parts file of the manifest with this seal, which must have been verified. If the
    /// parts at `path` belong to another manifest, those of a [replacement](crate::parts::Lock::replace)
    /// that was cut short are looked for. Changes nothing, and needs no permission to write.
    ///
    /// # Errors
    ///
    /// [`Error`] if the file cannot be read, is not a regular file, was changed, cut or made with another
    /// key, or is that of another manifest.
    pub fn find(path: &Path, key: &Key, seal: &Seal) -> Result<Self, Error> {
        Location::of(path)?.find(key, seal)
    }
}

/// The paths of a manifest and of the parts file that belongs to it.
#[derive(Debug)]
pub struct Place {
    manifest: Location,
    parts: Location,
}

/// A manifest and its parts.
#[derive(Debug)]
pub struct Opened {
    /// The text of the manifest.
    pub text: Vec<u8>,
    /// Its content.
    pub manifest: Manifest,
    /// Its seal, which was verified.
    pub seal: Seal,
    /// Its parts.
    pub parts: Reader,
}

impl Place {
    /// Finds the folders of both. The files need not exist.
    ///
    /// # Errors
    ///
    /// [`Error`] if a folder cannot be opened, or if one of the paths is also that of the other, or of
    /// a file that is written beside the parts: their path with `.new` or `.lock` appended.
    pub fn new(manifest: &Path, parts: &Path) -> Result<Self, Error> {
        let place = Self {
            manifest: Location::of(manifest)?,
            parts: Location::of(parts)?,
        };
        if place.manifest.is_in_folder_of(&place.parts)? {
            for end in ["", NEW, LOCK] {
                if place.parts.with(end)?.name == place.manifest.name {
                    return Err(place.manifest.error(Problem::SameName));
                }
            }
        }
        Ok(place)
    }

    /// Opens both, without a lock, without changing anything, and without permission to write: while
    /// they are replaced, either the old ones or the new ones.
    ///
    /// # Errors
    ///
    /// [`Error`] if one of them cannot be read, was changed, or was made with another key, or if they do
    /// not belong together.
    pub fn open(&self, key: &Key) -> Result<Opened, Error> {
        self.open_while(key, || ())
    }

    /// Does so while something else happens.
    pub(super) fn open_while(&self, key: &Key, meanwhile: impl FnOnce()) -> Result<Opened, Error> {
        let mut text = self.manifest_text()?;
        meanwhile();
        for _ in 0..ATTEMPTS {
            match self.open_of(key, text) {
                Ok(opened) => return Ok(opened),
                Err((error, before)) => {
                    // It may have been replaced meanwhile, and the parts with it.
                    text = self.manifest_text()?;
                    if text == before {
                        return Err(error);
                    }
                }
            }
        }
        Err(self
            .manifest
            .error(io("is replaced all the time")(Errno::BUSY)))
    }

    /// Opens a manifest, and its parts. Otherwise returns its text again.
    fn open_of(&self, key: &Key, text: Vec<u8>) -> Result<Opened, (Error, Vec<u8>)> {
        let open = || {
            let manifest =
                Manifest::open(&text, key).map_err(|problem| self.manifest.error(problem));
            let manifest = manifest?;
            let seal = Seal::of(&text).map_err(|problem| self.manifest.error(problem))?;
            let parts = self.parts.find(key, &seal)?;
            Ok((manifest, seal, parts))
        };
        match open() {
            Ok((manifest, seal, parts)) => Ok(Opened {
                text,
                manifest,
                seal,
                parts,
            }),
            Err(error) => Err((error, text)),
        }
    }

    fn manifest_text(&self) -> Result<Vec<u8>, Error> {
        read_text(self.manifest.open()?)
            .map_err(|error| self.manifest.error(io("cannot be read")(error)))
    }

    /// Waits until no other process replaces them, and keeps others from it as long as the lock lives.
    /// If a replacement was cut short, completes it, or not, as its manifest says.
    ///
    /// # Errors
    ///
    /// [`Error`] if there is something else than a regular file at a path that will be written, if the
    /// folder of the parts cannot be written, or if its file system has no locks.
    pub fn lock(&self) -> Result<Lock<'_>, Error> {
        Lock::of(Held::Borrowed(self), LockFile::wait)
    }

    /// Like [`lock`](Self::lock), without waiting, for a lock that keeps the paths.
    ///
    /// # Errors
    ///
    /// [`Error`], like `lock`; [`Error::is_locked`] if another process replaces them.
    pub fn try_into_lock(self) -> Result<Lock<'static>, Error> {
        Lock::of(Held::Owned(Box::new(self)), LockFile::attempt)
    }
}

/// The paths that a lock is of.
#[derive(Debug)]
enum Held<'a> {
    Borrowed(&'a Place),
    Owned(Box<Place>),
}

impl Deref for Held<'_> {
    type Target = Place;

    fn deref(&self) -> &Place {
        match self {
            Self::Borrowed(place) => place,
            Self::Owned(place) => place,
        }
    }
}

/// The sole right to replace a manifest and its parts.
#[derive(Debug)]
pub struct Lock<'a> {
    place: Held<'a>,
    /// Where new parts are until their manifest has its name.
    new: Location,
    _held: LockFile,
}

impl<'a> Lock<'a> {
    fn of(
        place: Held<'a>,
        take: impl Fn(&OwnedFd, &OsStr) -> Result<LockFile, hornet_key_file::Problem>,
    ) -> Result<Self, Error> {
        let lock = place.parts.with(LOCK)?;
        let held = take(&lock.folder, &lock.name).map_err(|problem| lock.error(problem))?;
        let new = place.parts.with(NEW)?;
        let lock = Self {
            place,
            new,
            _held: held,
        };
        lock.recover()?;
        Ok(lock)
    }
}

/// The steps of a replacement, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The parts of a replacement that was cut short are gone.
    Removed,
    /// The new parts are on the disk, under another name.
    Parts,
    /// The new manifest is on the disk, in place of the old one.
    Manifest,
    /// The new parts are on the disk, in place of the old ones.
    Renamed,
}

impl Lock<'_> {
    /// Opens both.
    ///
    /// # Errors
    ///
    /// [`Error`], like [`Place::open`].
    pub fn open(&self, key: &Key) -> Result<Opened, Error> {
        self.place.open(key)
    }

    /// Returns the metadata of those files that exist which the parts consist of or come from, and of the
    /// lock: what must not be tagged. The manifest is not among them.
    ///
    /// # Errors
    ///
    /// [`Error`] if one is not a regular file or cannot be examined.
    pub fn files(&self) -> Result<Vec<Metadata>, Error> {
        let parts = &self.place.parts;
        let all = [
            parts.metadata()?,
            self.new.metadata()?,
            parts.with(LOCK)?.metadata()?,
        ];
        Ok(all.into_iter().flatten().collect())
    }

    /// Finds out whether [`replace`](Self::replace) can write. To be called before long work. Leaves
    /// nothing behind.
    ///
    /// # Errors
    ///
    /// [`Error`] if a folder or its file system does not allow it, or if there is something else than a
    /// regular file.
    pub fn attempt(&self) -> Result<(), Error> {
        for location in [&self.place.manifest, &self.place.parts] {
            let old = location.metadata()?;
            let attempt = location.new_file(old.as_ref(), old.is_some()).attempt();
            attempt.map_err(|problem| location.error(problem))?;
        }
        Ok(())
    }

    /// Replaces both, or creates what does not exist. `manifest` is the text of a manifest, and `parts`
    /// what a [`Writer`](crate::parts::Writer) has made for its seal.
    ///
    /// The parts are written under another name, then the manifest is replaced, then the parts are
    /// renamed; each step is on the disk before the next begins. So at any moment either the old
    /// manifest has its old parts, or the new one its new ones, and [`Place::open`] and [`Place::lock`]
    /// find them.
    ///
    /// # Errors
    ///
    /// [`Error`] if they cannot be written. Either both are then as before, or both new.
    pub fn replace(&self, manifest: &[u8], parts: &[u8]) -> Result<(), Error> {
        self.replace_until(manifest, parts, |_| false)
    }

    /// Like [`replace`](Self::replace), but replaces nothing.
    ///
    /// # Errors
    ///
    /// [`Error`] if one of them exists, or if they cannot be written.
    pub fn create(&self, manifest: &[u8], parts: &[u8]) -> Result<(), Error> {
        for location in [&self.place.manifest, &self.place.parts] {
            if location.metadata()?.is_some() {
                return Err(location.error(hornet_key_file::Problem::Exists));
            }
        }
        // Whoever creates the parts meanwhile has the lock. A manifest without parts may come.
        self.write(manifest, parts, [None, None], |_| false)
    }

    /// Replaces both, and stops after a step if told so, as a process does that is killed.
    pub(super) fn replace_until(
        &self,
        manifest: &[u8],
        parts: &[u8],
        stops_after: impl Fn(Step) -> bool,
    ) -> Result<(), Error> {
        let Place {
            manifest: of_manifest,
            parts: of_parts,
        } = &*self.place;
        let old = [of_manifest.metadata()?, of_parts.metadata()?];
        self.write(manifest, parts, old, stops_after)
    }

    fn write(
        &self,
        manifest: &[u8],
        parts: &[u8],
        [old_manifest, old_parts]: [Option<Metadata>; 2],
        stops_after: impl Fn(Step) -> bool,
    ) -> Result<(), Error> {
        let of_manifest = &self.place.manifest;
        // It is not removed if it is not a file.
        if self.new.metadata()?.is_some() {
            self.new.remove()?;
        }
        if stops_after(Step::Removed) {
            return Ok(());
        }

        let new = self.new.new_file(old_parts.as_ref(), false);
        new.write(parts)
            .map_err(|problem| self.new.error(problem))?;
        if stops_after(Step::Parts) {
            return Ok(());
        }

        let new = of_manifest.new_file(old_manifest.as_ref(), old_manifest.is_some());
        if let Err(problem) = new.write(manifest) {
            // Only flushing its folder may have failed, and then the new manifest needs them.
            if !self.is_of_manifest(&self.new)? {
                self.new.remove()?;
            }
            return Err(of_manifest.error(problem));
        }
        if stops_after(Step::Manifest) {
            return Ok(());
        }

        self.rename_new()?;
        stops_after(Step::Renamed);
        Ok(())
    }

    /// Gives new parts their name if they belong to the manifest and the ones with the name do not.
    fn recover(&self) -> Result<(), Error> {
        if !self.is_of_manifest(&self.place.parts)? && self.is_of_manifest(&self.new)? {
            self.rename_new()?;
        }
        Ok(())
    }

    fn rename_new(&self) -> Result<(), Error> {
        let parts = &self.place.parts;
        rename(&parts.folder, &self.new.name, &parts.name).map_err(|problem| parts.error(problem))
    }

    /// Returns whether parts name the seal of the manifest. Nothing is verified: whoever opens them does
    /// that, and who can write here can also remove them.
    fn is_of_manifest(&self, parts: &Location) -> Result<bool, Error> {
        let (Some(file), Some(manifest)) =
            (parts.open_if_any()?, self.place.manifest.open_if_any()?)
        else {
            return Ok(false);
        };
        let read = || {
            let mut header = [0; Header::BYTES];
            let is_whole = ReadAt::read_at(&file, &mut header, 0)? == header.len();
            let mut tail = [0; SEAL_LINE_BYTES + 1];
            let start = manifest.len_bytes()?.saturating_sub(tail.len() as u64);
            let count = ReadAt::read_at(&manifest, &mut tail, start)?;
            let seal = Seal::of(&tail[..count]).ok();
            Ok(is_whole && seal.is_some_and(|seal| Header::seal_of(&header).is(&seal)))
        };
        read().map_err(|error| parts.error(io::<std::io::Error>("cannot be read")(error)))
    }
}
