// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Key files: creating, opening, reserving nonces and deriving other keys.

use crate::content::{self, Content};
use crate::error::{Error, Problem};
use crate::lock_file::identity;
use crate::locked::Locked;
use crate::nonces::{COUNTERS, Nonces, Purpose, Random};
use crate::place::{Place, Version, read_pipe, version};
use crate::process::Process;
use hornet::aead::XChaCha20Poly1305;
use hornet::aes::{self, PartsKey, UnusedNonce};
use std::fs::{self, Metadata};
use std::iter::zip;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// A key on disk, and the source of its nonces. The [crate documentation](crate) lists the
/// guarantees.
///
/// The key is read once, into its own page of memory. The page is locked if the limit on locked
/// memory allows it, and wiped when dropped. The count of nonces is not kept in memory: each
/// [`reserve`](Self::reserve) reads and replaces the file.
///
/// After `fork`, only the process that opened it can reserve nonces; another opens the file anew.
/// Both can verify.
#[derive(Debug)]
pub struct KeyFile {
    origin: Origin,
    key: Locked,
    /// The file that was opened or created.
    version: Version,
    /// The process that opened it.
    process: Process,
}

/// Where a key comes from.
#[derive(Debug)]
enum Origin {
    Place(Place),
    /// A pipe, or a file without a name: its path, and the next counter.
    Pipe(PathBuf, u64),
}

impl Origin {
    fn place(&self) -> Result<&Place, Problem> {
        match self {
            Self::Place(place) => Ok(place),
            Self::Pipe(..) => Err(Problem::NoFile),
        }
    }

    /// Returns the path that the caller gave.
    fn shown(&self) -> &Path {
        match self {
            Self::Place(place) => place.shown(),
            Self::Pipe(path, _) => path,
        }
    }
}

impl KeyFile {
    /// Generates a random key and writes it to a new file with mode 0600. Never overwrites
    /// anything.
    ///
    /// On Linux, the file has no name until it is complete. On other systems, and on file systems
    /// that do not support this, it has a temporary name, which begins with a dot and ends in a
    /// random number, or even [its own name](crate::NewFile). A crash may leave such a file behind;
    /// its key was never used.
    ///
    /// # Errors
    ///
    /// [`Error`] if a file with that name exists, or if the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let create = || {
            let key = Locked::new(|bytes| {
                getrandom::fill(bytes)
                    .map_err(|error| Problem::Io("no random bytes for a key", error.into()))?;
                aes::Key::clamp(bytes);
                Ok(())
            })?;
            Self::create_with(path, key)
        };
        create().map_err(|problem| Error::new(path, problem))
    }

    /// Reads a key file.
    ///
    /// For reading, the file may also belong to root, its group may have permission to read it, and
    /// it may be a pipe, which is read to its end. [`reserve`](Self::reserve) then fails.
    ///
    /// # Errors
    ///
    /// [`Error`] if the file cannot be read, or if the file or its text does not meet the
    /// requirements in the [crate documentation](crate).
    pub fn open(path: &Path) -> Result<Self, Error> {
        let open = || {
            let (origin, (content, version)) = if let Some(place) = Place::of(path)? {
                let read = place.read()?;
                (Origin::Place(place), read)
            } else {
                let read = read_pipe(path)?;
                (Origin::Pipe(path.into(), read.0.next), read)
            };
            Ok(Self {
                origin,
                key: content.key,
                version,
                process: Process::current(),
            })
        };
        open().map_err(|problem| Error::new(path, problem))
    }

    /// Returns the key that the file contained when it was opened or created.
    #[must_use]
    pub fn key(&self) -> &aes::Key {
        self.key.key()
    }

    /// Reserves `count` nonces: before this function returns, the count on disk has advanced beyond
    /// them. Waits while another thread or process reserves nonces.
    ///
    /// The nonces have consecutive counters, and share [72 random bits](Nonces::RANDOM_BITS), which
    /// are drawn from the operating system for this reservation. They therefore differ from nonces
    /// that are reserved in a copy of the file, or that were reserved before the file was restored
    /// from a backup.
    ///
    /// A reservation takes the time of two `fsync` calls, so for many messages, reserve many nonces
    /// at once. Nonces that are not used are lost; a file gives out 2^48 - 1 in total. Reserving 0
    /// nonces checks the file and waits for its lock, but writes nothing.
    ///
    /// The file is read and replaced at the location to which the path led when it was opened. If
    /// another file with the same key is there now, nonces are reserved in that file.
    ///
    /// # Errors
    ///
    /// [`Error`] if the file cannot be read or written, no longer meets the requirements in the
    /// [crate documentation](crate), now contains another key, or has fewer than `count` nonces
    /// left, if another process opened it, of which `fork` made this one, or if the operating
    /// system provides no random bits. The file is then unchanged, or its count is beyond nonces
    /// that were not handed out.
    pub fn reserve(&self, count: u64) -> Result<Nonces, Error> {
        self.try_reserve(count)
            .map_err(|problem| Error::new(self.origin.shown(), problem))
    }

    /// Derives another key from this one, and writes it to a new file that counts its own nonces.
    /// The new key reveals nothing about this key or about other keys derived from it.
    ///
    /// The new key is k' = `AES_k(n)` and r' = `AES_k(m)`, clamped, where n and m are two nonces
    /// reserved for [`Purpose::FORK`]. Each call derives a different key, even from a copy of the
    /// file.
    ///
    /// # Errors
    ///
    /// [`Error`] like [`reserve`](Self::reserve) for this file, or like [`create`](Self::create)
    /// for the new one.
    pub fn fork(&self, path: &Path) -> Result<Self, Error> {
        let mut nonces = self.reserve(2)?;
        let key = Locked::new(|bytes| {
            for half in bytes.chunks_exact_mut(aes::Nonce::BYTES) {
                let nonce = nonces.next_with(Purpose::FORK).ok_or(Problem::Exhausted)?;
                let nonce = nonce.map_err(|_| Problem::OtherProcess)?;
                half.copy_from_slice(&*self.key().pad(nonce));
            }
            aes::Key::clamp(bytes);
            Ok(())
        });
        let key = key.map_err(|problem| Error::new(self.origin.shown(), problem))?;
        Self::create_with(path, key).map_err(|problem| Error::new(path, problem))
    }

    /// Derives 32 bytes for a use other than messages, such as the key of a cipher: the same for a
    /// number every time, from copies of the file too. They reveal nothing about the key or about
    /// what other numbers give.
    ///
    /// They are the pads of two nonces of [`Purpose::DERIVED`], which no message gets. It needs no
    /// access to the file.
    #[must_use]
    pub fn derive(&self, number: u8) -> Zeroizing<[u8; 32]> {
        derived(self.key(), number.into())
    }

    /// Returns whether `metadata` is that of the key file, either as it was when opened or as it is
    /// now. A program can use this to avoid authenticating the key file as a message.
    #[must_use]
    pub fn is(&self, metadata: &Metadata) -> bool {
        let that = identity(metadata);
        let is_now = |place: &Place| {
            let now = fs::metadata(place.path());
            now.is_ok_and(|now| that == identity(&now))
        };
        version(metadata) == self.version || self.origin.place().is_ok_and(is_now)
    }

    /// Returns the counter of the next nonce that the file hands out; see
    /// [`Nonces::counter_of`](crate::Nonces::counter_of). Reads the file, unless it is a pipe.
    ///
    /// # Errors
    ///
    /// [`Error`] like [`reserve`](Self::reserve).
    pub fn next_counter(&self) -> Result<u64, Error> {
        let place = match &self.origin {
            Origin::Place(place) => place,
            Origin::Pipe(_, next) => return Ok(*next),
        };
        match place.read() {
            Ok((content, _)) if is_same(content.key.key(), self.key()) => Ok(content.next),
            Ok(_) => Err(Error::new(self.origin.shown(), Problem::OtherKey)),
            Err(problem) => Err(Error::new(self.origin.shown(), problem)),
        }
    }

    fn create_with(path: &Path, key: Locked) -> Result<Self, Problem> {
        let place = Place::of_new(path)?;
        let version = place.create(&content::text(key.key(), 0))?;
        Ok(Self {
            origin: Origin::Place(place),
            key,
            version,
            process: Process::current(),
        })
    }

    fn try_reserve(&self, count: u64) -> Result<Nonces, Problem> {
        if !self.process.is_current() {
            return Err(Problem::OtherProcess);
        }
        let place = self.origin.place()?;
        let nonces = |start, random| Nonces::new(place.shown(), self.process, start, count, random);
        let next = |content: &Content| {
            if is_same(content.key.key(), self.key()) {
                Ok(content.next)
            } else {
                Err(Problem::OtherKey)
            }
        };
        if count == 0 {
            return place.update(|content| Ok((nonces(next(content)?, Random::KEY_FILE), None)));
        }
        let random = Random::draw()?;
        place.update(|content| {
            let start = next(content)?;
            let end = start.checked_add(count).filter(|&end| end < COUNTERS);
            let end = end.ok_or(Problem::Exhausted)?;
            let text = content::text(content.key.key(), end);
            Ok((nonces(start, random), Some(text)))
        })
    }
}

/// Returns the pads of two nonces of [`Purpose::DERIVED`].
fn derived(key: &aes::Key, number: u64) -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new([0; 32]);
    let halves = bytes.chunks_exact_mut(aes::Nonce::BYTES);
    for (counter, half) in (2 * number..).zip(halves) {
        let nonce = Purpose::DERIVED.nonce(counter, Random::KEY_FILE);
        half.copy_from_slice(&*key.pad(UnusedNonce::assume_unused(nonce)));
    }
    bytes
}

/// The numbers of the derived keys of parts files, above those that [`KeyFile::derive`] takes.
const PARTS: [u64; 2] = [1 << 8, (1 << 8) + 1];

/// Derives the two keys of the parts files of a key: one that seals their values, and one for
/// XChaCha20-Poly1305 that seals their index. They are derived like those of [`KeyFile::derive`], and
/// differ from all of them.
#[must_use]
pub fn parts_keys(key: &aes::Key) -> (PartsKey, XChaCha20Poly1305) {
    let [values, index] = PARTS.map(|number| derived(key, number));
    (PartsKey::new(&values), XChaCha20Poly1305::new(&index))
}

/// Compares two keys in constant time.
fn is_same(one: &aes::Key, other: &aes::Key) -> bool {
    let differences = zip(one.as_bytes(), other.as_bytes()).map(|(one, other)| one ^ other);
    differences.fold(0, |all, difference| all | difference) == 0
}
