// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Batches: many packets at once.

use crate::aead::cipher::{Cipher, Functions};
use crate::aead::error::{LengthError, OpenError};
use crate::aead::too_long;
use crate::batch::{CHUNK, InChunks};
use crate::ffi;
use crate::nonce::{Nonce, UnusedNonce};
use crate::tag::Tag;
use core::ffi::c_void;
use core::iter::FusedIterator;
use core::ptr;

/// A packet for [`seal_batch`]: the arguments of [`Cipher::seal_in_place`]. Nonces have 12 bytes, or
/// 24 for XChaCha20-Poly1305.
#[derive(Debug)]
pub struct PacketToSeal<'a, const NONCE_BYTES: usize = 12> {
    /// The key, which may differ between packets.
    pub key: &'a Cipher<NONCE_BYTES>,
    /// The nonce, which is consumed.
    pub nonce: UnusedNonce<NONCE_BYTES>,
    /// The associated data.
    pub aad: &'a [u8],
    /// The message, which is replaced by the ciphertext.
    pub text: &'a mut [u8],
}

/// A packet for [`open_batch`]: the arguments of [`Cipher::open_in_place`].
#[derive(Debug)]
pub struct PacketToOpen<'a, const NONCE_BYTES: usize = 12> {
    /// The key, which may differ between packets.
    pub key: &'a Cipher<NONCE_BYTES>,
    /// The nonce.
    pub nonce: Nonce<NONCE_BYTES>,
    /// The associated data.
    pub aad: &'a [u8],
    /// The ciphertext, which is replaced by the message, or by zeros.
    pub text: &'a mut [u8],
    /// The tag.
    pub tag: Tag,
}

/// Seals many packets in place. Each result is the same as from [`Cipher::seal_in_place`], but many
/// short packets are sealed faster. Lengths and keys may differ arbitrarily.
///
/// Takes packets from the iterator 64 at a time, when their tags are requested. If the tag of a
/// packet was not taken, the packet may or may not be sealed. Allocates nothing.
///
/// ```
/// use hornet::aead::{ChaCha20Poly1305, CountingNonces, PacketToSeal, seal_batch};
/// use std::iter::zip;
///
/// let key = ChaCha20Poly1305::new(&[7; 32]);
/// let nonces = CountingNonces::assume_unused_from([0; 12]);
/// let mut packets = [b"one".to_vec(), b"two, longer".to_vec()];
///
/// let batch = zip(nonces, &mut packets).map(|(nonce, text)| PacketToSeal {
///     key: &key,
///     nonce,
///     aad: b"header",
///     text,
/// });
/// let tags: Vec<_> = seal_batch(batch).collect::<Result<_, _>>()?;
/// assert_eq!(tags.len(), 2);
/// # Ok::<(), hornet::aead::LengthError>(())
/// ```
#[must_use = "nothing is sealed until the tags are taken"]
pub fn seal_batch<'a, const NONCE_BYTES: usize>(
    packets: impl IntoIterator<Item = PacketToSeal<'a, NONCE_BYTES>>,
) -> impl FusedIterator<Item = Result<Tag, LengthError>>
where
    Cipher<NONCE_BYTES>: Functions,
{
    InChunks::new(packets, Ok(Tag::ZERO), |packets, results| {
        let mut nonces = [[0; NONCE_BYTES]; CHUNK];
        let mut tags = [Tag::ZERO; CHUNK];
        let mut calls = [NO_PACKET; CHUNK];
        let mut count = 0;
        for packet in packets.take(CHUNK) {
            nonces[count] = *packet.nonce.nonce().as_bytes();
            results[count] = if too_long(packet.text.len()) {
                Err(LengthError::TooLong)
            } else {
                Ok(Tag::ZERO)
            };
            calls[count] = call(packet.key, packet.aad, packet.text);
            count += 1;
        }
        for ((call, nonce), tag) in calls.iter_mut().zip(&nonces).zip(&mut tags) {
            call.nonce = nonce.as_ptr();
            call.tag = ptr::from_mut(tag).cast();
        }
        // SAFETY: the first `count` packets are set. Everything they point to is readable. Their
        // texts are writable, and overlap nothing, because they were borrowed with `&mut`. The
        // return value is known from the lengths. The function takes nonces of `NONCE_BYTES`.
        unsafe { Cipher::<NONCE_BYTES>::SEAL_BATCH(calls.as_ptr(), count) };
        for (result, tag) in results.iter_mut().zip(tags) {
            *result = result.map(|_| tag);
        }
        count
    })
}

/// Opens many packets in place. Each result is the same as from [`Cipher::open_in_place`], but many
/// short packets are opened faster. Each tag is compared in constant time.
///
/// Returns one result for each packet, in order. A packet that is refused is filled with zeros; all
/// others are opened. **A packet whose result was not taken** may contain a message that was not
/// authenticated, or its ciphertext. Takes packets from the iterator like [`seal_batch`].
///
/// ```
/// use hornet::aead::{ChaCha20Poly1305, Nonce, OpenError, PacketToOpen, UnusedNonce, open_batch};
///
/// let key = ChaCha20Poly1305::new(&[7; 32]);
/// let mut texts = [*b"a message", *b"forgeries"];
/// let tag = key.seal_in_place(UnusedNonce::assume_unused([1; 12]), b"", &mut texts[0])?;
///
/// let received = texts.each_mut().map(|text| PacketToOpen {
///     key: &key,
///     nonce: Nonce::new([1; 12]),
///     aad: b"",
///     text,
///     tag,
/// });
/// let results: Vec<_> = open_batch(received).collect();
/// assert_eq!(results, [Ok(()), Err(OpenError::Mismatch)]);
/// assert_eq!(texts, [*b"a message", [0; 9]]);
/// # Ok::<(), hornet::aead::LengthError>(())
/// ```
#[must_use = "nothing is opened until the results are taken"]
pub fn open_batch<'a, const NONCE_BYTES: usize>(
    packets: impl IntoIterator<Item = PacketToOpen<'a, NONCE_BYTES>>,
) -> impl FusedIterator<Item = Result<(), OpenError>>
where
    Cipher<NONCE_BYTES>: Functions,
{
    InChunks::new(packets, Ok(()), |packets, results| {
        let mut nonces = [[0; NONCE_BYTES]; CHUNK];
        let mut tags = [Tag::ZERO; CHUNK];
        let mut calls = [NO_PACKET; CHUNK];
        let mut valid = [false; CHUNK];
        let mut count = 0;
        for packet in packets.take(CHUNK) {
            nonces[count] = *packet.nonce.as_bytes();
            tags[count] = packet.tag;
            results[count] = if too_long(packet.text.len()) {
                Err(LengthError::TooLong.into())
            } else {
                Ok(())
            };
            calls[count] = call(packet.key, packet.aad, packet.text);
            count += 1;
        }
        for ((call, nonce), tag) in calls.iter_mut().zip(&nonces).zip(&mut tags) {
            call.nonce = nonce.as_ptr();
            call.tag = ptr::from_mut(tag).cast();
        }
        // SAFETY: as in `seal_batch`.
        unsafe { Cipher::<NONCE_BYTES>::OPEN_BATCH(valid.as_mut_ptr(), calls.as_ptr(), count) };
        for (result, valid) in results.iter_mut().zip(valid) {
            *result = result.and(if valid {
                Ok(())
            } else {
                Err(OpenError::Mismatch)
            });
        }
        count
    })
}

const NO_PACKET: ffi::hornet_packet = ffi::hornet_packet {
    out: ptr::null_mut(),
    in_: ptr::null(),
    len_bytes: 0,
    aad: ptr::null(),
    aad_bytes: 0,
    nonce: ptr::null(),
    key: ptr::null(),
    tag: ptr::null_mut(),
};

/// Describes a packet without its nonce and tag: their addresses are known when all packets have
/// been collected.
fn call<const NONCE_BYTES: usize>(
    key: &Cipher<NONCE_BYTES>,
    aad: &[u8],
    text: &mut [u8],
) -> ffi::hornet_packet {
    let (out, len_bytes) = (text.as_mut_ptr().cast::<c_void>(), text.len());
    ffi::hornet_packet {
        out,
        in_: out,
        len_bytes,
        aad: aad.as_ptr().cast(),
        aad_bytes: aad.len(),
        key: key.as_ptr(),
        ..NO_PACKET
    }
}
