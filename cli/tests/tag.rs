// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag`: the manifest, its nonces, the arguments and the output.

mod common;

use common::{
    Folder, TREE, all_ok, broken_pipe, complains, is_tag_of, paths, prints, rejects, terminal, tree,
};
use hornet::aes::Nonce;
use hornet_key_file::Purpose;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn every_line_of_a_manifest() {
    let folder = tree();
    let manifest = folder.tag_tree();
    let key_file = folder.key();
    let mut lines: Vec<&str> = manifest.lines().collect();
    assert!(lines.remove(1).starts_with("sealed 20"));
    assert_eq!(
        lines[..3],
        ["hornet manifest 1", "symbolic links: skipped", "path t"]
    );
    assert_eq!(paths(&manifest), TREE);
    for (line, path) in lines[3..7].iter().zip(TREE) {
        let nonce: Nonce = line[..32].parse().unwrap();
        assert_eq!(Purpose::of(&nonce), Purpose::MESSAGE);
        let content = fs::read(folder.path(path)).unwrap();
        assert!(is_tag_of(&key_file, line, &content), "{path}");
    }
    assert_eq!(lines[7], "files 4 unread 0 others 0");
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
    // As given, and by the first of several paths.
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
fn nothing_is_overwritten_without_force() {
    let folder = tree();
    folder.file("m", "precious");
    complains(&folder.run("tag -k k -o m t"), 2, &["m: exists", "--force"]);
    assert_eq!(folder.read("m"), "precious");
    prints(&folder.run("tag -k k -o m --force t"), "");
    prints(&folder.run("check -k k m"), &all_ok());
    prints(&folder.run("tag -k k -o new --force t"), "");

    // Only regular files are replaced.
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
fn standard_output_in_the_tree_is_left_out() {
    let folder = tree();
    for length in [0, 200_000] {
        // This includes a file that is appended to.
        folder.file("t/m", vec![b'x'; length]);
        let append = fs::OpenOptions::new().append(true).open(folder.path("t/m"));
        let mut tag = folder.hornet("tag -k k t");
        let output = tag.stdout(append.unwrap()).output().unwrap();
        prints(&output, "");
        assert_eq!(paths(&folder.read("t/m")[length..]), TREE);
    }
    let output = File::create(folder.path("t/m")).unwrap();
    let tag = folder.hornet("tag -k k t/a t/m").stdout(output).output();
    complains(&tag.unwrap(), 2, &["t/m: is the key file or the manifest"]);
    // It is a file like any other if the manifest goes elsewhere.
    let output = File::create(folder.path("t/m")).unwrap();
    let tag = folder.hornet("tag -k k -o m t").stdout(output).output();
    prints(&tag.unwrap(), "");
    assert_eq!(paths(&folder.read("m")).len(), 5);
    // The report of a check is not an extra file.
    fs::remove_file(folder.path("t/m")).unwrap();
    prints(&folder.run("tag -k k -o m --force t"), "");
    let output = File::create(folder.path("t/report")).unwrap();
    let check = folder
        .hornet("check --strict -k k m")
        .stdout(output)
        .output();
    prints(&check.unwrap(), "");
    assert_eq!(folder.read("t/report"), all_ok());
}

fn hidden_files(folder: &Folder) -> Vec<OsString> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.as_bytes().starts_with(b"."))
        .collect()
}

/// Starts the command, and sends it a signal after some time. Returns whether it was killed.
fn kill_after(folder: &Folder, arguments: &str, signal: libc::c_int, time: Duration) -> bool {
    let mut command = folder.hornet(arguments);
    // SAFETY: `signal` may be called after a fork. The process that runs the tests may ignore the
    // signal.
    unsafe {
        command.pre_exec(move || {
            libc::signal(signal, libc::SIG_DFL);
            Ok(())
        });
    }
    let mut child = command.spawn().unwrap();
    thread::sleep(time);
    let id = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: the child has not been waited for, so its id is valid.
    assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    child.wait().unwrap().signal() == Some(signal)
}

#[test]
fn killed_at_any_time_it_leaves_nothing() {
    let folder = tree();
    folder.tag_tree();
    let mut killed = 0;
    for turn in 0..200 {
        let signal = [libc::SIGINT, libc::SIGTERM][turn % 2];
        let time = Duration::from_micros(60 * turn as u64);
        killed += usize::from(kill_after(&folder, "tag -k k -o m --force t", signal, time));
        assert_eq!(hidden_files(&folder), [""; 0], "after {time:?}");
        // The old manifest or the new one.
        assert!(folder.read("m").contains("\nseal "));
    }
    assert!(killed > 10, "{killed}");

    // While it reads a file that takes a second.
    let file = File::create(folder.path("t/huge")).unwrap();
    file.set_len(24 << 30).unwrap();
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let time = Duration::from_millis(100);
        assert!(kill_after(
            &folder,
            "tag -k k -o new --no-holes t",
            signal,
            time
        ));
        assert_eq!(hidden_files(&folder), [""; 0]);
        assert!(!folder.path("new").exists());
    }
}

#[test]
fn a_replaced_manifest_keeps_its_mode() {
    let folder = tree();
    folder.tag_tree();
    for mode in [0o600, 0o640, 0o644, 0o400] {
        fs::set_permissions(folder.path("m"), Permissions::from_mode(mode)).unwrap();
        prints(&folder.run("tag -k k -o m --force t"), "");
        let found = fs::metadata(folder.path("m")).unwrap().permissions().mode();
        assert_eq!(found & 0o7777, mode, "{found:o}");
    }
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

/// The first bar seen shows how much was done, and at what rate.
#[test]
fn long_work_shows_its_progress_on_a_terminal() {
    let folder = tree();
    // Sparse, and long enough to take a second on any machine.
    let file = fs::File::create(folder.path("t/huge")).unwrap();
    file.set_len(24 << 30).unwrap();
    let (mut person, stderr) = terminal();
    let mut tag = folder.hornet("tag -k k -o m --no-holes t");
    let start = Instant::now();
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
    let elapsed = start.elapsed().as_secs_f64();
    let _ = child.kill();
    let _ = child.wait();
    let seen = String::from_utf8_lossy(&seen);
    let (done, rest) = seen.split_once(" of 24.00 GiB ").expect(&seen);
    let rate = rest.split_once("/s, ").expect(&seen).0;
    let (done, rate) = (gib_at_end(done), gib_at_end(rate));
    // It is shown after 0.7 s at the earliest, and was seen later. More may be done while it is drawn.
    let (least, most) = (done / elapsed / 2., done / 0.7 * 2.);
    assert!(
        (least..=most).contains(&rate),
        "{rate}, {elapsed}: {seen:?}"
    );
}

/// Returns the number of GiB at the end of a text, which has two decimal places and a unit.
fn gib_at_end(text: &str) -> f64 {
    let (text, unit) = text.rsplit_once(' ').unwrap();
    let units = ["TiB", "GiB", "MiB", "KiB"];
    let factors = [1024., 1., 1. / 1024., 1. / 1024. / 1024.];
    let at = units.iter().position(|name| *name == unit).expect(unit);
    let start = text.rfind(|character: char| !(character.is_ascii_digit() || character == '.'));
    let number = &text[start.map_or(0, |before| before + 1)..];
    number.parse::<f64>().unwrap() * factors[at]
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
    // A trailing slash causes a link to be followed.
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
