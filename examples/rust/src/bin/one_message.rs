// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One message under a one-time key, which is derived from a long-lived key and the message's
//! nonce: ChaCha20-Poly1305 as in RFC 8439, section 2.8, with the inputs and the tag of its section
//! 2.8.2.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use hornet::{Key, Poly1305};
use std::error::Error;
use std::iter::zip;
use zeroize::Zeroizing;

/// The first block of the keystream gives the one-time key; the others encrypt (section 2.6).
fn one_time_key(cipher: &mut ChaCha20) -> Key {
    let mut block = Zeroizing::new([0; 64]);
    cipher.apply_keystream(&mut *block);
    let key = block.first_chunk().expect("a block is longer than a key");
    Key::new(key)
}

/// The tag authenticates the additional data and the ciphertext, each padded to whole blocks, and
/// their lengths.
fn authenticate(key: Key, additional: &[u8], ciphertext: &[u8]) -> Poly1305 {
    let padding = |bytes: &[u8]| &[0; 16][..bytes.len().wrapping_neg() % 16];
    let mut poly1305 = Poly1305::new(key);
    poly1305.update_vectored(&[
        additional,
        padding(additional),
        ciphertext,
        padding(ciphertext),
        &(additional.len() as u64).to_le_bytes(),
        &(ciphertext.len() as u64).to_le_bytes(),
    ]);
    poly1305
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut key = [0; 32];
    for (byte, value) in zip(&mut key, 0x80..) {
        *byte = value;
    }
    // Never use a nonce twice under one key: the one-time key would also be the same.
    let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    let additional = [
        0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
    ];
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for \
        the future, sunscreen would be it.";

    // The sender encrypts, and then authenticates the ciphertext.
    let mut cipher = ChaCha20::new(&key.into(), &nonce.into());
    let one_time = one_time_key(&mut cipher);
    let mut message = text.to_vec();
    cipher.apply_keystream(&mut message);
    let tag = authenticate(one_time, &additional, &message).finalize();
    println!("tag: {tag}");
    assert_eq!(tag.to_string(), "1ae10b594f09e26a7e902ecbd0600691");

    // The receiver derives the same one-time key, and verifies before it decrypts.
    let mut cipher = ChaCha20::new(&key.into(), &nonce.into());
    authenticate(one_time_key(&mut cipher), &additional, &message).verify(&tag)?;
    cipher.apply_keystream(&mut message);
    assert_eq!(message, text);

    // A flipped bit is detected. The key is derived again, because each `Key` is for one message.
    message[0] ^= 1;
    cipher.seek(0);
    let forged = authenticate(one_time_key(&mut cipher), &additional, &message);
    assert!(forged.verify(&tag).is_err());
    println!("a changed message is refused");
    Ok(())
}
