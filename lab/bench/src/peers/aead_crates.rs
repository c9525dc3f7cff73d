// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20-Poly1305 of the peers from crates.io.

use super::aead::{Aead, AeadFunctions, OpenedAead};
use crate::built::version;
use crate::packets::{NONCE_BYTES, Packet, TAG_BYTES};
use crate::section::Section::{self, Best};
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::slice;

const IN_PLACE: &str = "works in place only, so the message is copied first";
const FOR_THIS_CPU: &str = "compiled for this CPU, so that it may use AVX-512 anywhere";

pub(super) fn all() -> Vec<(&'static str, OpenedAead)> {
    // SAFETY: both return static strings.
    let libsodium = unsafe {
        libsodium_sys::sodium_init();
        CStr::from_ptr(libsodium_sys::sodium_version_string())
    };
    let libsodium = libsodium.to_string_lossy().into_owned();
    vec![
        (
            "AWS-LC",
            Ok(Aead {
                version: format!("aws-lc-sys {}", version("aws-lc-sys")),
                note: Some("EVP_AEAD_CTX_seal_scatter and _open_gather"),
                ..peer::<AwsLc>("AWS-LC", "aws-lc-sys", Section::EACH)
            }),
        ),
        (
            "libsodium",
            Ok(Aead {
                version: libsodium,
                ..peer::<Libsodium>("libsodium", "libsodium-sys-stable", Section::EACH)
            }),
        ),
        (
            "ring",
            Ok(Aead {
                note: Some(IN_PLACE),
                ..peer::<Ring>("ring", "ring", Section::EACH)
            }),
        ),
        (
            "RustCrypto",
            Ok(Aead {
                note: Some(FOR_THIS_CPU),
                fast: false,
                ..peer::<ChaCha20Poly1305>("RustCrypto", "chacha20poly1305", &[Best])
            }),
        ),
        (
            "graviola",
            Ok(Aead {
                note: Some(
                    "works in place only, so the message is copied first; compiled for this CPU",
                ),
                fast: false,
                ..peer::<Graviola>("graviola", "graviola", &[Best])
            }),
        ),
        (
            "libcrux",
            Ok(Aead {
                note: Some(FOR_THIS_CPU),
                ..peer::<Libcrux>("libcrux", "libcrux-chacha20poly1305", &[Best])
            }),
        ),
    ]
}

/// What is sealed or opened. Outputs are as long as inputs.
struct Text<'a> {
    out: &'a mut [u8],
    input: &'a [u8],
    aad: &'a [u8],
    nonce: &'a [u8; NONCE_BYTES],
}

impl<'a> Text<'a> {
    /// # Safety
    ///
    /// The pointers must be valid while the result lives.
    unsafe fn of(packet: &'a Packet) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe {
            Self {
                out: slice::from_raw_parts_mut(packet.out, packet.len_bytes),
                input: slice::from_raw_parts(packet.input, packet.len_bytes),
                aad: slice::from_raw_parts(packet.aad, packet.aad_bytes),
                nonce: &*packet.nonce.cast(),
            }
        }
    }
}

type Tag = [u8; TAG_BYTES];

/// A peer with its key.
trait Keyed: Sized {
    fn new(key: &[u8; 32]) -> Self;

    fn seal(&self, text: Text) -> Option<Tag>;

    fn open(&self, text: Text, tag: &Tag) -> bool;
}

fn peer<T: Keyed>(name: &str, crate_name: &str, sections: &'static [Section]) -> Aead {
    Aead {
        name: name.into(),
        version: version(crate_name).into(),
        note: None,
        sections,
        fast: true,
        functions: AeadFunctions {
            key: key::<T>,
            seal: seal::<T>,
            open: open::<T>,
        },
        context: ptr::from_mut(Box::leak(Box::new(T::new(&[0; 32])))).cast(),
        batch: None,
    }
}

unsafe extern "C" fn key<T: Keyed>(context: *mut c_void, key: *const u8) {
    // SAFETY: the context is a `T`, and the caller guarantees the key.
    unsafe { *context.cast::<T>() = T::new(&*key.cast()) };
}

unsafe extern "C" fn seal<T: Keyed>(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: the context is a `T`; the caller guarantees the rest.
    unsafe {
        let tag = (*context.cast::<T>()).seal(Text::of(&*packet));
        tag.map(|tag| (*packet).tag.cast::<Tag>().write(tag))
            .is_some()
    }
}

unsafe extern "C" fn open<T: Keyed>(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { (*context.cast::<T>()).open(Text::of(&*packet), &*(*packet).tag.cast()) }
}

struct AwsLc(*mut aws_lc_sys::EVP_AEAD_CTX);

impl Drop for AwsLc {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `new`, and is not used elsewhere.
        unsafe { aws_lc_sys::EVP_AEAD_CTX_free(self.0) };
    }
}

impl Keyed for AwsLc {
    fn new(key: &[u8; 32]) -> Self {
        // SAFETY: the key has the length that is passed.
        let context = unsafe {
            let algorithm = aws_lc_sys::EVP_aead_chacha20_poly1305();
            aws_lc_sys::EVP_AEAD_CTX_new(algorithm, key.as_ptr(), key.len(), TAG_BYTES)
        };
        assert!(!context.is_null(), "AWS-LC: no context");
        Self(context)
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let (mut tag, mut tag_bytes) = ([0; TAG_BYTES], 0);
        // SAFETY: the context has a key, and the slices have the lengths that are passed.
        let done = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_seal_scatter(
                self.0,
                text.out.as_mut_ptr(),
                tag.as_mut_ptr(),
                &raw mut tag_bytes,
                TAG_BYTES,
                text.nonce.as_ptr(),
                NONCE_BYTES,
                text.input.as_ptr(),
                text.input.len(),
                ptr::null(),
                0,
                text.aad.as_ptr(),
                text.aad.len(),
            )
        };
        (done == 1).then_some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        // SAFETY: as above.
        let done = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_open_gather(
                self.0,
                text.out.as_mut_ptr(),
                text.nonce.as_ptr(),
                NONCE_BYTES,
                text.input.as_ptr(),
                text.input.len(),
                tag.as_ptr(),
                TAG_BYTES,
                text.aad.as_ptr(),
                text.aad.len(),
            )
        };
        done == 1
    }
}

struct Libsodium([u8; 32]);

impl Keyed for Libsodium {
    fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let mut tag = [0; TAG_BYTES];
        // SAFETY: the slices have the lengths that are passed, and the arrays have the lengths that libsodium expects.
        let failure = unsafe {
            libsodium_sys::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                text.out.as_mut_ptr(),
                tag.as_mut_ptr(),
                ptr::null_mut(),
                text.input.as_ptr(),
                text.input.len() as u64,
                text.aad.as_ptr(),
                text.aad.len() as u64,
                ptr::null(),
                text.nonce.as_ptr(),
                self.0.as_ptr(),
            )
        };
        (failure == 0).then_some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        // SAFETY: as above.
        let failure = unsafe {
            libsodium_sys::crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                text.out.as_mut_ptr(),
                ptr::null_mut(),
                text.input.as_ptr(),
                text.input.len() as u64,
                tag.as_ptr(),
                text.aad.as_ptr(),
                text.aad.len() as u64,
                text.nonce.as_ptr(),
                self.0.as_ptr(),
            )
        };
        failure == 0
    }
}

struct Ring(LessSafeKey);

impl Keyed for Ring {
    fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        text.out.copy_from_slice(text.input);
        let (nonce, aad) = (
            Nonce::assume_unique_for_key(*text.nonce),
            Aad::from(text.aad),
        );
        let sealed = self.0.seal_in_place_separate_tag(nonce, aad, text.out);
        sealed.ok()?.as_ref().try_into().ok()
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        text.out.copy_from_slice(text.input);
        let (nonce, aad) = (
            Nonce::assume_unique_for_key(*text.nonce),
            Aad::from(text.aad),
        );
        let opened = self
            .0
            .open_in_place_separate_tag(nonce, aad, (*tag).into(), text.out, 0..);
        opened.is_ok()
    }
}

impl Keyed for ChaCha20Poly1305 {
    fn new(key: &[u8; 32]) -> Self {
        KeyInit::new(key.into())
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let buffer = InOutBuf::new(text.input, text.out).ok()?;
        let tag = self.encrypt_inout_detached(text.nonce.into(), text.aad, buffer);
        tag.ok().map(Into::into)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        let Ok(buffer) = InOutBuf::new(text.input, text.out) else {
            return false;
        };
        self.decrypt_inout_detached(text.nonce.into(), text.aad, buffer, tag.into())
            .is_ok()
    }
}

struct Graviola(graviola::aead::ChaCha20Poly1305);

impl Keyed for Graviola {
    fn new(key: &[u8; 32]) -> Self {
        Self(graviola::aead::ChaCha20Poly1305::new(*key))
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let mut tag = [0; TAG_BYTES];
        text.out.copy_from_slice(text.input);
        self.0.encrypt(text.nonce, text.aad, text.out, &mut tag);
        Some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        text.out.copy_from_slice(text.input);
        self.0.decrypt(text.nonce, text.aad, text.out, tag).is_ok()
    }
}

struct Libcrux([u8; 32]);

impl Keyed for Libcrux {
    fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let mut tag = [0; TAG_BYTES];
        let sealed = libcrux_chacha20poly1305::encrypt_detached(
            &self.0, text.input, text.out, &mut tag, text.aad, text.nonce,
        );
        sealed.is_ok().then_some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        libcrux_chacha20poly1305::decrypt_detached(
            &self.0, text.out, text.input, tag, text.aad, text.nonce,
        )
        .is_ok()
    }
}
