// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many messages under one key: Poly1305-AES with a key file, which hands out each nonce once.

use hornet::aes::Nonce;
use hornet::{Mismatch, Tag};
use hornet_key_file::{KeyFile, Purpose};
use std::error::Error;

/// The data that is sent. Neither the nonce nor the tag is secret.
struct Packet {
    nonce: Nonce,
    tag: Tag,
    message: Vec<u8>,
}

fn send(key_file: &KeyFile, messages: &[&str]) -> Result<Vec<Packet>, hornet_key_file::Error> {
    // A reservation takes two writes to the disk, so reserve once for all messages.
    let nonces = key_file.reserve(messages.len() as u64)?;
    let packets = nonces.zip(messages).map(|(nonce, message)| {
        let nonce = nonce?;
        Ok(Packet {
            // Copied first, because making the tag consumes the nonce.
            nonce: nonce.nonce(),
            tag: key_file.key().mac(nonce, message.as_bytes()),
            message: message.as_bytes().to_vec(),
        })
    });
    packets.collect()
}

fn receive(key_file: &KeyFile, packet: &Packet) -> Result<(), Mismatch> {
    // A tag made for another purpose, such as the last line of a key file, is not the tag of a
    // message.
    if Purpose::of(&packet.nonce) != Purpose::MESSAGE {
        return Err(Mismatch);
    }
    key_file
        .key()
        .verify(&packet.nonce, &packet.message, &packet.tag)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("key");

    // Create the key file once. Here, both sides read the same file; each could also have its own
    // copy.
    KeyFile::create(&path)?;
    let sender = KeyFile::open(&path)?;
    let receiver = KeyFile::open(&path)?;

    let mut packets = send(&sender, &["first", "second", "third"])?;
    // After a restart, the count continues where it stopped.
    drop(sender);
    packets.extend(send(&KeyFile::open(&path)?, &["fourth"])?);

    for packet in &packets {
        receive(&receiver, packet)?;
        let text = String::from_utf8_lossy(&packet.message);
        println!("{text}: nonce {}, tag {}", packet.nonce, packet.tag);
    }
    for (index, one) in packets.iter().enumerate() {
        let used_again = packets[..index]
            .iter()
            .any(|other| other.nonce == one.nonce);
        assert!(!used_again, "a nonce was handed out twice");
    }

    packets[0].message[0] ^= 1;
    assert_eq!(receive(&receiver, &packets[0]), Err(Mismatch));
    println!("a changed message is refused");
    Ok(())
}
