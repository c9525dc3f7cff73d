// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory that the crate frees holds no secret.
#![cfg(feature = "std")]

use hornet::aead;
use hornet::aes::{Key, Partial, PartsKey, SealedParts, Segments, UnusedNonce};
use hornet_test_support::{WatchingAllocator, watch};

#[global_allocator]
static ALLOCATOR: WatchingAllocator = WatchingAllocator;

#[test]
fn partial_evaluations_of_segments() {
    let key = Key::clamped(&[7; 32]);
    let is_zero = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let freed = watch(is_zero, || {
        let mut segments = Segments::new(&key, 16).unwrap();
        for number in 0..100 {
            segments.push(&[number; 16]).unwrap();
        }
        segments.replace(3, &[100; 16]).unwrap();
        segments.truncate(50);
        let _ = segments.tag(UnusedNonce::assume_unused([0; 16]));
    });
    assert_eq!(freed.failed, 0);
    // One block for each time the vector grew.
    assert!(freed.passed >= 4, "{freed:?}");
}

#[test]
fn sealed_parts() {
    let key = Key::clamped(&[7; 32]);
    let parts_key = PartsKey::new(&[8; 32]);
    // A value is below 2^131, so all but one byte of its highest word are 0; then comes its length, 16.
    let is_no_value = |bytes: &[u8]| {
        let words =
            |chunk: &[u8]| chunk[17..24] == [0; 7] && chunk[24..] == [16, 0, 0, 0, 0, 0, 0, 0];
        !bytes.chunks_exact(Partial::SEALED_BYTES).any(words)
    };
    let freed = watch(is_no_value, || {
        let mut parts = SealedParts::default();
        for number in 0..40 {
            let unused = aead::UnusedNonce::assume_unused([number; 24]);
            let nonce = unused.nonce();
            let values = [key.partial(&[number; 16]), key.partial(&[number + 1; 16])];
            let mut sealed = Vec::new();
            parts_key
                .seal_partials(unused, b"", &values, &mut sealed)
                .unwrap();
            parts_key
                .open_partials(&nonce, b"", &mut sealed, 0..2, &mut parts)
                .unwrap();
        }
        let mut segments = Segments::of_parts(&key, 16, parts).unwrap();
        segments.replace(3, &[100; 16]).unwrap();
    });
    assert_eq!(freed.failed, 0);
    assert!(freed.passed > 40, "{freed:?}");
}
