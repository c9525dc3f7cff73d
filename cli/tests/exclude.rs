// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `--exclude` and `--exclude-from`, of `hornet tag` and of `hornet check --strict`.

mod common;

use common::{Folder, TREE, all_ok, complains, finds, paths, prints, rejects, tree};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Adds objects, an empty folder in a folder of objects, a link and a fifo to the tree.
fn with_objects(folder: &Folder) {
    for name in ["t/build/x", "t/sub/build", "t/objects"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    for name in ["t/a.o", "t/build/x/f", "t/sub/b.o", "t/objects/c.o"] {
        folder.file(name, "");
    }
    symlink("a", folder.path("t/link.o")).unwrap();
    folder.fifo("t/sub/fifo.o");
}

/// Returns the lines of a manifest without nonces, tags and the time.
fn lines(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().filter(|line| !line.starts_with("sealed "));
    let lines = lines.filter(|line| !line.starts_with("seal "));
    lines
        .map(|line| match line.get(65..67) {
            Some("  ") => &line[67..],
            _ => line,
        })
        .collect()
}

#[test]
fn what_is_excluded_might_as_well_not_exist() {
    let folder = tree();
    fs::create_dir(folder.path("t/objects")).unwrap();
    folder.tag_tree();
    let expected = folder.read("m");
    with_objects(&folder);
    let mut tag = folder.hornet("tag -k k -o n --exclude");
    prints(
        &tag.args(["*.o", "--exclude", "build/", "t"])
            .output()
            .unwrap(),
        "",
    );
    let manifest = folder.read("n");
    let mut expected = lines(&expected);
    expected.splice(3..3, ["exclude *.o", "exclude build/"]);
    assert_eq!(lines(&manifest), expected);
    assert!(expected.contains(&"other folder t/objects"), "{expected:?}");

    let note = "hornet: n: not searched for additions: what its exclude lines match (2)\n";
    let check = |options: &str| folder.run(&format!("check -k k {options} n"));
    finds(&check("--strict"), 0, &all_ok(), &[note]);
    prints(&check("--strict --quiet"), "");
    prints(&check(""), &all_ok());
    // Not even if all of it is removed, or more is added.
    folder.file("t/sub/deep/new.o", "");
    fs::remove_file(folder.path("t/objects/c.o")).unwrap();
    prints(&check("--strict --quiet"), "");
    // Anything else is reported.
    folder.file("t/new", "");
    fs::create_dir(folder.path("t/sub/new")).unwrap();
    folder.file("t/sub/new/x.o", "");
    let extra = "t/new: EXTRA\nt/sub/new: EXTRA (folder)\n";
    finds(&check("--strict --quiet"), 1, extra, &["2 extra"]);
    // What was a folder is not, and a pattern for folders does not match it.
    fs::remove_dir_all(folder.path("t/build")).unwrap();
    symlink("sub", folder.path("t/build")).unwrap();
    let extra = format!("t/build: EXTRA (symlink)\n{extra}");
    finds(&check("--strict --quiet"), 1, &extra, &["3 extra"]);
}

/// A loop of links cannot be read, which would be reported.
#[test]
fn folders_that_are_excluded_are_not_entered() {
    let folder = tree();
    fs::create_dir_all(folder.path("t/build/x")).unwrap();
    symlink("loop", folder.path("t/build/x/loop")).unwrap();
    symlink("build", folder.path("t/link")).unwrap();
    let tag = |options: &str| {
        let output = folder.run(&format!(
            "tag -k k -o m --force --follow-symlinks {options} t"
        ));
        output.status.code()
    };
    assert_eq!(tag("--exclude build"), Some(2));
    for options in [
        "--exclude build --exclude link",
        // A link that is followed to a folder counts as one.
        "--exclude build/ --exclude link/",
        "--exclude x",
        "--exclude x/ --exclude !x/loop",
        "--exclude * --exclude !t",
        "--exclude loop",
    ] {
        assert_eq!(tag(options), Some(0), "{options}");
    }
    assert_eq!(tag("--exclude build/ --exclude !link"), Some(2));
}

#[test]
fn patterns_are_relative_to_each_argument_and_spare_it() {
    let folder = tree();
    let listed = |arguments: &str| {
        let output = folder.run(&format!("tag -k k {arguments}"));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let manifest = String::from_utf8(output.stdout).unwrap();
        paths(&manifest).join(" ")
    };
    assert_eq!(listed("--exclude /b t"), "t/a t/empty t/sub/b t/sub/deep/c");
    assert_eq!(listed("--exclude /b t/sub t/a"), "t/a t/sub/deep/c");
    assert_eq!(listed("--exclude /t --exclude t/a t"), TREE.join(" "));
    assert_eq!(listed("--exclude a --exclude sub t t/a"), "t/a t/empty");
    assert_eq!(
        listed("--exclude sub t//sub/. "),
        "t//sub/./b t//sub/./deep/c"
    );
    // What one argument leaves out, another may have.
    assert_eq!(
        listed("--exclude /sub t t/sub/deep"),
        "t/a t/empty t/sub/deep/c"
    );
    assert_eq!(listed("--exclude * t"), "");
    let mut inside = folder.hornet("tag -k ../k --exclude /sub/b .");
    let output = inside.current_dir(folder.path("t")).output().unwrap();
    let manifest = String::from_utf8(output.stdout).unwrap();
    assert_eq!(paths(&manifest), ["./a", "./empty", "./sub/deep/c"]);
}

#[test]
fn patterns_from_files_come_first() {
    let folder = tree();
    let text = "\u{feff}# a comment\r\n\r\n  \na\r\nsub/*\n\\#x\n!sub/deep";
    folder.file("first", text);
    folder.file("second", "empty\n!a\n");
    for name in ["t/#x", "t/sub/#x"] {
        folder.file(name, "");
    }
    let options = "--exclude !/sub/b --exclude-from first --exclude-from second";
    prints(&folder.run(&format!("tag -k k -o m {options} t")), "");
    let manifest = folder.read("m");
    let excluded = "path t\nexclude a\nexclude sub/*\nexclude \\\\#x\nexclude !sub/deep\n\
        exclude empty\nexclude !a\nexclude !/sub/b\n";
    assert!(manifest.contains(excluded), "{manifest}");
    assert_eq!(paths(&manifest), ["t/a", "t/sub/b", "t/sub/deep/c"]);

    // The file plays no part in checking: whoever can change it may not add files.
    folder.file("first", "*\n");
    folder.file("t/new", "");
    let output = folder.run("check -k k -q --strict m");
    finds(&output, 1, "t/new: EXTRA\n", &["1 extra"]);
}

#[test]
fn names_of_all_kinds() {
    let folder = tree();
    for name in [
        &b"t/\xff.o"[..],
        b"t/\xffx",
        b"t/a\nb.o",
        b"t/\nx",
        b"t/\\x",
        b"t/*x",
    ] {
        folder.file(OsStr::from_bytes(name), "");
    }
    let listed = |patterns: &[&str]| {
        let mut tag = folder.hornet("tag -k k -o m --force");
        for pattern in patterns {
            tag.args(["--exclude", pattern]);
        }
        prints(
            &tag.args(["--exclude", "[aes]*", "t"]).output().unwrap(),
            "",
        );
        let output = folder.run("check -k k --strict -q m");
        prints(&output, "");
        paths(&folder.read("m")).join(" ")
    };
    assert_eq!(listed(&[]), r"t/\nx t/*x t/\\x t/\xff.o t/\xffx");
    assert_eq!(listed(&["*.o"]), r"t/\nx t/*x t/\\x t/\xffx");
    assert_eq!(listed(&["?x"]), r"t/\xff.o");
    assert_eq!(listed(&["\nx", r"\\x"]), r"t/*x t/\xff.o t/\xffx");
    assert_eq!(listed(&[r"\*x"]), r"t/\nx t/\\x t/\xff.o t/\xffx");
    assert!(folder.read("m").contains("\nexclude \\\\*x\n"));
}

#[test]
fn wrong_patterns_name_their_place() {
    let folder = tree();
    folder.tag_tree();
    let before = folder.read("k");
    for (line, why) in [
        (&b"[z-a]"[..], "[z-a]: invalid range"),
        (b"[a", "[a: unclosed character class"),
        (b"x\\", r"x\\: dangling"),
        (b"\xff", "must be UTF-8"),
        (b"a\0", r"a\x00: has a NUL byte"),
    ] {
        folder.file("list", [b"# comment\n\nx\n", line, b"\nz"].concat());
        for arguments in ["tag -k k -o n t", "check -k k --strict m"] {
            let output = folder.run(&format!("{arguments} --exclude-from list"));
            complains(&output, 2, &["hornet: list: line 4: ", why]);
            if line.contains(&0) {
                continue;
            }
            let mut command = folder.hornet(arguments);
            let output = command
                .arg("--exclude")
                .arg(OsStr::from_bytes(line))
                .output();
            let words = if line == b"\xff" { "UTF-8" } else { why };
            rejects(&output.unwrap(), &["--exclude", words]);
        }
    }
    for blank in ["", "  ", "#x"] {
        let mut tag = folder.hornet("tag -k k t --exclude");
        complains(
            &tag.arg(blank).output().unwrap(),
            2,
            &["--exclude: ", "not a pattern"],
        );
    }
    complains(
        &folder.run("tag -k k t --exclude-from none"),
        2,
        &["none: No such file"],
    );
    complains(
        &folder.run("tag -k k t --exclude-from t"),
        2,
        &["t: ", "directory"],
    );
    assert!(!folder.path("n").exists());
    assert_eq!(folder.read("k"), before, "nonces were used");
}

#[test]
fn check_may_exclude_more_or_less() {
    let folder = tree();
    with_objects(&folder);
    prints(
        &folder.run("tag -k k -o m --exclude *.o --exclude build t"),
        "",
    );
    folder.file("t/sub/new", "");
    folder.file("list", "new\nobjects/\n");
    let check = |options: &str| folder.run(&format!("check -k k -q --strict {options} m"));
    finds(&check(""), 1, "t/sub/new: EXTRA\n", &["1 extra"]);
    prints(&check("--exclude new"), "");
    prints(&check("--exclude-from list"), "");
    let extra = "t/a.o: EXTRA\nt/link.o: EXTRA (symlink)\nt/objects/c.o: EXTRA\nt/sub/b.o: EXTRA\n\
        t/sub/fifo.o: EXTRA (fifo)\n";
    finds(
        &check("--exclude new --exclude !*.o"),
        1,
        extra,
        &["5 extra"],
    );
    // The manifest's files are checked all the same.
    folder.file("t/a", "other");
    finds(&check("--exclude *"), 1, "t/a: CHANGED\n", &["1 changed"]);
    // Nor does a link to one of them, left out, pass for it.
    fs::hard_link(folder.path("t/empty"), folder.path("t/full")).unwrap();
    let extra = "t/a: CHANGED\nt/full: EXTRA\n";
    let output = check("--exclude new --exclude /empty");
    finds(&output, 1, extra, &["1 changed, 1 extra"]);
    let output = check("--exclude * --json");
    let json = String::from_utf8(output.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(last["exclude"], serde_json::json!(["*.o", "build", "*"]));
    for option in ["--exclude x", "--exclude-from list"] {
        rejects(
            &folder.run(&format!("check -k k {option} m")),
            &["--strict"],
        );
    }
}

/// The files of random trees that random patterns leave are those that git lists.
#[test]
fn the_same_files_as_git() {
    const FOLDERS: [&str; 4] = ["a", "b", "ab", "a.o"];
    const FILES: [&str; 6] = ["B", "a b", "b.o", "ba", "*", "c"];
    const PARTS: [&str; 12] = [
        "a", "b", "ab", "*", "?", "*.o", "[ab]", "[!b]*", "**", "a*", "a\\ b", "\\*",
    ];
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder.path("t"));
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // A linear congruential generator, of Knuth.
    let mut state = 1_u64;
    let mut below = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    fs::create_dir(folder.path("t")).unwrap();
    let nothing = "hornet: no file was found; the manifest lists none\n";
    finds(&folder.run("tag -k k -o m t"), 0, "", &[nothing]);
    let nothing = "hornet: m: lists no files; nothing was checked\n";
    finds(&folder.run("check -k k --strict m"), 0, "", &[nothing]);
    for _ in 0..150 {
        let mut path = folder.path("t");
        path.extend((0..below(4)).map(|_| FOLDERS[below(FOLDERS.len())]));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(FILES[below(FILES.len())]), "").unwrap();
    }
    git(&["init", "--quiet", "."]);
    let all = git(&["ls-files", "--others", "-z"]).matches('\0').count();
    assert!(all > 40, "{all}");
    let (mut excluded, mut included) = (0, 0);
    for _ in 0..200 {
        let mut patterns = String::new();
        for _ in 0..=below(4) {
            let parts: Vec<_> = (0..=below(3)).map(|_| PARTS[below(PARTS.len())]).collect();
            let before = ["", "", "!", "/", "!/"][below(5)];
            let after = ["", "", "/"][below(3)];
            patterns += &[before, &parts.join("/"), after, "\n"].concat();
        }
        folder.file("patterns", &patterns);
        let expected = git(&["ls-files", "--others", "-z", "--exclude-from=../patterns"]);
        let mut expected: Vec<_> = expected.split_terminator('\0').collect();
        expected.sort_unstable();
        // Without nonces, and so without waiting for the disk.
        let options = "--strict --exclude-from patterns --exclude /.git";
        let found = folder.run(&format!("check -k k {options} m")).stdout;
        let found = String::from_utf8(found).unwrap();
        let found: Vec<_> = found
            .lines()
            .filter_map(|line| line.strip_prefix("t/")?.strip_suffix(": EXTRA"))
            .collect();
        assert_eq!(found, expected, "{patterns}");
        included += found.len();
        excluded += all - found.len();
    }
    // Neither is rare.
    assert!(included > 1000 && excluded > 1000, "{included}, {excluded}");
}
