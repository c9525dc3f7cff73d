// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A Poly1305-AES key on disk, together with the count of its nonces.
//!
//! Nonces are reserved on disk before they are handed out, so that none is handed out twice: not
//! after a crash or a power failure, not on a full disk, and not by concurrent threads or
//! processes. Any number of threads and processes may use one key file. Random bits in each nonce
//! keep copies of the file from using the same nonces.
//!
//! ```
//! use hornet_key_file::KeyFile;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("key");
//! let file = KeyFile::create(&path)?;
//! for nonce in file.reserve(2)? {
//!     let nonce = nonce?;
//!     let sent = nonce.nonce();
//!     let tag = file.key().mac(nonce, b"a message");
//!     // Send message, nonce and tag.
//! #   let _ = (sent, tag);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Copies
//!
//! A key file may be copied, restored from a backup, or rolled back with a snapshot of its disk.
//! Copies continue from the same counter, but each reservation draws 72 random bits from the
//! operating system, which are part of all its nonces. Two reservations with overlapping counters
//! share nonces only if they drew the same bits: for n reservations in all copies together, the
//! probability of this is at most n^2 / 2^73 (the birthday bound: n (n - 1) / 2 pairs, each with 1
//! / (2^72 - 1), because zero is not drawn). For 2^24 reservations, one a minute for 31 years, it
//! is 2^-25. The command `hornet bound` computes it. Within one file that was never copied, it is
//! zero.
//!
//! Random bits do not protect against copies of a running process: nonces that it has reserved and
//! not yet used exist twice. After `fork`, only the process that reserved nonces, or opened a key
//! file, can take nonces from it; another gets an error ([`Problem::OtherProcess`]), and opens the
//! file anew. On Linux from 4.14, a page of memory that the kernel clears in the copy tells; it
//! takes no system call, and holds in other namespaces and after any number of forks. Elsewhere,
//! the process id tells, which the system may give again once that process has ended. An
//! `UnusedNonce` that was taken before the `fork` exists in both.
//!
//! A process or a virtual machine whose memory is restored from a snapshot cannot tell. The same
//! holds for the random number generator, unless the operating system is notified: Linux from 5.18
//! reseeds if the host provides a generation identifier (`vmgenid`). After such a restore, discard
//! the reserved nonces and reserve others.
//!
//! To give each location its own key instead, use [`KeyFile::fork`].
//!
//! Copies that are only used for verification use no nonces: [`KeyFile::open`] and [`KeyFile::key`]
//! work on a read-only file, on one of root's that a group of this user may read, as orchestrators
//! provide secrets, on a pipe, and on file systems without locks.
//!
//! # What this depends on
//!
//! The file is replaced atomically (a temporary file in the same folder, `fsync`, `rename`, `fsync`
//! of the folder), under a lock (`flock`) on the file that has the name. Therefore:
//! - Only this crate may write the file while it is in use.
//! - The operating system's random source must work. If it fails, or returns only zeros, nothing is
//!   reserved.
//! - The file system and the disk must keep what `fsync` promises, and locks must hold for all
//!   users of the file. On a network file system, they may hold on one machine only. If there are
//!   no locks, no nonces are handed out.
//! - Where a folder cannot be flushed, a power failure may bring the file back as it was before: as
//!   a backup that is restored, whose nonces only the random bits keep apart.
//! - Only the owner may have permission to read or write the file. A file system that keeps no modes
//!   must show the file so; otherwise none is created there. The file must have one name, without
//!   other hard links. A symbolic link to it is followed and kept.
//!
//! A process that is killed while it replaces the file may leave the new file under its temporary
//! name, `.hornet-key-` and 16 hexadecimal digits. On Linux, this requires a kill between two
//! adjacent system calls. Such a file contains the key. It is never removed automatically, because
//! only its owner can tell that it is not needed.
//!
//! Every condition that can be checked is checked, and a violation is an error. Permissions beyond
//! the owner's, extended attributes and comments are not preserved. The bytes of replaced files,
//! which contain the same key, remain on the disk until they are overwritten.
//!
//! The tests kill a process at every system call, let every system call fail, and check the order
//! of the calls that matter in a power failure. They do not cut the power.
//!
//! # The format
//!
//! A key file is exactly these lines of text:
//!
//! ```text
//! hornet-poly1305-aes-key 1
//! key <64 lower-case hexadecimal digits: k, then r>
//! next-nonce <the next counter: a decimal number below 2^48>
//! check <32 lower-case hexadecimal digits>
//! ```
//!
//! A nonce has 16 bytes:
//!
//! | bytes | |
//! |---|---|
//! | 0 to 5 | the counter, in little-endian order; each value is handed out once per file |
//! | 6 to 14 | 72 random bits, the same for all nonces of a reservation, not all zero |
//! | 15 | its [`Purpose`] |
//!
//! A file hands out 2^48 - 1 nonces; after that, [`KeyFile::reserve`] fails. The random bits are
//! not stored in the file.
//!
//! The last line is the tag of the lines above it, under this key and the nonce of that counter,
//! with ones in place of the random bits and the purpose [`Purpose::KEY_FILE`]. For each key and
//! counter there is exactly one text, and therefore one message under that nonce. A damaged or
//! edited file does not match its last line and is refused.

#[cfg(not(unix))]
compile_error!(
    "hornet-poly1305-key-file needs Unix: file modes, `flock`, and a `rename` that replaces"
);

mod content;
mod error;
mod key_file;
mod lock_file;
mod locked;
mod new_file;
mod nonces;
mod place;
mod process;

#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;

pub use error::{Error, Problem};
pub use key_file::{KeyFile, parts_keys};
pub use lock_file::LockFile;
pub use new_file::{Access, NewFile, rename};
pub use nonces::{Nonces, Purpose};
pub use place::check_access;

/// The examples in README.md, tested like the ones here.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
