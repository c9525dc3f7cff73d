// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parts of files: `hornet tag --parts`, `hornet check --range` and `hornet cat`.

mod common;

use common::{
    Folder, all_ok, broken_pipe, complains, finds, is_tag_of, paths, prints, rejects, tree,
};
use hornet_manifest::Seal;
use hornet_manifest::parts::{Opened, Place, SegmentBytes, Stamp};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Opens the manifest `m` and the parts `p`.
fn open(folder: &Folder) -> Opened {
    let place = Place::new(&folder.path("m"), &folder.path("p")).unwrap();
    place.open(folder.key().key()).unwrap()
}

fn content(length: usize, seed: usize) -> Vec<u8> {
    (0..=250).cycle().skip(seed).take(length).collect()
}

/// A folder with a file `t/f` of this length, tagged in segments of 4 KiB.
fn tagged(length: usize) -> (Folder, Vec<u8>) {
    let folder = tree();
    let content = content(length, 3);
    folder.file("t/f", &content);
    prints(&folder.run("tag -k k -o m --parts p --segment 4KiB t"), "");
    (folder, content)
}

/// A generator of numbers, for tests that need many different ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Compares every value with the content, for all ways of reading and lengths around every threshold.
#[test]
fn values_of_all_segments() {
    let folder = tree();
    let lengths = [
        1,
        15,
        16,
        17,
        4095,
        4096,
        4097,
        8192,
        16_384,
        16_385,
        65_535,
        65_536,
        65_537,
        100_000,
        MIB - 1,
        MIB,
        MIB + 1,
        3 * MIB + 5,
        32 * MIB - 1,
        32 * MIB,
        36 * MIB + 17,
    ];
    for (seed, length) in lengths.into_iter().enumerate() {
        folder.file(format!("t/{length}"), content(length, seed));
    }
    // Holes: some that are skipped, and some that are read.
    let sparse = File::create(folder.path("t/sparse")).unwrap();
    sparse.set_len((40 * MIB + 100) as u64).unwrap();
    for at in [5000, 200_000, 3 * MIB + 10, 39 * MIB] {
        sparse.write_all_at(&[7; 10_000], at as u64).unwrap();
    }
    drop(sparse);
    for (segment, options) in [
        ("4KiB", ""),
        ("1MiB", ""),
        ("1MiB", "--no-mmap --threads 3"),
        ("64KiB", "--no-holes --threads 1"),
        ("8MiB", "--verify-twice"),
        ("1GiB", ""),
    ] {
        let command = format!("tag -k k -o m --force --parts p --segment {segment} {options} t");
        assert_eq!(folder.run(&command).status.code(), Some(0));
        prints(&folder.run("check -k k --quiet m"), "");
        let opened = open(&folder);
        let key_file = folder.key();
        let lines = &opened.manifest.files;
        assert_eq!(lines.len(), 4 + lengths.len() + 1);
        let entries = opened.parts.entries(lines).unwrap();
        for (line, entry) in lines.iter().zip(entries) {
            let entry = entry.unwrap();
            let content = fs::read(folder.path(&line.path)).unwrap();
            assert_eq!(entry.len_bytes, content.len() as u64);
            let values = opened.parts.all_values(&entry).unwrap();
            let bytes = usize::try_from(opened.parts.segment_bytes().get()).unwrap();
            assert_eq!(values.len(), content.len().div_ceil(bytes));
            for (value, segment) in values.iter().zip(content.chunks(bytes)) {
                let verified = key_file.key().verify_segment(value, segment);
                assert_eq!(verified, Ok(()), "{:?} {segment:?}", line.path);
            }
        }
    }
    // Without parts, the manifest has the same tags but for the nonces.
    let manifest = folder.read("m");
    for line in manifest
        .lines()
        .filter(|line| line.get(65..67) == Some("  "))
    {
        let content = fs::read(folder.path(&line[67..])).unwrap();
        assert!(is_tag_of(&folder.key(), line, &content), "{line}");
    }
}

/// Stamps tell what has changed since, and are missing where they could not.
#[test]
fn stamps() {
    let folder = tree();
    let settle = || thread::sleep(Duration::from_millis(20));
    settle();
    prints(&folder.run("tag -k k -o m --parts p t"), "");
    let stamps = |folder: &Folder| -> Vec<_> {
        let opened = open(folder);
        let entries = opened.parts.entries(&opened.manifest.files).unwrap();
        entries.map(|entry| entry.unwrap().stamp).collect()
    };
    let before = stamps(&folder);
    for (path, stamp) in common::TREE.iter().zip(&before) {
        let metadata = fs::metadata(folder.path(path)).unwrap();
        let expected = Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec().try_into().unwrap()),
            changed: (metadata.ctime(), metadata.ctime_nsec().try_into().unwrap()),
        };
        assert_eq!(*stamp, Some(expected), "{path}");
    }
    settle();
    folder.file("t/a", "two");
    settle();
    prints(&folder.run("tag -k k -o m --force --parts p t"), "");
    let after = stamps(&folder);
    assert_ne!(after[0], before[0]);
    assert_eq!(after[1..], before[1..]);
}

#[test]
fn only_segments_that_a_range_touches_matter() {
    let (folder, mut content) = tagged(100_000);
    let range = |start: usize, length: usize| {
        folder.run(&format!(
            "check -k k --parts p --range {start}:{length} m t/f"
        ))
    };
    let mut numbers = Numbers(1);
    let random = |numbers: &mut Numbers| {
        let start = numbers.below(100_000);
        (start, 1 + numbers.below(100_000 - start))
    };
    for (start, length) in [
        (0, 1),
        (0, 100_000),
        (99_999, 1),
        (4095, 2),
        (4096, 4096),
        (98_304, 1696),
    ] {
        let last = start + length - 1;
        let line = format!("t/f: OK (bytes {start} to {last})\n");
        prints(&range(start, length), &line);
    }
    for turn in 0..30 {
        let at = numbers.below(100_000);
        content[at] ^= 1 << (turn % 8);
        folder.file("t/f", &content);
        content[at] ^= 1 << (turn % 8);
        let (start, length) = random(&mut numbers);
        let last = start + length - 1;
        let segment = at / 4096;
        let output = range(start, length);
        if (start / 4096..=last / 4096).contains(&segment) {
            let (from, to) = (segment * 4096, 99_999.min(segment * 4096 + 4095));
            let line = format!(
                "t/f: CHANGED (bytes {start} to {last}: differs in bytes {from} to {to})\n"
            );
            finds(&output, 1, &line, &["hornet: m: 1 range: 1 changed\n"]);
        } else {
            prints(&output, &format!("t/f: OK (bytes {start} to {last})\n"));
        }
    }
}

#[test]
fn several_ranges_and_runs() {
    let (folder, mut content) = tagged(100_000);
    for at in [5000, 9000, 20_000, 30_000, 40_000, 50_000, 60_000] {
        content[at] ^= 1;
    }
    folder.file("t/f", &content);
    let output =
        folder.run("check -k k --parts p --range 1:1 --range 0x1000:8KiB --range 0:97KiB m t/f");
    let lines = "\
t/f: OK (bytes 1 to 1)
t/f: CHANGED (bytes 4096 to 12287: differs in bytes 4096 to 12287)
t/f: CHANGED (bytes 0 to 99327: differs in bytes 4096 to 12287, 16384 to 20479, 28672 to 32767, \
36864 to 40959, and in 2 more runs of segments)
";
    finds(&output, 1, lines, &["hornet: m: 3 ranges: 2 changed\n"]);
    let output = folder.run("check -k k --parts p --quiet --range 1:1 --range 8192:1 m t/f");
    let line = "t/f: CHANGED (bytes 8192 to 8192: differs in bytes 8192 to 12287)\n";
    finds(&output, 1, line, &["2 ranges: 1 changed"]);
    let output = folder.run("check -k k --parts p --json --range 1:1 --range 4KiB:16KiB m t/f");
    let lines: Vec<_> = std::str::from_utf8(&output.stdout)
        .unwrap()
        .lines()
        .collect();
    assert_eq!(
        lines[0],
        r#"{"path":"t/f","offset":1,"length":1,"status":"OK"}"#
    );
    assert_eq!(
        lines[1],
        r#"{"path":"t/f","offset":4096,"length":16384,"status":"CHANGED","reason":"differs in bytes 4096 to 12287, 16384 to 20479","differs":[{"offset":4096,"length":8192},{"offset":16384,"length":4096}]}"#
    );
    assert!(
        lines[2].starts_with(r#"{"summary":{"ok":1,"changed":1,"#),
        "{lines:?}"
    );
    assert_eq!((lines.len(), output.status.code()), (3, Some(1)));
}

#[test]
fn another_length_or_no_file() {
    let (folder, content) = tagged(10_000);
    let check = || folder.run("check -k k --parts p --range 0:1 m t/f");
    let cat = || folder.run("cat -k k --parts p --range 0:1 m t/f");
    for length in [0, 1, 9999, 10_001] {
        folder.file("t/f", &[&content[..], &[1; 100]].concat()[..length]);
        let why = format!("has {length} bytes instead of 10000");
        let line = format!("t/f: CHANGED (bytes 0 to 0: {why})\n");
        finds(&check(), 1, &line, &["1 changed"]);
        complains(&cat(), 1, &["t/f: ", &why]);
    }
    fs::remove_file(folder.path("t/f")).unwrap();
    let output = check();
    assert_eq!(output.stdout, b"t/f: MISSING (bytes 0 to 0)\n");
    assert_eq!(output.status.code(), Some(1));
    complains(&cat(), 1, &["t/f: no longer exists"]);
    // A link to the same content is not followed.
    folder.file("same", &content);
    symlink("../same", folder.path("t/f")).unwrap();
    let line = "t/f: CHANGED (bytes 0 to 0)\n";
    finds(&check(), 1, line, &["1 changed"]);
    complains(&cat(), 1, &["t/f: not a regular file but "]);
    // From another folder, with a hint where the file is.
    fs::remove_file(folder.path("t/f")).unwrap();
    folder.file("t/f", &content);
    fs::create_dir(folder.path("elsewhere")).unwrap();
    let output = folder.run("check -k k --parts p --range 0:1 --base elsewhere m t/f");
    finds(&output, 1, "t/f: MISSING (bytes 0 to 0)\n", &["use --base"]);
    let mut other = folder.hornet("check -k ../k --parts ../p --range 0:1 --base .. ../m t/f");
    let output = other
        .current_dir(folder.path("elsewhere"))
        .output()
        .unwrap();
    prints(&output, "t/f: OK (bytes 0 to 0)\n");
    let mut other = folder.hornet("cat -k ../k --parts ../p --range 1:9 --base .. ../m t/f");
    let output = other
        .current_dir(folder.path("elsewhere"))
        .output()
        .unwrap();
    assert_eq!(output.stdout, content[1..10]);
}

#[test]
fn ranges_that_are_refused() {
    let (folder, _) = tagged(10_000);
    for (range, words) in [
        (
            "10000:1",
            "has 10000 bytes in the manifest, and the range from 10000 ends at 10001",
        ),
        ("0:10001", "ends at 10001"),
        ("9223372036854775806:1", "ends at 9223372036854775807"),
    ] {
        for command in ["check", "cat"] {
            let output = folder.run(&format!("{command} -k k --parts p --range {range} m t/f"));
            complains(&output, 2, &["t/f: ", words]);
            let output = folder.run(&format!(
                "{command} -k k --parts p --range 0:1 --range {range} m t/f"
            ));
            complains(&output, 2, &["t/f: ", words]);
        }
    }
    for range in [
        "0:0",
        "9223372036854775807:1",
        "2^63:1",
        "-1:1",
        "1:-1",
        "5",
        "1:2:3",
        ":",
        "x:1",
    ] {
        for command in ["check", "cat"] {
            let output = folder.run(&format!("{command} -k k --parts p --range={range} m t/f"));
            rejects(&output, &["--range", range]);
        }
    }
    for arguments in [
        "check -k k --range 0:1 m t/f",
        "check -k k --parts p --range 0:1 m",
        "check -k k --parts p m t/f",
        "check -k k --parts p --range 0:1 --strict m t/f",
        "cat -k k m t/f",
        "cat -k k --parts p m",
        "cat -k k --parts p --force m t/f",
        "tag -k k --parts p2 t",
        "tag -k k -o m2 --segment 4KiB t",
        "tag -k k -o m2 --parts p2 --segment 2KiB t",
        "tag -k k -o m2 --parts p2 --segment 5000 t",
        "tag -k k -o m2 --parts p2 --segment 2GiB t",
    ] {
        rejects(&folder.run(arguments), &["error: "]);
    }
    let output = folder.run("check -k k --parts p --range 0:1 m ./t/f");
    complains(&output, 2, &["./t/f: is no file in the manifest"]);
    let output = folder.run("check -k k --parts p --range 0:1 m t/empty");
    complains(&output, 2, &["t/empty: has 0 bytes in the manifest"]);
    assert!(!folder.path("m2").exists() && !folder.path("p2").exists());
}

/// A parts file that was changed, cut or exchanged is refused, like a manifest.
#[test]
fn parts_that_are_refused() {
    let (folder, _) = tagged(10_000);
    let good = fs::read(folder.path("p")).unwrap();
    let refuses =
        |output: &Output, words: &[&str]| complains(output, 1, &[words, &["p: "]].concat());
    let both = |words: &[&str]| {
        refuses(
            &folder.run("check -k k --parts p --quiet --range 4096:1 m t/f"),
            words,
        );
        refuses(
            &folder.run("cat -k k --parts p --range 4096:1 m t/f"),
            words,
        );
    };
    let mut numbers = Numbers(2);
    for at in [0, 20, 40, 80, 100, good.len() - 1]
        .into_iter()
        .chain((0..20).map(|_| numbers.below(good.len())))
    {
        let mut changed = good.clone();
        changed[at] ^= 1;
        folder.file("p", changed);
        both(&["at byte "]);
    }
    for length in [0, 50, 104, good.len() - 1] {
        folder.file("p", &good[..length]);
        both(&["at byte "]);
    }
    folder.file("p", [&good[..], b"x"].concat());
    both(&["does not end here"]);

    // Made for another manifest of the same key, or with another key.
    prints(
        &folder.run("tag -k k -o m2 --parts p2 --segment 4KiB t"),
        "",
    );
    fs::copy(folder.path("p2"), folder.path("p")).unwrap();
    both(&["these parts belong to another manifest"]);
    let output = folder.run("check -k k --parts p --json --range 0:1 m t/f");
    let json =
        r#"{"parts":"p","status":"REFUSED","reason":"these parts belong to another manifest"}"#;
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{json}\n")
    );
    assert_eq!(output.status.code(), Some(1));
    // Also without a range.
    let output = folder.run("check -k k --parts p m");
    refuses(&output, &["these parts belong to another manifest"]);
    prints(&folder.run("check -k k --quiet --parts p2 m2"), "");
    prints(&folder.run("keygen k2"), "");
    prints(&folder.run("tag -k k2 -o m3 --parts p3 t"), "");
    fs::copy(folder.path("p3"), folder.path("p")).unwrap();
    both(&["made with another key"]);
    folder.file("p", &good);
    let output = folder.run("cat -k k2 --parts p m t/f");
    complains(&output, 1, &["m: "]);

    // What cannot be read.
    fs::remove_file(folder.path("p")).unwrap();
    let output = folder.run("cat -k k --parts p m t/f");
    complains(&output, 2, &["p: cannot be opened"]);
    symlink("p2", folder.path("p")).unwrap();
    let output = folder.run("cat -k k --parts p m t/f");
    complains(&output, 2, &["p: "]);
}

/// Manifest and parts come from standard input and a file, and an older manifest is refused.
#[test]
fn the_manifest_is_opened_as_always() {
    let (folder, content) = tagged(10_000);
    let manifest = folder.read("m");
    let output = folder.run_with_stdin("cat -k k --parts p --range 5:5 - t/f", manifest.as_bytes());
    assert_eq!(output.stdout, content[5..10]);
    prints(&folder.run("tag -k k -o newer --parts p2 t"), "");
    for command in ["cat", "check"] {
        let output = folder.run(&format!(
            "{command} -k k --parts p --newer-than newer --range 0:1 m t/f"
        ));
        complains(&output, 1, &["m: older than newer"]);
        let output = folder.run(&format!(
            "{command} -k k --parts p2 --newer-than m --range 0:1 newer t/f"
        ));
        assert_eq!(output.status.code(), Some(0));
    }
    let output = folder.run("cat -k k --parts p --range 0:1 m t/f");
    assert_eq!(output.stdout, content[..1]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("use --newer-than to refuse an older one"),
        "{stderr}"
    );
    let line = folder.read("m").replace("t/f", "t/g");
    folder.file("m", line);
    complains(&folder.run("cat -k k --parts p m t/g"), 1, &["m: "]);
}

#[test]
fn cat_prints_what_was_verified() {
    let (folder, content) = tagged(100_000);
    let mut numbers = Numbers(3);
    for _ in 0..30 {
        let start = numbers.below(100_000);
        let length = 1 + numbers.below(100_000 - start);
        let output = folder.run(&format!(
            "cat -k k --parts p --range {start}:{length} m t/f"
        ));
        assert_eq!(output.stdout, content[start..start + length]);
        assert_eq!((output.stderr.len(), output.status.code()), (0, Some(0)));
    }
    let output = folder.run("cat -k k --parts p --range 9:3 --range 0:9 m t/f");
    assert_eq!(output.stdout, [&content[9..12], &content[..9]].concat());
    assert_eq!(folder.run("cat -k k --parts p m t/f").stdout, content);
    prints(&folder.run("cat -k k --parts p m t/empty"), "");
    prints(&folder.run("cat -k k --parts p -o copy m t/f"), "");
    assert_eq!(fs::read(folder.path("copy")).unwrap(), content);
    complains(
        &folder.run("cat -k k --parts p -o copy m t/f"),
        2,
        &["copy: exists; use --force"],
    );
    prints(
        &folder.run("cat -k k --parts p -o copy --force --range 7:7 m t/f"),
        "",
    );
    assert_eq!(fs::read(folder.path("copy")).unwrap(), content[7..14]);

    // The third segment differs: two are printed, and no file appears.
    let mut changed = content.clone();
    changed[9000] ^= 1;
    folder.file("t/f", &changed);
    let output = folder.run("cat -k k --parts p m t/f");
    assert_eq!(output.stdout, content[..8192]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "hornet: t/f: differs in bytes 8192 to 12287\n");
    assert_eq!(output.status.code(), Some(1));
    let names = |folder: &Folder| fs::read_dir(folder.path("")).unwrap().count();
    let before = names(&folder);
    for options in ["-o new", "-o copy --force"] {
        let output = folder.run(&format!("cat -k k --parts p {options} m t/f"));
        complains(&output, 1, &["t/f: differs in bytes 8192 to 12287"]);
    }
    assert_eq!(names(&folder), before);
    assert_eq!(fs::read(folder.path("copy")).unwrap(), content[7..14]);
    let output = folder.run("cat -k k --parts p --range 12000:10 m t/f");
    complains(&output, 1, &["t/f: differs in bytes 8192 to 12287"]);
    let output = folder.run("cat -k k --parts p --range 12288:10 m t/f");
    assert_eq!(output.stdout, content[12288..12298]);

    let output = folder
        .hornet("cat -k k --parts p --range 0:9 m t/f")
        .stdout(broken_pipe())
        .output()
        .unwrap();
    complains(&output, 2, &["standard output: "]);
}

/// While a program writes to the file, `cat` prints bytes that were tagged, or fails.
#[test]
fn cat_of_a_file_that_is_written_to() {
    let (folder, content) = tagged(4096);
    let mut other = content.clone();
    other[100..200].fill(0xff);
    let file = OpenOptions::new()
        .write(true)
        .open(folder.path("t/f"))
        .unwrap();
    let stop = AtomicBool::new(false);
    let (mut printed, mut failed) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(SeqCst) {
                file.write_all_at(&other, 0).unwrap();
                file.write_all_at(&content, 0).unwrap();
            }
        });
        for _ in 0..300 {
            let output = folder.run("cat -k k --parts p m t/f");
            match output.status.code() {
                Some(0) => printed += usize::from(output.stdout == content),
                Some(1) => failed += usize::from(output.stdout.is_empty()),
                _ => {}
            }
            if printed > 9 && failed > 9 && printed + failed > 50 {
                break;
            }
        }
        stop.store(true, SeqCst);
    });
    assert!(
        printed > 0 && failed > 0 && printed + failed > 50,
        "{printed} {failed}"
    );
}

/// While a file changes, `check --range` does not call it OK, as without a range.
#[test]
fn check_of_a_file_that_is_written_to() {
    let (folder, content) = tagged(8 * MIB);
    let file = OpenOptions::new()
        .write(true)
        .open(folder.path("t/f"))
        .unwrap();
    let stop = AtomicBool::new(false);
    let output = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(SeqCst) {
                file.write_all_at(&content[..10], 0).unwrap();
            }
        });
        let mut outputs = (0..100).map(|_| folder.run("check -k k --parts p --range 0:8MiB m t/f"));
        let output = outputs.find(|output| output.status.code() != Some(0));
        stop.store(true, SeqCst);
        output.expect("no change was detected")
    });
    assert_eq!(output.status.code(), Some(2));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.contains("t/f: UNREADABLE (bytes 0 to 8388607: changed while it was being read)"),
        "{stdout}"
    );
}

/// Arithmetic modulo 2^128 on blocks, as an attacker does it.
fn minus(left: &[u8; 16], right: &[u8; 16]) -> [u8; 16] {
    u128::from_le_bytes(*left)
        .wrapping_sub(u128::from_le_bytes(*right))
        .to_le_bytes()
}

/// If old values came from the storage, who writes there could choose what is subtracted from the value
/// of the file: with `old - (want - new)` in place of `old` before an owner replaces that block by `new`,
/// the owner's next tag would be one of a file with `want` in place of `new`. Old values come from the
/// parts only, so the change is found by whoever reads that segment.
#[test]
fn the_old_content_cannot_be_substituted() {
    let (folder, content) = tagged(1 << 16);
    let mut old = [0; 16];
    old.copy_from_slice(&content[80..96]);
    let (new, want) = (b"pay bob    1 EUR", b"pay eve 9999 EUR");
    let evil = minus(&old, &minus(want, new));
    let file = OpenOptions::new()
        .write(true)
        .open(folder.path("t/f"))
        .unwrap();
    for block in [&evil, new, want] {
        file.write_all_at(block, 80).unwrap();
        let output = folder.run("check -k k --parts p --range 80:16 m t/f");
        let line = "t/f: CHANGED (bytes 80 to 95: differs in bytes 0 to 4095)\n";
        finds(&output, 1, line, &["1 changed"]);
        complains(
            &folder.run("cat -k k --parts p --range 80:16 m t/f"),
            1,
            &["differs"],
        );
        assert_eq!(folder.run("check -k k --quiet m").stdout, b"t/f: CHANGED\n");
    }
    file.write_all_at(&old, 80).unwrap();
    prints(
        &folder.run("check -k k --parts p --quiet --range 80:16 m t/f"),
        "",
    );
}

/// Neither the parts nor what is written beside them is tagged, whatever link leads there.
#[test]
fn the_parts_are_not_tagged() {
    let folder = tree();
    for turn in 0..3 {
        if turn > 0 {
            // What a process leaves that is killed at the wrong moment.
            folder.file("t/sub/p.lock", "");
            folder.file("t/sub/p.new", "no parts");
            let _ = fs::remove_file(folder.path("t/link"));
            fs::hard_link(folder.path("t/sub/p"), folder.path("t/link")).unwrap();
        }
        prints(&folder.run("tag -k k -o t/m --force --parts t/sub/p t"), "");
        assert_eq!(paths(&folder.read("t/m")), common::TREE);
        for name in ["t/sub/p.new", "t/sub/p.lock"] {
            assert!(!folder.path(name).exists(), "{name}");
        }
    }
    fs::remove_file(folder.path("t/link")).unwrap();
    prints(
        &folder.run("check -k k --strict --parts t/sub/p t/m"),
        &all_ok(),
    );
    let output = folder.run("check -k k --strict --quiet t/m");
    assert_eq!(output.stdout, b"t/sub/p: EXTRA\n");
}

#[test]
fn nothing_is_replaced_unasked() {
    let (folder, _) = tagged(10_000);
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    let (manifest, parts) = (read("m"), read("p"));
    let output = folder.run("tag -k k -o m --parts p t");
    complains(&output, 2, &["m: exists; use --force to replace it"]);
    let output = folder.run("tag -k k -o m2 --parts p t");
    complains(&output, 2, &["p: exists; use --force to replace it"]);
    let output = folder.run("tag -k k -o m --parts p2 t");
    complains(&output, 2, &["m: exists; use --force to replace it"]);
    for (arguments, words) in [
        ("-o m --force --parts m", "m: "),
        ("-o p.lock --force --parts p", "p.lock: "),
        ("-o p.new --force --parts p", "p.new: "),
        ("-o m --force --parts t", "t: "),
        ("-o m --force --parts none/p", "none/p: "),
    ] {
        let output = folder.run(&format!("tag -k k {arguments} t"));
        complains(&output, 2, &[words]);
    }
    symlink("p", folder.path("link")).unwrap();
    complains(
        &folder.run("tag -k k -o m --force --parts link t"),
        2,
        &["link: "],
    );
    assert_eq!((read("m"), read("p")), (manifest.clone(), parts.clone()));
    let names = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["k", "key", "link", "m", "message", "p", "t"]);
    prints(&folder.run("tag -k k -o m --force --parts p t"), "");
    assert!(read("m") != manifest && read("p") != parts);
}

/// What the command itself needs is not replaced, even if it may be.
#[test]
fn needed_files_are_not_replaced() {
    let (folder, _) = tagged(10_000);
    let all = || ["k", "m", "p"].map(|name| fs::read(folder.path(name)).unwrap());
    let before = all();
    for (arguments, words) in [
        (
            "tag -k k -o k --force t",
            ["k: is the key file", "not replaced"],
        ),
        (
            "tag -k k -o new --parts k --force t",
            ["k: is the key file", "not replaced"],
        ),
        (
            "cat -k k --parts p -o k --force m t/f",
            ["k: is the key file", "not replaced"],
        ),
        (
            "cat -k k --parts p -o p --force m t/f",
            ["p: is the parts file", "not replaced"],
        ),
        (
            "cat -k k --parts p -o m --force m t/f",
            ["m: is the manifest", "not replaced"],
        ),
    ] {
        complains(&folder.run(arguments), 2, &words);
        assert!(all() == before, "{arguments}");
    }
    assert!(!folder.path("new").exists());
}

/// A replacement that was cut short between the manifest and the parts is found, and completed by the
/// next one that writes.
#[test]
fn a_replacement_that_was_cut_short() {
    let (folder, content) = tagged(10_000);
    let old = fs::read(folder.path("p")).unwrap();
    prints(
        &folder.run("tag -k k -o m --force --parts p --segment 4KiB t"),
        "",
    );
    fs::rename(folder.path("p"), folder.path("p.new")).unwrap();
    folder.file("p", &old);
    let output = folder.run("cat -k k --parts p --range 9:9 m t/f");
    assert_eq!(output.stdout, content[9..18]);
    assert!(folder.path("p.new").exists());
    // The manifest exists, so nothing else is done.
    let output = folder.run("tag -k k -o m --parts p t");
    complains(&output, 2, &["m: exists"]);
    assert!(!folder.path("p.new").exists());
    assert_ne!(fs::read(folder.path("p")).unwrap(), old);
    let output = folder.run("cat -k k --parts p --range 9:9 m t/f");
    assert_eq!(output.stdout, content[9..18]);
}

/// What could not be read has no parts, and the others have theirs.
#[cfg(target_os = "linux")]
#[test]
fn unread_files_have_no_parts() {
    // It claims to fill a page.
    let unread = "/sys/kernel/mm/transparent_hugepage/enabled";
    if !fs::metadata(unread).is_ok_and(|metadata| metadata.len() == 4096) {
        return;
    }
    let (folder, content) = tagged(20_000);
    let last = folder.path("t/f").display().to_string();
    for options in ["", "--verify-twice"] {
        let output = folder.run(&format!(
            "tag -k k -o m --force --parts p --segment 4KiB {options} {unread} t {last}"
        ));
        finds(&output, 2, "", &[unread, "1 path could not be read"]);
        assert_eq!(paths(&folder.read("m")).len(), common::TREE.len() + 2);
        for path in ["t/f", &last] {
            let output = folder.run(&format!("cat -k k --parts p m {path}"));
            assert_eq!(output.stdout, content);
        }
        for command in ["cat", "check --range 0:1"] {
            let output = folder.run(&format!("{command} -k k --parts p m {unread}"));
            complains(
                &output,
                2,
                &[unread, "could not be read when the manifest was made"],
            );
        }
    }
}

/// One page of values and one segment are read of a file of 1 TiB.
#[cfg(target_os = "linux")]
#[test]
fn a_range_of_a_terabyte() {
    let folder = tree();
    let file = File::create(folder.path("disk")).unwrap();
    if file.set_len(1 << 40).is_err() {
        // The file system has no files of this length.
        return;
    }
    let at = 700 << 30;
    file.write_all_at(b"content", at).unwrap();
    assert_eq!(
        folder.run("tag -k k -o m --parts p disk").status.code(),
        Some(0)
    );
    let length = fs::metadata(folder.path("p")).unwrap().len();
    assert!(length < (33 << 20), "{length}");
    let read = |arguments: &str| {
        let bin = env!("CARGO_BIN_EXE_hornet");
        let script = format!("'{bin}' {arguments} >&2 && cat /proc/$$/io");
        let mut shell = std::process::Command::new("sh");
        let output = shell
            .args(["-c", &script])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("rchar: "));
        let stderr = String::from_utf8_lossy(&output.stderr);
        let read: u64 = line.expect(&stderr).parse().unwrap();
        (read, stderr.into_owned())
    };
    let (without, _) = read("info");
    for (command, shown) in [
        ("check", "disk: OK (bytes 751619276800 to 751619280895)"),
        ("cat", "content\0"),
        ("check --no-holes", "OK"),
    ] {
        let arguments = format!("{command} -k k --parts p --range {at}:4KiB m disk");
        let (count, stderr) = read(&arguments);
        assert!(stderr.contains(shown), "{stderr}");
        let most = MIB + 33 * KIB + 32 * KIB;
        let count = usize::try_from(count.saturating_sub(without)).unwrap();
        println!("{command}: {count} bytes read");
        assert!(count <= most, "{command}: {count}");
    }
}

/// The seal of the manifest is in the header, as the format says.
#[test]
fn bound_to_the_manifest() {
    let (folder, _) = tagged(1);
    let parts = fs::read(folder.path("p")).unwrap();
    let seal = Seal::of(folder.read("m").as_bytes()).unwrap();
    assert_eq!(parts[40..56], *seal.nonce.as_bytes());
    assert_eq!(parts[56..72], *seal.tag.as_bytes());
    assert_eq!(
        open(&folder).parts.segment_bytes(),
        SegmentBytes::new(4096).unwrap()
    );
}
