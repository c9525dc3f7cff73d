// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of the whole subcommand `compare`, on small source trees: tests/plain and modified copies of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plain");

/// Creates an empty directory for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Copies the plain tree with a change in one of its files.
fn changed(folder: &Path, name: &str, file: &str, from: &str, to: &str) -> PathBuf {
    let tree = folder.join(name);
    fs::create_dir_all(tree.join("src/deep")).unwrap();
    for other in ["poly1305.c", "deep/absorb.c", "deep/absorb.h"] {
        let text = fs::read_to_string(Path::new(PLAIN).join("src").join(other)).unwrap();
        let text = if other == file {
            assert!(text.contains(from), "{file}: {from}");
            text.replace(from, to)
        } else {
            text
        };
        fs::write(tree.join("src").join(other), text).unwrap();
    }
    tree
}

fn compare(base: &Path, tree: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hornet-bench"))
        .args(["compare", "--processes", "2", "--rounds", "3"])
        .args(["--compiler", "gcc"])
        .args(arguments)
        .args([base, tree])
        .output()
        .unwrap()
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the file that `compare` writes, with the results of calls of 16 and 17 bytes and of a batch of 16 bytes.
fn results(base: &Path, tree: &Path, out: &Path) -> String {
    let out_text = out.to_str().unwrap();
    let output = compare(base, tree, &["--lengths", "16..17", "--out", out_text]);
    assert_eq!(status(&output), Some(0), "{}", errors(&output));
    fs::read_to_string(out).unwrap()
}

#[test]
fn a_slower_tree_has_a_ratio_above_1() {
    let folder = folder("slower");
    let plain = Path::new(PLAIN);
    let init = "plain_init(&p, key);";
    let often = format!("for (int i = 0; i < 100; i++) {init}");
    let slow = changed(&folder, "slow", "poly1305.c", init, &often);

    let csv = results(plain, &slow, &folder.join("slow.csv"));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].last(), Some(&"ratio_high"));
    let cases: Vec<&[&str]> = lines[1..].iter().map(|line| &line[..3]).collect();
    let expected = [
        ["gcc", "calls", "16"],
        ["gcc", "calls", "17"],
        ["gcc", "batches", "16"],
    ];
    assert_eq!(cases, expected);
    for line in &lines[1..] {
        let ratio: f64 = line[5].parse().unwrap();
        assert!(ratio > 2.0, "{csv}");
    }

    let json = results(&slow, plain, &folder.join("fast.json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["base"], &json["tree"]),
        (&"slow".into(), &"plain".into())
    );
    let of_gcc = &json["compilers"][0];
    assert_eq!(of_gcc["summaries"][0]["cases"], 2);
    for entry in of_gcc["entries"].as_array().unwrap() {
        assert!(entry["ratio"].as_f64().unwrap() < 0.5, "{json}");
        assert!(entry["base_ns"].as_f64() > entry["tree_ns"].as_f64());
    }
}

#[test]
fn wrong_tags_are_reported_and_not_measured() {
    let folder = folder("wrong");
    let plain = Path::new(PLAIN);
    let correct = "tag[i] = (uint8_t)sum;";
    let wrong = changed(&folder, "wrong", "deep/absorb.c", correct, "tag[i] = 7;");
    let all = "i < count; i++";
    let but_one = "i + 1 < count; i++";
    let wrong_batch = changed(&folder, "wrong-batch", "poly1305.c", all, but_one);
    let out = folder.join("out.json");
    for (base, tree, name) in [
        (plain, &*wrong, "wrong with gcc: WRONG"),
        (&*wrong, plain, "wrong with gcc: WRONG"),
        (
            plain,
            &*wrong_batch,
            "wrong-batch with gcc, batch: WRONG on 1 of",
        ),
    ] {
        let output = compare(base, tree, &["--out", out.to_str().unwrap()]);
        assert_eq!(status(&output), Some(1));
        assert!(errors(&output).contains(name), "{}", errors(&output));
        assert!(output.stdout.is_empty() && !out.exists());
    }
}

#[test]
fn errors_name_the_tree_and_the_file() {
    let folder = folder("none");
    let plain = Path::new(PLAIN);
    let broken = changed(&folder, "broken", "deep/absorb.c", "return ", "retrun ");
    let batch = "hornet_poly1305_batch";
    let old = changed(&folder, "old", "poly1305.c", batch, "hornet_poly1305_many");
    let empty = folder.join("empty");
    fs::create_dir_all(empty.join("src/deep")).unwrap();
    for (tree, complaint) in [
        (&*broken, "broken/src/deep/absorb.c:"),
        (&*old, "old with gcc: has no hornet_poly1305_batch"),
        (&*empty, "empty/src: contains no C files"),
        (Path::new("/nowhere"), "/nowhere/src: No such file"),
    ] {
        for (base, tree) in [(plain, tree), (tree, plain)] {
            let output = compare(base, tree, &[]);
            assert_eq!(status(&output), Some(2));
            assert!(errors(&output).contains(complaint), "{}", errors(&output));
        }
    }
}

#[test]
fn wrong_usage_is_reported_before_anything_is_built() {
    let folder = folder("usage");
    let file = folder.join("file");
    fs::write(&file, "kept").unwrap();
    let beyond = file.join("out.csv");
    let plain = Path::new(PLAIN);
    for (arguments, complaint) in [
        (
            &["--out", "results.txt"][..],
            "results.txt: must end in .json or .csv",
        ),
        (&["--out", "/nowhere/out.json"], "/nowhere: No such file"),
        (
            &["--out", beyond.to_str().unwrap()],
            "file: is not a directory",
        ),
        (
            &["--lengths", "3000..4000"],
            "3000..4000 contains no length that is measured",
        ),
        (&["--lengths", "9..3"], "9 is above 3"),
        (&["--processes", "3"], "must be an even number"),
        (&["--only", "all"], "possible values: calls, batches"),
        (&["--compiler", "tcc"], "possible values: gcc, clang"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hornet-bench"));
        let output = command
            .arg("compare")
            .args(arguments)
            .arg(plain)
            .output()
            .unwrap();
        assert_eq!(status(&output), Some(2));
        assert!(errors(&output).contains(complaint), "{}", errors(&output));
        assert!(!errors(&output).contains("building"));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
}

#[test]
fn a_kernel_is_forced_in_both() {
    let plain = Path::new(PLAIN);
    let measured = compare(plain, plain, &["--kernel", "plain", "--lengths", "0..0"]);
    assert_eq!(status(&measured), Some(0), "{}", errors(&measured));
    let unknown = compare(plain, plain, &["--kernel", "none", "--lengths", "0..0"]);
    assert_eq!(status(&unknown), Some(2));
    assert!(errors(&unknown).contains("plain with gcc: no kernel \"none\" runs here"));
}
