// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of segments.

use super::*;
#[cfg(feature = "rayon")]
use crate::aes::parallel::CHUNK_BYTES;
#[cfg(feature = "rayon")]
use crate::aes::samples::on_pools;
use crate::aes::samples::{key, message, nonce, unused};
use std::format;

fn pushed<'k>(key: &'k Key, segment_bytes: usize, message: &[u8]) -> Segments<'k> {
    let mut segments = Segments::new(key, segment_bytes).unwrap();
    for segment in message.chunks(segment_bytes) {
        segments.push(segment).unwrap();
    }
    segments
}

#[track_caller]
fn assert_of(segments: &Segments, message: &[u8]) {
    let count = message.len().div_ceil(segments.segment_bytes);
    assert_eq!(segments.len(), count);
    assert_eq!(segments.is_empty(), message.is_empty());
    assert_eq!(segments.len_bytes(), message.len() as u64);
    let expected = key().mac(unused(0), message);
    assert_eq!(segments.tag(unused(0)).as_bytes(), expected.as_bytes());
    assert_eq!(segments.verify(&nonce(0), &expected), Ok(()));
    assert_eq!(segments.verify(&nonce(1), &expected), Err(Mismatch));
}

/// Segment and message lengths, with and without a short last segment.
fn cases() -> impl Iterator<Item = (usize, usize)> {
    let of = |segment_bytes| {
        let whole = [0, 1, 2, 9, 20].map(|count| count * segment_bytes);
        whole.into_iter().flat_map(move |length| {
            [0, 1, 15, 16, segment_bytes - 1]
                .into_iter()
                .filter(move |&more| more < segment_bytes)
                .map(move |more| (segment_bytes, length + more))
        })
    };
    [16, 32, 48, 1_008].into_iter().flat_map(of)
}

#[test]
fn every_segment_replaced() {
    for (segment_bytes, length) in cases() {
        let key = key();
        let mut message = message(length);
        let mut segments = pushed(&key, segment_bytes, &message);
        assert_of(&segments, &message);
        for index in 0..segments.len() {
            let segment = message.chunks_mut(segment_bytes).nth(index).unwrap();
            for byte in &mut *segment {
                *byte ^= 0x5a;
            }
            segments.replace(index, segment).unwrap();
            assert_of(&segments, &message);
        }
    }
}

#[test]
fn shorter_and_longer_again() {
    for (segment_bytes, length) in cases() {
        let key = key();
        let message = message(length);
        let all = length.div_ceil(segment_bytes);
        for count in 0..=all + 1 {
            let mut segments = pushed(&key, segment_bytes, &message);
            segments.truncate(count);
            assert_of(&segments, &message[..length.min(count * segment_bytes)]);
            for segment in message.chunks(segment_bytes).skip(count) {
                segments.push(segment).unwrap();
            }
            assert_of(&segments, &message);
        }
    }
}

#[test]
fn truncated_to_more_segments_than_there_are() {
    let key = key();
    for length in [0, 32, 40] {
        let message = message(length);
        let mut segments = pushed(&key, 32, &message);
        for count in [3, usize::MAX - 1, usize::MAX] {
            segments.truncate(count);
            assert_of(&segments, &message);
        }
    }
}

/// The short last segment is replaced by a longer one.
#[test]
fn growing_at_the_end() {
    let key = key();
    let message = message(300);
    let mut segments = Segments::new(&key, 64).unwrap();
    for length in 1..=message.len() {
        let last = (length - 1) / 64;
        segments.truncate(last);
        segments.push(&message[64 * last..length]).unwrap();
        assert_of(&segments, &message[..length]);
    }
}

/// Zeros before, between and after other segments, whole segments and not, are as if pushed.
#[test]
fn zeros_as_if_pushed() {
    let key = key();
    for segment_bytes in [16, 48, 1_008] {
        for before in [0, 1, 3] {
            for zeros in [0, 1, 15, 16, segment_bytes - 1, segment_bytes]
                .into_iter()
                .chain([2, 9].map(|count| count * segment_bytes))
                .chain([7 * segment_bytes + 5])
            {
                let mut message = message((before + 1) * segment_bytes);
                let last = message.split_off(before * segment_bytes);
                let mut segments = pushed(&key, segment_bytes, &message);
                segments.push_zeros(zeros as u64).unwrap();
                message.resize(message.len() + zeros, 0);
                assert_of(&segments, &message);
                if zeros % segment_bytes == 0 {
                    segments.push(&last).unwrap();
                    message.extend_from_slice(&last);
                    assert_of(&segments, &message);
                } else {
                    assert_eq!(segments.push(&last), Err(SegmentError::AfterShort));
                    assert_eq!(segments.push_zeros(1), Err(SegmentError::AfterShort));
                }
                // Each has its own value.
                for index in 0..segments.len() {
                    let segment = message.chunks_mut(segment_bytes).nth(index).unwrap();
                    segment[0] ^= 0x5a;
                    segments.replace(index, segment).unwrap();
                    assert_of(&segments, &message);
                }
            }
        }
    }
}

#[test]
fn too_many_zeros() {
    let key = key();
    let mut segments = pushed(&key, 16, &message(32));
    let most = u64::MAX - 32;
    for (zeros, expected) in [
        (most + 1, SegmentError::MessageTooLong),
        (u64::MAX, SegmentError::MessageTooLong),
        (most, SegmentError::OutOfMemory),
    ] {
        assert_eq!(segments.push_zeros(zeros), Err(expected));
        assert_of(&segments, &message(32));
    }
}

#[test]
fn all_segments_of_a_message() {
    let key = key();
    for (segment_bytes, length) in cases() {
        let message = message(length);
        let partials = key.partial_segments(&message, segment_bytes).unwrap();
        assert_eq!(partials.len(), length.div_ceil(segment_bytes));
        for (partial, segment) in partials.iter().zip(message.chunks(segment_bytes)) {
            assert_eq!(partial.0.opaque, key.partial(segment).0.opaque);
        }
    }
    for segment_bytes in [0, 1, 15, 17, 31] {
        let result = key.partial_segments(&[1; 40], segment_bytes).map(|_| ());
        assert_eq!(result, Err(SegmentError::SegmentBytes));
    }
}

#[test]
fn wrong_uses_are_refused() {
    let key = key();
    for segment_bytes in [0, 1, 15, 17, 31] {
        let result = Segments::new(&key, segment_bytes).map(|_| ());
        assert_eq!(result, Err(SegmentError::SegmentBytes));
    }
    let message = message(100);
    let mut segments = pushed(&key, 32, &message[..64]);
    let mut refused = |change: &dyn Fn(&mut Segments) -> Result<(), SegmentError>, error| {
        let before = segments.tag(unused(0));
        assert_eq!(change(&mut segments), Err(error));
        let after = segments.tag(unused(0));
        assert_eq!(before.as_bytes(), after.as_bytes());
        assert_eq!(segments.len_bytes(), 64);
    };
    refused(&|segments| segments.push(&[]), SegmentError::Length);
    refused(&|segments| segments.push(&[0; 33]), SegmentError::Length);
    refused(
        &|segments| segments.replace(2, &[0; 32]),
        SegmentError::Index,
    );
    refused(
        &|segments| segments.replace(usize::MAX, &[0; 32]),
        SegmentError::Index,
    );
    refused(
        &|segments| segments.replace(1, &[0; 31]),
        SegmentError::OtherLength,
    );
    refused(
        &|segments| segments.replace(1, &[0; 48]),
        SegmentError::OtherLength,
    );

    segments.push(&message[64..90]).unwrap();
    assert_eq!(segments.push(&[0; 32]), Err(SegmentError::AfterShort));
    assert_eq!(segments.push(&[0; 1]), Err(SegmentError::AfterShort));
    assert_eq!(
        segments.replace(2, &[0; 27]),
        Err(SegmentError::OtherLength)
    );
    assert_of(&segments, &message[..90]);
}

#[test]
fn at_most_2_to_the_64_bytes() {
    let key = key();
    let mut segments = Segments::new(&key, 32).unwrap();
    // 2^64 - 32 bytes, built by doubling, because pushing them takes too long.
    let segment = key.partial(&[7; 32]);
    segments.full = segment.clone();
    for _ in 6..64 {
        let half = segments.full.clone();
        key.append(&mut segments.full, &half).unwrap();
        key.append(&mut segments.full, &segment).unwrap();
    }
    assert_eq!(segments.len_bytes(), u64::MAX - 31);
    assert_eq!(segments.push(&[7; 32]), Err(SegmentError::MessageTooLong));
    assert_eq!(segments.push(&[7; 31]), Ok(()));
    assert_eq!(segments.len_bytes(), u64::MAX);
}

#[test]
fn debug_shows_no_secret() {
    let key = key();
    let segments = pushed(&key, 32, &message(40));
    assert_eq!(
        format!("{segments:?}"),
        "Segments { segment_bytes: 32, len_bytes: 40, .. }"
    );
}

#[cfg(feature = "rayon")]
#[test]
fn segments_same_as_pushed() {
    let message = message(1 << 20);
    on_pools(|| {
        for segment_bytes in [16, 4_096, 65_536, CHUNK_BYTES + 16, 1 << 20, 1 << 30] {
            let lengths = [
                0,
                1,
                segment_bytes - 1,
                segment_bytes,
                segment_bytes + 1,
                100_000,
            ];
            for length in lengths
                .into_iter()
                .chain([message.len() - 7, message.len()])
            {
                let Some(msg) = message.get(..length) else {
                    continue;
                };
                let key = key();
                let mut segments = Segments::of(&key, segment_bytes, msg).unwrap();
                assert_eq!(segments.len(), length.div_ceil(segment_bytes));
                assert_eq!(segments.len_bytes(), length as u64);
                let expected = key.mac(unused(0), msg);
                assert_eq!(
                    segments.verify(&nonce(0), &expected),
                    Ok(()),
                    "{segment_bytes} {length}"
                );

                // The partial evaluation of each segment is stored at its index.
                let last = segments.len().saturating_sub(1);
                for index in [0, last / 2, last] {
                    let Some(segment) = msg.chunks(segment_bytes).nth(index) else {
                        continue;
                    };
                    segments
                        .replace(
                            index,
                            &segment.iter().map(|byte| !byte).collect::<Vec<u8>>(),
                        )
                        .unwrap();
                    assert_eq!(segments.verify(&nonce(0), &expected), Err(Mismatch));
                    segments.replace(index, segment).unwrap();
                    assert_eq!(
                        segments.verify(&nonce(0), &expected),
                        Ok(()),
                        "{segment_bytes} {length} {index}"
                    );
                }
            }
        }
    });
    for wrong in [0, 1, 15, 17] {
        let result = Segments::of(&key(), wrong, b"").map(|_| ());
        assert_eq!(result, Err(SegmentError::SegmentBytes));
    }
}
