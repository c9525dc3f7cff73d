// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Keys for recipients that a quantum computer does not find: ML-KEM-768 with X25519 (X-Wing), in HPKE
//! (RFC 9180, section 5.1, mode base), with HKDF-SHA256 and ChaCha20-Poly1305.

use crate::keys::{Error, random};
use bech32::Bech32;
use bech32::primitives::checksum::Checksum;
use hkdf::{Hkdf, HkdfExtract};
use sha2::Sha256;
pub(crate) use x_wing::DecapsulationKeyRejectNonContrib as Decapsulating;
pub(crate) use x_wing::EncapsulationKey as Encapsulating;
use x_wing::{CIPHERTEXT_SIZE, ENCAPSULATION_RANDOMNESS_SIZE, TryDecapsulate};
use zeroize::{Zeroize, Zeroizing};

pub(crate) const KIND: &str = "mlkem768x25519";
const LABEL: &[u8] = b"age-encryption.org/mlkem768x25519";

/// "HPKE", and the numbers of X-Wing, HKDF-SHA256 and ChaCha20-Poly1305.
const SUITE: &[u8] = b"HPKE\x64\x7a\x00\x01\x00\x03";

/// What encapsulates a key: 1120 bytes.
pub(crate) type Encapsulated = [u8; CIPHERTEXT_SIZE];

/// A key and a nonce, which seal one text.
pub(crate) struct Sealing {
    pub(crate) key: Zeroizing<[u8; 32]>,
    pub(crate) nonce: [u8; 12],
}

/// Makes a key for a recipient.
pub(crate) fn encapsulated(to: &Encapsulating) -> Result<(Encapsulated, Sealing), Error> {
    let random = random::<ENCAPSULATION_RANDOMNESS_SIZE>()?;
    let (encapsulated, mut shared) = to.encapsulate_deterministic((&*random).into());
    let sealing = schedule(&shared.0);
    shared.zeroize();
    Ok((encapsulated.0, sealing))
}

/// Finds a key with an identity, which is another one if it was made for another recipient. None if the
/// point of X25519 is of low order.
pub(crate) fn decapsulated(identity: &Decapsulating, from: &Encapsulated) -> Option<Sealing> {
    let mut shared = identity.try_decapsulate(from.into()).ok()?;
    let sealing = schedule(&shared.0);
    shared.zeroize();
    Some(sealing)
}

fn schedule(shared: &[u8; 32]) -> Sealing {
    let extract = |salt: &[u8], label: &[u8], input: &[u8]| {
        let mut extract = HkdfExtract::<Sha256>::new(Some(salt));
        for part in [b"HPKE-v1", SUITE, label, input] {
            extract.input_ikm(part);
        }
        extract.finalize()
    };
    let (no_psk, _) = extract(b"", b"psk_id_hash", b"");
    let (label, _) = extract(b"", b"info_hash", LABEL);
    let context = [&[0][..], &no_psk, &label].concat();
    let (mut secret, expand) = extract(shared, b"secret", b"");
    secret.zeroize();
    let mut sealing = Sealing {
        key: Zeroizing::new([0; 32]),
        nonce: [0; 12],
    };
    labeled(&expand, b"key", &context, &mut *sealing.key);
    labeled(&expand, b"base_nonce", &context, &mut sealing.nonce);
    sealing
}

fn labeled(expand: &Hkdf<Sha256>, label: &[u8], context: &[u8], to: &mut [u8]) {
    let len = u16::try_from(to.len())
        .expect("they are short")
        .to_be_bytes();
    let info = [&len, &b"HPKE-v1"[..], SUITE, label, context];
    expand.expand_multi_info(&info, to).expect("they are short");
}

/// Bech32 of at most 4096 characters: recipients have 1959.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = Bech32::ROOT_GENERATOR;
    const ROOT_EXPONENTS: core::ops::RangeInclusive<usize> = Bech32::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = 4096;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [u32; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: u32 = Bech32::TARGET_RESIDUE;
}
