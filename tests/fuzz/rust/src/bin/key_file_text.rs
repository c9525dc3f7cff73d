// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text of a key file: the only accepted text is the one that is written for its version, key
//! and counter.
#![no_main]

use hornet_fuzz::check_key_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| check_key_file(text));
