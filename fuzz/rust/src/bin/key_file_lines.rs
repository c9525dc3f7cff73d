// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The lines of a key file with a valid check, so that only their form can be wrong: only the text that
//! is written for their key and counter is accepted.
#![no_main]

use hornet::aes::{Key, UnusedNonce};
use hornet_key_file::Purpose;
use hornet_key_file::fuzzing::{read, write};
use libfuzzer_sys::fuzz_target;
use std::str;

/// Appends the check under the key and the counter in these lines, read less strictly than the crate
/// reads them.
fn checked(lines: &[u8]) -> Option<Vec<u8>> {
    let mut fields = lines.split(|&byte| byte == b'\n');
    let (_title, key, next) = (fields.next()?, fields.next()?, fields.next()?);

    let mut bytes = [0; Key::BYTES];
    base16ct::mixed::decode(key.trim_ascii().get(4..)?, &mut bytes).ok()?;
    let key = Key::new(&bytes).ok()?;

    let next = str::from_utf8(next).ok()?.rsplit(' ').next()?;
    let mut nonce = next.trim().parse::<u128>().ok()?.to_le_bytes();
    nonce[15] = Purpose::KEY_FILE.number();

    let check = key.mac(UnusedNonce::assume_unused(nonce), lines);
    Some([lines, format!("check {check}\n").as_bytes()].concat())
}

fuzz_target!(|lines: &[u8]| {
    let Some(text) = checked(lines) else { return };
    if let Some((key, next)) = read(&text) {
        assert!(*text == write(&key, next), "a second text is accepted");
    }
});
