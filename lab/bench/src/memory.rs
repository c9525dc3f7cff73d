// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory for keys, messages and tags.

/// Pseudorandom bytes, starting at a multiple of 4096.
pub(crate) struct Memory {
    bytes: Vec<u8>,
    start: usize,
}

const ALIGNMENT: usize = 4096;

impl Memory {
    pub(crate) fn new(len_bytes: usize) -> Self {
        let mut bytes = vec![0; len_bytes + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Noise(0x9e37_79b9).fill(&mut bytes[start..start + len_bytes]);
        Self { bytes, start }
    }

    /// Returns a pointer to the byte at `offset`, valid for reads and writes up to the end.
    pub(crate) fn at(&mut self, offset: usize) -> *mut u8 {
        self.bytes[self.start + offset..].as_mut_ptr()
    }
}

/// Pseudorandom numbers, the same in each run (splitmix64).
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, which must be far below 2^32 for a uniform distribution.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(((self.next() >> 32) * bound as u64) >> 32).expect("is below a usize")
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
