// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A sealed manifest is refused after any change.
#![no_main]

use hornet_fuzz::{BODY, key, seal_nonce, sealed};
use hornet_manifest::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(manifest) = Manifest::open(text, &key()) {
        // The only text that was sealed; it is in the corpus.
        assert!(text == sealed(BODY), "a changed manifest is accepted");
        assert!(manifest.seal(&key(), seal_nonce()) == text);
    }
});
