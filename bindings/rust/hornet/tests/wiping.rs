// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory that the crate frees holds no secret.
#![cfg(feature = "std")]

use hornet::aes::{Key, Segments, UnusedNonce};
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
