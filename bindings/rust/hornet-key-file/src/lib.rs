// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A Poly1305-AES key on disk, together with the next unused nonce.
//!
//! Nonces are reserved on disk before they are handed out, so that none is handed out twice: not
//! after a crash or a power cut, not on a full disk, and not by threads or processes at the same
//! time. Any number of them may use one key file.
//!
//! ```
//! use hornet_key_file::KeyFile;
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
//! **A copied key file counts from the same nonce as the original.** With both in use, two messages
//! get the same nonce. The same holds for a file restored from a backup, and for one in a snapshot
//! of a machine. Give each place a key of its own: [`KeyFile::fork`] derives one. Fork only the
//! original: two copies would derive the same key.
//!
//! Copies that are only used to verify do no harm: [`KeyFile::open`] and [`KeyFile::key`] use no
//! nonce, and work on a file that cannot be written.
//!
//! # What this depends on
//!
//! The file is replaced by a new one in a single step (a temporary file beside it, `fsync`,
//! `rename`, `fsync` of the folder), under a lock (`flock`) on the file that has the name.
//! Therefore:
//!
//! - Nothing but this crate may write the file while it is in use. Whoever can write to its folder
//!   must be trusted, because they could put back an old file.
//! - The file system and the disk must keep what `fsync` promises, and locks must hold for all users of
//!   the file. On a network file system, they may hold on one machine only.
//! - Only the owner may have permission to read or write the file. It must have one name, without
//!   other hard links. A symbolic link to it is followed and kept.
//!
//! A process that is killed while it replaces the file may leave the new one under its temporary
//! name: `.hornet-key-` and 16 hexadecimal digits. On Linux, that takes a
//! kill between two adjacent system calls. Such a file holds the key. It is never removed
//! automatically, because only its owner can tell that it is not needed.
//!
//! Whatever of this can be checked is checked, and gives an error. Permissions beyond the owner's,
//! extended attributes and comments are not kept. The bytes of replaced files, which hold the same
//! key, stay on the disk until they are overwritten.
//!
//! Tests kill a process at every system call, let every system call fail, and check the order of
//! the calls that matter in a power failure. No test has cut the power.
//!
//! # The format
//!
//! A key file is exactly these lines of text:
//!
//! ```text
//! hornet-poly1305-aes-key 1
//! key <64 lower-case hexadecimal digits: k, then r>
//! next-nonce <the next counter: a decimal number below 2^120>
//! check <32 lower-case hexadecimal digits>
//! ```
//!
//! The last line is the tag of the lines above, under this key and the nonce of that counter with
//! [`Purpose::KEY_FILE`]. For each key and counter there is exactly one text, and so one message
//! under that nonce. A file that was damaged or edited does not match its last line and is refused.
//!
//! A nonce is the counter as 15 bytes in little-endian order, followed by its [`Purpose`].

#[cfg(not(unix))]
compile_error!("hornet-key-file needs Unix: file modes, `flock`, and a `rename` that replaces");

mod content;
mod error;
mod key_file;
mod nonces;
mod place;
mod temporary;

#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;

pub use error::{Error, Problem};
pub use key_file::KeyFile;
pub use nonces::{Nonces, Purpose};

/// The examples in README.md, tested like those here.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
