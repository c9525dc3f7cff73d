// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Escaped paths: each path has exactly one escaped form, on one line and without control
//! characters.
#![no_main]

use hornet_manifest::escape::{Escaped, unescape};
use libfuzzer_sys::fuzz_target;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str;

fn escaped(path: &[u8]) -> String {
    Escaped::new(Path::new(OsStr::from_bytes(path))).to_string()
}

fuzz_target!(|bytes: &[u8]| {
    // The input as a path.
    let text = escaped(bytes);
    assert!(!text.chars().any(char::is_control), "{text:?}");
    let is_path = !bytes.is_empty() && !bytes.contains(&0);
    assert_eq!(unescape(&text).ok().as_deref(), is_path.then_some(bytes));
    let mut pushed = Vec::new();
    Escaped::new(Path::new(OsStr::from_bytes(bytes))).push_to(&mut pushed);
    assert_eq!(pushed, text.as_bytes());

    // The input as an escaped form.
    if let Some(path) = str::from_utf8(bytes)
        .ok()
        .and_then(|text| unescape(text).ok())
    {
        assert!(
            escaped(&path).as_bytes() == bytes,
            "a second form is accepted"
        );
    }
});
