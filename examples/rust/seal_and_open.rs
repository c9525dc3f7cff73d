// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A message that is encrypted and authenticated, then opened by its receiver; and a forgery, which
//! is refused.

use hornet::aead::{ChaCha20Poly1305, CountingNonces};
use std::error::Error;
use zeroize::Zeroizing;

fn main() -> Result<(), Box<dyn Error>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes)?;
    let key = ChaCha20Poly1305::from_ref(&bytes);

    // They count, and sealing consumes one, so that no two messages under the key have the same.
    let mut nonces = CountingNonces::assume_unused_from([0; 12]);
    let unused = nonces.next().ok_or("no nonce is left")?;
    let nonce = unused.nonce();
    // Everybody can read the address, but nobody can alter it.
    let address = b"to: the general";
    let sealed = key.seal_to_vec(unused, address, b"Attack at dawn.")?;

    // The receiver has the key. Nonce, address and the sealed message are sent.
    let opened = String::from_utf8(key.open_to_vec(&nonce, address, &sealed)?)?;

    let mut forged = sealed;
    forged[10] ^= b'd' ^ b'm'; // without the tag, this would change the time of day
    if key.open_to_vec(&nonce, address, &forged).is_ok() {
        return Err("a forgery was opened".into());
    }
    println!("opened {opened:?}; a forgery is refused");
    Ok(())
}
