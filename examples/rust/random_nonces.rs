// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many messages under one key, without a counter: XChaCha20-Poly1305, whose nonces are long enough
//! to be drawn at random.

use hornet::aead::{Nonce, UnusedNonce, XChaCha20Poly1305};
use std::error::Error;
use zeroize::Zeroizing;

/// Returns nonce, ciphertext and tag.
fn seal(key: &XChaCha20Poly1305, text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let unused = UnusedNonce::random(getrandom::fill)?;
    let nonce = unused.nonce();
    Ok([nonce.as_bytes(), &*key.seal_to_vec(unused, b"", text)?].concat())
}

fn open(key: &XChaCha20Poly1305, packet: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (nonce, sealed) = packet.split_first_chunk().ok_or("shorter than a nonce")?;
    Ok(key.open_to_vec(&Nonce::new(*nonce), b"", sealed)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes)?;
    let key = XChaCha20Poly1305::from_ref(&bytes);

    let packets = [seal(key, b"a message")?, seal(key, b"a message")?];
    for packet in &packets {
        if open(key, packet)? != b"a message" {
            return Err("another message was opened".into());
        }
    }
    let differ = if packets[0] == packets[1] {
        "are the same"
    } else {
        "differ"
    };
    let len_bytes = packets[0].len();
    println!("the same text twice: two packets of {len_bytes} bytes, which {differ}");
    Ok(())
}
