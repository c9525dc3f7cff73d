// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file: only the text that is written for its key and counter is accepted.
#![no_main]

use hornet_key_file::fuzzing::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Some((key, next)) = read(text) {
        assert!(*text == write(&key, next), "a second text is accepted");
    }
});
