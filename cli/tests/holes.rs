// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Holes of sparse files, which are not read: the tags are those of the whole content, on each file
//! system that this machine has or root can mount.

#![cfg(target_os = "linux")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    clippy::unnecessary_cast,
    reason = "small numbers, and types that differ between architectures"
)]

mod common;

use common::{Folder, TREE, finds, is_root, is_tag_of, paths, prints, tag_while, tree};
use hornet::aes::{Key, Partial};
use memmap2::MmapMut;
use rustix::fs::{FallocateFlags, fallocate, statfs};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

const PUNCH: FallocateFlags = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);

/// Numbers from Knuth's generator, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A folder with a key file on some file system.
struct Place {
    name: &'static str,
    folder: Folder,
    /// Unmounted, and closed, before the folder above is removed.
    mounted: Option<TempDir>,
}

/// Returns a path as an argument.
fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

impl Place {
    fn new(folder: TempDir, mounted: Option<TempDir>) -> Self {
        let name = match statfs(folder.path()).unwrap().f_type as u32 {
            0xef53 => "ext4",
            0x5846_5342 => "xfs",
            0x9123_683e => "btrfs",
            0x0102_1994 => "tmpfs",
            0x794c_7630 => "overlayfs",
            _ => "another",
        };
        let folder = Folder(folder);
        prints(&folder.run("keygen k"), "");
        fs::create_dir(folder.path("t")).unwrap();
        Self {
            name,
            folder,
            mounted,
        }
    }

    /// Mounts a new file system, which only this thread, its threads and its children see.
    fn mounted(kind: &str) -> Option<Self> {
        let top = TempDir::new().unwrap();
        let at = |name: &str| text(&top.path().join(name));
        let (image, point) = (at("image"), at("mounted"));
        File::create(&image).unwrap().set_len(2 * GIB).unwrap();
        fs::create_dir(&point).unwrap();
        let is_done = has_run(&format!("mkfs.{kind}"), &["-q", &image])
            && has_run("mount", &["-o", "loop", &image, &point]);
        is_done.then(|| Self::new(TempDir::new_in(point).unwrap(), Some(top)))
    }

    /// Mounts a file system that has the holes of tmpfs, and another name.
    fn overlay() -> Option<Self> {
        let top = TempDir::new_in("/dev/shm").ok()?;
        let at = |name: &str| text(&top.path().join(name));
        for name in ["lower", "upper", "work", "mounted"] {
            fs::create_dir(at(name)).unwrap();
        }
        let (lower, upper, work) = (at("lower"), at("upper"), at("work"));
        let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        let point = at("mounted");
        has_run("mount", &["-t", "overlay", "-o", &options, "none", &point])
            .then(|| Self::new(TempDir::new_in(point).unwrap(), Some(top)))
    }

    fn file(&self, name: &str) -> File {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(true);
        options.open(self.folder.path(name)).unwrap()
    }

    /// Returns the number of bytes that were not read, of files that are all OK.
    #[track_caller]
    fn checked(&self, options: &str) -> u64 {
        let output = self
            .folder
            .run(&format!("check -k k --quiet --json {options} m"));
        let text = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}{stderr}");
        assert_eq!(stderr, "");
        let (_, bytes) = text.split_once(r#""hole_bytes":"#).unwrap();
        bytes.split(',').next().unwrap().parse().unwrap()
    }

    #[track_caller]
    fn tag(&self, options: &str) -> String {
        let output = self
            .folder
            .run(&format!("tag -k k {options} -o m --force t"));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        self.folder.read("m")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(top) = &self.mounted {
            let point = top.path().join("mounted");
            has_run("umount", &["--lazy", point.to_str().unwrap()]);
        }
    }
}

/// Returns whether a program is there and succeeds.
fn has_run(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let command = command.args(arguments).stdout(Stdio::null());
    command
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Lets this thread mount what only it, its threads and its children see. Returns whether it may.
fn may_mount() -> bool {
    // SAFETY: changes nothing but which mounts this thread sees.
    is_root()
        && unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0
        && has_run("mount", &["--make-rprivate", "/"])
}

/// Returns a place on each file system that there is.
fn places() -> Vec<Place> {
    let mut places = vec![Place::new(TempDir::new().unwrap(), None)];
    places.extend(TempDir::new_in("/dev/shm").map(|folder| Place::new(folder, None)));
    if may_mount() {
        for kind in ["ext4", "xfs", "btrfs"] {
            if places[0].name != kind {
                places.extend(Place::mounted(kind));
            }
        }
    }
    places
}

/// Makes a file with holes, data, zeros that are data, and space that was reserved. Returns what it
/// contains.
fn lay_out(file: &File, random: &mut Random) -> Vec<u8> {
    let length = match random.below(50) {
        0 => 32 * MIB,
        1..10 => random.below(5) * MIB,
        10..30 => random.below(10) * 64 * KIB,
        _ => random.below(40_000) * 16,
    };
    let length = (length + random.below(35)).saturating_sub(17);
    let mut content = vec![0; length as usize];
    file.set_len(0).unwrap();
    file.set_len(length).unwrap();
    for _ in 0..random.below(9) {
        let unit = random.of(&[1, 16, 4 * KIB, 64 * KIB]);
        let start = (random.below(length + 1) / unit * unit).min(length);
        let many = random.of(&[1, 16, 4 * KIB, 64 * KIB, 300_000]);
        let many = (random.below(many) + 1).next_multiple_of(unit);
        let many = many.min(length - start);
        let range = start as usize..(start + many) as usize;
        match random.below(5) {
            0 if many > 0 => {
                if fallocate(file, PUNCH, start, many).is_ok() {
                    content[range].fill(0);
                }
            }
            // What is there stays.
            1 if many > 0 => {
                let _ = fallocate(file, FallocateFlags::KEEP_SIZE, start, many);
            }
            2 => {
                content[range.clone()].fill(0);
                file.write_all_at(&content[range], start).unwrap();
            }
            _ => {
                content[range.clone()].fill(random.below(256) as u8);
                file.write_all_at(&content[range], start).unwrap();
            }
        }
    }
    content
}

/// Compares the ways of reading some random files with one another, and with a tag of all bytes at
/// once. Returns how many bytes were not read.
fn compare(place: &Place, count: u64, random: &mut Random) -> u64 {
    let key_file = place.folder.key();
    let mut not_read = 0;
    for options in ["", "--no-mmap", "--threads 1", "--no-mmap --threads 3"]
        .into_iter()
        .cycle()
        .take((count / 50) as usize)
    {
        let contents: Vec<Vec<u8>> = (10..60)
            .map(|index| lay_out(&place.file(&format!("t/{index}")), random))
            .collect();
        let manifest = place.tag(options);
        for (line, content) in manifest.lines().skip(4).zip(&contents) {
            assert!(is_tag_of(&key_file, line, content), "{} {line}", place.name);
        }
        assert_eq!(place.checked(&format!("{options} --no-holes")), 0);
        place.tag(&format!("{options} --no-holes"));
        not_read += place.checked(options);
    }
    not_read
}

/// Random layouts on all file systems at once.
fn layouts(count: u64) {
    let places = places();
    let each = (count / places.len() as u64).next_multiple_of(50);
    thread::scope(|scope| {
        for (index, place) in places.iter().enumerate() {
            scope.spawn(move || {
                let not_read = compare(place, each, &mut Random(index as u64));
                eprintln!("{}: {each} layouts, {not_read} bytes not read", place.name);
                assert_eq!(not_read == 0, place.name == "another");
            });
        }
    });
}

#[test]
fn tags_are_those_of_the_whole_content() {
    layouts(2000);
}

/// 10,000 on each of four file systems.
#[test]
#[ignore = "takes minutes"]
fn tags_of_many_layouts() {
    layouts(40_000);
    for place in places() {
        around_4_gib(&place, &[-17, -16, -1, 0, 1, 15, 16]);
    }
}

/// Appends zeros by doubling, without the closed form.
fn append_zeros(key: &Key, whole: &mut Partial, bytes: u64) {
    let mut power = key.partial(&[0; 16]);
    for bit in 4..63 {
        if bytes >> bit & 1 == 1 {
            key.append(whole, &power).unwrap();
        }
        let same = power.clone();
        key.append(&mut power, &same).unwrap();
    }
    let rest = vec![0; (bytes % 16) as usize];
    key.append(whole, &key.partial(&rest)).unwrap();
}

/// Files of about 2^32 bytes, with some data in three places.
fn around_4_gib(place: &Place, more: &[i64]) {
    let key_file = place.folder.key();
    let key = key_file.key();
    for more in more {
        let length = (4 * GIB).checked_add_signed(*more).unwrap();
        let file = place.file("t/long");
        file.set_len(length).unwrap();
        let data = vec![5; 100_000];
        let starts = [0, GIB, 4 * GIB - 4 * MIB];
        let mut whole = Partial::default();
        for start in starts {
            file.write_all_at(&data, start).unwrap();
            let zeros = start - whole.len_bytes();
            append_zeros(key, &mut whole, zeros);
            key.append(&mut whole, &key.partial(&data)).unwrap();
        }
        let zeros = length - whole.len_bytes();
        append_zeros(key, &mut whole, zeros);
        let manifest = place.tag("");
        let line = manifest
            .lines()
            .find(|line| line.ends_with("  t/long"))
            .unwrap();
        let (nonce, tag) = (line[..32].parse().unwrap(), line[33..65].parse().unwrap());
        assert!(key.verify_partial(&nonce, &whole, &tag).is_ok(), "{more}");
        assert_eq!(place.checked("--no-holes"), 0);
    }
    fs::remove_file(place.folder.path("t/long")).unwrap();
}

#[test]
fn lengths_around_2_to_the_32() {
    for (place, more) in [(TempDir::new(), -1), (TempDir::new_in("/dev/shm"), 5)] {
        around_4_gib(&Place::new(place.unwrap(), None), &[more]);
    }
}

/// Where it is not known whether a file system tells the truth, all is read.
#[test]
fn other_file_systems() {
    let place = if may_mount() { Place::overlay() } else { None };
    let Some(place) = place else {
        eprintln!("not tested: nothing can be mounted");
        return;
    };
    assert_eq!(place.name, "overlayfs");
    place.file("t/file").set_len(40 * MIB + 1).unwrap();
    let manifest = place.tag("");
    let content = vec![0; (40 * MIB + 1) as usize];
    let line = manifest.lines().nth(4).unwrap();
    assert!(is_tag_of(&place.folder.key(), line, &content), "{line}");
    assert_eq!(place.checked(""), 0);
}

/// On tmpfs, where reading through a mapping would allocate memory for holes, and keep it.
#[test]
fn what_is_not_read_is_said_and_stays_a_hole() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    // For one thread, for all of them, and in a batch.
    for (name, length) in [("a", 40 * MIB), ("b", 2 * MIB), ("c", 9 * KIB)] {
        let file = place.file(&format!("t/{name}"));
        // 60 KiB of a hole that is too short, 64 KiB of data.
        for start in (60 * KIB..MIB.min(length)).step_by(124 << 10) {
            file.write_all_at(&vec![1; 64 << 10], start).unwrap();
        }
        file.set_len(length).unwrap();
    }
    let allocated = || -> Vec<u64> {
        ["a", "b", "c"]
            .map(|name| fs::metadata(place.folder.path(format!("t/{name}"))).unwrap())
            .map(|file| file.blocks())
            .into()
    };
    let before = allocated();
    // Eight pieces of 124 KiB, up to 992 KiB.
    let not_read = 42 * MIB - 2 * 992 * KIB;
    let said = format!("hornet: {not_read} bytes were not read: holes, which consist of zeros\n");
    finds(&place.folder.run("tag -k k -o m t"), 0, "", &[&said]);
    let output = place.folder.run("tag -k k -o m --force --verify-twice t");
    finds(&output, 0, "", &[&said]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), said);
    let ok = "t/a: OK\nt/b: OK\nt/c: OK\n";
    finds(&place.folder.run("check -k k m"), 0, ok, &[&said]);
    prints(&place.folder.run("check -k k --quiet m"), "");
    assert_eq!(place.checked(""), not_read);
    prints(&place.folder.run("check -k k --no-holes m"), ok);
    prints(&place.folder.run("tag -k k -o m --force --no-holes t"), "");
    place.folder.secret("key", common::KEY);
    assert_eq!(
        place.folder.run("mac --key-file key t/a").status.code(),
        Some(0)
    );
    assert_eq!(allocated(), before);
}

/// Lengths that add up to more than 2^64 are still counted, if not exactly.
#[test]
fn the_longest_files() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    let longest = i64::MAX as u64;
    for name in ["t/a", "t/b", "t/c"] {
        place.file(name).set_len(longest).unwrap();
    }
    place.tag("");
    assert_eq!(place.checked(""), u64::MAX);
    fs::remove_file(place.folder.path("t/a")).unwrap();
    fs::remove_file(place.folder.path("t/b")).unwrap();
    place.tag("");
    assert_eq!(place.checked("--threads 1"), longest);
}

/// Waits for a child, and returns the CPU time that it took.
fn cpu_time(child: &Child) -> Duration {
    let mut status = 0;
    // SAFETY: all zeros is a valid `rusage`, and both are writable.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let pid = libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        );
        assert_eq!(
            pid,
            child.id() as libc::pid_t,
            "{}",
            io::Error::last_os_error()
        );
        usage
    };
    assert_eq!(status, 0);
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

impl Place {
    fn time(&self, arguments: &str) -> Duration {
        let mut command = self.folder.hornet(arguments);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        cpu_time(&child.unwrap())
    }
}

/// A sparse terabyte takes milliseconds; the limit leaves time for a build that is not optimized.
#[test]
fn a_sparse_terabyte() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    let file = place.file("t/disk");
    for start in [0, TIB / 2, TIB - 8 * MIB] {
        file.write_all_at(&vec![1; 8 << 20], start).unwrap();
    }
    let time = place.time("tag -k k -o m t");
    eprintln!("1 TiB: {time:?} of CPUs");
    assert!(time < Duration::from_millis(300), "{time:?}");
    assert_eq!(place.checked(""), TIB - 24 * MIB);
}

/// Looking for them costs less than reading them. Then there are so short ones that they are read,
/// and looking for each would show.
#[test]
fn fifty_thousand_holes() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    for (hole, slower) in [(64 * KIB, 1.1), (36 * KIB, 1.25)] {
        let file = place.file("t/disk");
        for index in 0..50_000 {
            let start = index * (hole + 4 * KIB) + hole;
            file.write_all_at(&[index as u8; 4 << 10], start).unwrap();
        }
        // The best of three, for a machine that does other things too.
        let best = |arguments: &str| {
            (0..3)
                .map(|_| place.time(arguments))
                .min()
                .unwrap()
                .as_secs_f64()
        };
        let skipping = best("tag -k k -o m --force t");
        let reading = best("tag -k k -o m --force --no-holes t");
        eprintln!("50,000 holes of {hole}: {skipping:.3} s, all read {reading:.3} s");
        assert!(skipping < slower * reading, "{skipping} {reading}");
        assert_eq!(place.checked("") > 0, hole >= 64 * KIB);
    }
}

/// Asserts that a file with a long hole is not tagged while it is changed.
fn is_never_tagged(change: impl Fn(&File, u64) + Sync) {
    let folder = tree();
    for options in ["", "--no-mmap"] {
        let file = File::create(folder.path("t/busy")).unwrap();
        file.write_all_at(&vec![1; 48 << 20], 0).unwrap();
        file.set_len(GIB).unwrap();
        let manifest = tag_while(&folder, &change, options);
        assert_eq!(paths(&manifest), TREE);
        let end = "\nunread t/busy\nfiles 4 unread 1 others 0\n";
        assert!(manifest.contains(end), "{manifest}");
    }
}

#[test]
fn a_hole_that_is_filled_meanwhile() {
    is_never_tagged(|file, turn| {
        let start = (turn * 64 * KIB) % (900 * MIB) + 60 * MIB;
        file.write_all_at(&[1], start).unwrap();
    });
}

#[test]
fn data_that_is_punched_meanwhile() {
    is_never_tagged(|file, turn| {
        let start = (turn * 64 * KIB) % (40 * MIB);
        if fallocate(file, PUNCH, start, 64 * KIB).is_err() {
            file.write_all_at(&vec![0; 64 << 10], start).unwrap();
        }
    });
}

#[test]
fn a_file_that_loses_its_last_hole_meanwhile() {
    is_never_tagged(|file, turn| {
        let length = if turn % 2 == 0 { 50 * MIB } else { GIB };
        file.set_len(length).unwrap();
        thread::sleep(Duration::from_millis(1));
    });
}

/// Holes that are filled through a mapping, in memory, where no time changes: the second reading
/// looks for them again.
#[test]
fn a_hole_that_is_filled_between_two_readings() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    place.folder.file("t/still", "content");
    let file = place.file("t/busy");
    let (stride, most) = (128 << 10, 8_000);
    file.set_len(most * stride as u64).unwrap();
    // SAFETY: nobody truncates the file.
    let mut mapping = unsafe { MmapMut::map_mut(&file) }.unwrap();
    let stop = AtomicBool::new(false);
    let run = |options: &str| {
        let output = place
            .folder
            .run(&format!("tag -k k {options} -o m --force t"));
        (output, place.folder.read("m"))
    };
    let found = thread::scope(|scope| {
        scope.spawn(|| {
            for page in mapping.chunks_exact_mut(stride) {
                if stop.load(SeqCst) {
                    break;
                }
                page[0] = 1;
                thread::sleep(Duration::from_micros(500));
            }
        });
        let mut runs = (0..50).map(|_| run("--verify-twice"));
        let found = runs.find(|(_, manifest)| manifest.contains("unread t/busy"));
        stop.store(true, SeqCst);
        found
    });
    let (output, manifest) = found.expect("no change was found");
    let changed = "t/busy: changed while it was being read\n";
    finds(&output, 2, "", &[changed]);
    assert_eq!(paths(&manifest), ["t/still"]);
    let (output, _) = run("--verify-twice");
    assert_eq!(output.status.code(), Some(0));
    assert!(place.checked("--no-holes") == 0);
}

/// Of a file that is read in part, of new ones that one thread or all of them read, and of one that is gone.
#[test]
fn retag_counts_the_bytes_of_each_file() {
    let place = Place::new(TempDir::new_in("/dev/shm").unwrap(), None);
    let file = |name: &str, length| {
        let file = place.file(&format!("t/{name}"));
        file.write_all_at(&vec![1; 64 << 10], 0).unwrap();
        file.set_len(length).unwrap();
        file
    };
    let changed = file("a", 40 * MIB);
    file("b", MIB);
    let tag = "tag -k k -o m --parts p --segment 4KiB t";
    finds(&place.folder.run(tag), 0, "", &["bytes were not read"]);
    changed.write_all_at(&[2], 5).unwrap();
    fs::remove_file(place.folder.path("t/b")).unwrap();
    file("c", MIB);
    file("d", 40 * MIB);
    let retag = "retag -k k --parts p --file t/a --ranges - --json m";
    let output = place
        .folder
        .run_with_stdin(retag, format!("0 {MIB}").as_bytes());
    let (data, rest) = (64 * KIB, MIB - 64 * KIB);
    let (huge, not_read) = (40 * MIB - data, 39 * MIB);
    let expected = format!(
        r#"{{"path":"t/a","status":"CHANGED","read_bytes":{data},"not_read_bytes":{not_read},"hole_bytes":{rest},"on_the_word_of":"standard input"}}
{{"path":"t/b","status":"REMOVED"}}
{{"path":"t/c","status":"NEW","read_bytes":{data},"not_read_bytes":0,"hole_bytes":{rest}}}
{{"path":"t/d","status":"NEW","read_bytes":{data},"not_read_bytes":0,"hole_bytes":{huge}}}
{{"summary":{{"kept":0,"new":2,"changed":1,"same":0,"removed":1,"unread":0}},"read_bytes":{},"not_read_bytes":{{"standard input":{not_read}}},"hole_bytes":{},"#,
        3 * data,
        2 * rest + huge
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(&expected), "{text}\n{expected}");
    finds(&place.folder.run("check -k k --quiet m"), 0, "", &[]);
}
