// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20-Poly1305 of the peers from crates.io.

use super::aead::{Aead, AeadFunctions, OpenedAead};
use crate::built::version;
use crate::packets::{NONCE_BYTES, Packet};
use crate::section::Section::{self, Best};
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::slice;

const IN_PLACE: &str = "works in place only, so the message is copied first";

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
                note: Some("EVP_AEAD_CTX_seal_scatter and _open_gather"),
                ..peer(
                    "AWS-LC",
                    format!("aws-lc-sys {}", version("aws-lc-sys")),
                    Section::EACH,
                    AeadFunctions {
                        key: aws_lc_key,
                        seal: aws_lc_seal,
                        open: aws_lc_open,
                    },
                    ptr::from_mut(Box::leak(Box::new(AwsLc(ptr::null_mut())))).cast(),
                )
            }),
        ),
        (
            "libsodium",
            Ok(peer(
                "libsodium",
                libsodium,
                Section::EACH,
                AeadFunctions {
                    key: libsodium_key,
                    seal: libsodium_seal,
                    open: libsodium_open,
                },
                ptr::from_mut(Box::leak(Box::new([0_u8; 32]))).cast(),
            )),
        ),
        (
            "ring",
            Ok(Aead {
                note: Some(IN_PLACE),
                ..in_rust::<Ring>("ring", "ring", Section::EACH)
            }),
        ),
        (
            "RustCrypto",
            Ok(Aead {
                note: Some("compiled for this CPU, so that it may use AVX-512 anywhere"),
                fast: false,
                ..in_rust::<ChaCha20Poly1305>("RustCrypto", "chacha20poly1305", &[Best])
            }),
        ),
        (
            "graviola",
            Ok(Aead {
                note: Some(
                    "works in place only, so the message is copied first; compiled for this CPU",
                ),
                fast: false,
                ..in_rust::<Graviola>("graviola", "graviola", &[Best])
            }),
        ),
    ]
}

fn peer(
    name: &str,
    version: String,
    sections: &'static [Section],
    functions: AeadFunctions,
    context: *mut c_void,
) -> Aead {
    Aead {
        name: name.into(),
        version,
        note: None,
        sections,
        fast: true,
        functions,
        context,
        batch: None,
    }
}

struct AwsLc(*mut aws_lc_sys::EVP_AEAD_CTX);

unsafe extern "C" fn aws_lc_key(context: *mut c_void, key: *const u8) {
    // SAFETY: the context is an `AwsLc`, whose pointer is null or was set here; the caller guarantees the key.
    unsafe {
        let context = &mut *context.cast::<AwsLc>();
        aws_lc_sys::EVP_AEAD_CTX_free(context.0);
        context.0 =
            aws_lc_sys::EVP_AEAD_CTX_new(aws_lc_sys::EVP_aead_chacha20_poly1305(), key, 32, 16);
    }
}

unsafe extern "C" fn aws_lc_seal(packet: *const Packet, context: *mut c_void) -> bool {
    let mut tag_bytes = 0;
    // SAFETY: the context is an `AwsLc` with a key; the caller guarantees the rest.
    unsafe {
        let packet = &*packet;
        let done = aws_lc_sys::EVP_AEAD_CTX_seal_scatter(
            (*context.cast::<AwsLc>()).0,
            packet.out,
            packet.tag,
            &raw mut tag_bytes,
            16,
            packet.nonce,
            NONCE_BYTES,
            packet.input,
            packet.len_bytes,
            ptr::null(),
            0,
            packet.aad,
            packet.aad_bytes,
        );
        done == 1
    }
}

unsafe extern "C" fn aws_lc_open(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe {
        let packet = &*packet;
        let done = aws_lc_sys::EVP_AEAD_CTX_open_gather(
            (*context.cast::<AwsLc>()).0,
            packet.out,
            packet.nonce,
            NONCE_BYTES,
            packet.input,
            packet.len_bytes,
            packet.tag,
            16,
            packet.aad,
            packet.aad_bytes,
        );
        done == 1
    }
}

unsafe extern "C" fn libsodium_key(context: *mut c_void, key: *const u8) {
    // SAFETY: the context has 32 bytes, and the caller guarantees the key.
    unsafe { ptr::copy_nonoverlapping(key, context.cast(), 32) };
}

unsafe extern "C" fn libsodium_seal(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: the context is the key; the caller guarantees the rest.
    unsafe {
        let packet = &*packet;
        let failure = libsodium_sys::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
            packet.out,
            packet.tag,
            ptr::null_mut(),
            packet.input,
            packet.len_bytes as u64,
            packet.aad,
            packet.aad_bytes as u64,
            ptr::null(),
            packet.nonce,
            context.cast(),
        );
        failure == 0
    }
}

unsafe extern "C" fn libsodium_open(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe {
        let packet = &*packet;
        let failure = libsodium_sys::crypto_aead_chacha20poly1305_ietf_decrypt_detached(
            packet.out,
            ptr::null_mut(),
            packet.input,
            packet.len_bytes as u64,
            packet.tag,
            packet.aad,
            packet.aad_bytes as u64,
            packet.nonce,
            context.cast(),
        );
        failure == 0
    }
}

/// A peer in Rust, with its key.
trait InRust: Sized {
    fn new(key: &[u8; 32]) -> Self;

    fn seal(
        &self,
        out: &mut [u8],
        msg: &[u8],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> Option<[u8; 16]>;

    fn open(
        &self,
        out: &mut [u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> bool;
}

fn in_rust<T: InRust>(name: &str, crate_name: &str, sections: &'static [Section]) -> Aead {
    let functions = AeadFunctions {
        key: rust_key::<T>,
        seal: rust_seal::<T>,
        open: rust_open::<T>,
    };
    let context = Box::leak(Box::new(T::new(&[0; 32])));
    let version = version(crate_name).to_owned();
    peer(
        name,
        version,
        sections,
        functions,
        ptr::from_mut(context).cast(),
    )
}

unsafe extern "C" fn rust_key<T: InRust>(context: *mut c_void, key: *const u8) {
    // SAFETY: the context is a `T`, and the caller guarantees the key.
    unsafe { *context.cast::<T>() = T::new(&*key.cast()) };
}

unsafe extern "C" fn rust_seal<T: InRust>(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: the context is a `T`; the caller guarantees the rest.
    unsafe {
        let packet = &*packet;
        let tag = (*context.cast::<T>()).seal(
            slice::from_raw_parts_mut(packet.out, packet.len_bytes),
            slice::from_raw_parts(packet.input, packet.len_bytes),
            slice::from_raw_parts(packet.aad, packet.aad_bytes),
            &*packet.nonce.cast(),
        );
        tag.map(|tag| packet.tag.cast::<[u8; 16]>().write(tag))
            .is_some()
    }
}

unsafe extern "C" fn rust_open<T: InRust>(packet: *const Packet, context: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe {
        let packet = &*packet;
        (*context.cast::<T>()).open(
            slice::from_raw_parts_mut(packet.out, packet.len_bytes),
            slice::from_raw_parts(packet.input, packet.len_bytes),
            &*packet.tag.cast(),
            slice::from_raw_parts(packet.aad, packet.aad_bytes),
            &*packet.nonce.cast(),
        )
    }
}

struct Ring(LessSafeKey);

impl InRust for Ring {
    fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    fn seal(
        &self,
        out: &mut [u8],
        msg: &[u8],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> Option<[u8; 16]> {
        out.copy_from_slice(msg);
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let sealed = self
            .0
            .seal_in_place_separate_tag(nonce, Aad::from(aad), out);
        sealed.ok()?.as_ref().try_into().ok()
    }

    fn open(
        &self,
        out: &mut [u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> bool {
        out.copy_from_slice(ciphertext);
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened =
            self.0
                .open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), out, 0..);
        opened.is_ok()
    }
}

impl InRust for ChaCha20Poly1305 {
    fn new(key: &[u8; 32]) -> Self {
        KeyInit::new(key.into())
    }

    fn seal(
        &self,
        out: &mut [u8],
        msg: &[u8],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> Option<[u8; 16]> {
        let buffer = InOutBuf::new(msg, out).ok()?;
        let tag = self.encrypt_inout_detached(nonce.into(), aad, buffer);
        tag.ok().map(Into::into)
    }

    fn open(
        &self,
        out: &mut [u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> bool {
        let Ok(buffer) = InOutBuf::new(ciphertext, out) else {
            return false;
        };
        self.decrypt_inout_detached(nonce.into(), aad, buffer, tag.into())
            .is_ok()
    }
}

struct Graviola(graviola::aead::ChaCha20Poly1305);

impl InRust for Graviola {
    fn new(key: &[u8; 32]) -> Self {
        Self(graviola::aead::ChaCha20Poly1305::new(*key))
    }

    fn seal(
        &self,
        out: &mut [u8],
        msg: &[u8],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> Option<[u8; 16]> {
        let mut tag = [0; 16];
        out.copy_from_slice(msg);
        self.0.encrypt(nonce, aad, out, &mut tag);
        Some(tag)
    }

    fn open(
        &self,
        out: &mut [u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        aad: &[u8],
        nonce: &[u8; NONCE_BYTES],
    ) -> bool {
        out.copy_from_slice(ciphertext);
        self.0.decrypt(nonce, aad, out, tag).is_ok()
    }
}
