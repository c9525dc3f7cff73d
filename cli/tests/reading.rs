// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How `hornet tag` reads files: all methods give the same tags, and changes are detected.

mod common;

use common::{Folder, TREE, finds, is_tag_of, paths, prints, tag_while, tree};
use memmap2::MmapMut;
use std::fs::{self, OpenOptions};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Lengths around every threshold, few and many threads, with mappings and without.
#[test]
fn all_ways_of_reading_agree() {
    let folder = tree();
    let mib = 1 << 20;
    for (index, length) in [
        0,
        1,
        15,
        16,
        17,
        1024,
        16_383,
        16_384,
        16_385,
        65_535,
        65_536,
        65_537,
        131_072,
        mib - 1,
        mib,
        mib + 1,
        32 * mib - 1,
        32 * mib,
        32 * mib + 1,
        36 * mib + 17,
    ]
    .into_iter()
    .enumerate()
    {
        let content: Vec<u8> = (0..=250).cycle().skip(index).take(length).collect();
        folder.file(format!("t/{length}"), content);
    }
    // Short files in one batch, and more of them than there is room for at once.
    for index in 0..200 {
        folder.file(format!("t/sub/{index}"), vec![7; index * 5]);
        folder.file(format!("t/sub/deep/{index}"), vec![7; 16_384 - index]);
    }
    for options in [
        "",
        "--threads 1",
        "--threads 7",
        "--no-mmap",
        "--no-mmap --threads 3",
    ] {
        let output = folder.run(&format!("tag -k k {options} t"));
        let manifest = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        let key_file = folder.key();
        assert_eq!(paths(&manifest).len(), 424);
        for line in manifest
            .lines()
            .filter(|line| line.get(65..67) == Some("  "))
        {
            let content = fs::read(folder.path(&line[67..])).unwrap();
            assert!(is_tag_of(&key_file, line, &content), "{options} {line}");
        }
        folder.file("m", &manifest);
        for options in ["", "--threads 1", "--no-mmap --threads 5"] {
            prints(&folder.run(&format!("check -k k --quiet {options} m")), "");
        }
    }
}

/// Files under /sys claim to fill a page.
#[cfg(target_os = "linux")]
#[test]
fn files_shorter_than_their_length() {
    let path = "/sys/kernel/mm/transparent_hugepage/enabled";
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() == 4096) {
        let output = tree().run(&format!("tag -k k -o m {path}"));
        finds(
            &output,
            2,
            "",
            &[path, "has fewer bytes than its length says"],
        );
    }
}

/// Long enough to be read by all threads and to be changed meanwhile.
const BUSY: u32 = 48 << 20;

#[track_caller]
fn is_never_tagged(change: impl Fn(&fs::File, u64) + Sync) {
    let folder = tree();
    for options in ["", "--no-mmap"] {
        folder.file("t/busy", vec![1; BUSY as usize]);
        let manifest = tag_while(&folder, &change, options);
        assert_eq!(paths(&manifest), TREE);
        let end = "\nunread t/busy\nfiles 4 unread 1 others 0\n";
        assert!(manifest.contains(end), "{manifest}");
    }
}

#[test]
fn a_file_that_grows_is_never_tagged() {
    is_never_tagged(|file, turn| file.set_len(u64::from(BUSY) + turn).unwrap());
}

#[test]
fn a_file_that_shrinks_is_never_tagged() {
    is_never_tagged(|file, turn| {
        let length = if turn % 2 == 0 { BUSY / 2 } else { BUSY };
        file.set_len(length.into()).unwrap();
        thread::sleep(Duration::from_millis(1));
    });
}

/// A file on a file system in memory, which a thread keeps writing through a mapping. These times
/// stay as they are, so that only a second reading can find the changes.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_written_through_a_mapping() {
    let Ok(top) = TempDir::new_in("/dev/shm") else {
        eprintln!("not tested: there is no file system in memory");
        return;
    };
    let folder = Folder(top);
    prints(&folder.run("keygen k"), "");
    fs::create_dir(folder.path("t")).unwrap();
    // Read in a batch, by one thread, and by all.
    let busy = [100, 2 << 20, 40 << 20].map(|length| {
        let path = folder.file(format!("t/busy{length}"), vec![1; length]);
        let file = OpenOptions::new().read(true).write(true).open(path);
        // SAFETY: nobody truncates the file.
        unsafe { MmapMut::map_mut(&file.unwrap()) }.unwrap()
    });
    folder.file("t/still", "content");
    let stop = AtomicBool::new(false);
    let run = |options: &str| folder.run(&format!("tag -k k {options} -o m --force t"));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut busy = busy;
            for turn in 0_u64.. {
                if stop.load(SeqCst) {
                    break;
                }
                for mapping in &mut busy {
                    mapping[..8].copy_from_slice(&turn.to_le_bytes());
                }
            }
        });
        // The failure of an assertion must not leave the thread behind.
        let once = run("");
        let twice: Vec<_> = ["--verify-twice", "--verify-twice --no-mmap"]
            .into_iter()
            .map(|options| {
                // If the thread does not run meanwhile, on a busy machine, it is run again.
                let outputs = (0..20).map(|_| (run(options), folder.read("m")));
                let is_found = |(_, m): &(_, String)| m.contains("files 1 unread 3 ");
                outputs.into_iter().find(is_found).ok_or(options)
            })
            .collect();
        stop.store(true, SeqCst);
        prints(&once, "");
        for found in twice {
            let (output, manifest) = found.expect("no change was found");
            let changed = "t/busy100: changed while it was being read\n";
            finds(&output, 2, "", &[changed, "3 paths could not be read"]);
            assert_eq!(paths(&manifest), ["t/still"]);
        }
    });
    // Without the writer, nothing differs.
    prints(&run("--verify-twice"), "");
    assert_eq!(paths(&folder.read("m")).len(), 4);
    assert_eq!(folder.run("check -k k m").status.code(), Some(0));
}
