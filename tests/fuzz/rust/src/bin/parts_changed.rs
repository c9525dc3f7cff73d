// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parts are refused after any change.
#![no_main]

use hornet_fuzz::{key, parts_lines, parts_seal, written_parts};
use hornet_manifest::parts::{Error, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let read = || {
        let reader = Reader::new(bytes, "parts".as_ref(), &key(), &parts_seal())?;
        let lines = parts_lines();
        for entry in reader.entries(&lines)? {
            reader.all_values(&entry?)?;
        }
        Ok::<_, Error>(())
    };
    match read() {
        // The only parts that were sealed; they are in the corpus.
        Ok(()) => assert!(bytes == written_parts(), "changed parts are accepted"),
        Err(error) => assert!(error.is_refusal() && error.to_string().starts_with("parts: ")),
    }
});
