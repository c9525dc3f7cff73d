// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A message that is encrypted in pieces, as they arrive, and decrypted in others. Nothing of it is
//! used before the tag has been verified, which comes last. If that is too long to wait, see
//! `files`.

use hornet::Tag;
use hornet::aead::{Nonce, UnusedNonce, XChaCha20Poly1305};
use std::error::Error;
use zeroize::{Zeroize, Zeroizing};

fn decrypt(
    key: &XChaCha20Poly1305,
    nonce: &Nonce<24>,
    text: &mut [u8],
    tag: &Tag,
) -> Result<(), Box<dyn Error>> {
    let mut opener = key.opener(nonce, b"version 1");
    for piece in text.chunks_mut(500) {
        opener.decrypt_in_place(piece)?;
    }
    opener.verify(tag).map_err(|forged| {
        text.zeroize(); // what a forger wrote
        forged.into()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes)?;
    let key = XChaCha20Poly1305::from_ref(&bytes);

    let unused = UnusedNonce::random(getrandom::fill)?;
    let nonce = unused.nonce();
    let mut sent = vec![b'x'; 5000];
    let mut sealer = key.sealer(unused, b"version 1");
    let mut pieces = 0;
    for piece in sent.chunks_mut(1000) {
        sealer.encrypt_in_place(piece)?;
        pieces += 1;
    }
    let tag = sealer.finalize();

    let mut received = sent.clone();
    decrypt(key, &nonce, &mut received, &tag)?;
    let accepted = received == [b'x'; 5000];
    sent[4999] ^= 1; // changed in transit
    let refused = decrypt(key, &nonce, &mut sent, &tag).is_err();
    let [first, second] = [accepted, !refused].map(|yes| if yes { "accepted" } else { "refused" });
    println!(
        "{} bytes in {pieces} pieces: {first}; changed: {second}",
        sent.len()
    );
    Ok(())
}
