// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Encrypts and authenticates messages, opens them, and shows that a forgery is refused:
//! `ChaCha20-Poly1305` (RFC 8439), under one key with counting nonces.

use hornet::Tag;
use hornet::aead::{ChaCha20Poly1305, CountingNonces, LengthError, Nonce, OpenError};
use std::error::Error;

/// The data that is sent. The address is readable but cannot be altered, because it is associated
/// data.
struct Packet {
    address: String,
    nonce: Nonce<12>,
    text: Vec<u8>,
    tag: Tag,
}

struct Sender {
    key: ChaCha20Poly1305,
    /// Two messages under one nonce would give away both, and the ability to forge others. This
    /// iterator returns no nonce twice, and cannot be copied.
    nonces: CountingNonces<12>,
}

impl Sender {
    /// The key must be new, with no other sender: the other direction of a connection has its own
    /// key.
    fn new(key: &[u8; 32]) -> Self {
        Self {
            key: ChaCha20Poly1305::new(key),
            nonces: CountingNonces::assume_unused_from([0; 12]),
        }
    }

    fn seal(&mut self, address: &str, text: &str) -> Result<Packet, LengthError> {
        let unused = self.nonces.next().expect("there are 2^64");
        let nonce = unused.nonce();
        let mut text = text.as_bytes().to_vec();
        let tag = self
            .key
            .seal_in_place(unused, address.as_bytes(), &mut text)?;
        let address = address.to_owned();
        Ok(Packet {
            address,
            nonce,
            text,
            tag,
        })
    }
}

/// The receiver has the key, and takes everything else from the packet.
fn open(key: &ChaCha20Poly1305, mut packet: Packet) -> Result<Vec<u8>, OpenError> {
    let aad = packet.address.as_bytes();
    key.open_in_place(&packet.nonce, aad, &mut packet.text, &packet.tag)?;
    Ok(packet.text)
}

fn main() -> Result<(), Box<dyn Error>> {
    // An example; a real key is random, or the result of a key exchange.
    let key_bytes = [7; 32];
    let mut sender = Sender::new(&key_bytes);
    let key = ChaCha20Poly1305::new(&key_bytes);

    let text = "Attack at dawn.";
    let packet = sender.seal("to: the general", text)?;
    println!("sealed: nonce {}, tag {}", packet.nonce, packet.tag);
    assert_ne!(packet.text, text.as_bytes());
    let opened = open(&key, packet)?;
    println!("opened: {}", String::from_utf8(opened.clone())?);
    assert_eq!(opened, text.as_bytes());

    // The same text again, under another nonce, gives another ciphertext.
    let mut altered = sender.seal("to: the general", text)?;
    altered.text[10] ^= b'd' ^ b'm'; // would be another time of day, if it were not authenticated
    assert!(open(&key, altered).is_err());
    let mut redirected = sender.seal("to: the general", text)?;
    redirected.address = "to: the enemy".into();
    assert!(open(&key, redirected).is_err());
    println!("forged: refused");
    Ok(())
}
