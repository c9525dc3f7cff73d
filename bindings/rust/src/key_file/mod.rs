//! A key of Poly1305-AES on disk, together with the next nonce that no message has had.
//!
//! Nonces are set aside on disk before they are handed out, so that none is handed out twice: not
//! after a crash or a power cut, not on a full disk, and not by threads or processes at the same
//! time, of which any number may use one key file.
//!
//! ```
//! use hornet::key_file::KeyFile;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("key");
//! let file = KeyFile::create(&path)?;
//! for nonce in file.reserve(2)? {
//!     let sent = *nonce.as_bytes();
//!     let tag = file.key().mac(nonce, b"a message");
//!     // Send message, nonce and tag.
//! #   let _ = (sent, tag);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Copies
//!
//! **A copied key file counts from the same nonce as the original**, and with both in use, nonces
//! have two messages. So has a file that was restored from a backup, and one in the snapshot of a
//! machine. Give each place a key of its own: [`KeyFile::fork`] writes one. Fork the one file that
//! is not copied: two copies would derive the same key.
//!
//! Copies that only verify do no harm: [`KeyFile::open`] and [`KeyFile::key`] use no nonce, and work
//! on a file that cannot be written.
//!
//! # What it rests on
//!
//! The file is replaced by a new one in a single step (a temporary file beside it, `fsync`,
//! `rename`, `fsync` of the folder), under a lock (`flock`) on the file that has the name. Therefore:
//!
//! - Nothing but this module writes the file while it is in use, and whoever can write to its folder
//!   is trusted: they could put an old file back.
//! - The file system and the disk keep what `fsync` promises, and locks hold for all who use the
//!   file. On a network file system, they may hold for one machine only.
//! - Only its owner can read and write the file. It has one name, no hard links. A symbolic link to
//!   it is followed, and stays.
//!
//! What is not so, and can be seen, is an error. Permissions beyond the owner's, attributes and
//! comments are not kept. The bytes of replaced files, which hold the same key, stay on the disk
//! until it puts others there.
//!
//! Tests kill it at every system call, let every system call fail, and check the order of those that
//! a power cut depends on. No test has cut the power.
//!
//! # The file
//!
//! Text, with nothing before, between or after these lines:
//!
//! ```text
//! hornet-poly1305-aes-key 1
//! key <64 lower-case hexadecimal digits: k, then r>
//! next-nonce <the next counter: a decimal number below 2^120>
//! check <32 hexadecimal digits>
//! ```
//!
//! The last line is the tag of those above, under this key and a nonce of that counter with
//! [`Purpose::KEY_FILE`]. For each counter there is one text, and so one message. A file that was
//! damaged, or edited by hand, does not fit its last line and is refused.
//!
//! A nonce is the counter in 15 bytes, the least first, and then its [`Purpose`].

mod content;
mod error;
mod nonces;
mod place;

pub use error::{Error, Problem};
pub use nonces::{Nonces, Purpose};

use crate::aes;
use content::Content;
use place::{Identity, Place, identity};
use std::fs::{self, Metadata};
use std::path::Path;
use zeroize::Zeroizing;

/// A key on disk, and where its next nonces come from. See the [module](self) for what it promises.
///
/// The key is read once, and overwritten when dropped. The count of nonces is not kept: each
/// [`reserve`](Self::reserve) reads and replaces the file anew.
#[derive(Debug)]
pub struct KeyFile {
    place: Place,
    key: aes::Key,
    /// As it was opened or created.
    identity: Identity,
}

impl KeyFile {
    /// Makes a random key and writes it to a new file, which only its owner can read. Nothing is
    /// ever overwritten.
    ///
    /// Until it is complete, the file has a name that begins with a dot and ends in a random number.
    /// A crash may leave it: a key that was never used.
    ///
    /// # Errors
    ///
    /// [`Error`] if something has that name already, or if the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let create = || {
            let mut bytes = Zeroizing::new([0; aes::Key::BYTES]);
            getrandom::fill(&mut *bytes)
                .map_err(|error| Problem::Io("no random bytes for a key", error.into()))?;
            Self::create_with(path, aes::Key::clamped(&bytes))
        };
        create().map_err(|problem| Error::new(path, problem))
    }

    /// Reads a key file.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot be read, or if file or text are not as the [module](self) says.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let open = || {
            let place = Place::of(path)?;
            let (content, identity) = place.read()?;
            Ok(Self {
                place,
                key: content.key,
                identity,
            })
        };
        open().map_err(|problem| Error::new(path, problem))
    }

    /// The key, as it was when the file was opened or created.
    #[must_use]
    pub fn key(&self) -> &aes::Key {
        &self.key
    }

    /// Sets nonces aside: on disk, the count goes on behind them before this returns. Waits while
    /// another thread or process does the same.
    ///
    /// Takes as long as two `fsync` do. Who has many messages sets many nonces aside at once; those
    /// not used are lost, and there are 2^120. To set aside none only checks the file.
    ///
    /// Where the path led when the file was opened, there it is read and written again. If another
    /// file stands there now, with the same key, its nonces are taken.
    ///
    /// # Errors
    ///
    /// [`Error`], and no nonce, if the file cannot be read or written, if it is no longer as the
    /// [module](self) says, if it holds another key now, or if there are not so many nonces left.
    /// The file is then as it was, or counts on behind nonces that no one got.
    pub fn reserve(&self, count: u64) -> Result<Nonces, Error> {
        self.try_reserve(count)
            .map_err(|problem| Error::new(self.place.shown(), problem))
    }

    /// Derives another key from this one, and writes it to a new file with nonces of its own. It
    /// tells nothing about this key, nor about others derived from it.
    ///
    /// The key is k' = `AES_k(n)` and r' = `AES_k(n + 1)`, clamped, where n and n + 1 are nonces set
    /// aside with [`Purpose::FORK`].
    ///
    /// # Errors
    ///
    /// [`Error`] as of [`reserve`](Self::reserve) about this file, or as of
    /// [`create`](Self::create) about the new one.
    pub fn fork(&self, path: &Path) -> Result<Self, Error> {
        let mut nonces = self.reserve(2)?;
        let mut bytes = Zeroizing::new([0; aes::Key::BYTES]);
        for half in bytes.chunks_exact_mut(aes::Nonce::BYTES) {
            let nonce = nonces
                .next_with(Purpose::FORK)
                .ok_or_else(|| Error::new(self.place.shown(), Problem::Exhausted))?;
            half.copy_from_slice(&*self.key.pad(&nonce));
        }
        Self::create_with(path, aes::Key::clamped(&bytes))
            .map_err(|problem| Error::new(path, problem))
    }

    /// Whether that is the key file, as it was when opened or as it is now: so as not to take it for
    /// a message by mistake.
    #[must_use]
    pub fn is(&self, metadata: &Metadata) -> bool {
        let that = identity(metadata);
        let now = fs::metadata(self.place.path());
        that == self.identity || now.is_ok_and(|now| that == identity(&now))
    }

    fn create_with(path: &Path, key: aes::Key) -> Result<Self, Problem> {
        let place = Place::of_new(path)?;
        let identity = place.create(&content::text(&key, 0))?;
        Ok(Self {
            place,
            key,
            identity,
        })
    }

    fn try_reserve(&self, count: u64) -> Result<Nonces, Problem> {
        let next = |content: &Content| {
            if content.key.is(&self.key) {
                Ok(content.next)
            } else {
                Err(Problem::OtherKey)
            }
        };
        if count == 0 {
            let (content, _) = self.place.read()?;
            return Ok(Nonces::new(next(&content)?, 0));
        }
        self.place.update(|content| {
            let start = next(content)?;
            // Below 2^121.
            let behind = start + u128::from(count);
            if behind >= nonces::COUNTERS {
                return Err(Problem::Exhausted);
            }
            let text = content::text(&content.key, behind);
            Ok((Nonces::new(start, count), text))
        })
    }
}
