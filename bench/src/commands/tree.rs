// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The group tree: `hornet tag` of many small files.

use super::bench::{Commands, left_out};
use super::process::{Run, command, cores, is_there};
use crate::error::Error;
use crate::group::Group;
use crate::memory::Noise;
use crate::report::json::{Figures, Series};
use crate::scratch::Scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

const FILE_BYTES: usize = 1024;

/// The number of directories, and the number of files in each.
const FOLDERS: [usize; 2] = [100, 1000];
const SMALL_FOLDERS: [usize; 2] = [3, 100];

/// The number of files in the loop over `openssl mac`, which starts a process for each.
const LOOP_FILES: usize = 300;

pub(super) fn run(commands: &Commands) -> Result<Series<Figures>, Error> {
    let [folders, files] = if commands.small {
        SMALL_FOLDERS
    } else {
        FOLDERS
    };
    let scratch = Scratch::new("tree")?;
    // A disk block for each file, and the metadata.
    if scratch.free_bytes() < (folders * files * 3 * 4096) as u64 {
        return Ok(left_out(Group::Tree, "not enough free space on the disk"));
    }
    let (folder, tree) = (scratch.path(), scratch.path().join("tree"));
    let paths = make(&tree, folders, files).map_err(|error| Error::new(tree.display(), error))?;
    let list = folder.join("list");
    let listed = paths.iter().map(|path| format!("{path}\0"));
    fs::write(&list, listed.collect::<String>())
        .map_err(|error| Error::new(list.display(), error))?;
    for arguments in [
        &["keygen", "key"][..],
        &["tag", "-k", "key", "-o", "manifest", "tree"],
    ] {
        Run::one("hornet", || commands.hornet(folder, arguments)).ns()?;
    }

    let mut runs = vec![
        Run::one("hornet tag", || {
            commands.hornet(folder, &["tag", "-k", "key", "tree"])
        }),
        Run::one("hornet tag --threads 1", || {
            commands.hornet(folder, &["tag", "-k", "key", "--threads", "1", "tree"])
        }),
        Run::one("hornet check", || {
            commands.hornet(folder, &["check", "-k", "key", "manifest"])
        }),
    ];
    let mut notes = vec!["In the page cache, on one disk.".to_owned()];
    if let Some(b3sum) = &commands.b3sum {
        let all = in_as_few_processes_as_fit(&paths);
        notes.push(format!(
            "b3sum gets all paths as arguments of {}; and, in another run, a share of them in one process for each core.",
            if all.len() == 1 {
                "one process".to_owned()
            } else {
                format!("{} processes", all.len())
            }
        ));
        let processes = |shares: Vec<&[String]>| {
            let tree = tree.clone();
            let shares: Vec<Vec<String>> = shares.into_iter().map(<[String]>::to_vec).collect();
            move || {
                shares
                    .iter()
                    .map(|share| hashed(b3sum, &tree, share))
                    .collect()
            }
        };
        runs.push(Run::new("b3sum", processes(all)));
        let for_each_core = paths.chunks(paths.len().div_ceil(cores())).collect();
        let mut at_once = Run::new("b3sum, a process for each core", processes(for_each_core));
        at_once.at_once = true;
        runs.push(at_once);
    } else {
        notes.push("Left out: b3sum, which is not installed.".into());
    }
    if is_there("openssl") {
        let some = &paths[..LOOP_FILES.min(paths.len())];
        notes.push(format!(
            "The loop is `for f; do openssl mac -macopt hexkey:KEY -in \"$f\" Poly1305; done` over {} of the files, \
             with its time scaled to all of them.",
            some.len()
        ));
        let mut openssl = Run::one("loop over openssl mac", || openssl_loop(&tree, some));
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
        let scale = paths.len() as f64 / some.len() as f64;
        openssl.scale = scale;
        runs.push(openssl);
    } else {
        notes.push("Left out: openssl, which is not installed.".into());
    }
    runs.push(Run::one("xargs sha256sum", || {
        let script = "xargs -0 sha256sum < ../list";
        command(Path::new("sh"), &tree, &["-c", script])
    }));

    let form = Series {
        group: Group::Tree,
        variant: format!(
            "{} files of {FILE_BYTES} bytes in {folders} folders, {} cores",
            paths.len(),
            cores()
        ),
        axis: "files".into(),
        xs: vec![paths.len()],
        columns: Vec::new(),
        notes,
    };
    commands.measure(form, &runs)
}

/// Creates the files, and returns their paths relative to `tree`, so that more of them fit on a command line.
fn make(tree: &Path, folders: usize, files: usize) -> std::io::Result<Vec<String>> {
    let mut noise = Noise(5);
    let mut content = [0; FILE_BYTES];
    let mut paths = Vec::with_capacity(folders * files);
    for folder in 0..folders {
        fs::create_dir_all(tree.join(folder.to_string()))?;
        for file in 0..files {
            let path = format!("{folder}/{file}");
            noise.fill(&mut content);
            fs::write(tree.join(&path), content)?;
            paths.push(path);
        }
    }
    // Otherwise, the system would write them during the measurement.
    // SAFETY: has no arguments and always succeeds.
    unsafe { libc::sync() };
    Ok(paths)
}

fn hashed(b3sum: &Path, tree: &Path, paths: &[String]) -> Command {
    let mut command = command(b3sum, tree, &[]);
    command.args(paths);
    command
}

fn openssl_loop(tree: &Path, paths: &[String]) -> Command {
    let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    let script =
        format!("for f; do openssl mac -macopt hexkey:{key} -in \"$f\" Poly1305 || exit; done");
    let mut command = command(Path::new("sh"), tree, &["-c", &script, "sh"]);
    command.args(paths);
    command
}

/// Splits the paths into shares that fit on a command line.
fn in_as_few_processes_as_fit(paths: &[String]) -> Vec<&[String]> {
    // SAFETY: only reads a system constant.
    let limit = unsafe { libc::sysconf(libc::_SC_ARG_MAX) };
    let limit = usize::try_from(limit).unwrap_or(128 << 10);
    // The environment takes a part of it.
    cut(paths, limit - limit / 8)
}

/// Splits the paths. The limit covers each path, its terminating NUL byte, and the pointer to it.
fn cut(paths: &[String], limit: usize) -> Vec<&[String]> {
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, path) in paths.iter().enumerate() {
        let cost = path.len() + 1 + size_of::<usize>();
        if bytes + cost > limit && start < i {
            shares.push(&paths[start..i]);
            (start, bytes) = (i, 0);
        }
        bytes += cost;
    }
    if start < paths.len() {
        shares.push(&paths[start..]);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_folders() {
        let scratch = Scratch::new("make").unwrap();
        let tree = scratch.path().join("tree");
        let paths = make(&tree, 2, 3).unwrap();
        assert_eq!(paths, ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"]);
        let contents: Vec<Vec<u8>> = paths
            .iter()
            .map(|path| fs::read(tree.join(path)).unwrap())
            .collect();
        assert!(contents.iter().all(|content| content.len() == FILE_BYTES));
        assert_ne!(contents[0], contents[1]);
    }

    #[test]
    fn shares_fit_and_contain_all() {
        let paths: Vec<String> = (0..10).map(|i| i.to_string()).collect(); // 10 bytes each
        assert_eq!(cut(&paths, 100), [&paths[..]]);
        assert_eq!(cut(&paths, 99), [&paths[..9], &paths[9..]]);
        assert_eq!(cut(&paths, 50), [&paths[..5], &paths[5..]]);
        assert_eq!(cut(&paths, 1).len(), 10);
        assert!(cut(&[], 100).is_empty());
    }

    #[test]
    fn a_hundred_thousand_paths_fit_into_one_command_line() {
        let paths: Vec<String> = (0..FOLDERS[0])
            .flat_map(|folder| (0..FOLDERS[1]).map(move |file| format!("{folder}/{file}")))
            .collect();
        assert_eq!(cut(&paths, (2 << 20) / 8 * 7).len(), 1);
    }

    #[test]
    fn openssl_tags_them() {
        if is_there("openssl") {
            let scratch = Scratch::new("openssl").unwrap();
            let tree = scratch.path().join("tree");
            let paths = make(&tree, 1, 2).unwrap();
            let output = openssl_loop(&tree, &paths)
                .stdout(std::process::Stdio::piped())
                .output()
                .unwrap();
            assert!(output.status.success());
            assert_eq!(output.stdout.len(), 2 * 33);
        }
    }
}
