// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A header of a sealed file, and armour, have one form: what is read is what would be written. A header is
//! authentic only if nothing of it was changed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{ErrorKind, Read, Write};
use zeroize::Zeroizing;

#[allow(dead_code, unreachable_pub, reason = "this uses some of it")]
#[path = "../../../../../cli/src/age/armor.rs"]
mod armor;
#[allow(dead_code, unreachable_pub, reason = "this uses some of it")]
#[path = "../../../../../bindings/rust/hornet-age/src/header.rs"]
mod header;

fn check_header(bytes: &[u8]) {
    let mut rest = bytes;
    match header::Header::read(&mut rest) {
        Ok(read) => {
            let len = bytes.len() - rest.len();
            assert!(
                read.len_bytes() == len as u64,
                "bytes after the header were taken"
            );
            let key = Zeroizing::new([7; 16]);
            let written = header::written(&read.stanzas, &key).expect("it was read");
            let tag = written.len() - "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n".len();
            assert!(
                written.len() == len && written[..tag] == bytes[..tag],
                "a second form"
            );
            assert!(
                read.verify(&key).is_ok() == (written == bytes[..len]),
                "authentic"
            );
        }
        Err(error) => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            let text = error.to_string();
            assert!(error.kind() == ErrorKind::InvalidData, "{text}");
            let line = text
                .strip_prefix("line ")
                .and_then(|text| text.split(' ').next());
            let line: usize = line.and_then(|line| line.parse().ok()).expect("a line");
            assert!((1..=lines + 1).contains(&line), "{text}, of {lines}");
        }
    }
}

fn check_armor(bytes: &[u8]) {
    let mut sealed = Vec::new();
    match armor::Reader::new(bytes).read_to_end(&mut sealed) {
        Ok(_) => {
            let mut written = Vec::new();
            let mut writer = armor::Writer::new(&mut written).unwrap();
            writer.write_all(&sealed).unwrap();
            writer.finish().unwrap();
            let text = String::from_utf8(bytes.trim_ascii().to_vec()).expect("base64");
            let text = text.replace("\r\n", "\n") + "\n";
            assert!(text.as_bytes() == written, "a second form");
            check_header(&sealed);
        }
        Err(error) => {
            assert!(
                error.kind() == ErrorKind::InvalidData && error.to_string().starts_with("line ")
            );
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    check_header(bytes);
    check_armor(bytes);
});
