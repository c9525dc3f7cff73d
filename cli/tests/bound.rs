// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet bound`.

mod common;

use common::{Folder, prints, rejects};

#[test]
fn the_papers_example() {
    let folder = Folder::new();
    let output = folder.run("bound --messages 2^64 --forgeries 2^75 --length 1024");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    prints(&output, &text);
    for line in [
        "    delta + (1 - C/2^128)^(-(C+1)/2) * 8 * D * ceil(L/16) / 2^106\n",
        "C = 2^64: ",
        "D = 2^75: ",
        "L = 1024: length in bytes of the longest message, ceil(L/16) = 64\n",
        // "With probability at least 0.999999 - delta", all forgeries are rejected.
        "2^-21.27, which is at most 3.931e-7\n",
        "no two messages have the same nonce",
        "N = 2^24: ",
        "copies collide    2^-25, which is at most 2.981e-8\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
}

#[test]
fn a_segment_of_a_parts_file() {
    let folder = Folder::new();
    let output = folder.run("bound --messages 2^32 --forgeries 2^10 --length 2^40 --segment 1MiB");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    prints(&output, &text);
    for line in [
        "    delta + (1 - C/2^128)^(-(C+1)/2) * 8 * D * ceil(S/16) / 2^106\n",
        "S = 1048576: length in bytes of a segment, ceil(S/16) = 65536\n",
        // 8 * 2^10 * 2^16 / 2^106, and the first factor, which is rounded up.
        "    bound - delta     2^-76.99, which is at most 6.618e-24\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
}

#[test]
fn limits() {
    let folder = Folder::new();
    for (arguments, words) in [
        (
            "--messages 2^128 --forgeries 1 --length 1",
            ["--messages", "below 2^128"],
        ),
        (
            "--messages 1 --forgeries 10^39 --length 1",
            ["--forgeries", "below 2^128"],
        ),
        ("--messages 1 --forgeries 1 --length -1", ["--length", "-1"]),
        (
            "--messages 1 --forgeries 1 --length 1 --reservations 2^128",
            ["--reservations", "below 2^128"],
        ),
        (
            "--messages 1 --forgeries 1 --length 1.5",
            ["--length", "not a number"],
        ),
        (
            "--messages 1 --forgeries 1 --length 1 --segment 1MB",
            ["--segment", "not a number"],
        ),
        ("--messages 1 --forgeries 1", ["--length", "required"]),
    ] {
        rejects(&folder.run(&format!("bound {arguments}")), &words);
    }
}
