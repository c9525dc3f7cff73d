// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet retag`: new manifests and parts of what changed.

mod common;

use common::{Folder, TREE, complains, finds, is_tag_of, paths, prints, rejects, tree};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const SEGMENT: usize = 4096;

/// Waits until the clock of the file system has ticked, so that times tell of later changes.
fn settle() {
    thread::sleep(Duration::from_millis(20));
}

/// The tree of the other tests, with a file `t/f` of 100,000 bytes, tagged in segments of 4 KiB.
fn tagged() -> (Folder, Vec<u8>) {
    let folder = tree();
    let content: Vec<u8> = (0..=250).cycle().take(100_000).collect();
    folder.file("t/f", &content);
    settle();
    prints(&folder.run("tag -k k -o m --parts p --segment 4KiB t"), "");
    settle();
    (folder, content)
}

/// Returns the lines of the manifest that are not in `before`, by their paths.
fn new_lines(folder: &Folder, before: &str) -> Vec<String> {
    let after = folder.read("m");
    let new = after
        .lines()
        .filter(|line| line.get(65..67) == Some("  ") && !before.contains(line));
    new.map(|line| line[67..].to_owned()).collect()
}

/// Asserts that manifest and parts are those of the files as they are: all are read, and every segment
/// of `t/f` alone.
#[track_caller]
fn is_right(folder: &Folder) {
    let checked = folder.run("check -k k --strict --parts p --quiet m");
    prints(&checked, "");
    let length = fs::metadata(folder.path("t/f")).map_or(0, |metadata| metadata.len());
    if length > 0 {
        let all = format!("check -k k --parts p --quiet --range 0:{length} m t/f");
        prints(&folder.run(&all), "");
    }
}

/// Asserts that retag fails with these words and leaves everything as it is.
#[track_caller]
fn refuses(folder: &Folder, arguments: &str, stdin: &str, status: i32, words: &[&str]) {
    let all = || ["m", "p"].map(|name| fs::read(folder.path(name)).unwrap_or_default());
    let before = all();
    let output = folder.run_with_stdin(
        &format!("retag -k k --parts p {arguments} m"),
        stdin.as_bytes(),
    );
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Nonces may be reserved before something is refused, which the next run notices.
    let mut lines = stderr
        .lines()
        .filter(|line| !line.contains("nonces of its key have been reserved since"));
    let line = lines.next().unwrap_or_default();
    for word in words {
        assert!(line.contains(word), "{word:?} is not in {line}");
    }
    assert_eq!(lines.next(), None);
    assert!(output.stdout.is_empty(), "{output:?}");
    assert_eq!(output.status.code(), Some(status), "{line}");
    assert_eq!(all(), before);
    for name in ["p.new", "p.lock"] {
        assert!(!folder.path(name).exists(), "{name}");
    }
}

fn write_at(folder: &Folder, offset: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(folder.path("t/f"));
    file.unwrap().write_all_at(bytes, offset).unwrap();
}

fn total(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn what_changed_is_read() {
    let (folder, _) = tagged();
    let before = folder.read("m");
    prints(
        &folder.run("retag -k k --parts p m"),
        "0 bytes read\n170006 bytes not read, on the word of size and times\n",
    );
    assert_eq!(new_lines(&folder, &before), [""; 0]);

    folder.file("t/a", "two");
    folder.file("t/new", "new");
    fs::remove_file(folder.path("t/sub/b")).unwrap();
    // Times change, and content does not.
    let empty = OpenOptions::new()
        .write(true)
        .open(folder.path("t/empty"))
        .unwrap();
    empty.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    prints(
        &folder.run("retag -k k --parts p m"),
        "t/a: CHANGED\nt/empty: SAME\nt/new: NEW\nt/sub/b: REMOVED\n6 bytes read\n\
         170000 bytes not read, on the word of size and times\n",
    );
    assert_eq!(new_lines(&folder, &before), ["t/a", "t/new"]);
    assert_eq!(
        paths(&folder.read("m")),
        ["t/a", "t/empty", "t/f", "t/new", "t/sub/deep/c"]
    );
    is_right(&folder);

    // Links and empty folders are recorded anew.
    symlink("a", folder.path("t/link")).unwrap();
    fs::create_dir(folder.path("t/sub/folder")).unwrap();
    settle();
    let output = folder.run("retag -k k --parts p --json m");
    let last = total(&output);
    assert_eq!(last["summary"]["kept"], 5);
    assert_eq!(
        (
            &last["read_bytes"],
            &last["not_read_bytes"]["size and times"]
        ),
        (&0.into(), &170_006.into())
    );
    is_right(&folder);
}

/// Changes that hide from those who look at length and modification time alone.
#[test]
fn hidden_changes_are_read() {
    let (folder, content) = tagged();
    let path = folder.path("t/f");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    // Written to, or replaced by another file.
    for other in [false, true] {
        settle();
        if other {
            folder.file("other", &content[1..]);
            OpenOptions::new()
                .append(true)
                .open(folder.path("other"))
                .unwrap()
                .set_len(100_000)
                .unwrap();
            fs::rename(folder.path("other"), &path).unwrap();
        } else {
            write_at(&folder, 50_000, b"changed");
        }
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(modified).unwrap();
        settle();
        let output = folder.run("retag -k k --parts p m");
        assert!(
            output
                .stdout
                .starts_with(b"t/f: CHANGED\n100000 bytes read\n"),
            "{output:?}"
        );
        is_right(&folder);
    }
}

/// Of a file that was changed just before it was read, no times are kept: a change in the same tick of
/// the clock would leave them as they are. On another file system than the key file's, that is so for
/// some seconds.
#[test]
fn racy_changes_are_read() {
    let folder = tree();
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    let other = Path::new("/dev/shm");
    let here = device(folder.0.path());
    if device(other).is_none() || device(other) == here {
        println!("skipped: no other file system");
        return;
    }
    let there = TempDir::new_in(other).unwrap();
    let path = there.path().join("file");
    fs::write(&path, "one").unwrap();
    let shown = path.display();
    prints(&folder.run(&format!("tag -k k -o m --parts p {shown}")), "");
    let retag = || folder.run("retag -k k --parts p m");
    prints(&retag(), &format!("{shown}: SAME\n3 bytes read\n"));
    fs::write(&path, "two").unwrap();
    prints(&retag(), &format!("{shown}: CHANGED\n3 bytes read\n"));
    is_right(&folder);
    thread::sleep(Duration::from_secs(4));
    prints(&retag(), &format!("{shown}: SAME\n3 bytes read\n"));
    prints(
        &retag(),
        "0 bytes read\n3 bytes not read, on the word of size and times\n",
    );
}

#[test]
fn ranges() {
    let (folder, _) = tagged();
    let before = folder.read("m");
    write_at(&folder, 5000, b"one");
    write_at(&folder, 70_000, b"two");
    folder.file("r", "# changed\n5000 3\n0x11170 1KiB\n");
    // Three segments: 70,000 and 1 KiB is within the 18th.
    prints(
        &folder.run("retag -k k --parts p --file t/f --ranges r m"),
        "t/f: CHANGED (91808 bytes not read, on the word of r)\n8192 bytes read\n\
         91808 bytes not read, on the word of r\n70006 bytes not read, on the word of size and times\n",
    );
    assert_eq!(new_lines(&folder, &before), ["t/f"]);
    is_right(&folder);

    // No range: nothing has changed, on that word.
    settle();
    write_at(&folder, 0, b"hidden");
    let before = folder.read("m");
    let output = folder.run_with_stdin("retag -k k --parts p --file t/f --ranges - m", b"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.starts_with("t/f: SAME (100000 bytes not read, on the word of standard input)\n"),
        "{text}"
    );
    assert_eq!(new_lines(&folder, &before), [""; 0]);
    let output = folder.run("check -k k --quiet m");
    finds(&output, 1, "t/f: CHANGED\n", &["1 changed"]);

    // Dirty bitmaps and rbd diff.
    for (format, text) in [
        (
            "nbdinfo",
            r#"[{"offset":0,"length":4096,"type":1,"description":"dirty"},
                {"offset":4096,"length":95904,"type":0,"description":"clean"}]"#,
        ),
        ("rbd", r#"[{"offset":0,"length":100,"exists":"true"}]"#),
    ] {
        write_at(&folder, 0, format.as_bytes());
        folder.file("r", text);
        let retag =
            format!("retag -k k --parts p --file t/f --ranges r --ranges-format {format} --json m");
        let output = folder.run(&retag);
        let last = total(&output);
        assert_eq!(
            (&last["read_bytes"], &last["not_read_bytes"]["r"]),
            (&4096.into(), &95_904.into())
        );
        is_right(&folder);
    }
}

#[test]
fn growth_and_truncation_with_ranges() {
    let (folder, _) = tagged();
    for length in [
        100_001_u64,
        200_000,
        40_960,
        40_961,
        50_000,
        49_152,
        100,
        0,
        5,
        0,
        8192,
        4096,
        12_288,
    ] {
        let file = OpenOptions::new()
            .write(true)
            .open(folder.path("t/f"))
            .unwrap();
        file.set_len(length).unwrap();
        // Zeros at the end, and no ranges, or something in both.
        let is_written = length > 4 && length % 5 != 0;
        if is_written {
            write_at(&folder, length - 4, b"last");
        }
        let ranges = if is_written {
            format!("{} 4", length - 4)
        } else {
            String::new()
        };
        let retag = "retag -k k --parts p --quiet --file t/f --ranges - m";
        prints(&folder.run_with_stdin(retag, ranges.as_bytes()), "");
        is_right(&folder);
    }
}

#[test]
fn appended() {
    let (folder, mut content) = tagged();
    let retag = "retag -k k --parts p --appended t/f m";
    // Within the last segment, to its end, from its end, over many, and nothing.
    for more in [1, 15, SEGMENT - 100_016 % SEGMENT, 5, SEGMENT, 100_000, 0] {
        content.extend(vec![more.to_le_bytes()[0]; more]);
        folder.file("t/f", &content);
        let output = folder.run(retag);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        is_right(&folder);
    }
    // Only the last segment is read.
    content.extend(b"more");
    folder.file("t/f", &content);
    let last = total(&folder.run(&retag.replace(" m", " --json m")));
    assert_eq!(
        last["read_bytes"].as_u64(),
        Some((content.len() % SEGMENT) as u64)
    );
    // The same length, and the same content in its last segment.
    let before = folder.read("m");
    folder.file("t/f", &content);
    let output = folder.run(retag);
    assert!(output.stdout.starts_with(b"t/f: SAME ("), "{output:?}");
    assert_eq!(new_lines(&folder, &before), [""; 0]);
}

#[test]
fn not_only_appended() {
    let (folder, mut content) = tagged();
    content[99_000] ^= 1;
    for more in [0, 1, 5000] {
        folder.file("t/f", [&content[..], &vec![7; more]].concat());
        let why = "t/f: CHANGED: bytes 98304 to 100000 are not those that were tagged";
        refuses(
            &folder,
            "--appended t/f",
            "",
            1,
            &[why, "the word of --appended"],
        );
        if more > 0 {
            let end = format!("100000 {more}");
            refuses(
                &folder,
                "--file t/f --ranges -",
                &end,
                1,
                &[why, "the word of standard input"],
            );
            // If the range says so, they may differ.
        }
    }
    let json = folder.run("retag -k k --parts p --appended t/f --json m");
    assert!(
        json.stdout
            .starts_with(br#"{"path":"t/f","status":"CHANGED","reason":"bytes 98304 to"#),
        "{json:?}"
    );
    let all = folder.run_with_stdin(
        "retag -k k --parts p --quiet --file t/f --ranges - m",
        b"99000 6000",
    );
    finds(&all, 0, "", &["nonces of its key have been reserved since"]);
    is_right(&folder);
    folder.file("t/f", "shorter");
    let why = "t/f: became shorter, from 105000 bytes to 7: not only appended";
    refuses(&folder, "--appended t/f", "", 2, &[why]);
}

#[test]
fn bad_input() {
    let (folder, _) = tagged();
    let of_f = "--file t/f --ranges -";
    for (text, words) in [
        (
            "8192 1\n4096 1",
            ["standard input: line 2: ", "must be in order"],
        ),
        (
            "4096 10\n4100 1",
            ["standard input: line 2: ", "must not overlap"],
        ),
        (
            "99999 2",
            [
                "standard input: line 1: ",
                "beyond the end of the file at byte 100000",
            ],
        ),
        (
            "-1 1",
            ["standard input: line 1: ", "not a number of bytes"],
        ),
        (
            "0 -1",
            ["standard input: line 1: ", "not a number of bytes"],
        ),
        (
            "0 9223372036854775808",
            ["standard input: line 1: ", "below 2^63"],
        ),
        (
            "9223372036854775808 1",
            ["standard input: line 1: ", "below 2^63"],
        ),
        (
            "9223372036854775807 1",
            ["standard input: line 1: ", "beyond the end"],
        ),
        (
            "0",
            ["standard input: line 1: ", "not an offset and a length"],
        ),
    ] {
        refuses(&folder, of_f, text, 2, &words);
    }
}

#[test]
fn bad_options() {
    let (folder, _) = tagged();
    folder.file("r", "0 1\n0 1");
    refuses(&folder, "--file t/f --ranges r", "", 2, &["r: line 2: "]);
    refuses(
        &folder,
        "--file t/f --ranges none",
        "",
        2,
        &["none: No such file"],
    );
    refuses(
        &folder,
        "--file t/none --ranges -",
        "",
        2,
        &["t/none: is not in the manifest m"],
    );
    refuses(
        &folder,
        "--appended f",
        "",
        2,
        &["f: is not in the manifest m"],
    );
    refuses(
        &folder,
        "--appended t/f --file t/f --ranges -",
        "",
        2,
        &["t/f: given twice"],
    );
    let two = "--file t/f --ranges - --file t/a --ranges -";
    refuses(&folder, two, "", 2, &["--ranges -: given twice"]);
    refuses(
        &folder,
        "--file t/f --ranges r --ranges -",
        "",
        2,
        &["--file: must be given as often"],
    );
    let json = "--file t/f --ranges - --ranges-format rbd";
    refuses(
        &folder,
        json,
        "[{}]",
        2,
        &["standard input: ", "missing field `offset` at line 1"],
    );
    for arguments in ["--ranges r", "--file t/f", "--ranges-format rbd"] {
        rejects(
            &folder.run(&format!("retag -k k --parts p {arguments} m")),
            &["required"],
        );
    }
    rejects(&folder.run("retag -k k m"), &["--parts <PARTS>"]);

    // Files that are gone.
    fs::remove_file(folder.path("t/f")).unwrap();
    refuses(&folder, "--appended t/f", "", 2, &["t/f: no longer exists"]);
    fs::rename(folder.path("t"), folder.path("u")).unwrap();
    refuses(
        &folder,
        "",
        "",
        2,
        &[
            "t: No such file or directory",
            "use 'hornet tag' if it is gone",
        ],
    );
}

/// Parts and manifests that are changed, or do not belong together.
#[test]
fn refused() {
    let (folder, _) = tagged();
    let keep = |name: &str| fs::read(folder.path(name)).unwrap();
    let (manifest, parts) = (keep("m"), keep("p"));
    folder.file("t/a", "two");
    prints(&folder.run("retag -k k --parts p --quiet m"), "");
    let (newer, newer_parts) = (keep("m"), keep("p"));
    let other = "these parts belong to another manifest";
    // One of them restored.
    for (manifest, parts) in [(&manifest, &newer_parts), (&newer, &parts)] {
        folder.file("m", manifest);
        folder.file("p", parts);
        refuses(&folder, "", "", 1, &["p: ", other]);
    }
    folder.file("p", &newer_parts);
    folder.file(
        "m",
        String::from_utf8(newer.clone())
            .unwrap()
            .replace("t/f", "t/g"),
    );
    refuses(
        &folder,
        "",
        "",
        1,
        &["m: changed since it was made", "the seal does not match"],
    );
    let json = folder.run("retag -k k --parts p --json m");
    assert!(
        json.stdout
            .starts_with(br#"{"manifest":"m","status":"REFUSED","reason":"#),
        "{json:?}"
    );
    folder.file("m", &newer);
    // A byte of each part that is needed.
    for at in [0, 30, 200, newer_parts.len() - 1] {
        let mut changed = newer_parts.clone();
        changed[at] ^= 1;
        folder.file("p", &changed);
        refuses(&folder, "", "", 1, &["p: at byte "]);
    }
    folder.file("p", &newer_parts[..newer_parts.len() - 1]);
    refuses(&folder, "", "", 1, &["p: at byte ", "cut here"]);
    prints(&folder.run("keygen other"), "");
    folder.file("p", &newer_parts);
    let output = folder.run("retag -k other --parts p m");
    complains(&output, 1, &["m: ", "made with another key"]);

    // Both restored: the counter tells that there may be newer ones.
    folder.file("m", &manifest);
    folder.file("p", &parts);
    let output = folder.run("retag -k k --parts p --quiet m");
    finds(
        &output,
        0,
        "",
        &[
            "m: ",
            " nonces of its key have been reserved since, enough for a newer manifest",
        ],
    );
    // The files are newer than what was restored, and are read.
    is_right(&folder);

    fs::remove_file(folder.path("p")).unwrap();
    refuses(&folder, "", "", 2, &["p: cannot be opened"]);
    fs::remove_file(folder.path("m")).unwrap();
    refuses(&folder, "", "", 2, &["m: cannot be opened"]);
}

/// After a retag that makes few tags, `check` still says that an old manifest may be one.
#[test]
fn an_old_manifest_is_noticed() {
    let (folder, _) = tagged();
    fs::copy(folder.path("m"), folder.path("old")).unwrap();
    prints(&folder.run("retag -k k --parts p --quiet m"), "");
    prints(&folder.run("check -k k --quiet m"), "");
    let output = folder.run("check -k k --quiet old");
    finds(
        &output,
        0,
        "",
        &["enough for a newer manifest; use --newer-than"],
    );
    complains(
        &folder.run("check -k k --quiet --newer-than m old"),
        1,
        &["older than m"],
    );
}

#[test]
fn all_new() {
    let (folder, _) = tagged();
    let before = folder.read("m");
    prints(
        &folder.run("retag -k k --parts p --all-new m"),
        "0 bytes read\n170006 bytes not read, on the word of size and times\n",
    );
    let all = ["t/a", "t/empty", "t/f", "t/sub/b", "t/sub/deep/c"];
    assert_eq!(new_lines(&folder, &before), all);
    for line in folder
        .read("m")
        .lines()
        .filter(|line| line.contains("  t/"))
    {
        let content = fs::read(folder.path(&line[67..])).unwrap();
        assert!(is_tag_of(&folder.key(), line, &content), "{line}");
    }
    is_right(&folder);
    // Files that are read get new tags as well, if they have the same content too.
    folder.file("t/a", "one");
    let before = folder.read("m");
    let output = folder.run_with_stdin(
        "retag -k k --parts p --all-new --file t/f --ranges - m",
        b"",
    );
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(new_lines(&folder, &before), all);
    is_right(&folder);
}

#[test]
fn links_exclusions_and_unread_files() {
    let folder = tree();
    symlink("sub", folder.path("t/link")).unwrap();
    folder.file("t/x.o", "object");
    let tag = "tag -k k -o t/m --parts t/p --follow-symlinks --exclude *.o t";
    prints(&folder.run(tag), "");
    folder.file("t/sub/b", "changed");
    folder.file("t/y.o", "object");
    let output = folder.run("retag -k k --parts t/p t/m");
    let text = String::from_utf8_lossy(&output.stdout);
    for path in ["t/link/b: CHANGED\n", "t/sub/b: CHANGED\n"] {
        assert!(text.contains(path), "{text}");
    }
    prints(
        &folder.run("check -k k --strict --parts t/p --quiet t/m"),
        "",
    );

    if !common::is_root() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| {
            fs::set_permissions(folder.path("t/a"), fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(0);
        let output = folder.run("retag -k k --parts t/p t/m");
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.starts_with(b"t/a: UNREAD\n"), "{output:?}");
        mode(0o600);
        // It has no values, and must be read as a whole.
        complains(
            &folder.run_with_stdin("retag -k k --parts t/p --file t/a --ranges - t/m", b""),
            2,
            &["t/a", "could not be read"],
        );
        let output = folder.run("retag -k k --parts t/p t/m");
        assert!(output.stdout.starts_with(b"t/a: NEW\n"), "{output:?}");
        prints(
            &folder.run("check -k k --strict --parts t/p --quiet t/m"),
            "",
        );
    }
}

/// Whatever an attacker does to the storage before or after, the tag is one of what was read, or the
/// change is found: the old value is not read where he writes. `tests/parts.rs` explains the attack.
#[test]
fn the_old_content_cannot_be_substituted() {
    let (folder, content) = tagged();
    let mut old = [0; 16];
    old.copy_from_slice(&content[80..96]);
    let (new, want) = (b"pay bob    1 EUR", b"pay eve 9999 EUR");
    let number = |block: &[u8; 16]| u128::from_le_bytes(*block);
    let evil = number(&old)
        .wrapping_sub(number(want))
        .wrapping_add(number(new));
    write_at(&folder, 80, &evil.to_le_bytes());
    // The owner changes the block, and says so.
    write_at(&folder, 80, new);
    let retag = "retag -k k --parts p --quiet --file t/f --ranges - m";
    prints(&folder.run_with_stdin(retag, b"80 16"), "");
    write_at(&folder, 80, want);
    let output = folder.run("check -k k --quiet m");
    finds(&output, 1, "t/f: CHANGED\n", &["1 changed"]);
    write_at(&folder, 80, new);
    is_right(&folder);

    // In a segment that is not read, the change is found later.
    write_at(&folder, 50_000, &evil.to_le_bytes());
    write_at(&folder, 96, new);
    prints(&folder.run_with_stdin(retag, b"96 16"), "");
    let output = folder.run("check -k k --quiet m");
    finds(&output, 1, "t/f: CHANGED\n", &["1 changed"]);
}

/// Two at once take turns.
#[test]
fn at_once() {
    let (folder, _) = tagged();
    for turn in 0..10 {
        folder.file("t/a", format!("{turn}"));
        let start = || {
            folder
                .hornet("retag -k k --parts p --quiet m")
                .spawn()
                .unwrap()
        };
        let all = [start(), start(), start()];
        for child in all {
            prints(&child.wait_with_output().unwrap(), "");
        }
        is_right(&folder);
    }
    assert_eq!(paths(&folder.read("m")).len(), TREE.len() + 1);
}

/// The word of a list is that of the list alone: without it, the file is read, whatever its times.
#[test]
fn a_word_does_not_vouch_for_times() {
    let (folder, mut content) = tagged();
    // Another file, of which the list names the first byte only.
    content[50_000] ^= 1;
    folder.file("t/new", &content);
    fs::rename(folder.path("t/new"), folder.path("t/f")).unwrap();
    thread::sleep(Duration::from_millis(2100));
    let output = folder.run_with_stdin("retag -k k --parts p --file t/f --ranges - m", b"0 1");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    prints(
        &folder.run("retag -k k --parts p m"),
        "t/f: CHANGED\n100000 bytes read\n70006 bytes not read, on the word of size and times\n",
    );
    is_right(&folder);
}

/// A file system that is not mounted, or a folder that cannot be listed, is no removal.
#[test]
fn folders_without_files() {
    let (folder, _) = tagged();
    fs::rename(folder.path("t"), folder.path("elsewhere")).unwrap();
    fs::create_dir(folder.path("t")).unwrap();
    refuses(&folder, "", "", 2, &["t: has no files", "m has tags of it"]);
    fs::remove_dir(folder.path("t")).unwrap();
    fs::rename(folder.path("elsewhere"), folder.path("t")).unwrap();
    if !common::is_root() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| {
            fs::set_permissions(folder.path("t/sub"), fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(0);
        refuses(&folder, "", "", 2, &["t/sub", "m has tags of it"]);
        mode(0o700);
    }
    prints(
        &folder.run("retag -k k --parts p m"),
        "0 bytes read\n170006 bytes not read, on the word of size and times\n",
    );
}
