// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The calls of `docs/migrating.md`, "`RustCrypto`". `check.py` runs this.

use chacha20poly1305::KeyInit;
use chacha20poly1305::aead::{Aead, AeadInOut, Payload};
use hornet::aead::{Nonce, OpenError, UnusedNonce};
use poly1305::universal_hash::UniversalHash;
use std::error::Error;

fn same(line: &str, equal: bool) {
    assert!(equal, "{line}: another result");
    println!("{line}");
}

fn main() -> Result<(), Box<dyn Error>> {
    let key = *b"an example of a key of 32 bytes.";
    let (nonce, aad, msg): ([u8; 12], _, _) = ([50; 12], b"header".as_slice(), [9; 100].as_slice());

    let theirs = chacha20poly1305::ChaCha20Poly1305::new(&key.into());
    let ours = hornet::aead::ChaCha20Poly1305::new(&key);
    let sealed = theirs.encrypt(&nonce.into(), Payload { msg, aad })?;
    let our_sealed = ours.seal_to_vec(UnusedNonce::assume_unused(nonce), aad, msg)?;
    same(
        "chacha20poly1305::ChaCha20Poly1305::new(&key.into())",
        sealed == our_sealed,
    );
    same(
        "theirs.encrypt(&nonce.into(), Payload { msg, aad })?",
        sealed == our_sealed,
    );

    let opened = theirs.decrypt(&nonce.into(), Payload { msg: &sealed, aad })?;
    let our_opened = ours.open_to_vec(&Nonce::new(nonce), aad, &sealed)?;
    let refused = ours.open_to_vec(&Nonce::new(nonce), b"another", &sealed);
    let short = ours.open_to_vec(&Nonce::new(nonce), aad, &sealed[..15]);
    same(
        "theirs.decrypt(&nonce.into(), Payload { msg: &sealed, aad })?",
        opened == msg
            && our_opened == msg
            && refused == Err(OpenError::Mismatch)
            && matches!(short, Err(OpenError::Length(_))),
    );

    let mut text = msg.to_vec();
    let their_tag =
        theirs.encrypt_inout_detached(&nonce.into(), aad, text.as_mut_slice().into())?;
    let ciphertext = text.clone();
    text.copy_from_slice(msg);
    let our_tag = ours.seal_in_place(UnusedNonce::assume_unused(nonce), aad, &mut text)?;
    same(
        "theirs.encrypt_inout_detached(&nonce.into(), aad, text.as_mut_slice().into())?",
        text == ciphertext && our_tag.as_bytes()[..] == their_tag[..],
    );

    theirs.decrypt_inout_detached(&nonce.into(), aad, text.as_mut_slice().into(), &their_tag)?;
    let mut right = text == msg;
    text.copy_from_slice(&ciphertext);
    ours.open_in_place(&Nonce::new(nonce), aad, &mut text, &our_tag)?;
    right &= text == msg;
    // With another tag, that of zeros.
    text.copy_from_slice(&ciphertext);
    let (zeros, output) = ([0; 16].into(), text.as_mut_slice().into());
    let their_refusal = theirs.decrypt_inout_detached(&nonce.into(), aad, output, &zeros);
    right &= their_refusal.is_err() && text == ciphertext;
    let refusal = ours.open_in_place(&Nonce::new(nonce), aad, &mut text, &[0; 16].into());
    right &= refusal.is_err() && text == [0; 100];
    same(
        "theirs.decrypt_inout_detached(&nonce.into(), aad, text.as_mut_slice().into(), &their_tag)?",
        right,
    );

    let theirs = chacha20poly1305::XChaCha20Poly1305::new(&key.into());
    let ours = hornet::aead::XChaCha20Poly1305::new(&key);
    let unused = UnusedNonce::random(getrandom::fill)?;
    let nonce = *unused.nonce().as_bytes();
    let sealed = ours.seal_to_vec(unused, aad, msg)?;
    same(
        "chacha20poly1305::XChaCha20Poly1305::new(&key.into())",
        theirs.encrypt(&nonce.into(), Payload { msg, aad })? == sealed,
    );

    let their_tag = poly1305::Poly1305::new(&key.into()).compute_unpadded(msg);
    let our_tag = hornet::mac(hornet::Key::new(&key), msg);
    same(
        "poly1305::Poly1305::new(&key.into()).compute_unpadded(msg)",
        our_tag.as_bytes()[..] == their_tag[..],
    );

    let mut their_mac = poly1305::Poly1305::new(&key.into());
    let mut our_mac = hornet::Poly1305::new(hornet::Key::new(&key));
    their_mac.update_padded(msg);
    our_mac.update_padded(msg);
    let padded = their_mac.finalize();
    let mut pieces = hornet::Poly1305::new(hornet::Key::new(&key));
    pieces.update(&msg[..3]);
    pieces.update(&msg[3..]);
    same(
        "their_mac.update_padded(msg)",
        our_mac.finalize().as_bytes()[..] == padded[..]
            && pieces.finalize().as_bytes() == our_tag.as_bytes()
            && padded[..] != our_tag.as_bytes()[..],
    );

    let mut their_hash = poly1305::Poly1305::new(&key.into());
    their_hash.update_padded(&msg[..96]);
    let msg = &msg[..96];
    let their_tag = poly1305::Poly1305::new(&key.into()).compute_unpadded(msg);
    let our_tag = hornet::mac(hornet::Key::new(&key), msg);
    their_hash.verify(&their_tag).map_err(|_| "refused")?;
    same(
        "their_hash.verify(&their_tag)",
        hornet::verify(hornet::Key::new(&key), msg, &our_tag).is_ok()
            && hornet::verify(hornet::Key::new(&key), b"another", &our_tag).is_err(),
    );
    Ok(())
}
