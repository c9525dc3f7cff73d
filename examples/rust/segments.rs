// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A large message that changes in places: a new tag takes only the time to evaluate the changed
//! segment.

use hornet::aes::{Key, Nonce, Segments, UnusedNonce};
use std::error::Error;
use std::time::Instant;

const SEGMENT_BYTES: usize = 64 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    let key = Key::clamped(&[7; Key::BYTES]);
    let mut message = vec![0; 64 << 20];

    // Evaluates all segments, on all threads.
    let started = Instant::now();
    let mut segments = Segments::of(&key, SEGMENT_BYTES, &message)?;
    let tag = segments.tag(UnusedNonce::assume_unused([1; 16]));
    println!("whole message: {:?}, tag {tag}", started.elapsed());
    key.verify(&Nonce::new([1; 16]), &message, &tag)?;

    // One byte changes, and with it one segment.
    let index = 123;
    let range = index * SEGMENT_BYTES..(index + 1) * SEGMENT_BYTES;
    message[range.start + 45] = 1;
    let started = Instant::now();
    segments.replace(index, &message[range])?;
    // The changed message is another message, and needs another nonce.
    let changed = segments.tag(UnusedNonce::assume_unused([2; 16]));
    println!("after a change: {:?}, tag {changed}", started.elapsed());
    key.verify(&Nonce::new([2; 16]), &message, &changed)?;

    // The message grows. Only its last segment may be shorter than the others.
    message.extend_from_slice(b"appended");
    segments.push(b"appended")?;
    let longer = segments.tag(UnusedNonce::assume_unused([3; 16]));
    key.verify(&Nonce::new([3; 16]), &message, &longer)?;
    assert_eq!(segments.len_bytes(), message.len() as u64);

    // The first tag is not the tag of the changed message.
    assert!(segments.verify(&Nonce::new([1; 16]), &tag).is_err());
    println!("the tag of the old message is refused");
    Ok(())
}
