//! `hornet tag`: what is tagged, what is left out, and how the manifest is written.

mod common;

use common::{
    Folder, TREE, all_ok, broken_pipe, complains, finds, is_root, paths, prints, rejects, terminal,
    tree,
};
use hornet::aes::Nonce;
use hornet::key_file::{KeyFile, Purpose};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// Whether a line of a manifest has the tag of this content under its nonce.
fn is_right(key_file: &KeyFile, line: &str, content: &[u8]) -> bool {
    let nonce = line[..32].parse().unwrap();
    let tag = line[33..65].parse().unwrap();
    key_file.key().verify(&nonce, content, &tag).is_ok()
}

#[test]
fn every_line_of_a_manifest() {
    let folder = tree();
    let manifest = folder.tag_tree();
    let key_file = folder.key();
    let lines: Vec<&str> = manifest.lines().collect();
    assert_eq!(
        lines[..3],
        ["hornet manifest 1", "symbolic links: left out", "path t"]
    );
    assert_eq!(paths(&manifest), TREE);
    for (line, path) in lines[3..7].iter().zip(TREE) {
        let nonce: Nonce = line[..32].parse().unwrap();
        assert_eq!(Purpose::of(&nonce), Purpose::MESSAGE);
        let content = fs::read(folder.path(path)).unwrap();
        assert!(is_right(&key_file, line, &content), "{path}");
    }
    assert_eq!(lines[7], "files 4 unread 0");
    let seal: Vec<&str> = lines[8].split(' ').collect();
    assert_eq!((seal.len(), seal[0], lines.len()), (3, "seal", 9));
    let nonce: Nonce = seal[1].parse().unwrap();
    assert_eq!(Some(Purpose::of(&nonce)), Purpose::new(1));
    let body = &manifest.as_bytes()[..manifest.len() - lines[8].len() - 1];
    let tag = seal[2].parse().unwrap();
    assert!(key_file.key().verify(&nonce, body, &tag).is_ok());
}

#[test]
fn no_nonce_is_used_twice() {
    let folder = tree();
    let mut nonces = Vec::new();
    for _ in 0..3 {
        let manifest = String::from_utf8(folder.run("tag -k k t").stdout).unwrap();
        nonces.extend(manifest.lines().filter_map(|line| {
            let line = line.strip_prefix("seal ").unwrap_or(line);
            line.get(..32)?
                .parse::<Nonce>()
                .ok()
                .map(|nonce| nonce.to_string())
        }));
    }
    assert_eq!(nonces.len(), 15);
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 15);
}

/// Lengths around every border between the ways to read, with few threads and many, mapped and not.
#[test]
fn all_ways_to_read_agree() {
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
    // Short ones in one batch, and more than there is room for at once.
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
            assert!(is_right(&key_file, line, &content), "{options} {line}");
        }
        folder.file("m", &manifest);
        for options in ["", "--threads 1", "--no-mmap --threads 5"] {
            prints(&folder.run(&format!("check -k k --quiet {options} m")), "");
        }
    }
}

#[test]
fn sorted_by_bytes_and_each_once() {
    let folder = tree();
    folder.file("t/sub-x", "");
    folder.file("t/B", "");
    let listed = |arguments: &str| {
        let output = folder.run(&format!("tag -k k {arguments}"));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let manifest = String::from_utf8(output.stdout).unwrap();
        paths(&manifest).join(" ")
    };
    let sorted = "t/B t/a t/empty t/sub-x t/sub/b t/sub/deep/c";
    assert_eq!(listed("t"), sorted);
    assert_eq!(listed("t/ t t/a t//sub"), sorted);
    assert_eq!(
        listed("t/sub-x t/a t/sub t/a"),
        "t/a t/sub-x t/sub/b t/sub/deep/c"
    );
    // As given, and by the first of several spellings.
    assert_eq!(listed("./t/a t/a"), "./t/a");
    assert_eq!(listed("t/a ./t/a"), "t/a");
    assert_eq!(
        listed("./t/sub t/sub/b t/a"),
        "./t/sub/b ./t/sub/deep/c t/a"
    );
    let absolute = folder.path("t/a");
    let absolute = absolute.to_str().unwrap();
    assert_eq!(listed(absolute), absolute);
}

#[test]
fn key_file_and_manifest_within_the_tree() {
    let folder = tree();
    fs::rename(folder.path("k"), folder.path("t/k")).unwrap();
    prints(&folder.run("tag -k t/k -o t/m t"), "");
    assert_eq!(paths(&folder.read("t/m")), TREE);
    prints(&folder.run("check --strict -k t/k t/m"), &all_ok());
    // When it is there already, and by another name of its folder.
    symlink("t", folder.path("link")).unwrap();
    prints(&folder.run("tag -k link/k -o link/m --force t"), "");
    assert_eq!(paths(&folder.read("t/m")), TREE);
    prints(&folder.run("check --strict -k link/k link/m"), &all_ok());

    let key = "is the key file or the manifest";
    complains(&folder.run("tag -k t/k t/k"), 2, &["t/k: ", key]);
    complains(
        &folder.run("tag -k t/k -o t/m --force t/a t/m"),
        2,
        &["t/m: ", key],
    );
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = tree();
    folder.file("m", "precious");
    complains(&folder.run("tag -k k -o m t"), 2, &["m: exists", "--force"]);
    assert_eq!(folder.read("m"), "precious");
    prints(&folder.run("tag -k k -o m --force t"), "");
    prints(&folder.run("check -k k m"), &all_ok());
    prints(&folder.run("tag -k k -o new --force t"), "");

    // What is no regular file is replaced with neither.
    fs::create_dir(folder.path("folder")).unwrap();
    symlink("m", folder.path("link")).unwrap();
    folder.fifo("fifo");
    for name in ["folder", "link", "fifo"] {
        for force in ["", "--force"] {
            let output = folder.run(&format!("tag -k k {force} -o {name} t"));
            complains(&output, 2, &[&format!("{name}: exists")]);
        }
    }
    complains(&folder.run("tag -k k -o no/m t"), 2, &["no/m: "]);
    rejects(&folder.run("tag -k k --force t"), &["--output"]);
    let names: Vec<_> = fs::read_dir(folder.path("")).unwrap().flatten().collect();
    assert!(
        !names
            .iter()
            .any(|entry| entry.file_name().as_bytes().starts_with(b".")),
        "{names:?}"
    );
}

#[test]
fn a_manifest_may_be_read_as_the_umask_allows() {
    let folder = tree();
    folder.tag_tree();
    let mode = |name| {
        fs::metadata(folder.path(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("m"), mode("t/a"));
}

#[test]
fn arguments_that_cannot_be_tagged() {
    let folder = tree();
    folder.fifo("fifo");
    let _socket = UnixListener::bind(folder.path("socket")).unwrap();
    symlink("t/a", folder.path("link")).unwrap();
    for (argument, word) in [
        ("fifo", "fifo"),
        ("socket", "socket"),
        ("link", "--follow-symlinks"),
        ("/dev/null", "device"),
        ("missing", "No such file"),
        ("t/a/x", "Not a directory"),
        ("-", "./-"),
    ] {
        let before = folder.read("k");
        let output = folder.run(&format!("tag -k k t {argument}"));
        complains(&output, 2, &[&format!("{argument}: "), word]);
        assert_eq!(folder.read("k"), before, "nonces were used");
    }
    let empty = folder.hornet("tag -k k").arg("").output().unwrap();
    rejects(&empty, &["PATH"]);
    rejects(&folder.run("tag -k k"), &["PATH"]);
    rejects(&folder.run("tag t"), &["--key"]);
    rejects(&folder.run("tag -k k --threads 0 t"), &["--threads"]);
    complains(&folder.run("tag -k none t"), 2, &["none: "]);
    complains(&folder.run("tag -k t/a t"), 2, &["t/a: "]);
    prints(&folder.run("tag -k k -o m --follow-symlinks link"), "");
    prints(&folder.run("check -k k m"), "link: OK\n");
}

#[test]
fn what_is_no_file_is_left_out_of_the_tree() {
    let folder = tree();
    folder.fifo("t/fifo");
    let _socket = UnixListener::bind(folder.path("t/sub/socket")).unwrap();
    symlink("a", folder.path("t/link")).unwrap();
    symlink("sub", folder.path("t/folder")).unwrap();
    symlink("nowhere", folder.path("t/dangling")).unwrap();
    let words = [
        "t/fifo: left out: a fifo\n",
        "t/sub/socket: left out: a socket\n",
        "symbolic links left out: 3;",
    ];
    finds(&folder.run("tag -k k -o m t"), 0, "", &words);
    assert_eq!(paths(&folder.read("m")), TREE);
    finds(&folder.run("check --strict -k k m"), 0, &all_ok(), &[]);
}

#[test]
fn symbolic_links_are_followed_if_asked() {
    let folder = tree();
    symlink("a", folder.path("t/link")).unwrap();
    symlink("sub", folder.path("t/folder")).unwrap();
    // Back up, and to itself by way of another.
    symlink("..", folder.path("t/sub/up")).unwrap();
    fs::create_dir(folder.path("other")).unwrap();
    symlink("../t", folder.path("other/back")).unwrap();
    symlink("../../other", folder.path("t/sub/other")).unwrap();
    let output = folder.run("tag -k k -o m --follow-symlinks t");
    let words = [
        "t/sub/up: left out: leads back",
        "t/folder/up: left out: leads back",
        "t/sub/other/back: left out",
    ];
    finds(&output, 0, "", &words);
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nsymbolic links: followed\n"),
        "{manifest}"
    );
    let listed = paths(&manifest);
    let wanted = [
        "t/a",
        "t/empty",
        "t/folder/b",
        "t/folder/deep/c",
        "t/link",
        "t/sub/b",
        "t/sub/deep/c",
    ];
    assert_eq!(listed, wanted);
    let output = folder.run("check --strict -k k m");
    finds(
        &output,
        0,
        &wanted.map(|path| format!("{path}: OK\n")).concat(),
        &[],
    );

    symlink("nowhere", folder.path("t/dangling")).unwrap();
    symlink("loop", folder.path("t/loop")).unwrap();
    let output = folder.run("tag -k k -o m --force --follow-symlinks t");
    finds(
        &output,
        2,
        "",
        &[
            "t/dangling: No such file",
            "t/loop: ",
            "2 could not be read",
        ],
    );
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nunread t/dangling\nunread t/loop\nfiles 7 unread 2\n"),
        "{manifest}"
    );
}

#[test]
fn names_of_all_kinds() {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    fs::create_dir(folder.path("t")).unwrap();
    let names: [&[u8]; 9] = [
        b"\xff\xfe",
        b"\n",
        b"a\nseal x",
        b"a\\nb",
        b"-x",
        b" ",
        b"\x1b[31m",
        "ü".as_bytes(),
        b"tab\there",
    ];
    for name in names {
        folder.file(OsStr::from_bytes(&[b"t/", name].concat()), name);
    }
    prints(&folder.run("tag -k k -o m t"), "");
    let manifest = folder.read("m");
    let escaped = [
        r"t/ ",
        "t/-x",
        r"t/\n",
        r"t/\x1b[31m",
        r"t/a\nseal x",
        r"t/a\\nb",
        r"t/tab\x09here",
        "t/ü",
        r"t/\xff\xfe",
    ];
    let mut sorted = names.map(|name| [b"t/", name].concat());
    sorted.sort();
    assert_eq!(paths(&manifest).len(), 9);
    for path in escaped {
        assert!(
            paths(&manifest).contains(&path),
            "{path} is not in {manifest}"
        );
    }
    let output = folder.run("check --strict -k k m");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        stdout.lines().filter(|line| line.ends_with(": OK")).count(),
        9,
        "{stdout}"
    );
    assert_eq!(output.status.code(), Some(0));

    // As arguments.
    let dash = folder
        .hornet("tag -k k -o n --")
        .current_dir(folder.path("t"))
        .arg("-x")
        .output();
    complains(&dash.unwrap(), 2, &["k: "]);
    let mut tag = folder.hornet("tag -k ../k -o ../n --");
    let output = tag
        .current_dir(folder.path("t"))
        .args(["-x", "\n"])
        .arg(OsStr::from_bytes(b"\xff\xfe"))
        .output();
    prints(&output.unwrap(), "");
    assert_eq!(paths(&folder.read("n")), ["\\n", "-x", "\\xff\\xfe"]);
    let mut missing = folder.hornet("tag -k k");
    let output = missing
        .arg(OsStr::from_bytes(b"no\n\xff"))
        .output()
        .unwrap();
    complains(&output, 2, &[r"no\n\xff: No such file"]);
}

/// As deep as a path may be for the system, and deeper.
#[test]
fn long_paths() {
    let folder = tree();
    let name = "d".repeat(200);
    let mut inner: OwnedFd = fs::File::open(folder.path("t")).unwrap().into();
    for index in 0..30 {
        mkdirat(&inner, &name, Mode::RWXU).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        inner = openat(&inner, &name, flags, Mode::empty()).unwrap();
        let flags = OFlags::CREATE | OFlags::WRONLY;
        let file = openat(&inner, "f", flags, Mode::RUSR).unwrap();
        writeln!(fs::File::from(file), "{index}").unwrap();
    }
    prints(&folder.run("tag -k k -o m t"), "");
    let manifest = folder.read("m");
    let lengths = paths(&manifest).into_iter().map(str::len);
    assert!(lengths.clone().max() > Some(6000), "{:?}", lengths.max());
    assert_eq!(paths(&manifest).len(), 34);
    let output = folder.run("check --strict -k k m");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_may_not_be_read() {
    if is_root() {
        return;
    }
    let folder = tree();
    fs::set_permissions(folder.path("t/a"), Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.path("t/sub/deep"), Permissions::from_mode(0o000)).unwrap();
    let output = folder.run("tag -k k -o m t");
    let denied = [
        "t/a: Permission denied",
        "t/sub/deep: Permission denied",
        "2 could not be read",
    ];
    finds(&output, 2, "", &denied);
    let manifest = folder.read("m");
    assert_eq!(paths(&manifest), ["t/empty", "t/sub/b"]);
    assert!(
        manifest.contains("\nunread t/a\nunread t/sub/deep\nfiles 2 unread 2\n"),
        "{manifest}"
    );
    let listed = "t/empty: OK\nt/sub/b: OK\n\
        t/a: UNREAD (could not be read when the manifest was made)\n\
        t/sub/deep: UNREAD (could not be read when the manifest was made)\n";
    finds(
        &folder.run("check -k k m"),
        1,
        listed,
        &["m: of 4 files, 2 not read when tagged"],
    );
    fs::set_permissions(folder.path("t/sub/deep"), Permissions::from_mode(0o700)).unwrap();
}

/// Without other users: `/proc/self/mem` is a regular file that cannot be read from its start.
#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_read_are_listed() {
    let folder = tree();
    let output = folder.run("tag -k k -o m t /proc/self/mem /proc/version");
    finds(
        &output,
        2,
        "",
        &[
            "/proc/self/mem: Input/output error",
            "1 could not be read and is listed as unread",
        ],
    );
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nunread /proc/self/mem\nfiles 5 unread 1\n"),
        "{manifest}"
    );
    // Which says that it has no bytes.
    let line = manifest
        .lines()
        .find(|line| line.ends_with("  /proc/version"));
    let content = fs::read("/proc/version").unwrap();
    assert!(is_right(&folder.key(), line.unwrap(), &content));
    let listed = format!(
        "/proc/version: OK\n{}/proc/self/mem: UNREAD (could not be read when the manifest was made)\n",
        all_ok()
    );
    finds(
        &folder.run("check -k k m"),
        1,
        &listed,
        &["m: of 6 files, 1 not read when tagged"],
    );
    // And not as extra.
    finds(
        &folder.run("check --strict -k k m"),
        1,
        &listed,
        &["1 not read"],
    );
}

/// Under /sys, files say that they fill a page.
#[cfg(target_os = "linux")]
#[test]
fn files_that_are_shorter_than_they_say() {
    let path = "/sys/kernel/mm/transparent_hugepage/enabled";
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() == 4096) {
        let output = tree().run(&format!("tag -k k -o m {path}"));
        finds(&output, 2, "", &[path, "has not as many bytes as it says"]);
    }
}

/// The manifest that the command writes while another thread changes `t/busy` all the time. On a busy
/// machine that may not get a turn, and then there is nothing to notice: so it is tried again.
#[track_caller]
fn tag_while(folder: &Folder, change: impl Fn(&fs::File, u64) + Sync, options: &str) -> String {
    let stop = AtomicBool::new(false);
    let busy = OpenOptions::new().write(true).open(folder.path("t/busy"));
    let file = busy.unwrap();
    let command = format!("tag -k k {options} -o m --force t");
    let output = thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                if stop.load(SeqCst) {
                    break;
                }
                change(&file, turn);
            }
        });
        let mut outputs = (0..100).map(|_| folder.run(&command));
        let output = outputs.find(|output| output.status.code() != Some(0));
        stop.store(true, SeqCst);
        output.expect("no change was noticed")
    });
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("t/busy: "), "{stderr}");
    assert!(stderr.contains("while it was being read"), "{stderr}");
    folder.read("m")
}

/// Long enough to be read by all threads, and to be changed meanwhile.
const BUSY: u32 = 48 << 20;

#[track_caller]
fn is_never_tagged(change: impl Fn(&fs::File, u64) + Sync) {
    let folder = tree();
    for options in ["", "--no-mmap"] {
        folder.file("t/busy", vec![1; BUSY as usize]);
        let manifest = tag_while(&folder, &change, options);
        assert_eq!(paths(&manifest), TREE);
        let end = "\nunread t/busy\nfiles 4 unread 1\n";
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

#[test]
fn output_that_cannot_be_written() {
    let folder = tree();
    let closed = folder
        .hornet("tag -k k t")
        .stdout(broken_pipe())
        .output()
        .unwrap();
    complains(&closed, 2, &["standard output: ", "Broken pipe"]);
    folder.tag_tree();
    let closed = folder
        .hornet("check -k k m")
        .stdout(broken_pipe())
        .output()
        .unwrap();
    complains(&closed, 2, &["standard output: ", "Broken pipe"]);
    let closed = folder
        .hornet("check --json -k k m")
        .stdout(broken_pipe())
        .output()
        .unwrap();
    complains(&closed, 2, &["standard output: ", "Broken pipe"]);
    let mut bound = folder.hornet("bound --messages 1 --forgeries 1 --length 1");
    complains(
        &bound.stdout(broken_pipe()).output().unwrap(),
        2,
        &["standard output: ", "Broken pipe"],
    );
}

#[test]
fn long_work_shows_its_progress_on_a_terminal() {
    let folder = tree();
    // Sparse, and long enough to take a second anywhere.
    let file = fs::File::create(folder.path("t/huge")).unwrap();
    file.set_len(24 << 30).unwrap();
    let (mut person, stderr) = terminal();
    let mut tag = folder.hornet("tag -k k -o m t");
    let mut child = tag.env("TERM", "xterm").stderr(stderr).spawn().unwrap();
    drop(tag);
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = person.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
        if String::from_utf8_lossy(&seen).contains(" left") {
            break;
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    let seen = String::from_utf8_lossy(&seen);
    assert!(
        seen.contains("of 24.00 GiB") && seen.contains("/s, "),
        "{seen:?}"
    );
}

#[test]
fn unusual_arguments_are_recorded_as_given() {
    let folder = tree();
    let odd = OsString::from_vec(b"t/./sub//".to_vec());
    let output = folder.hornet("tag -k k -o m").arg(&odd).output().unwrap();
    prints(&output, "");
    let manifest = folder.read("m");
    assert!(manifest.contains("\npath t/./sub//\n"), "{manifest}");
    prints(
        &folder.run("check --strict -k k m"),
        "t/./sub/b: OK\nt/./sub/deep/c: OK\n",
    );
    // A link is followed where a slash says so.
    symlink("t", folder.path("link")).unwrap();
    prints(&folder.run("tag -k k -o m --force link/"), "");
    prints(
        &folder.run("check --strict -k k m"),
        &all_ok().replace("t/", "link/").replace("linklink", "link"),
    );
    let mut inside = folder.hornet("tag -k ../../k -o ../../m --force .");
    prints(
        &inside.current_dir(folder.path("t/sub")).output().unwrap(),
        "",
    );
    assert_eq!(paths(&folder.read("m")), ["./b", "./deep/c"]);
}
