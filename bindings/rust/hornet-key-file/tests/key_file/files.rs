// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Which files may contain a key: owner, mode, links, type; and errors of the file system.

use super::{child, names, next, only_temporaries_beside_key, place, problem, text, write};
use hornet_key_file::KeyFile;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

fn is_root() -> bool {
    // SAFETY: takes no arguments.
    unsafe { libc::geteuid() == 0 }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn only_the_owner_can_read_it() {
    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    next(&file);
    assert_eq!(mode(&path), 0o600);

    for bit in 0..6 {
        set_mode(&path, 0o600 | 1 << bit);
        let expected = format!(
            "accessible by others than its owner (mode 06{:02o}): use chmod 600",
            1 << bit
        );
        if bit == 5 {
            // The group may read it, but its owner then hands out no nonces.
            assert_eq!(KeyFile::open(&path).unwrap().next_counter().ok(), Some(1));
        } else {
            assert_eq!(problem(KeyFile::open(&path), &path), expected);
        }
        assert_eq!(problem(file.reserve(1), &path), expected);
        assert_eq!(problem(file.reserve(0), &path), expected);
    }
    set_mode(&path, 0o600);
    assert_eq!(next(&file), 1);
}

#[test]
fn mode_does_not_depend_on_the_umask() {
    for job in [
        "create, when all is masked",
        "create, when nothing is masked",
    ] {
        let (_folder, path) = place();
        child::all_said(&child::command(job, &path).output().unwrap());
        assert_eq!(mode(&path), 0o600, "{job}");
    }
}

#[test]
fn another_owner() {
    if !is_root() {
        // Files of root may be read, but not by everyone.
        let path = Path::new("/etc/passwd");
        assert_eq!(
            problem(KeyFile::open(path), path),
            "accessible by others than its owner (mode 0644): use chmod 600"
        );
        return;
    }
    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    chown(&path, Some(65_534), None).unwrap();
    assert_eq!(
        problem(KeyFile::open(&path), &path),
        "belongs to another user"
    );
    assert_eq!(problem(file.reserve(1), &path), "belongs to another user");
    chown(&path, Some(0), None).unwrap();
    assert_eq!(next(&file), 0);
}

/// As orchestrators provide secrets: root's, readable by a group, behind links.
#[test]
fn a_file_of_root_that_a_group_may_read() {
    if !is_root() {
        eprintln!("not tested: only root can make such files");
        return;
    }
    let (folder, path) = place();
    set_mode(folder.path(), 0o755);
    fs::create_dir(folder.path().join("..2026")).unwrap();
    let secret = folder.path().join("..2026/key");
    KeyFile::create(&secret).unwrap();
    chown(&secret, None, Some(65_534)).unwrap();
    symlink("..2026", folder.path().join("..data")).unwrap();
    symlink("..data/key", &path).unwrap();
    let read = |mode, group| {
        set_mode(&secret, mode);
        chown(&secret, None, Some(group)).unwrap();
        let output = child::command("read, then reserve, as nobody", &path).output();
        child::all_said(&output.unwrap())
    };
    let line = |problem: &str| format!("error {}: {problem}", path.display());
    let said = read(0o440, 65_534);
    let denied = line("cannot be opened for writing: Permission denied (os error 13)");
    assert_eq!(said, ["next 0", &denied]);
    for mode in [0o444, 0o460, 0o450, 0o441] {
        let problem =
            format!("accessible by others than its owner (mode {mode:04o}): use chmod 600");
        assert_eq!(read(mode, 65_534), [line(&problem)]);
    }
    let denied = line("cannot be opened: Permission denied (os error 13)");
    assert_eq!(read(0o440, 65_533), [denied]);
}

/// A pipe, and what is left of a file that was removed, as shells and password managers pass them.
#[test]
fn a_key_from_a_pipe() {
    let (folder, path) = place();
    write(&path, text(41));
    let reads = |file: KeyFile, shown: &Path| {
        assert_eq!(file.key().as_bytes(), &super::KEY);
        assert_eq!(file.next_counter().unwrap(), 41);
        let expected = "nonces are counted in a key file, and this is a pipe or has no name";
        for count in [0, 1] {
            assert_eq!(problem(file.reserve(count), shown), expected);
        }
        let fork = file.fork(&folder.path().join("fork"));
        assert_eq!(problem(fork, shown), expected);
    };
    let named = folder.path().join("pipe");
    mkfifo(&named);
    let open_named = |mode| {
        set_mode(&named, mode);
        let end = std::thread::spawn({
            let named = named.clone();
            // The reader may have refused it.
            move || fs::write(named, text(41))
        });
        let opened = KeyFile::open(&named);
        (opened, end.join().unwrap())
    };
    for mode in [0o600, 0o640] {
        let (opened, written) = open_named(mode);
        written.unwrap();
        reads(opened.unwrap(), &named);
    }
    for mode in [0o604, 0o602, 0o620] {
        let (opened, _) = open_named(mode);
        let why = problem(opened, &named);
        assert!(why.starts_with("accessible by others"), "{why}");
    }

    let (end, mut start) = std::io::pipe().unwrap();
    start.write_all(text(41).as_bytes()).unwrap();
    drop(start);
    let unnamed = format!("/dev/fd/{}", end.as_raw_fd());
    reads(KeyFile::open(unnamed.as_ref()).unwrap(), unnamed.as_ref());

    let removed = File::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let removed = format!("/dev/fd/{}", removed.as_raw_fd());
    // Where the system opens the file again.
    if cfg!(target_os = "linux") {
        reads(KeyFile::open(removed.as_ref()).unwrap(), removed.as_ref());
    }
    assert_eq!(names(&folder), ["pipe"]);
}

#[test]
fn a_symbolic_link_stays() {
    let (folder, path) = place();
    fs::create_dir(folder.path().join("there")).unwrap();
    let target = folder.path().join("there/target");
    KeyFile::create(&target).unwrap();
    symlink("there/target", &path).unwrap();

    let file = KeyFile::open(&path).unwrap();
    assert_eq!(next(&file), 0);
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&target).unwrap().is_file());
    assert_eq!(next(&KeyFile::open(&target).unwrap()), 1);
    assert_eq!(names(&folder), ["key", "there"]);

    // A link in place of the file itself is not followed.
    fs::rename(&target, folder.path().join("moved")).unwrap();
    symlink("../moved", &target).unwrap();
    assert_eq!(problem(file.reserve(1), &path), "not a regular file");
    assert!(fs::symlink_metadata(&target).unwrap().is_symlink());
}

#[test]
fn hard_links_are_refused() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let other = folder.path().join("other");
    fs::hard_link(&path, &other).unwrap();
    let expected = "has 2 hard links: under the other names, old copies would remain";
    assert_eq!(problem(KeyFile::open(&path), &path), expected);
    assert_eq!(problem(KeyFile::open(&other), &other), expected);
    assert_eq!(problem(file.reserve(1), &path), expected);
    fs::remove_file(&other).unwrap();
    assert_eq!(next(&file), 0);
}

#[test]
fn only_regular_files() {
    let (folder, path) = place();
    let folder = folder.path();
    let pipe = folder.join("pipe");
    mkfifo(&pipe);
    let socket = folder.join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let null = Path::new("/dev/null");
    for other in [folder, null] {
        assert_eq!(problem(KeyFile::open(other), other), "not a regular file");
    }
    for other in [&socket, &path] {
        let problem = problem(KeyFile::open(other), other);
        assert!(problem.starts_with("cannot be opened: "), "{problem}");
    }
    for other in ["/", "..", ""].map(Path::new) {
        assert_eq!(problem(KeyFile::create(other), other), "not a file name");
    }
    assert_eq!(
        problem(KeyFile::open(Path::new("/")), Path::new("/")),
        "not a file name"
    );

    // In place of the key file.
    let file = KeyFile::create(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let missing = problem(file.reserve(1), &path);
    assert!(
        missing.starts_with("cannot be opened for writing: "),
        "{missing}"
    );
    fs::rename(&pipe, &path).unwrap();
    assert_eq!(problem(file.reserve(1), &path), "not a regular file");
    assert_eq!(problem(file.reserve(0), &path), "not a regular file");
}

#[test]
fn nothing_is_overwritten() {
    let (folder, path) = place();
    let source = KeyFile::create(&folder.path().join("source")).unwrap();
    let refused = |path: &Path| {
        let expected = "exists, and is not overwritten";
        assert_eq!(problem(KeyFile::create(path), path), expected);
        assert_eq!(problem(source.fork(path), path), expected);
    };
    write(&path, text(41));
    refused(&path);
    assert_eq!(fs::read_to_string(&path).unwrap(), text(41));
    write(&path, "");
    refused(&path);
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    fs::remove_file(&path).unwrap();

    symlink("nowhere", &path).unwrap();
    refused(&path);
    assert_eq!(fs::read_link(&path).unwrap(), Path::new("nowhere"));
    assert!(!folder.path().join("nowhere").exists());
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    refused(&path);
    assert_eq!(names(&folder), ["key", "source"]);

    let nowhere = folder.path().join("no folder/key");
    let problem = problem(KeyFile::create(&nowhere), &nowhere);
    assert!(
        problem.starts_with("its folder cannot be opened: "),
        "{problem}"
    );
}

/// Relative components, long names, names with control characters.
#[test]
fn paths() {
    let (folder, _) = place();
    let file = KeyFile::create(&folder.path().join("x/../key")).err();
    assert!(file.is_some(), "x does not exist");
    fs::create_dir(folder.path().join("x")).unwrap();
    let file = KeyFile::create(&folder.path().join("x/../key")).unwrap();
    assert_eq!(next(&file), 0);
    let again = KeyFile::open(&folder.path().join("./x/.././key")).unwrap();
    assert_eq!(next(&again), 1);
    assert_eq!(names(&folder), ["key", "x"]);

    // The longest possible name, and one that is too long.
    let longest = folder.path().join("k".repeat(255));
    assert_eq!(next(&KeyFile::create(&longest).unwrap()), 0);
    let long = folder.path().join("k".repeat(256));
    let problem = problem(KeyFile::create(&long), &long);
    assert!(problem.starts_with("cannot be created: "), "{problem}");

    let strange = folder.path().join("a\nkey");
    let Err(error) = KeyFile::open(&strange) else {
        panic!();
    };
    assert!(error.to_string().contains(r"a\nkey"), "{error}");
    for control in [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}',
        '\u{2066}', '\u{2069}',
    ] {
        let error = KeyFile::open(&folder.path().join(format!("{control}key"))).unwrap_err();
        assert!(!error.to_string().contains(control), "{error}");
    }
}

/// Once it was replaced, another file may get the inode that it had when it was opened.
#[test]
fn another_file_with_its_inode_is_not_recognized() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let other = folder.path().join("other");
    fs::rename(&path, &other).unwrap();
    fs::copy(&other, &path).unwrap();
    assert!(file.is(&fs::metadata(&other).unwrap()));
    assert!(file.is(&fs::metadata(&path).unwrap()));
    sleep(Duration::from_millis(20));
    fs::write(&other, "another").unwrap();
    assert!(!file.is(&fs::metadata(&other).unwrap()));
}

#[test]
fn recognizes_its_file() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    symlink("key", folder.path().join("link")).unwrap();
    // Kept open, so that its inode is not reused for the next file.
    let before = File::open(&path).unwrap();
    for _ in 0..2 {
        assert!(file.is(&before.metadata().unwrap()));
        assert!(file.is(&fs::metadata(&path).unwrap()));
        assert!(file.is(&fs::metadata(folder.path().join("link")).unwrap()));
        assert!(!file.is(&fs::metadata(&other).unwrap()));
        assert!(!file.is(&fs::metadata(folder.path()).unwrap()));
        next(&file);
    }
    assert_ne!(
        before.metadata().unwrap().ino(),
        fs::metadata(&path).unwrap().ino()
    );
    fs::remove_file(&path).unwrap();
    assert!(!file.is(&fs::metadata(&other).unwrap()));
}

/// Files of other programs that are named like temporary files are left alone.
#[test]
fn files_of_others_are_kept() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let other = folder.path().join(".key.new");
    KeyFile::create(&other).unwrap();
    let key = fs::read(&other).unwrap();
    assert_eq!(next(&file), 0);
    assert_eq!(fs::read(&other).unwrap(), key);
    fs::remove_file(&other).unwrap();
    fs::create_dir(&other).unwrap();
    assert_eq!(next(&file), 1);
    assert_eq!(names(&folder), [".key.new", "key"]);
}

#[test]
fn a_full_disk() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let before = fs::read(&path).unwrap();
    let output = child::command("reserve and create, on a full disk", &path)
        .output()
        .unwrap();
    let said = child::all_said(&output);
    assert_eq!(said.len(), 2, "{said:?}");
    for (line, name) in said.iter().zip(["key", "new"]) {
        let start = format!(
            "error {}/{name}: a temporary file beside it cannot be written: File too large",
            folder.path().display()
        );
        assert!(line.starts_with(&start), "{line}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names(&folder), ["key"]);

    let output = child::command("reserve, killed at the first byte", &path)
        .output()
        .unwrap();
    assert_eq!(child::signal(&output), Some(libc::SIGXFSZ));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(only_temporaries_beside_key(&folder));
    assert_eq!(next(&file), 0);
}

#[test]
fn a_folder_that_cannot_be_written() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let before = fs::read(&path).unwrap();
    set_mode(folder.path(), 0o555);
    let said = if is_root() {
        chown(&path, Some(65_534), Some(65_534)).unwrap();
        let output = child::command("reserve and create, as nobody", &path)
            .output()
            .unwrap();
        child::all_said(&output)
    } else {
        let create = KeyFile::create(&path.with_file_name("new"));
        [file.reserve(1).map(drop), create.map(drop)]
            .map(|result| format!("error {}", result.unwrap_err()))
            .into()
    };
    assert_eq!(said.len(), 2, "{said:?}");
    for line in said {
        assert!(
            line.contains(": a temporary file cannot be created beside it: Permission denied"),
            "{line}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    set_mode(folder.path(), 0o755);
    assert_eq!(names(&folder), ["key"]);
}

/// Such a file can still be used to verify.
#[test]
fn a_key_file_that_cannot_be_written() {
    let (_folder, path) = place();
    KeyFile::create(&path).unwrap();
    set_mode(&path, 0o400);
    let file = KeyFile::open(&path).unwrap();
    if is_root() {
        assert_eq!(file.reserve(0).unwrap().len(), 0);
        return;
    }
    for count in [0, 1] {
        let problem = problem(file.reserve(count), &path);
        assert!(
            problem.starts_with("cannot be opened for writing: Permission denied"),
            "{problem}"
        );
    }
}
