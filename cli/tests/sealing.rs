// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet seal` and `hornet open`: what is sealed opens, and nothing else does.
//! `tests/integration/sealing` compares with age, and has its vectors.

mod common;

use common::{Folder, complains, prints, rejects};
use hornet::stream;
use hornet_age::{Header, Identity, NONCE_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

const CHUNK: usize = 65536;
const SEALED: usize = CHUNK + 16;

/// A folder with an identity `i`, its recipient `r`, and a text `t`, sealed in `s`.
struct Sealed(Folder, Vec<u8>);

impl Sealed {
    fn new(len_bytes: usize) -> Self {
        let folder = Folder::new();
        let output = folder.run("keygen --age i");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        folder.file("r", &output.stdout);
        let text = text(len_bytes);
        folder.file("t", &text);
        prints(&folder.run("seal -R r -o s t"), "");
        Self(folder, text)
    }

    fn sealed(&self) -> Vec<u8> {
        fs::read(self.0.path("s")).unwrap()
    }

    /// Where the payload begins.
    fn payload(&self) -> usize {
        let sealed = self.sealed();
        let end = sealed
            .windows(4)
            .position(|window| window == b"\n---")
            .unwrap()
            + 1;
        end + sealed[end..]
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap()
            + 1
            + 16
    }

    /// Opens a file, to a file and to standard output. Asserts that it is refused with these words, and how
    /// many bytes of the text come before that.
    #[track_caller]
    fn refuses(&self, changed: &[u8], words: &[&str], released: usize) {
        self.0.file("c", changed);
        complains(&self.0.run("open -i i -o o c"), 1, words);
        assert!(!self.0.path("o").exists());
        for threads in 1..=2 {
            let output = self.0.run(&format!("open -i i --threads {threads} c"));
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{stderr}");
            assert!(
                words.iter().all(|word| stderr.contains(word)),
                "{words:?}: {stderr}"
            );
            assert!(
                output.stdout == self.1[..released],
                "{} bytes",
                output.stdout.len()
            );
        }
    }
}

fn text(len_bytes: usize) -> Vec<u8> {
    let byte = |i: usize| (i.wrapping_mul(0x9e37_79b1) >> 13).to_le_bytes()[0];
    (0..len_bytes).map(byte).collect()
}

#[track_caller]
fn gives(output: &Output, text: &[u8]) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stdout == text,
        "{} bytes of {}",
        output.stdout.len(),
        text.len()
    );
}

/// Runs the command in a pipe: its output is read while it is given its input.
fn piped(folder: &Folder, arguments: &str, stdin: &[u8]) -> Output {
    let mut child = folder
        .hornet(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || pipe.write_all(stdin));
        child.wait_with_output().unwrap()
    })
}

#[test]
fn what_is_sealed_opens() {
    let sealed = Sealed::new(5);
    let folder = &sealed.0;
    for len_bytes in [
        0,
        1,
        5,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        8 * CHUNK,
        8 * CHUNK + 1,
        21 * CHUNK + 9,
    ] {
        let text = text(len_bytes);
        folder.file("t", &text);
        for (threads, armor) in [(1, ""), (2, ""), (5, ""), (2, "--armor")] {
            let options = format!("--threads {threads}");
            prints(
                &folder.run(&format!("seal -R r {armor} {options} -o s --force t")),
                "",
            );
            gives(&folder.run(&format!("open -i i {options} s")), &text);
            prints(
                &folder.run(&format!("open -i i {options} -o o --force s")),
                "",
            );
            assert!(fs::read(folder.path("o")).unwrap() == text, "{len_bytes}");
            // By pipes.
            let output = piped(folder, &format!("seal -R r {armor} {options}"), &text);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            if armor.is_empty() {
                let expected = fs::metadata(folder.path("s")).unwrap().len();
                assert_eq!(output.stdout.len() as u64, expected);
            }
            let opened = piped(folder, &format!("open -i i {options}"), &output.stdout);
            gives(&opened, &text);
            let opened = piped(
                folder,
                &format!("open -i i {options} -o o --force"),
                &output.stdout,
            );
            prints(&opened, "");
            assert!(fs::read(folder.path("o")).unwrap() == text, "{len_bytes}");
        }
    }
}

#[test]
fn every_byte_is_authentic() {
    let sealed = Sealed::new(20);
    let bytes = sealed.sealed();
    let mut count = 0;
    for at in 0..bytes.len() {
        for changed in [
            [&bytes[..at], &[bytes[at] ^ 1], &bytes[at + 1..]].concat(),
            bytes[..at].to_vec(),
            [&bytes[..at], &bytes[at + 1..]].concat(),
            [&bytes[..=at], &bytes[at..]].concat(),
        ] {
            if changed == bytes {
                continue;
            }
            sealed.0.file("c", &changed);
            let output = sealed.0.run("open -i i c");
            complains(&output, 1, &["c: "]);
            count += 1;
        }
    }
    assert!(count > 850, "{count}");
    sealed.refuses(
        &[&bytes[..], b"\n"].concat(),
        &["chunk 0 is not authentic"],
        0,
    );
    sealed.refuses(
        b"",
        &["c: line 1 of the header: not a file sealed by age v1"],
        0,
    );
}

#[test]
fn chunks_stay_in_their_places() {
    let sealed = Sealed::new(20 * CHUNK + 5);
    let bytes = sealed.sealed();
    let (header, payload) = bytes.split_at(sealed.payload());
    let chunks: Vec<&[u8]> = payload.chunks(SEALED).collect();
    let of = |order: &[usize]| {
        let moved = order.iter().flat_map(|&number| chunks[number]).copied();
        [header, &moved.collect::<Vec<u8>>()].concat()
    };
    let all: Vec<usize> = (0..chunks.len()).collect();
    let mut swapped = all.clone();
    swapped.swap(9, 12);
    sealed.refuses(
        &of(&swapped),
        &["chunk 9 is not authentic", "at byte 589824 of the text"],
        9 * CHUNK,
    );
    let doubled = [&all[..3], &all[2..]].concat();
    sealed.refuses(&of(&doubled), &["chunk 3 is not authentic"], 3 * CHUNK);
    let without = [&all[..17], &all[18..]].concat();
    sealed.refuses(&of(&without), &["chunk 17 is not authentic"], 17 * CHUNK);
    sealed.refuses(
        &of(&all[..20]),
        &["cut off at chunk 20: the end is missing"],
        20 * CHUNK,
    );
    sealed.refuses(&of(&[]), &["cut off at chunk 0"], 0);
    sealed.refuses(
        &of(&all)[..bytes.len() - 20],
        &["cut off at chunk 20"],
        20 * CHUNK,
    );
    sealed.refuses(
        &header[..header.len() - 3],
        &["cut off after the header"],
        0,
    );

    let whole = Sealed::new(2 * CHUNK);
    let more = [&whole.sealed()[..], b"x"].concat();
    whole.refuses(
        &more,
        &["goes on after chunk 1, which is the last"],
        2 * CHUNK,
    );

    // Who has the key can write more after the end, in the same job and in the next.
    let identity = sealed.0.read("i");
    let key = payload_key(&bytes, identity.lines().last().unwrap());
    for end in [3, 7, 8] {
        let mut more = header.to_vec();
        for (number, text) in (0..).zip(sealed.1.chunks(CHUNK).take(12)) {
            let mut chunk = [text, &[0; 16]].concat();
            key.seal_in_place(number, number == end || number == 11, &mut chunk)
                .unwrap();
            more.extend_from_slice(&chunk);
        }
        let why = format!("goes on after chunk {end}, which is the last");
        let released = usize::try_from(end + 1).unwrap() * CHUNK;
        sealed.refuses(&more, &[&why], released);
    }

    // The first chunk that was changed is named.
    let mut changed = of(&all);
    for chunk in [6, 3, 15] {
        changed[header.len() + chunk * SEALED + 100] ^= 1;
    }
    sealed.refuses(&changed, &["chunk 3 is not authentic"], 3 * CHUNK);
}

#[test]
fn ranges_read_only_their_chunks() {
    let sealed = Sealed::new(30 * CHUNK + 100);
    let Sealed(folder, text) = &sealed;
    let payload = sealed.payload();
    let mut bytes = sealed.sealed();
    // What is not needed is not there.
    for chunk in (0..30).filter(|chunk| !(4..6).contains(chunk)) {
        bytes[payload + chunk * SEALED..][..SEALED].fill(0);
    }
    folder.file("c", &bytes);
    let begin = 5 * CHUNK - 10;
    for (offset, length) in [
        (begin, 20),
        (4 * CHUNK, 2 * CHUNK),
        (4 * CHUNK, 1),
        (6 * CHUNK - 1, 1),
    ] {
        let range = format!("open -i i --range {offset}:{length}");
        gives(
            &folder.run(&format!("{range} c")),
            &text[offset..offset + length],
        );
        prints(&folder.run(&format!("{range} -o o --force c")), "");
        assert!(fs::read(folder.path("o")).unwrap() == text[offset..offset + length]);
    }
    complains(
        &folder.run("open -i i --range 3MiB:1 c"),
        2,
        &["c: the range ends at byte 3145729, and the text has 1966180 bytes"],
    );
    complains(
        &folder.run("open -i i --range 0:1 c"),
        1,
        &["c: chunk 0 is not authentic"],
    );
    // The end is verified too.
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.file("c", &bytes);
    complains(
        &folder.run(&format!("open -i i --range {begin}:20 c")),
        1,
        &["chunk 30 is not authentic"],
    );
    folder.file("c", &bytes[..payload + 6 * SEALED]);
    complains(
        &folder.run(&format!("open -i i --range {begin}:20 c")),
        1,
        &["cut off at chunk 6"],
    );

    prints(&folder.run("seal -a -R r -o a t"), "");
    let why = "--range needs a regular file without armour";
    complains(&folder.run("open -i i --range 0:1 a"), 2, &["a: ", why]);
    let stdin = folder.run_with_stdin("open -i i --range 0:1", &sealed.sealed());
    complains(&stdin, 2, &["standard input: ", why]);
}

/// This takes 256 MiB of memory and a second for each.
#[test]
fn passphrases() {
    let sealed = Sealed::new(100);
    let folder = &sealed.0;
    folder.secret("p", "a passphrase\nand more\n");
    folder.secret("q", "another");
    prints(&folder.run("seal --passphrase-file p -o z t"), "");
    gives(&folder.run("open --passphrase-file p z"), &sealed.1);
    complains(
        &folder.run("open --passphrase-file q z"),
        1,
        &["z: the passphrase is another"],
    );
    complains(
        &folder.run("open -i i z"),
        1,
        &["z: sealed with a passphrase; use --passphrase"],
    );
    complains(
        &folder.run("open --passphrase-file p s"),
        1,
        &["not sealed with a passphrase; use --identity"],
    );
    folder.secret("p", "\n");
    complains(
        &folder.run("seal --passphrase-file p t"),
        2,
        &["p: has no passphrase"],
    );
    folder.secret("p", vec![b'x'; 5000]);
    complains(
        &folder.run("seal --passphrase-file p t"),
        2,
        &["p: longer than 4095 bytes"],
    );
    folder.file("p", "open to all");
    fs::set_permissions(folder.path("p"), fs::Permissions::from_mode(0o644)).unwrap();
    complains(&folder.run("seal --passphrase-file p t"), 2, &["p: "]);
    // The work is limited.
    let z = fs::read(folder.path("z")).unwrap();
    let end = z.windows(4).position(|window| window == b" 18\n").unwrap();
    folder.secret("p", "a passphrase");
    let number = "the work factor is not a number from 1 to 22";
    for (work, why) in [
        ("23", "the work factor is above 22"),
        ("255", "the work factor is above 22"),
        ("18446744073709551634", "the work factor is above 22"),
        ("0", number),
        ("018", number),
        ("+18", number),
        ("-1", number),
        ("0x12", number),
        ("18 ", "not a stanza"),
        ("18 1", "a scrypt stanza has two arguments"),
    ] {
        let line = format!(" {work}\n");
        folder.file("c", [&z[..end], line.as_bytes(), &z[end + 4..]].concat());
        let expected = format!("c: line 2 of the header: {why}");
        complains(&folder.run("open --passphrase-file p c"), 1, &[&expected]);
    }
}

#[test]
fn keys() {
    let sealed = Sealed::new(100);
    let folder = &sealed.0;
    let other = Sealed::new(3);
    let theirs = fs::read_to_string(other.0.path("i")).unwrap();
    let ours = folder.read("i");
    folder.secret("j", &theirs);
    complains(
        &folder.run("open -i j s"),
        1,
        &["s: not sealed to any of these identities"],
    );
    gives(&folder.run("open -i j -i i s"), &sealed.1);
    folder.secret("both", format!("# a comment\n\n{theirs}{ours}"));
    gives(&folder.run("open -i both s"), &sealed.1);
    // Sealed to both.
    let recipient = other.0.read("r");
    prints(
        &folder.run(&format!("seal -R r -r {} -o two t", recipient.trim())),
        "",
    );
    gives(&folder.run("open -i j two"), &sealed.1);
    gives(&folder.run("open -i i two"), &sealed.1);

    let secret = ours.lines().last().unwrap();
    for (line, why) in [
        ("nonsense", "not an identity 'AGE-SECRET-KEY-1…'"),
        (&secret[..secret.len() - 1], "not an identity"),
        (&secret.to_lowercase(), "not an identity"),
        (recipient.trim(), "not an identity"),
        ("AGE-SECRET-KEY-PQ-1XXX", "not an identity"),
        ("AGE-PLUGIN-YUBIKEY-1XXX", "an identity of a plugin"),
        ("age-encryption.org/v1", "sealed itself"),
    ] {
        folder.secret("bad", format!("# one\n{line}\n"));
        let output = folder.run("open -i bad s");
        complains(&output, 2, &["bad: line 2: ", why]);
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains(line),
            "{line}"
        );
    }
    folder.secret("bad", "# none\n");
    complains(&folder.run("open -i bad s"), 2, &["bad: has no identities"]);
    fs::set_permissions(folder.path("i"), fs::Permissions::from_mode(0o644)).unwrap();
    complains(&folder.run("open -i i s"), 2, &["i: "]);

    for (line, why) in [
        ("age1", "not a recipient"),
        ("ssh-ed25519 AAAA", "an SSH key"),
        (secret, "a secret identity"),
        (&recipient.trim().replace("age1", "age2"), "not a recipient"),
    ] {
        folder.file("bad", format!("{}\n{line}\n", recipient.trim()));
        complains(&folder.run("seal -R bad t"), 2, &["bad: line 2: ", why]);
    }
    for (word, why) in [
        ("age1xyz", "not a recipient"),
        (secret, "a secret identity"),
    ] {
        let output = folder.run(&format!("seal -r {word} t"));
        complains(&output, 2, &["--recipient: ", why]);
        assert!(!String::from_utf8_lossy(&output.stderr).contains(word));
    }
    // What is left out would not be sealed to.
    let long = format!("{recipient}#{}\n", "x".repeat(16 << 20));
    folder.file("bad", long);
    complains(
        &folder.run("seal -R bad t"),
        2,
        &["bad: has more than 16 MiB"],
    );
    rejects(&folder.run("seal t"), &["--recipient"]);
    rejects(&folder.run("seal -p -R r t"), &["cannot be used with"]);
    rejects(&folder.run("open s"), &["--identity"]);
    complains(
        &folder.run("open -i - -"),
        2,
        &["standard input: can be only one of the inputs"],
    );
}

#[test]
fn outputs() {
    let sealed = Sealed::new(3 * CHUNK);
    let folder = &sealed.0;
    complains(
        &folder.run("seal -R r -o s t"),
        2,
        &["s: exists; use --force"],
    );
    complains(
        &folder.run("seal -R r -o t --force t"),
        2,
        &["t: is an input"],
    );
    complains(
        &folder.run("open -i i -o i --force s"),
        2,
        &["i: is an input"],
    );
    complains(
        &folder.run("seal -R r -o none/s t"),
        2,
        &["none/s: No such file"],
    );
    complains(&folder.run("seal -R r none"), 2, &["none: No such file"]);
    complains(&folder.run("open -i none s"), 2, &["none: No such file"]);
    complains(&folder.run("keygen --age i"), 2, &["i: exists"]);
    // Standard output that is an input would be read again, without end.
    for (words, named) in [
        ("seal -R r t", "t"),
        ("seal -R t r", "t"),
        ("open -i i t", "t"),
        ("seal -R r", "standard input"),
        ("open -i i", "standard input"),
    ] {
        let append = fs::OpenOptions::new().append(true).open(folder.path("t"));
        let mut hornet = folder.hornet(words);
        hornet.stdin(fs::File::open(folder.path("t")).unwrap());
        let output = hornet.stdout(append.unwrap()).output().unwrap();
        let why = format!("{named}: is an input and standard output");
        complains(&output, 2, &[&why]);
        assert!(fs::read(folder.path("t")).unwrap() == sealed.1);
    }
    let full = folder
        .hornet("open -i i s")
        .stdout(fs::File::create("/dev/full").unwrap())
        .output()
        .unwrap();
    complains(&full, 2, &["standard output: No space left"]);
    let broken = folder
        .hornet("seal -R r t")
        .stdout(common::broken_pipe())
        .output()
        .unwrap();
    complains(&broken, 2, &["standard output: Broken pipe"]);
    let (_person, terminal) = common::terminal();
    let shown = folder
        .hornet("seal -R r t")
        .stdout(terminal)
        .output()
        .unwrap();
    complains(&shown, 2, &["standard output: is a terminal; use --armor"]);
    assert_eq!(
        fs::metadata(folder.path("i")).unwrap().mode() & 0o777,
        0o600
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 6);
}

#[test]
fn zeros_are_not_written() {
    let sealed = Sealed::new(3);
    let folder = &sealed.0;
    let mut text = vec![0; 40 * CHUNK + 17];
    text[20 * CHUNK] = 1;
    folder.file("z", &text);
    prints(&folder.run("seal -R r -o zs z"), "");
    prints(&folder.run("open -i i -o o zs"), "");
    assert!(fs::read(folder.path("o")).unwrap() == text);
    let blocks = fs::metadata(folder.path("o")).unwrap().blocks();
    assert!(blocks * 512 <= 4 * CHUNK as u64, "{blocks}");
}

/// Whatever ends it, there is nothing under the output's name but all of it, and nothing beside it.
#[test]
fn killed() {
    let sealed = Sealed::new(40 * CHUNK);
    let folder = &sealed.0;
    let before = fs::read_dir(&folder.0).unwrap().count();
    let (mut done, mut not) = (0, 0);
    for turn in 0_u32..40 {
        let (command, expected) = match turn % 2 {
            0 => ("open -i i -o o s", sealed.1.len()),
            _ => ("seal -R r -o o t", sealed.sealed().len()),
        };
        let mut child = folder.hornet(command).spawn().unwrap();
        thread::sleep(Duration::from_micros(u64::from(turn) * 700));
        let signal = if turn % 3 == 0 {
            libc::SIGTERM
        } else {
            libc::SIGKILL
        };
        // SAFETY: the child was not waited for.
        unsafe { libc::kill(i32::try_from(child.id()).unwrap(), signal) };
        child.wait().unwrap();
        match fs::metadata(folder.path("o")) {
            Ok(metadata) => {
                assert_eq!(metadata.len(), expected as u64);
                fs::remove_file(folder.path("o")).unwrap();
                done += 1;
            }
            Err(_) => not += 1,
        }
        assert_eq!(
            fs::read_dir(&folder.0).unwrap().count(),
            before,
            "after {done} and {not}"
        );
    }
    assert!(not > 0);
}

/// A signal ends it while it waits for a pipe.
#[test]
fn signals_end_waiting() {
    let sealed = Sealed::new(3);
    let mut command = sealed.0.hornet("seal -R r -o o");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(300));
    // SAFETY: the child was not waited for.
    unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGTERM) };
    let pipe = child.stdin.take();
    let status = child.wait().unwrap();
    drop(pipe);
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(libc::SIGTERM)
    );
    assert!(!sealed.0.path("o").exists());
}

/// Signals are not deferred before anything is written, as finding the key may take long.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_headers() {
    let sealed = Sealed::new(3);
    let mut command = sealed.0.hornet("open -i i -o o");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&sealed.sealed()[..30]).unwrap();
    // It has read this, and waits for more.
    while ioctl_fionread(&pipe).unwrap() > 0 {
        thread::sleep(Duration::from_millis(1));
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
    pipe.write_all(&sealed.sealed()[30..]).unwrap();
    drop(pipe);
    prints(&child.wait_with_output().unwrap(), "");
    assert_eq!(caught & 1 << (libc::SIGTERM - 1), 0, "{status}");
}

/// What is wrong is said although the pipe is still open, and has nothing more.
#[test]
fn errors_end_waiting() {
    let sealed = Sealed::new(20 * CHUNK);
    let mut bytes = sealed.sealed();
    let begin = bytes.len() - 20 * SEALED;
    bytes[begin] ^= 1;
    for words in ["", "-o o"] {
        let command = format!("open --threads 2 -i i {words}");
        let mut child = sealed.0.hornet(&command).stdin(Stdio::piped()).spawn();
        let child = child.as_mut().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // The second job is not complete. The command may end before it has read all of this.
        let _ = pipe.write_all(&bytes[..begin + 12 * SEALED]);
        let status = child.wait().unwrap();
        drop(pipe);
        assert_eq!(status.code(), Some(1));
        assert!(!sealed.0.path("o").exists());
    }
}

/// A command whose input and output are pipes that stay open.
struct Piped {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
}

impl Piped {
    fn new(folder: &Folder, words: &str) -> Self {
        let mut command = folder.hornet(words);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, to, from }
    }

    /// Gives it bytes, and returns those that it writes soon, `most` or fewer.
    #[track_caller]
    fn give(&mut self, bytes: &[u8], most: usize) -> Vec<u8> {
        let mut written = vec![0; most];
        let mut len_bytes = 0;
        let mut to = self.to.as_ref().unwrap();
        thread::scope(|scope| {
            scope.spawn(move || to.write_all(bytes));
            while len_bytes < most {
                let mut polled = [PollFd::new(&self.from, PollFlags::IN)];
                let patience = Timespec::try_from(Duration::from_secs(20)).unwrap();
                if poll(&mut polled, Some(&patience)) == Ok(0) {
                    break;
                }
                match self.from.read(&mut written[len_bytes..]).unwrap() {
                    0 => break,
                    count => len_bytes += count,
                }
            }
        });
        written.truncate(len_bytes);
        written
    }

    /// Ends its input.
    fn end(mut self) -> Output {
        drop(self.to.take());
        let mut stdout = Vec::new();
        self.from.read_to_end(&mut stdout).unwrap();
        let output = self.child.wait_with_output().unwrap();
        Output { stdout, ..output }
    }
}

/// What is verified is released, and what is wrong is said, although a pipe has nothing more and is still open.
#[test]
fn slow_pipes() {
    let sealed = Sealed::new(12 * CHUNK);
    let Sealed(folder, text) = &sealed;
    let (bytes, begin) = (sealed.sealed(), sealed.payload());
    for threads in 1..=3 {
        // A chunk is sealed when something follows it.
        let mut seal = Piped::new(folder, &format!("seal -R r --threads {threads}"));
        let mut written = seal.give(&text[..=CHUNK], begin + SEALED);
        assert_eq!(written.len(), begin + SEALED);
        written.extend(seal.give(&text[CHUNK + 1..4 * CHUNK], 2 * SEALED));
        assert_eq!(written.len(), begin + 3 * SEALED);
        let output = seal.end();
        written.extend(output.stdout);
        gives(&piped(folder, "open -i i", &written), &text[..4 * CHUNK]);

        // It is opened when it is there.
        let command = format!("open -i i --threads {threads}");
        let mut open = Piped::new(folder, &command);
        let (mut given, mut released) = (0, 0);
        for chunks in [1, 2, 4, 11] {
            let end = begin + chunks * SEALED;
            let expected = &text[released..chunks * CHUNK];
            assert!(open.give(&bytes[given..end], expected.len()) == expected);
            (given, released) = (end, chunks * CHUNK);
        }
        // The last may be known to be the last, and the command waits for the end.
        assert_eq!(open.give(&bytes[given..], 0), b"");
        thread::sleep(Duration::from_millis(50));
        gives(&open.end(), &text[11 * CHUNK..]);

        let mut open = Piped::new(folder, &command);
        open.give(&bytes, 11 * CHUNK);
        thread::sleep(Duration::from_millis(50));
        open.give(b"x", 0);
        let said = String::from_utf8(open.end().stderr).unwrap();
        assert!(said.contains("goes on after chunk 11"), "{said}");

        let mut open = Piped::new(folder, &command);
        open.give(&bytes[..begin + 3 * SEALED], 3 * CHUNK);
        complains(&open.end(), 1, &["cut off at chunk 3"]);

        let mut changed = bytes.clone();
        changed[begin + SEALED] ^= 1;
        let mut open = Piped::new(folder, &command);
        // It ends although its input does not.
        let released = open.give(&changed[..begin + 3 * SEALED], 2 * CHUNK);
        assert!(released == text[..CHUNK]);
        assert_eq!(open.child.wait().unwrap().code(), Some(1));
        complains(&open.end(), 1, &["chunk 1 is not authentic"]);
    }
}

/// Where addresses are limited, what is sealed takes none from the buffers.
#[test]
fn limited_addresses() {
    let sealed = Sealed::new(20 << 20);
    for kib in (20_000..60_000).step_by(500) {
        let script = format!("ulimit -v {kib}; exec \"$0\" seal --threads 1 -R r -o o --force t");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_hornet")]);
        prints(&shell.current_dir(sealed.0.path(".")).output().unwrap(), "");
    }
}

/// A limit on the length of files is an error, and no signal that ends the command.
#[test]
fn limited_lengths() {
    let sealed = Sealed::new(20 * CHUNK);
    let folder = &sealed.0;
    let before = fs::read_dir(&folder.0).unwrap().count();
    for (words, named) in [
        ("seal -R r -o o t", "o"),
        ("seal -a -R r -o o t", "o"),
        ("seal -R r -o s --force t", "s"),
        ("open -i i -o o s", "o"),
        ("seal -R r t", "standard output"),
        ("open -i i s", "standard output"),
        ("keygen k", "k"),
    ] {
        // Blocks have 512 or 1024 bytes, and a key file is shorter than one.
        let blocks = if words == "keygen k" { 0 } else { 100 };
        let script = format!("ulimit -f {blocks}; exec \"$0\" {words}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_hornet")]);
        let stdout = tempfile::tempfile().unwrap();
        let limited = shell.current_dir(folder.path(".")).stdout(stdout);
        let named = format!("hornet: {named}: ");
        let why = [&named, "File too large"];
        complains(&limited.output().unwrap(), 2, &why);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), before, "{words}");
    }
    gives(&folder.run("open -i i s"), &sealed.1);
}

/// A file that changes its length is not mistaken for another.
#[test]
fn resized() {
    let sealed = Sealed::new(60 * CHUNK);
    let Sealed(folder, text) = &sealed;
    let bytes = sealed.sealed();
    prints(&folder.run("seal -a -R r -o a t"), "");
    let armor = fs::read(folder.path("a")).unwrap();
    for (command, name, whole) in [
        ("hornet seal --threads 1 -R r t", "t", text),
        // Not mapped.
        (
            "(ulimit -v 4000000; hornet seal --threads 1 -R r t)",
            "t",
            text,
        ),
        ("hornet open --threads 1 -i i s", "s", &bytes),
        ("hornet open --threads 1 -i i a", "a", &armor),
    ] {
        // What is mapped raises SIGBUS when it is read, without half of it or all.
        let len_bytes = whole.len();
        for len_bytes in [0, len_bytes / 2, len_bytes - 1, len_bytes + 1] {
            folder.file(name, whole);
            let script = command.replace("hornet", "\"$0\"");
            let mut child = Command::new("sh");
            child.args(["-c", &script, env!("CARGO_BIN_EXE_hornet")]);
            child.current_dir(folder.path(".")).stderr(Stdio::piped());
            let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
            let mut pipe = child.stdout.take().unwrap();
            // It has opened the file now, and waits long before its end: a pipe takes a chunk, and no more.
            let mut written = vec![0];
            pipe.read_exact(&mut written).unwrap();
            let file = fs::OpenOptions::new().write(true).open(folder.path(name));
            file.unwrap().set_len(len_bytes as u64).unwrap();
            pipe.read_to_end(&mut written).unwrap();
            let why = format!("{name}: changed while it was being read");
            complains(&child.wait_with_output().unwrap(), 2, &[&why]);
            // What was written before shows that its end is missing.
            if name == "t" {
                folder.file("c", &written);
                let opened = folder.run("open -i i c");
                assert_eq!(opened.status.code(), Some(1));
                let stderr = String::from_utf8_lossy(&opened.stderr);
                assert!(stderr.contains("the end is missing"), "{stderr}");
            } else {
                assert!(*text != written && text.starts_with(&written));
            }
        }
    }
}

/// Files of /proc say that they have no bytes, and those of /sys that they fill a page.
#[cfg(target_os = "linux")]
#[test]
fn lengths_that_files_do_not_have() {
    let sealed = Sealed::new(0);
    let folder = &sealed.0;
    for path in [
        "/proc/filesystems",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ] {
        let Ok(text) = fs::read(path) else { continue };
        prints(&folder.run(&format!("seal -R r -o s --force {path}")), "");
        gives(&folder.run("open -i i s"), &text);
        for options in ["", "--armor"] {
            let mut hornet = folder.hornet(&format!("seal -R r {options}"));
            let output = hornet.stdin(fs::File::open(path).unwrap()).output();
            gives(
                &folder.run_with_stdin("open -i i", &output.unwrap().stdout),
                &text,
            );
        }
    }
}

/// Each line of armour that is wrong is named.
#[test]
fn lines_of_armor() {
    let sealed = Sealed::new(100);
    let folder = &sealed.0;
    prints(&folder.run("seal -a -R r -o a t"), "");
    let armor = folder.read("a");
    let lines: Vec<&str> = armor.lines().collect();
    let end = lines.len();
    let columns = "not 1 to 64 characters of base64";
    let base64 = "not canonical base64";
    let starred = format!("*{}", &lines[2][1..]);
    let (long, short) = (format!("{}A", lines[2]), lines[2][..60].to_owned());
    let (spaced, padded) = (
        format!("{} ", &lines[3][1..]),
        format!("{}A=", &lines[2][..62]),
    );
    // One bit is set that means nothing.
    let bits = format!("{}B==", &lines[2][..61]);
    for (line, by, named, why) in [
        (
            1,
            "-----BEGIN AGE FILE-----",
            1,
            "not the first line of armour",
        ),
        (1, "-", 1, "not the first line of armour"),
        (3, &starred, 3, base64),
        (3, &long, 3, columns),
        (3, "", 3, columns),
        (
            3,
            &short,
            4,
            "not the last line of armour, which a short line ends",
        ),
        (4, &spaced, 4, base64),
        (3, &padded, 4, "not the last line of armour"),
        (3, &bits, 3, base64),
        (end, "-----END AGE-----", end, "not the last line of armour"),
        (end, "", end, "not the last line of armour"),
        (2, lines[end - 1], 2, "more follows the last line of armour"),
    ] {
        let mut changed = lines.clone();
        changed[line - 1] = by;
        folder.file("c", changed.join("\n") + "\n");
        let expected = format!("c: line {named} of the armour: {why}");
        complains(&folder.run("open -i i c"), 1, &[&expected]);
    }
    let begin = lines[..end - 1].join("\n");
    for (content, named, why) in [
        (begin.clone() + "\n", end, "cut off"),
        (lines[..3].join("\n") + "\n", 4, "cut off"),
        (
            armor.clone() + "x",
            end,
            "more follows the last line of armour",
        ),
        (
            armor.clone() + &armor,
            end,
            "more follows the last line of armour",
        ),
        (
            format!("{armor}{}", " ".repeat(1024)),
            end,
            "more follows the last line of armour",
        ),
        (format!("\n{begin}*"), end, base64),
    ] {
        folder.file("c", content);
        let expected = format!("c: line {named} of the armour: {why}");
        complains(&folder.run("open -i i c"), 1, &[&expected]);
    }
    for content in [
        armor.replace('\n', "\r\n"),
        format!("\n \t\n{armor}\n \n"),
        armor.trim_end().to_owned(),
    ] {
        folder.file("c", content);
        gives(&folder.run("open -i i c"), &sealed.1);
    }
}

/// The key of a payload.
fn payload_key(mut sealed: &[u8], identity: &str) -> stream::Key {
    let header = Header::read(&mut sealed).unwrap();
    let key = Identity::from_str(identity).unwrap().open(&header).unwrap();
    hornet_age::payload_key(&key.unwrap(), &sealed[..NONCE_BYTES].try_into().unwrap())
}

/// Of 10 GiB, a range of 1 MiB reads 1.2 MiB at most. All other chunks are holes, which are not authentic.
#[cfg(target_os = "linux")]
#[test]
fn a_range_of_10_gib() {
    const MIB: u64 = 1 << 20;
    let sealed = Sealed::new(0);
    let Sealed(folder, _) = &sealed;
    let identity = folder.read("i");
    let key = payload_key(&sealed.sealed(), identity.lines().last().unwrap());
    let (payload, text) = (sealed.payload() as u64, text(CHUNK));
    let last = (10 << 30) / CHUNK as u64 - 1;
    let begin = 5 * 1024 * MIB - 10;
    let file = fs::OpenOptions::new().write(true).open(folder.path("s"));
    let file = file.unwrap();
    let first = begin / CHUNK as u64;
    for number in (first..=first + MIB / CHUNK as u64).chain([last]) {
        let mut chunk = [&text[..], &[0; 16]].concat();
        key.seal_in_place(number, number == last, &mut chunk)
            .unwrap();
        file.write_all_at(&chunk, payload + number * SEALED as u64)
            .unwrap();
    }
    for threads in [1, 8] {
        let hornet = env!("CARGO_BIN_EXE_hornet");
        let range = format!("open -i i --threads {threads} --range {begin}:{MIB} s");
        // What ended children read counts for the shell too.
        let script = format!("'{hornet}' {range} > o && cat /proc/$$/io");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder.0)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
        let counts = String::from_utf8(output.stdout).unwrap();
        let read = counts
            .lines()
            .find_map(|line| line.strip_prefix("rchar: "))
            .unwrap();
        let read: u64 = read.parse().unwrap();
        assert!(
            (MIB..MIB * 12 / 10).contains(&read),
            "{read} bytes were read"
        );
        let expected = text.iter().cycle().skip(CHUNK - 10).take(1 << 20);
        assert!(fs::read(folder.path("o")).unwrap().iter().eq(expected));
    }
    let range = format!("open -i i --range {}:1 s", begin - CHUNK as u64);
    complains(&folder.run(&range), 1, &["chunk 81918 is not authentic"]);
}
