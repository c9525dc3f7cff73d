// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Each program talks to itself with Hornet's cipher on one side and its own on the other.

use super::{Hpke, Resolver};
use aead::generic_array::ArrayLength;
use aead::{Aead, AeadInPlace, KeyInit, Payload};
use hpke::aead::{AeadTag, ChaCha20Poly1305 as Stock};
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, OpModeS, Serializable, setup_receiver, setup_sender};
use rand_core::OsRng;
use snow::resolvers::{BoxedCryptoResolver, DefaultResolver};
use snow::{Builder, HandshakeState, TransportState};

const MESSAGE: [u8; 2_000] = [0x5a; 2_000];
const LENGTHS: [usize; 9] = [0, 1, 15, 16, 17, 64, 65, 513, 2_000];

/// Sends messages of all lengths, with associated data and without, and some that are changed.
fn hpke_messages<Sender: hpke::aead::Aead, Receiver: hpke::aead::Aead>() -> usize {
    let (private, public) = X25519HkdfSha256::gen_keypair(&mut OsRng);
    let (encapped, mut sender) = setup_sender::<Sender, HkdfSha256, X25519HkdfSha256, _>(
        &OpModeS::Base,
        &public,
        b"information",
        &mut OsRng,
    )
    .unwrap();
    let mut receiver = setup_receiver::<Receiver, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        &private,
        &encapped,
        b"information",
    )
    .unwrap();
    let mut opened = 0;
    for aad in [&b""[..], b"associated data"] {
        for len_bytes in LENGTHS {
            let message = &MESSAGE[..len_bytes];
            let sealed = sender.seal(message, aad).unwrap();
            for at in 0..sealed.len() {
                let mut changed = sealed.clone();
                changed[at] ^= 1;
                assert!(receiver.open(&changed, aad).is_err());
            }
            assert_eq!(receiver.open(&sealed, aad).unwrap(), message);

            let mut in_place = message.to_vec();
            let tag = sender.seal_in_place_detached(&mut in_place, aad).unwrap();
            let tag = AeadTag::from_bytes(&tag.to_bytes()).unwrap();
            receiver
                .open_in_place_detached(&mut in_place, aad, &tag)
                .unwrap();
            assert_eq!(in_place, message);
            opened += 2;
        }
    }
    opened
}

#[test]
fn hpke_with_the_other_side_and_with_itself() {
    assert_eq!(hpke_messages::<Hpke, Stock>(), 36);
    assert_eq!(hpke_messages::<Stock, Hpke>(), 36);
    assert_eq!(hpke_messages::<Hpke, Hpke>(), 36);
}

fn side(resolver: BoxedCryptoResolver, private: &[u8]) -> Builder<'_> {
    let pattern = "Noise_XX_25519_ChaChaPoly_SHA256";
    let builder = Builder::with_resolver(pattern.parse().unwrap(), resolver);
    builder.local_private_key(private).unwrap()
}

/// Exchanges the three messages of the pattern XX, with payloads, of which the last two are encrypted.
fn shake(mut initiator: HandshakeState, mut responder: HandshakeState) -> [TransportState; 2] {
    let (mut sent, mut read) = ([0; 1_000], [0; 1_000]);
    for number in 0..3 {
        let (from, to) = match number {
            1 => (&mut responder, &mut initiator),
            _ => (&mut initiator, &mut responder),
        };
        let length = from.write_message(b"a payload", &mut sent).unwrap();
        let length = to.read_message(&sent[..length], &mut read).unwrap();
        assert_eq!(&read[..length], b"a payload");
    }
    [initiator, responder].map(|side| side.into_transport_mode().unwrap())
}

fn noise(initiator: BoxedCryptoResolver, responder: BoxedCryptoResolver) -> usize {
    let sides = shake(
        side(initiator, &[1; 32]).build_initiator().unwrap(),
        side(responder, &[2; 32]).build_responder().unwrap(),
    );
    let [mut one, mut other] = sides;
    let (mut sent, mut read) = ([0; 3_000], [0; 3_000]);
    let mut messages = 0;
    for turn in 0..4 {
        for len_bytes in LENGTHS {
            let (from, to) = match turn % 2 {
                0 => (&mut one, &mut other),
                _ => (&mut other, &mut one),
            };
            let length = from
                .write_message(&MESSAGE[..len_bytes], &mut sent)
                .unwrap();
            assert_eq!(length, len_bytes + 16);
            sent[len_bytes] ^= 1;
            assert!(to.read_message(&sent[..length], &mut read).is_err());
            sent[len_bytes] ^= 1;
            assert!(to.read_message(&sent[..15], &mut read).is_err());
            let length = to.read_message(&sent[..length], &mut read).unwrap();
            assert_eq!(read[..length], MESSAGE[..len_bytes]);
            messages += 1;
        }
        // The key that follows is an encryption of zeros (Noise, section 4.2).
        for side in [&mut one, &mut other] {
            side.rekey_outgoing();
            side.rekey_incoming();
        }
    }
    messages
}

#[test]
fn snow_with_the_other_side_and_with_itself() {
    assert_eq!(noise(Box::new(Resolver), Box::new(DefaultResolver)), 36);
    assert_eq!(noise(Box::new(DefaultResolver), Box::new(Resolver)), 36);
    assert_eq!(noise(Box::new(Resolver), Box::new(Resolver)), 36);
}

/// Compares two ciphers in all that the traits offer.
fn compare<Ours, Other>()
where
    Ours: Aead + AeadInPlace<NonceSize = Other::NonceSize, TagSize = Other::TagSize>,
    Ours: KeyInit<KeySize = Other::KeySize> + Clone,
    Other: Aead + AeadInPlace + KeyInit,
    Other::NonceSize: ArrayLength<u8>,
{
    let mut key = aead::Key::<Ours>::default();
    key.iter_mut()
        .zip(1..)
        .for_each(|(byte, value)| *byte = value);
    let mut nonce = aead::Nonce::<Ours>::default();
    nonce
        .iter_mut()
        .zip(100..)
        .for_each(|(byte, value)| *byte = value);
    let ours = Ours::new_from_slice(&key).unwrap().clone();
    let other = Other::new(&key);
    assert!(Ours::new_from_slice(&key[1..]).is_err());

    for len_bytes in (0..=300).chain(LENGTHS) {
        let payload = Payload {
            msg: &MESSAGE[..len_bytes],
            aad: &MESSAGE[..len_bytes % 40],
        };
        let sealed = ours.encrypt(&nonce, payload).unwrap();
        let payload = Payload {
            msg: &MESSAGE[..len_bytes],
            aad: &MESSAGE[..len_bytes % 40],
        };
        assert_eq!(sealed, other.encrypt(&nonce, payload).unwrap());

        let aad = &MESSAGE[..len_bytes % 40];
        let mut buffer = sealed.clone();
        ours.decrypt_in_place(&nonce, aad, &mut buffer).unwrap();
        assert_eq!(buffer, MESSAGE[..len_bytes]);
        ours.encrypt_in_place(&nonce, aad, &mut buffer).unwrap();
        assert_eq!(buffer, sealed);

        buffer[len_bytes] ^= 0x80;
        let (text, tag) = buffer.split_at_mut(len_bytes);
        let tag = aead::Tag::<Ours>::from_slice(tag);
        let refused = ours.decrypt_in_place_detached(&nonce, aad, text, tag);
        assert!(refused.is_err());
        assert!(text.iter().all(|&byte| byte == 0));
    }
    assert!(ours.decrypt(&nonce, &[0; 15][..]).is_err());
}

#[test]
fn same_as_another_implementation_of_the_traits() {
    use hornet::aead as ours;
    compare::<ours::ChaCha20Poly1305, chacha20poly1305::ChaCha20Poly1305>();
    compare::<ours::XChaCha20Poly1305, chacha20poly1305::XChaCha20Poly1305>();
}
