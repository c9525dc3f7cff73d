// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The entries of parts under valid seals: whatever is read is within the file and of the length that
//! the entry says, and nothing is allocated for what is not there.
#![no_main]

use hornet::aes::{OldPartial, Partial};
use hornet_fuzz::{PARTS_SEGMENT, key, parts_nonce, parts_seal};
use hornet_manifest::Line;
use hornet_manifest::parts::fuzzing::{ENTRY_BYTES, set_counts, with_entries};
use hornet_manifest::parts::{Error, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // How long each value's segment is, in some unit, and whether the header lies.
    let Some((&[count, unit, lies], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let key = key();
    let segment = vec![0; 4096];
    let value = |index: u8| key.partial(&segment[..4096 - usize::from(index & unit) % 4096]);
    let values: Vec<Partial> = (0..count % 16).map(value).collect();
    let entries: Vec<[u8; ENTRY_BYTES]> = rest
        .chunks_exact(ENTRY_BYTES)
        .filter_map(|entry| entry.try_into().ok())
        .collect();
    // Without a file, there is no place for values.
    let values = if entries.is_empty() { &[] } else { &*values };
    let mut parts = with_entries(
        &key,
        PARTS_SEGMENT,
        &entries,
        values,
        &parts_seal(),
        parts_nonce(),
    );
    if lies & 1 == 1
        && let Some((numbers, _)) = rest.split_first_chunk::<16>()
    {
        let number = |at| u64::from_le_bytes(numbers[at..at + 8].try_into().unwrap_or_default());
        set_counts(&mut parts, &key, [number(0), number(8)], parts_nonce());
    }
    // Nonce and tag are in the entries too.
    let line = |entry: &[u8; ENTRY_BYTES]| Line {
        nonce: entry[16..32].try_into().unwrap_or_default(),
        tag: <[u8; 16]>::try_from(&entry[32..48])
            .unwrap_or_default()
            .into(),
        path: "path".into(),
    };
    let lines: Vec<Line> = entries.iter().map(line).collect();
    let read = || {
        let reader = Reader::new(&*parts, "parts".as_ref(), &key, &parts_seal())?;
        for (index, entry) in reader.entries(&lines)?.enumerate() {
            let entry = entry?;
            assert_eq!(reader.entry(&lines, index)?.len_bytes, entry.len_bytes);
            let all = reader.all_values(&entry)?;
            assert_eq!(all.len() as u64, entry.segments());
            let sum: u64 = all.iter().map(OldPartial::len_bytes).sum();
            assert_eq!(sum, entry.len_bytes);
            if let Some(touched) = entry.touched(0..entry.len_bytes) {
                assert_eq!(touched, 0..entry.segments());
            }
        }
        Ok::<_, Error>(())
    };
    if let Err(error) = read() {
        assert!(error.is_refusal() && error.to_string().starts_with("parts: "));
    }
});
