// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text.
//! Nothing is written that was not verified, and a file gets its name when it is complete.

use hornet::stream::{Key, Reader, Writer};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// Writes the key to a new file: no key is used again.
fn new_key(path: &str) -> Result<Key, Box<dyn Error>> {
    let mut bytes = Zeroizing::new([0; Key::BYTES]);
    getrandom::fill(&mut *bytes)?;
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(&*bytes)?;
    Ok(Key::new(&bytes))
}

fn read_key(path: &str) -> io::Result<Key> {
    let mut bytes = Zeroizing::new([0; Key::BYTES]);
    File::open(path)?.read_exact(&mut *bytes)?;
    Ok(Key::new(&bytes))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, key, from, to] = arguments.as_slice() else {
        return Err("usage: files seal|open KEY FROM TO".into());
    };
    let mut from = File::open(from)?;
    let folder = Path::new(to).parent().ok_or("not the name of a file")?;
    let mut file = NamedTempFile::new_in(Path::new(".").join(folder))?; // removed by a failure
    let count;
    if command == "seal" {
        let mut writer = Writer::new(new_key(key)?, file);
        count = io::copy(&mut from, &mut writer)?;
        file = writer.finish()?; // without this, the text has no end
    } else if command == "open" {
        count = io::copy(&mut Reader::new(read_key(key)?, from), &mut file)?;
    } else {
        return Err(format!("{command}: neither seal nor open").into());
    }
    file.as_file().sync_all()?;
    file.persist(to)?;
    println!("{command}: {count} bytes");
    Ok(())
}
