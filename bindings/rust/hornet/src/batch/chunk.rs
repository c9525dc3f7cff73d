// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A chunk of messages, in the arrays that the C functions take.

use crate::ffi;
use crate::tag::Tag;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use zeroize::optimization_barrier;

/// The number of messages passed to C at once. C groups messages of similar length, and a few dozen
/// are enough to choose from.
pub(crate) const CHUNK: usize = 64;

/// Up to `CHUNK` messages in the form that C takes: the first `count` elements of each array are
/// set. `N` is the type of a nonce, `()` if messages have none. The keys are wiped when the chunk
/// is dropped.
pub(crate) struct Chunk<'a, N> {
    keys: [MaybeUninit<[u8; 32]>; CHUNK],
    nonces: [MaybeUninit<N>; CHUNK],
    msgs: [MaybeUninit<*const c_void>; CHUNK],
    lens_bytes: [MaybeUninit<usize>; CHUNK],
    tags: [MaybeUninit<Tag>; CHUNK],
    count: usize,
    borrowed: PhantomData<&'a [u8]>,
}

/// The C functions for a chunk.
pub(crate) trait Batch {
    /// Writes the tags.
    fn mac(&self, tags: &mut [Tag; CHUNK]);

    /// Writes whether each tag is valid.
    fn verify(&self, valid: &mut [bool; CHUNK]);
}

impl<'a, N> Chunk<'a, N> {
    pub(crate) fn new() -> Self {
        Self {
            keys: [const { MaybeUninit::uninit() }; CHUNK],
            nonces: [const { MaybeUninit::uninit() }; CHUNK],
            msgs: [const { MaybeUninit::uninit() }; CHUNK],
            lens_bytes: [const { MaybeUninit::uninit() }; CHUNK],
            tags: [const { MaybeUninit::uninit() }; CHUNK],
            count: 0,
            borrowed: PhantomData,
        }
    }

    /// Takes messages until the chunk is full or there are no more. Then it must not be moved, which may
    /// leave a copy of the keys.
    pub(crate) fn fill<T>(
        &mut self,
        messages: &mut impl Iterator<Item = T>,
        push: impl Fn(&mut Self, T),
    ) {
        for message in messages.take(CHUNK) {
            push(self, message);
        }
    }

    /// Returns the number of messages.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds a message, unless the chunk is full.
    pub(crate) fn push(&mut self, key: &[u8; 32], nonce: N, msg: &'a [u8], tag: Tag) {
        let index = self.count;
        if index < CHUNK {
            self.keys[index].write(*key);
            self.nonces[index].write(nonce);
            self.msgs[index].write(msg.as_ptr().cast());
            self.lens_bytes[index].write(msg.len());
            self.tags[index].write(tag);
            self.count = index + 1;
        }
    }
}

/// Poly1305, with a key for each message.
impl Batch for Chunk<'_, ()> {
    fn mac(&self, tags: &mut [Tag; CHUNK]) {
        // SAFETY: the first `count` elements of all arrays are set, and `lens_bytes` holds the
        // lengths of the messages.
        unsafe {
            ffi::hornet_poly1305_batch(
                tags.as_mut_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }

    fn verify(&self, valid: &mut [bool; CHUNK]) {
        // SAFETY: the first `count` elements of all arrays are set, and `lens_bytes` holds the
        // lengths of the messages.
        unsafe {
            ffi::hornet_poly1305_verify_batch(
                valid.as_mut_ptr(),
                self.tags.as_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }
}

/// Poly1305-AES, with a nonce for each message.
impl Batch for Chunk<'_, [u8; 16]> {
    fn mac(&self, tags: &mut [Tag; CHUNK]) {
        // SAFETY: the first `count` elements of all arrays are set, and `lens_bytes` holds the
        // lengths of the messages.
        unsafe {
            ffi::hornet_poly1305_aes_batch(
                tags.as_mut_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.nonces.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }

    fn verify(&self, valid: &mut [bool; CHUNK]) {
        // SAFETY: the first `count` elements of all arrays are set, and `lens_bytes` holds the
        // lengths of the messages.
        unsafe {
            ffi::hornet_poly1305_aes_verify_batch(
                valid.as_mut_ptr(),
                self.tags.as_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.nonces.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }
}

impl<N> Drop for Chunk<'_, N> {
    fn drop(&mut self) {
        for key in self.keys.iter_mut().take(self.count) {
            key.write([0; 32]);
        }
        optimization_barrier(&self.keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::ManuallyDrop;

    #[test]
    fn keys_are_wiped() {
        let mut chunk = ManuallyDrop::new(Chunk::new());
        chunk.fill(&mut (1..), |chunk: &mut Chunk<()>, byte| {
            chunk.push(&[byte; 32], (), b"a message", Tag::ZERO);
        });
        // SAFETY: all keys are set.
        let keys = |chunk: &Chunk<()>| chunk.keys.map(|key| unsafe { key.assume_init() });
        assert!(keys(&chunk).iter().all(|key| key != &[0; 32]));
        // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut chunk) };
        assert_eq!(keys(&chunk), [[0; 32]; CHUNK]);
    }
}
