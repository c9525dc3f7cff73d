// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Threads and processes that use one key file at the same time.

use super::{
    HandedOut, KeyFile, child, counter, names, number, only_temporaries_beside_key, place,
};
use std::io::{BufRead, BufReader, Read};
use std::thread;
use std::time::Duration;

#[test]
fn eight_threads() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::new();
    thread::scope(|scope| {
        let work = |index: usize| {
            let (file, path) = (&file, &path);
            move || {
                // Half of the threads share one `KeyFile`; the others open their own.
                let own = KeyFile::open(path).unwrap();
                let file = if index % 2 == 0 { file } else { &own };
                let nonces = (1..=5)
                    .cycle()
                    .take(30)
                    .flat_map(|count| file.reserve(count).unwrap());
                nonces
                    .map(|nonce| counter(number(&nonce.unwrap())))
                    .collect::<Vec<u64>>()
            }
        };
        let threads: Vec<_> = (0..8).map(|number| scope.spawn(work(number))).collect();
        for thread in threads {
            for counter in thread.join().unwrap() {
                handed_out.add(counter);
            }
        }
    });
    // No nonce is lost either.
    assert!(handed_out.0.iter().copied().eq(0..8 * 90));
    assert_eq!(names(&folder), ["key"]);
}

#[test]
fn eight_processes() {
    let (folder, path) = place();
    KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::new();
    let children: Vec<_> = (0..8)
        .map(|_| child::command("reserve many times", &path).spawn().unwrap())
        .collect();
    for child in children {
        let said = child::all_said(&child.wait_with_output().unwrap());
        for counter in child::counters(&said) {
            handed_out.add(counter);
        }
    }
    assert!(handed_out.0.iter().copied().eq(0..8 * 90));
    assert_eq!(names(&folder), ["key"]);
}

/// Kills processes at arbitrary times while others work.
#[test]
fn killed_processes() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::new();
    for round in 0..10 {
        let children: Vec<_> = (0..3)
            .map(|_| {
                let mut child = child::command("reserve forever", &path).spawn().unwrap();
                let mut stdout = BufReader::new(child.stdout.take().unwrap());
                // Wait for its first nonce.
                let mut said = Vec::new();
                while !said.starts_with(b"> nonce ") {
                    said.clear();
                    assert_ne!(stdout.read_until(b'\n', &mut said).unwrap(), 0);
                }
                (child, stdout, said)
            })
            .collect();
        thread::sleep(Duration::from_millis(round));
        for (mut child, mut stdout, mut said) in children {
            child.kill().unwrap();
            stdout.read_to_end(&mut said).unwrap();
            child.wait().unwrap();
            // The last line may be truncated, and thus name another nonce.
            let end = said.iter().rposition(|&byte| byte == b'\n').unwrap();
            for counter in child::counters(&child::said(&said[..end])) {
                handed_out.add(counter);
            }
        }
        handed_out.add(super::next(&file));
    }
    // Each round yields a nonce taken here, and at least one from each child.
    assert!(handed_out.0.len() >= 10 * 4);
    assert!(only_temporaries_beside_key(&folder));
}

#[test]
fn only_one_creates() {
    let (folder, path) = place();
    let created = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| KeyFile::create(&path)))
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.filter_map(Result::ok).collect::<Vec<KeyFile>>()
    });
    let [created] = &created[..] else {
        panic!("{created:?}");
    };
    assert_eq!(super::next(created), 0);
    assert_eq!(names(&folder), ["key"]);
}
