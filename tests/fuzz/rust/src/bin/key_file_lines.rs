// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The lines of a key file with a valid check, so that only their form can be wrong: the only
//! accepted text is the one that is written for their version, key and counter.
#![no_main]

use hornet::aes::Key;
use hornet_fuzz::{check_key_file, with_check};
use libfuzzer_sys::fuzz_target;
use std::str;

/// Appends the check for the version, key and counter in these lines, which it parses less strictly
/// than the crate does.
fn checked(lines: &[u8]) -> Option<Vec<u8>> {
    let mut fields = lines.split(|&byte| byte == b'\n');
    let (_title, key, next) = (fields.next()?, fields.next()?, fields.next()?);

    let mut bytes = [0; Key::BYTES];
    base16ct::mixed::decode(key.trim_ascii().get(4..)?, &mut bytes).ok()?;
    let key = Key::new(&bytes).ok()?;

    let next = str::from_utf8(next).ok()?.rsplit(' ').next()?;
    Some(with_check(lines, &key, next.trim().parse().ok()?))
}

fuzz_target!(|lines: &[u8]| {
    if let Some(text) = checked(lines) {
        check_key_file(&text);
    }
});
