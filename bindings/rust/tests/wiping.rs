//! What is given back to the allocator holds no secret.
#![cfg(all(feature = "key-file", unix))]

use hornet::aes::{Key, Nonce, Segments};
use hornet::key_file::KeyFile;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::slice;

/// Looks at each block that is given back.
struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Whether the bytes of a block are as they should be.
type Good = fn(&[u8]) -> bool;

thread_local! {
    /// How blocks of this thread should be, and how many there were that were and were not.
    static WATCH: RefCell<Option<(Good, usize, usize)>> = const { RefCell::new(None) };
}

// SAFETY: leaves all to the system's, and only reads what is still allocated.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is still allocated, and was zeroed, so that all of it can be read.
        let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
        let _ = WATCH.try_with(|watch| {
            if let Ok(mut watch) = watch.try_borrow_mut() {
                if let Some((good, as_should, not)) = &mut *watch {
                    *(if good(bytes) { as_should } else { not }) += 1;
                }
            }
        });
        // SAFETY: as here.
        unsafe { System.dealloc(block, layout) }
    }
}

/// How many blocks were given back meanwhile that were good, and how many that were not.
fn watched(good: Good, work: impl FnOnce()) -> (usize, usize) {
    WATCH.set(Some((good, 0, 0)));
    work();
    let (_, as_should, not) = WATCH.take().unwrap();
    (as_should, not)
}

#[test]
fn parts_of_segments() {
    let key = Key::clamped(&[7; 32]);
    let zeros: Good = |bytes| bytes.iter().all(|&byte| byte == 0);
    let (wiped, not) = watched(zeros, || {
        let mut segments = Segments::new(&key, 16).unwrap();
        for number in 0..100 {
            segments.push(&[number; 16]).unwrap();
        }
        segments.replace(3, &[100; 16]).unwrap();
        segments.truncate(50);
        let _ = segments.tag(Nonce::new([0; 16]));
    });
    // Once for each time that they grew.
    assert_eq!(not, 0);
    assert!(wiped >= 4, "{wiped}");
}

const KEY_HEX: &str = "ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700";
const KEY: [u8; 32] = [
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
];

/// Whether no part of the key is among the bytes, neither as it is nor as digits.
fn without_key(bytes: &[u8]) -> bool {
    let found = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    !KEY.chunks(8).any(found) && !KEY_HEX.as_bytes().chunks(8).any(found)
}

#[test]
fn texts_of_key_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let above = format!("hornet-poly1305-aes-key 1\nkey {KEY_HEX}\nnext-nonce 0\n");
    let mut nonce = [0; Nonce::BYTES];
    nonce[15] = 255;
    let key = Key::new(&KEY).unwrap();
    let check = key.mac(Nonce::new(nonce), above.as_bytes());
    fs::write(&path, format!("{above}check {check}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

    assert!(!without_key(&KEY) && !without_key(KEY_HEX.as_bytes()));
    let (without, with) = watched(without_key, || {
        let file = Box::new(KeyFile::open(&path).unwrap());
        assert_eq!(file.reserve(3).unwrap().len(), 3);
        drop(file.fork(&folder.path().join("fork")).unwrap());
    });
    assert_eq!(with, 0);
    assert!(without > 4, "{without}");
}
