// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A message of any length that is read in pieces: `io::copy` into a `Poly1305`.

use hornet::aes::{Key, Nonce, UnusedNonce};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file of a few MiB.
fn write_message(path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in 0..100_000 {
        writeln!(file, "This is line {number} of a long message.")?;
    }
    file.flush()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("message");
    write_message(&path)?;
    let key = Key::clamped(&[7; Key::BYTES]);
    let nonce = [1; Nonce::BYTES];

    // A `Poly1305` implements `io::Write`, and accepts any number of bytes at a time.
    let mut poly1305 = key.start(UnusedNonce::assume_unused(nonce));
    let copied = io::copy(&mut File::open(&path)?, &mut poly1305)?;
    let tag = poly1305.finalize();
    println!("{copied} bytes, tag {tag}");

    // The tag depends only on the bytes, not on the pieces in which they arrived.
    let message = std::fs::read(&path)?;
    key.verify(&Nonce::new(nonce), &message, &tag)?;

    // The receiver can stream as well. Do not use any part of the message before `verify` has
    // succeeded.
    let mut verifier = key.start_verify(&Nonce::new(nonce));
    io::copy(&mut File::open(&path)?, &mut verifier)?;
    verifier.verify(&tag)?;

    let mut verifier = key.start_verify(&Nonce::new(nonce));
    io::copy(&mut &message[..message.len() - 1], &mut verifier)?;
    assert!(verifier.verify(&tag).is_err());
    println!("a truncated message is refused");
    Ok(())
}
