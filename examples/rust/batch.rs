// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Authenticates many short packets under one-time keys in a batch, which is faster than one by
//! one.

use hornet::{Key, Mismatch, Tag, mac, mac_batch, verify_batch};
use std::error::Error;
use std::iter::zip;

/// An example. Real keys are derived from a secret, as ChaCha20-Poly1305 derives one for each message.
fn derive_key(number: usize) -> Key {
    let mut bytes = [7; Key::BYTES];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Key::new(&bytes)
}

fn with_keys(packets: &[Vec<u8>]) -> impl Iterator<Item = (Key, &[u8])> {
    zip((0..).map(derive_key), packets.iter().map(Vec::as_slice))
}

fn with_tags<'a>(
    packets: &'a [Vec<u8>],
    tags: &'a [Tag],
) -> impl Iterator<Item = (Key, &'a [u8], Tag)> {
    zip(with_keys(packets), tags).map(|((key, packet), tag)| (key, packet, *tag))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut packets: Vec<Vec<u8>> = (0..1000).map(|number| vec![1; number % 300]).collect();

    // Batches take messages from any iterator. Their lengths may differ arbitrarily.
    let tags: Vec<Tag> = mac_batch(with_keys(&packets)).collect();
    println!("{} tags, the first is {}", tags.len(), tags[0]);
    // These are the tags that `mac` returns.
    for ((key, packet), tag) in zip(with_keys(&packets), &tags) {
        assert_eq!(mac(key, packet).as_bytes(), tag.as_bytes());
    }

    // Are all packets valid?
    let all: Result<(), Mismatch> = verify_batch(with_tags(&packets, &tags)).collect();
    all?;

    // Which packets are invalid?
    packets[321][0] ^= 1;
    let results = verify_batch(with_tags(&packets, &tags)).enumerate();
    let refused: Vec<usize> = results
        .filter(|(_, result)| result.is_err())
        .map(|(number, _)| number)
        .collect();
    println!("refused: {refused:?}");
    assert_eq!(refused, [321]);
    Ok(())
}
