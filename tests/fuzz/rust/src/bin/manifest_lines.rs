// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The lines of a manifest under a valid seal: an accepted manifest is written again unchanged.
#![no_main]

use hornet_fuzz::{key, seal_nonce, sealed};
use hornet_manifest::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let text = sealed(body);
    if let Ok(manifest) = Manifest::open(&text, &key()) {
        let again = manifest.seal(&key(), seal_nonce());
        assert!(again == text, "written otherwise than it was read");
    }
});
