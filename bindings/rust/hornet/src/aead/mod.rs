// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20-Poly1305 (RFC 8439, section 2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03):
//! encrypt a message, and authenticate it together with associated data, which stays readable.
//!
//! **One nonce, one message.** Sealing two messages under one key and nonce gives away both, and
//! the ability to forge others. Every function that seals therefore takes an [`UnusedNonce`] by
//! value, which is neither `Clone` nor `Copy`; opening takes any [`Nonce`]. [`CountingNonces`]
//! count up and end before they repeat. The 24-byte nonces of XChaCha20-Poly1305 are long enough to
//! be chosen at random: [`UnusedNonce::random`].
//!
//! ```
//! use hornet::aead::{ChaCha20Poly1305, CountingNonces};
//!
//! let key = ChaCha20Poly1305::new(&[7; 32]);
//! // The key is new, and nothing else seals under it.
//! let mut nonces = CountingNonces::assume_unused_from([0; 12]);
//!
//! let unused = nonces.next().expect("there are 2^64");
//! let nonce = unused.nonce();
//! let mut text = *b"a message";
//! let tag = key.seal_in_place(unused, b"associated data", &mut text)?;
//!
//! // The receiver has nonce, associated data, ciphertext and tag.
//! key.open_in_place(&nonce, b"associated data", &mut text, &tag)?;
//! assert_eq!(&text, b"a message");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Cipher::seal`] and [`Cipher::open`] leave their input unchanged and write elsewhere;
//! `seal_to_vec` and `open_to_vec` (feature `alloc`) return a `Vec`; [`seal_batch`] and
//! [`open_batch`] process many packets at once; [`Sealer`] and [`Opener`] process a message in
//! pieces. Nothing else allocates. If a tag does not match, opening a whole
//! message or a batch leaves zeros in place of that message.
//!
//! The features `aead` and `aead-05` implement the traits of the crate `aead`, versions 0.6 and 0.5,
//! for both ciphers. These traits take any nonce, also for encryption; the caller must ensure that
//! none repeats.

mod batch;
mod cipher;
mod error;
mod pieces;
#[cfg(test)]
mod tests;
#[cfg(feature = "aead")]
mod traits;
#[cfg(feature = "aead-05")]
mod traits_05;

pub use crate::nonce::{CountingNonces, Nonce, UnusedNonce};
pub use batch::{PacketToOpen, PacketToSeal, open_batch, seal_batch};
pub use cipher::{ChaCha20Poly1305, Cipher, XChaCha20Poly1305};
pub use error::{LengthError, OpenError};
pub use pieces::{Opener, Sealer};

/// The maximum length of a message in bytes: 2^38 - 64.
pub const MAX_BYTES: u64 = (1 << 38) - 64;

/// Whether a message is longer than `MAX_BYTES`.
pub(crate) fn too_long(len_bytes: usize) -> bool {
    u64::try_from(len_bytes).is_ok_and(|len_bytes| len_bytes > MAX_BYTES)
}
