// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The cipher of SSH packets that is called chacha20-poly1305@openssh.com
//! (draft-ietf-sshm-chacha20-poly1305-04, before that OpenSSH's PROTOCOL.chacha20poly1305).
//!
//! A packet is encrypted and decrypted in place:
//!
//! | part | bytes | |
//! |---|---|---|
//! | length | 4 | that of the text, most significant byte first |
//! | text | 0 to 2^32 - 1 | what SSH calls padding length, payload and padding; the cipher does not read it |
//! | tag | 16 | of length and text, as they are encrypted |
//!
//! Length and text are encrypted under two keys, so that who receives a packet can tell its length
//! before all of it has arrived.
//!
//! **One sequence number, one packet.** The nonce is the packet's sequence number in its direction.
//! SSH derives new keys before the number of 32 bits comes again. Sealing two packets under one key
//! and number gives away both, and the ability to forge others.
//!
//! ```
//! use hornet::ssh::{self, Key};
//!
//! let key = Key::new(&[7; 64]);
//! let text = b"\x06a message\0\0\0\0\0\0";
//! let mut packet = [0; ssh::LENGTH_BYTES + 16 + ssh::TAG_BYTES];
//! packet[ssh::LENGTH_BYTES..][..16].copy_from_slice(text);
//! key.seal(3, &mut packet)?;
//!
//! // The receiver gets the length first, and checks it before it waits for the rest.
//! let (encrypted, _) = packet.split_first_chunk().expect("it has 36 bytes");
//! assert_eq!(key.packet_length(3, encrypted), 16);
//! assert_eq!(key.open(3, &mut packet)?, text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::batch::{CHUNK, InChunks};
use crate::ffi;
use crate::key::{from_bytes, wiped_key};
use crate::tag::{Mismatch, Tag};
use core::error::Error;
use core::fmt;
use core::iter::FusedIterator;
use core::ptr;

/// The number of bytes of the length before the text.
pub const LENGTH_BYTES: usize = 4;

/// The number of bytes of the tag after the text.
pub const TAG_BYTES: usize = Tag::BYTES;

/// The number of bytes by which a packet is longer than its text.
pub const OVERHEAD_BYTES: usize = LENGTH_BYTES + TAG_BYTES;

/// The key of one direction of a connection. Wiped when dropped.
///
/// It has neither `==` nor `Clone`: keep it where it was created, and pass it by reference. Moving a
/// value leaves a copy behind. Where that matters, keep the bytes in one place, and get a `&Key`
/// from [`from_ref`](Self::from_ref).
#[repr(transparent)]
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// The length of a key in bytes: 64.
    pub const BYTES: usize = 64;

    /// Copies the bytes of a key, as SSH derives it: that of texts, then that of lengths. The caller
    /// should wipe its own copy.
    #[must_use]
    pub const fn new(key: &[u8; Key::BYTES]) -> Self {
        Self(*key)
    }

    /// Returns a key that stays where it is, for instance in memory that is never written to disk.
    /// Copies nothing and wipes nothing.
    #[must_use]
    pub const fn from_ref(key: &[u8; Key::BYTES]) -> &Self {
        // SAFETY: `repr(transparent)` gives a key the layout of its bytes.
        unsafe { &*ptr::from_ref(key).cast() }
    }

    /// Seals a packet in place: writes the length of its text to the first 4 bytes, encrypts both,
    /// and writes the tag to the last 16. No other packet under this key may have this sequence
    /// number.
    ///
    /// # Errors
    ///
    /// [`LengthError`]
    pub fn seal(&self, sequence: u32, packet: &mut [u8]) -> Result<(), LengthError> {
        let len_bytes = text_bytes(packet)?;
        // SAFETY: `packet` has 4 + `len_bytes` + 16 bytes, which are readable and writable, and the
        // key 64.
        unsafe { ffi::hornet_ssh_seal(packet.as_mut_ptr(), len_bytes, sequence, self.0.as_ptr()) };
        Ok(())
    }

    /// Returns the length of the text of a packet, whose first 4 bytes these are: the packet has
    /// [`OVERHEAD_BYTES`] more. **It is not authentic** until [`open`](Self::open) has returned `Ok`:
    /// check it against a limit before you wait for the rest.
    #[must_use]
    pub fn packet_length(&self, sequence: u32, encrypted: &[u8; LENGTH_BYTES]) -> u32 {
        // SAFETY: there are 4 bytes, and the key has 64.
        unsafe { ffi::hornet_ssh_packet_length(encrypted.as_ptr(), sequence, self.0.as_ptr()) }
    }

    /// Decrypts the text of a packet in place, and returns it, if the tag matches length and text as
    /// they are encrypted, the sequence number and the key. The tag is compared in constant time.
    /// The length stays encrypted.
    ///
    /// # Errors
    ///
    /// [`OpenError::Mismatch`] if it does not match. The text is then filled with zeros, and SSH
    /// ends the connection.
    pub fn open<'a>(&self, sequence: u32, packet: &'a mut [u8]) -> Result<&'a mut [u8], OpenError> {
        let len_bytes = text_bytes(packet)?;
        // SAFETY: as in `seal`.
        let valid = unsafe {
            ffi::hornet_ssh_open(packet.as_mut_ptr(), len_bytes, sequence, self.0.as_ptr())
        };
        verdict(valid)?;
        let end = packet.len() - TAG_BYTES;
        Ok(&mut packet[LENGTH_BYTES..end])
    }
}

/// A packet for [`seal_batch`] or [`open_batch`]: the arguments of [`Key::seal`] or [`Key::open`].
#[derive(Debug)]
pub struct Packet<'a> {
    /// The key, which may differ between packets.
    pub key: &'a Key,
    /// The sequence number.
    pub sequence: u32,
    /// The whole packet: length, text and tag.
    pub packet: &'a mut [u8],
}

/// Seals many packets in place. Each result is the same as from [`Key::seal`], but many short
/// packets are sealed faster. Lengths and keys may differ arbitrarily.
///
/// Takes packets from the iterator 64 at a time, when their results are requested. If the result of
/// a packet was not taken, the packet may or may not be sealed. Allocates nothing.
///
/// ```
/// use hornet::ssh::{Key, Packet, open_batch, seal_batch};
/// use std::iter::zip;
///
/// fn numbered<'a>(key: &'a Key, packets: &'a mut [[u8; 36]]) -> impl Iterator<Item = Packet<'a>> {
///     zip(7.., packets).map(move |(sequence, packet)| Packet { key, sequence, packet })
/// }
///
/// let key = Key::new(&[7; 64]);
/// let mut packets = [[1; 36], [2; 36]];
/// seal_batch(numbered(&key, &mut packets)).collect::<Result<(), _>>()?;
///
/// packets[1][4] ^= 1;
/// let results: Vec<_> = open_batch(numbered(&key, &mut packets)).collect();
/// assert!(results[0].is_ok() && results[1].is_err());
/// assert_eq!(packets[0][4..20], [1; 16]);
/// # Ok::<(), hornet::ssh::LengthError>(())
/// ```
#[must_use = "nothing is sealed until the results are taken"]
pub fn seal_batch<'a>(
    packets: impl IntoIterator<Item = Packet<'a>>,
) -> impl FusedIterator<Item = Result<(), LengthError>> {
    InChunks::new(packets, Ok(()), |packets, results| {
        let (calls, right, count) = calls(packets, results);
        // SAFETY: the first `right` packets are set. They are readable and writable, and overlap
        // nothing, because they were borrowed with `&mut`.
        unsafe { ffi::hornet_ssh_seal_batch(calls.as_ptr(), right) };
        count
    })
}

/// Opens many packets in place. Each result is that of [`Key::open`] without the text, but many
/// short packets are opened faster. Each tag is compared in constant time.
///
/// Returns one result for each packet, in order. The text of a packet whose tag is refused is filled
/// with zeros; all others are opened. **A packet whose result was not taken** may contain a text that
/// was not authenticated, or its ciphertext. Takes packets from the iterator like [`seal_batch`].
#[must_use = "nothing is opened until the results are taken"]
pub fn open_batch<'a>(
    packets: impl IntoIterator<Item = Packet<'a>>,
) -> impl FusedIterator<Item = Result<(), OpenError>> {
    InChunks::new(packets, Ok(()), |packets, results| {
        let mut valid = [false; CHUNK];
        let (calls, right, count) = calls(packets, results);
        // SAFETY: as in `seal_batch`.
        unsafe { ffi::hornet_ssh_open_batch(valid.as_mut_ptr(), calls.as_ptr(), right) };
        let of_right_length = results[..count].iter_mut().filter(|result| result.is_ok());
        for (result, valid) in of_right_length.zip(valid) {
            *result = verdict(valid);
        }
        count
    })
}

/// Takes up to `CHUNK` packets, writes for each whether its length is right, and describes those of
/// right length for C. Returns these, their number, and that of all.
fn calls<'a, E: From<LengthError>>(
    packets: &mut impl Iterator<Item = Packet<'a>>,
    results: &mut [Result<(), E>; CHUNK],
) -> ([ffi::hornet_ssh_packet; CHUNK], usize, usize) {
    let mut calls = [NO_PACKET; CHUNK];
    let (mut right, mut count) = (0, 0);
    for (
        Packet {
            key,
            sequence,
            packet,
        },
        result,
    ) in packets.take(CHUNK).zip(results)
    {
        *result = match text_bytes(packet) {
            Ok(len_bytes) => {
                calls[right] = ffi::hornet_ssh_packet {
                    packet: packet.as_mut_ptr(),
                    len_bytes,
                    sequence,
                    key: key.0.as_ptr(),
                };
                right += 1;
                Ok(())
            }
            Err(error) => Err(error.into()),
        };
        count += 1;
    }
    (calls, right, count)
}

const NO_PACKET: ffi::hornet_ssh_packet = ffi::hornet_ssh_packet {
    packet: ptr::null_mut(),
    len_bytes: 0,
    sequence: 0,
    key: ptr::null(),
};

/// Returns the length of the text of a packet.
fn text_bytes(packet: &[u8]) -> Result<u32, LengthError> {
    let text_bytes = packet.len().checked_sub(OVERHEAD_BYTES);
    text_bytes
        .and_then(|len_bytes| len_bytes.try_into().ok())
        .ok_or(LengthError(packet.len()))
}

fn verdict(valid: bool) -> Result<(), OpenError> {
    valid.then_some(()).ok_or(OpenError::Mismatch)
}

wiped_key!(Key);
from_bytes!(Key, Key::BYTES);

/// A packet has this number of bytes, which is less than [`OVERHEAD_BYTES`], or more than 2^32 - 1
/// beyond it. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError(pub usize);

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an SSH packet has 20 to 2^32 + 19 bytes; found {}",
            self.0
        )
    }
}

impl Error for LengthError {}

/// A packet cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// The tag does not match this length, ciphertext, sequence number and key: one of them was
    /// changed. The text was replaced by zeros.
    Mismatch,
    /// The packet has a length that is not allowed. Nothing was written.
    Length(LengthError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch => Mismatch.fmt(f),
            Self::Length(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}

impl From<LengthError> for OpenError {
    fn from(error: LengthError) -> Self {
        Self::Length(error)
    }
}

#[cfg(test)]
mod tests;
