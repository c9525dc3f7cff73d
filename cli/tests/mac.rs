// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet mac` and `hornet verify`: keys, messages, tags, and files that change meanwhile.
//!
//! Expected tags come from RFC 8439, section 2.5.2, and from OpenSSL 3.0:
//!
//! ```sh
//! yes 'Cryptographic Forum Research Group' | head -c 65536 >message
//! openssl mac -macopt hexkey:85d6…f51b -in message Poly1305
//! ```

mod common;

use common::{Folder, KEY, MESSAGE, TAG, complains, prints, rejects, terminal};
use hornet::kernel::{self, Primitive};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Tags of the given number of bytes of `yes 'Cryptographic Forum Research Group'`. Files of at
/// least 65536 bytes are mapped.
const TAGS: [(usize, &str); 5] = [
    (0, "0103808afb0db2fd4abff6af4149f51b"),
    (65_535, "e014698652e02554557e469694c2680f"),
    (65_536, "41210a3450c445f4b883de8faef8c043"),
    (1_000_003, "9b02243b6091244133a8f91d3d706bf0"),
    (5_242_881, "4974ad80132a30473154098a761e7462"),
];

fn yes(length: usize) -> Vec<u8> {
    let line = [MESSAGE, b"\n"].concat();
    line.into_iter().cycle().take(length).collect()
}

#[track_caller]
fn prints_tag(output: &Output, tag: &str) {
    prints(output, &format!("{tag}\n"));
}

#[test]
fn mac_of_a_file_and_of_standard_input() {
    let folder = Folder::new();
    prints_tag(&folder.run("mac --key-file key message"), TAG);
    prints_tag(&folder.run("mac message --key-file key"), TAG);
    prints_tag(&folder.run_with_stdin("mac --key-file key", MESSAGE), TAG);
    prints_tag(&folder.run_with_stdin("mac --key-file key -", MESSAGE), TAG);
    prints_tag(
        &folder.run_with_stdin("mac --key-file - message", KEY.as_bytes()),
        TAG,
    );
}

#[test]
fn all_forms_of_keys() {
    let folder = Folder::new();
    let raw: Vec<u8> = (0..32)
        .map(|i| u8::from_str_radix(&KEY[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    let line = format!("{KEY}\n");
    let crlf = format!("{KEY}\r\n");
    let upper = KEY.to_uppercase();
    for key in [&raw, line.as_bytes(), crlf.as_bytes(), upper.as_bytes()] {
        folder.secret("form", key);
        prints_tag(&folder.run("mac --key-file form message"), TAG);
    }
    // In pieces, as from a pipe.
    let fifo = folder.fifo("fifo");
    let child = folder
        .hornet("mac --key-file fifo message")
        .spawn()
        .unwrap();
    let mut writer = OpenOptions::new().write(true).open(fifo).unwrap();
    for piece in raw.chunks(20) {
        writer.write_all(piece).unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    drop(writer);
    prints_tag(&child.wait_with_output().unwrap(), TAG);
}

#[test]
fn malformed_keys() {
    let folder = Folder::new();
    let not_hex = KEY.replace('f', "g");
    for (content, found) in [
        (&KEY.as_bytes()[..0], "found nothing"),
        (&KEY.as_bytes()[..31], "found 31 bytes"),
        (&KEY.as_bytes()[..33], "found 33 bytes"),
        (&KEY.as_bytes()[..63], "found 63 bytes"),
        (format!("{KEY}0").as_bytes(), "found 65 bytes"),
        (format!("{KEY}\n\n").as_bytes(), "found 66 bytes"),
        (format!("{KEY}\r\n\n").as_bytes(), "more than 66 bytes"),
        (not_hex.as_bytes(), "not all hexadecimal digits"),
    ] {
        folder.secret("wrong", content);
        let output = folder.run("mac --key-file wrong message");
        complains(&output, 2, &["wrong: ", found]);
        let output = folder.run_with_stdin("mac --key-file - message", content);
        complains(&output, 2, &["standard input: ", found]);
    }
    let endless = folder.run("mac --key-file /dev/zero message");
    complains(&endless, 2, &["/dev/zero: ", "more than 66 bytes"]);
    let missing = folder.run("mac --key-file missing message");
    complains(&missing, 2, &["missing: ", "No such file"]);
    fs::create_dir(folder.path("folder")).unwrap();
    let directory = folder.run("mac --key-file folder message");
    complains(&directory, 2, &["folder: ", "directory"]);
}

#[test]
fn keys_that_others_may_read() {
    let folder = Folder::new();
    for mode in [0o640, 0o604, 0o620, 0o644] {
        let path = folder.file("open", KEY);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let why = format!("accessible by others than its owner (mode {mode:04o}): use chmod 600");
        let output = folder.run("mac --key-file open message");
        complains(&output, 2, &["open: ", &why]);
        let output = folder
            .hornet("mac --key-file - message")
            .stdin(File::open(path).unwrap())
            .output();
        complains(&output.unwrap(), 2, &["standard input: ", &why]);
    }
}

#[test]
fn key_and_message_are_two_files() {
    let folder = Folder::new();
    let both = "cannot be both the key and the message";
    for (arguments, name) in [
        ("mac --key-file -", "standard input: "),
        ("mac --key-file - -", "standard input: "),
        ("mac --key-file /dev/stdin", "/dev/stdin: "),
    ] {
        let output = folder.run_with_stdin(arguments, KEY.as_bytes());
        complains(&output, 2, &[name, both]);
    }
    complains(&folder.run("mac --key-file key ./key"), 2, &["key: ", both]);
}

#[test]
fn mapped_and_streamed_agree_with_openssl() {
    let folder = Folder::new();
    for (length, tag) in TAGS {
        let message = yes(length);
        let path = folder.file("yes", &message);
        prints_tag(&folder.run("mac --key-file key yes"), tag);
        prints_tag(&folder.run_with_stdin("mac --key-file key", &message), tag);
        let redirected = folder
            .hornet("mac --key-file key")
            .stdin(File::open(path).unwrap())
            .output();
        prints_tag(&redirected.unwrap(), tag);
    }
}

#[test]
fn redirected_input_is_read_from_its_position() {
    let folder = Folder::new();
    let mut message = vec![0; 100_000];
    message.extend(yes(65_536));
    let mut file = File::open(folder.file("yes", message)).unwrap();
    file.read_exact(&mut vec![0; 100_000]).unwrap();
    let output = folder.hornet("mac --key-file key").stdin(file).output();
    prints_tag(&output.unwrap(), TAGS[2].1);
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_a_length_are_read() {
    let folder = Folder::new();
    let content = fs::read("/proc/version").unwrap();
    assert!(!content.is_empty() && fs::metadata("/proc/version").unwrap().len() == 0);
    let streamed = folder.run_with_stdin("mac --key-file key", &content);
    let tag = String::from_utf8(streamed.stdout).unwrap();
    assert_ne!(tag.trim_end(), TAGS[0].1);
    prints(&folder.run("mac --key-file key /proc/version"), &tag);
}

#[test]
fn verify() {
    let folder = Folder::new();
    let verify = |tag: &str, rest: &str| format!("verify --key-file key --tag {tag} {rest}");
    prints(&folder.run(&verify(TAG, "message")), "message: OK\n");
    prints(
        &folder.run(&verify(&TAG.to_uppercase(), "message")),
        "message: OK\n",
    );
    prints(
        &folder.run_with_stdin(&verify(TAG, ""), MESSAGE),
        "standard input: OK\n",
    );

    let wrong = TAG.replace("a9", "a8");
    let output = folder.run(&verify(&wrong, "message"));
    complains(&output, 1, &["message: tag mismatch"]);
    let output = folder.run(&verify(TAG, "key"));
    complains(&output, 2, &["key: "]);
    folder.file("message", &MESSAGE[1..]);
    let output = folder.run(&verify(TAG, "message"));
    complains(&output, 1, &["message: tag mismatch"]);
    let output = folder.run_with_stdin(&verify(TAG, "-"), &MESSAGE[1..]);
    complains(&output, 1, &["standard input: tag mismatch"]);
    let output = folder.run(&verify(TAG, "missing"));
    complains(&output, 2, &["missing: "]);
}

#[test]
fn malformed_tags() {
    let folder = Folder::new();
    for (tag, found) in [
        ("00", "found 2 characters"),
        ("a8061dc1305136c6c22b8baf0c0127a9a8", "found 34 characters"),
        ("g8061dc1305136c6c22b8baf0c0127a9", "found 'g'"),
    ] {
        let output = folder.run(&format!("verify --key-file key --tag {tag} message"));
        rejects(&output, &["--tag", found]);
    }
}

#[test]
fn inputs_that_cannot_be_read() {
    let folder = Folder::new();
    let output = folder.run("mac --key-file key no/such/file");
    complains(&output, 2, &["no/such/file: ", "No such file"]);
    let output = folder.run("mac --key-file key .");
    complains(&output, 2, &[".: ", "directory"]);
    // The missing input is reported before the key is read.
    let output = folder.run("mac --key-file missing-key missing-input");
    complains(&output, 2, &["missing-input: "]);
}

/// Not all file systems accept such names.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"a\xff\n");
    let run = || {
        folder
            .hornet("mac --key-file key")
            .arg(name)
            .output()
            .unwrap()
    };
    complains(&run(), 2, &[r"a\xff\n: "]);
    folder.file(name, MESSAGE);
    prints_tag(&run(), TAG);
}

#[test]
fn every_kernel_gives_the_same_tag() {
    let folder = Folder::new();
    let (length, tag) = TAGS[3];
    folder.file("yes", yes(length));
    for name in kernel::names(Primitive::Poly1305) {
        let info = folder
            .hornet("info")
            .env("HORNET_KERNEL", name)
            .output()
            .unwrap();
        let info = String::from_utf8(info.stdout).unwrap();
        assert!(
            info.contains(&format!("kernel: {name}, forced by HORNET_KERNEL\n")),
            "{info}"
        );
        let output = folder
            .hornet("mac --key-file key yes")
            .env("HORNET_KERNEL", name)
            .output();
        prints_tag(&output.unwrap(), tag);
        let option = format!("--kernel {name} mac --key-file key yes");
        prints_tag(&folder.run(&option), tag);
    }
}

#[test]
fn verbose_names_kernel_and_length() {
    let folder = Folder::new();
    for command in [
        "mac -v --key-file key message",
        &format!("verify --verbose --key-file key --tag {TAG} message"),
    ] {
        let output = folder.run(command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        let expected = format!(
            "hornet: message: 34 bytes, kernel {}, ",
            kernel::in_use(Primitive::Poly1305)
        );
        assert!(stderr.starts_with(&expected), "{stderr}");
        assert!(stderr.ends_with(" GB/s\n"), "{stderr}");
    }
}

/// Starts the command on a mapped file, and holds it at the point where it has opened the message
/// and waits for the key from a fifo. The fifo opens for writing when the command opens it for
/// reading.
fn waiting_for_the_key(folder: &Folder) -> (Child, File) {
    folder.file("big", vec![1; 8 << 20]);
    let fifo = folder.fifo("fifo");
    let child = folder.hornet("mac --key-file fifo big").spawn().unwrap();
    let writer = OpenOptions::new().write(true).open(fifo).unwrap();
    (child, writer)
}

#[track_caller]
fn give_key(child: Child, mut key: File) -> Output {
    key.write_all(KEY.as_bytes()).unwrap();
    drop(key);
    child.wait_with_output().unwrap()
}

#[test]
fn a_file_that_shrinks_while_it_is_read() {
    for length in [0, 1 << 20] {
        let folder = Folder::new();
        let (child, key) = waiting_for_the_key(&folder);
        let big = OpenOptions::new().write(true).open(folder.path("big"));
        big.unwrap().set_len(length).unwrap();
        complains(&give_key(child, key), 2, &["big: ", "shrank"]);
    }
}

#[test]
fn a_file_that_grows_while_it_is_read() {
    let folder = Folder::new();
    let (child, key) = waiting_for_the_key(&folder);
    let big = OpenOptions::new().append(true).open(folder.path("big"));
    big.unwrap().write_all(b"more").unwrap();
    complains(&give_key(child, key), 2, &["big: ", "changed"]);
}

#[test]
fn a_change_that_is_hidden() {
    for turn in 0..12 {
        let folder = Folder::new();
        let (child, key) = waiting_for_the_key(&folder);
        let big = OpenOptions::new().write(true).open(folder.path("big"));
        let mut big = big.unwrap();
        let modified = big.metadata().unwrap().modified().unwrap();
        thread::sleep(Duration::from_millis(10));
        big.write_all(&[turn]).unwrap();
        big.set_modified(modified).unwrap();
        complains(&give_key(child, key), 2, &["big: ", "changed"]);
    }
}

#[test]
fn a_sigbus_from_elsewhere_still_kills() {
    let folder = Folder::new();
    let (child, key) = waiting_for_the_key(&folder);
    let id = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so its id is valid.
    assert_eq!(unsafe { libc::kill(id, libc::SIGBUS) }, 0);
    drop(key);
    let status = child.wait_with_output().unwrap().status;
    assert_eq!(status.signal(), Some(libc::SIGBUS));
}

/// Returns what the command shows on a terminal if its input arrives in two halves with a pause in
/// between.
fn shown_on_a_terminal(pause: Duration) -> String {
    let folder = Folder::new();
    let (mut person, stderr) = terminal();
    let mut child = folder
        .hornet("mac --key-file key")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&MESSAGE[..9]).unwrap();
    thread::sleep(pause);
    stdin.write_all(&MESSAGE[9..]).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{TAG}\n"));

    // The end of the file is an error here: the other side of the terminal is closed.
    let mut seen = Vec::new();
    let _ = person.read_to_end(&mut seen);
    String::from_utf8_lossy(&seen).into_owned()
}

#[test]
fn long_work_shows_its_progress_on_a_terminal() {
    let seen = shown_on_a_terminal(Duration::from_secs(1));
    assert!(seen.contains("34 B") && seen.contains("/s"), "{seen:?}");
    assert_eq!(shown_on_a_terminal(Duration::ZERO), "");
}

/// The progress bar needs random bits.
#[cfg(target_os = "linux")]
#[test]
fn long_work_on_a_terminal_without_random_bits() {
    let folder = Folder::new();
    let (mut person, stderr) = terminal();
    let mut strace = Command::new("strace");
    strace.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "inject=getrandom:error=EIO",
    ]);
    strace.arg(env!("CARGO_BIN_EXE_hornet"));
    let mut child = strace
        .args(["mac", "--key-file", "key"])
        .current_dir(folder.path(""))
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    drop(strace);
    let mut stdin = child.stdin.take().unwrap();
    for byte in MESSAGE.chunks(9) {
        stdin.write_all(byte).unwrap();
        thread::sleep(Duration::from_millis(400));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let mut seen = Vec::new();
    let _ = person.read_to_end(&mut seen);
    assert_eq!(String::from_utf8_lossy(&seen), "");
    prints_tag(&output, TAG);
}

#[test]
fn long_work_is_silent_without_a_terminal() {
    let folder = Folder::new();
    let mut child = folder
        .hornet("mac --key-file key")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&MESSAGE[..9]).unwrap();
    thread::sleep(Duration::from_secs(1));
    stdin.write_all(&MESSAGE[9..]).unwrap();
    drop(stdin);
    prints_tag(&child.wait_with_output().unwrap(), TAG);
}
