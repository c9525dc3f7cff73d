// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A peer of the bench for each feature, with the functions that tools/measure/peer.h describes.

// A feature may need only one of the macros.
#![allow(unused_macros, unused_imports)]

#[cfg(feature = "graviola")]
mod graviola;
#[cfg(feature = "libcrux")]
mod libcrux;
#[cfg(feature = "ring")]
mod ring;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;

pub(crate) type Tag = [u8; 16];

/// What is sealed or opened; `out` is as long as `input`.
pub(crate) struct Text<'a> {
    pub(crate) out: &'a mut [u8],
    pub(crate) input: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) nonce: &'a [u8; 12],
}

/// A key of ChaCha20-Poly1305.
pub(crate) trait Keyed {
    fn new(key: &[u8; 32]) -> Self;

    fn seal(&self, text: Text) -> Option<Tag>;

    fn open(&self, text: Text, tag: &Tag) -> bool;
}

/// Exports Poly1305: a function of the key and the message.
macro_rules! mac {
    ($tag:expr) => {
        #[unsafe(no_mangle)]
        extern "C" fn peer_mac(tag: *mut u8, msg: *const u8, len_bytes: usize, key: *const u8) {
            // SAFETY: the bench passes pointers that are valid for these lengths; an empty message may be null.
            unsafe {
                let msg = crate::bytes(msg, len_bytes);
                let made: crate::Tag = $tag(&*key.cast::<[u8; 32]>(), msg);
                tag.cast::<crate::Tag>().write(made);
            }
        }
    };
}

/// Exports ChaCha20-Poly1305 of a type that is `Keyed`.
macro_rules! aead {
    ($type:ty) => {
        static mut KEYED: Option<$type> = None;

        fn keyed() -> &'static $type {
            // SAFETY: the bench has one thread, and calls `peer_key` first.
            unsafe { (*(&raw const KEYED)).as_ref().expect("there is a key") }
        }

        #[unsafe(no_mangle)]
        extern "C" fn peer_key(key: *const u8) {
            // SAFETY: the bench has one thread, and a key has 32 bytes.
            unsafe { KEYED = Some(<$type as crate::Keyed>::new(&*key.cast())) };
        }

        #[unsafe(no_mangle)]
        extern "C" fn peer_seal(
            out: *mut u8,
            tag: *mut crate::Tag,
            msg: *const u8,
            len_bytes: usize,
            aad: *const u8,
            aad_bytes: usize,
            nonce: *const u8,
            _key: *const u8,
        ) -> bool {
            // SAFETY: the bench passes pointers that are valid for these lengths.
            let made = crate::Keyed::seal(keyed(), unsafe {
                crate::text(out, msg, len_bytes, aad, aad_bytes, nonce)
            });
            // SAFETY: as above.
            made.map(|made| unsafe { tag.write(made) }).is_some()
        }

        #[unsafe(no_mangle)]
        extern "C" fn peer_open(
            out: *mut u8,
            input: *const u8,
            len_bytes: usize,
            tag: *const crate::Tag,
            aad: *const u8,
            aad_bytes: usize,
            nonce: *const u8,
            _key: *const u8,
        ) -> bool {
            // SAFETY: the bench passes pointers that are valid for these lengths.
            unsafe {
                let text = crate::text(out, input, len_bytes, aad, aad_bytes, nonce);
                crate::Keyed::open(keyed(), text, &*tag)
            }
        }
    };
}

pub(crate) use {aead, mac};

/// # Safety
///
/// The pointer must be valid for this length, or the length be 0.
pub(crate) unsafe fn bytes<'a>(from: *const u8, len_bytes: usize) -> &'a [u8] {
    if len_bytes == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(from, len_bytes) }
}

/// # Safety
///
/// The pointers must be valid for these lengths, and `nonce` for 12 bytes.
pub(crate) unsafe fn text<'a>(
    out: *mut u8,
    input: *const u8,
    len_bytes: usize,
    aad: *const u8,
    aad_bytes: usize,
    nonce: *const u8,
) -> Text<'a> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        Text {
            out: std::slice::from_raw_parts_mut(out, len_bytes),
            input: bytes(input, len_bytes),
            aad: bytes(aad, aad_bytes),
            nonce: &*nonce.cast(),
        }
    }
}
