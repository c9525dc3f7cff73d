// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many packets of a connection at once, sealed and opened in place, which is faster than one after
//! another. The nonce of a packet is its number.

use hornet::aead::{ChaCha20Poly1305, CountingNonces, UnusedNonce};
use hornet::aead::{PacketToOpen, PacketToSeal, open_batch, seal_batch};
use std::error::Error;
use std::iter::zip;
use zeroize::Zeroizing;

fn main() -> Result<(), Box<dyn Error>> {
    // One direction of the connection has a key; the other has another.
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes)?;
    let key = ChaCha20Poly1305::from_ref(&bytes);

    let mut texts = vec![vec![b'a'; 1200]; 48];
    let unused: Vec<_> = CountingNonces::assume_unused_from([0; 12])
        .take(48)
        .collect();
    // They are sent, each with a text and its tag.
    let nonces: Vec<_> = unused.iter().map(UnusedNonce::nonce).collect();
    let to_seal = zip(unused, &mut texts).map(|(nonce, text)| PacketToSeal {
        key,
        nonce,
        aad: b"version 1",
        text,
    });
    let tags = seal_batch(to_seal).collect::<Result<Vec<_>, _>>()?;

    texts[7][0] ^= 1; // changed in transit

    let to_open = zip(zip(nonces, tags), &mut texts).map(|((nonce, tag), text)| PacketToOpen {
        key,
        nonce,
        aad: b"version 1",
        text,
        tag,
    });
    let valid: Vec<_> = open_batch(to_open).map(|result| result.is_ok()).collect();
    let opened = zip(&texts, &valid).filter(|(text, valid)| **valid && **text == [b'a'; 1200]);
    let (count, seventh) = (opened.count(), if valid[7] { "opened" } else { "refused" });
    println!(
        "{} packets: {count} opened, packet 7 {seventh}",
        valid.len()
    );
    Ok(())
}
