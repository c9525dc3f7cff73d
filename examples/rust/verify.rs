// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tags that were received with messages are checked by `verify`, which takes the same time for
//! every guess of a forger. The keys are examples, of RFC 8439 and of Bernstein's paper.

use hornet::{Key, Mismatch, Tag, aes};
use std::error::Error;

/// RFC 8439, section 2.5.2: a one-time key, for one message only.
const ONE_TIME_KEY: [u8; 32] = [
    0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
    0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
];

/// Bernstein 2005, appendix B: k and r, a key for many messages, each with a nonce of its own.
const AES_KEY: [u8; 32] = [
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
];

fn shown(result: Result<(), Mismatch>) -> &'static str {
    if result.is_ok() {
        "accepted"
    } else {
        "refused"
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let tag: Tag = "a8061dc1305136c6c22b8baf0c0127a9".parse()?;
    let one_time = [
        b"Cryptographic Forum Research Group",
        b"Cryptographic Forum Research Croup",
    ]
    .map(|message| shown(hornet::verify(Key::new(&ONE_TIME_KEY), message, &tag)));

    let key = aes::Key::new(&AES_KEY)?;
    let nonce: aes::Nonce = "fb447350c4e868c52ac3275cf9d4327e".parse()?;
    let tag: Tag = "f4c633c3044fc145f84f335cb81953de".parse()?;
    let [right, forged] =
        [[0xf3, 0xf6], [0xf3, 0xf7]].map(|msg| shown(key.verify(&nonce, &msg, &tag)));
    println!(
        "one-time key: {}, a forgery {}; Poly1305-AES: {right}, a forgery {forged}",
        one_time[0], one_time[1]
    );
    Ok(())
}
